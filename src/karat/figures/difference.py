"""One rule for pairs: two runs are compared on the rows on which both have the metric (complete cases)."""

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
    """A metric of two runs on the same rows.

    before, after: its values on these rows. found: the second minus the first. left_out: how many rows are left out
    because only one run has the metric there, by the run that lacks it and the row's outcome in that run.
    """

    before: float | None
    after: float | None
    found: Comparison
    left_out: "LeftOut" = field(default_factory=Counter)


class Sides(NamedTuple):
    """A metric of two runs, each at the pairs on which their comparison rests.

    kept: these pairs. reason: why the difference is undefined; None where both runs have the metric. left_out: as of a
    Difference.
    """

    kept: Pairs
    before: Linearised
    after: Linearised
    reason: str | None
    left_out: LeftOut


def difference(metric: Figure, pairs: Pairs, confidence: float) -> Difference:
    """The metric in the second run minus that in the first, on the rows on which both have it.

    Ratios of sums over rows rest on all rows that both runs hold. Undefined where the metric is in either run.
    """
    shared, before, after, reason, left_out = sides(metric, pairs)
    n = rows_counted(metric, shared)
    if reason is not None:
        comparison = Comparison(Estimate.undefined(reason, n=n, confidence=confidence), None)
    else:
        comparison = reported(metric, metric.compare(shared, before, after, confidence), n, [before.note, after.note])
    return Difference(before.value, after.value, comparison, left_out)


def sides(metric: Figure, pairs: Pairs) -> Sides:
    """A metric of both runs on the rows that a comparison rests on, and what is left out."""
    have = metric.counted(pairs.states)
    shared = pairs.where(compared_rows(metric, have[pairs.first], have[pairs.second]))
    before, after = (metric.linearise(shared.states, totals) for totals in shared.totals)
    left_out, reason = _left_out(metric, pairs, have), None
    if before.value is None or after.value is None:
        apart = not rows_counted(metric, shared) and (left_out or not len(pairs.counts))
        reason = APART if apart else before.reason or after.reason or metric.reason
    return Sides(shared, before, after, reason, left_out)


def compared_rows(metric: Figure, first: Mask, second: Mask) -> Mask:
    """The rows a comparison rests on, from those that each run counts: both, or for ratios of sums either of them.

    Where rows that are not counted bear on the metric, those that neither counts are among them.
    """
    if metric.uncounted:
        return ~(first ^ second)
    return first & second if metric.complete else first | second


def rows_counted(metric: Figure, pairs: Pairs) -> int:
    """How many of the rows that a comparison rests on are counted."""
    if not metric.uncounted:
        return int(pairs.counts.sum())
    return int(pairs.counts @ metric.counted(pairs.states)[pairs.first])


def _left_out(metric: Figure, pairs: Pairs, have: Mask) -> LeftOut:
    """Rows that only one of the runs counts, by their outcome in the other, or else why it has no metric."""
    excluded: LeftOut = Counter()
    if not metric.complete:
        return excluded
    words = pairs.states["outcome"] if "outcome" in pairs.states.columns else None
    for lacking, places, other in (("first", pairs.first, pairs.second), ("second", pairs.second, pairs.first)):
        rows = ~have[places] & have[other]
        counts = np.bincount(places[rows], pairs.counts[rows])
        for state in np.flatnonzero(counts).tolist():
            excluded[lacking, (words is not None and words[state]) or metric.reason] += int(counts[state])
    return excluded


def reported(metric: Figure, comparison: Comparison, n: int, notes: Sequence[Note | None]) -> Comparison:
    """A comparison that rests on n rows as it is reported.

    Its limits are clipped to the possible differences of two values, rounding errors become 0, and where there is an
    interval to qualify the gravest of the notes stands beside it.
    """
    estimate = replace(comparison.estimate, n=n)
    if metric.between is not None:
        most = metric.between[1] - metric.between[0]
        estimate = within(estimate, (-most, most))
    if estimate.value is not None and abs(estimate.value) < ROUNDING:
        estimate = replace(estimate, value=0.0)
    if estimate.low is not None:
        estimate = replace(estimate, note=gravest(estimate.note, *notes))
    return replace(comparison, estimate=estimate)
