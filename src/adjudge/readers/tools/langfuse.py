"""Scores of Langfuse from its tables, its API and its exports: annotators' and judges' labels of traces.

{"id": "s1", "traceId": "t1", "observationId": null, "name": "tone", "value": 1, "stringValue": "polite",
 "source": "ANNOTATION", "dataType": "CATEGORICAL", "authorUserId": "u7"}

Or with names such as trace_id; from the API within {"data": [...], "meta": {}}, with --jq ".data[]".
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

from adjudge.readers.column_names import joined_key
from adjudge.readers.io.json_documents import not_plain, text_in
from adjudge.readers.labels.annotation_export import Format, LabelFile, Parts, Tool, ToolRow, scalars, unfolded

_ITEM, _WHO = "item", "annotator"
_HUMAN = "ANNOTATION"
"""The source of human annotators' scores in Langfuse."""


def read_langfuse(opened: LabelFile) -> Parts:
    """A row per score; its name is the question, its text the answer, else its value.

    If judges or programs scored too, human annotations are their reference for the same trace or observation.
    """
    records = [_with_joined_keys(value) for value in opened.objects.values if not not_plain(value)]
    judged = any(text_in(one, "source") != _HUMAN for one in records)
    return unfolded(opened, Tool({"item": _ITEM, "annotator": _WHO}, partial(_rows, judged=judged)), opened.objects)


def _with_joined_keys(score: dict[str, Any]) -> dict[str, Any]:
    """A score with the same keys from every kind of export."""
    return {joined_key(key): value for key, value in score.items()}


def _rows(score: dict[str, Any], *, judged: bool) -> Iterator[ToolRow]:
    keyed = _with_joined_keys(score)
    source, name = text_in(keyed, "source"), text_in(keyed, "name") or "score"
    item = "/".join(filter(None, (text_in(keyed, key) for key in ("traceid", "observationid"))))
    author = text_in(keyed, "authoruserid") if source == _HUMAN else text_in(keyed, "evaluatorid")
    answer = text_in(keyed, "stringvalue") or text_in(keyed, "value")
    yield ToolRow(scalars(score, {_ITEM: item or None}), author or source, {name: answer}, judged and source == _HUMAN)


def _looks_like(opened: LabelFile) -> bool:
    return {joined_key(name) for name in opened.names} >= {"traceid", "name", "value", "source", "datatype"}


FORMAT = Format("langfuse", "reliability", read_langfuse, _looks_like, endings=(".csv", ".json", ".jsonl"))
