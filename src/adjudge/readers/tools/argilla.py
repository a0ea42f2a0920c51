"""Records of Argilla, 1 and 2: what users respond to questions, and what models suggest.

Nested, of version 2 by question and of version 1 by user; or with columns for each question, as data sets have them:

    {"id": "r1", "fields": {"text": "Good."}, "suggestions": {"tone": {"value": "kind", "agent": "m"}},
     "responses": {"tone": [{"value": "kind", "user_id": "u1"}]}}
    {"external_id": "r1", "fields": {"text": "Good."}, "suggestions": [{"question_name": "tone", "value": "kind"}],
     "responses": [{"user_id": "u1", "status": "submitted", "values": {"tone": {"value": "kind"}}}]}
    {"id": "r1", "text": "Good.", "tone.responses": ["kind"], "tone.responses.users": ["u1"], "tone.suggestion": "kind"}
    {"external_id": "r1", "text": "Good.", "tone": [{"user_id": "u1", "value": "kind"}], "tone-suggestion": "kind"}

Early data sets of version 1 have an object of lists for the responses to a question.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Any, NamedTuple

from adjudge.readers.io.json_documents import json_value, list_in, object_in, objects_in, plain_text, read_each
from adjudge.readers.io.source import Format
from adjudge.readers.labels.annotation_export import Row, Skipped, Tool, scalars, unfolded
from adjudge.readers.labels.judgments import Options as LabelOptions
from adjudge.readers.labels.judgments import Parts
from adjudge.readers.pairs.pairs import Options as PairOptions
from adjudge.readers.pairs.pairwise_export import Said, read_compared
from adjudge.readers.parsed_input import Opened
from adjudge.readers.problems import Findings
from adjudge.readers.spans.span_exports import Line, SpanTool, read_lines
from adjudge.readers.spans.span_records import Holder, Raw, only_text
from adjudge.readers.spans.violations import Options as SpanOptions
from adjudge.schemas.pairs import AnnotatedPairs
from adjudge.schemas.violations import TEXT

_ID, _USER = "id", "user_id"
_IDS = ("external_id", _ID, "_server_id")
_OWN = frozenset((*_IDS, "fields", "metadata", "responses", "suggestions", "vectors", "status"))
"""What a record says of itself, beside fields and metadata."""
_RESPONSES, _SUGGESTION, _SUGGESTED = ".responses", ".suggestion", "-suggestion"
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


# --- records ---


def answers_of(record: Mapping[str, Any]) -> list[Answer]:
    """What a record says of responses and suggestions. Raises DataError in words that follow the record's place."""
    if "fields" not in record:
        return list(_in_columns(record))
    return list(_by_user(record) if isinstance(record.get("responses"), list) else _by_question(record))


def _by_question(record: Mapping[str, Any]) -> Iterator[Answer]:
    responses, suggestions = object_in(record, "responses"), object_in(record, "suggestions")
    for question in responses:
        for given in objects_in(responses, question):
            yield _response(question, given)
    for question in suggestions:
        yield from _suggestion(question, object_in(suggestions, question))


def _by_user(record: Mapping[str, Any]) -> Iterator[Answer]:
    for given in objects_in(record, "responses"):
        values = object_in(given, "values")
        for question in values:
            yield _response(question, {**given, **object_in(values, question)})
    for given in objects_in(record, "suggestions"):
        yield from _suggestion(plain_text(given.get("question_name")) or "", given)


def _in_columns(record: Mapping[str, Any]) -> Iterator[Answer]:
    for name, held in record.items():
        if name.endswith(_RESPONSES):
            beside = (list_in(record, f"{name}.{part}") for part in ("users", "status"))
            for value, who, status in zip_longest(list_in(record, name), *beside):
                given = {"value": value, _USER: who, "status": status}
                yield _response(name.removesuffix(_RESPONSES), given)
        elif name.endswith(_SUGGESTION):
            given = {"value": held, "agent": record.get(f"{name}.agent")}
            yield from _suggestion(name.removesuffix(_SUGGESTION), given)
        elif name.endswith(_SUGGESTED):
            given = {**object_in(record, f"{name}-metadata"), "value": held}
            yield from _suggestion(name.removesuffix(_SUGGESTED), given)
        elif _are_responses(held):
            for given in objects_in({name: _responses(held)}, name):
                yield _response(name, given)


def _response(question: str, given: Mapping[str, Any]) -> Answer:
    return Answer(question, plain_text(given.get(_USER)), given.get("value"), plain_text(given.get("status")))


def _suggestion(question: str, given: Mapping[str, Any]) -> Iterator[Answer]:
    if given.get("value") is not None:
        yield Answer(question, plain_text(given.get("agent")), given["value"], suggested=True)


def _responses(held: object) -> list[object]:
    """The responses in a column, less those that are null; none where it holds something else."""
    if isinstance(held, dict) and isinstance(held.get(_USER), list):
        lists = [one for one in held.values() if isinstance(one, list)]
        return [dict(zip(held, one, strict=True)) for one in zip_longest(*lists)] if len(lists) == len(held) else []
    return list(filter(None, held)) if isinstance(held, list) else []


def _are_responses(held: object) -> bool:
    return any(isinstance(one, dict) and {_USER, "value"} <= one.keys() for one in _responses(held))


def _is_answer(name: str, value: object) -> bool:
    """Whether a column holds answers, or says more of them."""
    return any(part in name for part in (_RESPONSES, _SUGGESTION, _SUGGESTED)) or _are_responses(value)


def known_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """What a record says beside answers: its id, fields and metadata, which data sets of version 1 hold as JSON."""
    metadata = record.get("metadata")
    metadata = json_value(metadata) if isinstance(metadata, str) else metadata
    within = metadata if isinstance(metadata, dict) else {}
    columns = {} if "fields" in record else record
    flat = {name: value for name, value in columns.items() if name not in _OWN and not _is_answer(name, value)}
    own = next((record[name] for name in _IDS if record.get(name) is not None), None)
    return {**within, **flat, **object_in(record, "fields"), _ID: own}


def is_record(value: Mapping[str, Any]) -> bool:
    """Whether an object is a record with answers."""
    if "fields" in value:
        return _are_own(value.get("responses")) and not value.keys().isdisjoint(("responses", "suggestions"))
    return any(name.endswith(f"{_RESPONSES}.users") for name in value) or any(map(_are_responses, value.values()))


def _are_own(responses: object) -> bool:
    """Whether responses are not those of another tool: lists by question or, in version 1, values by user."""
    if isinstance(responses, dict):
        return not any(isinstance(one, dict) for one in responses.values())
    return not isinstance(responses, list) or all("values" in one for one in responses if isinstance(one, dict))


def _looks_like(found: Opened[Any]) -> bool:
    return any(map(is_record, found.first))


# --- labels ---


def read_labels(found: Opened[LabelOptions]) -> Parts:
    """Records of Argilla, 1 and 2: what users respond to questions, and what models suggest.

    A row per record and user. Suggestions count as those of the annotator whom their agent names.

    Responses that were discarded, or are drafts, have no answer.
    """
    return unfolded(found, Tool({"item": _ID, "annotator": _USER}, _rows), found.entries)


def _rows(record: dict[str, Any]) -> Iterator[Row]:
    beside, answers = scalars(record, known_of(record)), defaultdict[str | None, dict[str, Any]](dict)
    for one in answers_of(record):
        who = one.who or (_NOBODY if one.suggested else None)
        answers[who][one.question] = one.value if one.counts else None
    for who, given in answers.items():
        yield Row(beside, who, given)


# --- spans ---


def read_spans(found: Opened[SpanOptions]) -> Raw:
    """Records of Argilla with a question that asks for spans, nested or as a data set.

    A line for each text and user; labels are rules.

    Responses that were not submitted are left out and counted. What models suggest counts where options name them as
    annotators, and, of predictions, where nobody responded.
    """
    names = found.options
    every = [one for _, many in read_each(found.entries, answers_of, Findings()) for one in many]
    questions = _span_questions(every)

    def lines(record: Holder) -> Iterator[Line | Skipped]:
        held, marks = _held(record, names.theirs(TEXT)), dict[tuple[str | None, bool], list[Any]]()
        for one in answers_of(record):
            if one.question in questions and one.counts:
                given = marks.setdefault((one.who, one.suggested), [])
                given += one.value if isinstance(one.value, list) else [one.value]
            elif one.question in questions:
                yield Skipped("responses that were not submitted are left out", one.status or "")
        if all(suggested for _, suggested in marks):
            yield Skipped("records without a response that counts")
        for (who, suggested), spans in marks.items():
            yield Line({**held, names.theirs("annotator"): who}, spans, suggested)

    parts = {"start": "start", "end": "end", "rule": "label"}
    return read_lines(found, SpanTool("Argilla's records", lines, parts), found.entries)


def _span_questions(answers: list[Answer]) -> set[str]:
    """The questions whose answers hold spans, or, where none does, those whose answers are empty lists."""
    spans = {one.question for one in answers if isinstance(one.value, list) and any(map(_is_span, one.value))}
    return spans or {one.question for one in answers if one.value == []}


def _is_span(mark: object) -> bool:
    return isinstance(mark, dict) and {"start", "end"} <= mark.keys()


def _held(record: Mapping[str, Any], key: str) -> Holder:
    """What is said of a record's text, under the names that options may use, the text itself under `key`.

    Raises DataError where it is not clear which field is the text.
    """
    held, fields = {**record, **known_of(record)}, object_in(record, "fields")
    return held if key in held else {**held, key: held[only_text(fields, ", fields")] if fields else None}


# --- pairs ---


def read_pairs(found: Opened[PairOptions]) -> AnnotatedPairs:
    """Records of Argilla with a label or a ranking of two texts by each user, nested or as a data set.

    The votes in records: answers to a question for a label or a ranking, by user.
    """
    return read_compared(found, found.entries, _votes, "records of Argilla")


def _votes(record: Mapping[str, Any], left: Counter[str]) -> tuple[dict[str, Any], list[Said]]:
    answers = answers_of(record)
    given = [one for one in answers if not one.suggested]
    kept = [Said(one.who, one.question, one.value) for one in given if one.counts]
    left["draft"] += len(given) - len(kept)
    left["predicted"] += len(answers) - len(given)
    left["unanswered"] += not kept
    return known_of(record), kept


FORMAT = (
    Format("argilla", "annotations", read_pairs, _looks_like, 1),
    Format("argilla", "reliability", read_labels, _looks_like, endings=(".json", ".jsonl", ".parquet")),
    Format("argilla", "violations", read_spans, _looks_like, 2, (".json",)),
)
