"""Adjudge's own JSON lines: a text per line, with its violations. A JSON array of the same objects reads alike.

    {"id": "t1", "text": "Cures headache.", "violations": [{"start": 0, "end": 5, "rule": "no medical claims"}]}

A violation has start and end, or context (what it quotes) and perhaps position (about where); it may have rule,
category, explanation and correction. One that is predicted may instead have invented: words that it quotes and the text
does not hold. A line may name its annotator, or its checker. A checker's line may say what became of its question to a
model (outcome); where that was not answered, its violations are null.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import polars as pl

from adjudge.errors import DataError
from adjudge.readers.io.json_documents import Objects, kind
from adjudge.readers.io.source import Format
from adjudge.readers.parsed_input import Opened
from adjudge.readers.problems import left_out
from adjudge.readers.spans.span_records import SPAN_COLUMNS, Holder, Marked, Names, Raw, raw_of_objects
from adjudge.readers.spans.violations import VIOLATIONS, Options
from adjudge.schemas.outcomes import OUTCOME, UNANSWERED


def read_violation_lines(found: Opened[Options]) -> Raw:
    """The lines and their violations. Keys of violations that Adjudge does not know are counted in a warning.

    Raises OptionError for a name that no line holds.
    """
    names = found.options
    objects = _without_gaps(found) if _has_lists(found) else found.objects
    key, held = names.theirs(VIOLATIONS), list[Sequence[object]]()
    if names.predictions and any(OUTCOME in value for value in objects.values if type(value) is dict):
        names = replace(names, further={OUTCOME: OUTCOME})

    def marked(line: Holder) -> Marked:
        held.append(_marks(line, key, predicted=names.predictions))
        return [(line, held[-1])]

    parts = {part: names.theirs(part) for part in SPAN_COLUMNS}
    raw = raw_of_objects(objects, names, marked, parts, [VIOLATIONS])
    plain = [mark for mark in chain.from_iterable(held) if type(mark) is dict]
    Names(names.columns).check(objects.name, plain, SPAN_COLUMNS)
    return raw.warned(left_out(chain.from_iterable(plain), list(parts.values()), "keys of violations"))


def _marks(line: Mapping[str, Any], key: str, *, predicted: bool) -> Sequence[object]:
    """The violations of a line; none where it says why a model gave none. Raises DataError where it does neither."""
    marks = line.get(key)
    if isinstance(marks, list):
        return marks
    if predicted and marks is None and line.get(OUTCOME) in UNANSWERED:
        return ()
    got = kind(marks) if key in line else "nothing"
    raise DataError(f", {key}: expected a list (empty where there are none); got {got}")


def _has_lists(found: Opened[Options]) -> bool:
    """Whether a table has a column with lists of violations."""
    return found.is_nested and isinstance(found.schema.get(found.theirs(VIOLATIONS)), pl.List | pl.Array)


def _without_gaps(found: Opened[Options]) -> Objects:
    """The rows of a table, without the keys of its violations that are null: each has all keys that any has."""
    key = found.theirs(VIOLATIONS)
    known = {found.theirs(part) for part in SPAN_COLUMNS}
    for one in chain.from_iterable(row[key] or () for row in found.objects.values):
        for name in [*one] if isinstance(one, dict) else ():
            if one[name] is None and name not in known:
                del one[name]
    return found.objects


def _looks_like(found: Opened[Options]) -> bool:
    """Whether any of the first objects, or the table, holds lists of violations."""
    return _has_lists(found) if found.is_nested else any(found.theirs(VIOLATIONS) in value for value in found.first)


FORMAT = Format("violations", "violations", read_violation_lines, _looks_like, 1, (".jsonl", ".json"))
