"""Contingency tables of two judges' labels in long form: a row for each cell with items, however many labels."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from adjudge.statistics._checks import Floats, Integers

Influence = Callable[[Integers, Integers], Floats]
"""How far one more item in a cell moves a metric; a cell is a row number and a column number."""


class ContingencyTable(NamedTuple):
    """The cells of a table that have items, each once.

    rows, columns: the labels of the first and the second judge, by number from 0. counts: items. size: the number of
    labels.
    """

    rows: Integers
    columns: Integers
    counts: Floats
    size: int

    @property
    def total(self) -> float:
        """How many items there are."""
        return float(self.counts.sum())

    @property
    def of_rows(self) -> Floats:
        """The items of each label of the first judge."""
        return sum_by_place(self.rows, self.counts, self.size)

    @property
    def of_columns(self) -> Floats:
        """The items of each label of the second judge."""
        return sum_by_place(self.columns, self.counts, self.size)

    @property
    def equal(self) -> Floats:
        """The items of each label that both judges gave it."""
        alike = self.rows == self.columns
        return sum_by_place(self.rows[alike], self.counts[alike], self.size)


def contingency_table(rows: ArrayLike, columns: ArrayLike, counts: ArrayLike, size: int) -> ContingencyTable:
    """The table of entries, several of which may be the same cell; cells without items are excluded."""
    first, second, items = np.asarray(rows, np.int64), np.asarray(columns, np.int64), np.asarray(counts, np.float64)
    counted = items > 0
    cells, place = np.unique(first[counted] * size + second[counted], return_inverse=True)
    counts_of_cells = sum_by_place(place, items[counted], len(cells))
    return ContingencyTable(*np.divmod(cells, max(size, 1)), counts_of_cells, size)


def contingency_of_table(table: ArrayLike) -> ContingencyTable:
    """The table from cells in rows and columns, as many of one as of the other."""
    counts = np.asarray(table, dtype=np.float64)
    rows, columns = np.indices(counts.shape)
    return contingency_table(rows.ravel(), columns.ravel(), counts.ravel(), len(counts))


def sum_by_place(places: Integers, values: Floats, size: int) -> Floats:
    """The sum of the values at each place."""
    sums: Floats = np.bincount(places, weights=values, minlength=size).astype(np.float64)
    return sums
