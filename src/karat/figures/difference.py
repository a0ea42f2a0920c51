"""One rule for pairs: two runs are compared on the rows on which both have the figure (complete cases)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from karat.estimate import Estimate, Note
from karat.figures.cells import Mask, Pairs
from karat.figures.figure import ROUNDING, Figure
from karat.statistics import Comparison

LeftOut = Counter[tuple[str, str]]
"""("first" or "second", outcome) -> rows."""

APART = "no item on which both have it"


@dataclass(frozen=True, eq=False)
class Difference:
    """A figure of two runs on the same rows.

    before, after: its values on these rows. found: the second minus the first. left_out: how many rows are left out
    because only one run has the figure there, by the run that lacks it and the row's outcome in that run.
    """

    before: float | None
    after: float | None
    found: Comparison
    left_out: "LeftOut" = field(default_factory=Counter)


def difference(figure: Figure, pairs: Pairs, confidence: float) -> Difference:
    """The figure in the second run minus that in the first, on the rows on which both have it.

    Ratios of sums over rows rest on all rows that both runs hold. Undefined where the figure is in either run.
    """
    kept, left_out = complete(figure, pairs)
    before, after = (figure.linearise(kept.states, totals) for totals in kept.totals)
    if before.value is None or after.value is None:
        apart = not len(kept.counts) and (left_out or not len(pairs.counts))
        reason = APART if apart else before.reason or after.reason or figure.reason
        undefined = Estimate.undefined(reason, confidence=confidence)
        return Difference(before.value, after.value, Comparison(undefined, None), left_out)
    found = figure.compare(kept, before, after, confidence)
    estimate = figure.clipped(replace(found.estimate, n=int(kept.counts.sum())))
    found = noted(replace(found, estimate=estimate), [before.note, after.note])
    return Difference(before.value, after.value, found, left_out)


def complete(figure: Figure, pairs: Pairs) -> tuple[Pairs, LeftOut]:
    """The pairs that a comparison rests on, and what it leaves out."""
    rows = compared_rows(figure, pairs)
    return pairs.where(rows), left_out_of(figure, pairs)


def compared_rows(figure: Figure, pairs: Pairs) -> Mask:
    """The pairs a comparison rests on: those that both runs count; for ratios of sums, those that either counts."""
    have = figure.counted(pairs.states)
    first, second = have[pairs.first], have[pairs.second]
    found: Mask = first & second if figure.complete else first | second
    return found


def left_out_of(figure: Figure, pairs: Pairs) -> LeftOut:
    """Rows that only one of the runs counts, by their outcome in the other, or else why it has no figure."""
    found: LeftOut = Counter()
    if not figure.complete:
        return found
    have = figure.counted(pairs.states)
    words = pairs.states["outcome"] if "outcome" in pairs.states.columns else None
    sides = {"first": (pairs.first, pairs.second), "second": (pairs.second, pairs.first)}
    for lacking, (own, other) in sides.items():
        rows = ~have[own] & have[other]
        counts = np.bincount(own[rows], pairs.counts[rows])
        for state in np.flatnonzero(counts).tolist():
            found[lacking, (words is not None and words[state]) or figure.reason] += int(counts[state])
    return found


def noted(found: Comparison, notes: Sequence[Note | None]) -> Comparison:
    """The same with the first of the notes, where there is an interval to qualify; rounding errors become 0."""
    if found.estimate.value is not None and abs(found.estimate.value) < ROUNDING:
        found = replace(found, estimate=replace(found.estimate, value=0.0))
    note = next(filter(None, notes), None)
    if note is None or found.estimate.low is None or found.estimate.note is Note.CONSERVATIVE:
        return found
    return replace(found, estimate=replace(found.estimate, note=note))
