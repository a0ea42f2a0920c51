"""One rule for pairs: two runs are compared on the rows on which both have the figure (complete cases)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from karat.estimate import Estimate, Note, gravest
from karat.figures.cells import Mask, Pairs
from karat.figures.figure import ROUNDING, Figure, Linearised, within
from karat.statistics.comparison import Comparison

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


class Sides(NamedTuple):
    """A figure of two runs, each at the pairs on which their comparison rests.

    kept: these pairs. reason: why the difference is undefined; None where both runs have the figure. left_out: as of a
    Difference.
    """

    kept: Pairs
    before: Linearised
    after: Linearised
    reason: str | None
    left_out: LeftOut


def difference(figure: Figure, pairs: Pairs, confidence: float) -> Difference:
    """The figure in the second run minus that in the first, on the rows on which both have it.

    Ratios of sums over rows rest on all rows that both runs hold. Undefined where the figure is in either run.
    """
    kept, before, after, reason, left_out = sides(figure, pairs)
    n = rows_counted(figure, kept)
    if reason is not None:
        found = Comparison(Estimate.undefined(reason, n=n, confidence=confidence), None)
    else:
        found = reported(figure, figure.compare(kept, before, after, confidence), n, [before.note, after.note])
    return Difference(before.value, after.value, found, left_out)


def sides(figure: Figure, pairs: Pairs) -> Sides:
    """A figure of both runs on the rows that a comparison rests on, and what is left out."""
    have = figure.counted(pairs.states)
    kept = pairs.where(compared_rows(figure, have[pairs.first], have[pairs.second]))
    before, after = (figure.linearise(kept.states, totals) for totals in kept.totals)
    left_out, reason = _left_out(figure, pairs, have), None
    if before.value is None or after.value is None:
        apart = not rows_counted(figure, kept) and (left_out or not len(pairs.counts))
        reason = APART if apart else before.reason or after.reason or figure.reason
    return Sides(kept, before, after, reason, left_out)


def compared_rows(figure: Figure, first: Mask, second: Mask) -> Mask:
    """The rows a comparison rests on, from those that each run counts: both, or for ratios of sums either of them.

    Where rows that are not counted bear on the figure, those that neither counts are among them.
    """
    if figure.uncounted:
        return ~(first ^ second)
    return first & second if figure.complete else first | second


def rows_counted(figure: Figure, kept: Pairs) -> int:
    """How many of the rows that a comparison rests on are counted."""
    if not figure.uncounted:
        return int(kept.counts.sum())
    return int(kept.counts @ figure.counted(kept.states)[kept.first])


def _left_out(figure: Figure, pairs: Pairs, have: Mask) -> LeftOut:
    """Rows that only one of the runs counts, by their outcome in the other, or else why it has no figure."""
    found: LeftOut = Counter()
    if not figure.complete:
        return found
    words = pairs.states["outcome"] if "outcome" in pairs.states.columns else None
    for lacking, own, other in (("first", pairs.first, pairs.second), ("second", pairs.second, pairs.first)):
        rows = ~have[own] & have[other]
        counts = np.bincount(own[rows], pairs.counts[rows])
        for state in np.flatnonzero(counts).tolist():
            found[lacking, (words is not None and words[state]) or figure.reason] += int(counts[state])
    return found


def reported(figure: Figure, found: Comparison, n: int, notes: Sequence[Note | None]) -> Comparison:
    """A comparison that rests on n rows as it is reported.

    Its limits are clipped to the possible differences of two values, rounding errors become 0, and where there is an
    interval to qualify the gravest of the notes stands beside it.
    """
    estimate = replace(found.estimate, n=n)
    if figure.between is not None:
        most = figure.between[1] - figure.between[0]
        estimate = within(estimate, (-most, most))
    if estimate.value is not None and abs(estimate.value) < ROUNDING:
        estimate = replace(estimate, value=0.0)
    if estimate.low is not None:
        estimate = replace(estimate, note=gravest(estimate.note, *notes))
    return replace(found, estimate=estimate)
