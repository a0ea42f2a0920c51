"""Records of Argilla: users' responses to questions and models' suggestions.

    {"id": "r1", "fields": {"text": "Good."}, "suggestions": {"tone": {"value": "kind", "agent": "m"}},
     "responses": {"tone": [{"value": "kind", "user_id": "u1"}]}}

Labels also as rows of Parquet, with columns such as tone.responses and tone.responses.users.

The format is that of Argilla 2. Source: https://docs.argilla.io/latest/how_to_guides/import_export
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Any, NamedTuple

from adjudge.readers.io.json_documents import object_in, objects_in, text_in
from adjudge.readers.labels import annotation_export as export
from adjudge.readers.parsed_input import Opened

_ID, _USER, _USERS = "id", "user_id", ".responses.users"
COUNTED = (None, "submitted")
"""Statuses of responses that are neither drafts nor discarded."""


class Answer(NamedTuple):
    """A user's, or a model's, answer to a question. status: None if the file lacks it, or a model gave it."""

    question: str
    author: str | None
    value: Any
    status: str | None = None
    suggested: bool = False


def answers_of(record: Mapping[str, Any]) -> Iterator[Answer]:
    """A record's responses and suggestions. Raises DataError with a message that follows the record's place."""
    responses, suggestions = object_in(record, "responses"), object_in(record, "suggestions")
    for question in responses:
        for one in objects_in(responses, question):
            yield Answer(question, text_in(one, _USER), one.get("value"), text_in(one, "status"))
    for question in suggestions:
        if (value := object_in(suggestions, question).get("value")) is not None:
            yield Answer(question, text_in(suggestions[question], "agent"), value, suggested=True)


def fields_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record without answers: its id, fields and metadata."""
    identity = record.get(_ID) if record.get(_ID) is not None else record.get("_server_id")
    return {**object_in(record, "metadata"), **object_in(record, "fields"), _ID: identity}


def _with_answers(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of Parquet, with columns such as tone.responses.users and tone.suggestion, as a record."""
    record: dict[str, Any] = {"fields": row, "responses": {}, "suggestions": {}, _ID: row.get(_ID)}
    for name in (name.removesuffix(_USERS) for name in row if name.endswith(_USERS)):
        parts = {"value": "", _USER: ".users", "status": ".status"}
        given = zip_longest(*(row.get(f"{name}.responses{part}") or () for part in parts.values()))
        record["responses"][name] = [dict(zip(parts, one, strict=True)) for one in given]
        agent = row.get(f"{name}.suggestion.agent")
        record["suggestions"][name] = {"value": row.get(f"{name}.suggestion"), "agent": agent}
    return record


def _holds_labels(opened: export.LabelFile) -> bool:
    return is_argilla(opened) or any(name.endswith(_USERS) for row in opened.first for name in row)


def is_argilla(opened: Opened[Any]) -> bool:
    """Whether some objects have fields and lists of answers by question; values by user are another tool's."""
    records = [one for one in opened.first if "fields" in one and {"responses", "suggestions"} & one.keys()]
    responses = (one.get("responses") or {} for one in records)
    return any(isinstance(one, dict) and dict not in map(type, one.values()) for one in responses)


def read_labels(opened: export.LabelFile) -> export.Parts:
    """A row per record and user. The agent of a suggestion is its model.

    Discarded responses and drafts have no answer.
    """
    return export.unfolded(opened, export.Tool({"item": _ID, "annotator": _USER}, _rows), opened.objects)


def _rows(record: dict[str, Any]) -> Iterator[export.ToolRow]:
    record = record if "fields" in record else _with_answers(record)
    fields = export.scalars(record, fields_of(record))
    answers = defaultdict[tuple[str | None, bool], dict[str, Any]](dict)
    for one in answers_of(record):
        author = one.author or ("suggestion" if one.suggested else None)
        answers[author, one.suggested][one.question] = one.value if one.status in COUNTED else None
    for (author, suggested), values in answers.items():
        yield export.ToolRow(fields, author, values, model=suggested)


_ENDINGS = (".json", ".jsonl", ".parquet")
FORMAT = export.Format("argilla", "reliability", read_labels, _holds_labels, endings=_ENDINGS, nested=True)
