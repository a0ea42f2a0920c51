"""What a report of reliability says beside its tables."""

import polars as pl

from karat.figures.cells import unit_name


def numbers_of(outcomes: pl.LazyFrame, judgments: int, *, clustered: bool) -> dict[str, int]:
    """What was counted, for the head of the report. clustered: whether the outcomes name clusters."""
    counts = outcomes.select(
        items=pl.col("item").n_unique(),
        annotators=pl.col("judge").n_unique(),
        clusters=unit_name("cluster" if clustered else "item").n_unique(),
    )
    return {"judgments": judgments, **counts.collect(engine="streaming").row(0, named=True)}


def note_of(clusters: int, cluster: str | None, *, clustered: bool) -> str:
    """By what intervals are clustered, for the foot of the report."""
    if not clustered:
        return f"Intervals of the pooled figures are clustered by item: {clusters:,} clusters."
    return f"All intervals are clustered by {cluster or 'cluster'}: {clusters:,} clusters."
