"""Differences of metrics, and their means over parts of the same items.

One rule for pairs: two judges are compared on the rows on which both have the metric (complete cases).

Annotators often share only part of their items. The pairs then also include the rows that one side lacks, with the
state ABSENT. The difference is that of both metrics on all rows. Its interval comes from that of each side and from the
correlation that shared items bring; without any shared row it is unpaired.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import fsum, inf, sqrt
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from adjudge.estimate import Caveat, Estimate, gravest_caveat
from adjudge.metrics.cells import (
    Floats,
    Integers,
    Mask,
    PairedCells,
    StateCells,
    count_combinations,
    distinct_rows,
    histogram,
    unit_sums,
)
from adjudge.metrics.labels import BalancedAccuracy
from adjudge.metrics.metric import ROUNDING, Linearisation, Metric, clip_estimate, mask
from adjudge.metrics.ratios import Share
from adjudge.statistics.clusters import cluster_degrees, influence_correlations
from adjudge.statistics.comparison import (
    Comparison,
    independent_difference,
    linearised_difference,
    paired_means_difference,
)
from adjudge.statistics.proportions import mean_of_proportions, mean_of_shares

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
    left_out, reason = Counter[tuple[str, str]](), None
    words = pairs.states["outcome"] if "outcome" in pairs.states.columns else None
    sides = (("first", pairs.first, pairs.second), ("second", pairs.second, pairs.first))
    for lacking, places, other in sides if metric.complete_cases and not apart else ():
        rows = ~have[places] & have[other]
        counts = np.bincount(places[rows], pairs.counts[rows])
        for state in np.flatnonzero(counts).tolist():
            left_out[lacking, (words is not None and words[state]) or metric.reason] += int(counts[state])
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


# --- means over parts of the same items, such as criteria ---


@dataclass(frozen=True, eq=False)
class ItemParts:
    """The data of metrics on each part of the same items. An item has at most one row per part.

    names: of the parts. states: of each part. runs: for one run or two, by part, the state of each item; -1 if it has
    no row in either run. clusters: of each item, by number, or None for independent items.
    """

    names: Sequence[str]
    states: Sequence[pl.DataFrame]
    runs: Sequence[Sequence[Integers]]
    clusters: Integers | None = None

    @cached_property
    def cells(self) -> list[StateCells]:
        """The cells of each part of a single run."""
        (places,) = self.runs
        parts = zip(self.states, places, strict=True)
        return [StateCells(states, *count_combinations([place], self.clusters)) for states, place in parts]

    @cached_property
    def pairs(self) -> list[PairedCells]:
        """The pairs of each part of two runs."""
        parts, units = zip(self.states, *self.runs, strict=True), self.clusters
        return [PairedCells(states, *count_combinations([first, second], units)) for states, first, second in parts]

    def counted_items(self, metric: Metric) -> list[list[Mask]]:
        """For each run and part, the items that a metric counts."""
        masks = [metric.counted_states(states) for states in self.states]
        return [[_values_by_item(*pair) for pair in zip(masks, places, strict=True)] for places in self.runs]


@dataclass(frozen=True, eq=False)
class ItemInfluence:
    """How far items move metrics: rows x metrics, a row for all items that move them alike.

    counts: how many items each row represents. clusters: the number of each row's cluster, or None.
    """

    influence: Floats
    counts: Integers
    clusters: Integers | None

    @property
    def items(self) -> int:
        """The number of items."""
        return int(self.counts.sum())

    def per_unit(self) -> tuple[Floats, Floats, Floats]:
        """The sums of sampling units, units x metrics; the items of each unit; the number of such units."""
        times = self.counts.astype(np.float64)
        if self.clusters is None:
            return self.influence, np.ones(len(times)), times
        sums = [np.bincount(self.clusters, column * times) for column in self.influence.T]
        sizes = np.bincount(self.clusters, times).astype(np.float64)
        return np.stack(sums, axis=1).astype(np.float64), sizes, np.ones(len(sizes))

    def correlations(self) -> Floats:
        """The correlations between the metrics."""
        influence, _, times = self.per_unit()
        return influence_correlations(influence * np.sqrt(times)[:, None])


def _item_influence(
    influence: Sequence[Floats], places: Sequence[Integers], counted: Sequence[Mask], clusters: Integers | None
) -> ItemInfluence:
    """How far items move metrics. influence: of each metric, by state. places: the states of the items.

    counted: the items that each metric counts; items that none counts are excluded.
    """
    unique = [np.unique(one, return_inverse=True) for one in influence]
    codes = [
        _values_by_item((code + 1).astype(np.min_scalar_type(len(values))), place) * mask
        for (values, code), place, mask in zip(unique, places, counted, strict=True)
    ]
    rows, counts = distinct_rows(codes if clusters is None else [clusters, *codes])
    of_metrics = rows[-len(codes) :]
    some = of_metrics.any(axis=0)
    values = [np.append(0.0, one)[row[some]] for (one, _), row in zip(unique, of_metrics, strict=True)]
    numbers = None if clusters is None else np.unique(rows[0][some], return_inverse=True)[1]
    return ItemInfluence(np.stack(values, axis=1), counts[some], numbers)


def _values_by_item(values: NDArray[Any], place: Integers) -> NDArray[Any]:
    """Values of states, for each item in a state; 0 for items in none, whose place is -1."""
    return np.append(values, values.dtype.type(0))[place]


def mean_estimate(metric: Metric, parts: ItemParts, confidence: float) -> Estimate:
    """The mean over parts: the parts' own intervals, combined with the correlations of items' influence between parts.

    Shares of independent items: Wilson's interval with an effective n. n: the items that count on some part.
    """
    if len(parts.cells) == 1:
        return metric.estimate(parts.cells[0], confidence)
    results = [metric.linearise(cells.states, cells.totals) for cells in parts.cells]
    reason = _reason(parts.names, [result.reason for result in results])
    if reason is not None:
        return Estimate.undefined(reason, confidence=confidence)
    (places,), (counted,) = parts.runs, parts.counted_items(metric)
    moved = _item_influence([result.influence for result in results], places, counted, parts.clusters)
    value = _mean([result.value for result in results])
    if isinstance(metric, Share) and parts.clusters is None:
        mean, n = moved.influence.mean(axis=1), sum(int(mask.sum()) for mask in counted)
        return mean_of_shares(
            value or 0.0, mean, items=moved.items, judgments=n, multiplicity=moved.counts, confidence=confidence
        )
    single = [metric.estimate(cells, confidence) for cells in parts.cells]
    together = moved.correlations()
    joined = mean_of_proportions(single, correlations=together, items=moved.items, confidence=confidence)
    return clip_estimate(replace(joined, value=value), metric.bounds)


class PartsLinearisation(NamedTuple):
    """A mean over parts of two runs.

    before, after: its values on complete cases; None if it is undefined on some part. difference_influence,
    first_influence: how far items move the difference, and the first run's metric, part by part. parts: both runs'
    metrics on each part.
    """

    before: float | None
    after: float | None
    difference_influence: ItemInfluence
    first_influence: ItemInfluence
    parts: Sequence[PairLinearisation]


def linearise_parts(metric: Metric, parts: ItemParts) -> PartsLinearisation:
    """A mean over parts on the items on which both runs have the metric, part by part."""
    results = [linearise_pairs(metric, pairs) for pairs in parts.pairs]
    influence = [result.before.influence for result in results] + [result.after.influence for result in results]
    compared = [compared_rows(metric, *both) for both in zip(*parts.counted_items(metric), strict=True)]
    all_places = [place for places in parts.runs for place in places]
    moved = _item_influence(influence, all_places, compared * 2, parts.clusters)
    before, after = np.split(moved.influence, 2, axis=1)
    first, second = ([side.value for side in run] for run in zip(*(result[1:3] for result in results), strict=True))
    of_difference, of_first = replace(moved, influence=after - before), replace(moved, influence=before)
    return PartsLinearisation(_mean(first), _mean(second), of_difference, of_first, results)


def mean_difference(metric: Metric, parts: ItemParts, confidence: float) -> Difference:
    """The second run's mean over parts minus the first's, on the items on which both have the metric, part by part."""
    both = linearise_parts(metric, parts)
    n, left_out = both.difference_influence.items, sum((part.left_out for part in both.parts), Counter())
    if both.before is None or both.after is None:
        reason = _reason(parts.names, [part.reason for part in both.parts]) or metric.reason
        comparison = Comparison(Estimate.undefined(reason, n=n, confidence=confidence), None)
    else:
        notes = [run.caveat for side in both.parts for run in (side.before, side.after)]
        comparison = _compare_means(metric, both, both.after - both.before, confidence)
        comparison = finish_comparison(metric, comparison, n, notes)
    held = [np.logical_or.reduce([places >= 0 for places in run]) for run in parts.runs]
    return Difference(both.before, both.after, comparison, left_out, n, int(np.logical_and(*held).sum()))


def _compare_means(metric: Metric, both: PartsLinearisation, gap: float, confidence: float) -> Comparison:
    """By the intervals of strata for a mean over strata, else by linearisation."""
    influence, sizes, times = both.difference_influence.per_unit()
    if isinstance(metric, BalancedAccuracy):
        strata = [one for side in both.parts if (one := metric.strata(side.pairs)) is not None]
        if len(strata) == len(both.parts):
            degrees = inf if both.difference_influence.clusters is None else cluster_degrees(sizes)
            together = both.difference_influence.correlations()
            return paired_means_difference(strata, correlations=together, degrees=degrees, confidence=confidence)
    mean = influence.mean(axis=1)
    return linearised_difference(gap, mean, sizes=sizes, multiplicity=times, confidence=confidence)


def _reason(names: Sequence[str], reasons: Sequence[str | None]) -> str | None:
    """The reason for an undefined mean over parts: that of the first undefined part."""
    return next((f"{name}: {reason}" for name, reason in zip(names, reasons, strict=True) if reason), None)


def _mean(values: Sequence[float | None]) -> float | None:
    defined = [value for value in values if value is not None]
    return fsum(defined) / len(defined) if defined and len(defined) == len(values) else None
