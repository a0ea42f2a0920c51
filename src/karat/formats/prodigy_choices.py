"""JSON lines of Prodigy with choices (`accept`) or with a label that was accepted or rejected.

{"text": "Good.", "options": [{"id": "kind", "text": "Kind"}], "accept": ["kind"], "answer": "accept", "_input_hash": 7,
 "_task_hash": 8, "_annotator_id": "db-ana"}
{"text": "Good.", "label": "KIND", "answer": "reject", "_input_hash": 7, "_task_hash": 9, "_annotator_id": "db-ana"}
"""

from collections.abc import Iterator
from typing import Any

from karat.errors import DataError
from karat.formats.documents import kind, plain_text
from karat.formats.judgments import Options, Parts
from karat.formats.labelled import Row, Tool, object_in, unfolded
from karat.formats.opened import Opened
from karat.formats.source import Format

_ACCEPT, _ANSWER = "accept", "answer"
_HASHES = ("_input_hash", "_task_hash")
_ANNOTATORS = ("_annotator_id", "_session_id")
_NONE = "none"
"""The label of an accepted line on which no option is chosen."""


def read_prodigy_choices(found: Opened[Options]) -> Parts:
    """A row per line. Of a line with options, the label is those chosen, and its item the input.

    Of a line with a label of its own, the label is whether it was accepted, and its item the input with that label.
    What was ignored has no answer, nor have options that were rejected.
    """
    return unfolded(found, Tool({"item": "id", "annotator": "annotator"}, _rows), found.objects)


def _rows(line: dict[str, Any]) -> Iterator[Row]:
    meta, chosen = object_in(line, "meta"), line.get(_ACCEPT)
    own, task = _HASHES if chosen is not None else reversed(_HASHES)
    ids = (line.get("id"), meta.get("id"), line.get(own), line.get(task))
    known = {
        **meta,
        **line,
        "id": next((one for one in ids if one is not None), None),
        "annotator": next((line[name] for name in _ANNOTATORS if line.get(name) is not None), None),
    }
    if not isinstance(chosen, list | None):
        raise DataError(f", {_ACCEPT}: expected a list; got {kind(chosen)}")
    answer = plain_text(line.get(_ANSWER)) or _ACCEPT
    if answer not in (_ACCEPT, "reject", "ignore"):
        raise DataError(f', {_ANSWER}: expected one of accept, reject, ignore; got "{answer:.60}"')
    if chosen is not None:
        yield Row(known, {_ACCEPT: (chosen or [_NONE]) if answer == _ACCEPT else None})
    else:
        yield Row(known, {_ANSWER: None if answer == "ignore" else answer})


def _looks_like(found: Opened[Options]) -> bool:
    """Whether lines with hashes hold choices, or a label and an answer."""
    return any(
        not value.keys().isdisjoint(_HASHES) and (_ACCEPT in value or {"label", _ANSWER} <= value.keys())
        for value in found.first
    )


FORMAT = Format("prodigy", "reliability", read_prodigy_choices, _looks_like, endings=(".jsonl",))
