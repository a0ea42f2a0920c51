"""Dataclasses as JSON says them, and back: what is read is what the fields' types promise."""

import json
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

GREATEST_INTEGER = 2**63 - 1
"""The greatest whole number that a table can hold."""

_WORDS = {str: "a text", int: "a count", float: "a number", bool: "true or false"}


def json_text(document: Any, indent: int | None = 1) -> str:  # noqa: ANN401 - whatever JSON can say
    r"""A document as JSON on lines of its own; characters that would steer a terminal are escaped.

    Raises ValueError for NaN and infinity.

    >>> json_text({"a": "é\x9b"}, indent=None)
    '{"a": "é\\u009b"}\n'
    """
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, indent=indent) + "\n"
    return text.translate(_ESCAPED)


_ESCAPED = {code: f"\\u{code:04x}" for code in range(0x7F, 0xA0)}


_FAULTS = {
    "Expecting value": "a value is missing here",
    "Expecting property name enclosed in double quotes": "a name in double quotes is missing here",
    "Expecting ',' delimiter": "a comma is missing here",
    "Expecting ':' delimiter": "a colon is missing here",
    "Unterminated string starting at": "the text that begins here has no closing quote",
    "Extra data": "more follows here than one value",
    "Invalid control character at": "a text holds a control character here",
    "Illegal trailing comma before end of object": "a comma stands here before the end of an object",
    "Illegal trailing comma before end of array": "a comma stands here before the end of a list",
}
"""What Python's reader of JSON says -> what is wrong."""


def json_fault(error: json.JSONDecodeError) -> str:
    """What is wrong at the place where text is no JSON."""
    return _FAULTS.get(error.msg, "a backslash stands before a character that needs none")


def as_json(value: Any) -> Any:  # noqa: ANN401 - whatever a field may hold
    """A dataclass as an object of the fields that differ from their defaults; tuples as lists; all else as it is.

    One that is a kind of another says which.
    """
    if is_dataclass(value) and not isinstance(value, type):
        kind = {"kind": _kind(type(value))} if type(value).__base__ is not object else {}
        held = ((one, getattr(value, one.name)) for one in fields(value))
        return kind | {one.name: as_json(own) for one, own in held if own != _default(one)}
    if isinstance(value, Mapping):
        return {name: as_json(one) for name, one in value.items()}
    return [as_json(one) for one in value] if isinstance(value, list | tuple) else value


def _kind(kind: type) -> str:
    return kind.__name__.lower()


def _default(field: "Field[Any]") -> Any:  # noqa: ANN401
    return field.default if field.default_factory is MISSING else field.default_factory()


def from_json(kind: Any, value: Any, name: str) -> Any:  # noqa: ANN401 - a type, and what JSON can say
    """What `as_json` wrote of a value of that type. name: what errors call it.

    Types are dataclasses, mappings by name, tuples, literals, texts, counts, numbers, truth values, and each of them or
    None. Raises TypeError for a value of another type, and for an object that lacks a field or has another.

    >>> from_json(tuple[str, ...], ["a", "b"], "warnings")
    ('a', 'b')
    >>> from_json(int, -1, "rows")
    Traceback (most recent call last):
    TypeError: rows: expected a count; got -1
    """
    origin, inner = get_origin(kind), get_args(kind)
    if kind is Any or (value is None and NoneType in inner):
        return value
    if origin in (Union, UnionType):
        kind, value = _pick_type([one for one in inner if one is not NoneType], value, name)
        return from_json(kind, value, name)
    if is_dataclass(kind):
        return _dataclass_from(kind, json_object(value, name), name)
    if origin is Mapping:
        return {key: from_json(inner[1], one, f"{name}, {key}") for key, one in json_object(value, name).items()}
    return _tuple(inner, json_list(value, name), name) if origin is tuple else _scalar(kind, value, name)


def _pick_type(kinds: list[Any], value: Any, name: str) -> tuple[Any, Any]:  # noqa: ANN401
    """The one type that a value can be of; of several dataclasses the one that it names, and what else it says."""
    if len(kinds) == 1:
        return kinds[0], value
    said = json_object(value, name)
    matches = next((kind for kind in kinds if _kind(kind) == said.get("kind")), None)
    if matches is None:
        raise TypeError(f"{name}: expected one of {', '.join(map(_kind, kinds))}; got {said.get('kind')!r:.60}")
    return matches, {key: one for key, one in said.items() if key != "kind"}


def _scalar(kind: Any, value: Any, name: str) -> Any:  # noqa: ANN401
    """A text, a count, a number, a truth value, or one of several texts. Some programs write 1.0 as 1."""
    choices = get_args(kind)
    if kind is float and type(value) is int and abs(value) <= GREATEST_INTEGER:
        return float(value)
    fits = isinstance(value, str) and value in choices if choices else type(value) is kind
    if not fits or (kind is int and not 0 <= value <= GREATEST_INTEGER):
        raise TypeError(f"{name}: expected {_WORDS.get(kind, f'one of {choices}')}; got {value!r:.60}")
    return value


def _dataclass_from(kind: Any, said: Mapping[str, Any], name: str) -> Any:  # noqa: ANN401
    hints = _hints(kind)
    needed = {one.name for one in fields(kind) if one.default is MISSING and one.default_factory is MISSING}
    if odd := sorted((needed - set(said)) | (set(said) - set(hints))):
        raise TypeError(f"{name}: expected the fields {', '.join(hints)}; missing or unknown: {odd[0]:.60}")
    return kind(**{field: from_json(hints[field], value, field) for field, value in said.items()})


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _tuple(kinds: tuple[Any, ...], values: list[Any], name: str) -> tuple[Any, ...]:
    if kinds[-1] is ...:
        kinds = kinds[:1] * len(values)
    if len(kinds) != len(values):
        raise TypeError(f"{name}: expected {len(kinds)} values; got {len(values)}")
    return tuple(from_json(kind, one, name) for kind, one in zip(kinds, values, strict=True))


def json_object(value: Any, name: str) -> dict[str, Any]:  # noqa: ANN401
    """The value where it is an object; else raises TypeError."""
    if not isinstance(value, dict):
        raise TypeError(f"{name}: expected an object; got {value!r:.60}")
    return value


def json_list(value: Any, name: str) -> list[Any]:  # noqa: ANN401
    """The value where it is a list; else raises TypeError."""
    if not isinstance(value, list):
        raise TypeError(f"{name}: expected a list; got {value!r:.60}")
    return value
