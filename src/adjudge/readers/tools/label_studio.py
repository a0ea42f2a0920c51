"""JSON exports of Label Studio with labels of whole items or comparisons of two texts.

[{"id": 1, "data": {"text": "Good."}, "annotations": [{"completed_by": 1, "ground_truth": false, "result": [
    {"from_name": "sentiment", "type": "choices", "value": {"choices": ["Positive"]}}]}]}]

Source: https://labelstud.io/guide/export
"""

from collections.abc import Iterator
from typing import Any

from adjudge.readers.io.json_documents import object_in, plain_text
from adjudge.readers.labels import annotation_export as export
from adjudge.readers.tools import label_studio_tasks as tasks

_ID = "id"
_ANSWERS = {"choices": "choices", "rating": "rating", "taxonomy": "taxonomy", "number": "number"}
_ANSWERS["pairwise"] = "selected"
"""Type of a result about a whole item -> the key of the answer in its value."""


def read_choices(opened: export.LabelFile) -> export.Parts:
    """A row per annotation; ground-truth annotations are the reference, unless another is named.

    The version of a prediction is its model. A cancelled annotation has no answer. Results of other types, results on a
    part of an item, and predictions given as ids are excluded and counted.
    """
    tool = export.Tool({"item": _ID, "annotator": "completed_by"}, _rows, unit="task")
    return export.unfolded(opened, tool, opened.objects)


def _rows(task: dict[str, Any]) -> Iterator[export.ToolRow | export.Skipped]:
    """The annotations and predictions of a task."""
    fields = export.scalars(task, object_in(task, "data"), {_ID: task.get(_ID)})
    for one in tasks.annotations_of(task):
        if isinstance(one, export.Skipped):
            yield one
            continue
        answers: dict[str, list[Any]] = {}
        for result in one.results or ():
            name, value = plain_text(result.from_name), result.value or {}
            answer = value.get(_ANSWERS.get(str(result.type), "")) if name and len(value) == 1 else None
            if name and answer is not None:
                answers.setdefault(name, []).extend(answer if isinstance(answer, list) else [answer])
            else:
                yield export.Skipped("results without an answer about a whole item are excluded", str(result.type))
        trusted, own = bool(one.ground_truth or one.honeypot), {"annotation_id": one.id}
        yield export.ToolRow(fields, one.annotator, answers, trusted, own, isinstance(one, tasks.Prediction))


def _has_tasks(opened: export.LabelFile) -> bool:
    return any(map(tasks.is_task, opened.first))


FORMAT = export.Format("label-studio", "reliability", read_choices, _has_tasks, endings=(".json",), nested=True)
