"""Texts as examples, with all that either side marks in them."""

import json

import numpy as np
import polars as pl

from karat.evaluations.violations import EVALUATION
from karat.evaluations.violations.outcomes import unmatched
from karat.evaluations.violations.scoring import Checked, Scored
from karat.evaluations.violations.spans import Integers, Spans
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
    rows = []
    for checker in data.checkers:
        kinds = _kinds(checker, variant)
        for kind in EVALUATION.outcomes:
            places = np.flatnonzero(kinds == list(EVALUATION.outcomes).index(kind))
            chosen = draw.permutation(places)[:count]
            rows += [_example(data, checker, variant, kind, int(place)) for place in chosen]
    order = list(EVALUATION.outcomes)
    return typed_table(sorted(rows, key=lambda row: order.index(str(row["outcome"]))), _COLUMNS)


def _kinds(checker: Checked, variant: str) -> Integers:
    """Of each text the place of its kind among the outcomes; -1 where neither side marks anything."""
    tally = checker.tallies[variant, ""]
    missed, invented = tally.true > tally.found, tally.predicted > tally.found
    found: Integers = np.select([missed & invented, missed, invented, tally.found > 0], [0, 1, 2, 3], -1)
    return found


def _example(data: Scored, checker: Checked, variant: str, kind: str, place: int) -> dict[str, str | None]:
    marks = _marks(data, checker, variant, place)
    counts = {side: sum(one["side"] == side for one in marks) for side in ("true", "predicted")}
    return {
        "item": data.marked.texts[ID][place],
        "judge": checker.name,
        "reference": data.marked.name,
        "part": None,
        "label": _counted(counts["predicted"]),
        "reference_label": _counted(counts["true"]),
        "outcome": kind,
        "variant": variant,
        TEXT: data.marked.texts[TEXT][place],
        MARKS: json.dumps(marks, ensure_ascii=False),
    }


def _counted(count: int) -> str:
    return f"{count} violation{'' if count == 1 else 's'}"


def _marks(data: Scored, checker: Checked, variant: str, place: int) -> list[dict[str, object]]:
    pairs = checker.matches[variant]
    rows = np.flatnonzero(checker.spans.place[pairs.predicted] == place)
    found = []
    for number, row in enumerate(rows, 1):
        shared: dict[str, object] = {"match": number, "score": float(pairs.score[row])}
        found.append(_mark(data, "true", data.truth, int(pairs.truth[row]), shared))
        found.append(_mark(data, "predicted", checker.spans, int(pairs.predicted[row]), shared))
    for side, spans, matched in (("true", data.truth, pairs.truth), ("predicted", checker.spans, pairs.predicted)):
        others = spans.within(place, place + 1)
        free = unmatched(len(spans), matched)
        found += [
            _mark(data, side, spans, int(row), {"match": None, "score": None})
            for row in free[(free >= others.start) & (free < others.stop)]
        ]
    return found


def _mark(data: Scored, side: str, spans: Spans, row: int, shared: dict[str, object]) -> dict[str, object]:
    said = {part: data.words.of(part, spans.parts[part][row : row + 1])[0] for part in TEXT_PARTS}
    return {"side": side, "start": int(spans.start[row]), "end": int(spans.end[row]), **shared, **said}
