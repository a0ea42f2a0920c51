"""The tables of the report."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from math import comb
from typing import Any

import polars as pl

from adjudge.evaluations.reliability import metrics
from adjudge.evaluations.reliability.options import ReliabilityOptions
from adjudge.evaluations.reliability.outcomes import FLAG_OUTCOMES, NO_FLAGS, REASONS
from adjudge.metrics import tables as metric_tables
from adjudge.metrics.cells import COUNT, StateCells, count_states
from adjudge.metrics.comparison import judge_differences
from adjudge.metrics.metric import KIND, as_floats
from adjudge.report import ESTIMATE_COLUMNS, typed_table
from adjudge.schemas.judgments import scale_position
from adjudge.schemas.outcomes import categories_as_text
from adjudge.statistics.clusters import effective_counts
from adjudge.statistics.shrinkage import shrink

_ANNOTATORS = replace(metrics.VIEW, metrics=(*metrics.VIEW.metrics, metrics.ITEMS))
_DETAIL = "detail"


def tables_of(outcomes: pl.LazyFrame, options: ReliabilityOptions, *, clustered: bool) -> dict[str, pl.DataFrame]:
    """All tables of the report. clustered: whether the outcomes name clusters."""
    by, confidence, unit = options.by, options.ci_level, "cluster" if clustered else None
    keys = [*by, "judge"]
    rows = metrics.VIEW.rows(outcomes, [*by, _DETAIL], options)
    cells = count_states(rows, [*keys, KIND], [*metrics.VIEW.states, _DETAIL], None)
    judges = list(
        metric_tables.cells_by(rows, metrics.VIEW, keys, unit)
        if clustered
        else metric_tables.cells_of_groups(cells, metrics.VIEW, keys)
    )
    asked = (
        view
        for view, wanted in ((metrics.ORDERED_VIEW, options.ordered), (metrics.POSITIVE_VIEW, options.positive))
        if wanted
    )
    further = [
        row
        for view in asked
        for row_keys, one in metric_tables.cells_by(view.rows(outcomes, by, options), view, keys, unit)
        for row in metric_tables.score(view, one, row_keys, confidence)
    ]
    annotators = list(_annotator_rows(judges, further, by, confidence))
    return {
        "overall": typed_table(_overall_rows(outcomes, options, clustered=clustered), [*by, *ESTIMATE_COLUMNS]),
        "annotators": typed_table(annotators, [*by, "annotator", *ESTIMATE_COLUMNS]),
        **_differences(rows, judges, by, unit, confidence),
        **_count_tables(categories_as_text(cells), by, options.ordered),
    }


_MOST_COMPARED = 50
"""Of more annotators than this the pairs of the best and the worst half as many are compared."""


def _differences(
    rows: pl.LazyFrame,
    judges: Sequence[tuple[metric_tables.Keys, metric_tables.CellsByKind]],
    by: Sequence[str],
    unit: str | None,
    confidence: float,
) -> dict[str, pl.DataFrame]:
    """The tables of differences of every two annotators in reliability, and of what they leave out."""
    groups: dict[tuple[Any, ...], dict[str, float]] = {}
    for keys, cells in judges:
        if (own := cells.get(metrics.RELIABILITY.kind)) is not None:
            value = metrics.RELIABILITY.linearise(own.states, own.totals).value
            groups.setdefault(tuple(keys[name] for name in by), {})[keys["judge"]] = -1.0 if value is None else value
    tests = sum(comb(len(values), 2) for values in groups.values())
    if not tests:
        return {}
    extremes, half = set[str](), _MOST_COMPARED // 2
    for values in groups.values():
        ranked = [name for name, _ in sorted(values.items(), key=lambda item: (-item[1], item[0]))]
        extremes.update(ranked if len(ranked) <= _MOST_COMPARED else (*ranked[:half], *ranked[-half:]))
    names, view = sorted(extremes), replace(metrics.VIEW, metrics=(metrics.RELIABILITY,))
    choices = rows.filter(pl.col(KIND).cast(pl.String) == metrics.RELIABILITY.kind)
    compared = choices.filter(pl.col("judge").cast(pl.String).is_in(names)).collect()
    few = all(len(values) <= _MOST_COMPARED for values in groups.values())
    differences = list(judge_differences(compared, view, names, by, unit, confidence))
    columns = [*by, "first", "second"]
    table = typed_table(
        metric_tables.difference_rows(differences, of=None if few else tests), [*columns, *metric_tables.DIFFERENCE]
    )
    return {"differences": table} | metric_tables.left_out_table(differences, columns)


def _overall_rows(outcomes: pl.LazyFrame, options: ReliabilityOptions, *, clustered: bool) -> list[metric_tables.Keys]:
    """Pooled metrics, clustered by item or, where outcomes name clusters, by cluster."""
    by, unit = options.by, "cluster" if clustered else "item"
    views = (
        (metrics.VIEW, (metrics.RELIABILITY, metrics.FLAG_MISMATCH)),
        (metrics.REFERENCE_VIEW, (metrics.REFERENCE_FLAGGED,)),
    )
    rows = [(view.rows(outcomes, by, options), shares) for view, shares in views]
    pooled_rows = [
        row for one, shares in rows for row in metric_tables.rows_of_pool(one, shares, by, unit, options.ci_level)
    ]
    pooled_rows.sort(key=lambda row: [(row.keys[name] is not None, row.keys[name] or "") for name in by])
    return [metric_tables.estimate_row(row.keys, row.metric.name, row.estimate) for row in pooled_rows]


def _annotator_rows(
    judges: Sequence[tuple[metric_tables.Keys, metric_tables.CellsByKind]],
    further: Sequence[metric_tables.MetricRow],
    by: Sequence[str],
    confidence: float,
) -> Iterator[metric_tables.Keys]:
    """Each annotator's metrics; after kappa, the reliability drawn toward that of the group; then further ones."""
    others: dict[tuple[Any, ...], list[metric_tables.MetricRow]] = {}
    for row in further:
        others.setdefault(tuple(row.keys.values()), []).append(row)
    for _, group in groupby(judges, lambda one: [one[0][name] for name in by]):
        members = list(group)
        counts = [_effective_counts(cells["choice"]) for _, cells in members]
        shrunk = shrink(*zip(*counts, strict=True), confidence=confidence)
        for (keys, cells), drawn in zip(members, shrunk, strict=True):
            row_keys = {name: keys[name] for name in by} | {"annotator": keys["judge"]}
            for row in metric_tables.score(_ANNOTATORS, cells, keys, confidence):
                if row.metric is metrics.ITEMS:
                    yield metric_tables.estimate_row(row_keys, "reliability_shrunk", drawn)
                yield metric_tables.estimate_row(row_keys, row.metric.name, row.estimate)
            for row in others.get(tuple(keys.values()), ()):
                yield metric_tables.estimate_row(row_keys, row.metric.name, row.estimate)


def _effective_counts(cells: StateCells) -> tuple[float, float]:
    """Right choices and all choices; for clustered ones, the effective numbers of independent choices."""
    hits = as_floats(metrics.RELIABILITY.hits(cells.states))
    choices = as_floats(metrics.RELIABILITY.counted_states(cells.states))
    if cells.units is None or not cells.totals @ choices:
        return float(cells.totals @ hits), float(cells.totals @ choices)
    effective = effective_counts(cells.per_unit(hits), cells.per_unit(choices))
    return effective.successes, effective.n


# --- tables of counts ---


def _count_tables(cells: pl.DataFrame, by: Sequence[str], ordered: Sequence[str]) -> dict[str, pl.DataFrame]:
    """Deductions (judgments that reliability does not count, by reason), flags and the confusion of choices.

    ordered: the labels' order, as `place` takes it; without one, that of the alphabet.
    """
    cells = cells.rename({"judge": "annotator", _DETAIL: "reason", COUNT: "count"})
    keys, flag, outcome = [*by, "annotator"], pl.col(KIND) == "flag", pl.col("outcome")
    deducted = cells.filter(~flag & (outcome == "deducted"))
    both = cells.filter(flag & outcome.is_in(FLAG_OUTCOMES)).select(*keys, "outcome", "count")
    annotators = cells.filter(flag & (outcome != NO_FLAGS)).select(keys).unique()
    nobody = annotators.join(pl.DataFrame({"outcome": FLAG_OUTCOMES, "count": 0}), how="cross")
    chosen = cells.filter(outcome.is_in(["correct", "incorrect"]))
    flags, of_reasons = pl.concat([both, nobody], how="vertical_relaxed"), pl.Enum([*REASONS])
    labels = ("label", "reference_label")
    places = [scale_position(pl.col(one), ordered) for one in labels] if ordered else []
    return {
        "deductions": _sum_counts(deducted, keys, "reason", order=[pl.col("reason").cast(of_reasons)]),
        "flags": _sum_counts(flags, keys, "outcome", order=[outcome.cast(pl.Enum([*FLAG_OUTCOMES]))]),
        "confusion": _sum_counts(chosen, keys, *labels, order=[*places, *labels]),
    }


def _sum_counts(rows: pl.DataFrame, keys: Sequence[str], *values: str, order: Sequence[pl.Expr | str]) -> pl.DataFrame:
    """Counts of values by keys, in the order of the keys, then in another."""
    summed = rows.group_by(*keys, *values).agg(pl.col("count").sum()).sort(*keys, *order)
    return typed_table(summed.to_dicts(), [*keys, *values, "count"])
