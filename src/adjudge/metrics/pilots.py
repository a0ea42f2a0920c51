"""What one saved run, or two on the same items, tell about the next: variances, clusters, how often judges differ."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from adjudge.metrics.cells import Floats, Integers, PairedCells, sums_by_unit
from adjudge.metrics.comparison import count_collected, map_metrics
from adjudge.metrics.difference import linearise_pairs
from adjudge.metrics.means import ItemParts, linearise_parts
from adjudge.metrics.metric import Metric
from adjudge.metrics.run_matching import MatchedRuns
from adjudge.metrics.tables import Keys
from adjudge.statistics.planning import Pilot


def pilots(data: MatchedRuns) -> Iterator[Keys]:
    """Pilot estimates of each metric from two runs. A single run stands for both, without differences.

    Rows with the keys of the table `comparison`, the metric, and the pilot.
    """
    metrics = [metric for metric in data.view.metrics if not metric.table]
    count = count_collected(data, ["judge"])
    for keys, metric, pilot in map_metrics(data, metrics, partial(_pilot, alone=data.first is data.second)):
        if pilot is not None:
            yield {**keys, "metric": metric.name, "pilot": replace(pilot, collected=count(keys) or None)}


def _pilot(metric: Metric, rows: PairedCells | ItemParts, *, alone: bool) -> Pilot | None:
    influence = _parts_influence(metric, rows) if isinstance(rows, ItemParts) else _pair_influence(metric, rows)
    if influence.before is None:
        return None
    variance, effect, clusters, unevenness = _variance(influence.moved_before, influence)
    pilot = Pilot(influence.before, variance, effect, int(influence.counts.sum()), clusters, unevenness)
    if alone or influence.after is None:
        return pilot
    apart, effect_apart, *_ = _variance(influence.moved, influence)
    return replace(pilot, discordant=influence.discordant, difference_variance=apart, difference_effect=effect_apart)


class _RowInfluence(NamedTuple):
    """A metric of both runs; how far rows move that of the first, and the difference; how many rows, in which units."""

    before: float | None
    after: float | None
    moved_before: Floats
    moved: Floats
    counts: Integers
    units: Integers | None
    discordant: float | None = None


def _pair_influence(metric: Metric, pairs: PairedCells) -> _RowInfluence:
    both, before, after, *_ = linearise_pairs(metric, pairs)
    first, second = before.influence[both.first], after.influence[both.second]
    discordant, change = metric.discordant_share(both), second - first
    return _RowInfluence(before.value, after.value, first, change, both.counts, both.units, discordant)


def _parts_influence(metric: Metric, parts: ItemParts) -> _RowInfluence:
    result = linearise_parts(metric, parts)
    first, apart = (moved.influence.mean(axis=1) for moved in (result.first_influence, result.difference_influence))
    change = result.difference_influence
    return _RowInfluence(result.before, result.after, first, apart, change.counts, change.clusters)


def _variance(influence: Floats, rows: _RowInfluence) -> tuple[float, float | None, int | None, float]:
    """The variance of single items, how much clusters add to it (a factor from 1), how many and how uneven they are."""
    counts, items = rows.counts, int(rows.counts.sum())
    single = float(counts @ influence**2)
    if rows.units is None or not single:
        return items * single, None, None, 1.0
    summed = sums_by_unit(rows.units, influence, counts)
    sizes = sums_by_unit(rows.units, np.ones(len(influence)), counts)
    together = len(summed) / max(len(summed) - 1, 1) * float(summed @ summed)
    unevenness = len(sizes) * float(sizes @ sizes) / float(sizes.sum()) ** 2
    return items * single, max(together / single, 1.0), len(summed), max(unevenness, 1.0)
