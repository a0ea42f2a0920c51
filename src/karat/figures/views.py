"""Views of outcomes: the rows that figures rest on, and how two runs are compared on them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from karat.figures.figure import Figure

KIND = "__kind__"
"""Name of the column that separates rows of different figures: a flag and a choice, a label and a score."""

Options = Mapping[str, Any]

Rows = Callable[[pl.LazyFrame, Sequence[str], Options], pl.LazyFrame]
"""From outcomes, the key columns to keep and a run's options to rows that can be matched one to one between runs."""


@dataclass(frozen=True, slots=True)
class View:
    """Rows made of outcomes, and the figures that rest on them.

    rows: item, cluster, judge, KIND, the keys, and the columns of `states`; unique by item, judge, KIND, keys and
    `within`. states: columns that hold all that a row adds to figures. figures: in the order of the tables.
    worth: how good a row is, null where that is undefined. outcome: the row's outcome, in one word. label: the judge's
    verdict, for people.
    keys: key columns of the rows that outcomes have under another name, or not at all. names: keys that name the data;
    if each run holds a single value, the two need not be the same. unkept: columns of outcomes that do not distinguish
    rows. within: columns that distinguish rows of an item on which the same figures rest.
    mean_over: a key over whose values figures are averaged, and the name of that average. An item has one row with each
    value at most.
    pooled: whether figures of all judges together are compared too.
    most: a key column and the number of its values that are kept, the most frequent ones; others are left out.
    needed: a count of the states without which a run need not hold a row: where it lacks one whose count is 0 in the
    other, all of its counts are 0.
    only_if: what must hold for some row, of either run, for the view to apply.
    judge_options: options that say who is judged. trusted: how many of the first inputs hold the truth.
    further: views of the same items, of which only differences of figures are reported; where a run has no such rows,
    there are none.
    """

    rows: Rows
    states: tuple[str, ...]
    figures: tuple[Figure, ...]
    worth: pl.Expr = field(default_factory=lambda: pl.lit(0.0))
    outcome: pl.Expr = field(default_factory=lambda: pl.col("outcome"))
    label: pl.Expr = field(default_factory=lambda: pl.col("label"))
    keys: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    unkept: tuple[str, ...] = ()
    within: tuple[str, ...] = ()
    mean_over: tuple[str, str] | None = None
    pooled: bool = False
    needed: str = ""
    only_if: pl.Expr | None = None
    most: tuple[str, int] | None = None
    judge_options: tuple[str, ...] = ()
    trusted: int = 0
    further: "tuple[View, ...]" = ()

    def says(self, *sides: pl.DataFrame) -> bool:
        """Whether the view applies: there are rows, and `only_if` holds for one of them."""
        if all(rows.is_empty() for rows in sides):
            return False
        return self.only_if is None or any(rows.select(self.only_if.any()).item() for rows in sides)


def applying(figures: Iterable[Figure], keys: Mapping[str, Any]) -> list[Figure]:
    """The figures that apply to rows with these keys."""
    return [one for one in figures if one.kind in ("", keys.get(KIND)) and one.where(keys)]
