"""Bootstrap of figures that have nothing better, with clusters as units."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from karat.errors import OptionError
from karat.estimate import Estimate, Note
from karat.statistics._checks import Integers, check_confidence

_BLOCK = 4_000_000
"""Weights held at a time: 32 MB."""


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


def percentile_interval(value: float, figures: ArrayLike, *, n: int, confidence: float = 0.95) -> Estimate:
    """A figure with the percentiles of what it is in resamples: for figures that have nothing better.

    The limits are the quantiles at (1 -+ confidence) / 2 of the resamples in which the figure is defined.

    value: the figure. figures: what it is in each resample, NaN where it is undefined. n: what it rests on.
    Returns an Estimate, noted "bootstrap", or "undefined in some resamples"; without an interval where it is undefined
    in all of them. The interval is too narrow where few units (clusters) decide.
    Raises OptionError for a wrong confidence.

    >>> print(percentile_interval(0.5, [0.25, 0.75, float("nan")], n=3, confidence=0.5))
    0.500 [0.375, 0.625] n=3 (undefined in some resamples)

    Source: Efron 1979; Davison and Hinkley 1997, Bootstrap Methods and their Application.
    """
    check_confidence(confidence)
    drawn = np.asarray(figures, dtype=np.float64)
    defined = drawn[np.isfinite(drawn)]
    if not len(defined):
        return Estimate(value, n=n, confidence=confidence, note=Note.NO_RESAMPLE)
    low, high = np.quantile(defined, [(1 - confidence) / 2, (1 + confidence) / 2]).tolist()
    note = Note.BOOTSTRAP if len(defined) == len(drawn) else Note.SOME_RESAMPLES
    return Estimate(value, low, max(low, high), n=n, method="percentile", confidence=confidence, note=note)
