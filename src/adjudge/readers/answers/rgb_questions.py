"""Questions in the form of the RGB benchmark: JSON lines, a JSON array of the same objects, or a table from Python.

    {"id": 0, "query": "Where was it?", "answer": "Tampa", "positive": ["In Tampa ..."], "negative": ["Tickets ..."]}

answer: a text, or a list of slots, each a text or a list of aliases. positive: a list of documents; in `_int` files a
list of groups, each a list of documents. `_fact` files also have positive_wrong, documents that lie, and fakeanswer,
what they say: a text or a list. Keys such as answer1, which repeat a slot of the answer, are not needed.

Source: Chen et al. 2024, "Benchmarking Large Language Models in Retrieval-Augmented Generation",
https://doi.org/10.1609/aaai.v38i16.29728.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain

from adjudge.errors import DataError
from adjudge.readers.answers.answer_rows import READERS, Reader, Wrong, false_answers, is_text, read_fields, slots, text
from adjudge.readers.io.json_documents import read_objects
from adjudge.readers.io.source import Source
from adjudge.readers.problems import Findings, left_out
from adjudge.schemas.answers import Question, QuestionKind, Questions

_KEYS = ("id", "query", "answer", "positive", "negative", "positive_wrong", "fakeanswer")
_PIECE = re.compile(r"answer[0-9]+")


def read_questions(source: Source) -> Questions:
    """The questions of a file or of a table, and of which kind they are.

    "fact" where any has positive_wrong or fakeanswer; "int" where positive is a list of groups in most; else "base".
    null stands for a key that is not there. A lying document may lack what it says (fakeanswer), any list may be
    empty, and so may a document; ids may be numbers, and may stand twice. Keys that mean nothing to Adjudge are counted
    in one warning.

    Raises DataError with all that is wrong: lines that are no objects; a key that is missing; numbers, null and the
    like where a text belongs; an empty query or answer; lists of both texts and groups; groups in some lines only, or
    beside lying documents; half a character (a lone surrogate). Also for a file that is no JSON.
    """
    objects, findings = read_objects(source, "questions"), Findings()
    holders = objects.plain()
    kind = _kind(objects.name, holders)
    readers: dict[str, tuple[str, Reader]] = {
        "id": READERS["id"],
        "query": ("query", lambda value: text(value, "a text that is not empty")),
        "slots": ("answer", lambda value: tuple(map(tuple, slots(value)))),
        "groups": ("positive", lambda value: _groups(value, grouped=kind == "int")),
        "negative": ("negative", _documents),
    }
    if kind == "fact":
        readers["wrong"] = ("positive_wrong", _documents)
        readers["false"] = ("fakeanswer", lambda value: () if value is None else tuple(false_answers(value)))
    columns, _ = read_fields(replace(objects, values=holders), readers, findings)
    findings.settle()
    rows = zip(objects.numbers, *columns.values(), strict=True)
    items = tuple(Question(number, **dict(zip(columns, row, strict=True))) for number, *row in rows)
    unknown = left_out((key for key in chain(*holders) if not _PIECE.fullmatch(key)), _KEYS)
    return Questions(objects.name, objects.unit, kind, items, tuple(unknown))


def _kind(name: str, holders: Sequence[Mapping[str, object]]) -> QuestionKind:
    lying = any(holder.get(key) is not None for holder in holders for key in ("positive_wrong", "fakeanswer"))
    lists = [value for holder in holders if isinstance(value := holder.get("positive"), list) and value]
    grouped = 2 * sum(all(isinstance(one, list) for one in value) for value in lists) > len(lists)
    if lying and grouped:
        raise DataError(
            f"{name}: expected groups of documents (positive) or those that lie (positive_wrong, fakeanswer); got both",
            fix="a file for each of the two kinds of questions",
        )
    return "fact" if lying else "int" if grouped else "base"


def _groups(value: object, *, grouped: bool) -> tuple[tuple[str, ...], ...]:
    """Groups of documents, or one of them all where questions of the file are not grouped."""
    if not isinstance(value, list):
        raise Wrong("a list of texts or of groups", value)
    if any(isinstance(one, list) != grouped for one in value):
        wanted, other = ("groups", "texts") if grouped else ("texts", "groups")
        raise Wrong(f"a list of {wanted}, as in this file", value, got=f"one with {other}")
    if not grouped:
        return (_documents(value),)
    return tuple(_documents(one, f", group {place}") for place, one in enumerate(value, 1))


def _documents(value: object, at: str = "") -> tuple[str, ...]:
    """Documents, which may be empty."""
    if not isinstance(value, list):
        raise Wrong("a list of texts", value, at)
    for place, one in enumerate(value, 1):
        if not is_text(one):
            raise Wrong("a text", one, f"{at}, document {place}")
    return tuple(map(str, value))
