"""Question and documents of example answers, with true and false answers in them marked."""

import json
import re
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from adjudge.report import truncate
from adjudge.schemas.answers import Answers

DOCUMENTS = "documents"
"""Column of examples: JSON, a list of documents: text, and marks: start, end, and answer or lie."""

_MOST, _LONGEST, _BEFORE = 8, 700, 200
"""Documents that are shown, characters of each, and those before its first mark."""
_TOLD = ("ability", "noise_ratio", "draw")
"""What tells an answer from others to the same question by the same model."""


def question_texts(
    read: Sequence[Answers], rows: Sequence[Mapping[str, Any]], phrases: Sequence[Mapping[str, Sequence[str]]]
) -> list[dict[str, str]]:
    """The question and documents of some outcomes, if their file holds them. phrases: true and false ones of each."""
    items = list(dict.fromkeys(row["item"] for row in rows))
    records = list(chain.from_iterable(one.questions_of(items) for one in read if one.questions_of))
    all_texts = []
    for row, phrases_sought in zip(rows, phrases, strict=True):
        wanted = {"id": row["item"], "model": row["judge"], **{name: row.get(name) for name in _TOLD}}
        record = next((one for one in records if _matches_record(one, wanted)), None)
        texts: dict[str, str] = {}
        if record and record["question"]:
            texts["question"] = truncate(str(record["question"]))
        if record and record[DOCUMENTS]:
            documents = [_mark_document(document, phrases_sought) for document in record[DOCUMENTS][:_MOST]]
            texts[DOCUMENTS] = json.dumps(documents, ensure_ascii=False)
        all_texts.append(texts)
    return all_texts


def _matches_record(record: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Whether a record belongs to an outcome; missing values match any value."""
    pairs = ((record.get(name), value) for name, value in wanted.items())
    return all(_equal_values(one, other) for one, other in pairs if one is not None and other is not None)


def _equal_values(first: object, second: object) -> bool:
    try:
        return float(str(first)) == float(str(second))
    except ValueError:
        return str(first) == str(second)


def _mark_document(document: str, sought: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """A document cut around the first of its marks: the places where it holds a phrase as whole words."""
    patterns = [
        f"(?P<{kind}>{'|'.join(rf'(?<![A-Za-z0-9]){re.escape(phrase)}(?![A-Za-z0-9])' for phrase in phrases)})"
        for kind, phrases in sought.items()
        if phrases
    ]
    matches = re.finditer("|".join(patterns), document, re.IGNORECASE) if patterns else ()
    marks = sorted((match.start(), match.end(), str(match.lastgroup)) for match in matches)
    start = max(0, marks[0][0] - _BEFORE) if marks else 0
    space = document.find(" ", start, start + _BEFORE) + 1 if start else 0
    start = space or start
    text = ("… " if start else "") + truncate(document[start:], _LONGEST)
    moved = ((begin - start + 2 * bool(start), end - start + 2 * bool(start), said) for begin, end, said in marks)
    return {"text": text, "marks": [one for one in moved if one[1] < len(text)]}
