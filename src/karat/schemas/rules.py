"""What the cells of a table must be, as data."""

from collections.abc import Collection
from dataclasses import dataclass
from math import inf

import polars as pl


@dataclass(frozen=True, slots=True)
class Rule:
    """What every row must keep.

    column: whose cell is at fault. broken: true for a row that breaks the rule. expected: what the cell should hold.
    known: the only values it may hold; the one nearest to what came is suggested.
    """

    column: str
    broken: pl.Expr
    expected: str
    known: Collection[str] = ()


def filled(column: str, expected: str) -> Rule:
    """A cell that must not be empty."""
    return Rule(column, pl.col(column).is_null(), expected)


def one_of(column: str, known: Collection[str], expected: str | None = None) -> Rule:
    """A cell that must hold one of the known values, or nothing."""
    broken = pl.col(column).is_not_null() & ~pl.col(column).is_in(list(known))
    return Rule(column, broken, expected or f"one of {', '.join(known)}", known)


def number(column: str, expected: str, low: pl.Expr | float = -inf, high: float = inf) -> Rule:
    """A cell of text that must hold a finite number of a range, or nothing."""
    value = number_in(column)
    fits = (value.is_finite() & value.is_between(low, high)).fill_null(value=False)
    return Rule(column, pl.col(column).is_not_null() & ~fits, expected)


def number_in(column: str) -> pl.Expr:
    """The numbers that a column of text holds; null where it holds none."""
    return pl.col(column).str.strip_chars().cast(pl.Float64, strict=False)
