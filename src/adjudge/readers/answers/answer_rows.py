"""The fields of answers and of questions, read strictly: what each value becomes in a table."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from math import nan
from operator import itemgetter
from typing import Any

import polars as pl

from adjudge.errors import encodable, nearest
from adjudge.readers.io.json_documents import Objects, is_number, kind, plain_text
from adjudge.readers.label_values import list_in_cell
from adjudge.readers.problems import Findings
from adjudge.readers.tables import ROW
from adjudge.schemas.answers import ABILITIES, ANSWERS, AnswerLists
from adjudge.schemas.outcomes import OUTCOME, REPLY, STATUSES

_SLOTS = "a text, or a list of slots, each a text or a list of aliases, none of them empty"
_FALSE = "a text, or a list of texts, none of them empty"
_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)|\A.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_THOUGHTS = {"thinking", "redacted_thinking", "reasoning"}
"""Types of the blocks of a response that hold its reasoning."""
_FEWEST = 2
_LISTS = ("slots", "false")
"""Columns of lists."""

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
        values = columns[column] = list[Any]()
        known: dict[type, dict[object, Any]] = {str: {}, int: {}, float: {}, type(None): {}}
        for row, holder in enumerate(objects.values):
            value = holder.get(key)
            alike = known.get(type(value))
            if alike is not None and value in alike:
                values.append(alike[value])
                continue
            try:
                values.append(reader(value))
                if alike is not None:
                    alike[value] = values[-1]
            except Wrong as error:
                got = error.got if key in holder else "nothing"
                place = f"{objects.name}, {objects.unit} {objects.numbers[row]}, {key}{error.at}"
                wrong.append((row, f"{place}: expected {error.expected}; got {got}{error.hint}"))
                values.append(None)
    for _, message in sorted(wrong, key=itemgetter(0)):
        findings.add(message)
    return columns, {row for row, _ in wrong}


@dataclass(frozen=True, slots=True)
class Reading:
    """What an object's fields mean.

    names: Adjudge's column -> the file's. fixed: Adjudge's column -> its value where an object has none. by: further
    columns. cluster: the file's column of clusters. model: the name where the file gives none. lists: what flat lists
    of true answers are. separator: what stands between several of them in one text; empty where nothing does.
    """

    names: Mapping[str, str]
    fixed: Mapping[str, str]
    by: Sequence[str]
    cluster: str | None
    model: str
    lists: AnswerLists | None
    separator: str = ""
    _known: dict[tuple[type, str], tuple[str | None, bool]] = field(default_factory=dict)
    """True answers, which stand with each answer to their question -> what they are; see `_slots`."""

    def frame(self, objects: Objects, findings: Findings) -> tuple[pl.DataFrame, int]:
        """The sound answers as rows of a table, with ROW, and how many true ones are flat lists that may be either."""
        readers: dict[str, Reader] = {"id": _id, "ability": _ability, "noise_ratio": _noise, "response": response}
        readers |= {"model": _text, "draw": _text, "answer": self._slots, "counterfactual": _false}
        fields = {name: (self.names[name], self._filled(name, reader)) for name, reader in readers.items()}
        fields |= {"closed": (self.names["documents"], lambda value: value in ([], "[]")), REPLY: (OUTCOME, _reply)}
        fields |= {"cluster": (self.cluster, _text)} if self.cluster else {}
        columns, wrong = read_fields(objects, fields, findings)
        further, unread = read_fields(objects, {name: (name, _text) for name in self.by}, findings)
        wrong |= unread
        findings.dropped += len(wrong)
        answers = [answer or (None, False) for answer in columns.pop("answer")]
        columns |= {"slots": [true for true, _ in answers], "false": columns.pop("counterfactual"), **further}
        columns |= {ROW: list(objects.numbers), "flat": [flat for _, flat in answers]}
        # lists go into the table as JSON, which is many times faster
        schema: dict[str, pl.DataType] = {
            ROW: pl.UInt32(),
            **ANSWERS,
            **dict.fromkeys((*self.by, *_LISTS), pl.String()),
        }
        every = {name: columns.get(name, [None] * len(objects.values)) for name in (*schema, "flat")}
        frame = pl.DataFrame(every, schema={**schema, "flat": pl.Boolean()})
        silent = (pl.col("ability") == "negative_rejection") & ~pl.col("closed") & pl.col("noise_ratio").is_null()
        frame = frame.filter([row not in wrong for row in range(frame.height)]) if wrong else frame
        frame = frame.with_columns(
            pl.col("model").fill_null(self.model),
            *(pl.col(name).str.json_decode(ANSWERS[name]) for name in _LISTS),
            noise_ratio=pl.when(silent).then(1.0).otherwise("noise_ratio"),
        )
        flat = 0 if self.lists else int((frame["flat"] & (frame["ability"] != "information_integration")).sum())
        return frame.drop("flat"), flat

    def _filled(self, name: str, reader: Reader) -> Reader:
        if name not in self.fixed:
            return reader
        return lambda value: reader(self.fixed[name] if value is None else value)

    def _slots(self, value: object) -> tuple[str | None, bool]:
        """A true answer as JSON, null where no answer is right; and whether it is a list that may be of either kind."""
        key = (type(value), str(value))
        if key not in self._known:
            value = texts(value)
            if isinstance(value, str) and self.separator and self.separator in value:
                value = [one for part in value.split(self.separator) if (one := part.strip())]
            is_flat = isinstance(value, list) and len(value) >= _FEWEST and all(isinstance(one, str) for one in value)
            given = [value] if is_flat and self.lists == "aliases" else value
            true = None if value is None or value == "" else json.dumps(slots(given), ensure_ascii=False)
            self._known[key] = true, is_flat
        return self._known[key]


# --- values ---


def is_text(value: object) -> bool:
    """Whether a value is a text that can be written."""
    return isinstance(value, str) and encodable(value)


def text(value: object, expected: str, at: str = "") -> str:
    """A text that is not empty."""
    if is_text(value) and str(value).strip():
        return str(value)
    raise Wrong(expected, value, at)


def slots(value: object) -> list[list[str]]:
    """A true answer: a text, or a list of slots, each a text or a list of aliases."""
    if not isinstance(value, list) or not value:
        return [[text(value, _SLOTS)]]
    return [
        [text(alias, _SLOTS, f", slot {place}") for alias in (slot if isinstance(slot, list) and slot else [slot])]
        for place, slot in enumerate(value, 1)
    ]


def false_answers(value: object) -> list[str]:
    """What lying documents say: a text, or a list of texts or of lists of them."""
    many = value if isinstance(value, list) and value else [value]
    flat = [one for several in many for one in (several if isinstance(several, list) and several else [several])]
    return list(dict.fromkeys(text(one, _FALSE) for one in flat))


def texts(value: object) -> object:
    """A cell in which numbers are texts, and text of a list, which flat tables hold, is that list."""
    if is_number(value):
        return plain_text(value)
    if isinstance(value, str) and value.startswith("["):
        value = value if (listed := list_in_cell(value)) is None else listed
    return [texts(one) for one in value] if isinstance(value, list) else value


def response(value: object) -> str | None:
    """A response without its reasoning. Blocks of content are the text that they hold."""
    if value is None:
        return None
    said = _content(value)
    return without_thoughts(said) if "think" in said.lower() else said


def without_thoughts(said: str) -> str:
    """A response without what stands between <think> tags, also where the first or the last of them is missing."""
    return _THOUGHT.sub("", said).strip()


def _content(value: object) -> str:
    """The text of a response: a text, a number, a message with its content, or a list of blocks of content."""
    if is_text(value) or is_number(value):
        return plain_text(value) or ""
    if isinstance(value, dict):
        blocks = value.get("content", value.get("text"))
        return _content("" if blocks is None or value.get("type") in _THOUGHTS else blocks)
    if isinstance(value, list) and value and all(isinstance(one, dict) and _is_block(one) for one in value):
        return "".join(map(_content, value))
    raise Wrong("text, blocks of content, or null for an answer that failed", value)


def _is_block(block: Mapping[str, object]) -> bool:
    return "text" in block or "content" in block or block.get("type") in _THOUGHTS


def _text(value: object) -> str | None:
    if isinstance(value, list | dict) or (isinstance(value, str) and not encodable(value)):
        raise Wrong("text or a number", value)
    return plain_text(value) or None


def _id(value: object) -> str:
    if (found := _text(value)) is None:
        raise Wrong("an id", value)
    return found


def _ability(value: object) -> str:
    if value not in ABILITIES:
        raise Wrong(f"one of {', '.join(ABILITIES)}", value, hint=nearest(str(value), ABILITIES))
    return str(value)


def _noise(value: object) -> float | None:
    if value is None or value == "":
        return None
    number = nan
    with suppress(ValueError):
        number = float(value) if isinstance(value, str) or is_number(value) else nan
    if not 0 <= number <= 1:
        raise Wrong("a number from 0 to 1", value)
    return number + 0.0  # so that -0 is 0


def _false(value: object) -> str | None:
    value = texts(value)
    return None if value is None or value in ("", []) else json.dumps(false_answers(value), ensure_ascii=False)


def _reply(value: object) -> object:
    return value if value in STATUSES else None
