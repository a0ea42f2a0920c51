"""Systems compared in pairs, and ranked."""

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from karat.evaluations.preferences.counts import Group, System
from karat.evaluations.preferences.figures import ACCURACY, OF_EXPLANATIONS
from karat.figures.difference import difference
from karat.figures.figure import Figure
from karat.figures.means import mean_difference
from karat.figures.tables import Compared
from karat.schemas.preferences import AVERAGE
from karat.statistics import RankSet, borda, holm, mean_rank, rank_sets

Ranked = tuple[str, str]
"""A ranked metric and a criterion."""


def ranked_figures(group: Group) -> list[Figure]:
    """The figures that rank systems: accuracy, and the scores of explanations that all of them have."""
    return [ACCURACY, *(one for one in OF_EXPLANATIONS if all(one.name in system.scores for system in group.systems))]


def compared(group: Group, figure: Figure, first: System, second: System) -> list[Compared]:
    """Two systems on one figure, on each criterion and on average: the second minus the first."""
    single = [
        difference(figure, group.pairs(first, second, figure, place, group.clusters), group.confidence)
        for place in range(len(group.criteria))
    ]
    alone = len(single) == 1
    mean = single[0] if alone else mean_difference(figure, group.paired_parts(first, second, figure), group.confidence)
    names = {"first": first.name, "second": second.name}
    return [
        Compared({**group.keys, "criterion": criterion, **names}, figure, found)
        for criterion, found in zip((*group.criteria, AVERAGE), (*single, mean), strict=True)
    ]


def system_comparisons(group: Group) -> list[Compared]:
    """Every pair of systems on every ranked figure."""
    pairs = list(combinations(group.systems, 2))
    return [row for figure in ranked_figures(group) for pair in pairs for row in compared(group, figure, *pair)]


def baseline_comparisons(group: Group) -> list[Compared]:
    """Every system against every baseline in accuracy."""
    pairs = [(baseline, system) for system in group.systems for baseline in group.baselines]
    return [row for pair in pairs for row in compared(group, ACCURACY, *pair)]


def rank_set(systems: Sequence[str], rows: Sequence[Compared], confidence: float) -> dict[str, RankSet]:
    """The ranks that each system may have on a figure, given the tests of all pairs, adjusted together."""
    place = {name: number for number, name in enumerate(systems)}
    p = np.full((len(systems), len(systems)), np.nan)
    gaps = np.zeros_like(p)
    for row, adjusted in zip(rows, holm([row.result.found.p for row in rows]), strict=True):
        i, j = place[row.keys["first"]], place[row.keys["second"]]
        p[i, j] = p[j, i] = np.nan if adjusted is None else adjusted
        gaps[j, i] = row.result.found.estimate.value or 0.0
        gaps[i, j] = -gaps[j, i]
    return dict(zip(systems, rank_sets(p, gaps, confidence=confidence), strict=True))


def borda_points(values: Mapping[Ranked, Sequence[float]]) -> list[float]:
    """Borda points of each system, summed over figures. values: figure -> the systems' values."""
    points = [borda(one) for one in values.values()]
    return [sum(point or 0.0 for point in column) for column in zip(*points, strict=True)]


def mean_ranks(values: Mapping[Ranked, Sequence[float]]) -> list[float]:
    """The mean over figures of each system's rank."""
    return mean_rank(np.array(list(values.values())).T)


def published(values: Mapping[Ranked, Mapping[str, float]], systems: Sequence[str]) -> dict[str, tuple[float, float]]:
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
