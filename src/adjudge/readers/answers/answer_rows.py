"""The fields of answers and of questions, read strictly: what each value becomes in a table."""

import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import lru_cache
from math import nan
from operator import itemgetter, methodcaller
from typing import Any

from adjudge.errors import encodable, nearest
from adjudge.readers.io.json_documents import Objects, Repeated, is_number, kind, plain_text
from adjudge.readers.label_values import list_in_cell
from adjudge.readers.problems import Findings
from adjudge.schemas.answers import ABILITIES
from adjudge.schemas.outcomes import OUTCOME, REPLY, STATUSES

_SLOTS = "a text, or a list of slots, each a text or a list of aliases, none of them empty"
_FALSE = "a text, or a list of texts, none of them empty"
_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)|\A.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_THOUGHTS = {"thinking", "redacted_thinking", "reasoning"}
"""Types of the blocks of a response that hold its reasoning."""
Reader = Callable[[Any], Any]


class Wrong(Exception):  # noqa: N818 - a signal to `read_fields`
    """A value that is not what it should be. expected, got: in words. at: where in its field. hint: a suggestion."""

    def __init__(self, expected: str, value: object, at: str = "", *, got: str = "", hint: str = "") -> None:
        super().__init__(expected)
        self.expected, self.got, self.at, self.hint = expected, got or _kind(value), at, hint


def _kind(value: object) -> str:
    """What came, in words; unlike `documents.kind`, this tells numbers from texts of digits."""
    if is_number(value):
        return f"the number {plain_text(value):.30}"
    if isinstance(value, str) and not encodable(value):
        return "half a character (a lone surrogate)"
    return kind(value)


def read_fields(
    objects: Objects, readers: Mapping[str, tuple[str, Reader]], findings: Findings
) -> tuple[dict[str, list[Any]], set[int]]:
    """What readers make of the fields of JSON objects, as columns, and the rows of those that are not sound.

    readers: column -> the field's name, and what reads its value. One for which it raises Wrong is a finding.
    """
    columns, wrong = dict[str, list[Any]](), list[tuple[int, str]]()
    for column, (key, reader) in readers.items():
        known = lru_cache(None, typed=True)(reader)  # values stand often
        with suppress(Wrong, TypeError):  # most fields hold sound texts and numbers alone
            columns[column] = list(map(known, map(methodcaller("get", key), objects.values)))
            continue
        values = columns[column] = list[Any]()
        for row, holder in enumerate(objects.values):
            value = holder.get(key)
            try:
                values.append(reader(value) if isinstance(value, list | dict) else known(value))
            except Wrong as error:
                got = error.got if key in holder else "nothing"
                place = f"{objects.name}, {objects.unit} {objects.numbers[row]}, {key}{error.at}"
                wrong.append((row, f"{place}: expected {error.expected}; got {got}{error.hint}"))
                values.append(None)
    for _, message in sorted(wrong, key=itemgetter(0)):
        findings.add(message)
    return columns, {row for row, _ in wrong}


# --- values ---


def is_text(value: object) -> bool:
    """Whether a value is a text that can be written."""
    return isinstance(value, str) and not is_number(value) and encodable(value)


def text(value: object, expected: str, at: str = "") -> str:
    """A text that is not empty."""
    if is_text(value) and str(value).strip():
        return str(value)
    raise Wrong(expected, value, at)


def _several(value: object) -> list[Any]:
    """A list that is not empty, as it is; anything else as the only element of one."""
    return value if isinstance(value, list) and value else [value]


def slots(value: object) -> list[list[str]]:
    """A true answer: a text, or a list of slots, each a text or a list of aliases."""
    if not isinstance(value, list) or not value:
        return [[text(value, _SLOTS)]]
    return [[text(alias, _SLOTS, f", slot {at}") for alias in _several(slot)] for at, slot in enumerate(value, 1)]


def false_answers(value: object) -> list[str]:
    """What lying documents say: a text, or a list of texts or of lists of them."""
    return list(dict.fromkeys(text(one, _FALSE) for several in _several(value) for one in _several(several)))


def listed_texts(value: object) -> object:
    """A cell in which numbers are texts, and text of a list, which flat tables hold, is that list."""
    if is_number(value):
        return str(plain_text(value))
    if isinstance(value, str) and value.startswith("["):
        value = value if (listed := list_in_cell(value)) is None else listed
    return [listed_texts(one) for one in value] if isinstance(value, list) else value


def response(value: object) -> str | None:
    """A response without what stands between <think> tags, also where the first or the last of them is missing."""
    content = None if value is None else _content(value)
    return _THOUGHT.sub("", content).strip() if content and "think" in content.lower() else content


def _content(value: object) -> str:
    """The text of a response: a text, a number, a message with its content, or a list of blocks of content."""
    if isinstance(value, str) and encodable(value):
        return str(value)
    if is_number(value):
        return plain_text(value) or ""
    if isinstance(value, Repeated):
        raise Wrong("each name once", value, got=f"{value.repeated[0]:.60}, which stands twice")
    if isinstance(value, dict):
        blocks = value.get("content", value.get("text"))
        return _content("" if blocks is None or value.get("type") in _THOUGHTS else blocks)
    if isinstance(value, list) and value and all(isinstance(one, dict) and _is_block(one) for one in value):
        return "".join(map(_content, value))
    raise Wrong("text, blocks of content, or null for an answer that failed", value)


def _is_block(block: Mapping[str, object]) -> bool:
    return "text" in block or "content" in block or block.get("type") in _THOUGHTS


def flat_text(value: object) -> str | None:
    """A text or a number as text; None for an empty one."""
    if isinstance(value, list | dict) or (isinstance(value, str) and not encodable(value)):
        raise Wrong("text or a number", value)
    return plain_text(value) or None


def _id(value: object) -> str:
    if (name := flat_text(value)) is None:
        raise Wrong("an id", value)
    return str(name)


def _ability(value: object) -> str:
    if value not in ABILITIES:
        raise Wrong(f"one of {', '.join(ABILITIES)}", value, hint=nearest(str(value), ABILITIES))
    return str(value)


def _noise(value: object) -> float | None:
    if value is None or value == "":
        return None
    with suppress(ValueError):
        number = float(plain_text(value) or nan)
        if 0 <= number <= 1:
            return number + 0.0  # so that -0 is 0
    raise Wrong("a number from 0 to 1", value)


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
"""Column of ANSWERS -> Adjudge's name for the field that it is read from, and how."""
