"""Questions in the form of the RGB benchmark: JSON lines, a JSON array of the same objects, or a table from Python.

    {"id": 0, "query": "Where was it?", "answer": "Tampa", "positive": ["In Tampa ..."], "negative": ["Tickets ..."]}

answer: a text, or a list of slots, each a text or a list of aliases. positive: a list of documents; in `_int` files a
list of groups, each a list of documents. `_fact` files also have positive_wrong, documents that lie, and fakeanswer,
what they say: a text or a list. Keys such as answer1, which repeat a slot of the answer, are not needed.

Source: Chen et al. 2024, "Benchmarking Large Language Models in Retrieval-Augmented Generation",
https://doi.org/10.1609/aaai.v38i16.29728.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from karat.errors import DataError, encodable, nearest
from karat.formats import documents
from karat.formats.documents import Number, not_plain
from karat.formats.findings import Findings, listed
from karat.formats.objects import Objects, read_objects
from karat.formats.source import Source
from karat.schemas.questions import Kind, Question, Questions

_KEYS = ("id", "query", "answer", "positive", "negative", "positive_wrong", "fakeanswer")
_PIECE = re.compile(r"answer[0-9]+")
_ANSWER = "a text, or a list of slots, each a text or a list of aliases, none of them empty"

Holder = Mapping[str, object]


def read_questions(source: Source) -> Questions:
    """The questions of a file or of a table, and of which kind they are.

    "fact" where any has positive_wrong or fakeanswer; "int" where positive is a list of groups in most; else "base".
    null stands for a key that is not there. A lying document may lack what it says (fakeanswer), any list may be
    empty, and so may a document; ids may be numbers, and may stand twice. Keys that mean nothing to Karat are counted
    in one warning.

    Raises DataError with all that is wrong: lines that are no objects; a key that is missing; numbers, null and the
    like where a text belongs; an empty query or answer; lists of both texts and groups; groups in some lines only, or
    beside lying documents; half a character (a lone surrogate). Also for a file that is no JSON.
    """
    objects = read_objects(source, "questions")
    findings = Findings()
    lines: dict[int, _Line] = {}
    for number, (place, value) in zip(objects.numbers, objects.places(), strict=True):
        if wrong := not_plain(value):
            findings.add(f"{place}: {wrong}")
        else:
            lines[number] = _Line(place, value, findings)
    holders = [line.holder for line in lines.values()]
    kind = _kind(objects, holders)
    read = [_question(line, number, kind) for number, line in lines.items()]
    findings.settle()
    items = tuple(question for question in read if question is not None)
    return Questions(objects.name, objects.unit, kind, items, _unknown(holders))


def _kind(objects: Objects, holders: Sequence[Holder]) -> Kind:
    lying = any(holder.get(key) is not None for holder in holders for key in ("positive_wrong", "fakeanswer"))
    lists = [value for holder in holders if isinstance(value := holder.get("positive"), list) and value]
    nested = sum(all(isinstance(one, list) for one in value) for value in lists)
    grouped = 2 * nested > len(lists)
    if lying and grouped:
        raise DataError(
            f"{objects.name}: expected groups of documents (positive) or documents that lie (positive_wrong, "
            "fakeanswer); got both. Keep questions of the two kinds in files of their own"
        )
    return "fact" if lying else "int" if grouped else "base"


def _unknown(holders: Sequence[Holder]) -> tuple[str, ...]:
    """One warning that counts the keys that are none of the benchmark's."""
    counts = Counter(key for key in chain.from_iterable(holders) if key not in _KEYS and not _PIECE.fullmatch(key))
    if not counts:
        return ()
    told = [f'"{_shown(key)}"{nearest(key, _KEYS)} in {count:,}' for key, count in counts.most_common()]
    return (f"keys that mean nothing to Karat are left out: {listed(told, say=str)}",)


def _shown(text: str) -> str:
    return text[:60].encode(errors="replace").decode()


# --- one question ---


@dataclass(frozen=True, slots=True)
class _Line:
    """One object of the file. where: as messages name it; what is wrong goes to the findings."""

    where: str
    holder: Holder
    findings: Findings

    def wrong(self, key: str, expected: str, got: object, at: str = "") -> None:
        said = "nothing" if got is None and key not in self.holder else _kind_of(got)
        self.findings.add(f"{self.where}, {key}{at}: expected {expected}; got {said}")


def _kind_of(value: object) -> str:
    if isinstance(value, Number):
        return f"the number {value:.30}"
    if isinstance(value, str) and not encodable(value):
        return "half a character (a lone surrogate)"
    return documents.kind(value)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and not isinstance(value, Number) and encodable(value)


def _is_filled(value: object) -> bool:
    return _is_text(value) and isinstance(value, str) and bool(value.strip())


def _question(line: _Line, number: int, kind: Kind) -> Question | None:
    """The question of a line; None where anything is wrong with it."""
    before = line.findings.total
    found = Question(
        number,
        _text(line, "id", "a text or a number", _is_id),
        _text(line, "query", "a text that is not empty", _is_filled),
        _slots(line),
        _groups(line, kind),
        _documents(line, "negative"),
        _documents(line, "positive_wrong") if kind == "fact" else (),
        _false(line) if kind == "fact" else (),
    )
    return found if line.findings.total == before else None


def _text(line: _Line, key: str, expected: str, holds: Callable[[object], bool]) -> str:
    value = line.holder.get(key)
    if holds(value):
        return str(value)
    line.wrong(key, expected, value)
    return ""


def _is_id(value: object) -> bool:
    return isinstance(value, str) and bool(value) and encodable(value)


def _slots(line: _Line) -> tuple[tuple[str, ...], ...]:
    value = line.holder.get("answer")
    if not isinstance(value, list):
        if not _is_filled(value):
            line.wrong("answer", _ANSWER, value)
        return ((str(value),),)
    slots = []
    for place, slot in enumerate(value, 1):
        aliases = slot if isinstance(slot, list) else [slot]
        bad = [alias for alias in aliases if not _is_filled(alias)] if aliases else [slot]
        if bad:
            line.wrong("answer", _ANSWER, bad[0], f", slot {place}")
        slots.append(tuple(map(str, aliases)))
    if not slots:
        line.wrong("answer", _ANSWER, value)
    return tuple(slots)


def _groups(line: _Line, kind: Kind) -> tuple[tuple[str, ...], ...]:
    value = line.holder.get("positive")
    nested = sum(isinstance(one, list) for one in value) if isinstance(value, list) else 0
    if not isinstance(value, list):
        line.wrong("positive", "a list of texts or of groups", value)
        return ()
    if 0 < nested < len(value):
        line.findings.add(f"{line.where}, positive: expected a list of texts or of groups; got a list of both")
        return ()
    if value and (nested > 0) != (kind == "int"):
        wanted, got = ("groups", "texts") if kind == "int" else ("texts", "groups")
        line.findings.add(f"{line.where}, positive: expected a list of {wanted}, as in this file; got one of {got}")
        return ()
    if kind != "int":
        return (_texts(line, "positive", value),)
    return tuple(_texts(line, "positive", group, f", group {place}") for place, group in enumerate(value, 1))


def _documents(line: _Line, key: str) -> tuple[str, ...]:
    value = line.holder.get(key)
    if isinstance(value, list):
        return _texts(line, key, value)
    line.wrong(key, "a list of texts", value)
    return ()


def _texts(line: _Line, key: str, values: Sequence[object], at: str = "") -> tuple[str, ...]:
    """Documents, which may be empty."""
    for place, value in enumerate(values, 1):
        if not _is_text(value):
            line.wrong(key, "a text", value, f"{at}, document {place}")
    return tuple(map(str, values))


def _false(line: _Line) -> tuple[str, ...]:
    """What lying documents say: a text, or a list of texts or of lists of them; nothing where it is null."""
    value = line.holder.get("fakeanswer")
    if value is None:
        return ()
    listed = value if isinstance(value, list) else [value]
    flat = [text for one in listed for text in (one if isinstance(one, list) and one else [one])]
    bad = [text for text in flat if not _is_filled(text)] if flat else [value]
    if bad:
        line.wrong("fakeanswer", "a text, or a list of texts, none of them empty", bad[0])
    return tuple(dict.fromkeys(map(str, flat)))
