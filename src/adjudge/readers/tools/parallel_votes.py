"""Items with their annotators in one list and what these say in another, as shared tasks on disagreement write them.

    {"1": {"text": "A tweet.", "annotators": "Ann1,Ann2", "annotations": "1,0", "hard_label": "1"}}

A row per item and annotator. What the file calls hard_label is their own majority, and so no reference.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from adjudge.errors import DataError
from adjudge.readers.io.json_documents import is_scalar
from adjudge.readers.io.source import Format
from adjudge.readers.labels.annotation_export import Row, Tool, scalars, unfolded
from adjudge.readers.labels.judgments import Options, Parts
from adjudge.readers.parsed_input import Opened

_ID, _WHO, _GIVEN, _LABEL = "id", "annotators", "annotations", "label"


def read_parallel_votes(found: Opened[Options]) -> Parts:
    """A row per item and annotator."""
    values = _items(found.values.values)
    objects = replace(found.values, values=values, numbers=range(1, len(values) + 1))
    return unfolded(found, Tool({"item": _ID, "annotator": "annotator"}, _rows, unit="item"), objects)


def _items(values: Sequence[Any]) -> Sequence[Any]:
    """The items: those given, or those of the one object that holds them by their ids."""
    whole = values[0] if len(values) == 1 else None
    if type(whole) is not dict or not whole or not all(isinstance(one, dict) for one in whole.values()):
        return values
    return [{_ID: key, **one} for key, one in whole.items()]


def _rows(record: dict[str, Any]) -> Iterator[Row]:
    who, given = _parts(record.get(_WHO)), _parts(record.get(_GIVEN))
    if len(who) != len(given) or not who:
        raise DataError(f", {_GIVEN}: expected one for each of {len(who):,} {_WHO}; got {len(given):,}")
    beside = scalars(record)
    for name, label in zip(who, given, strict=True):
        yield Row(beside, name, {_LABEL: label})


def _parts(value: object) -> list[Any]:
    """What stands in a list, or between commas."""
    if isinstance(value, str):
        return [one.strip() for one in value.split(",")]
    return value if isinstance(value, list) else []


def _looks_like(found: Opened[Options]) -> bool:
    """Whether the first items have as many annotations as annotators, some of them several."""
    items = _items(found.first)
    first = [(_parts(one.get(_WHO)), _parts(one.get(_GIVEN))) for one in items if isinstance(one, dict)]
    flat = all(is_scalar(one) for who, given in first for one in (*who, *given))
    even = bool(first) and all(len(who) == len(given) > 0 for who, given in first)
    return flat and even and any(len(who) > 1 for who, _ in first)


FORMAT = Format("parallel-votes", "reliability", read_parallel_votes, _looks_like, -1, (".json", ".jsonl"))
