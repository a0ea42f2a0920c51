"""What the cells of a table must be, as data."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from math import inf

import polars as pl

_DECIMAL_COMMA = r"^([+-]?\d+),(\d{1,2}|\d{4,})$|^([+-]?0),(\d{3})$"


@dataclass(frozen=True, slots=True)
class CellRule:
    """What every row must keep.

    column: whose cell is at fault. broken: true for a row that breaks the rule. expected: what the cell should hold.
    known: the only values it may hold; the one nearest to what came is suggested.
    """

    column: str
    broken: pl.Expr
    expected: str
    known: Collection[str] = ()


def require_value(column: str, expected: str) -> CellRule:
    """A cell that must not be empty."""
    return CellRule(column, pl.col(column).is_null(), expected)


def require_one_of(column: str, values: Collection[str], expected: str | None = None) -> CellRule:
    """A cell that must hold one of the known values, or nothing."""
    broken = pl.col(column).is_not_null() & ~pl.col(column).is_in(list(values))
    return CellRule(column, broken, expected or f"one of {', '.join(values)}", values)


def require_number(column: str, expected: str, low: pl.Expr | float = -inf, high: float = inf) -> CellRule:
    """A cell of text that must hold a finite number of a range, or nothing."""
    value = parse_numbers(column)
    fits = (value.is_finite() & value.is_between(low, high)).fill_null(value=False)
    return CellRule(column, pl.col(column).is_not_null() & ~fits, expected)


def with_decimal_point(text: str) -> str:
    """The text of a number with a decimal point, where it has a comma that can be nothing else; see `parse_numbers`.

    >>> with_decimal_point("0,85"), with_decimal_point("1,500"), with_decimal_point("0.5")
    ('0.85', '1,500', '0.5')
    """
    return re.sub(_DECIMAL_COMMA, r"\1\3.\2\4", text)


def parse_numbers(column: str) -> pl.Expr:
    """The numbers that a column of text holds; null where it holds none.

    A comma is a decimal one (0,85) where it cannot stand between thousands: 1,500 is no number, since it may be either.
    """
    text = pl.col(column).str.strip_chars()
    return text.str.replace(_DECIMAL_COMMA, "${1}${3}.${2}${4}").cast(pl.Float64, strict=False)
