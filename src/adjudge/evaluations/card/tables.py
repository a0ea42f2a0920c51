"""The sections of the card, and rows of their tables: a judge's labels and people's labels of the same items."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple, TypeAlias

import numpy as np
import polars as pl

from adjudge.estimate import Estimate
from adjudge.evaluations.card.options import CardOptions
from adjudge.evaluations.card.reading import CardLabels
from adjudge.metrics.cells import Floats, Integers
from adjudge.metrics.tables import TESTED, Keys, adjust_p, estimate_row, keyed_table, rows_by_group
from adjudge.report import ESTIMATE_COLUMNS
from adjudge.schemas.columns import cluster_name
from adjudge.spec import MetricSpec
from adjudge.statistics.comparison import Comparison, linearised_difference, paired_t
from adjudge.statistics.scores import mean_change, mean_score, sums_of

CardResult: TypeAlias = Estimate | Comparison


class CardRow(NamedTuple):
    """A row of a table. keys: with the `by` columns and judge. result: an Estimate is not tested."""

    table: str
    keys: Keys
    metric: str
    result: CardResult


CardPart: TypeAlias = CardRow | Mapping[str, pl.DataFrame] | str
"""What sections consist of: rows, whole tables by name, and notes."""


TESTS = {
    **dict.fromkeys(("orders", "certainty", "windows", "drift"), "metric"),
    **dict.fromkeys(("bias", "bias_scale"), "bias"),
}
"""Tables of tests. Rows of a group and judge with the same value of this column are adjusted together."""


@dataclass(frozen=True, eq=False)
class CardSection:
    """A section of the card. metrics: those of its tables. tables: name -> what the table holds.

    make: its parts, from the labels and the options.
    """

    metrics: Mapping[str, MetricSpec]
    tables: Mapping[str, str]
    make: Callable[[CardLabels, CardOptions], Iterator[CardPart]]


def tables_of_parts(
    parts: Iterable[CardPart], names: Iterable[str], by: Sequence[str]
) -> tuple[dict[str, pl.DataFrame], tuple[str, ...]]:
    """The tables that have rows, in the order of the names, and the notes."""
    frames, notes, rows = dict[str, pl.DataFrame](), list[str](), defaultdict[str, list[CardRow]](list)
    for part in parts:
        if isinstance(part, str):
            notes.append(part)
        elif isinstance(part, CardRow):
            rows[part.table].append(part)
        else:
            frames |= part
    for name, parts_of_table in rows.items():
        keys, table = [*parts_of_table[0].keys], list[Keys]()
        for row in parts_of_table:
            tested = row.result if isinstance(row.result, Comparison) else Comparison(row.result, None)
            table.append(estimate_row(row.keys, row.metric, tested.estimate) | {"p": tested.p})
        if name in TESTS:
            adjust_p(table, [key for key in (*by, "judge") if key in keys] + [TESTS[name]])
        frames[name] = keyed_table(table, keys, TESTED if name in TESTS else ESTIMATE_COLUMNS)
        if "bias" in keys:  # of which the kinds follow one another
            frames[name] = frames[name].sort(*by, "judge", maintain_order=True)
    return {name: frames[name] for name in names if name in frames}, tuple(notes)


difference_spec = partial(MetricSpec, of_shares=True, signed=True)
"""A difference of shares."""
mean_share_spec = partial(MetricSpec, of_shares=True, bounds=(0.0, 1.0))
"""A number from 0 to 1 that is no share of items."""
number_spec = partial(MetricSpec, percent=False)
"""A number in the unit of the labels, or a count."""

JUDGE_VALUE, PEOPLE_VALUE = "own", "people"
"""Columns of values that are compared: the judge's, and people's mean of the same item."""

NO_ITEMS = "no item that both labelled"


def labels_by_judge(
    card: CardLabels, by: Sequence[str], labels: pl.DataFrame | None = None
) -> Iterator[tuple[Keys, pl.DataFrame]]:
    """The labels of each group and judge, with the keys of its rows in tables. labels: by default all."""
    for keys, rows in rows_by_group(card.labels_by(card.judges, labels), [*by, "who"]):
        yield {name: keys[name] for name in by} | {"judge": keys["who"]}, rows


def cluster_numbers(frame: pl.DataFrame) -> Integers | None:
    """The number of each row's cluster; None without clusters."""
    if "cluster" not in frame.columns:
        return None
    return frame.select(cluster_name(pl.col("cluster"), pl.col("item")).rank("dense")).to_series().to_numpy()


def values_by_item(
    rows: pl.DataFrame, value: pl.Expr, people: pl.DataFrame, first: pl.Expr | None = None
) -> pl.DataFrame:
    """A row per item that both judge and people labelled: item, JUDGE_VALUE, PEOPLE_VALUE, and any cluster.

    rows: a judge's labels, whose values are averaged by item, as are those of people. first: of each of its rows,
    whether a value from 0 to 1 stands as it is on both sides, or 1 less it; rows of which it is null are left out.
    """
    people_values = people.group_by("item").agg(value.mean().alias(PEOPLE_VALUE))
    judged = rows.with_columns(value.alias(JUDGE_VALUE))
    shared = judged.join(people_values, on="item", how="inner", maintain_order="left")
    if first is not None:
        values = pl.col(JUDGE_VALUE, PEOPLE_VALUE)
        shared = shared.filter(first.is_not_null()).with_columns(pl.when(first).then(values).otherwise(1 - values))
    means = pl.col(JUDGE_VALUE, PEOPLE_VALUE).mean(), pl.col("^cluster$").first()
    return shared.group_by("item", maintain_order=True).agg(means).drop_nulls([JUDGE_VALUE, PEOPLE_VALUE])


class Contrast(NamedTuple):
    """The estimate of a judge, that of people on the same items, and their difference with its test."""

    judge: Estimate
    people: Estimate
    change: Comparison


def _no_contrast(reason: str, n: int, confidence: float) -> Contrast:
    none = Estimate.undefined(reason, n=n, confidence=confidence)
    return Contrast(none, none, Comparison(none, None))


def contrast_means(values: pl.DataFrame, confidence: float, *, shares: bool = True, reason: str = NO_ITEMS) -> Contrast:
    """Means of `values_by_item`. shares: whether values lie in [0, 1]. reason: why there are none."""
    if values.is_empty():
        return _no_contrast(reason, 0, confidence)
    units = cluster_numbers(values)
    judge, people = (values[name].to_numpy() for name in (JUDGE_VALUE, PEOPLE_VALUE))
    judge_mean, people_mean = (mean_estimate(side, units, confidence, shares=shares) for side in (judge, people))
    return Contrast(judge_mean, people_mean, mean_change((judge - people).round(12), units, confidence=confidence))


def mean_estimate(values: Floats, units: Integers | None, confidence: float, *, shares: bool) -> Estimate:
    """The mean of values of items. shares: whether they lie between 0 and 1."""
    if shares:
        return mean_score(values, units, confidence=confidence)
    sums, sizes = sums_of(values, units)
    return paired_t(sums, totals=None if units is None else sizes, confidence=confidence).estimate


def contrast_slopes(values: pl.DataFrame, along: Floats, confidence: float, reason: str) -> Contrast:
    """Slopes of `values_by_item` along a number of each item, and their difference.

    b = sum (x - X) d / sum (x - X)^2 with the mean X; interval by linearisation. Where x is 0 or 1 it is the difference
    of two means. reason: why it is undefined where x is one and the same.
    """
    judge, people, units = values[JUDGE_VALUE].to_numpy(), values[PEOPLE_VALUE].to_numpy(), cluster_numbers(values)
    if not len(along) or not np.ptp(along):
        return _no_contrast(reason if len(along) else NO_ITEMS, len(along), confidence)
    judge_slope, people_slope, change = (_slope(y, along, units, confidence) for y in (judge, people, judge - people))
    return Contrast(judge_slope.estimate, people_slope.estimate, change)


def _slope(values: Floats, along: Floats, units: Integers | None, confidence: float) -> Comparison:
    centred, residuals = along - along.mean(), values - values.mean()
    spread = float(centred @ centred)
    slope = float(centred @ residuals) / spread
    influence = centred * (residuals - slope * centred) / spread
    sums, sizes = sums_of(influence, units)
    change = linearised_difference(slope, sums, sizes=sizes, confidence=confidence)
    return replace(change, estimate=replace(change.estimate, n=len(values)))
