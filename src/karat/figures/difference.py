"""One rule for pairs: two runs are compared on the rows on which both have the figure (complete cases)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from karat.estimate import Estimate, Note, gravest
from karat.figures.cells import Mask, Pairs
from karat.figures.figure import ROUNDING, Figure, Linearised
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


def difference(figure: Figure, pairs: Pairs, confidence: float) -> Difference:
    """The figure in the second run minus that in the first, on the rows on which both have it.

    Ratios of sums over rows rest on all rows that both runs hold. Undefined where the figure is in either run.
    """
    kept, left_out = complete(figure, pairs)
    before, after = (figure.linearise(kept.states, totals) for totals in kept.totals)
    reason, n = undefined_because(figure, pairs, kept, left_out, (before, after)), int(kept.counts.sum())
    if reason is not None:
        undefined = Estimate.undefined(reason, n=n, confidence=confidence)
        return Difference(before.value, after.value, Comparison(undefined, None), left_out)
    found = figure.compare(kept, before, after, confidence)
    estimate = figure.clipped(replace(found.estimate, n=n))
    found = noted(replace(found, estimate=estimate), [before.note, after.note])
    return Difference(before.value, after.value, found, left_out)


def undefined_because(
    figure: Figure, pairs: Pairs, kept: Pairs, left_out: LeftOut, sides: Sequence[Linearised]
) -> str | None:
    """Why a difference is undefined; None where both runs have the figure. kept: those of the pairs it rests on."""
    if all(one.value is not None for one in sides):
        return None
    apart = not len(kept.counts) and (left_out or not len(pairs.counts))
    return APART if apart else next((one.reason for one in sides if one.reason), figure.reason)


def complete(figure: Figure, pairs: Pairs) -> tuple[Pairs, LeftOut]:
    """The pairs that a comparison rests on, and what it leaves out."""
    have = figure.counted(pairs.states)
    return pairs.where(compared_rows(figure, have[pairs.first], have[pairs.second])), left_out_of(figure, pairs)


def compared_rows(figure: Figure, first: Mask, second: Mask) -> Mask:
    """The rows a comparison rests on, from those that each run counts: both, or for ratios of sums either of them."""
    return first & second if figure.complete else first | second


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
    """The same with the gravest note, where there is an interval to qualify; rounding errors become 0."""
    estimate = found.estimate
    if estimate.value is not None and abs(estimate.value) < ROUNDING:
        estimate = replace(estimate, value=0.0)
    if estimate.low is not None:
        estimate = replace(estimate, note=gravest(estimate.note, *notes))
    return replace(found, estimate=estimate)
