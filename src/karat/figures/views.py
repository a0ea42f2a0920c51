"""Views of outcomes: rows that figures rest on, and what a comparison of two runs says of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from karat.figures.figure import Figure

KIND = "__kind__"
"""Names the column that tells apart rows of different figures: a flag and a choice, a label and a score."""

Options = Mapping[str, Any]

Rows = Callable[[pl.LazyFrame, Sequence[str], Options], pl.LazyFrame]
"""From outcomes, the key columns to keep and a run's options to rows of which two runs have one each for the same."""


@dataclass(frozen=True, slots=True)
class View:
    """Rows made of outcomes, and the figures that rest on them.

    rows: item, cluster, judge, KIND, the keys, and the columns of `states`; unique by item, judge, KIND, keys and
    `within`. states: columns that say all that a row adds to figures. figures: in the order in which tables have them.
    worth: how good a row is, null where it cannot be said. outcome: what became of it, in one word. label: what the
    judge said, for people.
    keys: key columns of the rows that outcomes have under another name, or not at all. names: keys that name the data;
    where each run holds one of them they need not be the same. unkept: columns of outcomes that tell no rows apart.
    within: columns that tell apart rows of an item that the same figures rest on.
    mean_over: a key whose values are averaged in a row of its own, and what that row calls itself.
    pooled: whether figures of all judges together are compared too.
    most: a key column of which only so many values are told apart, the most frequent ones; others are left out.
    needed: a count of the states without which a run need not hold a row: where it lacks one whose count is 0 in the
    other, all of its counts are 0.
    only_if: what must hold of some row, of either run, for the view to say anything.
    judge_options: options that say whom a run judges. trusted: how many of the first inputs hold the truth.
    further: views of the same items; of them nothing is said but how far their figures differ, and where a run has no
    such rows, there are none.
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
        """Whether it says anything of rows: there are some, and what must hold of one of them does."""
        if all(rows.is_empty() for rows in sides):
            return False
        return self.only_if is None or any(rows.select(self.only_if.any()).item() for rows in sides)

    def of(self, keys: Mapping[str, Any]) -> list[Figure]:
        """The figures that speak of rows with these keys."""
        return [one for one in self.figures if one.kind in ("", keys.get(KIND)) and one.where(keys)]
