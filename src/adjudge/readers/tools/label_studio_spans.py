"""Exports of Label Studio with labelled spans: JSON (tasks with annotations and predictions), JSON-MIN and CSV.

    [{"id": 1, "data": {"text": "Cures headache."}, "annotations": [{"completed_by": 1, "result": [
        {"id": "r1", "type": "labels", "value": {"start": 0, "end": 5, "text": "Cures", "labels": ["claim"]}}]}]}]

Label Studio runs in JavaScript, which counts UTF-16 units, so that offsets behind an emoji are too large
(https://github.com/HumanSignal/label-studio/issues/1347); the quoted text reveals them. It also loses line breaks in
quotes (https://github.com/HumanSignal/label-studio/issues/1863), so these are compared without white space.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from html import unescape
from typing import Any

from adjudge.readers.io.json_documents import object_in
from adjudge.readers.spans import span_records as spans
from adjudge.readers.tools import label_studio_tasks as tasks


def read_label_studio(opened: spans.Found) -> spans.Raw:
    """A line for each annotation. Labels are rules.

    Models' predictions count if options name the models as annotators and, in predictions, if no user annotated.
    """
    objects, names = replace(opened.objects, unit="task"), opened.options
    if not opened.is_json:
        objects = replace(objects, values=list(map(tasks.record_of_row, objects.values)))
    text = names.column_of(spans.TEXT)

    def lines(value: dict[str, Any]) -> Iterator[spans.Held]:
        task = tasks.as_task(value)
        holder, every = _holder(task, names), list(tasks.annotations_of(task))
        if not (task.get("annotations") or task.get("completions")):
            yield spans.Skipped("tasks without annotations")
        yield from (one for one in every if isinstance(one, spans.Skipped))
        annotations = [one for one in every if isinstance(one, tasks.Annotation)]
        kinds = [result.type for one in annotations for result in one.results or ()]
        written = holder.get(text)
        if tasks.HYPERTEXT in kinds and isinstance(written, str) and (shown := shown_text(written)) != written:
            holder[text] = shown
            yield spans.Skipped("texts are those which their HTML shows, without tags, as offsets of hypertext count")
        for one in annotations:
            own = {**holder, "annotator": one.annotator, "checker": None}
            line = spans.Line(own, _marks(one.results or ()), isinstance(one, tasks.Prediction))
            yield spans.Skipped("annotations that were cancelled are excluded") if one.was_cancelled else line
        others = [str(kind) for kind in kinds if kind not in tasks.TEXT_TYPES]
        yield from (spans.Skipped("results that are no labels of text are excluded", kind) for kind in others)

    return spans.read_lines(opened, spans.SpanTool(lines, mapped=(spans.ID, spans.TEXT), utf16=True), objects)


def _holder(task: Mapping[str, Any], names: spans.SpanReading) -> dict[str, Any]:
    """A task's fields, without annotations: its own id, unless another is named, and the named or only text."""
    data, text = object_in(task, "data"), names.column_of(spans.TEXT)
    own = {} if spans.ID in names.columns else {spans.ID: task.get(spans.ID)}
    if text not in data and spans.TEXT not in names.columns:
        own[text] = data[spans.only_text(data, "")]
    fields = {name: value for name, value in task.items() if name not in tasks.LISTS}
    return {**fields, **data, **own}


def _marks(results: Sequence[tasks.TaskResult]) -> list[spans.Holder]:
    """A violation for each label of a region, or one without a rule if it has none."""
    marks: list[spans.Holder] = []
    for kind, value in [(one.type, one.value or {}) for one in results if one.type in tasks.TEXT_TYPES]:
        span, labels = object_in(value, "globalOffsets") if kind == tasks.HYPERTEXT else value, value.get(kind)
        start, end, quote = span.get("start"), span.get("end"), value.get("text")
        rules = (labels if isinstance(labels, list) else [labels]) or [None]
        marks += [{"start": start, "end": end, "context": quote, "rule": rule} for rule in rules]
    return marks


def _looks_like(opened: spans.Found) -> bool:
    """Whether any of the first objects looks like a task or a record of JSON-MIN, or a table is the CSV."""
    if opened.is_text:
        named = set(opened.names) >= {"annotation_id", "annotator"}  # reads no rows of other tables
        rows = map(tasks.record_of_row, opened.objects.values if named else ())
        return any(tasks.has_regions(cell) for row in rows for cell in row.values())
    return any(tasks.is_task(one) or tasks.is_record(one) for one in opened.first)


def shown_text(html: str) -> str:
    r"""The text in HTML, without tags and with resolved entities; a <br> is a line break.

    Of a whole document, only the text of the body, as Label Studio counts offsets there.

    >>> shown_text("<p>Salt &amp; <b>tea</b><br>twice</p>")
    'Salt & tea\ntwice'
    >>> shown_text("<html><head><title>Tea</title></head>\n<body>Good.</body></html>")
    'Good.'
    """
    body = re.sub(r"(?is)^.*<body\b[^>]*>|</body>.*$", "", html)
    text = re.sub(r"(?i)<br\s*/?>", "\n", body)
    return unescape(re.sub(r"(?is)<!--.*?-->|</?[a-z!][^>]*>", "", text))


FORMAT = spans.Format("label-studio", "violations", read_label_studio, _looks_like, endings=(".json", ".csv"))
