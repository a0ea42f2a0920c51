"""Tables of metrics: of one run, of the differences between judges of a run, and of questions to a model."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import Any

import numpy as np
import polars as pl

from adjudge.estimate import Estimate
from adjudge.metrics.cells import PairedCells, StateCells, cells_of_counts, count_states, number_states
from adjudge.metrics.difference import Difference, paired_difference
from adjudge.metrics.metric import KIND, MakeRows, Metric, View
from adjudge.metrics.ratios import Share
from adjudge.report import ESTIMATE_COLUMNS, typed_table
from adjudge.schemas.outcomes import ANSWERED, REPLY, STATUSES, UNANSWERED
from adjudge.spec import MetricSpec
from adjudge.statistics.comparison import holm
from adjudge.statistics.planning import items_needed
from adjudge.statistics.quantiles import significance_level

Keys = dict[str, Any]

TESTED = (*ESTIMATE_COLUMNS, "p", "p_adjusted", "tests")
"""Columns of a table of tested metrics. tests: the number of tests that p_adjusted is adjusted over."""
DIFFERENCE = (*TESTED, "needed", "collected", "first_value", "second_value", "shared", "left_out")
"""Columns of a table of differences. needed: the number of items to collect to detect the difference (see
`adjudge.statistics.planning.items_needed`). collected: the number of items that both sides have, of which n bear on the
metric. first_value, second_value: both values. shared: the number of rows that
both sides count: 0 if the difference is unpaired. left_out: the number of rows that only one side counts, which the
difference excludes."""


@dataclass(frozen=True, eq=False)
class MetricRow:
    """A row of a table: an estimate of a metric, and its p if it was tested."""

    keys: Keys
    metric: Metric
    estimate: Estimate
    p: float | None = None


def rows_by_group(
    frame: pl.DataFrame, keys: Sequence[str], order: pl.DataFrame | None = None
) -> Iterator[tuple[Keys, pl.DataFrame]]:
    """The rows of each combination of keys, in the order of their values; no value goes first.

    order: combinations of some of the keys, whose order takes precedence.
    """
    if not keys:
        yield {}, frame
        return
    texts = [pl.col(name).cast(pl.String) for name in keys if frame[name].dtype == pl.Categorical]
    combinations, first = frame.select(keys).unique().with_columns(texts), []
    if order is not None:
        places = order.unique(maintain_order=True).with_row_index(_PLACE)
        combinations, first = combinations.join(places, on=order.columns, how="left", nulls_equal=True), [_PLACE]
    parts = frame.partition_by(keys, as_dict=True)
    for values in combinations.sort(*first, *keys, nulls_last=False).select(keys).iter_rows():
        rows = parts[values]
        yield dict(zip(keys, values, strict=True)), rows.with_columns(texts) if texts else rows


_PLACE = "__place__"

CellsByKind = Mapping[str, StateCells]
"""The cells of a group, by the kind of its rows."""
GroupCells = Iterator[tuple[Keys, CellsByKind]]


def cells_by(rows: pl.LazyFrame, view: View, keys: Sequence[str], unit: str | None) -> GroupCells:
    """The cells of each combination of keys. unit: see `adjudge.metrics.cells.count_states`."""
    return cells_of_groups(count_states(rows, [*keys, KIND], view.states, unit), view, keys, by_item=unit == "item")


def cells_of_groups(frame: pl.DataFrame, view: View, keys: Sequence[str], *, by_item: bool = False) -> GroupCells:
    """The cells of each combination of keys, from a counted frame. by_item: whether units are items."""
    rows, states = number_states(frame, view.states)
    for _, parts in groupby(rows_by_group(rows, [*keys, KIND]), lambda one: [one[0][name] for name in keys]):
        kinds = list(parts)
        cells = {own[KIND]: replace(cells_of_counts(part, states), by_item=by_item) for own, part in kinds}
        yield {name: kinds[0][0][name] for name in keys}, cells


def score(view: View, cells: CellsByKind, keys: Keys, confidence: float) -> Iterator[MetricRow]:
    """The metrics of a view for one combination of keys."""
    some = next(iter(cells.values()))
    none = some.filter(np.zeros(some.states.height, dtype=bool))
    for metric in view.metrics:
        if metric.applies_to(keys):
            yield score_metric(metric, cells.get(metric.kind, none) if metric.kind else some, keys, confidence)


def view_rows(
    rows: pl.LazyFrame, view: View, keys: Sequence[str], unit: str | None, confidence: float
) -> Iterator[MetricRow]:
    """The metrics of a view for each combination of keys. unit: see `adjudge.metrics.cells.count_states`."""
    for group, cells in cells_by(rows, view, keys, unit):
        yield from score(view, cells, group, confidence)


def metric_table(keys: Sequence[str], rows: Iterable[MetricRow]) -> pl.DataFrame:
    """Metrics as a table."""
    return estimate_table(keys, ((row.keys, row.metric.name, row.estimate) for row in rows))


def score_metric(metric: Metric, cells: StateCells, keys: Keys, confidence: float) -> MetricRow:
    """The estimate of a metric from its cells, as a row."""
    group = {**keys, **metric.keys}
    result = metric.estimate_and_test(cells, confidence)
    return MetricRow(group, metric, result.estimate, result.p)


def estimate_row(keys: Mapping[str, Any], metric: str, estimate: Estimate) -> Keys:
    """An estimate as a row of a table."""
    return {**keys, "metric": metric, **{name: getattr(estimate, name) for name in ESTIMATE_COLUMNS[1:]}}


def estimate_table(keys: Sequence[str], estimates: Iterable[tuple[Mapping[str, Any], str, Estimate]]) -> pl.DataFrame:
    """Estimates as a table. estimates: for each the values of its keys, the metric's name, the Estimate."""
    return typed_table([estimate_row(*estimate) for estimate in estimates], [*keys, *ESTIMATE_COLUMNS])


# --- differences ---


@dataclass(frozen=True, eq=False)
class DifferenceRow:
    """A difference in a table. keys: with `first` and `second`."""

    keys: Keys
    metric: Metric
    result: Difference


def compare_metric(metric: Metric, pairs: PairedCells, keys: Keys, confidence: float) -> DifferenceRow:
    """The difference of a metric between two runs as a row: the second minus the first."""
    return DifferenceRow({**keys, **metric.keys}, metric, paired_difference(metric, pairs, confidence))


def difference_rows(
    rows: Sequence[DifferenceRow], view: View | None = None, apart: str = "", of: int | None = None
) -> list[Keys]:
    """Differences as rows of a table; p adjusted by Holm's method over all rows of the same metric and question.

    view: its main metrics are one family, and so are the rows of each metric with its main keys; the others, about
    parts of these, are another one. apart: a key column whose values are separate questions. of: the number
    of tests in each family, if not all were made.
    """
    main_keys, main_metrics = (view.main_keys, view.main_metrics) if view else ({}, ())
    metrics = [main_metrics if row.metric.name in main_metrics else row.metric.name for row in rows]
    main = [all(row.keys.get(key, value) == value for key, value in main_keys.items()) for row in rows]
    names = list(zip(metrics, main, (row.keys.get(apart) for row in rows), strict=True))
    families: dict[object, dict[int, float | None]] = {}
    for name, row in zip(names, rows, strict=True):  # a mean over one criterion is the same test as that criterion
        families.setdefault(name, {})[id(row.result)] = row.result.comparison.p
    adjusted = {name: dict(zip(p, holm([*p.values()], of=of), strict=True)) for name, p in families.items()}
    tests = {name: of or sum(one is not None for one in p.values()) for name, p in families.items()}
    table = []
    for name, row in zip(names, rows, strict=True):
        result, estimate, p_adjusted = row.result, row.result.comparison.estimate, adjusted[name][id(row.result)]
        significant = p_adjusted is not None and p_adjusted < significance_level(estimate.confidence)
        test = max(tests[name], 1), result.collected, result.discordant
        tested = {
            "p": result.comparison.p,
            "p_adjusted": p_adjusted,
            "tests": None if p_adjusted is None else tests[name],
            "needed": None if significant else items_needed(estimate, *test),
            "collected": result.collected or None,
            "first_value": result.before,
            "second_value": result.after,
            "shared": result.shared,
            "left_out": result.left_out.total(),
        }
        table.append(estimate_row(row.keys, row.metric.name, estimate) | tested)
    return table


LEFT_OUT = ("metric", "lacks", "outcome", "count")
"""Columns of the table of rows that differences exclude, after its keys."""


def left_out_table(rows: Iterable[DifferenceRow], keys: Sequence[str] = ()) -> dict[str, pl.DataFrame]:
    """The table of rows that differences exclude: which side lacks the metric, the row's outcome there, and counts.

    No table if nothing is excluded. keys: by default all that some row has.
    """
    excluded = [
        {**row.keys, "metric": row.metric.name, "lacks": lacks, "outcome": outcome, "count": count}
        for row in rows
        for (lacks, outcome), count in sorted(row.result.left_out.items())
    ]
    names = keys or list(dict.fromkeys(name for row in excluded for name in row if name not in LEFT_OUT))
    filled = [dict.fromkeys(names) | row for row in excluded]
    return {"left_out": keyed_table(filled, names, LEFT_OUT)} if excluded else {}


def keyed_table(rows: Sequence[Keys], keys: Sequence[str], columns: Sequence[str]) -> pl.DataFrame:
    """Rows as a table. Keys may be numbers, such as a share of noise."""
    numbers = [key for key in keys if any(isinstance(row[key], float) for row in rows)]
    return typed_table(rows, [*keys, *columns], numbers=numbers)


def tested_rows(rows: Iterable[MetricRow]) -> list[Keys]:
    """Estimates with their tests as rows of a table; p adjusted by Holm's method over all of them."""
    return adjust_p([estimate_row(row.keys, row.metric.name, row.estimate) | {"p": row.p} for row in rows])


def adjust_p(rows: list[Keys], family: Sequence[str] = ()) -> list[Keys]:
    """The same rows with p_adjusted, by Holm's method, and the number of tests.

    rows: with p, None without a test. family: rows with equal values of these keys are adjusted together.
    """
    families: dict[tuple[Any, ...], list[Keys]] = {}
    for row in rows:
        families.setdefault(tuple(row[name] for name in family), []).append(row)
    for tested in families.values():
        tests = sum(row["p"] is not None for row in tested)
        for row, p in zip(tested, holm([row["p"] for row in tested]), strict=True):
            row |= {"p_adjusted": p, "tests": None if p is None else tests}
    return rows


# --- outcomes of questions to a model ---


REPLIES_TABLE = "replies"
REPLIES_TITLE = "Outcomes of the questions to models, and metrics if all had been answered."

_MEANINGS = {
    "answered": "Questions that the model answered / questions asked.",
    "refused": "Questions that the model, or a filter, refused / questions asked.",
    "unparseable": "Questions whose reply held no verdict / questions asked.",
    "failed": "Questions to which no whole reply came / questions asked.",
}


def reply_metrics(status: pl.Expr) -> tuple[Share, ...]:
    """The share of each status. status: null if no question was asked."""
    share = partial(Share, among=status.is_not_null(), reason="nothing was asked", table=REPLIES_TABLE)
    return tuple(
        share(one, MetricSpec(one.capitalize(), _MEANINGS[one], "high" if one == ANSWERED else "low"), status == one)
        for one in STATUSES
    )


def asked_rows(rows: pl.LazyFrame, *keys: str) -> pl.LazyFrame:
    """The rows of judges that are models, for values of the keys with any questions."""
    asked = rows.filter(pl.col(REPLY).is_not_null()).select("judge", *keys).unique()
    return rows.join(asked, on=["judge", *keys], how="semi", nulls_equal=True, maintain_order="left")


def replies_view(rows: MakeRows, **more: Any) -> View:  # noqa: ANN401 - fields of a View
    """The shares of each status in two runs, one of which has unanswered questions. rows: with the column REPLY."""
    unanswered = pl.col(REPLY).cast(pl.String).is_in(UNANSWERED)
    return View(rows=rows, states=(REPLY,), metrics=reply_metrics(pl.col(REPLY)), only_if=unanswered, **more)


def replies_table(
    asked: pl.DataFrame, metrics: Sequence[Metric], keys: Sequence[str], unit: str | None, confidence: float
) -> dict[str, pl.DataFrame]:
    """The metrics of each combination of keys with unanswered questions, as a table; none if all were answered.

    asked: a row per question: item, cluster, the keys, `reply` (null if none was asked), and other columns of metrics.
    unit: see `adjudge.metrics.cells.count_states`.
    """
    if asked.is_empty():
        return {}
    further = [name for name in asked.columns if name not in {"item", "cluster", *keys}]
    lost = asked.filter(pl.col(REPLY).is_in(UNANSWERED).any().over(keys) if keys else pl.lit(value=True))
    view = View(rows=lambda rows, *_: rows, states=tuple(further), metrics=tuple(metrics))
    kinds = lost.lazy().with_columns(pl.lit("").alias(KIND))
    estimates = view_rows(kinds, view, keys, unit, confidence)
    rows = [estimate_row(one.keys, one.metric.name, one.estimate) for one in estimates]
    numbers = [name for name in keys if asked.schema[name].is_numeric()]
    return {REPLIES_TABLE: typed_table(rows, [*keys, *ESTIMATE_COLUMNS], numbers=numbers)} if rows else {}
