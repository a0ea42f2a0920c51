"""Cells: the number of rows in each state. They can be split over files and merged; metrics read nothing else.

A row's state is all that it contributes to a metric, such as its outcome with both labels; real scores have as many
states as values. Rows that are sampled together (a cluster, an item with several rows) form a sampling unit.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from adjudge.schemas.columns import cluster_name

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Mask = NDArray[np.bool_]

UNIT, COUNT = "__unit__", "__count__"
"""Columns of counted frames: the sampling unit, and the number of rows."""
STATE = "__state__"
MOST_STATES = 1000
"""The most states that all groups of rows share, so that expressions over them are evaluated once for all groups."""


@dataclass(frozen=True, eq=False)
class StateCells:
    """The number of rows of one judge (and group) in each state.

    states: the distinct states, one row each. place: each cell's row in `states`. counts: rows in each cell.
    units: the number of each cell's unit, from 0; None if every row is its own unit. A number without cells
    is a unit without rows, whose sums are 0 and do not count. by_item: whether units are items, so that those with
    one row each are independent.
    """

    states: pl.DataFrame
    place: Integers
    counts: Integers
    units: Integers | None = None
    by_item: bool = False

    @cached_property
    def totals(self) -> Integers:
        """The number of rows in each state, over all units."""
        return np.bincount(self.place, self.counts, self.states.height).astype(np.int64)

    def per_unit(self, values: Floats) -> Floats:
        """A number per state, summed over the rows of each unit."""
        return sums_by_unit(self.units, values[self.place], self.counts)

    def filter(self, kept: Mask) -> Self:
        """The cells whose state passes the mask; empty units are dropped, and the others renumbered."""
        mask = kept[self.place]
        units = None if self.units is None else np.unique(self.units[mask], return_inverse=True)[1]
        return replace(self, place=self.place[mask], counts=self.counts[mask], units=units)


@dataclass(frozen=True, eq=False)
class PairedCells:
    """The number of rows in each pair of states: of a first run (or judge) and a second.

    states: those of both. first, second: the rows of each pair's states. counts, units: as in StateCells.
    """

    states: pl.DataFrame
    first: Integers
    second: Integers
    counts: Integers
    units: Integers | None = None

    @cached_property
    def totals(self) -> tuple[Integers, Integers]:
        """The number of rows in each state, in the first run and in the second."""
        sides, size = (self.first, self.second), self.states.height
        first, second = (np.bincount(places, self.counts, size).astype(np.int64) for places in sides)
        return first, second

    def per_unit(self, values: Floats) -> Floats:
        """A number per pair, summed over the rows of each unit."""
        return sums_by_unit(self.units, values, self.counts)

    def filter(self, kept: Mask) -> Self:
        """Some of the pairs; empty units are dropped, and the others renumbered."""
        first, second, counts = self.first[kept], self.second[kept], self.counts[kept]
        units = None if self.units is None else np.unique(self.units[kept], return_inverse=True)[1]
        return replace(self, first=first, second=second, counts=counts, units=units)


AnyCells = StateCells | PairedCells


def unit_sums(cells: AnyCells, *values: Floats) -> tuple[Floats, ...]:
    """Numbers per entry, summed over the rows of each unit: the distinct sums in order, and their counts.

    Without units each row is one.
    """
    if cells.units is None:
        return histogram(*values, counts=cells.counts)
    return histogram(*(sums_by_unit(cells.units, column, cells.counts) for column in values))


def sums_by_unit(units: Integers | None, values: Floats, counts: Integers) -> Floats:
    """The sum of values times counts in each unit, the same to the last bit for any order of the rows.

    Whole numbers are summed exactly. Other values are grouped by unit and value, and added in the order of the values.
    Raises ValueError without units.
    """
    if units is None:
        raise ValueError("these rows are drawn one by one")
    size = int(units.max(initial=-1)) + 1
    if (values == np.floor(values)).all():
        return np.bincount(units, values * counts, size).astype(np.float64)
    unit, distinct, times = histogram(units.astype(np.float64), values, counts=counts)
    return np.bincount(unit.astype(np.int64), distinct * times, size).astype(np.float64)


def histogram(*columns: Floats, counts: Integers | None = None) -> tuple[Floats, ...]:
    """The distinct rows of some columns in order, and their counts, so that sums over rows have one order."""
    times = np.ones(len(columns[0])) if counts is None else counts.astype(np.float64)
    order = np.lexsort(columns[::-1])
    ordered = [column[order] for column in columns]
    new = np.ones(len(order), dtype=bool)
    new[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in ordered])
    first = np.flatnonzero(new)
    return (*(column[first] for column in ordered), np.add.reduceat(times[order], first) if len(first) else times)


# --- made from frames ---


def count_states(rows: pl.LazyFrame, keys: Sequence[str], states: Sequence[str], unit: str | None) -> pl.DataFrame:
    """Count rows by keys, states and unit: keys, states, UNIT if requested, COUNT.

    rows: item, cluster, the keys and the states. unit: "cluster" (an item without one is a cluster of its own) or
    "item"; None if every row is its own unit.
    """
    groups = [pl.col(name) for name in (*keys, *states)] + ([] if unit is None else [unit_name(unit)])
    return rows.group_by(groups).agg(pl.len().cast(pl.Int64).alias(COUNT)).collect(engine="streaming")


def unit_name(unit: str) -> pl.Expr:
    """The name of a row's sampling unit; an item without a cluster is a cluster of its own."""
    item = pl.col("item")
    return (item if unit == "item" else cluster_name(pl.col("cluster"), item)).alias(UNIT)


def number_states(
    frame: pl.DataFrame, states: Sequence[str], ends: Sequence[str] = ("",)
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """A counted frame with numbers for each row's state (STATE) and unit, and the states, which all groups share.

    ends: suffixes of the columns that hold states, of one run or of two; STATE has the same.
    """
    sides = [frame.select(pl.col(name + end).alias(name) for name in states) for end in ends]
    unique = pl.concat(sides).unique()
    texts = [pl.col(name).cast(pl.String) if unique.schema[name] == pl.Categorical else name for name in unique.columns]
    union = unique.sort(texts).with_row_index(STATE)  # one order for any order of the data
    coded = (side.join(union, on=side.columns, how="left", nulls_equal=True, maintain_order="left") for side in sides)
    places = (side[STATE].cast(pl.Int64).alias(STATE + end) for side, end in zip(coded, ends, strict=True))
    units = [_number_units(frame[UNIT])] if UNIT in frame.columns else []
    return frame.with_columns(*places, *units), union.drop(STATE).with_columns(pl.col(pl.Categorical).cast(pl.String))


def cells_of_counts(frame: pl.DataFrame, states: pl.DataFrame) -> StateCells:
    """Cells of numbered rows, sorted by units and states, so that sums have one order."""
    states, places = occurring_states(states, frame[STATE].to_numpy())
    return StateCells(states, *count_combinations(places, _unit_numbers(frame), frame[COUNT].to_numpy()))


def pairs_from_counts(frame: pl.DataFrame, states: pl.DataFrame, end: str) -> PairedCells:
    """Pairs of numbered rows. end: suffix of the columns that hold the second run's states."""
    states, places = occurring_states(states, frame[STATE].to_numpy(), frame[STATE + end].to_numpy())
    return PairedCells(states, *count_combinations(places, _unit_numbers(frame), frame[COUNT].to_numpy()))


def occurring_states(states: pl.DataFrame, *places: Integers) -> tuple[pl.DataFrame, list[Integers]]:
    """States, and each place's row in them: all states if they are few, else those that occur."""
    if states.height <= MOST_STATES:
        return states, list(places)
    occurring, rows = np.unique(np.concatenate(places), return_inverse=True)
    return states[occurring], np.split(rows, len(places))


def _unit_numbers(frame: pl.DataFrame) -> Integers | None:
    """The units of some rows by number, in the same order; None if every row is its own unit."""
    return np.unique(frame[UNIT].to_numpy(), return_inverse=True)[1] if UNIT in frame.columns else None


def _number_units(units: pl.Series) -> pl.Series:
    """The number of each unit in the order of their names; numbers stay as they are."""
    if units.dtype.is_integer():
        return units
    names = units.cast(pl.Categorical())
    codes: NDArray[np.uint32] = names.to_physical().to_numpy()
    distinct = names.unique()
    numbers = np.empty(codes.max(initial=0) + 1, dtype=np.int64)  # by code
    numbers[distinct.to_physical()[distinct.cast(pl.String).arg_sort()]] = np.arange(len(distinct))
    return pl.Series(UNIT, numbers[codes])


# --- made from codes ---


def count_combinations(
    places: Sequence[NDArray[np.integer]], units: Integers | None, counts: Integers | None = None
) -> tuple[Any, ...]:
    """The distinct combinations of places and units in order, as in StateCells and PairedCells: places, counts, units.

    places: the number of each row's state, or of both its states; -1 excludes a row. units: of each
    row, or None if each is its own unit. counts: how often each row occurs; by default once.
    """
    columns = [*places] if units is None else [units, *places]
    if places[0].min(initial=0) < 0:
        columns = [column[places[0] >= 0] for column in columns]
    rows, times = distinct_rows(columns, counts)
    return *rows[-len(places) :], times, None if units is None else rows[0]


def distinct_rows(columns: Sequence[NDArray[np.integer]], counts: Integers | None = None) -> tuple[Integers, Integers]:
    """The distinct rows of columns of numbers from 0, in order, as columns x rows; and their counts.

    counts: how often each row occurs, as in merged counts of split data; by default once.
    """
    code: NDArray[np.integer] = np.zeros(len(columns[0]), dtype=np.uint8)
    size = 1
    for column in columns:
        most = int(column.max(initial=0)) + 1
        if size * most > _LARGEST:
            code, size = _renumber(code)
        size *= most
        narrow = np.min_scalar_type(size) if size < _WIDE else np.dtype(np.int64)
        code = code.astype(narrow) * narrow.type(most) + column.astype(narrow)
    if size > _DENSE * (1 + len(code)):
        code, size = _renumber(code)
    times = np.bincount(code, counts, size).astype(np.int64)
    occurring, some = np.flatnonzero(times), np.zeros(size, dtype=np.int64)
    some[code] = np.arange(len(code))
    places = some[occurring]
    return np.stack([column[places].astype(np.int64) for column in columns]), times[occurring]


def _renumber(code: NDArray[np.integer]) -> tuple[Integers, int]:
    distinct, renumbered = np.unique(code, return_inverse=True)
    return renumbered, len(distinct)


_DENSE = 4
"""Possible numbers per row up to which rows are counted in place, without sorting."""
_WIDE = 2**32
"""Numbers below it use as few bytes as they need."""
_LARGEST = 2**62
"""Numbers above it might overflow."""


def cells_from_states(rows: pl.DataFrame, units: Integers | None = None) -> StateCells:
    """Cells of rows that are states, most of them different; equal states appear once for each unit of `units`."""
    counts = _count_per_unit(rows, units)
    of_units = None if units is None else counts[UNIT].to_numpy()
    return StateCells(counts.select(rows.columns), np.arange(counts.height), counts[COUNT].to_numpy(), of_units)


def pairs_from_states(first: pl.DataFrame, second: pl.DataFrame, units: Integers | None = None) -> PairedCells:
    """Pairs of rows that are states in both runs."""
    both = first.hstack(second.rename(lambda name: name + _END))
    return pairs_from_counts(*number_states(_count_per_unit(both, units), first.columns, ("", _END)), _END)


def _count_per_unit(rows: pl.DataFrame, units: Integers | None) -> pl.DataFrame:
    frame = rows if units is None else rows.with_columns(pl.Series(UNIT, units))
    return frame.group_by(pl.all(), maintain_order=True).agg(pl.len().cast(pl.Int64).alias(COUNT))


_END = "__second"
