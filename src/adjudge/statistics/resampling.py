"""Bootstrap of figures that have nothing better, with clusters as units."""

from collections.abc import Iterator, Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import ArrayLike, NDArray

from adjudge.errors import DataError, OptionError
from adjudge.estimate import Caveat, Estimate
from adjudge.statistics._checks import Floats, Integers, check_confidence

_BLOCK = 4_000_000
"""Weights held at a time: 32 MB."""
_POISSON = np.repeat(np.arange(9, dtype=np.uint8), (24109, 24110, 12054, 4019, 1005, 200, 33, 5, 1))
"""From 16 random bits to a Poisson number of mean 1: rounded to 65,536ths so that the mean is 1."""


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
    _check(clusters=(clusters, 1), replicates=(replicates, 1), seed=(seed, 0))
    generator = np.random.default_rng(seed)
    size = max(1, _BLOCK // clusters)
    for start in range(0, replicates, size):
        rows = min(size, replicates - start)
        # To count draws takes a quarter of the time of drawing each count.
        drawn = generator.integers(0, clusters, size=(rows, clusters))
        drawn += clusters * np.arange(rows)[:, None]
        yield np.bincount(drawn.ravel(), minlength=rows * clusters).reshape(rows, clusters)


def named_weights(clusters: Sequence[str], *, replicates: int = 2000, seed: int = 0) -> Iterator[NDArray[np.uint8]]:
    """How often each cluster is drawn in each replicate, from its name and the seed alone, in blocks of clusters.

    So clusters may come in any order, and from several files or machines that know nothing of one another. Each weight
    is a Poisson number of mean 1: a replicate has about as many draws as there are clusters, not just as many, which a
    ratio of sums does not feel where there are many. With few clusters a replicate may be without any.

    clusters: their names. replicates: how many, from 1; the first ones are the same however many there are. seed: from
    0. Yields arrays, clusters x replicates, in the order of the names.
    Raises OptionError for numbers below these.

    >>> first, again = (next(named_weights(names, replicates=4)) for names in (["a", "b"], ["b", "a"]))
    >>> bool((first == again[::-1]).all())
    True

    Source: Poisson bootstrap, Hanley and MacGibbon 2006, Computer Methods and Programs in Biomedicine 83, 57-62;
    over many machines Chamandy et al. 2012, "Estimating Uncertainty for Massive Data Streams". Random numbers are
    those of Philox (Salmon et al. 2011), with a hash of the name as its key.
    """
    _check(replicates=(replicates, 1), seed=(seed, 0))
    key, words, size = str(seed).encode()[:64], -(-replicates // 4), max(1, _BLOCK // replicates)
    for start in range(0, len(clusters), size):
        names = clusters[start : start + size]
        bits = np.empty((len(names), words), dtype="<u8")
        for place, name in enumerate(names):
            digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16, key=key).digest()
            bits[place] = np.random.Philox(key=int.from_bytes(digest, "little")).random_raw(words)
        yield _POISSON[bits.view("<u2")[:, :replicates]]


def resampled_sums(clusters: Sequence[str], sums: ArrayLike, *, replicates: int = 2000, seed: int = 0) -> Floats:
    """Sums over clusters in each replicate, with `named_weights`: those of several files add up to those of all.

    clusters: names. sums: clusters x figures' parts, such as a numerator and a denominator. Returns replicates x parts.
    Raises DataError unless there is a name for each row, OptionError as `named_weights`.

    >>> whole = resampled_sums(["a", "b"], [[1, 2], [3, 4]], replicates=5)
    >>> parts = resampled_sums(["b"], [[3, 4]], replicates=5) + resampled_sums(["a"], [[1, 2]], replicates=5)
    >>> bool((whole == parts).all())
    True
    """
    values = np.asarray(sums, dtype=np.float64)
    if values.ndim != 2 or len(values) != len(clusters):  # noqa: PLR2004 - rows and columns
        raise DataError(f"expected a row of sums for each of {len(clusters)} clusters; got {values.shape}")
    found, start = np.zeros((values.shape[1], replicates)), 0
    for block in named_weights(clusters, replicates=replicates, seed=seed):
        found += values[start : start + len(block)].T @ block.astype(np.float64)
        start += len(block)
    return found.T


def _check(**least: tuple[int, int]) -> None:
    """Raises OptionError for a number below its least."""
    for name, (value, bound) in least.items():
        if value < bound:
            raise OptionError(f"expected a whole number from {bound}; got {value}", option=name)


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
        return Estimate(value, n=n, confidence=confidence, caveat=Caveat.NO_RESAMPLE)
    low, high = np.quantile(defined, [(1 - confidence) / 2, (1 + confidence) / 2]).tolist()
    note = Caveat.BOOTSTRAP if len(defined) == len(drawn) else Caveat.SOME_RESAMPLES
    return Estimate(value, low, max(low, high), n=n, method="percentile", confidence=confidence, caveat=note)
