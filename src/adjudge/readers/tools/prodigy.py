"""JSON lines as Prodigy exports them: a text per line and annotator, with spans, with choices, or with a label.

{"text": "Cures headache.", "spans": [{"start": 0, "end": 5, "label": "claim"}], "answer": "accept",
 "_annotator_id": "db-anna", "_input_hash": 17}
{"text": "Good.", "options": [{"id": "kind", "text": "Kind"}], "accept": ["kind"], "answer": "accept", "_input_hash": 7,
 "_task_hash": 8, "_annotator_id": "db-ana"}
{"text": "Good.", "label": "KIND", "answer": "reject", "_input_hash": 7, "_task_hash": 9, "_annotator_id": "db-ana"}
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from adjudge.errors import DataError
from adjudge.readers.io.json_documents import kind, list_in, object_in, plain_text
from adjudge.readers.io.source import Format
from adjudge.readers.labels.annotation_export import Row, Skipped, Tool, scalars, unfolded
from adjudge.readers.labels.judgments import LabelFile, Parts
from adjudge.readers.spans import span_records as spans
from adjudge.schemas.violations import ID

_ANSWER, _ACCEPT, _SPANS = "answer", "accept", "spans"
_ANSWERS = (_ACCEPT, "reject", "ignore")
_HASHES = _INPUT, _TASK = ("_input_hash", "_task_hash")
_ANNOTATORS = ("_annotator_id", "_session_id")
_NONE = "none"
"""The label of an accepted line on which no option is chosen."""
_TIME = re.compile(r"-\d{4}-\d{2}-\d{2}_\d{2}-\d{2}-\d{2}$")


def _answer(line: Mapping[str, Any]) -> str:
    """What an annotator did with a line. Raises DataError in words that follow its place."""
    said = _ACCEPT if line.get(_ANSWER) is None else line[_ANSWER]
    if said not in _ANSWERS:
        raise DataError(f", {_ANSWER}: expected one of {', '.join(_ANSWERS)}; got {kind(said)}")
    return str(said)


def _first(values: Iterable[Any]) -> Any:  # noqa: ANN401 - what a file holds
    return next((one for one in values if one is not None), None)


# --- spans ---


def read_spans(found: spans.Found) -> spans.Raw:
    """JSON lines as Prodigy exports them: a text per line and annotator, with labelled spans.

    The lines that were accepted; those rejected or ignored are counted in a warning.

    A line's id is its `id`, that of its `meta`, or else its `_input_hash`; its annotator, `_annotator_id` or else
    `_session_id`. What `meta` holds can be named as if it stood in the line. A task that an annotator answered twice is
    an error.
    """
    names, answered = found.options, set[tuple[str | None, ...]]()

    def lines(line: spans.Holder) -> Iterator[spans.Line | Skipped]:
        flat = {**object_in(line, "meta"), **line, "checker": None}
        if names.column_of(ID) == ID and not plain_text(flat.get(ID)):
            flat[ID] = line.get(_INPUT)
        if names.column_of("annotator") == "annotator":
            who = _first(map(line.get, _ANNOTATORS))  # of a session without a name, called by its time, the data set
            flat["annotator"] = _TIME.sub("", who) if isinstance(who, str) else who
        keys = (names.column_of("annotator"), _INPUT, _TASK)
        task = tuple(plain_text(flat.get(key)) for key in keys)
        if task[-1] is not None and task in answered:
            raise DataError(f", {_TASK}: expected each task once of an annotator; {task[-1]} was answered before")
        answered.add(task)
        marks = list_in(line, _SPANS)
        if (answer := _answer(line)) == _ACCEPT:
            yield spans.Line(flat, marks)
        else:
            yield Skipped("lines that were not accepted are left out", answer)

    return spans.read_lines(found, spans.SpanTool(lines, spans.LABELLED), found.objects)


def _has_spans(found: spans.Found) -> bool:
    return any(isinstance(line.get(_SPANS), list) or _INPUT in line for line in found.first)


# --- choices ---


def read_choices(found: LabelFile) -> Parts:
    """JSON lines of Prodigy with choices (`accept`) or with a label that was accepted or rejected.

    A row per line. Of a line with options, the label is those chosen, and its item the input.

    Of a line with a label of its own, the label is whether it was accepted, and its item the input with that label.
    What was ignored has no answer, nor have options that were rejected.
    """
    return unfolded(found, Tool({"item": "id", "annotator": "annotator"}, _rows), found.objects)


def _rows(line: dict[str, Any]) -> Iterator[Row]:
    meta, answer = object_in(line, "meta"), _answer(line)
    chosen = list_in(line, _ACCEPT) if line.get(_ACCEPT) is not None else None
    hashes = map(line.get, _HASHES if chosen is not None else reversed(_HASHES))
    own = _first((line.get("id"), meta.get("id"), *hashes))
    beside, who = scalars(meta, line, {"id": own}), _first(map(line.get, _ANNOTATORS))
    if chosen is None:
        yield Row(beside, who, {_ANSWER: None if answer == "ignore" else answer})
    else:
        yield Row(beside, who, {_ACCEPT: (chosen or [_NONE]) if answer == _ACCEPT else None})


def _has_choices(found: LabelFile) -> bool:
    """Whether lines with hashes hold choices, or a label and an answer."""
    hashed = [line.keys() for line in found.first if not line.keys().isdisjoint(_HASHES)]
    return any(_ACCEPT in names or {"label", _ANSWER} <= names for names in hashed)


FORMAT = (
    Format("prodigy", "reliability", read_choices, _has_choices, endings=(".jsonl",)),
    Format("prodigy", "violations", read_spans, _has_spans, -1, (".jsonl",)),
)
