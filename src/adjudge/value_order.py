"""Values along an axis: their type (numbers, moments or names) and order."""

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from math import isfinite
from typing import Literal

AxisKind = Literal["number", "moment", "name"]
AxisValue = str | float | None
"""A value of a key column."""

SortKey = tuple[bool, float, tuple[tuple[str, int, str], ...], str]

_YEARS = range(1900, 2100)
_DIGITS = re.compile(r"(\d+)")


def axis_kind(values: Iterable[AxisValue]) -> AxisKind:
    """Moments if all values are dates in ISO form, numbers if all are numbers, else names.

    Dates may lack their dashes: 20261120 is a day if all values can be days. Every value counts.

    >>> axis_kind(["2026-11-20", "2026-11-27T10:30"]), axis_kind(["20", "3.5", None]), axis_kind(["v2", "3"])
    ('moment', 'number', 'name')
    """
    present = [value for value in values if value is not None]
    if present and all(parse_moment(value) for value in present):
        return "moment"
    return "number" if present and all(parse_number(value) is not None for value in present) else "name"


def parse_number(value: AxisValue) -> float | None:
    """The value as a number; None for any other text."""
    try:
        number = float(value) if value is not None and "_" not in str(value) else None
    except ValueError:
        return None
    return number if number is not None and isfinite(number) else None


def parse_moment(value: AxisValue) -> datetime | None:
    """The moment in UTC of a text in ISO form, of the years 1900 to 2099; None for any other."""
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    if moment is None or moment.year not in _YEARS:
        return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def sort_key(value: AxisValue, kind: AxisKind) -> SortKey:
    """The sort key of a value: numbers and moments by size, names in natural order (week 2 before week 10).

    Missing values come last.

    >>> sorted(["week 10", "week 2", None, "first"], key=lambda value: sort_key(value, "name"))
    ['first', 'week 2', 'week 10', None]
    """
    if value is None:
        return True, 0.0, (), ""
    moment = parse_moment(value) if kind == "moment" else None
    size = moment.timestamp() if moment else parse_number(value) if kind == "number" else None
    return False, size or 0.0, _name_pieces(str(value)), str(value)


def _name_pieces(name: str) -> tuple[tuple[str, int, str], ...]:
    """A name in alternating text and digits, to compare digits by value."""
    sizes = [piece.lstrip("0") for piece in _DIGITS.split(name)]
    return tuple(("", len(one), one) if place % 2 else (one, 0, "") for place, one in enumerate(sizes))
