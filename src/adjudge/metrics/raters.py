"""Inter-annotator agreement over all labels of an item: alpha, Gwet's AC, Fleiss' kappa, percent agreement."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from math import nan
from typing import ClassVar, NamedTuple

import numpy as np
import polars as pl

from adjudge.errors import DataError
from adjudge.estimate import Caveat, Estimate
from adjudge.metrics.cells import MOST_STATES, Floats, Integers, Mask, StateCells
from adjudge.metrics.metric import Limits, Linearisation, Metric, as_floats, cache_states, clip_estimate
from adjudge.metrics.ratios import RatioOfSums, Sums, correlation_estimate, distinct_sums, mean_share_estimate
from adjudge.statistics.agreement import sum_by_place
from adjudge.statistics.intraclass import TWO, Form, NumericRatings, intraclass, intraclass_limits, of_mean, squares_of
from adjudge.statistics.proportions import MANY_ITEMS, estimate_of
from adjudge.statistics.raters import (
    PAIR,
    Coefficient,
    LabelRatings,
    Level,
    agreement_interval,
    disputed_items,
    percent_agreement,
)

LEVEL, LABELS, SCALE = "level", "labels", "scale"
"""Columns of states: the level of the labels; a kind of item as JSON, label -> number of raters; and the possible
labels as a JSON list, or null if these are the observed ones."""


@dataclass(frozen=True, eq=False)
class RaterAgreement(Metric):
    """Agreement of all raters of an item. coefficient: see `adjudge.statistics.raters`."""

    coefficient: Callable[[LabelRatings, Level], Coefficient]
    bounds: Limits | None = field(default=(-1.0, 1.0), kw_only=True)
    keeps_uncounted: ClassVar[bool] = True
    """Items with one label count in the chance model of Gwet's AC and Fleiss' kappa."""

    def counted_states(self, states: pl.DataFrame) -> Mask:
        """Items with two labels."""
        several: Mask = _item_kinds(states).raters >= PAIR
        return several

    def linearise(self, states: pl.DataFrame, counts: Integers) -> Linearisation:
        """The coefficient with its influence function."""
        kinds = _item_kinds(states)
        try:
            result = self.coefficient(kinds.ratings(counts), kinds.level)
        except DataError as error:
            return self.undefined(states, str(error))
        return Linearisation(result.value, result.influence)

    def estimate(self, cells: StateCells, confidence: float) -> Estimate:
        """The estimate over items, or clusters of them."""
        kinds = _item_kinds(cells.states)
        ratings = kinds.ratings(cells.totals)
        try:
            result = self.coefficient(ratings, kinds.level)
        except DataError as error:
            return Estimate.undefined(str(error), confidence=confidence)
        counted = self.counted_states(cells.states).astype(np.float64)
        influence, sizes, times = distinct_sums(cells, result.influence, counted)
        disputed, nominal = disputed_items(ratings), kinds.level == "nominal"
        return agreement_interval(result, influence, sizes, times, confidence, disputed=disputed, nominal=nominal)


@dataclass(frozen=True, eq=False)
class PercentAgreement(RatioOfSums):
    """The mean over items of the share of equal pairs of labels, whatever the level of the labels.

    Estimates for two judges have the intervals of any mean of shares: Wilson's of a proportion if each item has two
    labels.
    """

    def sums(self, states: pl.DataFrame) -> Sums:
        """The share of pairs of an item, and 1 for items with two labels."""
        kinds = _item_kinds(states)
        pairs, same = (n * (n - 1) for n in (kinds.raters, kinds.counts))
        counted = pairs > 0
        shares = np.bincount(kinds.items, same, states.height) / np.where(counted, pairs, 1)
        return shares, counted.astype(np.float64)

    def interval(self, cells: StateCells, value: float, influence: Floats, confidence: float) -> Estimate:
        """See `mean_share_estimate`."""
        return mean_share_estimate(cells, self.sums(cells.states), value, influence, confidence)

    @staticmethod
    def coefficient(ratings: LabelRatings, _: Level) -> Coefficient:
        """Percent agreement as a coefficient of `adjudge.statistics.raters`."""
        return percent_agreement(ratings)


class _ItemKinds(NamedTuple):
    """Kinds of items. places: of all labels; declared: whether these are all possible labels."""

    items: Integers
    labels: Integers
    counts: Floats
    raters: Floats
    places: Floats
    level: Level
    declared: bool

    def ratings(self, counts: Integers) -> LabelRatings:
        """The ratings with `counts` items of each kind. Labels without items are dropped unless they are declared."""
        times = counts.astype(np.float64)
        if self.declared:
            return LabelRatings(self.items, self.labels, self.counts, times, self.places, declared=True)
        there = times[self.items] > 0
        used, labels = np.unique(self.labels[there], return_inverse=True)
        return LabelRatings(self.items[there], labels, self.counts[there], times, self.places[used])


def _item_kinds(states: pl.DataFrame) -> _ItemKinds:
    return cache_states(states, LABELS, lambda: _parse_kinds(states), keeps_last=True)


def _parse_kinds(states: pl.DataFrame) -> _ItemKinds:
    kinds = [json.loads(text) if text else {} for text in states[LABELS].to_list()]
    first = states.filter(pl.col(LEVEL).is_not_null()).head(1)
    level: Level = first[LEVEL].to_list()[0] if first.height else "nominal"
    scale = first[SCALE].to_list()[0] if first.height else None
    names = json.loads(scale) if scale else sort_labels({label for kind in kinds for label in kind}, level)
    number = {name: nth for nth, name in enumerate(names)}
    rows = [
        (item, label, count)
        for item, kind in enumerate(kinds)
        for label, count in sorted((number[name], count) for name, count in kind.items())
    ]
    items, labels, counts = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    places = np.arange(len(names)) if level == "nominal" else np.array(names)
    raters = np.bincount(items, counts, states.height).astype(np.float64)
    return _ItemKinds(items, labels, counts.astype(np.float64), raters, places.astype(np.float64), level, bool(scale))


def sort_labels(labels: Iterable[str], level: Level) -> list[str]:
    """Labels in the order of states: names alphabetically, all others by their numbers."""
    return sorted(labels) if level == "nominal" else sorted(labels, key=float)


RATINGS = "given"
"""The column of states that holds an item's numbers as JSON: a list of annotator and number."""


@dataclass(frozen=True, eq=False)
class IntraclassCorrelation(Metric):
    """An intraclass correlation. mean: of the mean of an item's ratings, not of single ones."""

    form: Form
    mean: bool = False
    bounds: Limits | None = field(default=(-1.0, 1.0), kw_only=True)

    def counted_states(self, states: pl.DataFrame) -> Mask:
        """Items with two ratings."""
        counted: Mask = _ratings(states).each >= TWO
        return counted

    def linearise(self, states: pl.DataFrame, counts: Integers) -> Linearisation:
        """By the analysis of variance."""
        try:
            squares = squares_of(_ratings(states), counts.astype(np.float64), one_way=self.form == "one-way")
            value, influence = intraclass(squares, self.form, mean=self.mean)
        except DataError as error:
            return self.undefined(states, str(error))
        return Linearisation(value, influence)

    def interval(self, cells: StateCells, value: float, influence: Floats, confidence: float) -> Estimate:
        """By the F distribution; for items in clusters and incomplete designs by linearisation.

        The latter is Wilson's with an effective n of (1 + r) / 2, the correlation of single ratings mapped.
        """
        counted = self.counted_states(cells.states)
        n, times = int(cells.totals @ counted), cells.totals.astype(np.float64)
        squares = squares_of(_ratings(cells.states), times, one_way=self.form == "one-way")
        if cells.units is None and squares.complete and squares.within > 0:
            limits = intraclass_limits(squares, self.form, confidence)
            if self.mean:
                limits = type(limits)(*(np.asarray(of_mean(float(one), squares.raters)) for one in limits))
            note = Caveat.APPROXIMATE if n < MANY_ITEMS else None
            estimate = estimate_of(value, limits, n=n, method="f", confidence=confidence, note=note)
            return clip_estimate(estimate, self.bounds)
        estimate = correlation_estimate(cells, value, influence, as_floats(counted), confidence)
        return clip_estimate(estimate, self.bounds)


def _ratings(states: pl.DataFrame) -> NumericRatings:
    """The numbers of each state."""
    return cache_states(states, RATINGS, lambda: _parse_ratings(states[RATINGS].to_list()), keeps_last=True)


def _parse_ratings(given: list[str | None]) -> NumericRatings:
    rows: list[dict[str, float]] = [dict(json.loads(one)) if one else {} for one in given]
    each = np.array([len(row) for row in rows], dtype=np.float64)
    values = np.array([value for row in rows for value in row.values()], dtype=np.float64)
    values -= values.mean() if len(values) else 0.0  # avoids cancellation in sums of squares of large numbers
    places = np.repeat(np.arange(len(rows)), each.astype(np.int64))
    sums, squares = (sum_by_place(places, one, len(rows)) for one in (values, values**2))
    names = sorted({name for row in rows if len(row) >= TWO for name in row})
    if len(rows) > MOST_STATES and any(TWO <= count < len(names) for count in each.tolist()):
        return NumericRatings(each, sums, squares)
    table = np.array([[row.get(name, nan) for name in names] for row in rows], dtype=np.float64)
    return NumericRatings(each, sums, squares, table.reshape(len(rows), -1))
