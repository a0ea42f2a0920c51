"""Exports of Label Studio: JSON (tasks with annotations and predictions), JSON-MIN and CSV.

Labels of whole items or comparisons of two texts, in JSON:

    [{"id": 1, "data": {"text": "Good."}, "annotations": [{"completed_by": 1, "ground_truth": false, "result": [
        {"from_name": "sentiment", "type": "choices", "value": {"choices": ["Positive"]}}]}]}]

Labelled spans:

    [{"id": 1, "data": {"text": "Cures headache."}, "annotations": [{"completed_by": 1, "result": [
        {"id": "r1", "type": "labels", "value": {"start": 0, "end": 5, "text": "Cures", "labels": ["claim"]}}]}]}]

Old exports call annotations completions and ground truth honeypots. Source: https://labelstud.io/guide/export

Label Studio runs in JavaScript, which counts UTF-16 units, so that offsets behind an emoji are too large
(https://github.com/HumanSignal/label-studio/issues/1347); the quoted text reveals them. It also loses line breaks in
quotes (https://github.com/HumanSignal/label-studio/issues/1863), so these are compared without white space.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from html import unescape
from itertools import chain
from typing import Any, NamedTuple

from adjudge.readers.io import json_documents as documents
from adjudge.readers.io.json_documents import list_in, not_plain, object_in, plain_text
from adjudge.readers.io.source import Format
from adjudge.readers.labels.annotation_export import Skipped, Tool, ToolRow, scalars, unfolded
from adjudge.readers.labels.judgments import LabelFile, Parts
from adjudge.readers.spans import span_records as spans
from adjudge.schemas.violations import ID, TEXT

LabelTask = Mapping[str, Any]

_ANSWERS = {"choices": "choices", "rating": "rating", "taxonomy": "taxonomy", "number": "number"}
_ANSWERS["pairwise"] = "selected"
"""Type of a result about a whole item -> the key of the answer in its value."""

_LISTS = {"annotations": "completed_by", "completions": "completed_by", "predictions": "model_version"}
"""Key of a task -> the key of the annotator in its annotations."""


class Annotation(NamedTuple):
    """An annotator's, or a model's, annotation of a task. results: none if it was cancelled."""

    own: object
    annotator: str | None
    results: list[dict[str, Any]]
    cancelled: bool
    trusted: bool
    predicted: bool


def annotations_of(task: Mapping[str, Any]) -> Iterator[Annotation | Skipped]:
    """The annotations and predictions of a task. Raises DataError with a message that follows the task's place."""
    for key, annotator_key in _LISTS.items():
        predicted = key == "predictions"
        for number, one in enumerate(list_in(task, key), 1):
            if predicted and not isinstance(one, list | dict):
                yield Skipped("predictions given as ids, without results, are excluded")
                continue
            documents.check(not_plain(one), f", {key} {number}")
            cancelled = one.get("was_cancelled") is True
            results = [] if cancelled else documents.objects_in(one, "result", needed=True)
            trusted = one.get("ground_truth") is True or one.get("honeypot") is True
            who = one.get(annotator_key)
            named = who if isinstance(who, dict) else {"id": who}
            annotator = plain_text(named.get("email")) or plain_text(named.get("id"))
            annotator = annotator or ("model" if predicted else None)
            yield Annotation(one.get("id"), annotator, results, cancelled, trusted, predicted)


def is_task(value: Mapping[str, Any]) -> bool:
    """Whether an object is a task of Label Studio with annotations or predictions."""
    lists = [value[key] for key in _LISTS if isinstance(value.get(key), list)]
    annotations = [one for many in lists for one in many if isinstance(one, dict)]
    return isinstance(value.get("data"), dict) and bool(lists) and all("result" in one for one in annotations)


def read_choices(opened: LabelFile) -> Parts:
    """JSON exports of Label Studio with labels of whole items or comparisons of two texts.

    A row per annotation; ground-truth annotations are the reference, unless another is named.

    The version of a prediction is its model. A cancelled annotation has no answer. Results of other types, results on a
    part of an item, and predictions given as ids are excluded and counted.
    """
    return unfolded(opened, Tool({"item": ID, "annotator": "completed_by"}, _task, unit="task"), opened.objects)


def _task(task: dict[str, Any]) -> Iterator[ToolRow | Skipped]:
    """The annotations and predictions of a task."""
    fields = scalars(task, object_in(task, "data"), {ID: task.get(ID)})
    for one in annotations_of(task):
        if isinstance(one, Skipped):
            yield one
            continue
        answers = dict[str, list[Any]]()
        for result in one.results:
            name, value = plain_text(result.get("from_name")), object_in(result, "value")
            answer = value.get(_ANSWERS.get(str(result.get("type")), "")) if name and len(value) == 1 else None
            if name and answer is not None:
                answers.setdefault(name, []).extend(answer if isinstance(answer, list) else [answer])
            else:
                kind = plain_text(result.get("type")) or "without a type"
                yield Skipped("results without an answer about a whole item are excluded", kind)
        yield ToolRow(fields, one.annotator, answers, one.trusted, {"annotation_id": one.own}, one.predicted)


# --- spans ---

_LABELS, _HYPERTEXT = "labels", "hypertextlabels"
"""Types of results that label text, and the key of their labels."""
_READ = (_LABELS, _HYPERTEXT)


def read_label_studio(opened: spans.Found) -> spans.Raw:
    """Exports of Label Studio with labelled spans: JSON (tasks with annotations and predictions), JSON-MIN and CSV.

    A line for each annotation. Labels are rules.

    Models' predictions count if options name the models as annotators and, in predictions, if no user annotated.
    """
    objects, names = replace(opened.objects, unit="task"), opened.options
    if not opened.is_json:
        objects = replace(objects, values=list(map(_parsed, objects.values)))
    text = names.column_of(TEXT)

    def lines(value: dict[str, Any]) -> Iterator[spans.Held]:
        task = _as_task(value)
        holder, every = _holder(task, names), list(annotations_of(task))
        results = chain.from_iterable(one.results for one in every if isinstance(one, Annotation))
        if isinstance(holder.get(text), str) and any(one.get("type") == _HYPERTEXT for one in results):
            holder[text] = shown_text(written := holder[text])
            if holder[text] != written:
                yield Skipped("texts are those which their HTML shows, without tags, as offsets of hypertext count")
        if not (task.get("annotations") or task.get("completions")):
            yield Skipped("tasks without annotations")
        for one in every:
            if isinstance(one, Skipped):
                yield one
            elif one.cancelled:
                yield Skipped("annotations that were cancelled are excluded")
            else:
                kinds = (plain_text(result.get("type")) or "without a type" for result in one.results)
                others = (kind for kind in kinds if kind not in _READ)
                yield from (Skipped("results that are no labels of text are excluded", kind) for kind in others)
                own = {**holder, "annotator": one.annotator, "checker": None}
                yield spans.Line(own, list(_marks(one.results)), one.predicted)

    return spans.read_lines(opened, spans.SpanTool(lines, mapped=(ID, TEXT), utf16=True), objects)


def _holder(task: LabelTask, names: spans.SpanReading) -> dict[str, Any]:
    """A task's fields: its own id, unless another is named, and the named or only text."""
    data, text = object_in(task, "data"), names.column_of(TEXT)
    own = {} if ID in names.columns else {ID: task.get(ID)}
    if text not in data and TEXT not in names.columns:
        own[text] = data[spans.only_text(data, "")]
    return {**task, **data, **own}


def _as_task(value: LabelTask) -> LabelTask:
    """A record of JSON-MIN as a task: its lists of labelled regions are its annotation."""
    if not {"data", *_LISTS}.isdisjoint(value):
        return value
    beside = ("id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time")
    data = {key: one for key, one in value.items() if key not in beside}
    lists = (one for key, one in data.items() if _is_regions(one) or (key == "label" and isinstance(one, list)))
    regions = ((isinstance(one, dict) and _HYPERTEXT in one, one) for one in chain.from_iterable(lists))
    result = [{"type": _HYPERTEXT if is_hypertext else _LABELS, "value": one} for is_hypertext, one in regions]
    return {**value, "data": data, "annotations": [{"completed_by": value.get("annotator"), "result": result}]}


def _parsed(row: LabelTask) -> dict[str, Any]:
    """A row of CSV as a record of JSON-MIN, with parsed JSON cells."""
    return {name: documents.json_value(cell) if str(cell)[:1] in ("{", "[") else cell for name, cell in row.items()}


def _marks(results: Sequence[LabelTask]) -> Iterator[object]:
    """A violation for each label of a region, or one without a rule if it has none."""
    for one in results:
        if (kind := one.get("type")) in _READ:
            value = object_in(one, "value")
            labels, place = value.get(kind), object_in(value, "globalOffsets") if kind == _HYPERTEXT else value
            for label in (labels if isinstance(labels, list) else [labels]) or [None]:
                offsets = {"start": place.get("start"), "end": place.get("end")}
                yield {**offsets, "context": value.get("text"), "rule": label}


def _is_regions(value: object) -> bool:
    objects = [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
    return any(_LABELS in one or _HYPERTEXT in one for one in objects)


def _looks_like(opened: spans.Found) -> bool:
    """Whether any of the first objects looks like a task or a record of JSON-MIN, or a table is the CSV."""
    if opened.is_text:
        named = set(opened.names) >= {"annotation_id", "annotator"}  # reads no rows of other tables
        return named and any(_is_regions(cell) for row in opened.objects.values for cell in _parsed(row).values())
    return any(is_task(one) or "annotation_id" in one or any(map(_is_regions, one.values())) for one in opened.first)


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


def _has_tasks(opened: LabelFile) -> bool:
    return any(map(is_task, opened.first))


FORMAT = (
    Format("label-studio", "reliability", read_choices, _has_tasks, endings=(".json",), nested=True),
    Format("label-studio", "violations", read_label_studio, _looks_like, endings=(".json", ".csv")),
)
