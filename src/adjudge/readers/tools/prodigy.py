"""JSON lines as Prodigy exports them: a text per line and annotator, with spans, choices, or a label.

{"text": "Cures headache.", "spans": [{"start": 0, "end": 5, "label": "claim"}], "answer": "accept",
 "_annotator_id": "db-anna", "_input_hash": 17}
{"text": "Good.", "options": [{"id": "kind", "text": "Kind"}], "accept": ["kind"], "answer": "accept", "_input_hash": 7,
 "_task_hash": 8, "_annotator_id": "db-ana"}
{"text": "Good.", "label": "KIND", "answer": "reject", "_input_hash": 7, "_task_hash": 9, "_annotator_id": "db-ana"}
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from adjudge.errors import DataError
from adjudge.readers.io.json_documents import kind, list_in, object_in
from adjudge.readers.labels.annotation_export import Format, LabelFile, Parts, Skipped, Tool, ToolRow, scalars, unfolded
from adjudge.readers.spans import span_records as spans

_ANSWER, _ACCEPT, _SPANS = "answer", "accept", "spans"
_ANSWERS = (_ACCEPT, "reject", "ignore")
_HASHES = _INPUT, _TASK = ("_input_hash", "_task_hash")


def _answer(line: Mapping[str, Any]) -> str:
    """An annotator's decision on a line. Raises DataError with a message that follows its place."""
    answer = _ACCEPT if line.get(_ANSWER) is None else line[_ANSWER]
    if answer not in _ANSWERS:
        raise DataError(f", {_ANSWER}: expected one of {', '.join(_ANSWERS)}; got {kind(answer)}")
    return str(answer)


def _annotator(line: Mapping[str, Any]) -> object:
    return _first(map(line.get, ("_annotator_id", "_session_id")))


def _first(values: Iterable[Any]) -> Any:  # noqa: ANN401 - what a file holds
    return next((one for one in values if one is not None), None)


# --- spans ---


def read_spans(opened: spans.Found) -> spans.Raw:
    """JSON lines as Prodigy exports them: a text per line and annotator, with labelled spans.

    Reads the accepted lines; a warning counts those rejected or ignored.

    A line's id is its `id`, that of its `meta`, or else its `_input_hash`; its annotator, `_annotator_id` or else
    `_session_id`. Options can name the keys of `meta` like those of the line. An annotator may have one line per id;
    if a text was in several tasks, options can name `_task_hash` as the id.
    """

    def lines(line: spans.Holder) -> Iterator[spans.Line | Skipped]:
        meta, answer, marks = object_in(line, "meta"), _answer(line), list_in(line, _SPANS)
        if answer != _ACCEPT:
            yield Skipped("lines that were not accepted are excluded", answer)
            return
        own = {spans.ID: _first((line.get("id"), meta.get("id"), line.get(_INPUT))), "annotator": _annotator(line)}
        yield spans.Line({**meta, **line, **own, "checker": None}, marks)

    return spans.read_lines(opened, spans.SpanTool(lines, spans.LABELLED), opened.objects)


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


def _rows(line: dict[str, Any]) -> Iterator[ToolRow]:
    meta, answer = object_in(line, "meta"), _answer(line)
    chosen = list_in(line, _ACCEPT) if line.get(_ACCEPT) is not None else None
    hashes = map(line.get, _HASHES if chosen is not None else reversed(_HASHES))
    identity = _first((line.get("id"), meta.get("id"), *hashes))
    fields, annotator = scalars(meta, line, {"id": identity}), _annotator(line)
    if chosen is None:
        yield ToolRow(fields, annotator, {_ANSWER: None if answer == "ignore" else answer})
    else:
        yield ToolRow(fields, annotator, {_ACCEPT: (chosen or ["none"]) if answer == _ACCEPT else None})


def _has_choices(opened: LabelFile) -> bool:
    """Whether lines with hashes have choices, or a label and an answer."""
    hashed = [line.keys() for line in opened.first if not line.keys().isdisjoint(_HASHES)]
    return any(_ACCEPT in names or {"label", _ANSWER} <= names for names in hashed)


FORMAT = (
    Format("prodigy", "reliability", read_choices, _has_choices, endings=(".jsonl",), nested=True),
    Format("prodigy", "violations", read_spans, _has_spans, -1, (".jsonl",), nested=True),
)
