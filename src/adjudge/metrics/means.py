"""The mean of a metric over parts of the same items, such as criteria: estimate, difference, pilot.

Items that move the metric alike on all parts are counted together: sums over few patterns replace sums over
items, and do not depend on the order of items.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import fsum, inf
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from adjudge.estimate import Estimate
from adjudge.metrics.cells import Floats, Integers, Mask, PairedCells, StateCells, count_combinations, distinct_rows
from adjudge.metrics.difference import Difference, PairLinearisation, compared_rows, finish_comparison, linearise_pairs
from adjudge.metrics.labels import BalancedAccuracy
from adjudge.metrics.metric import Metric, clip_estimate
from adjudge.metrics.ratios import Share
from adjudge.statistics.clusters import cluster_degrees, influence_correlations
from adjudge.statistics.comparison import Comparison, linearised_difference, paired_means_difference
from adjudge.statistics.proportions import mean_of_proportions, mean_of_shares


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
        return [
            StateCells(states, *count_combinations([place], self.clusters))
            for states, place in zip(self.states, places, strict=True)
        ]

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
    of_figures = rows[-len(codes) :]
    some = of_figures.any(axis=0)
    values = [np.append(0.0, one)[row[some]] for (one, _), row in zip(unique, of_figures, strict=True)]
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
        return mean_of_shares(
            value or 0.0,
            moved.influence.mean(axis=1),
            items=moved.items,
            judgments=sum(int(mask.sum()) for mask in counted),
            multiplicity=moved.counts,
            confidence=confidence,
        )
    single = [metric.estimate(cells, confidence) for cells in parts.cells]
    together = moved.correlations()
    joined = mean_of_proportions(single, correlations=together, items=moved.items, confidence=confidence)
    return clip_estimate(replace(joined, value=value), metric.bounds)


class PartsLinearisation(NamedTuple):
    """A mean over parts of two runs.

    before, after: its values on complete cases; None if it is undefined on some part. moved, moved_before: how far
    items move the difference, and the first run's metric, part by part. sides: both runs' metrics on each part.
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
    return PartsLinearisation(
        _mean([result.before.value for result in results]),
        _mean([result.after.value for result in results]),
        difference_influence=replace(moved, influence=after - before),
        first_influence=replace(moved, influence=before),
        parts=results,
    )


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
