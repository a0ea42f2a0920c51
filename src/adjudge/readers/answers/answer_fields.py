"""The fields of a JSON object, read strictly, and the grammar of true answers to questions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from adjudge.errors import encodable
from adjudge.readers.io.json_documents import Number, is_string, kind
from adjudge.readers.problems import Findings

Read = TypeVar("Read")

_SLOTS = "a text, or a list of slots, each a text or a list of aliases, none of them empty"
_FALSE = "a text, or a list of texts, none of them empty"


class Wrong(Exception):  # noqa: N818 - a signal to `Fields.read`
    """A value that is not what it should be. expected, got: in words. at: where in its field. hint: a suggestion."""

    def __init__(self, expected: str, value: object, at: str = "", *, got: str = "", hint: str = "") -> None:
        super().__init__(expected)
        self.expected, self.got, self.at, self.hint = expected, got or _kind(value), at, hint


def _kind(value: object) -> str:
    """What came, in words; unlike `documents.kind`, this tells numbers from texts of digits."""
    if isinstance(value, Number):
        return f"the number {value:.30}"
    if isinstance(value, str) and not encodable(value):
        return "half a character (a lone surrogate)"
    return kind(value)


@dataclass(slots=True)
class Fields:
    """The fields of an object. place: as messages name it. sound: whether nothing that was read of it is wrong."""

    place: str
    holder: Mapping[str, object]
    findings: Findings
    sound: bool = True

    def read(self, key: str, reader: Callable[[object], Read]) -> Read | None:
        """What a reader makes of a field; None where it raises Wrong, which is noted as a finding."""
        try:
            return reader(self.holder.get(key))
        except Wrong as wrong:
            got = wrong.got if key in self.holder else "nothing"
            self.findings.add(f"{self.place}, {key}{wrong.at}: expected {wrong.expected}; got {got}{wrong.hint}")
            self.sound = False
            return None


def is_text(value: object) -> bool:
    """Whether a value is a text that can be written."""
    return is_string(value) and encodable(value)


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
