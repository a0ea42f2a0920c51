"""Tasks of Label Studio with their annotations and predictions, from JSON, JSON-MIN and CSV.

Old exports call annotations completions and ground truth honeypots. Source: https://labelstud.io/guide/export
"""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple

from adjudge.readers.io.json_documents import check, json_value, list_in, not_plain, objects_in, plain_text, text_in
from adjudge.readers.labels.annotation_export import Skipped

_LISTS = {"annotations": "completed_by", "completions": "completed_by", "predictions": "model_version"}
"""Key of a task -> the key of the annotator in its annotations."""
TEXT_TYPES = LABELS, HYPERTEXT = ("labels", "hypertextlabels")
"""Types of results that label text, and the key of their labels."""


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
            who = one.get(annotator_key)
            annotator = text_in(who, "email") or text_in(who, "id") or plain_text(who)
            annotator = annotator or ("model" if predicted else None)
            yield Annotation(one.get("id"), annotator, results, cancelled, trusted, predicted)


def type_of(result: Mapping[str, Any]) -> str:
    """The type of a result of an annotation."""
    return text_in(result, "type") or "without a type"


def is_task(value: Mapping[str, Any]) -> bool:
    """Whether an object is a task with annotations or predictions."""
    lists = [value[key] for key in _LISTS if isinstance(value.get(key), list)]
    annotations = [one for many in lists for one in many if isinstance(one, dict)]
    return isinstance(value.get("data"), dict) and bool(lists) and all("result" in one for one in annotations)


# --- JSON-MIN and CSV ---


def as_task(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """A record of JSON-MIN as a task: its lists of labelled regions are its annotation."""
    if not {"data", *_LISTS}.isdisjoint(value):
        return value
    beside = ("id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time")
    data = {key: one for key, one in value.items() if key not in beside}
    lists = (one for key, one in data.items() if has_regions(one) or (key == "label" and isinstance(one, list)))
    regions = ((isinstance(one, dict) and HYPERTEXT in one, one) for one in chain.from_iterable(lists))
    result = [{"type": HYPERTEXT if is_hypertext else LABELS, "value": one} for is_hypertext, one in regions]
    return {**value, "data": data, "annotations": [{"completed_by": value.get("annotator"), "result": result}]}


def is_record(value: Mapping[str, Any]) -> bool:
    """Whether an object is a record of JSON-MIN with labelled regions of a text, or one that names its annotation."""
    return "annotation_id" in value or any(map(has_regions, value.values()))


def has_regions(value: object) -> bool:
    """Whether a value is a list with labelled regions of a text."""
    return isinstance(value, list) and any(isinstance(one, dict) and {*TEXT_TYPES} & one.keys() for one in value)


def record_of_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of CSV as a record of JSON-MIN, with parsed JSON cells."""
    return {name: json_value(cell) if str(cell)[:1] in ("{", "[") else cell for name, cell in row.items()}
