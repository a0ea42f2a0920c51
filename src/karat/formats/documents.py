"""JSON documents, read strictly: what JSON cannot say is an error, and so is what it says twice."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any

import polars as pl

from karat.errors import DataError
from karat.formats.findings import said_twice

_WHOLE = 1e15
_COMMA = re.compile(r"[ \t\n\r]*,[ \t\n\r]*")


class Repeated(dict[str, Any]):
    """A JSON object in which a name stands more than once. repeated: those names."""

    repeated: tuple[str, ...] = ()


class Number(str):
    """A JSON number as its text, so that no id is rounded; 1.50 reads as 1.5, and 1.0 or 1e0 as 1."""

    __slots__ = ()


def decode(data: bytes, name: str, first_line: int = 1) -> str:
    """Bytes as UTF-8 text, without the byte-order mark. Raises DataError that names the first wrong byte."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + first_line
        raise DataError(
            f"{name}, line {line}: expected UTF-8 text; got the byte 0x{data[error.start]:02X}. "
            "Save the file as UTF-8 (it may be Latin-1, or not text at all)"
        ) from None


def parse(text: str, name: str, first_line: int = 1) -> Any:  # noqa: ANN401 - JSON holds anything
    """JSON text as Python values: numbers as `Number`, an object that names a key twice as `Repeated`.

    first_line: where in the file the text begins. Raises DataError, with line and column, for anything that is not
    JSON, and for NaN and Infinity, which are not JSON.
    """
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        end = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated")
        hint = ". The text ends too early: the file may be cut off" if end else ""
        raise (CutOff if end else DataError)(
            f"{name}, line {error.lineno + first_line - 1}, column {error.colno}: expected JSON; {error.msg}{hint}"
        ) from None
    except RecursionError:
        raise DataError(f"{name}, line {first_line}: expected JSON; it is nested too deeply to be data") from None
    except ValueError as error:
        raise DataError(f"{name}: expected JSON; got {error}, which JSON does not have. Use null") from None


def elements(text: str) -> Iterator[Any]:
    """The elements of a list that begins in front of the text, up to where it ends or is no JSON."""
    end: int | None = 0
    with suppress(ValueError, RecursionError):
        while end is not None:
            value, after = _DECODER.raw_decode(text, end)
            yield value
            comma = _COMMA.match(text, after)
            end = comma and comma.end()


class CutOff(DataError):  # noqa: N818 - what the text is
    """JSON that ends too early."""


def _no_constant(name: str) -> None:
    raise ValueError(name)


def _shortest(decimal: str) -> Number:
    value = float(decimal)
    return Number(int(value) if value.is_integer() and abs(value) < _WHOLE else repr(value))


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    names = [name for name, _ in pairs]
    repeated = Repeated(found)
    repeated.repeated = tuple(name for name in found if names.count(name) > 1)
    return repeated


_remembered = lru_cache(1 << 14)
"""Numbers of a file are few and stand often; objects that Python's collector need not visit are fast to keep."""

_DECODER = json.JSONDecoder(
    object_pairs_hook=_object,
    parse_int=_remembered(Number),
    parse_float=_remembered(_shortest),
    parse_constant=_no_constant,
)


def not_plain(value: object) -> str | None:
    """What is wrong with a value that should be a JSON object, in words for a message; None for an object."""
    if type(value) is dict:
        return None
    return said_twice(value.repeated) if isinstance(value, Repeated) else f"expected an object; got {kind(value)}"


def plain_text(value: object) -> str | None:
    """A JSON scalar as text, as a table would hold it; None for null, lists and objects."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else None


def text_frame(columns: Mapping[str, Sequence[str | None]], name: str) -> pl.DataFrame:
    """Columns of text as a table. Raises DataError where text holds half a character (a lone surrogate)."""
    try:
        return pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))
    except UnicodeEncodeError as error:
        half = f"\\u{ord(error.object[error.start]):04x}"
        raise DataError(f"{name}: expected characters; got {half}, one half of a surrogate pair") from None


def kind(value: object) -> str:
    """What a JSON value is, in words for a message."""
    if isinstance(value, list):
        return "a list" if value else "an empty list"
    if isinstance(value, dict):
        return "an object" if value else "an empty object"
    if isinstance(value, bool):
        return str(value).lower()
    return "null" if value is None else f'"{value!s:.60}"'
