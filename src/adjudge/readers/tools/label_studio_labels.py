"""Exports of Label Studio (JSON, JSON-MIN, CSV) in which whole items are judged, or two texts are compared.

    [{"id": 1, "data": {"text": "Good."}, "annotations": [{"completed_by": 1, "ground_truth": false, "result": [
        {"from_name": "sentiment", "type": "choices", "value": {"choices": ["Positive"]}}]}]}]

A record of JSON-MIN, or a row of CSV, is an annotation: {"text": "Good.", "id": 1, "sentiment": "Positive",
"annotator": 1, "annotation_id": 1, "lead_time": 2.5, ...}. Old exports call annotations completions, and those that are
the ground truth honeypots. Source: https://labelstud.io/guide/export
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from adjudge.errors import DataError
from adjudge.readers.io.json_documents import check, json_value, list_in, not_plain, object_in, objects_in, plain_text
from adjudge.readers.io.source import Format
from adjudge.readers.labels.annotation_export import Row, Skipped, Tool, answer_text, scalars, unfolded
from adjudge.readers.labels.judgments import LabelFile, Parts
from adjudge.readers.pairs.pair_tables import PairAnswer, read_compared
from adjudge.readers.pairs.pairs import PairReading as PairOptions
from adjudge.readers.parsed_input import Opened
from adjudge.schemas.pairs import AnnotatedPairs

_ANSWERS = {**{name: name for name in ("choices", "rating", "taxonomy", "number")}, "pairwise": "selected"}
"""Types of results that may judge a whole item -> the key of the answer in their value."""

_LISTS = {"annotations": "completed_by", "completions": "completed_by", "predictions": "model_version"}
"""Keys of a task, and the key that says whose their annotations are."""

_ID, _ANNOTATOR = "id", "annotator"
_MIN = {_ANNOTATOR, "annotation_id", "lead_time"}
"""By what JSON-MIN and CSV are known."""

_MODEL = "model"
"""What the author of predictions is called that have no version."""

_NAMES = {"item": _ID, "annotator": "completed_by"}
_NO_ANSWER = "what is no answer about a whole item is left out"


class Annotation(NamedTuple):
    """What an annotator, or a model, says of a task. results: none where it was cancelled."""

    own: object
    who: str | None
    results: list[dict[str, Any]]
    cancelled: bool
    trusted: bool
    predicted: bool


def annotations_of(task: Mapping[str, Any]) -> Iterator[Annotation | Skipped | DataError]:
    """The annotations and predictions of a task, and what is wrong with one, in words that follow the task's place."""
    for key, who in _LISTS.items():
        predicted = key == "predictions"
        for number, one in enumerate(list_in(task, key), 1):
            if predicted and not isinstance(one, list | dict):
                yield Skipped("predictions that are given as ids, without results, are left out")
                continue
            try:
                check(not_plain(one), "")
                cancelled = one.get("was_cancelled") is True
                results = [] if cancelled else objects_in(one, "result", needed=True)
            except DataError as wrong:
                yield DataError(f", {key} {number}{wrong.lines[0]}")
                continue
            trusted = one.get("ground_truth") is True or one.get("honeypot") is True
            yield Annotation(one.get("id"), person(one.get(who)), results, cancelled, trusted, predicted)


def person(annotator: object) -> str | None:
    """What an annotator is called: the e-mail address, else the number."""
    if isinstance(annotator, dict):
        return plain_text(annotator.get("email")) or plain_text(annotator.get("id"))
    return plain_text(annotator)


def is_task(value: Mapping[str, Any]) -> bool:
    """Whether an object is a task with annotations or predictions, as Label Studio writes them."""
    held = [value[key] for key in _LISTS if isinstance(value.get(key), list)]
    each = [one for many in held for one in many if isinstance(one, dict)]
    return isinstance(value.get("data"), dict) and bool(held) and all("result" in one for one in each)


def read_choices(found: LabelFile) -> Parts:
    """Exports of Label Studio (JSON, JSON-MIN, CSV) with choices, ratings or taxonomies of whole items.

    A row per annotation; those that are the ground truth are the reference, unless it is named.

    What models predict is that of a model, whom their version names. An annotation that was cancelled has
    no answer. Results of other types, on a part of an item, and predictions given as ids are left out and counted.
    """
    if not found.is_json:
        return unfolded(found, Tool(_NAMES, _cells), found.objects)
    rows = _task if any("data" in value for value in found.first) else _record
    return unfolded(found, Tool(_NAMES, rows, unit="task"), found.objects)


def _task(task: dict[str, Any]) -> Iterator[Row | Skipped]:
    """The annotations and predictions of a task."""
    beside = scalars(task, object_in(task, "data"), {_ID: task.get(_ID)})
    for one in annotations_of(task):
        if isinstance(one, DataError):
            raise one
        if isinstance(one, Skipped):
            yield one
            continue
        answers = dict[str, list[Any]]()
        for result in one.results:
            name, value = plain_text(result.get("from_name")), object_in(result, "value")
            answer = value.get(_ANSWERS.get(str(result.get("type")), "")) if name and len(value) == 1 else None
            if name and answer is not None:
                answers.setdefault(name, []).extend(answer if isinstance(answer, list) else [answer])
            else:
                yield Skipped(_NO_ANSWER, plain_text(result.get("type")) or "without a type")
        who = one.who or (_MODEL if one.predicted else None)
        yield Row(beside, who, answers, one.trusted, {"annotation_id": one.own}, one.predicted)


# --- JSON-MIN and CSV ---


def _record(record: dict[str, Any]) -> Iterator[Row | Skipped]:
    """An annotation of JSON-MIN, which writes its answers between the task's id and the annotator."""
    names = list(record)
    first, last = (names.index(name) if name in names else 0 for name in (_ID, _ANNOTATOR))
    answers = {name: _unpacked(record[name]) for name in names[first + 1 : last]}
    for name in [name for name, answer in answers.items() if isinstance(answer, dict)]:
        del answers[name]
        yield Skipped(_NO_ANSWER, name)
    yield Row(scalars(record), person(record.get(_ANNOTATOR)), answers)


def _cells(record: dict[str, Any]) -> Iterator[Row]:
    """A row of CSV, whose columns are sorted, so that which of them are answers is not said."""
    known = {name: answer_text(_unpacked(value)) for name, value in parsed_cells(record).items()}
    yield Row(known, record.get(_ANNOTATOR), {})


def parsed_cells(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of CSV as a record of JSON-MIN: what its cells say that hold JSON."""
    is_json = {name: isinstance(cell, str) and cell.startswith(("{", "[")) for name, cell in row.items()}
    return {name: json_value(cell) if is_json[name] else cell for name, cell in row.items()}


def _unpacked(value: object) -> object:
    """An answer as JSON-MIN writes it: plain, an object that holds it, or a list of such."""
    if isinstance(value, dict):
        held = [value[key] for key in _ANSWERS.values() if key in value]
        return held[0] if held and len(value) == 1 else value
    if isinstance(value, list) and len(value) == 1:
        return _unpacked(value[0])
    return value


def _looks_like(found: LabelFile) -> bool:
    """Whether the first objects are tasks with annotations, or records of JSON-MIN; or a table is the CSV."""
    if not found.is_json:
        return set(found.names) >= _MIN
    return any(is_task(value) or value.keys() >= _MIN for value in found.first)


# --- pairs ---


def read_pairs(found: Opened[PairOptions]) -> AnnotatedPairs:
    """Exports of Label Studio with pairwise comparisons: JSON, JSON-MIN or CSV.

    The votes in an export: JSON, JSON-MIN or CSV.
    """
    return read_compared(found, found.objects, _votes, "an export of Label Studio")


def _votes(record: Mapping[str, Any], left: Counter[str]) -> tuple[dict[str, Any], list[PairAnswer]]:
    """What a task, or a record of JSON-MIN or CSV, says of a pair, and who prefers which side."""
    if not isinstance(record.get("data"), dict):
        answers = {name: _selected(one) for name, one in parsed_cells(record).items()}
        chosen = {name: side for name, side in answers.items() if side is not None}
        who = plain_text(record.get(_ANNOTATOR))
        known = {name: one for name, one in record.items() if name not in chosen}
        return known, [PairAnswer(who, name, side) for name, side in chosen.items()]
    every = list(annotations_of(record))
    if wrong := next((one for one in every if isinstance(one, DataError)), None):
        raise wrong
    people = [one for one in every if isinstance(one, Annotation) and not one.predicted]
    given = [one for one in people if not one.cancelled]
    left["cancelled"] += len(people) - len(given)
    left["predicted"] += len(every) - len(people)
    left["unanswered"] += not given
    return {**record["data"], _ID: record.get(_ID)}, [side for one in given for side in _compared(one)]


def _compared(annotation: Annotation) -> Iterator[PairAnswer]:
    """The comparisons in an annotation."""
    for one in annotation.results:
        if one.get("type") == "pairwise":
            sides = tuple(part.strip() for part in (plain_text(one.get("to_name")) or "").split(","))
            question = plain_text(one.get("from_name")) or "pairwise"
            yield PairAnswer(annotation.who, question, _selected(one.get("value")), sides)


def _selected(value: object) -> object:
    """The side that was selected, where a cell, or a result, says one."""
    inner = value[0] if isinstance(value, list) and len(value) == 1 else value
    return inner.get("selected") if isinstance(inner, dict) else None


def _holds_pairs(found: Opened[PairOptions]) -> bool:
    """Whether some of the first records hold a comparison."""
    if found.is_text and not set(found.names) >= _MIN:
        return False
    with suppress(DataError):
        return any(_votes(record, Counter())[1] for record in (found.objects.values if found.is_text else found.first))
    return False


FORMAT = (
    Format("label-studio", "annotations", read_pairs, _holds_pairs, 1),
    Format("label-studio", "reliability", read_choices, _looks_like, endings=(".json", ".csv")),
)
