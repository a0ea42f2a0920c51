"""From judgments to the tables of the report."""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from karat.evaluations.reliability import counts, metrics


@dataclass(frozen=True, slots=True)
class Counts:
    """What figures are made of. cells: per annotator. items: per item. clusters: per annotator and cluster, or None."""

    cells: pl.DataFrame
    items: pl.DataFrame
    clusters: pl.DataFrame | None


def count(outcomes: pl.LazyFrame, by: Sequence[str], *, clustered: bool) -> Counts:
    """The outcomes counted. clustered: whether they name clusters."""
    return Counts(
        cells=counts.cells(outcomes, by),
        items=counts.item_sums(outcomes, by, clustered=clustered),
        clusters=counts.judge_sums(outcomes, by) if clustered else None,
    )


def tables_of(counted: Counts, by: Sequence[str], confidence: float, *, flags_known: bool) -> dict[str, pl.DataFrame]:
    """All tables of the report. flags_known: whether the data say who flags what."""
    cells = counted.cells
    return {
        "overall": metrics.overall(counted.items, by, confidence, flags_known=flags_known),
        "annotators": metrics.annotators(cells, counted.clusters, by, confidence, flags_known=flags_known),
        "deductions": metrics.deductions(cells, by),
        "flags": metrics.flags(cells, by),
        "confusion": metrics.confusion(cells, by),
    }


def numbers_of(counted: Counts, judgments: int) -> dict[str, int]:
    """What was counted, for the head of the report."""
    items = counted.items
    return {
        "judgments": judgments,
        "items": items["item"].n_unique(),
        "annotators": counted.cells["judge"].n_unique(),
        "clusters": items["item" if counted.clusters is None else "cluster"].n_unique(),
    }


def note_of(counted: Counts, clusters: int, cluster: str | None) -> str:
    """By what figures are clustered, for the foot of the report."""
    if counted.clusters is None:
        return f"Intervals of the pooled figures are clustered by item: {clusters:,} clusters."
    return f"All intervals are clustered by {cluster or 'cluster'}: {clusters:,} clusters."
