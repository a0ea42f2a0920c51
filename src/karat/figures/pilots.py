"""What a saved run, or two on the same items, say of the next one: variances, clusters, how often judges differ."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from karat.figures.cells import Floats, Integers, Pairs
from karat.figures.comparison import groups, named, pairs_by
from karat.figures.difference import complete
from karat.figures.figure import Figure
from karat.figures.joining import Joined
from karat.figures.means import PairedParts, linearised_parts, summed_by
from karat.figures.tables import Keys
from karat.figures.views import KIND, View
from karat.statistics import Pilot


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a figure. keys: of its row, as in the table `comparison`."""

    keys: Keys
    metric: str
    pilot: Pilot


class Variance(NamedTuple):
    """The variance of single items, how much clusters add to it (a factor from 1), how many and how uneven they are."""

    single: float
    effect: float | None = None
    clusters: int | None = None
    unevenness: float = 1.0


def pilots(data: Joined, view: View) -> Iterator[Known]:
    """What two runs say of each figure; of one run, it stands for both, and nothing is said of differences."""
    alone = data.first is data.second
    keys = ["judge", KIND, *data.keys]
    single = []
    for found, pairs in pairs_by(data, data.counted(keys, data.unit)):
        for figure in _main(view, found):
            pilot = _pilot(figure, pairs, alone=alone)
            if pilot is not None:
                single.append(Known({**named(data, found), **figure.keys}, figure.name, pilot))
    yield from single
    if view.mean_over is None:
        return
    key, average = view.mean_over
    if data.order[key].n_unique() == 1:
        yield from (replace(one, keys={**one.keys, key: average}) for one in single)
        return
    others = [name for name in keys if name != key]
    for found, rows in groups(data, data.rows, others):
        parts = data.parts(rows, key)
        for figure in _main(view, found):
            pilot = _mean_pilot(figure, parts, alone=alone)
            if pilot is not None:
                yield Known({**named(data, {**found, key: average}), **figure.keys}, figure.name, pilot)


def _main(view: View, keys: Keys) -> list[Figure]:
    return [figure for figure in view.of(keys) if not figure.table]


def _pilot(figure: Figure, pairs: Pairs, *, alone: bool) -> Pilot | None:
    kept, _ = complete(figure, pairs)
    before, after = (figure.linearise(kept.states, totals) for totals in kept.totals)
    if before.value is None:
        return None
    items = int(kept.counts.sum())
    own = before.influence[kept.first]
    variance, effect, clusters, unevenness = _variance(own, kept, items)
    if alone or after.value is None:
        return Pilot(before.value, variance, effect, items, clusters, unevenness)
    apart_variance, apart_effect, *_ = _variance(after.influence[kept.second] - own, kept, items)
    return Pilot(
        value=before.value,
        item_variance=variance,
        design_effect=effect,
        items=items,
        clusters=clusters,
        unevenness=unevenness,
        discordant=figure.discordant(kept),
        difference_variance=apart_variance,
        difference_effect=apart_effect,
    )


def _variance(influence: Floats, pairs: Pairs, items: int) -> Variance:
    single = float(pairs.counts @ influence**2)
    if pairs.units is None or not single:
        return Variance(items * single)
    summed, sizes = pairs.per_unit(influence), pairs.per_unit(np.ones(len(influence)))
    return Variance(items * single, _effect(summed, single), len(summed), _unevenness(sizes))


def _effect(summed: Floats, single: float) -> float:
    """How much clusters add to the variance of independent items, as a factor from 1. summed: influence by cluster."""
    together = len(summed) / max(len(summed) - 1, 1) * float(summed @ summed)
    return max(together / single, 1.0)


def _unevenness(sizes: Floats) -> float:
    """The mean size of the clusters that items are in over the mean size of clusters."""
    return max(len(sizes) * float(sizes @ sizes) / float(sizes.sum()) ** 2, 1.0)


def _mean_pilot(figure: Figure, parts: PairedParts, *, alone: bool) -> Pilot | None:
    """What is known of a mean over parts of the same items."""
    found = linearised_parts(figure, parts)
    if found.before is None:
        return None
    own = found.moved_before[found.held].mean(axis=1)
    clusters = None if parts.clusters is None else parts.clusters[found.held]
    variance, effect, many, unevenness = _of_items(own, clusters)
    if alone or found.after is None:
        return Pilot(found.before, variance, effect, len(own), many, unevenness)
    apart_variance, apart_effect, *_ = _of_items(found.moved[found.held].mean(axis=1), clusters)
    return Pilot(
        value=found.before,
        item_variance=variance,
        design_effect=effect,
        items=len(own),
        clusters=many,
        unevenness=unevenness,
        difference_variance=apart_variance,
        difference_effect=apart_effect,
    )


def _of_items(influence: Floats, clusters: Integers | None) -> Variance:
    items, single = len(influence), float(influence @ influence)
    if clusters is None or not single:
        return Variance(items * single)
    numbers = np.unique(clusters, return_inverse=True)[1].astype(np.int64)
    summed = summed_by(influence[:, None], numbers)[:, 0]
    sizes = np.bincount(numbers).astype(np.float64)
    return Variance(items * single, _effect(summed, single), len(summed), _unevenness(sizes))
