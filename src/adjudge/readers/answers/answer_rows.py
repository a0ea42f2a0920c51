"""One answer: what the fields of an object become as a row of the table of answers."""

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import nan
from typing import Any

from adjudge.errors import encodable, nearest
from adjudge.readers.answers.answer_fields import Fields, Wrong, false_answers, is_text, slots
from adjudge.readers.io.json_documents import Number, Repeated, plain_text
from adjudge.readers.label_values import list_in_cell
from adjudge.schemas.answers import ABILITIES, AnswerLists
from adjudge.schemas.outcomes import OUTCOME, REPLY, STATUSES

_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)|\A.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_THOUGHTS = {"thinking", "redacted_thinking", "reasoning"}
"""Types of the blocks of a response that hold its reasoning."""
_FEWEST = 2


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

    def row(self, fields: Fields) -> dict[str, Any]:
        """An answer as a row of the table."""
        names = self.names
        if self.fixed:
            fields.holder = self._filled(fields.holder)
        ability = fields.read(names["ability"], _ability)
        noise = fields.read(names["noise_ratio"], _noise)
        closed = fields.holder.get(names["documents"]) in ([], "[]")
        return {
            "id": fields.read(names["id"], _id),
            "ability": ability,
            "model": fields.read(names["model"], _text) or self.model,
            "noise_ratio": 1.0 if noise is None and ability == "negative_rejection" and not closed else noise,
            "draw": fields.read(names["draw"], _text),
            "response": fields.read(names["response"], response),
            "slots": fields.read(names["answer"], self._slots),
            "false": fields.read(names["counterfactual"], _false),
            "closed": closed,
            "cluster": fields.read(self.cluster, _text) if self.cluster else None,
            REPLY: said if (said := fields.holder.get(OUTCOME)) in STATUSES else None,
            **{name: fields.read(name, _text) for name in self.by},
        }

    def _filled(self, holder: Mapping[str, object]) -> Mapping[str, object]:
        lacking = {self.names[name]: value for name, value in self.fixed.items()}
        return {**holder, **{name: value for name, value in lacking.items() if holder.get(name) is None}}

    def _slots(self, value: object) -> str | None:
        """A true answer as JSON; null where no answer is right."""
        value = self.told(value)
        if value is None or value == "":
            return None
        if self.lists == "aliases" and is_flat_list(value):
            value = [value]
        return json.dumps(slots(value), ensure_ascii=False)

    def told(self, value: object) -> object:
        """A true answer as it is given: a text, or a list; one text with separators is a list too."""
        value = texts(value)
        if isinstance(value, str) and self.separator and self.separator in value:
            return [one for part in value.split(self.separator) if (one := part.strip())]
        return value


def is_flat_list(value: object) -> bool:
    """Whether a true answer is a list of several texts, which may be aliases or slots."""
    return isinstance(value, list) and len(value) >= _FEWEST and all(isinstance(one, str) for one in value)


def texts(value: object) -> object:
    """A cell in which numbers are texts, and text of a list, which flat tables hold, is that list."""
    if isinstance(value, Number):
        return str(value)
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
    if isinstance(value, Number) or is_text(value):
        return str(value)
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


def _text(value: object) -> str | None:
    if isinstance(value, list | dict) or (isinstance(value, str) and not encodable(value)):
        raise Wrong("text or a number", value)
    return plain_text(value) or None


def _id(value: object) -> str:
    found = _text(value)
    if found is None:
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
        number = float(value) if isinstance(value, str) else nan
    if not 0 <= number <= 1:
        raise Wrong("a number from 0 to 1", value)
    return number + 0.0  # so that -0 is 0


def _false(value: object) -> list[str] | None:
    value = texts(value)
    return None if value is None or value in ("", []) else false_answers(value)
