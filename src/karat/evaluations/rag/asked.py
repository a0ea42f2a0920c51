"""Question and documents of example answers, with true and false answers in them marked."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from karat.report import cut
from karat.schemas.answers import Answers

DOCUMENTS = "documents"
"""Column of examples: JSON, a list of documents: text, and marks: start, end, and answer or lie."""

_MOST, _LONGEST, _BEFORE = 8, 700, 200
"""Documents that are shown, characters of each, and those before its first mark."""
_TOLD = ("ability", "noise_ratio", "draw")
"""What tells an answer from others to the same question by the same model."""


def with_question(
    read: Sequence[Answers], rows: Sequence[Mapping[str, Any]], phrases: Sequence[Mapping[str, Sequence[str]]]
) -> list[dict[str, str]]:
    """The question and documents of some outcomes, if their file holds them. phrases: true and false ones of each."""
    items = list(dict.fromkeys(row["item"] for row in rows))
    records = list(chain.from_iterable(one.asked(items) for one in read if one.asked))
    all_texts = []
    for row, phrases_sought in zip(rows, phrases, strict=True):
        wanted = {"id": row["item"], "model": row["judge"], **{name: row.get(name) for name in _TOLD}}
        record = next((one for one in records if _is(one, wanted)), None)
        texts: dict[str, str] = {}
        if record and record["question"]:
            texts["question"] = cut(str(record["question"]))
        if record and record[DOCUMENTS]:
            documents = [_marked(document, phrases_sought) for document in record[DOCUMENTS][:_MOST]]
            texts[DOCUMENTS] = json.dumps(documents, ensure_ascii=False)
        all_texts.append(texts)
    return all_texts


def _is(record: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Whether a record belongs to an outcome; missing values match any value."""
    pairs = ((record.get(name), value) for name, value in wanted.items())
    return all(_same(one, other) for one, other in pairs if one is not None and other is not None)


def _same(first: object, second: object) -> bool:
    try:
        return float(str(first)) == float(str(second))
    except ValueError:
        return str(first) == str(second)


def _marked(document: str, sought: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """A document with its marks, cut around the first of them."""
    marks = sorted(_marks(document, sought))
    start = max(0, marks[0][0] - _BEFORE) if marks else 0
    space = document.find(" ", start, start + _BEFORE) + 1 if start else 0
    start = space or start
    text = ("… " if start else "") + cut(document[start:], _LONGEST)
    moved = ((begin - start + 2 * bool(start), end - start + 2 * bool(start), said) for begin, end, said in marks)
    return {"text": text, "marks": [one for one in moved if one[1] < len(text)]}


def _marks(text: str, sought: Mapping[str, Sequence[str]]) -> Iterator[tuple[int, int, str]]:
    """The places where a text holds one of the phrases as whole words."""
    patterns = [
        f"(?P<{said}>{'|'.join(rf'(?<![A-Za-z0-9]){re.escape(one)}(?![A-Za-z0-9])' for one in some)})"
        for said, some in sought.items()
        if some
    ]
    for match in re.finditer("|".join(patterns), text, re.IGNORECASE) if patterns else ():
        yield match.start(), match.end(), str(match.lastgroup)
