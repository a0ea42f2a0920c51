"""Exports of Label Studio with labelled spans: JSON (tasks with annotations and predictions), JSON-MIN and CSV.

    [{"id": 1, "data": {"text": "Cures headache."}, "annotations": [{"completed_by": 1, "result": [
        {"id": "r1", "type": "labels", "value": {"start": 0, "end": 5, "text": "Cures", "labels": ["claim"]}}]}]}]

Label Studio runs in JavaScript, which counts UTF-16 units, so that offsets behind an emoji are too large
(https://github.com/HumanSignal/label-studio/issues/1347); the quoted text reveals them. It also loses line breaks in
quotes (https://github.com/HumanSignal/label-studio/issues/1863), so these are compared without white space.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from html.parser import HTMLParser
from itertools import chain
from typing import Any

from adjudge.readers.io.json_documents import check, json_text, json_value, not_plain, plain_text
from adjudge.readers.io.source import Format
from adjudge.readers.labels.annotation_export import Skipped
from adjudge.readers.spans import span_records as spans
from adjudge.readers.tools.label_studio_labels import annotations_of, is_task
from adjudge.schemas.violations import ID, TEXT

_LABELS, _HYPERTEXT = "labels", "hypertextlabels"
"""Types of results that label text, and the key of their labels."""
_BESIDE = frozenset(("id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time"))
"""Keys of JSON-MIN for the tool's own use, which are no part of a text."""
_LISTS = ("annotations", "completions", "predictions")
_COLUMNS = {"annotation_id", "annotator"}
"""Columns that identify a table."""
_SHOWN = Skipped("texts are those which their HTML shows, without tags, as offsets of hypertext count")
_NONE = Skipped("tasks without annotations")
_CANCELLED = Skipped("annotations that were cancelled are excluded")
_NO_LABEL = "results that are no labels of text are excluded"
_READ = (_LABELS, _HYPERTEXT)
Task = Mapping[str, Any]


def read_label_studio(opened: spans.Found) -> spans.Raw:
    """A line for each annotation. Labels are rules.

    Models' predictions count if options name the models as annotators and, in predictions, if no user annotated.
    """
    objects, names = replace(opened.objects, unit="task"), opened.options
    if opened.is_json:
        hypertext = f'"{_HYPERTEXT}"'.encode() in opened.source.file.read_bytes()
    else:
        objects = replace(objects, values=list(map(_parsed, objects.values)))
        hypertext = f'"{_HYPERTEXT}"' in json_text(objects.values)

    def lines(value: dict[str, Any]) -> Iterator[spans.Held]:
        task = _as_task(value)
        holder = _holder(task, names)
        if hypertext and isinstance(written := holder.get(names.column_of(TEXT)), str):
            holder[names.column_of(TEXT)] = shown = shown_text(written)
            yield from [_SHOWN] if shown != written else []
        if not (task.get("annotations") or task.get("completions")):
            yield _NONE
        for one in annotations_of(task):
            if isinstance(one, Skipped):
                yield one
            elif one.cancelled:
                yield _CANCELLED
            else:
                kinds = [plain_text(result.get("type")) or "without a type" for result in one.results]
                kinds += ["notes" for result in one.results if result.get("meta")]
                yield from (Skipped(_NO_LABEL, kind) for kind in kinds if kind not in _READ)
                own = {**holder, "annotator": one.annotator, "checker": None}
                yield spans.Line(own, list(_marks(one.results)), one.predicted)

    tool = spans.SpanTool(lines, mapped=(ID, TEXT), utf16=True)
    return spans.read_lines(opened, tool, objects)


def _holder(task: Task, names: spans.SpanReading) -> dict[str, Any]:
    """A task's fields: its own id, unless another is named, and the named or only text."""
    check(not_plain(task.get("data")), ", data")
    data, text = task["data"], names.column_of(TEXT)
    own = {} if ID in names.columns else {ID: task.get(ID)}
    if text not in data and TEXT not in names.columns:
        own[text] = data[spans.only_text(data, "")]
    return {**task, **data, **own}


def _as_task(value: Task) -> Task:
    """A record of JSON-MIN as a task: its lists of labelled regions are its annotation."""
    if not {"data", *_LISTS}.isdisjoint(value):
        return value
    data = {key: one for key, one in value.items() if key not in _BESIDE}
    lists = (one for key, one in data.items() if _is_regions(one) or (key == "label" and isinstance(one, list)))
    regions = ((isinstance(one, dict) and _HYPERTEXT in one, one) for one in chain.from_iterable(lists))
    result = [{"type": _HYPERTEXT if is_hypertext else _LABELS, "value": one} for is_hypertext, one in regions]
    return {**value, "data": data, "annotations": [{"completed_by": value.get("annotator"), "result": result}]}


def _parsed(row: Task) -> dict[str, Any]:
    """A row of CSV as a record of JSON-MIN, with parsed JSON cells."""
    is_json = {name: isinstance(cell, str) and cell.startswith(("{", "[")) for name, cell in row.items()}
    return {name: json_value(cell) if is_json[name] else cell for name, cell in row.items()}


def _marks(results: Sequence[Task]) -> Iterator[object]:
    """A violation for each label of a region, or one without a rule if it has none."""
    for one in results:
        value, kind = one.get("value"), one.get("type")
        if kind not in _READ:
            continue
        if not isinstance(value, dict):
            yield value
            continue
        labels = value.get(str(kind))
        place = value.get("globalOffsets") if kind == _HYPERTEXT else value
        start, end = (place.get("start"), place.get("end")) if isinstance(place, dict) else (None, None)
        for label in (labels if isinstance(labels, list) else [labels]) or [None]:
            yield {"start": start, "end": end, "context": value.get("text"), "rule": label}


def _is_regions(value: object) -> bool:
    objects = [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
    return any(_LABELS in one or _HYPERTEXT in one for one in objects)


def _looks_like(opened: spans.Found) -> bool:
    """Whether any of the first objects looks like a task or a record of JSON-MIN, or a table is the CSV."""
    if opened.is_text:
        named = set(opened.names) >= _COLUMNS  # reads no rows of other tables
        return named and any(_is_regions(cell) for row in opened.objects.values for cell in _parsed(row).values())
    return any(is_task(one) or "annotation_id" in one or any(map(_is_regions, one.values())) for one in opened.first)


FORMAT = Format("label-studio", "violations", read_label_studio, _looks_like, endings=(".json", ".csv"))


def shown_text(html: str) -> str:
    r"""The text in HTML, without tags and with resolved entities; a <br> is a line break.

    Of a whole document, only the text of the body, as Label Studio counts offsets there.

    >>> shown_text("<p>Salt &amp; <b>tea</b><br>twice</p>")
    'Salt & tea\ntwice'
    >>> shown_text("<html><head><title>Tea</title></head>\n<body>Good.</body></html>")
    'Good.'
    """
    reader = _Texts()
    reader.feed(html)
    reader.close()
    return "".join(reader.texts)


class _Texts(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.texts = list[str]()

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002 - as HTMLParser calls it
        if tag == "br":
            self.texts.append("\n")
        elif tag == "body":
            self.texts.clear()
