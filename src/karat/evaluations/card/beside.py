"""A judge's labels beside people's on the same items: groups of rows, means of both, and the difference in pairs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from karat.estimate import Estimate
from karat.evaluations.card.reading import Read
from karat.figures.tables import Keys, figure_row, groups
from karat.schemas.columns import named_cluster
from karat.statistics.comparison import Comparison, holm, linearised_difference, paired_t
from karat.statistics.scores import mean_change, mean_score, sums_of

OWN, PEOPLE = "own", "people"
"""Columns of values that are compared: the judge's, and people's mean of the same item."""

NO_ITEMS = "no item that both labelled"

Codes = NDArray[np.int64]


def judged(read: Read, by: Sequence[str], labels: pl.DataFrame | None = None) -> Iterator[tuple[Keys, pl.DataFrame]]:
    """Of each group and judge the keys of its rows in tables, and its labels. labels: by default all of them."""
    for keys, rows in groups(read.of(read.judges, labels), [*by, "who"]):
        yield {name: keys[name] for name in by} | {"judge": keys["who"]}, rows


def units_of(frame: pl.DataFrame) -> Codes | None:
    """The number of each row's cluster, where there are clusters."""
    if "cluster" not in frame.columns:
        return None
    return frame.select(named_cluster(pl.col("cluster"), pl.col("item")).rank("dense")).to_series().to_numpy()


def by_item(rows: pl.DataFrame, value: pl.Expr, people: pl.DataFrame, first: pl.Expr | None = None) -> pl.DataFrame:
    """A row per item that both sides have a value of: item, OWN, PEOPLE, and cluster if there are any.

    rows: a judge's labels, whose values are averaged by item, as are those of people. first: of each of its rows,
    whether a value from 0 to 1 stands as it is on both sides, or 1 less it; rows of which it is null are left out.
    """
    theirs = people.group_by("item").agg(value.mean().alias(PEOPLE))
    both = rows.with_columns(value.alias(OWN)).join(theirs, on="item", how="inner", maintain_order="left")
    if first is not None:
        turned = [pl.when(first).then(pl.col(name)).otherwise(1 - pl.col(name)).alias(name) for name in (OWN, PEOPLE)]
        both = both.filter(first.is_not_null()).with_columns(turned)
    cluster = [pl.col("cluster").first()] if "cluster" in rows.columns else []
    found = both.group_by("item", maintain_order=True).agg(pl.col(OWN).mean(), pl.col(PEOPLE).mean(), *cluster)
    return found.drop_nulls([OWN, PEOPLE])


@dataclass(frozen=True, eq=False)
class Contrast:
    """A judge's figure, that of people on the same items, and the judge's less theirs with its test."""

    own: Estimate
    people: Estimate
    change: Comparison


def contrast(values: pl.DataFrame, confidence: float, *, shares: bool = True, reason: str = NO_ITEMS) -> Contrast:
    """The means of what `by_item` found. shares: whether values lie between 0 and 1. reason: why there are none."""
    if values.is_empty():
        none = Estimate.undefined(reason, confidence=confidence)
        return Contrast(none, none, Comparison(none, None))
    units = units_of(values)
    own, people = (values[name].to_numpy() for name in (OWN, PEOPLE))
    of_own, of_people = (mean_of(one, units, confidence, shares=shares) for one in (own, people))
    return Contrast(of_own, of_people, mean_change((own - people).round(12), units, confidence=confidence))


def mean_of(values: NDArray[np.float64], units: Codes | None, confidence: float, *, shares: bool) -> Estimate:
    """The mean of values of items. shares: whether they lie between 0 and 1."""
    if shares:
        return mean_score(values, units, confidence=confidence)
    sums, sizes = sums_of(values, units)
    return paired_t(sums, totals=None if units is None else sizes, confidence=confidence).estimate


def slopes(values: pl.DataFrame, along: NDArray[np.float64], confidence: float, reason: str) -> Contrast:
    """How what `by_item` found changes with a number of each item: both slopes and their difference.

    b = sum (x - X) d / sum (x - X)^2 with the mean X; interval by linearisation. Where x is 0 or 1 it is the difference
    of two means. reason: why it is undefined where x is one and the same.
    """
    own, people, units = values[OWN].to_numpy(), values[PEOPLE].to_numpy(), units_of(values)
    found = [_slope(one, along, units, confidence, reason) for one in (own, people, own - people)]
    return Contrast(found[0].estimate, found[1].estimate, found[2])


def _slope(
    values: NDArray[np.float64], along: NDArray[np.float64], units: Codes | None, confidence: float, reason: str
) -> Comparison:
    centred = along - along.mean() if len(along) else along
    spread = float(centred @ centred)
    reason = reason if len(along) else NO_ITEMS
    if not len(along) or not np.ptp(along):
        return Comparison(Estimate.undefined(reason, n=len(values), confidence=confidence), None)
    apart = values - values.mean()
    slope = float(centred @ apart) / spread
    moved = centred * (apart - slope * centred) / spread
    sums, sizes = sums_of(moved, units)
    found = linearised_difference(slope, sums, sizes=sizes, confidence=confidence)
    return replace(found, estimate=replace(found.estimate, n=len(values)))


def contrast_rows(keys: Mapping[str, Any], metrics: tuple[str, str, str], found: Contrast) -> list[Keys]:
    """A contrast as rows of a table of tests: the judge's figure, people's, and their difference, which is tested."""
    parts = (found.own, found.people, found.change.estimate)
    rows = [figure_row(keys, metric, part) | {"p": None} for metric, part in zip(metrics, parts, strict=True)]
    rows[-1]["p"] = found.change.p
    return rows


def adjusted(rows: Sequence[Keys], family: Sequence[str]) -> list[Keys]:
    """The same rows with p_adjusted: by Holm's method over the rows that have these keys in common."""
    families: dict[tuple[Any, ...], list[int]] = {}
    for place, row in enumerate(rows):
        families.setdefault(tuple(row[name] for name in family), []).append(place)
    found: dict[int, float | None] = {}
    for places in families.values():
        found |= zip(places, holm([rows[place]["p"] for place in places]), strict=True)
    return [{**row, "p_adjusted": found[place]} for place, row in enumerate(rows)]
