"""Matches become counts per text, which can be added up over texts, clusters and files."""

from collections.abc import Mapping

import numpy as np

from karat.evaluations.violations.matching import Pairs
from karat.evaluations.violations.rules import DECIMALS
from karat.evaluations.violations.spans import Floats, Integers, Spans, summed

MATCHED = "text"
"""The kind of counts that a rule of matching makes of a text."""
OVERLAP = "overlap"
"""The variant in which nothing but the offsets counts."""
KINDS = ("exact", "partial", "character")
"""What is counted of overlap: spans with the same offsets, those and half of what else overlaps, characters."""

HALF = 0.5
"""What a span that overlaps but is not the same counts in partial figures."""

SCORE_UNITS = 10**DECIMALS
"""Sums of scores are whole numbers of so many parts of 1, so that they do not depend on the order of matches."""

Tally = dict[str, Floats | Integers]
"""Of each text: found (of what is true and predicted), predicted, true; and score, the sum of the matches' scores."""


def tallies(predicted: Spans, truth: Spans, found: Mapping[str, Pairs], texts: int) -> dict[tuple[str, str], Tally]:
    """What was found by each variant: (variant, kind) -> Tally. Kinds of overlap have no scores.

    texts: how many there are.
    """
    sides = {"predicted": summed(predicted.place, None, texts), "true": summed(truth.place, None, texts)}
    tables: dict[tuple[str, str], Tally] = {}
    for variant, pairs in found.items():
        place = predicted.place[pairs.predicted]
        if variant == OVERLAP:
            exact = pairs.parts["overlap"] == 1
            same, part = (summed(place[rows], None, texts) for rows in (exact, ~exact))
            tables[variant, "exact"] = {"found": same, **sides}
            tables[variant, "partial"] = {"found": same + HALF * part, **sides}
            tables[variant, "character"] = _characters(predicted, truth, texts)
        else:
            score = np.zeros(texts, dtype=np.int64)
            np.add.at(score, place, np.rint(pairs.score * SCORE_UNITS).astype(np.int64))
            tables[variant, MATCHED] = {"found": summed(place, None, texts), **sides, "score": score}
    return tables


def _characters(predicted: Spans, truth: Spans, texts: int) -> Tally:
    """Characters in some span of either side, and in spans of both."""
    ours, theirs = _covered(predicted, texts), _covered(truth, texts)
    place, start, end = (np.concatenate([getattr(side, name) for side in (predicted, truth)]) for name in _OFFSETS)
    order = np.argsort(place * (1 + int(start.max(initial=0))) + start, kind="stable")
    either = _covered(Spans(place[order], start[order], end[order], {}), texts)
    return {"found": ours + theirs - either, "predicted": ours, "true": theirs}


_OFFSETS = ("place", "start", "end")


def _covered(spans: Spans, texts: int) -> Floats:
    """How many characters of each text stand in some span; spans are sorted by text and start."""
    if not len(spans):
        return np.zeros(texts)
    width = 1 + int(spans.end.max())
    start, end = spans.place * width + spans.start, spans.place * width + spans.end
    reached = np.concatenate([[0], np.maximum.accumulate(end)[:-1]])
    return summed(spans.place, np.maximum(end - np.maximum(start, reached), 0), texts)


def some(tally: Tally, texts: Integers) -> Tally:
    """The same of some texts."""
    return {name: values[texts] for name, values in tally.items()}
