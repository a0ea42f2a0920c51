"""Systems compared in pairs, and ranked."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from karat.estimate import Estimate, Note
from karat.evaluations.preferences.counts import Floats, Group, System
from karat.evaluations.preferences.metrics import JUDGE, RANKED, Mean, mean_of, value_of, within
from karat.schemas.preferences import AVERAGE
from karat.statistics import (
    Comparison,
    RankSet,
    bootstrap_weights,
    borda,
    clustered_paired_difference,
    holm,
    linearised_difference,
    mean_rank,
    paired_difference,
    paired_t,
    rank_sets,
)

_REPLICATES = 2000
MANY_UNITS = 10_000
"""With more items (clusters) than this, resampled figures are drawn from their joint normal distribution."""

FEW_UNITS = 30
"""With fewer items (clusters) than this, percentiles of resampled ranks say too little."""

Figure = tuple[str, str]
"""A ranked metric and a criterion."""


def ranked_figures(group: Group) -> list[Figure]:
    """What systems are ranked by: the metrics that all of them have, on each criterion."""
    metrics = [name for name in RANKED if name == "accuracy" or all(name in one.scores for one in group.systems)]
    return [(metric, criterion) for metric in metrics for criterion in group.criteria]


def difference(group: Group, first: System, second: System, metric: str, place: int) -> Comparison:
    """The first system's figure on a criterion less the second's, on the same items."""
    if metric in ("accuracy", JUDGE):
        one, other, whole = _successes(group, first, second, metric, place)
        only_first, only_second = one & ~other & whole, other & ~one & whole
        if group.clusters is not None:
            counts = (group.counted(mask) for mask in (only_first, only_second, whole))
            return clustered_paired_difference(*counts, confidence=group.confidence)
        counted = (int(mask.sum()) for mask in (only_first, only_second, whole))
        return paired_difference(*counted, confidence=group.confidence)
    gap = first.scores[metric][place] - second.scores[metric][place]
    scored = ~np.isnan(gap)
    if group.clusters is None:
        found = paired_t(gap[scored], confidence=group.confidence)
    else:
        totals, sizes = group.per_unit(np.where(scored, gap, 0.0)), group.counted(scored)
        found = paired_t(totals, totals=sizes, confidence=group.confidence)
    return replace(found, estimate=within(found.estimate, -1.0))


def _successes(group: Group, first: System, second: System, metric: str, place: int) -> tuple[np.ndarray, ...]:
    """Whether each of both succeeds on each item, and which items count."""
    if metric == JUDGE:
        one, other = first.scores[JUDGE][place], second.scores[JUDGE][place]
        return one == 1, other == 1, ~np.isnan(one) & ~np.isnan(other)
    return group.predicted(first, place).right, group.predicted(second, place).right, group.judged[place]


def average_differences(group: Group, metric: str, pairs: Sequence[tuple[System, System]]) -> list[Comparison]:
    """The differences of the means over criteria, from what each item adds to them."""
    means = {system.name: mean_of(group, system, metric) for pair in pairs for system in pair}
    return [mean_difference(means[first.name], means[second.name], group.confidence) for first, second in pairs]


def mean_difference(one: Mean | str, other: Mean | str, confidence: float) -> Comparison:
    """The difference of two means over criteria on the same items, or why there is none."""
    if isinstance(one, str) or isinstance(other, str):
        reason = one if isinstance(one, str) else str(other)
        return Comparison(Estimate.undefined(reason, confidence=confidence), None)
    influence = (one.influence - other.influence)[one.counted | other.counted]
    found = linearised_difference(one.value - other.value, influence, confidence=confidence)
    estimate = replace(found.estimate, n=max(one.items, other.items))
    if (one.rare or other.rare) and estimate.low is not None:
        estimate = replace(estimate, note=Note.RARE_LABELS)
    return replace(found, estimate=within(estimate, -1.0))


@dataclass(frozen=True, slots=True)
class Compared:
    """Two systems on one figure. criterion: or the average."""

    metric: str
    criterion: str
    first: str
    second: str
    found: Comparison
    p_adjusted: float | None


def compared(group: Group, metric: str, criterion: str, pairs: Sequence[tuple[System, System]]) -> list[Compared]:
    """Several pairs of systems on one figure, their p-values adjusted together."""
    if criterion in group.criteria:
        place = group.criteria.index(criterion)
        found = [difference(group, first, second, metric, place) for first, second in pairs]
    else:
        found = average_differences(group, metric, pairs)
    adjusted = holm([one.p for one in found])
    return [
        Compared(metric, criterion, first.name, second.name, one, p)
        for (first, second), one, p in zip(pairs, found, adjusted, strict=True)
    ]


def system_comparisons(group: Group) -> list[Compared]:
    """Every two systems on every ranked metric, each criterion and the average."""
    pairs = list(combinations(group.systems, 2))
    metrics = dict.fromkeys(metric for metric, _ in ranked_figures(group))
    places = [(metric, criterion) for metric in metrics for criterion in (*group.criteria, AVERAGE)]
    return [row for metric, criterion in places for row in compared(group, metric, criterion, pairs)]


def rank_set(systems: Sequence[str], rows: Sequence[Compared], confidence: float) -> dict[str, RankSet]:
    """The ranks that each system may have on a figure, given the tests of all pairs."""
    place = {name: number for number, name in enumerate(systems)}
    p: Floats = np.full((len(systems), len(systems)), np.nan)
    gaps = np.zeros_like(p)
    for row in rows:
        i, j = place[row.first], place[row.second]
        p[i, j] = p[j, i] = np.nan if row.p_adjusted is None else row.p_adjusted
        gaps[i, j] = row.found.estimate.value or 0.0
        gaps[j, i] = -gaps[i, j]
    return dict(zip(systems, rank_sets(p, gaps, confidence=confidence), strict=True))


def borda_points(values: Mapping[Figure, Sequence[float]]) -> list[float]:
    """Borda points of each system, summed over figures. values: figure -> the systems' values."""
    points = [borda(one) for one in values.values()]
    return [sum(point or 0.0 for point in column) for column in zip(*points, strict=True)]


def mean_ranks(values: Mapping[Figure, Sequence[float]]) -> list[float]:
    """The mean over figures of each system's rank."""
    return mean_rank(np.array(list(values.values())).T)


def resampled(group: Group, chosen: Sequence[Figure]) -> Iterator[Floats]:
    """The systems' figures (replicates x systems x figures) in resamples of the items (clusters), in blocks.

    Up to MANY_UNITS items are drawn with replacement (`karat.statistics.bootstrap_weights`). Of more, the figures
    are drawn from the normal distribution with the covariance of their influences, which the former comes to.
    """
    parts = [_sums(group, system, figure) for system in group.systems for figure in chosen]
    tops, wholes = (np.stack(side, axis=1) for side in zip(*parts, strict=True))
    counted = wholes.any(axis=1)
    tops, wholes = tops[counted], wholes[counted]
    shape = (-1, len(group.systems), len(chosen))
    if len(tops) <= MANY_UNITS:
        for weights in bootstrap_weights(len(tops), replicates=_REPLICATES, seed=group.seed):
            with np.errstate(divide="ignore", invalid="ignore"):
                yield ((weights @ tops) / (weights @ wholes)).reshape(shape)
        return
    values = tops.sum(axis=0) / wholes.sum(axis=0)
    influence = (tops - values * wholes) / wholes.sum(axis=0)
    normal = np.random.default_rng(group.seed).standard_normal((_REPLICATES, len(values)))
    scales, axes = np.linalg.eigh(influence.T @ influence)
    drawn = values + normal @ (axes * np.sqrt(np.maximum(scales, 0.0))).T
    yield drawn[:, _first_alike([top for top, _ in parts])].reshape(shape)


def _first_alike(columns: Sequence[Floats]) -> list[int]:
    """For each column the first that equals it, so that systems that say the same tie in every draw."""
    return [next(first for first, other in enumerate(columns) if np.array_equal(other, column)) for column in columns]


def _sums(group: Group, system: System, figure: Figure) -> tuple[Floats, Floats]:
    """A figure as a ratio of sums: what each item (cluster) adds above and below."""
    metric, place = figure[0], group.criteria.index(figure[1])
    if metric == "accuracy":
        labels = group.predicted(system, place)
        return group.per_unit(labels.right.astype(float)), group.per_unit(labels.judged.astype(float))
    values = system.scores[metric][place]
    scored = ~np.isnan(values)
    return group.per_unit(np.where(scored, values, 0.0)), group.per_unit(scored.astype(float))


def values_of(group: Group, figure: Figure) -> list[float | None]:
    """The systems' values of a figure."""
    return [value_of(group, system, figure[0], group.criteria.index(figure[1])) for system in group.systems]


def borda_estimates(group: Group, values: Mapping[Figure, Sequence[float]]) -> list[Estimate]:
    """Each system's Borda points over figures, with percentiles over resampled items. values: as in `borda_points`."""
    chosen, points = list(values), borda_points(values)
    n = int((group.counted(np.logical_or.reduce(group.judged)) > 0).sum())
    if n <= 1:
        return [Estimate(one, n=n, confidence=group.confidence, note=Note.ONE_ITEM) for one in points]
    drawn = np.concatenate([_points(block) for block in resampled(group, chosen)])
    tails = (1 - group.confidence) / 2
    low, high = np.quantile(drawn, [tails, 1 - tails], axis=0)
    return [
        Estimate(
            one,
            min(float(below), one),
            max(float(above), one),
            n=n,
            method="percentile",
            confidence=group.confidence,
            note=Note.BOOTSTRAP if n >= FEW_UNITS else Note.FEW_ITEMS,
        )
        for one, below, above in zip(points, low, high, strict=True)
    ]


def _points(drawn: Floats) -> Floats:
    """Borda points in each replicate, replicates x systems. An undefined figure neither beats nor is beaten."""
    ours, theirs = drawn[:, :, None, :], drawn[:, None, :, :]
    with np.errstate(invalid="ignore"):
        won = (ours > theirs) + (ours == theirs) / 2
    own = ~np.isnan(drawn) / 2
    found: Floats = won.sum(axis=(2, 3)) - own.sum(axis=2)
    return found


def published(values: Mapping[Figure, Mapping[str, float]], systems: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Borda points and mean rank of each system from published values alone.

    values: figure -> system -> value, higher is better; every system has each.
    """
    columns = {figure: [own[system] for system in systems] for figure, own in values.items()}
    return dict(zip(systems, zip(borda_points(columns), mean_ranks(columns), strict=True), strict=True))


def observed_ranks(values: Mapping[str, float]) -> dict[str, RankSet]:
    """The rank of each system by its value, from 1; those with equal values share theirs."""
    every = list(values.values())
    return {
        name: RankSet(1 + sum(one > own for one in every), sum(one >= own for one in every))
        for name, own in values.items()
    }
