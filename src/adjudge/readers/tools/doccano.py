"""Exports of doccano: a text per line, with spans or labels of the whole text; a file per annotator, or one for all.

{"id": 1, "text": "Cures headache.", "label": [[0, 5, "claim"]], "Comments": []}
{"id": 1, "text": "Cures headache.", "entities": [{"id": 7, "label": "claim", "start_offset": 0, "end_offset": 5}],
 "relations": []}
{"id": 1, "text": "Good.", "label": ["kind"], "Comments": []}
"""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from adjudge.errors import DataError
from adjudge.readers.io.json_documents import is_scalar, list_in, not_plain, object_in, text_in
from adjudge.readers.labels.annotation_export import Format, LabelFile, Parts, Skipped, Tool, ToolRow, scalars, unfolded
from adjudge.readers.spans import span_records as spans
from adjudge.readers.spans.span_lists import as_object, span_keys, violation_of

_ID, _WHO, _LABEL = "id", "annotator", "label"

# --- spans ---

_LISTS = (_LABEL, "labels", "entities", "annotations")
"""Keys of the spans in exports of its versions."""
_OFFSETS = ("start_offset", "end_offset")


def read_spans(opened: spans.Found) -> spans.Raw:
    """JSON lines as doccano exports them: a text per line, with lists of start, end and label, or with entities.

    A line for each text and annotator; labels are rules. Relations are counted.
    """
    annotator = opened.file_column(_WHO)

    def lines(line: spans.Holder) -> Iterator[spans.Line | Skipped]:
        """The marks of each annotator in a line, or all of its marks if spans name no annotator."""
        for _ in list_in(line, "relations"):
            yield Skipped("relations between spans are excluded, since they mark no text")
        if (key := _key(line)) is None:
            raise DataError(f": expected a list of spans as {', '.join(_LISTS)}; got {', '.join(line):.100}")
        marks = list(map(as_object, line[key]))
        for user in dict.fromkeys(text_in(mark, "user") for mark in marks) or [None]:
            own = (mark for mark in marks if text_in(mark, "user") == user)
            user_marks = [mark if not_plain(mark) else violation_of(mark, "") for mark in own]
            yield spans.Line(line if user is None else {**line, annotator: user}, user_marks)

    return spans.read_lines(opened, spans.SpanTool(lines), opened.objects)


def _key(line: Mapping[str, Any]) -> str | None:
    """The key of a line's list of spans."""
    return next((key for key in _LISTS if isinstance(line.get(key), list)), None)


def _has_spans(opened: spans.Found) -> bool:
    """Whether the first lines have a text and one list of doccano's spans, or its empty list of spans."""
    if not opened.first or any("annotation_id" in value or spans.TEXT not in value for value in opened.first):
        return False
    if marks := [mark for value in opened.first if (key := _key(value)) for mark in value[key]]:
        objects = (as_object(mark) != mark or (isinstance(mark, dict) and {*_OFFSETS} <= mark.keys()) for mark in marks)
        return all(objects) and len(span_keys(opened.first)) < 2  # noqa: PLR2004
    return any([] in (value.get(_LABEL), value.get("entities")) for value in opened.first)


# --- labels ---


def read_labels(opened: LabelFile) -> Parts:
    """Exports of doccano with labels of whole texts: a file per annotator, named after them.

    A row per text. The file's name is the annotator.
    """

    def rows(record: dict[str, Any]) -> Iterator[ToolRow]:
        yield ToolRow(scalars(object_in(record, "meta"), record), opened.source.stem, {_LABEL: record.get(_LABEL)})

    return unfolded(opened, Tool({"item": _ID, "annotator": _WHO}, rows), opened.objects)


def _has_labels(opened: LabelFile) -> bool:
    """Whether texts have a list of labels."""
    if _WHO in opened.options.columns:
        return False
    texts = [value for value in opened.first if _ID in value and any(text in value for text in (spans.TEXT, "data"))]
    lists = [value[_LABEL] for value in texts if isinstance(value.get(_LABEL), list)]
    return bool(lists) and all(map(is_scalar, chain.from_iterable(lists)))


FORMAT = (
    Format("doccano", "reliability", read_labels, _has_labels, endings=(".jsonl", ".json"), nested=True),
    Format("doccano", "violations", read_spans, _has_spans, 2, (".jsonl",), nested=True),
)
