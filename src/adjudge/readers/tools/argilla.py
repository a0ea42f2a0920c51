"""Records of Argilla 2: users' responses to questions and models' suggestions, by question.

    {"id": "r1", "fields": {"text": "Good."}, "suggestions": {"tone": {"value": "kind", "agent": "m"}},
     "responses": {"tone": [{"value": "kind", "user_id": "u1"}]}}

Labels also as rows of Parquet, with columns such as tone.responses and tone.responses.users.

Source: https://docs.argilla.io/latest/how_to_guides/import_export
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Any, NamedTuple

from adjudge.readers.io.json_documents import object_in, objects_in, plain_text, read_each
from adjudge.readers.io.source import Format
from adjudge.readers.labels.annotation_export import Skipped, Tool, ToolRow, scalars, unfolded
from adjudge.readers.labels.judgments import LabelFile, Parts
from adjudge.readers.parsed_input import Opened
from adjudge.readers.problems import Findings
from adjudge.readers.spans import span_records as spans
from adjudge.schemas.violations import ID, TEXT

_USER, _USERS = "user_id", ".responses.users"
_COUNTED = (None, "submitted")
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
            author, status = plain_text(one.get(_USER)), plain_text(one.get("status"))
            yield Answer(question, author, one.get("value"), status)
    for question in suggestions:
        if (value := object_in(suggestions, question).get("value")) is not None:
            yield Answer(question, plain_text(suggestions[question].get("agent")), value, suggested=True)


def known_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record without answers: its id, fields and metadata."""
    identity = record.get(ID) if record.get(ID) is not None else record.get("_server_id")
    return {**object_in(record, "metadata"), **object_in(record, "fields"), ID: identity}


def _with_answers(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of Parquet, with columns such as tone.responses.users and tone.suggestion, as a record."""
    record: dict[str, Any] = {"fields": row, "responses": {}, "suggestions": {}, ID: row.get(ID)}
    for name in (name.removesuffix(_USERS) for name in row if name.endswith(_USERS)):
        parts = {"value": "", _USER: ".users", "status": ".status"}
        given = zip_longest(*(row.get(f"{name}.responses{part}") or () for part in parts.values()))
        record["responses"][name] = [dict(zip(parts, one, strict=True)) for one in given]
        agent = row.get(f"{name}.suggestion.agent")
        record["suggestions"][name] = {"value": row.get(f"{name}.suggestion"), "agent": agent}
    return record


def _holds_labels(opened: Opened[Any]) -> bool:
    return _looks_like(opened) or any(name.endswith(_USERS) for row in opened.first for name in row)


def _looks_like(opened: Opened[Any]) -> bool:
    """Whether some objects have fields and lists of answers by question; values by user are another tool's."""
    records = [one for one in opened.first if "fields" in one and {"responses", "suggestions"} & one.keys()]
    responses = (one.get("responses") or {} for one in records)
    return any(isinstance(one, dict) and not any(isinstance(user, dict) for user in one.values()) for one in responses)


# --- labels ---


def read_labels(opened: LabelFile) -> Parts:
    """Records of Argilla: users' responses to questions and models' suggestions.

    A row per record and user. The agent of a suggestion is its model.

    Discarded responses and drafts have no answer.
    """
    return unfolded(opened, Tool({"item": ID, "annotator": _USER}, _rows), opened.objects)


def _rows(record: dict[str, Any]) -> Iterator[ToolRow]:
    record = record if "fields" in record else _with_answers(record)
    fields, answers = scalars(record, known_of(record)), defaultdict[tuple[str | None, bool], dict[str, Any]](dict)
    for one in answers_of(record):
        author = one.author or ("suggestion" if one.suggested else None)
        answers[author, one.suggested][one.question] = one.value if one.status in _COUNTED else None
    for (author, suggested), values in answers.items():
        yield ToolRow(fields, author, values, model=suggested)


# --- spans ---


def read_spans(opened: spans.Found) -> spans.Raw:
    """Records of Argilla with a question that asks for spans.

    A line for each text and user; labels are rules.

    Responses that were not submitted are excluded and counted. Models' suggestions count if options name the models as
    annotators and, in predictions, if no user responded.
    """
    read = read_each(opened.objects, lambda record: list(answers_of(record)), Findings())
    every = [one for _, answers in read for one in answers if isinstance(one.value, list)]
    questions = {one.question for one in every for mark in one.value if isinstance(mark, dict) and "start" in mark}
    questions, text = questions or {one.question for one in every if not one.value}, opened.file_column(TEXT)

    def lines(record: spans.Holder) -> Iterator[spans.Line | Skipped]:
        marks, fields = dict[tuple[str | None, bool], list[Any]](), object_in(record, "fields")
        holder = {**record, **known_of(record)}
        if text not in holder:  # one of several fields must be named as the text
            holder[text] = holder[spans.only_text(fields, ", fields")] if fields else None
        for one in answers_of(record):
            if one.question in questions and one.status in _COUNTED:
                author_marks = marks.setdefault((one.author, one.suggested), [])
                author_marks += one.value if isinstance(one.value, list) else [one.value]
            elif one.question in questions:
                yield Skipped("responses that were not submitted are excluded", one.status or "")
        if all(suggested for _, suggested in marks):
            yield Skipped("records without a response that counts")
        for (author, suggested), author_marks in marks.items():
            yield spans.Line({**holder, opened.file_column("annotator"): author}, author_marks, suggested)

    return spans.read_lines(opened, spans.SpanTool(lines, spans.LABELLED), opened.objects)


FORMAT = (
    Format("argilla", "reliability", read_labels, _holds_labels, 0, (".json", ".jsonl", ".parquet"), nested=True),
    Format("argilla", "violations", read_spans, _looks_like, 2, (".json",), nested=True),
)
