"""What one saved run, or two on the same items, tell about the next: variances, clusters, how often judges differ."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

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
    """The pilot estimate of a metric, by how far rows move that of the first run, and the difference."""
    if isinstance(rows, ItemParts):
        parts = linearise_parts(metric, rows)
        value, other, change, discordant = parts.before, parts.after, parts.difference_influence, None
        moved, apart = (one.influence.mean(axis=1) for one in (parts.first_influence, change))
        counts, units = change.counts, change.clusters
    else:
        both, before, after, *_ = linearise_pairs(metric, rows)
        value, other, discordant = before.value, after.value, metric.discordant_share(both)
        moved = before.influence[both.first]
        apart = after.influence[both.second] - moved
        counts, units = both.counts, both.units
    if value is None:
        return None
    variance, effect, clusters, unevenness = _variance(moved, counts, units)
    pilot = Pilot(value, variance, effect, int(counts.sum()), clusters, unevenness)
    if alone or other is None:
        return pilot
    variance_apart, effect_apart, *_ = _variance(apart, counts, units)
    return replace(pilot, discordant=discordant, difference_variance=variance_apart, difference_effect=effect_apart)


def _variance(
    influence: Floats, counts: Integers, units: Integers | None
) -> tuple[float, float | None, int | None, float]:
    """The variance of single items, how much clusters add to it (a factor from 1), how many and how uneven they are."""
    items, single = int(counts.sum()), float(counts @ influence**2)
    if units is None or not single:
        return items * single, None, None, 1.0
    summed = sums_by_unit(units, influence, counts)
    sizes = sums_by_unit(units, np.ones(len(influence)), counts)
    together = len(summed) / max(len(summed) - 1, 1) * float(summed @ summed)
    unevenness = len(sizes) * float(sizes @ sizes) / float(sizes.sum()) ** 2
    return items * single, max(together / single, 1.0), len(summed), max(unevenness, 1.0)
