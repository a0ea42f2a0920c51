"""Records of Argilla 2: what users respond to questions, and what models suggest.

By question, or with columns for each question, as data sets have them:

    {"id": "r1", "fields": {"text": "Good."}, "suggestions": {"tone": {"value": "kind", "agent": "m"}},
     "responses": {"tone": [{"value": "kind", "user_id": "u1"}]}}
    {"id": "r1", "text": "Good.", "tone.responses": ["kind"], "tone.responses.users": ["u1"], "tone.suggestion": "kind"}

Source: https://docs.argilla.io/latest/how_to_guides/import_export
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Any, NamedTuple

from adjudge.readers.io.json_documents import list_in, object_in, objects_in, plain_text, read_each
from adjudge.readers.io.source import Format
from adjudge.readers.labels.annotation_export import Row, Skipped, Tool, scalars, unfolded
from adjudge.readers.labels.judgments import LabelFile, Parts
from adjudge.readers.pairs.pair_tables import PairAnswer, read_compared
from adjudge.readers.pairs.pairs import PairReading as PairOptions
from adjudge.readers.parsed_input import Opened
from adjudge.readers.problems import Findings
from adjudge.readers.spans import span_records as spans
from adjudge.schemas.pairs import AnnotatedPairs
from adjudge.schemas.violations import ID, TEXT

_USER, _RESPONSES, _SUGGESTION = "user_id", ".responses", ".suggestion"
_OWN = ("responses", "suggestions", "metadata", "vectors", "status", "_server_id")
"""What a record says of itself."""
_NOBODY = "suggestion"
"""What the author of suggestions is called that have no agent."""


class Answer(NamedTuple):
    """What a user, or a model, says to a question. status: None where the file does not say it."""

    question: str
    who: str | None
    value: Any
    status: str | None = None
    suggested: bool = False

    @property
    def counts(self) -> bool:
        """Whether it was submitted; drafts and what was discarded were not."""
        return self.status in (None, "submitted")


def answers_of(record: Mapping[str, Any]) -> Iterator[Answer]:
    """What a record says of responses and suggestions. Raises DataError in words that follow the record's place."""
    nested = "fields" in record
    responses, suggestions = object_in(record, "responses"), object_in(record, "suggestions")
    for name in record if not nested else ():
        if name.endswith(_RESPONSES):
            lists = (list_in(record, key) for key in (name, f"{name}.users", f"{name}.status"))
            given = [dict(zip(("value", _USER, "status"), held, strict=True)) for held in zip_longest(*lists)]
            responses[name.removesuffix(_RESPONSES)] = given
        elif name.endswith(_SUGGESTION):
            held = {"value": record[name], "agent": record.get(f"{name}.agent")}
            suggestions[name.removesuffix(_SUGGESTION)] = held
    for question in responses:
        for held in objects_in(responses, question):
            who, status = plain_text(held.get(_USER)), plain_text(held.get("status"))
            yield Answer(question, who, held.get("value"), status)
    for question in suggestions:
        if (value := object_in(suggestions, question).get("value")) is not None:
            yield Answer(question, plain_text(suggestions[question].get("agent")), value, suggested=True)


def known_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """What a record says beside answers: its id, fields and metadata."""
    columns = {} if "fields" in record else {name: held for name, held in record.items() if name not in _OWN}
    flat = {name: held for name, held in columns.items() if _RESPONSES not in name and _SUGGESTION not in name}
    own = record.get(ID) if record.get(ID) is not None else record.get("_server_id")
    metadata = record.get("metadata")
    return {**(metadata if isinstance(metadata, dict) else {}), **flat, **object_in(record, "fields"), ID: own}


def is_record(value: Mapping[str, Any]) -> bool:
    """Whether an object is a record with answers; values by user, not lists by question, are another tool's."""
    if "fields" not in value:
        return any(name.endswith(f"{_RESPONSES}.users") for name in value)
    responses = value.get("responses") or {}
    lists = isinstance(responses, dict) and not any(isinstance(one, dict) for one in responses.values())
    return lists and not value.keys().isdisjoint(("responses", "suggestions"))


def _looks_like(found: Opened[Any]) -> bool:
    return any(map(is_record, found.first))


# --- labels ---


def read_labels(found: LabelFile) -> Parts:
    """Records of Argilla: what users respond to questions, and what models suggest.

    A row per record and user. Suggestions are those of the model that their agent names.

    Responses that were discarded, or are drafts, have no answer.
    """
    return unfolded(found, Tool({"item": ID, "annotator": _USER}, _rows), found.objects)


def _rows(record: dict[str, Any]) -> Iterator[Row]:
    beside, answers = scalars(record, known_of(record)), defaultdict[tuple[str | None, bool], dict[str, Any]](dict)
    for one in answers_of(record):
        who = one.who or (_NOBODY if one.suggested else None)
        answers[who, one.suggested][one.question] = one.value if one.counts else None
    for (who, suggested), given in answers.items():
        yield Row(beside, who, given, model=suggested)


# --- spans ---


def read_spans(found: spans.Found) -> spans.Raw:
    """Records of Argilla with a question that asks for spans, nested or as a data set.

    A line for each text and user; labels are rules.

    Responses that were not submitted are left out and counted. What models suggest counts where options name them as
    annotators, and, of predictions, where nobody responded.
    """
    read = read_each(found.objects, lambda record: list(answers_of(record)), Findings())
    every = [one for _, answers in read for one in answers if isinstance(one.value, list)]
    marked = ((one.question, mark) for one in every for mark in one.value if isinstance(mark, dict))
    questions = {question for question, mark in marked if "start" in mark and "end" in mark}
    questions, text = questions or {one.question for one in every if not one.value}, found.file_column(TEXT)

    def lines(record: spans.Holder) -> Iterator[spans.Line | Skipped]:
        marks, fields = dict[tuple[str | None, bool], list[Any]](), object_in(record, "fields")
        held = {**record, **known_of(record)}
        if text not in held:  # of several fields it is not clear which is the text
            held[text] = held[spans.only_text(fields, ", fields")] if fields else None
        for one in answers_of(record):
            if one.question in questions and one.counts:
                given = marks.setdefault((one.who, one.suggested), [])
                given += one.value if isinstance(one.value, list) else [one.value]
            elif one.question in questions:
                yield Skipped("responses that were not submitted are left out", one.status or "")
        if all(suggested for _, suggested in marks):
            yield Skipped("records without a response that counts")
        for (who, suggested), given in marks.items():
            yield spans.Line({**held, found.file_column("annotator"): who}, given, suggested)

    return spans.read_lines(found, spans.SpanTool(lines, spans.LABELLED), found.objects)


# --- pairs ---


def read_pairs(found: Opened[PairOptions]) -> AnnotatedPairs:
    """Records of Argilla with a label or a ranking of two texts by each user, nested or as a data set.

    The votes in records: answers to a question for a label or a ranking, by user.
    """
    return read_compared(found, found.objects, _votes, "records of Argilla")


def _votes(record: Mapping[str, Any], left: Counter[str]) -> tuple[dict[str, Any], list[PairAnswer]]:
    answers = list(answers_of(record))
    kept = [PairAnswer(one.who, one.question, one.value) for one in answers if one.counts and not one.suggested]
    left["draft"] += sum(not one.counts for one in answers)
    left["predicted"] += sum(one.suggested for one in answers)
    left["unanswered"] += not kept
    return known_of(record), kept


FORMAT = (
    Format("argilla", "annotations", read_pairs, _looks_like, 1),
    Format("argilla", "reliability", read_labels, _looks_like, endings=(".json", ".jsonl", ".parquet")),
    Format("argilla", "violations", read_spans, _looks_like, 2, (".json",)),
)
