"""Scores of Langfuse, as its tables, its API and its exports write them: what annotators and judges say of traces.

{"id": "s1", "traceId": "t1", "observationId": null, "name": "tone", "value": 1, "stringValue": "polite",
 "source": "ANNOTATION", "dataType": "CATEGORICAL", "authorUserId": "u7"}

Or with names such as trace_id; from the API within {"data": [...], "meta": {}}, as export.json#data.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

from adjudge.readers.column_names import joined_key
from adjudge.readers.io.json_documents import not_plain, plain_text
from adjudge.readers.io.source import Format
from adjudge.readers.labels.annotation_export import Row, Tool, scalars, unfolded
from adjudge.readers.labels.judgments import LabelFile, Parts

_ITEM, _WHO = "item", "annotator"
_PEOPLE = "ANNOTATION"
"""The source of scores that people gave in Langfuse."""
_NEEDED = {"traceid", "name", "value", "source", "datatype"}


def read_langfuse(found: LabelFile) -> Parts:
    """A row per score; its name is the question, its text the answer, else its value.

    What people annotated is the reference of what judges and programs say of the same trace or observation, unless
    people alone did.
    """
    records = [_with_joined_keys(value) for value in found.objects.values if not not_plain(value)]
    judged = any(plain_text(one.get("source")) != _PEOPLE for one in records)
    return unfolded(found, Tool({"item": _ITEM, "annotator": _WHO}, partial(_rows, judged=judged)), found.objects)


def _with_joined_keys(score: dict[str, Any]) -> dict[str, Any]:
    """A score whose keys are spelt alike, whichever way it was exported."""
    return {joined_key(key): value for key, value in score.items()}


def _rows(score: dict[str, Any], *, judged: bool) -> Iterator[Row]:
    own = _with_joined_keys(score)
    source, name = plain_text(own.get("source")), plain_text(own.get("name")) or "score"
    item = "/".join(filter(None, (plain_text(own.get(key)) for key in ("traceid", "observationid"))))
    author = plain_text(own.get("authoruserid")) if source == _PEOPLE else plain_text(own.get("evaluatorid"))
    answer = plain_text(own.get("stringvalue")) or plain_text(own.get("value"))
    yield Row(scalars(score, {_ITEM: item or None}), author or source, {name: answer}, judged and source == _PEOPLE)


def _looks_like(found: LabelFile) -> bool:
    return {joined_key(name) for name in found.names} >= _NEEDED


FORMAT = Format("langfuse", "reliability", read_langfuse, _looks_like, endings=(".csv", ".json", ".jsonl"))
