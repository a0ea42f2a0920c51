"""Exports of Label Studio (JSON, JSON-MIN, CSV) with labels of whole items or comparisons of two texts.

    [{"id": 1, "data": {"text": "Good."}, "annotations": [{"completed_by": 1, "ground_truth": false, "result": [
        {"from_name": "sentiment", "type": "choices", "value": {"choices": ["Positive"]}}]}]}]

A record of JSON-MIN, or a row of CSV, is an annotation: {"text": "Good.", "id": 1, "sentiment": "Positive",
"annotator": 1, "annotation_id": 1, "lead_time": 2.5, ...}. Old exports call annotations completions and ground truth
honeypots. Source: https://labelstud.io/guide/export
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from adjudge.readers.io.json_documents import check, json_value, list_in, not_plain, object_in, objects_in, plain_text
from adjudge.readers.io.source import Format
from adjudge.readers.labels.annotation_export import Row, Skipped, Tool, answer_text, scalars, unfolded
from adjudge.readers.labels.judgments import LabelFile, Parts

_ANSWERS = {**{name: name for name in ("choices", "rating", "taxonomy", "number")}, "pairwise": "selected"}
"""Type of a result about a whole item -> the key of the answer in its value."""

_LISTS = {"annotations": "completed_by", "completions": "completed_by", "predictions": "model_version"}
"""Key of a task -> the key of the annotator in its annotations."""

_ID, _ANNOTATOR = "id", "annotator"
_MIN = {_ANNOTATOR, "annotation_id", "lead_time"}
"""Keys that identify JSON-MIN and CSV."""

_MODEL = "model"
"""Name of the author of predictions without a version."""

_NAMES = {"item": _ID, "annotator": "completed_by"}
_NO_ANSWER = "results without an answer about a whole item are excluded"


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
            check(not_plain(one), f", {key} {number}")
            cancelled = one.get("was_cancelled") is True
            results = [] if cancelled else objects_in(one, "result", needed=True)
            trusted = one.get("ground_truth") is True or one.get("honeypot") is True
            annotator = person(one.get(annotator_key)) or (_MODEL if predicted else None)
            yield Annotation(one.get("id"), annotator, results, cancelled, trusted, predicted)


def person(annotator: object) -> str | None:
    """An annotator's name: the e-mail address, else the number."""
    if isinstance(annotator, dict):
        return plain_text(annotator.get("email")) or plain_text(annotator.get("id"))
    return plain_text(annotator)


def is_task(value: Mapping[str, Any]) -> bool:
    """Whether an object is a task of Label Studio with annotations or predictions."""
    lists = [value[key] for key in _LISTS if isinstance(value.get(key), list)]
    annotations = [one for many in lists for one in many if isinstance(one, dict)]
    return isinstance(value.get("data"), dict) and bool(lists) and all("result" in one for one in annotations)


def read_choices(opened: LabelFile) -> Parts:
    """Exports of Label Studio (JSON, JSON-MIN, CSV) with choices, ratings or taxonomies of whole items.

    A row per annotation; ground-truth annotations are the reference, unless another is named.

    The version of a prediction is its model. A cancelled annotation has no answer. Results of other types, results on a
    part of an item, and predictions given as ids are excluded and counted.
    """
    is_tasks = any("data" in value for value in opened.first)
    tool = Tool(_NAMES, _task, unit="task") if is_tasks else Tool(_NAMES, _cells)
    return unfolded(opened, tool, opened.objects)


def _task(task: dict[str, Any]) -> Iterator[Row | Skipped]:
    """The annotations and predictions of a task."""
    fields = scalars(task, object_in(task, "data"), {_ID: task.get(_ID)})
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
                yield Skipped(_NO_ANSWER, plain_text(result.get("type")) or "without a type")
        yield Row(fields, one.annotator, answers, one.trusted, {"annotation_id": one.own}, one.predicted)


# --- JSON-MIN and CSV ---


def _cells(record: dict[str, Any]) -> Iterator[Row]:
    """A record of JSON-MIN, or a row of CSV. Its columns do not identify the answers."""
    fields = {name: answer_text(_unpacked(value)) for name, value in parsed_cells(record).items()}
    yield Row(fields, person(record.get(_ANNOTATOR)), {})


def parsed_cells(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of CSV as a record of JSON-MIN, with parsed JSON cells."""
    is_json = {name: isinstance(cell, str) and cell.startswith(("{", "[")) for name, cell in row.items()}
    return {name: json_value(cell) if is_json[name] else cell for name, cell in row.items()}


def _unpacked(value: object) -> object:
    """An answer in JSON-MIN: plain, in an object, or in a list of such."""
    if isinstance(value, dict):
        answers = [value[key] for key in _ANSWERS.values() if key in value]
        return answers[0] if answers and len(value) == 1 else value
    if isinstance(value, list) and len(value) == 1:
        return _unpacked(value[0])
    return value


def _looks_like(opened: LabelFile) -> bool:
    """Whether the first objects are tasks with annotations or records of JSON-MIN, or a table is the CSV."""
    if not opened.is_json:
        return set(opened.names) >= _MIN
    return any(is_task(value) or value.keys() >= _MIN for value in opened.first)


FORMAT = Format("label-studio", "reliability", read_choices, _looks_like, endings=(".json", ".csv"))
