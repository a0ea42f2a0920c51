"""Tasks of Label Studio with their annotations and predictions, from JSON, JSON-MIN and CSV.

Old exports call annotations completions and ground truth honeypots. Source: https://labelstud.io/guide/export
"""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from msgspec import Struct, field

from adjudge.errors import DataError
from adjudge.readers.io.json_documents import as_struct, json_value, plain_text, text_in
from adjudge.readers.labels.annotation_export import Skipped

TEXT_TYPES = LABELS, HYPERTEXT = ("labels", "hypertextlabels")
"""Types of results that label text, and the key of their labels."""


class TaskResult(Struct, gc=False):
    """A result of an annotation: an answer, a labelled region, or a relation between two, without a value."""

    type: str | None = "without a type"
    from_name: Any = None
    value: dict[str, Any] | None = None


class Annotation(Struct, gc=False):
    """An annotation of a task by a user. A cancelled one has no results."""

    id: Any = None
    annotator: Any = field(name="completed_by", default=None)
    results: list[TaskResult] | None = field(name="result", default=None)
    was_cancelled: bool | int | None = None
    ground_truth: bool | int | None = None
    honeypot: bool | int | None = None


class Prediction(Annotation, gc=False):
    """An annotation of a task by a model."""

    annotator: Any = field(name="model_version", default=None)


class _Task(Struct):
    annotations: list[Annotation] | None = None
    completions: list[Annotation] | None = None
    predictions: list[Prediction | bool | int | float | str | None] | None = None


LISTS = _Task.__struct_fields__
"""The keys of a task that hold its annotations."""


def annotations_of(task: Mapping[str, Any]) -> Iterator[Annotation | Skipped]:
    """The annotations and predictions of a task, with their annotators' names.

    Raises DataError with a message that follows the task's place.
    """
    lists = as_struct(task, _Task)
    for key in LISTS:
        for number, one in enumerate(getattr(lists, key) or (), 1):
            if not isinstance(one, Annotation):
                yield Skipped("predictions given as ids, without results, are excluded")
                continue
            if one.results is None and not one.was_cancelled:
                raise DataError(f", {key} {number}, result: expected a list; got null")
            one.results = [] if one.was_cancelled else one.results
            name = plain_text(one.annotator) or text_in(one.annotator, "email") or text_in(one.annotator, "id")
            one.annotator = name or ("model" if isinstance(one, Prediction) else None)
            yield one


def is_task(value: Mapping[str, Any]) -> bool:
    """Whether an object is a task with annotations or predictions."""
    lists = [value[key] for key in LISTS if isinstance(value.get(key), list)]
    annotations = [one for many in lists for one in many if isinstance(one, dict)]
    return isinstance(value.get("data"), dict) and bool(lists) and all("result" in one for one in annotations)


# --- JSON-MIN and CSV ---


def as_task(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """A record of JSON-MIN as a task: its lists of labelled regions are its annotation."""
    if not {"data", *LISTS}.isdisjoint(value):
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
