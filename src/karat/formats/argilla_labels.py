"""Records of Argilla, 1 and 2: what users respond to questions, and what models suggest.

Nested, as `records.to_json` writes them, or with a column for each question's responses, as data sets of them have it:

    [{"id": "r1", "fields": {"text": "Good."}, "metadata": {}, "suggestions": {"tone": {"value": "kind", "agent": "m"}},
      "responses": {"tone": [{"value": "kind", "user_id": "u1"}]}}]
    {"id": "r1", "text": "Good.", "tone.responses": ["kind"], "tone.responses.users": ["u1"], "tone.suggestion": "kind"}
"""

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any, NamedTuple

from karat.errors import DataError
from karat.formats.documents import kind, plain_text
from karat.formats.judgments import Options, Parts
from karat.formats.labelled import Row, Tool, object_in, objects_in, unfolded
from karat.formats.opened import Opened
from karat.formats.source import Format

_ID, _USER = "id", "user_id"
_IDS = (_ID, "external_id", "_server_id")
_RESPONSES, _SUGGESTION = ".responses", ".suggestion"
_SUGGESTED = "-suggestion"
_SUBMITTED = (None, "submitted")
_NOBODY = "suggestion"
"""What the author of suggestions is called that have no agent."""


class _Said(NamedTuple):
    """An answer of someone to a question; without an answer where it was discarded or is a draft."""

    who: str | None
    question: str
    answer: Any


def read_argilla(found: Opened[Options]) -> Parts:
    """A row per record and user. Suggestions count as those of the annotator whom their agent names.

    Responses that were discarded, or are drafts, have no answer.
    """
    return unfolded(found, Tool({"item": _ID, "annotator": _USER}, _rows), found.values)


def _rows(record: dict[str, Any]) -> Iterator[Row]:
    nested = isinstance(record.get("fields"), dict)
    known = {**record, **object_in(record, "fields")} if nested else dict(record)
    known |= record["metadata"] if isinstance(record.get("metadata"), dict) else {}
    known[_ID] = next((record[name] for name in _IDS if record.get(name) is not None), None)
    answers: dict[str | None, dict[str, Any]] = {}
    for said in _nested(record) if nested else _in_columns(record):
        answers.setdefault(said.who, {})[said.question] = said.answer
    for who, given in answers.items():
        yield Row(known | {_USER: who}, given)


def _nested(record: dict[str, Any]) -> Iterator[_Said]:
    """What stands in a nested record, of Argilla 2 by question and of Argilla 1 by user."""
    if isinstance(record.get("responses"), list):
        for response in objects_in(record, "responses"):
            for question in object_in(response, "values"):
                yield _said(question, {**response, **object_in(response["values"], question)})
        for suggestion in objects_in(record, "suggestions"):
            yield _suggested(plain_text(suggestion.get("question_name")) or "", suggestion)
        return
    responses, suggestions = object_in(record, "responses"), object_in(record, "suggestions")
    for question in responses:
        for response in objects_in(responses, question):
            yield _said(question, response)
    for question in suggestions:
        yield _suggested(question, object_in(suggestions, question))


def _in_columns(record: dict[str, Any]) -> Iterator[_Said]:
    """What stands in a record with columns for each question, of Argilla 2 as lists and of Argilla 1 as objects."""
    for name, value in record.items():
        if name.endswith(_RESPONSES):
            users, statuses = (_list(record, f"{name}.{part}") for part in ("users", "status"))
            for answer, user, status in zip_longest(_list(record, name), users, statuses):
                yield _said(name.removesuffix(_RESPONSES), {"value": answer, _USER: user, "status": status})
        elif name.endswith(_SUGGESTION) and value is not None:
            yield _suggested(name.removesuffix(_SUGGESTION), {"value": value, "agent": record.get(f"{name}.agent")})
        elif name.endswith(_SUGGESTED) and value is not None:
            yield _suggested(name.removesuffix(_SUGGESTED), {"value": value, **object_in(record, f"{name}-metadata")})
        elif _are_responses(value):
            for response in objects_in(record, name):
                yield _said(name, response)


def _said(question: str, response: dict[str, Any]) -> _Said:
    answered = response.get("status") in _SUBMITTED
    return _Said(plain_text(response.get(_USER)), question, response.get("value") if answered else None)


def _suggested(question: str, suggestion: dict[str, Any]) -> _Said:
    return _Said(plain_text(suggestion.get("agent")) or _NOBODY, question, suggestion.get("value"))


def _list(record: dict[str, Any], name: str) -> list[Any]:
    value = record.get(name)
    if not isinstance(value, list | None):
        raise DataError(f", {name}: expected a list; got {kind(value)}")
    return value or []


def _are_responses(value: object) -> bool:
    return isinstance(value, list) and any(isinstance(one, dict) and {_USER, "value"} <= one.keys() for one in value)


def _looks_like(found: Opened[Options]) -> bool:
    """Whether some record has responses by question and user."""
    if not found.is_json:
        return any(f"{name}.users" in found.names for name in found.names if name.endswith(_RESPONSES))
    return any(
        (isinstance(value.get("fields"), dict) and isinstance(value.get("responses"), dict | list))
        or any(f"{name}.users" in value for name in value if name.endswith(_RESPONSES))
        or (any(map(_are_responses, value.values())) and any(name.endswith(_SUGGESTED) for name in value))
        for value in found.first
    )


FORMAT = Format("argilla", "reliability", read_argilla, _looks_like, endings=(".json", ".jsonl", ".parquet"))
