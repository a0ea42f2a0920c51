"""JSON lines as Prodigy exports them: a text per line and annotator, with spans, choices, or a label.

{"text": "Cures headache.", "spans": [{"start": 0, "end": 5, "label": "claim"}], "answer": "accept",
 "_annotator_id": "db-anna", "_input_hash": 17}
{"text": "Good.", "options": [{"id": "kind", "text": "Kind"}], "accept": ["kind"], "answer": "accept", "_input_hash": 7,
 "_task_hash": 8, "_annotator_id": "db-ana"}
{"text": "Good.", "label": "KIND", "answer": "reject", "_input_hash": 7, "_task_hash": 9, "_annotator_id": "db-ana"}
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

from adjudge.errors import DataError
from adjudge.readers.io.json_documents import is_number, kind, list_in, object_in, plain_text, read_each
from adjudge.readers.io.source import Format
from adjudge.readers.labels.annotation_export import Row, Skipped, Tool, scalars, unfolded
from adjudge.readers.labels.judgments import LabelFile, Parts
from adjudge.readers.problems import Findings
from adjudge.readers.spans import span_records as spans
from adjudge.schemas.violations import ID, TEXT

_ANSWER, _ACCEPT, _SPANS = "answer", "accept", "spans"
_ANSWERS = (_ACCEPT, "reject", "ignore")
_HASHES = _INPUT, _TASK = ("_input_hash", "_task_hash")
_ANNOTATORS = ("_annotator_id", "_session_id")
_NONE = "none"
"""The label of an accepted line without a chosen option."""
_TIME = re.compile(r"-\d{4}-\d{2}-\d{2}_\d{2}-\d{2}-\d{2}$")

_Numbered = tuple[int, dict[str, Any]]
"""A line with its number."""


def _answer(line: Mapping[str, Any]) -> str:
    """An annotator's decision on a line. Raises DataError with a message that follows its place."""
    answer = _ACCEPT if line.get(_ANSWER) is None else line[_ANSWER]
    if answer not in _ANSWERS:
        raise DataError(f", {_ANSWER}: expected one of {', '.join(_ANSWERS)}; got {kind(answer)}")
    return str(answer)


def _first(values: Iterable[Any]) -> Any:  # noqa: ANN401 - what a file holds
    return next((one for one in values if one is not None), None)


# --- spans ---

_AGAIN = Skipped("lines whose task the same annotator answered again later are excluded")
_SHARED = Skipped("lines count together with another task about the same text")


def read_spans(opened: spans.Found) -> spans.Raw:
    """JSON lines as Prodigy exports them: a text per line and annotator, with labelled spans.

    Reads the accepted lines; a warning counts those rejected or ignored.

    If an annotator answered a task again (the same `_task_hash`), the last answer counts; the spans of several tasks
    about one text count together. A line's id is its `id`, that of its `meta`, or else its `_input_hash`; its
    annotator, `_annotator_id` or else `_session_id`. Options can name the keys of `meta` like those of the line.
    """
    objects, names = opened.objects, opened.options
    findings = Findings(objects.unit)
    flat = read_each(objects, lambda line: _flat(line, names), findings)
    last = dict[object, _Numbered]()
    for number, line in sorted(flat, key=_time):
        task = plain_text(line.get(_TASK))
        last[(*_about(line, names), task) if task else number] = (number, line)
    counted = sorted(last.values(), key=itemgetter(0))
    accepted = [(number, line) for number, line in counted if line[_ANSWER] == _ACCEPT]
    lines = _lines_of_texts(accepted, names)
    rejected = (line[_ANSWER] for _, line in counted if line[_ANSWER] != _ACCEPT)
    parts: list[spans.Held] = [Skipped("lines that were not accepted are excluded", answer) for answer in rejected]
    parts += [_AGAIN] * (len(flat) - len(last)) + [_SHARED] * (len(accepted) - len(lines))
    tool = spans.SpanTool(iter, spans.LABELLED)
    return spans.raw_of_held(opened, tool, [*parts, *lines], findings, len(objects.values))


def _flat(line: dict[str, Any], names: spans.SpanReading) -> dict[str, Any]:
    """A line with the keys that Adjudge reads at its top."""
    flat = {**object_in(line, "meta"), **line, _ANSWER: _answer(line), _SPANS: list_in(line, _SPANS), "checker": None}
    if names.column_of(ID) == ID and not plain_text(flat.get(ID)):
        flat[ID] = line.get(_INPUT)
    if names.column_of("annotator") == "annotator":
        annotator = _first(map(line.get, _ANNOTATORS))  # an unnamed session (data set and time) is the data set
        flat["annotator"] = _TIME.sub("", annotator) if isinstance(annotator, str) else annotator
    return dict(names.with_joined_id(flat))


def _time(line: _Numbered) -> tuple[float, int]:
    """A line's time of answer, if it has one, and its number."""
    time = line[1].get("_timestamp", 0)
    return float(plain_text(time) or 0) if is_number(time) else 0.0, line[0]


def _about(line: Mapping[str, Any], names: spans.SpanReading) -> tuple[str | None, ...]:
    """The annotator and the text of a line."""
    keys = (names.column_of("annotator"), names.column_of(ID), names.column_of(TEXT))
    return tuple(plain_text(line.get(key)) for key in keys)


def _lines_of_texts(lines: Sequence[_Numbered], names: spans.SpanReading) -> list[spans.Line]:
    """A line for each annotator and text: the spans of all tasks about it, each once, if these have hashes."""
    by_text: dict[object, spans.Line] = {}
    for number, line in lines:
        key = _about(line, names) if plain_text(line.get(_TASK)) else number
        first = by_text.setdefault(key, spans.Line(line, [], number=number))
        more = [mark for mark in line[_SPANS] if first.number == number or mark not in first.marks]
        by_text[key] = first._replace(marks=[*first.marks, *more])
    return list(by_text.values())


def _has_spans(opened: spans.Found) -> bool:
    return any(isinstance(line.get(_SPANS), list) or _INPUT in line for line in opened.first)


# --- choices ---


def read_choices(opened: LabelFile) -> Parts:
    """JSON lines of Prodigy with choices (`accept`) or with a label that was accepted or rejected.

    A row per line. If a line has options, the chosen ones are the label, and the input is the item.

    If a line has a label, the answer (accept or reject) is the label, and the input with that label is the item.
    Ignored lines and rejected options have no answer.
    """
    return unfolded(opened, Tool({"item": "id", "annotator": "annotator"}, _rows), opened.objects)


def _rows(line: dict[str, Any]) -> Iterator[Row]:
    meta, answer = object_in(line, "meta"), _answer(line)
    chosen = list_in(line, _ACCEPT) if line.get(_ACCEPT) is not None else None
    hashes = map(line.get, _HASHES if chosen is not None else reversed(_HASHES))
    identity = _first((line.get("id"), meta.get("id"), *hashes))
    fields, annotator = scalars(meta, line, {"id": identity}), _first(map(line.get, _ANNOTATORS))
    if chosen is None:
        yield Row(fields, annotator, {_ANSWER: None if answer == "ignore" else answer})
    else:
        yield Row(fields, annotator, {_ACCEPT: (chosen or [_NONE]) if answer == _ACCEPT else None})


def _has_choices(opened: LabelFile) -> bool:
    """Whether lines with hashes have choices, or a label and an answer."""
    hashed = [line.keys() for line in opened.first if not line.keys().isdisjoint(_HASHES)]
    return any(_ACCEPT in names or {"label", _ANSWER} <= names for names in hashed)


FORMAT = (
    Format("prodigy", "reliability", read_choices, _has_choices, endings=(".jsonl",)),
    Format("prodigy", "violations", read_spans, _has_spans, -1, (".jsonl",)),
)
