"""Metrics of numbers that several annotators give the same items: intraclass correlations."""

import json
from dataclasses import dataclass, field
from math import nan

import numpy as np
import polars as pl

from adjudge.errors import DataError
from adjudge.estimate import Caveat, Estimate
from adjudge.metrics.cells import MOST_STATES, Floats, Integers, Mask, StateCells
from adjudge.metrics.metric import Limits, Linearisation, Metric, as_floats, cache_states, clip_estimate
from adjudge.metrics.ratios import correlation_estimate
from adjudge.statistics.contingency import sum_by_place
from adjudge.statistics.intraclass import TWO, Form, NumericRatings, intraclass, intraclass_limits, of_mean, squares_of
from adjudge.statistics.proportions import MANY_ITEMS, estimate_of

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
        """By the F distribution; of items in clusters, and of designs that are not complete, by linearisation.

        Then it is Wilson's with an effective n of (1 + r) / 2, the correlation of single ratings mapped.
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
    values -= values.mean() if len(values) else 0.0  # so that sums of squares are not lost in those of large numbers
    places = np.repeat(np.arange(len(rows)), each.astype(np.int64))
    sums, squares = (sum_by_place(places, one, len(rows)) for one in (values, values**2))
    names = sorted({name for row in rows if len(row) >= TWO for name in row})
    if len(rows) > MOST_STATES and any(TWO <= count < len(names) for count in each.tolist()):
        return NumericRatings(each, sums, squares)
    table = np.array([[row.get(name, nan) for name in names] for row in rows], dtype=np.float64)
    return NumericRatings(each, sums, squares, table.reshape(len(rows), -1))
