"""Texts as examples, with all that either side marks in them."""

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from karat.evaluations.violations import EVALUATION
from karat.evaluations.violations.matched import Checked, Scored
from karat.evaluations.violations.rows import COUNTS
from karat.evaluations.violations.spans import NOTHING, Floats, Integers, Spans
from karat.evaluations.violations.tallies import MATCHED
from karat.report import typed_table
from karat.schemas.violations import ID, TEXT, TEXT_PARTS

MARKS = "marks"
"""Column of examples: JSON, a list of violations: side (predicted, true), start, end, match (a number that both sides
of a match share, from 1, else null), score, and what it says."""

_COLUMNS = ("item", "judge", "reference", "part", "label", "reference_label", "outcome", "variant", TEXT, MARKS)


def examples(data: Scored, count: int, seed: int) -> pl.DataFrame:
    """Up to `count` texts of each kind for each checker, drawn at random; the first variant says what matches."""
    variant = next(iter(data.rules))
    draw = np.random.default_rng(seed)
    order = list(EVALUATION.outcomes)
    rows = []
    for checker in data.checkers:
        kinds, partners = _kinds(checker, variant), _partners(data, checker, variant)
        for number, kind in enumerate(order):
            chosen = draw.permutation(np.flatnonzero(kinds == number))[:count]
            rows += [_example(data, checker, partners, kind, int(place)) for place in chosen]
    rows = [{**row, "variant": variant} for row in sorted(rows, key=lambda row: order.index(str(row["outcome"])))]
    return typed_table(rows, _COLUMNS)


def _kinds(checker: Checked, variant: str) -> Integers:
    """Of each text the place of its kind among the outcomes; -1 where neither side marks anything."""
    found, predicted, true = (checker.tallies[variant, MATCHED][name] for name in COUNTS)
    missed, invented = true > found, predicted > found
    kinds: Integers = np.select([missed & invented, missed, invented, found > 0], [0, 1, 2, 3], -1)
    return kinds


@dataclass(frozen=True, eq=False)
class _Partners:
    """Of each violation of either side the row of the match it is in, or NOTHING. score: of each match."""

    predicted: Integers
    true: Integers
    score: Floats


def _partners(data: Scored, checker: Checked, variant: str) -> _Partners:
    pairs = checker.matches[variant]
    sides = []
    for size, rows in ((len(checker.spans), pairs.predicted), (len(data.truth), pairs.truth)):
        match = np.full(size, NOTHING)
        match[rows] = np.arange(len(pairs))
        sides.append(match)
    return _Partners(sides[0], sides[1], pairs.score)


def _example(data: Scored, checker: Checked, partners: _Partners, kind: str, place: int) -> dict[str, str | None]:
    sides = {
        "true": _marks(data, data.truth, partners.true, place),
        "predicted": _marks(data, checker.spans, partners.predicted, place),
    }
    return {
        "item": data.marked.texts[ID][place],
        "judge": checker.name,
        "reference": data.marked.name,
        "part": None,
        "label": _counted(len(sides["predicted"])),
        "reference_label": _counted(len(sides["true"])),
        "outcome": kind,
        TEXT: data.marked.texts[TEXT][place],
        MARKS: json.dumps(_numbered(sides, partners.score), ensure_ascii=False),
    }


def _counted(count: int) -> str:
    return f"{count} violation{'' if count == 1 else 's'}"


def _numbered(sides: dict[str, list[dict[str, Any]]], scores: Floats) -> list[dict[str, Any]]:
    """The marks of both sides, matches first, numbered from 1, then what is alone."""
    every = [{"side": side, **mark} for side, marks in sides.items() for mark in marks]
    numbers = {row: number for number, row in enumerate(sorted({one["match"] for one in every} - {NOTHING}), 1)}
    for one in every:
        one["score"] = None if one["match"] == NOTHING else float(scores[one["match"]])
        one["match"] = numbers.get(one["match"])
    return sorted(every, key=lambda one: (one["match"] is None, one["match"] or 0, one["side"] == "predicted"))


def _marks(data: Scored, spans: Spans, match: Integers, place: int) -> list[dict[str, Any]]:
    """The violations of one side in a text. match: of all its violations."""
    rows = spans.within(place, place + 1)
    own = spans.some(rows)
    said = {part: data.words.of(part, own.parts[part]).to_list() for part in TEXT_PARTS}
    columns = {"start": own.start.tolist(), "end": own.end.tolist(), "match": match[rows].tolist(), **said}
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
