"""Records of Argilla with a question that asks for spans, nested or flat, of its versions 2 and 1.

    {"id": "a1", "fields": {"text": "Cures headache."}, "responses": {"claims": [
        {"user_id": "u1", "value": [{"start": 0, "end": 5, "label": "claim"}]}]}, "suggestions": {}}

Flat, as data sets on a hub have it: text, `claims.responses` (a list per user), `claims.responses.users` and
`claims.responses.status`. In version 1 responses are a list, each with values, a user and a status.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from karat.formats.documents import Number, kind, plain_text
from karat.formats.findings import counted
from karat.formats.marked import Raw
from karat.formats.marked_records import MAPPED, Holder, raw_of_objects
from karat.formats.opened import Opened
from karat.formats.source import Format
from karat.formats.violations import Options
from karat.schemas.violations import TEXT

_FLAT, _SUGGESTED = ".responses", ".suggestion"
_PARTS = {"start": "start", "end": "end", "rule": "label"}
SUBMITTED = (None, "submitted")
"""The status of responses that count; drafts and what was discarded do not."""


class Answer(NamedTuple):
    """What a user, or a model, says to a question. status: None where the file does not say it."""

    question: str
    who: str | None
    value: object
    status: str | None = None
    suggested: bool = False


def read_argilla_spans(found: Opened[Options]) -> Raw:
    """A line for each text and user; labels are rules.

    Responses that were not submitted are left out and counted. What models suggest counts where options name them as
    annotators, and, of predictions, where nobody responded.
    """
    names, objects, left = found.options, found.objects, Counter[str]()
    names.check_mapped("Argilla's records", MAPPED)
    every = [answer for value in objects.values if isinstance(value, dict) for answer in answers_of(value)]
    questions = _span_questions(every)
    alone = names.predictions and not names.annotators and all(one.suggested for one in every)

    def split(value: Holder) -> Iterator[tuple[Holder, list[object]]]:
        whose: dict[str | None, list[object]] = defaultdict(list)
        for one in answers_of(value):
            if one.question in questions:
                counts = alone or one.who in names.annotators if one.suggested else one.status in SUBMITTED
                if counts:
                    whose[one.who] += one.value if isinstance(one.value, list) else [one.value]
                else:
                    left["suggested" if one.suggested else one.status or ""] += 1
        left["unanswered"] += not whose
        for who, marks in whose.items():
            yield {**_held(value, names.theirs(TEXT)), names.theirs("annotator"): who}, marks

    def wrong(value: Holder) -> str | None:
        return _wrong(value, names.theirs(TEXT))

    return raw_of_objects(objects, names, wrong, split, _PARTS).warned(_left_out(left))


def answers_of(value: Mapping[str, Any]) -> Iterator[Answer]:
    """All that a record, of whatever version, says of responses and suggestions."""
    responses, suggestions = value.get("responses"), value.get("suggestions")
    for question, given in _nested(responses):
        yield from (_answer(question, one) for one in given if isinstance(one, dict))
    for one in responses if isinstance(responses, list) else ():
        for question, given in _nested(one.get("values") if isinstance(one, dict) else None):
            yield _answer(question, {**one, **given} if isinstance(given, dict) else one)
    for question, given in _nested(suggestions):
        yield Answer(question, plain_text(given.get("agent")), given.get("value"), suggested=True)
    for key in value:
        if key.endswith(_FLAT) and isinstance(value[key], list):
            yield from _flat(key, value)
        elif key.endswith(_SUGGESTED) and value[key] is not None:
            agent = plain_text(value.get(f"{key}.agent"))
            yield Answer(key.removesuffix(_SUGGESTED), agent, value[key], suggested=True)


def _items_of(value: object) -> list[tuple[str, Any]]:
    """The items of an object; none of anything else."""
    return list(value.items()) if isinstance(value, dict) else []


def _nested(value: object) -> list[tuple[str, Any]]:
    """The items of an object that are lists or objects themselves."""
    return [(key, one) for key, one in _items_of(value) if isinstance(one, list | dict)]


def _answer(question: str, given: Mapping[str, Any]) -> Answer:
    return Answer(question, plain_text(given.get("user_id")), given.get("value"), plain_text(given.get("status")))


def _flat(key: str, value: Mapping[str, Any]) -> Iterator[Answer]:
    """The responses in a column of a flat record, with those in the columns beside it that say whose they are."""
    users, status = (value.get(f"{key}.{part}") or [] for part in ("users", "status"))
    for nth, given in enumerate(value[key]):
        who, how = (plain_text(one[nth]) if nth < len(one) else None for one in (users, status))
        yield Answer(key.removesuffix(_FLAT), who, given, how)


def _span_questions(answers: Sequence[Answer]) -> set[str]:
    """The questions whose answers hold spans, or, where none does, those whose answers are empty lists."""
    found = {one.question for one in answers if isinstance(one.value, list) and any(map(_is_span, one.value))}
    return found or {one.question for one in answers if one.value == []}


def _is_span(mark: object) -> bool:
    return isinstance(mark, dict) and {"start", "end"} <= mark.keys()


def _held(value: Mapping[str, Any], key: str) -> Holder:
    """What is said of a record's text, under the names that options may use, the text itself under `key`."""
    fields, metadata = (dict(_items_of(value.get(part))) for part in ("fields", "metadata"))
    held = {**value, **metadata, **fields}
    if value.get("external_id") is not None:
        held["id"] = value["external_id"]
    texts = _texts(fields)
    return held if key in held else {**held, key: held[texts[0]] if len(texts) == 1 else None}


def _texts(fields: Mapping[str, Any]) -> list[str]:
    return [name for name, one in fields.items() if isinstance(one, str) and not isinstance(one, Number)]


def _wrong(value: Mapping[str, Any], key: str) -> str | None:
    """What is wrong with a record, in words that follow its number."""
    fields = value.get("fields")
    if fields is not None and not isinstance(fields, dict):
        return f", fields: expected an object; got {kind(fields)}"
    texts = _texts(fields or {})
    if fields and key not in {**value, **fields} and len(texts) != 1:
        got = f"several, {', '.join(texts):.100}" if texts else "none"
        return f", fields: expected one text; got {got}. Say which it is with --columns text=..."
    return None


def _left_out(left: Counter[str]) -> list[str]:
    told = []
    if count := left.pop("unanswered", 0):
        told.append(f"{counted(count, 'record is', 'records are')} without a response that counts")
    if count := left.pop("suggested", 0):
        are = counted(count, "suggestion of a model is", "suggestions of models are")
        told.append(f"{are} left out: name a model to count what it suggests")
    if left:
        counts = ", ".join(f"{status:.20} {count:,}" for status, count in sorted(left.items()))
        told.append(f"responses that were not submitted are left out: {counts}")
    return told


def _looks_like(found: Opened[Options]) -> bool:
    """Whether the first records have fields and responses, or columns that end as flat records' do."""
    return any(map(has_answers, found.first))


def has_answers(value: Mapping[str, Any]) -> bool:
    """Whether a record is one of Argilla that holds answers."""
    nested = "fields" in value and not value.keys().isdisjoint(("responses", "suggestions"))
    return nested or any(name.endswith(f"{_FLAT}.users") for name in value)


FORMAT = Format("argilla", "violations", read_argilla_spans, _looks_like, 2, (".json",))
