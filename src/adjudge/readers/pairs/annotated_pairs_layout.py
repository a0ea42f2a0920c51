"""Comparisons of AnnotatedPairs JSON without their annotations, read fast: nearly all are laid out as the first is.

The first comparison is read strictly. What stands between its values is looked for in all others; where they have it
in the same order, with a text, a whole number, true, false or null between each two, they hold the same names, each
once. No text holds what stands between values, since a backslash stands before each quote in it. Where one comparison
is laid out otherwise, none are read here.
"""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress

import polars as pl

from adjudge.readers.io.json_documents import parse, plain_text
from adjudge.readers.pairs.annotated_pairs import FIXED, NEEDED, SIDES, Place

_DECODER = json.JSONDecoder()
_BORDER = re.compile(r'[ \t\n\r]*,[ \t\n\r]*(\{[ \t\n\r]*"[^"\\]*")')
_TOKEN = re.compile(r'("(?:[^"\\]|\\.)*"[ \t\n\r]*:)|"(?:[^"\\]|\\.)*"|[^\s"{}:,]+')
"""A name with its colon, or a value."""

_TEXT = r'^"(?:[^"\\\x00-\x1f]|\\["\\/bfnrtu])*"$'
_SCALAR = rf"{_TEXT}|^(?:null|true|false|0|-?[1-9][0-9]*)$"
_HOLDERS = frozenset((*SIDES, "metadata"))
_ELSEWHERE = frozenset(("text_a", "text_b", "annotations"))
"""Names that are read only where all is: those of 1.0, and annotations that are not coded."""


def values_of(text: str) -> dict[Place, pl.Series] | None:
    """What comparisons say, a column of text per place; None where they are not all laid out alike, and as usual."""
    with suppress(ValueError, RecursionError):
        _, end = _DECODER.raw_decode(text)
        border = _BORDER.match(text, end)
        if border and text.startswith(border[1]) and text.endswith("}"):
            places, literals = _places(parse(text[:end], "")), _literals(text[len(border[1]) : end - 1])
            rows = pl.Series([text[len(border[1]) : -1]]).str.split(f"}}{border[0]}").explode()
            if _values(rows[:1], places, literals):  # the first says whether it is worth trying
                return _values(rows, places, literals)
    return None


def _places(comparison: object) -> list[Place]:
    """The places of the values of a comparison; none where it holds what is no value, or a name twice."""
    found: list[Place] = []
    for key, value in comparison.items() if type(comparison) is dict else ():
        inner = value if key in _HOLDERS else {key: value}
        if key in _ELSEWHERE or type(inner) is not dict or any(isinstance(one, list | dict) for one in inner.values()):
            return []
        found += [(key if key in _HOLDERS else "", one) for one in inner]
    return found


def _literals(text: str) -> list[str]:
    """What stands before the first value of a text, between two, and behind the last."""
    values = [one for one in _TOKEN.finditer(text) if not one[1]]
    starts, ends = [one.start() for one in values], [one.end() for one in values]
    return [text[end:start] for end, start in zip([0, *ends], [*starts, len(text)], strict=True)]


def _values(rows: pl.Series, places: Sequence[Place], literals: Sequence[str]) -> dict[Place, pl.Series] | None:
    """The values at their places in all rows; None where one is not there, or not as usual."""
    found: dict[Place, pl.Series] = {}
    cells = _cells(rows, *literals) if len(literals) == len(places) + 1 > 1 else []
    for place, cell in zip(places, cells, strict=False):
        column = _column(cell, place)
        if column is None:
            return None
        found[place] = column
    return found if len(found) == len(places) > 0 else None


def _cells(rows: pl.Series, first: str, *literals: str) -> Iterator[pl.Series]:
    """What stands between literals in every row, up to where one is missing in any."""
    *between, last = literals
    if not rows.str.starts_with(first).all():
        return
    rest = rows.str.strip_prefix(first)
    for literal in between:
        cell, rest = rest.str.splitn(literal, 2).struct.unnest()
        if rest.null_count():
            return
        yield cell
    if rest.str.ends_with(last).all():
        yield rest.str.strip_suffix(last)


def _column(cells: pl.Series, place: Place) -> pl.Series | None:
    """Values as text; None where one is no scalar, no text where it has to be one, or missing where it must not be."""
    _, key = place
    must = place in FIXED.values() and key in NEEDED
    if not cells.str.contains(_TEXT if must and key == "text" else _SCALAR).all():
        return None
    if cells.str.contains("\\", literal=True).any():
        plain = map(plain_text, json.loads(f"[{','.join(cells)}]", parse_int=str))
        column = pl.Series(plain, dtype=pl.String)
    else:
        bare = pl.col("").str.strip_prefix('"').str.strip_suffix('"')
        column = cells.alias("").to_frame().select(pl.when(pl.col("") != "null").then(bare)).to_series()
    return None if must and column.null_count() else column
