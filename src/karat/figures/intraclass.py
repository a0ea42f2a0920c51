"""Metrics of numbers that several annotators give the same items: intraclass correlations."""

import json
from dataclasses import dataclass, field, replace
from math import nan

import numpy as np
import polars as pl

from karat.errors import DataError
from karat.estimate import Estimate, Note
from karat.figures.cells import FEW, Cells, Floats, Integers, Mask
from karat.figures.figure import Figure, Limits, Linearised, within
from karat.figures.raters import kept_last
from karat.figures.ratios import drawn
from karat.statistics.intraclass import TWO, Form, Ratings, intraclass, intraclass_limits, of_mean, squares_of
from karat.statistics.joint import summed
from karat.statistics.proportions import MANY_ITEMS, estimate_of, linearised_proportion, mapped

GIVEN = "given"
"""The column of states that holds an item's numbers as JSON: a list of annotator and number."""


@dataclass(frozen=True, eq=False)
class Intraclass(Figure):
    """An intraclass correlation. mean: of the mean of an item's ratings, not of single ones."""

    form: Form
    mean: bool = False
    between: Limits | None = field(default=(-1.0, 1.0), kw_only=True)

    def counted(self, states: pl.DataFrame) -> Mask:
        """Items with two ratings."""
        counted: Mask = _ratings(states).each >= TWO
        return counted

    def linearise(self, states: pl.DataFrame, counts: Integers) -> Linearised:
        """By the analysis of variance."""
        try:
            squares = squares_of(_ratings(states), counts.astype(np.float64), one_way=self.form == "one-way")
            value, influence = intraclass(squares, self.form, mean=self.mean)
        except DataError as error:
            return self.undefined(states, str(error))
        return Linearised(value, influence)

    def interval(self, cells: Cells, value: float, influence: Floats, confidence: float) -> Estimate:
        """By the F distribution; of items in clusters, and of designs that are not complete, by linearisation.

        Then it is Wilson's with an effective n of (1 + r) / 2, the correlation of single ratings mapped.
        """
        counted = self.counted(cells.states)
        n, times = int(cells.totals @ counted), cells.totals.astype(np.float64)
        squares = squares_of(_ratings(cells.states), times, one_way=self.form == "one-way")
        if cells.units is None and squares.complete and squares.within > 0:
            limits = intraclass_limits(squares, self.form, confidence)
            if self.mean:
                limits = type(limits)(*(np.asarray(of_mean(float(one), squares.raters)) for one in limits))
            note = Note.APPROXIMATE if n < MANY_ITEMS else None
            return within(estimate_of(value, limits, n=n, method="f", confidence=confidence, note=note), self.between)
        moved, sizes, units = drawn(cells, influence, counted.astype(np.float64))
        half = max((1 + value) / 2, 0.0)
        result = linearised_proportion(
            half,
            moved[sizes > 0] / 2,
            n=n,
            sizes=sizes[sizes > 0],
            multiplicity=units[sizes > 0],
            scores=True,
            confidence=confidence,
        )
        return within(replace(mapped(result, lambda share: 2 * share - 1), value=value), self.between)


def _ratings(states: pl.DataFrame) -> Ratings:
    """The numbers of each state."""
    return kept_last(states, GIVEN, lambda: _parse(states[GIVEN].to_list()))


def _parse(given: list[str | None]) -> Ratings:
    rows: list[dict[str, float]] = [dict(json.loads(one)) if one else {} for one in given]
    each = np.array([len(row) for row in rows], dtype=np.float64)
    values = np.array([value for row in rows for value in row.values()], dtype=np.float64)
    values -= values.mean() if len(values) else 0.0  # so that sums of squares are not lost in those of large numbers
    places = np.repeat(np.arange(len(rows)), each.astype(np.int64))
    sums, squares = (summed(places, one, len(rows)) for one in (values, values**2))
    names = sorted({name for row in rows if len(row) >= TWO for name in row})
    if len(rows) > FEW and any(TWO <= count < len(names) for count in each.tolist()):
        return Ratings(each, sums, squares)
    table = np.array([[row.get(name, nan) for name in names] for row in rows], dtype=np.float64)
    return Ratings(each, sums, squares, table.reshape(len(rows), -1))
