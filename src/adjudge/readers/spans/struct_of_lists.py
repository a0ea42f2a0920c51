"""Rows with an object of lists for all spans of a text, as data sets of Hugging Face hold them.

{"id": "t1", "text": "Cures headache.", "spans": {"start": [0], "end": [5], "label": ["claim"]}}
"""

from collections.abc import Iterator, Mapping
from typing import Any

from adjudge.errors import DataError
from adjudge.readers.io.json_documents import kind
from adjudge.readers.io.source import Format
from adjudge.readers.parsed_input import Opened
from adjudge.readers.spans.json_span_records import MAPPED, Holder, raw_of_objects
from adjudge.readers.spans.span_records import SPAN_COLUMNS, Raw
from adjudge.readers.spans.violations import Options

_OFFSETS = ("start", "end")
_LABELS = ("rule", "label", "type", "entity", "entity_type")
"""What the list of rules may be called."""


def read_struct_of_lists(found: Opened[Options]) -> Raw:
    """A line for each text. Labels are rules; other lists are parts of violations if Adjudge calls them so."""
    names = found.options
    names.check_mapped("rows with an object of lists", MAPPED)

    return raw_of_objects(found.objects, names, _marked)


def _marked(row: Holder) -> Iterator[tuple[Holder, list[Any]]]:
    key = _key(row)
    if key is None:
        held = next((f"; {name} holds {kind(one)}" for name, one in row.items() if isinstance(one, dict)), "")
        raise DataError(f": expected an object with a list of starts and one of ends{held}")
    parts = _parts(row[key])
    lists = {name: row[key][name] for name in parts.values()}
    if len({len(one) for one in lists.values()}) > 1:
        told = ", ".join(f"{name} {len(one)}" for name, one in lists.items())
        raise DataError(f", {key}: expected lists of one length; got {told}")
    yield row, [dict(zip(parts, one, strict=True)) for one in zip(*lists.values(), strict=True)]


def _key(value: Mapping[str, Any]) -> str | None:
    """Under which name a row holds its spans: the first object with lists of starts and ends."""
    return next((key for key, one in value.items() if isinstance(one, dict) and _has_offsets(one)), None)


def _has_offsets(lists: Mapping[str, Any]) -> bool:
    return all(isinstance(lists.get(key), list) for key in _OFFSETS)


def _parts(lists: Mapping[str, Any]) -> dict[str, str]:
    """The parts of violations that an object of lists holds, and their names there."""
    parts = {part: part for part in SPAN_COLUMNS if isinstance(lists.get(part), list)}
    label = next((name for name in _LABELS if isinstance(lists.get(name), list)), None)
    return parts | ({"rule": label} if label else {})


def _looks_like(found: Opened[Options]) -> bool:
    return any(_key(value) for value in found.first)


FORMAT = Format("struct-of-lists", "violations", read_struct_of_lists, _looks_like, 0, (".parquet", ".jsonl"))
