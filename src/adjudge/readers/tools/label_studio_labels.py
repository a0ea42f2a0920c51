"""JSON exports of Label Studio with labels of whole items or comparisons of two texts.

    [{"id": 1, "data": {"text": "Good."}, "annotations": [{"completed_by": 1, "ground_truth": false, "result": [
        {"from_name": "sentiment", "type": "choices", "value": {"choices": ["Positive"]}}]}]}]

Old exports call annotations completions and ground truth
honeypots. Source: https://labelstud.io/guide/export
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from adjudge.readers.io.json_documents import check, list_in, not_plain, object_in, objects_in, plain_text
from adjudge.readers.io.source import Format
from adjudge.readers.labels.annotation_export import Row, Skipped, Tool, scalars, unfolded
from adjudge.readers.labels.judgments import LabelFile, Parts

_ANSWERS = {**{name: name for name in ("choices", "rating", "taxonomy", "number")}, "pairwise": "selected"}
"""Type of a result about a whole item -> the key of the answer in its value."""

_LISTS = {"annotations": "completed_by", "completions": "completed_by", "predictions": "model_version"}
"""Key of a task -> the key of the annotator in its annotations."""

_ID = "id"

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
    """JSON exports of Label Studio with choices, ratings or taxonomies of whole items.

    A row per annotation; ground-truth annotations are the reference, unless another is named.

    The version of a prediction is its model. A cancelled annotation has no answer. Results of other types, results on a
    part of an item, and predictions given as ids are excluded and counted.
    """
    return unfolded(opened, Tool(_NAMES, _task, unit="task"), opened.objects)


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


FORMAT = Format(
    "label-studio", "reliability", read_choices, lambda opened: any(map(is_task, opened.first)), endings=(".json",)
)
