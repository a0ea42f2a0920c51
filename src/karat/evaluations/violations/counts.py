"""Matches become counts per text, which can be added up over texts, clusters and files."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from karat.evaluations.violations.matching import Pairs
from karat.evaluations.violations.spans import Floats, Integers, Spans, summed

OVERLAP = "overlap"
"""The variant in which nothing but the offsets counts."""

HALF = 0.5
"""What a span that overlaps but is not the same counts in partial figures."""


@dataclass(frozen=True, eq=False)
class Tally:
    """What was found in each text. found: of what is true and predicted (in partial figures a half may stand).

    predicted, true: all that is. score: the sum of the matches' scores, or None where there are no scores.
    """

    found: Floats
    predicted: Floats
    true: Floats
    score: Floats | None = None

    def summed(self, clusters: Integers | None, count: int) -> "Tally":
        """The same per cluster. clusters: of each text, from 0; none leaves texts as they are."""
        if clusters is None:
            return self
        found, predicted, true = (summed(clusters, one, count) for one in (self.found, self.predicted, self.true))
        return Tally(found, predicted, true, None if self.score is None else summed(clusters, self.score, count))

    def some(self, rows: Integers) -> "Tally":
        """The same of some texts."""
        score = None if self.score is None else self.score[rows]
        return Tally(self.found[rows], self.predicted[rows], self.true[rows], score)


def tallies(predicted: Spans, truth: Spans, found: Mapping[str, Pairs], texts: int) -> dict[tuple[str, str], Tally]:
    """What was found by each variant: (variant, kind) -> Tally; the kind is empty but for overlap.

    Of overlap: exact (the same offsets), partial (those, and half of what else overlaps) and character.
    """
    ours, theirs = (summed(side.place, None, texts) for side in (predicted, truth))
    tables: dict[tuple[str, str], Tally] = {}
    for variant, pairs in found.items():
        place = predicted.place[pairs.predicted]
        if variant == OVERLAP:
            exact = pairs.parts["overlap"] == 1
            same, part = (summed(place[rows], None, texts) for rows in (exact, ~exact))
            tables[variant, "exact"] = Tally(same, ours, theirs)
            tables[variant, "partial"] = Tally(same + HALF * part, ours, theirs)
            tables[variant, "character"] = _characters(predicted, truth, texts)
        else:
            tables[variant, ""] = Tally(summed(place, None, texts), ours, theirs, summed(place, pairs.score, texts))
    return tables


def _characters(predicted: Spans, truth: Spans, texts: int) -> Tally:
    """Characters in some span of either side, and in spans of both."""
    ours, theirs = _covered(predicted, texts), _covered(truth, texts)
    place, start, end = (np.concatenate([getattr(side, name) for side in (predicted, truth)]) for name in _OFFSETS)
    order = np.argsort(place * (1 + int(start.max(initial=0))) + start, kind="stable")
    either = _covered(Spans(place[order], start[order], end[order], {}), texts)
    return Tally(ours + theirs - either, ours, theirs)


_OFFSETS = ("place", "start", "end")


def _covered(spans: Spans, texts: int) -> Floats:
    """How many characters of each text stand in some span; spans are sorted by text and start."""
    if not len(spans):
        return np.zeros(texts)
    width = 1 + int(spans.end.max())
    start, end = spans.place * width + spans.start, spans.place * width + spans.end
    reached = np.concatenate([[0], np.maximum.accumulate(end)[:-1]])
    return summed(spans.place, np.maximum(end - np.maximum(start, reached), 0), texts)
