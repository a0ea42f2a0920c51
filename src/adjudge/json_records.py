"""Dataclasses to JSON."""

import json
import re
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any

GREATEST_INTEGER = 2**63 - 1
"""The greatest whole number that a table can hold."""


def json_text(document: Any, indent: int | None = 1) -> str:  # noqa: ANN401 - whatever JSON can say
    r"""A document as JSON on lines of its own; control characters for terminals are escaped.

    Raises ValueError for NaN and infinity.

    >>> json_text({"a": "é\x9b"}, indent=None)
    '{"a": "é\\u009b"}\n'
    """
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, indent=indent) + "\n"
    return re.sub("[\x7f-\x9f]", lambda control: f"\\u{ord(control[0]):04x}", text)


def as_json(value: Any) -> Any:  # noqa: ANN401 - whatever a field may hold
    """A dataclass as an object of the fields that differ from their defaults; tuples as lists; all else unchanged.

    Subclasses record their class.
    """
    if is_dataclass(value) and not isinstance(value, type):
        kind = {"kind": type(value).__name__.lower()} if type(value).__base__ is not object else {}
        held = ((one, getattr(value, one.name)) for one in fields(value))
        return kind | {one.name: as_json(own) for one, own in held if own != _default(one)}
    if isinstance(value, Mapping):
        return {name: as_json(one) for name, one in value.items()}
    return [as_json(one) for one in value] if isinstance(value, list | tuple) else value


def _default(field: "Field[Any]") -> Any:  # noqa: ANN401
    return field.default if field.default_factory is MISSING else field.default_factory()
