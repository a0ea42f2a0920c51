"""Tasks of Scale AI: what was asked of a text, and the response that Scale delivered.

{"task_id": "t1", "type": "categorization", "status": "completed", "params": {"attachment": "Good.", "categories":
 ["kind", "rude"]}, "metadata": {"gold": "kind"}, "response": {"category": "kind"}}

Or with fields: {"response": {"annotations": {"tone": {"type": "category", "response": [["kind"]]}}}}.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

from karat.formats.documents import Number, not_plain, plain_text
from karat.formats.guess import ANNOTATOR, GOLD
from karat.formats.judgments import Options, Parts
from karat.formats.labelled import Row, Tool, unfolded
from karat.formats.naming import nearest_to
from karat.formats.opened import Opened
from karat.formats.reading import object_in
from karat.formats.source import Format

_WHO, _TRUE, _SCALE = "annotator", "reference", "scale"
_NEEDED = {"task_id", "type", "status", "params", "response"}
_DONE = "completed"


def read_scale_tasks(found: Opened[Options]) -> Parts:
    """A row per completed task; fields are questions. The annotator is its worker, else `scale`.

    What its metadata call gold, expected, reference ... is the reference. Tasks that are not completed are counted.
    """
    records = [value for value in found.values.values if not not_plain(value)]
    held = [one["metadata"] for one in records if isinstance(one.get("metadata"), dict)]
    true = nearest_to(GOLD, dict.fromkeys(name for one in held for name in one))
    names = {"item": "task_id", "annotator": _WHO, **({"reference": _TRUE} if true else {})}
    undone = sum(plain_text(one.get("status")) != _DONE for one in records)
    told = [f"{found.source.name}: tasks that are not completed are left out: {undone:,}"] if undone else []
    return unfolded(found, Tool(names, partial(_rows, true=true)), found.values, told)


def _rows(task: dict[str, Any], *, true: str | None) -> Iterator[Row]:
    if plain_text(task.get("status")) != _DONE:
        return
    response, metadata = object_in(task, "response"), object_in(task, "metadata")
    fields = object_in(response, "annotations")
    answers = {name: _answer(object_in(fields, name).get("response")) for name in fields}
    answers |= {name: one for name, one in response.items() if isinstance(one, str | Number | bool | list)}
    who = plain_text(task.get(nearest_to(ANNOTATOR, task) or "")) or _SCALE
    yield Row({**object_in(task, "params"), **metadata, **task, _WHO: who, _TRUE: metadata.get(true or "")}, answers)


def _answer(response: object) -> object:
    """An answer without the lists around it: [["kind"]] is kind."""
    while isinstance(response, list) and len(response) == 1:
        response = response[0]
    return response


def _looks_like(found: Opened[Options]) -> bool:
    return set(found.names) >= _NEEDED


FORMAT = Format("scale", "reliability", read_scale_tasks, _looks_like, endings=(".json", ".jsonl"))
