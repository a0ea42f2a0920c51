"""Bootstrap of figures that have nothing better, over items or over clusters."""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import ArrayLike

from karat.errors import DataError, OptionError
from karat.estimate import Estimate, Note
from karat.statistics._checks import Floats, Integers, check_confidence

_BLOCK = 4_000_000
"""Weights held at a time: 32 MB."""
_TABLE = 2

Statistic = Callable[[Floats], ArrayLike]
"""From sums, replicates x columns, to the figure of each replicate; NaN where it is undefined."""


def bootstrap_weights(clusters: int, *, replicates: int = 2000, seed: int = 0) -> Iterator[Integers]:
    """How often each cluster is drawn in each replicate, in blocks of replicates that fit into memory.

    Each row is multinomial: as many draws as there are clusters, all equally likely. The rows depend on the
    number of clusters, the number of replicates and the seed alone: all figures of a run share them, and
    so differences of figures can be taken replicate by replicate.

    clusters: how many, from 1. replicates: rows in all, from 1. seed: from 0.
    Yields arrays, replicates x clusters; each row adds up to the number of clusters.
    Raises OptionError for numbers below these.

    >>> [block.sum(axis=1).tolist() for block in bootstrap_weights(3, replicates=2, seed=1)]
    [[3, 3]]

    Source: Efron 1979, Annals of Statistics 7, 1-26; clusters as units as in Davison and Hinkley 1997.
    """
    for name, value, least in (("clusters", clusters, 1), ("replicates", replicates, 1), ("seed", seed, 0)):
        if value < least:
            raise OptionError(f"{name}: expected a whole number from {least}; got {value}")
    generator = np.random.default_rng(seed)
    equal = np.full(clusters, 1 / clusters)
    size = max(1, _BLOCK // clusters)
    for start in range(0, replicates, size):
        yield generator.multinomial(clusters, equal, size=min(size, replicates - start))


def cluster_bootstrap(
    statistic: Statistic,
    counts: ArrayLike,
    *,
    replicates: int = 2000,
    seed: int = 0,
    confidence: float = 0.95,
) -> Estimate:
    """Percentile interval of any function of sums over clusters.

    The clusters are drawn with replacement (`bootstrap_weights`), their counts summed, the figure taken of
    each sum; the limits are its quantiles at (1 -+ confidence) / 2.

    statistic: takes sums (replicates x columns), returns a figure per row, NaN where it is undefined.
    counts: clusters x columns. replicates, seed: see `bootstrap_weights`.
    Returns an Estimate with n clusters, noted "bootstrap", or "undefined in some resamples" where there were
    replicates without a figure, which are left out. Undefined where the figure is undefined on the data. One
    cluster: no interval, noted "one cluster". The interval is too narrow where few clusters decide.
    Raises DataError where counts is no table, OptionError for wrong options.

    >>> bool(cluster_bootstrap(lambda sums: sums[:, 0] / sums[:, 1], [[1, 2], [2, 2]]).high <= 1)
    True

    Source: Efron 1979; Davison and Hinkley 1997, Bootstrap Methods and their Application.
    """
    check_confidence(confidence)
    table = _table(counts)
    if len(table) == 0:
        return Estimate.undefined("no clusters", confidence=confidence)
    value = float(_figures(statistic, table.sum(axis=0, keepdims=True))[0])
    if not np.isfinite(value):
        return Estimate.undefined("undefined on these counts", n=len(table), confidence=confidence)
    if len(table) == 1:
        return Estimate(value, n=1, confidence=confidence, note=Note.ONE_CLUSTER)
    blocks = bootstrap_weights(len(table), replicates=replicates, seed=seed)
    figures = np.concatenate([_figures(statistic, block @ table) for block in blocks])
    return _percentiles(value, figures, n=len(table), confidence=confidence)


def item_bootstrap(
    statistic: Statistic,
    counts: ArrayLike,
    *,
    replicates: int = 2000,
    seed: int = 0,
    confidence: float = 0.95,
) -> Estimate:
    """Percentile interval of any function of the counts of independent items.

    counts: how many items fall into each of several cells, in all n. A replicate is one multinomial draw of
    n items over the cells in their observed shares; the cost does not depend on n.

    statistic: takes counts (replicates x cells), returns a figure per row, NaN where it is undefined.
    Returns an Estimate as `cluster_bootstrap` does, with n items. Undefined without items.
    Raises DataError where counts are not counts, OptionError for wrong options.

    >>> print(item_bootstrap(lambda cells: cells[:, 0] / cells.sum(axis=1), [3, 0]))
    1.000 [1.000, 1.000] n=3 (bootstrap)

    Source: Efron 1979, Annals of Statistics 7, 1-26.
    """
    check_confidence(confidence)
    if replicates < 1 or seed < 0:
        raise OptionError(f"expected replicates from 1 and a seed from 0; got {replicates} and {seed}")
    cells = np.asarray(counts, dtype=np.float64)
    if cells.ndim != 1 or not np.isfinite(cells).all() or (cells < 0).any():
        raise DataError("counts: expected a list of counts from 0")
    n = round(float(cells.sum()))
    if n == 0:
        return Estimate.undefined("no items", confidence=confidence)
    value = float(_figures(statistic, cells[None, :])[0])
    if not np.isfinite(value):
        return Estimate.undefined("undefined on these counts", n=n, confidence=confidence)
    drawn = np.random.default_rng(seed).multinomial(n, cells / cells.sum(), size=replicates)
    return _percentiles(value, _figures(statistic, drawn.astype(np.float64)), n=n, confidence=confidence)


def _figures(statistic: Statistic, sums: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(statistic(sums), dtype=np.float64)


def _percentiles(value: float, figures: Floats, *, n: int, confidence: float) -> Estimate:
    defined = figures[np.isfinite(figures)]
    if not len(defined):
        return Estimate(value, n=n, confidence=confidence, note=Note.NO_RESAMPLE)
    low, high = np.quantile(defined, [(1 - confidence) / 2, (1 + confidence) / 2])
    note = Note.BOOTSTRAP if len(defined) == len(figures) else Note.SOME_RESAMPLES
    return Estimate(value, float(low), float(high), n=n, method="percentile", confidence=confidence, note=note)


def _table(counts: ArrayLike) -> Floats:
    table = np.asarray(counts, dtype=np.float64)
    if table.ndim != _TABLE or not np.isfinite(table).all():
        raise DataError(f"counts: expected a table of finite numbers, clusters x columns; got shape {table.shape}")
    return table
