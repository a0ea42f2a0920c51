"""Exports of Label Studio (JSON, JSON-MIN, CSV) in which whole items are judged, or two texts are compared.

    [{"id": 1, "data": {"text": "Good."}, "annotations": [{"completed_by": 1, "ground_truth": false, "result": [
        {"from_name": "sentiment", "type": "choices", "value": {"choices": ["Positive"]}}]}]}]

A record of JSON-MIN, or a row of CSV, is an annotation: {"text": "Good.", "id": 1, "sentiment": "Positive",
"annotator": 1, "annotation_id": 1, "lead_time": 2.5, ...}.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from adjudge.errors import DataError
from adjudge.readers.io.json_documents import json_value, list_in, object_in, objects_in, plain_text
from adjudge.readers.io.source import Format
from adjudge.readers.labels.annotation_export import Row, Tool, answer_text, unfolded
from adjudge.readers.labels.judgments import Options as LabelOptions
from adjudge.readers.labels.judgments import Parts
from adjudge.readers.pairs.pairs import Options as PairOptions
from adjudge.readers.pairs.pairwise_export import Said, read_compared
from adjudge.readers.parsed_input import Opened
from adjudge.schemas.pairs import AnnotatedPairs

_ANSWERS = {**{name: name for name in ("choices", "rating", "taxonomy", "number")}, "pairwise": "selected"}
"""Types of results that may judge a whole item -> the key of the answer in their value."""

_ID, _WHO = "id", "completed_by"
_ANNOTATOR = "annotator"
_MIN = {_ANNOTATOR, "annotation_id", "lead_time"}
"""By what JSON-MIN and CSV are known."""

_MODEL = "model"
"""What the author of predictions is called that have no version."""

_NAMES = {"item": _ID, "annotator": _WHO}


def read_choices(found: Opened[LabelOptions]) -> Parts:
    """Exports of Label Studio (JSON, JSON-MIN, CSV) with choices, ratings or taxonomies of whole items.

    A row per annotation; those that are the ground truth are the reference, unless it is named.

    What models predict counts as that of the annotator whom their version names. An annotation that was cancelled has
    no answer. Results of other types, and on a part of an item, are left out and counted.
    """
    if not found.is_json:
        return unfolded(found, Tool(_NAMES, _cells), found.values)
    rows = _task if any("data" in value for value in found.first) else _record
    return unfolded(found, Tool(_NAMES, rows, unit="task"), found.values)


def _task(task: dict[str, Any]) -> Iterator[Row]:
    """The annotations and predictions of a task."""
    known = {**task, **object_in(task, "data"), _ID: task.get(_ID)}
    for annotation in objects_in(task, "annotations"):
        answers, left = ({}, []) if annotation.get("was_cancelled") is True else _results(annotation)
        who = {_WHO: person(annotation.get(_WHO)), "annotation_id": annotation.get("id")}
        yield Row(known | who, answers, trusted=annotation.get("ground_truth") is True, left=left)
    for prediction in objects_in(task, "predictions"):
        answers, left = _results(prediction)
        yield Row(known | {_WHO: plain_text(prediction.get("model_version")) or _MODEL}, answers, left=left)


def _results(annotation: Mapping[str, Any]) -> tuple[dict[str, list[Any]], list[str]]:
    """The answers by question, and the types of results that are none."""
    answers, left = dict[str, list[Any]](), list[str]()
    for result in objects_in(annotation, "result"):
        kind, name = plain_text(result.get("type")) or "without a type", plain_text(result.get("from_name"))
        value = object_in(result, "value")
        if name and _ANSWERS.get(kind) in value and len(value) == 1:
            answer = value[_ANSWERS[kind]]
            answers.setdefault(name, []).extend(answer if isinstance(answer, list) else [answer])
        else:
            left.append(kind)
    return answers, left


def person(annotator: object) -> str | None:
    """What an annotator is called: the e-mail address, else the number."""
    if isinstance(annotator, dict):
        return plain_text(annotator.get("email")) or plain_text(annotator.get("id"))
    return plain_text(annotator)


# --- JSON-MIN and CSV ---


def _record(record: dict[str, Any]) -> Iterator[Row]:
    """An annotation of JSON-MIN, which writes its answers between the task's id and the annotator."""
    names = list(record)
    first, last = (names.index(name) if name in names else 0 for name in (_ID, _ANNOTATOR))
    answers = {name: _unpacked(record[name]) for name in names[first + 1 : last]}
    left = [name for name, answer in answers.items() if isinstance(answer, dict)]
    answers = {name: answer for name, answer in answers.items() if name not in left}
    yield Row(record | {_WHO: person(record.get(_ANNOTATOR))}, answers, left=left)


def _cells(record: dict[str, Any]) -> Iterator[Row]:
    """A row of CSV, whose columns are sorted, so that which of them are answers is not said."""
    known = {name: answer_text(_unpacked(_parsed(value))) for name, value in record.items()}
    yield Row(known | {_WHO: record.get(_ANNOTATOR)}, {})


def _parsed(cell: object) -> object:
    """What a cell of CSV says where it holds JSON; else its text."""
    return json_value(cell) if isinstance(cell, str) and cell.startswith(("{", "[")) else cell


def _unpacked(value: object) -> object:
    """An answer as JSON-MIN writes it: plain, an object that holds it, or a list of such."""
    if isinstance(value, dict):
        held = [value[key] for key in _ANSWERS.values() if key in value]
        return held[0] if held and len(value) == 1 else value
    if isinstance(value, list) and len(value) == 1:
        return _unpacked(value[0])
    return value


def _looks_like(found: Opened[LabelOptions]) -> bool:
    """Whether the first objects are tasks with annotations, or records of JSON-MIN; or a table is the CSV."""
    if not found.is_json:
        return set(found.names) >= _MIN
    return any(is_task(value) or value.keys() >= _MIN for value in found.first)


def is_task(value: dict[str, Any]) -> bool:
    """Whether an object is a task with annotations or predictions."""
    return "data" in value and not value.keys().isdisjoint(("annotations", "predictions"))


# --- pairs ---


def read_pairs(found: Opened[PairOptions]) -> AnnotatedPairs:
    """Exports of Label Studio with pairwise comparisons: JSON, JSON-MIN or CSV.

    The votes in an export: JSON, JSON-MIN or CSV.
    """
    return read_compared(found, found.values, _votes, "an export of Label Studio")


def _votes(record: Mapping[str, Any], left: Counter[str]) -> tuple[dict[str, Any], list[Said]]:
    """What a task, or a record of JSON-MIN or CSV, says of a pair, and who prefers which side."""
    if not isinstance(record.get("data"), dict):
        chosen = {name: side for name, one in record.items() if (side := _selected(_parsed(one))) is not None}
        who = plain_text(record.get(_ANNOTATOR))
        known = {name: one for name, one in record.items() if name not in chosen}
        return known, [Said(who, name, side) for name, side in chosen.items()]
    annotations = objects_in(record, "annotations")
    kept = [one for one in annotations if one.get("was_cancelled") is not True]
    left["cancelled"] += len(annotations) - len(kept)
    left["predicted"] += len(list_in(record, "predictions"))
    left["unanswered"] += not kept
    return {**record["data"], _ID: record.get(_ID)}, [said for one in kept for said in _compared(one)]


def _compared(annotation: Mapping[str, Any]) -> Iterator[Said]:
    """The comparisons in an annotation."""
    for one in objects_in(annotation, "result"):
        if one.get("type") == "pairwise":
            sides = tuple(part.strip() for part in (plain_text(one.get("to_name")) or "").split(","))
            question = plain_text(one.get("from_name")) or "pairwise"
            yield Said(person(annotation.get(_WHO)), question, _selected(one.get("value")), sides)


def _selected(value: object) -> object:
    """The side that was selected, where a cell, or a result, says one."""
    inner = value[0] if isinstance(value, list) and len(value) == 1 else value
    return inner.get("selected") if isinstance(inner, dict) else None


def _holds_pairs(found: Opened[PairOptions]) -> bool:
    """Whether some of the first records hold a comparison."""
    if found.is_text and not set(found.names) >= _MIN:
        return False
    with suppress(DataError):
        return any(_votes(record, Counter())[1] for record in (found.values.values if found.is_text else found.first))
    return False


FORMAT = (
    Format("label-studio", "annotations", read_pairs, _holds_pairs, 1),
    Format("label-studio", "reliability", read_choices, _looks_like, endings=(".json", ".csv")),
)
