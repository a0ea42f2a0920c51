"""The fields of answers and of questions, read strictly into the values of a table.

Questions have the form of the RGB benchmark: JSON lines, a JSON array of the same objects, or a table from Python.

    {"id": 0, "query": "Where was it?", "answer": "Tampa", "positive": ["In Tampa ..."], "negative": ["Tickets ..."]}

answer: a text, or a list of slots, each a text or a list of aliases. positive: a list of documents; in `_int` files a
list of groups, each a list of documents. `_fact` files also have positive_wrong, counterfactual documents, and
fakeanswer, their answer: a text or a list. Other keys, such as answer1, which repeats a slot, are not read.

Source: Chen et al. 2024, "Benchmarking Large Language Models in Retrieval-Augmented Generation",
https://doi.org/10.1609/aaai.v38i16.29728.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from typing import Any

from adjudge.errors import DataError, nearest
from adjudge.readers.io.json_documents import Objects, is_number, is_scalar, kind, plain_text, read_objects
from adjudge.readers.io.source import Source
from adjudge.readers.label_values import list_in_cell
from adjudge.readers.problems import Findings
from adjudge.schemas.answers import ABILITIES, Question, QuestionKind, Questions
from adjudge.schemas.columns import with_decimal_point
from adjudge.schemas.outcomes import OUTCOME, REPLY, STATUSES

_SLOTS = "a text, or a list of slots, each a text or a list of aliases, none of them empty"
_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)|\A.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_THOUGHTS = {"thinking", "redacted_thinking", "reasoning"}
"""Types of a response's blocks of reasoning."""
Reader = Callable[[Any], Any]


def read_fields(
    objects: Objects, readers: Mapping[str, tuple[str, Reader]], findings: Findings
) -> tuple[dict[str, list[Any]], set[int]]:
    """The fields of JSON objects as columns, and the rows of invalid objects.

    readers: column -> the field's name and the function that reads its value, whose DataError becomes a finding.
    """
    columns, wrong = dict[str, list[Any]](), set[int]()
    for column, (key, reader) in readers.items():
        known = lru_cache(None, typed=True)(reader)  # values repeat
        with suppress(DataError, TypeError):  # most fields are valid texts and numbers
            columns[column] = list(map(known, [holder.get(key) for holder in objects.values]))
            continue
        values = columns[column] = list[Any]()
        for row, holder in enumerate(objects.values):
            value = holder.get(key)
            try:
                values.append(reader(value) if isinstance(value, list | dict) else known(value))
            except DataError as error:
                findings.add(f"{objects.name}, {objects.unit} {objects.numbers[row]}, {key}{error.lines[0]}")
                wrong.add(row)
                values.append(None)
    return columns, wrong


def _fault(expected: str, value: object, at: str = "") -> DataError:
    """The error of an invalid value. at: its place in its field."""
    return DataError(f"{at}: expected {expected}; got {kind(value)}")


# --- values ---


def text(value: object, expected: str, at: str = "") -> str:
    """A text that is not empty."""
    if isinstance(value, str) and value.strip():
        return value
    raise _fault(expected, value, at)


def _several(value: object) -> list[Any]:
    """A list that is not empty unchanged; any other value as its only element."""
    return value if isinstance(value, list) and value else [value]


def slots(value: object) -> list[list[str]]:
    """A true answer: a text, or a list of slots, each a text or a list of aliases."""
    if not isinstance(value, list) or not value:
        return [[text(value, _SLOTS)]]
    return [[text(alias, _SLOTS, f", slot {at}") for alias in _several(slot)] for at, slot in enumerate(value, 1)]


def false_answers(value: object) -> list[str]:
    """The counterfactual answers: a text, or a list of texts or of lists of them."""
    expected = "a text, or a list of texts, none of them empty"
    return list(dict.fromkeys(text(one, expected) for several in _several(value) for one in _several(several)))


def listed_texts(value: object) -> object:
    """A cell with numbers as texts, and the text of a list, as in flat tables, as that list."""
    if is_number(value):
        return str(plain_text(value))
    if isinstance(value, str) and value.startswith("["):
        value = value if (listed := list_in_cell(value)) is None else listed
    return [listed_texts(one) for one in value] if isinstance(value, list) else value


def response(value: object) -> str | None:
    """A response without the text between <think> tags, even if the first or the last tag is missing."""
    content = None if value is None else _content(value)
    return _THOUGHT.sub("", content).strip() if content and "think" in content.lower() else content


def _content(value: object) -> str:
    """The text of a response: a text, a number, a message with its content, or a list of blocks of content."""
    if is_scalar(value):
        return plain_text(value) or ""
    if isinstance(value, dict):
        blocks = value.get("content", value.get("text"))
        return _content("" if blocks is None or value.get("type") in _THOUGHTS else blocks)
    blocks = value if isinstance(value, list) and all(isinstance(block, dict) for block in value) else []
    if blocks and all({"text", "content"} & {*block} or block.get("type") in _THOUGHTS for block in blocks):
        return "".join(map(_content, blocks))
    raise _fault("text, blocks of content, or null for an answer that failed", value)


def flat_text(value: object) -> str | None:
    """A text or a number as text; None for an empty one."""
    if isinstance(value, list | dict):
        raise _fault("text or a number", value)
    return plain_text(value) or None


def _id(value: object) -> str:
    if (name := flat_text(value)) is None:
        raise _fault("an id", value)
    return str(name)


def _ability(value: object) -> str:
    if value not in ABILITIES:
        raise DataError(f": expected one of {', '.join(ABILITIES)}; got {kind(value)}{nearest(str(value), ABILITIES)}")
    return str(value)


def _noise(value: object) -> float | None:
    if value is None or value == "":
        return None
    with suppress(ValueError):
        if 0 <= (number := float(with_decimal_point(plain_text(value) or "nan"))) <= 1:
            return number + 0.0  # so that -0 is 0
    raise _fault("a number from 0 to 1", value)


def _false(value: object) -> str | None:
    value = listed_texts(value)
    return None if value is None or value in ("", []) else json.dumps(false_answers(value), ensure_ascii=False)


READERS: Mapping[str, tuple[str, Reader]] = {
    "id": ("id", _id),
    "ability": ("ability", _ability),
    "model": ("model", flat_text),
    "draw": ("draw", flat_text),
    "noise_ratio": ("noise_ratio", _noise),
    "response": ("response", response),
    "false": ("counterfactual", _false),
    "closed": ("documents", lambda value: value in ([], "[]")),
    REPLY: (OUTCOME, lambda value: value if value in STATUSES else None),
}
"""Column of ANSWERS -> Adjudge's name of its field, and the function that reads it."""


# --- questions of the RGB benchmark ---


def read_questions(source: Source) -> Questions:
    """The questions of a file or of a table, and their kind.

    "fact" if any has positive_wrong or fakeanswer; "int" if positive is a list of groups in most; else "base". null
    means a missing key. A counterfactual document may lack its answer (fakeanswer), lists and documents may be empty,
    and ids may be numbers and may repeat.

    Raises DataError with all problems: lines that are no objects; a missing key; numbers, null and the like instead of
    a text; an empty query or answer; lists of both texts and groups; groups in some lines only, or with counterfactual
    documents; a file that is no JSON.
    """
    objects, findings = read_objects(source), Findings()
    holders = objects.checked_values()
    questions_kind = _questions_kind(holders)
    readers: dict[str, tuple[str, Reader]] = {
        "id": READERS["id"],
        "query": ("query", lambda value: text(value, "a text that is not empty")),
        "slots": ("answer", lambda value: tuple(map(tuple, slots(value)))),
        "groups": ("positive", lambda value: _groups(value, grouped=questions_kind == "int")),
        "negative": ("negative", _documents),
    }
    if questions_kind == "fact":
        readers["wrong"] = ("positive_wrong", _documents)
        readers["false"] = ("fakeanswer", lambda value: () if value is None else tuple(false_answers(value)))
    columns, _ = read_fields(replace(objects, values=holders), readers, findings)
    findings.settle()
    rows = zip(objects.numbers, *columns.values(), strict=True)
    items = tuple(Question(number, **dict(zip(columns, row, strict=True))) for number, *row in rows)
    return Questions(objects.name, questions_kind, items)


def _questions_kind(holders: Sequence[Mapping[str, object]]) -> QuestionKind:
    counterfactual = any(holder.get(key) is not None for holder in holders for key in ("positive_wrong", "fakeanswer"))
    lists = [value for holder in holders if isinstance(value := holder.get("positive"), list) and value]
    grouped = 2 * sum(all(isinstance(one, list) for one in value) for value in lists) > len(lists)
    return "fact" if counterfactual else "int" if grouped else "base"


def _groups(value: object, *, grouped: bool) -> tuple[tuple[str, ...], ...]:
    """Groups of documents, or one group of all documents if the file's questions are not grouped."""
    if not isinstance(value, list) or not grouped:
        return (_documents(value),)
    return tuple(_documents(one, f", group {place}") for place, one in enumerate(value, 1))


def _documents(value: object, at: str = "") -> tuple[str, ...]:
    """Documents, which may be empty."""
    if not isinstance(value, list):
        raise _fault("a list of texts", value, at)
    for place, one in enumerate(value, 1):
        if not isinstance(one, str):
            raise _fault("a text", one, f"{at}, document {place}")
    return tuple(map(str, value))
