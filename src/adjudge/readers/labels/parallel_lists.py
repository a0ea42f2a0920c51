"""Items with their annotators in one list and what these say in another, as shared tasks on disagreement write them.

{"1": {"text": "A tweet.", "annotators": "Ann1,Ann2", "annotations": "1,0", "hard_label": "1"}}
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from adjudge.errors import DataError
from adjudge.readers.io.json_documents import Repeated
from adjudge.readers.io.source import Format
from adjudge.readers.labels.annotation_export import Row, Tool, unfolded
from adjudge.readers.labels.judgments import Options, Parts
from adjudge.readers.parsed_input import Opened

_ID, _WHO, _SAID, _LABEL = "id", "annotators", "annotations", "label"


def read_parallel_votes(found: Opened[Options]) -> Parts:
    """A row per item and annotator. What the file calls hard_label is their own majority, and so no reference."""
    values = _items(found.values.values)
    objects = replace(found.values, values=values, numbers=range(1, len(values) + 1))
    return unfolded(found, Tool({"item": _ID, "annotator": "annotator"}, _rows, unit="item"), objects)


def _items(values: Sequence[Any]) -> Sequence[Any]:
    """The items: those given, or those of the one object that holds them by their ids."""
    whole = values[0] if len(values) == 1 else None
    if type(whole) is not dict or not whole or not all(isinstance(one, dict) for one in whole.values()):
        return values
    return [one if isinstance(one, Repeated) else {_ID: key, **one} for key, one in whole.items()]


def _rows(record: dict[str, Any]) -> Iterator[Row]:
    who, said = _parts(record.get(_WHO)), _parts(record.get(_SAID))
    if len(who) != len(said) or not who:
        raise DataError(f", {_SAID}: expected one for each of {len(who):,} {_WHO}; got {len(said):,}")
    for name, label in zip(who, said, strict=True):
        yield Row({**record, "annotator": name}, {_LABEL: label})


def _parts(value: object) -> list[Any]:
    """What stands in a list, or between commas."""
    if isinstance(value, str):
        return [one.strip() for one in value.split(",")]
    return value if isinstance(value, list) else []


def _looks_like(found: Opened[Options]) -> bool:
    """Whether the first items have as many annotations as annotators, some of them several."""
    items = _items(found.first)
    first = [(_parts(one.get(_WHO)), _parts(one.get(_SAID))) for one in items if isinstance(one, dict)]
    flat = all(isinstance(one, str) for who, said in first for one in (*who, *said))
    even = bool(first) and all(len(who) == len(said) > 0 for who, said in first)
    return flat and even and any(len(who) > 1 for who, _ in first)


FORMAT = Format("parallel-votes", "reliability", read_parallel_votes, _looks_like, -1, (".json", ".jsonl"))
