"""Annotations of Potato: a file per annotator, in a folder named after them, or a table of all.

{"id": "1", "displayed_text": "Good.", "label_annotations": {"tone": {"kind": "true"}}, "span_annotations": {}}

user	instance_id	displayed_text	tone:::kind	tone:::rude
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from karat.errors import DataError
from karat.formats.documents import not_plain, plain_text
from karat.formats.judgments import Options, Parts
from karat.formats.labelled import Row, Tool, unfolded
from karat.formats.opened import Opened
from karat.formats.reading import object_in
from karat.formats.source import Format

_LABELS, _TEXT, _SPANS = "label_annotations", "displayed_text", "span_annotations"
_ITEM, _WHO = "item", "annotator"
_ITEMS, _USERS = ("instance_id", "id"), ("user", "user_id")
_BETWEEN = ":::"
"""What stands between a question and an answer in the names of a table's columns."""
_FILE = "annotated_instances"

_Answers = Mapping[str, Mapping[str, str]]
"""Question -> answer -> its value: true for what is chosen, else what was typed or rated."""


def read_potato(found: Opened[Options]) -> Parts:
    """A row per text and annotator. What is chosen, rated or typed is the answer; spans are counted in a warning.

    Where a file does not name its annotators, they are called as its folder, or as the file, if it is called otherwise.
    """
    every = []
    for value in found.values.values:
        with suppress(DataError):  # which is told of the record below
            every += [] if not_plain(value) else [_answers(value)]
    file = found.source.given or found.source.path
    alone = file.parent.resolve().name if file and file.name.startswith(f"{_FILE}.") else found.source.stem
    rows = partial(_rows, valued=_valued(every), alone=alone)
    return unfolded(found, Tool({"item": _ITEM, "annotator": _WHO}, rows), found.values)


def _answers(record: dict[str, Any]) -> _Answers:
    """What a record answers. Raises DataError with words that follow its place."""
    if _LABELS in record:
        asked = object_in(record, _LABELS)
        return {name: _filled(object_in(asked, name)) for name in asked}
    made: dict[str, dict[str, object]] = {}
    for name, value in record.items():
        question, sign, answer = name.partition(_BETWEEN)
        if sign:
            made.setdefault(question, {})[answer] = value
    return {question: _filled(values) for question, values in made.items()}


def _filled(values: Mapping[str, object]) -> dict[str, str]:
    texts = {answer: (plain_text(value) or "").strip() for answer, value in values.items()}
    return {answer: text for answer, text in texts.items() if text and text.lower() not in ("false", "nan")}


def _valued(every: Sequence[_Answers]) -> Mapping[str, bool]:
    """Question -> whether its values are answers; else they say of each answer that it was chosen."""
    held: dict[str, list[Mapping[str, str]]] = {}
    for record in every:
        for question, values in record.items():
            held.setdefault(question, []).append(values)
    return {question: _are_answers(many) for question, many in held.items()}


def _are_answers(many: Sequence[Mapping[str, str]]) -> bool:
    """A field to type in has one name; the answers of a scale end in their values, scale_3 in 3."""
    names = {name for values in many for name in values}
    pairs = [pair for values in many for pair in values.items()]
    chosen = all(value.lower() in ("true", name.lower()) for name, value in pairs)
    return not chosen and (len(names) == 1 or all(name.endswith(value) for name, value in pairs))


def _rows(record: dict[str, Any], *, valued: Mapping[str, bool], alone: str) -> Iterator[Row]:
    answers: dict[str, list[str]] = {}
    for question, values in _answers(record).items():
        answers[question] = list(values.values() if valued[question] else values)
    item, who = (
        next((record[name] for name in names if record.get(name) is not None), None) for names in (_ITEMS, _USERS)
    )
    known = {name: value for name, value in record.items() if _BETWEEN not in name}
    yield Row({**known, _ITEM: item, _WHO: who or alone}, answers, left=("spans",) * bool(record.get(_SPANS)))


def _looks_like(found: Opened[Options]) -> bool:
    names = set(found.names)
    table = {"instance_id", "user"} <= names and any(_BETWEEN in name for name in names)
    return {_LABELS, _TEXT} <= names or table


FORMAT = Format("potato", "reliability", read_potato, _looks_like, endings=(".jsonl", ".json", ".tsv", ".csv"))
