"""Two runs of an evaluation on the same items: what each evaluation says of its outcomes, and what is made of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import polars as pl

from karat.errors import DataError
from karat.evaluations import NAMES
from karat.evaluations.comparing.figures import Figure

KIND = "__kind__"
"""Names the column that tells apart rows of different figures: a flag and a choice, a label and a score."""

Rows = Callable[[pl.LazyFrame, Sequence[str]], pl.LazyFrame]
"""From outcomes, and the key columns to keep, to rows of which two runs have one each for the same."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """How two runs of an evaluation are paired, and what of them can be compared.

    rows: item, cluster, judge, KIND, the keys, and the columns of `states`; unique by item, judge, KIND and keys.
    states: columns that say all that a row adds to figures. figures: what can be compared, by a run's options.
    worth: how good a row is, null where it cannot be said. outcome: what became of it, in one word. label: what the
    judge said, for people.
    keys: key columns of the rows that outcomes have under another name, or not at all. names: keys that name the data;
    where each run holds one of them they need not be the same. unkept: key columns that rows are no longer told apart
    by. within: columns that tell apart rows of an item that the same figures rest on.
    mean_over: a key whose values are averaged in a row of its own, and what that row calls itself.
    pooled: whether figures of all judges together are compared too.
    most: a key column of which only so many values are told apart, the most frequent ones; others are left out.
    needed: a count of the states without which a run need not hold a row: where it lacks one whose count is 0 in the
    other, all of its counts are 0.
    judge_options: options that say whom a run judges. trusted: how many of the first inputs hold the truth.
    further: figures of the same items that rest on other rows; of them nothing is said but how far they differ, and
    where a run has no such rows, there are none.
    """

    rows: Rows
    states: tuple[str, ...]
    figures: Callable[[Mapping[str, Any]], Sequence[Figure]]
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
    most: tuple[str, int] | None = None
    judge_options: tuple[str, ...] = ()
    trusted: int = 0
    further: "tuple[Pairing, ...]" = ()


def pairing(evaluation: str) -> Pairing:
    """How runs of an evaluation are paired. Raises DataError where there is none of that name; it comes from a file."""
    if evaluation not in NAMES:
        raise DataError(f"expected runs of one of {', '.join(NAMES)}; got {evaluation!r:.60}")
    found: Pairing = import_module(f"karat.evaluations.{evaluation}.paired").PAIRING
    return found
