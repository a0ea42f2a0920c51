"""Exports of doccano with labels of whole texts: a file per annotator, whose name is theirs, or one for all.

{"id": 1, "text": "Good.", "label": ["kind"], "Comments": []}
{"id": 1, "text": "Good.", "annotations": [{"label": 2, "user": 1}, {"label": 3, "user": 2}], "meta": {}}
"""

from collections.abc import Iterator
from typing import Any

from karat.formats.documents import plain_text
from karat.formats.judgments import Options, Parts
from karat.formats.labelled import Row, Tool, object_in, objects_in, unfolded
from karat.formats.opened import Opened
from karat.formats.source import Format

_ID, _WHO, _LABEL = "id", "annotator", "label"
_TEXTS = ("text", "data")
_COMMENTS = "Comments"


def read_doccano(found: Opened[Options]) -> Parts:
    """A row per text and annotator: who annotated it, as files of old versions say, else the name of the file."""

    def rows(record: dict[str, Any]) -> Iterator[Row]:
        known = {**object_in(record, "meta"), **record}
        if _LABEL in record:
            yield Row(known | {_WHO: found.source.stem}, {_LABEL: record[_LABEL]})
            return
        given: dict[str | None, list[Any]] = {}
        for one in objects_in(record, "annotations"):
            given.setdefault(plain_text(one.get("user")), []).append(one.get(_LABEL))
        for who, labels in given.items():
            yield Row(known | {_WHO: who}, {_LABEL: labels})

    return unfolded(found, Tool({"item": _ID, "annotator": _WHO}, rows), found.values)


def _looks_like(found: Opened[Options]) -> bool:
    """Whether texts have a list of labels or annotations by users; of other tables, whether there is nothing else."""
    if _WHO in found.options.columns:
        return False
    if not found.is_json:
        names = set(found.names) - {_COMMENTS} - found.source.how.set.keys()
        return names in ({_ID, _LABEL, text} for text in _TEXTS)
    texts = [value for value in found.first if _ID in value and any(text in value for text in _TEXTS)]
    return any(map(_is_labelled, texts)) and not any(_is_marked(value.get(_LABEL)) for value in texts)


def _is_marked(labels: object) -> bool:
    """Whether labels are of parts of a text: lists of a start, an end and a label."""
    return isinstance(labels, list) and any(isinstance(one, list) for one in labels)


def _is_labelled(value: dict[str, Any]) -> bool:
    labels, annotations = value.get(_LABEL), value.get("annotations")
    if isinstance(labels, list):
        return all(isinstance(one, str) for one in labels)
    return isinstance(annotations, list) and any(
        isinstance(one, dict) and {"user", _LABEL} <= one.keys() for one in annotations
    )


FORMAT = Format("doccano", "reliability", read_doccano, _looks_like, endings=(".jsonl", ".json", ".csv"))
