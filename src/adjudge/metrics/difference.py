"""One rule for pairs: two judges are compared on the rows on which both have the metric (complete cases).

Annotators often share only part of their items. The pairs then also include the rows that one side lacks, with the
state ABSENT. The difference is that of both metrics on all rows. Its interval comes from that of each side and from the
correlation that shared items bring; without any shared row it is unpaired.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import sqrt
from typing import NamedTuple

import numpy as np
import polars as pl

from adjudge.estimate import Caveat, Estimate, gravest_caveat
from adjudge.metrics.cells import Mask, PairedCells, StateCells, histogram, unit_sums
from adjudge.metrics.metric import ROUNDING, Linearisation, Metric, clip_estimate, mask
from adjudge.statistics.comparison import Comparison, independent_difference

ExcludedRows = Counter[tuple[str, str]]
"""("first" or "second", outcome) -> rows."""

NO_SHARED_ITEM = "no item on which both have it"
ABSENT = "__absent__"
"""The state of a row that one side lacks altogether."""


@dataclass(frozen=True, eq=False)
class Difference:
    """A metric of two runs on the same rows.

    before, after: its values on these rows. comparison: the second minus the first. shared: the number of rows that
    both count. collected: the number of items that both have, relevant to the metric or not; 0 if
    unknown. discordant: the share of rows on which only one is right, if each is right or wrong. left_out: the number
    of rows excluded because only one run has the metric there, by the run that lacks it and the row's outcome in that
    run.
    """

    before: float | None
    after: float | None
    comparison: Comparison
    left_out: "ExcludedRows" = field(default_factory=Counter)
    shared: int = 0
    collected: int = 0
    discordant: float | None = None


class PairLinearisation(NamedTuple):
    """A metric of two runs, each on the compared pairs.

    pairs: these pairs. before, after: the metric of each run there. reason: why the difference is undefined; None if
    both runs have the metric. left_out: see Difference. apart: whether either side has rows that the other lacks.
    """

    pairs: PairedCells
    before: Linearisation
    after: Linearisation
    reason: str | None
    left_out: ExcludedRows
    apart: bool


def paired_difference(metric: Metric, pairs: PairedCells, confidence: float) -> Difference:
    """The metric in the second run minus that in the first, on the rows on which both have it.

    Ratios of sums use all rows that both runs have. Undefined if the metric is undefined in either run.
    """
    compared, before, after, reason, left_out, apart = linearise_pairs(metric, pairs)
    n, counted = count_compared_rows(metric, compared), metric.counted_states(compared.states)
    both = counted[compared.first] & counted[compared.second]
    if reason is not None:
        comparison = Comparison(Estimate.undefined(reason, n=n, confidence=confidence), None)
    elif not apart:
        comparison = metric.compare(compared, before, after, confidence)
        comparison = finish_comparison(metric, comparison, n, [before.caveat, after.caveat])
    else:
        earlier, later = (compared.filter(counted[places]) for places in (compared.first, compared.second))
        estimates = (
            metric.estimate(StateCells(run.states, places, run.counts, run.units), confidence)
            for run, places in ((later, later.second), (earlier, earlier.first))
        )
        comparison = independent_difference(*estimates, correlation=_correlation(compared, before, after))
        comparison = finish_comparison(metric, comparison, n, [])
    shared, collected = int(compared.counts[both].sum()), int(pairs.counts.sum())
    discordant = None if reason is not None or apart else metric.discordant_share(compared)
    return Difference(before.value, after.value, comparison, left_out, shared, collected, discordant)


def _correlation(pairs: PairedCells, before: Linearisation, after: Linearisation) -> float:
    """The correlation of two runs' estimates by the influence of shared rows; 0 if either is constant."""
    sides = before.influence[pairs.first], after.influence[pairs.second]
    first, second, times = histogram(*sides, counts=pairs.counts) if pairs.units is None else unit_sums(pairs, *sides)
    spread = sqrt(float(times @ first**2) * float(times @ second**2))
    return float(times @ (first * second)) / spread if spread > 0 else 0.0


def linearise_pairs(metric: Metric, pairs: PairedCells) -> PairLinearisation:
    """A metric of both runs on the compared rows, and the excluded rows."""
    have = metric.counted_states(pairs.states)
    first, second = have[pairs.first], have[pairs.second]
    apart = False  # whether either side counts rows that the other lacks altogether
    if ABSENT in pairs.states.columns:
        absent = mask(pairs.states, pl.col(ABSENT))
        apart = bool((absent[pairs.first] & second).any() or (absent[pairs.second] & first).any())
    compared = pairs.filter(first | second if apart else compared_rows(metric, first, second))
    before, after = (metric.linearise(compared.states, totals) for totals in compared.totals)
    left_out, reason = Counter() if apart else _excluded_rows(metric, pairs, have), None
    if before.value is None or after.value is None:
        nothing = not count_compared_rows(metric, compared) and (left_out or not len(pairs.counts))
        reason = NO_SHARED_ITEM if nothing else before.reason or after.reason or metric.reason
    return PairLinearisation(compared, before, after, reason, left_out, apart)


def compared_rows(metric: Metric, first: Mask, second: Mask) -> Mask:
    """The compared rows, from those that each run counts: both, or for ratios of sums either of them.

    If rows that are not counted affect the metric, those that neither counts are included.
    """
    if metric.keeps_uncounted:
        return ~(first ^ second)
    return first & second if metric.complete_cases else first | second


def count_compared_rows(metric: Metric, pairs: PairedCells) -> int:
    """The number of counted rows among the compared ones."""
    if not metric.keeps_uncounted:
        return int(pairs.counts.sum())
    return int(pairs.counts @ metric.counted_states(pairs.states)[pairs.first])


def _excluded_rows(metric: Metric, pairs: PairedCells, have: Mask) -> ExcludedRows:
    """Rows that only one of the runs counts, by their outcome in the other, or the reason for its missing metric."""
    excluded: ExcludedRows = Counter()
    if not metric.complete_cases:
        return excluded
    words = pairs.states["outcome"] if "outcome" in pairs.states.columns else None
    for lacking, places, other in (("first", pairs.first, pairs.second), ("second", pairs.second, pairs.first)):
        rows = ~have[places] & have[other]
        counts = np.bincount(places[rows], pairs.counts[rows])
        for state in np.flatnonzero(counts).tolist():
            excluded[lacking, (words is not None and words[state]) or metric.reason] += int(counts[state])
    return excluded


def finish_comparison(metric: Metric, comparison: Comparison, n: int, notes: Sequence[Caveat | None]) -> Comparison:
    """A comparison on n rows in its reported form.

    Its limits are clipped to the possible differences of two values, rounding errors become 0, and an
    interval has the most serious of the caveats.
    """
    estimate = replace(comparison.estimate, n=n)
    if metric.bounds is not None:
        most = metric.bounds[1] - metric.bounds[0]
        estimate = clip_estimate(estimate, (-most, most))
    if estimate.value is not None and abs(estimate.value) < ROUNDING:
        estimate = replace(estimate, value=0.0)
    if estimate.low is not None:
        estimate = replace(estimate, caveat=gravest_caveat(estimate.caveat, *notes))
    return replace(comparison, estimate=estimate)
