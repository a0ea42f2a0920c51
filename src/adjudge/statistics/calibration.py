"""Calibration of a judge's confidence (ECE, curve), and the area under the risk-coverage curve."""

from dataclasses import replace
from math import exp, lgamma, log, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from adjudge.estimate import Caveat, Estimate
from adjudge.statistics.clusters import Floats, Integers
from adjudge.statistics.proportions import MANY_ITEMS, linearised_proportion
from adjudge.statistics.quantiles import critical_value
from adjudge.statistics.scores import mean_score, sums_of

BINS = 10
"""The most bins of a calibration curve."""
_LEAST = 10
"""The minimum mean number of items per bin."""
_MANY_OF_AREA = 300
"""From here on the interval of an area keeps its coverage."""


class Bin(NamedTuple):
    """Items of similar confidence: their lowest, mean and highest one, and the share of them that is right."""

    low: float
    certainty: float
    high: float
    right: Estimate


def equal_bins(certainty: ArrayLike) -> Integers:
    """The number of each item's bin, from 0: about as many items in each, with equal confidences in the same.

    An item's bin is that of the middle of all items with its confidence. Bins of fewer than half of the intended
    items are merged with the one below (the lowest with the one above). There are fewer bins if there would
    be fewer than 10 items in each.

    >>> equal_bins([0.5] * 10 + [0.9] * 5 + [0.95] * 5).tolist() == [0] * 10 + [1] * 10
    True
    """
    values, inverse, counts = np.unique(np.asarray(certainty), return_inverse=True, return_counts=True)
    n = int(counts.sum())
    wanted = max(1, min(BINS, n // _LEAST))
    middle = np.cumsum(counts) - counts / 2
    found = np.minimum(np.floor(middle * wanted / max(n, 1)), wanted - 1).astype(np.int64)
    sizes = np.bincount(found, weights=counts, minlength=wanted)
    kept = np.flatnonzero(sizes * 2 >= n / wanted)
    place = np.maximum(np.searchsorted(kept, found, side="right") - 1, 0)
    return place[inverse] if len(values) else np.zeros(0, dtype=np.int64)


def calibration_curve(
    certainty: Floats, right: Floats, units: Integers | None = None, *, confidence: float = 0.95
) -> list[Bin]:
    """The bins of `equal_bins`, lowest confidence first, with the share of their items that is right."""
    numbers, points = equal_bins(certainty), []
    for number in range(int(numbers.max(initial=-1)) + 1):
        inside = numbers == number
        in_bin = certainty[inside]
        share = mean_score(right[inside], None if units is None else units[inside], confidence=confidence)
        points.append(Bin(float(in_bin.min()), float(in_bin.mean()), float(in_bin.max()), share))
    return points


class Miscalibration(NamedTuple):
    """The gap between confidence and accuracy.

    plain: the expected calibration error. by_chance: its mean for a perfectly calibrated judge.
    corrected: the root mean square calibration error without the part due to chance, with its interval.
    """

    plain: float
    by_chance: float
    corrected: Estimate


def miscalibration(
    certainty: ArrayLike, right: ArrayLike, units: ArrayLike | None = None, *, confidence: float = 0.95
) -> Miscalibration:
    """The calibration error of a judge's confidences, in bins of about equal counts.

    d_b = mean of c - y in bin b, w_b its share of the items, V the covariance of the d.
    plain = sum w_b |d_b|, which is above 0 by chance alone. by_chance = sum w_b E|K_b / n_b - p_b| with K_b binomial
    (n_b, p_b), p_b the mean confidence; in clusters, and if y is a share, times the root of the observed over the
    binomial variances.
    corrected = sqrt(S), S = sum w_b (d_b^2 - V_bb), 0 if S < 0. Interval: the roots of
    S -+ t sqrt(4 (w d)' V (w d) + 2 tr((w V)^2)), from 0 on, with t at one less than there are items (clusters). It
    is valid at a true error of 0 too, where S is a sum of squares less its mean.

    certainty: c, in [0, 1]. right: y, whether the item's label is right, or the share of annotators who agree with it.
    units: the number of each item's cluster; by default items are independent.
    Returns Miscalibration; corrected is undefined below 20 items (10 in each of two bins, or fewer if confidences
    are equal). Caveat "approximate" below 100 items (clusters).

    >>> sure = [0.9] * 50 + [0.6] * 50
    >>> found = miscalibration(sure, [1] * 40 + [0] * 10 + [1] * 30 + [0] * 20)
    >>> round(found.plain, 12), found.corrected.value < 0.07
    (0.05, True)

    Source: bins of equal counts and the corrected squared error: Broecker 2012, Climate Dynamics 39, 655-667; Kumar,
    Liang and Ma 2019, arXiv:1909.10155 (with the variance of c - y where they have that of y); the mean deviation of
    binomial counts: de Moivre, see Diaconis and Zabell 1991, Statistical Science 6, 284-302. The interval is ours: the
    variance of a quadratic form of normal deviates.
    """
    c, y, codes = _arrays(certainty, right, units)
    numbers = equal_bins(c)
    sizes = np.bincount(numbers).astype(np.float64)
    gaps, sure, hits = (np.bincount(numbers, weights=values) / sizes for values in (c - y, c, y))
    weights, units_there = sizes / len(c), len(c) if codes is None else len(np.unique(codes))
    covariance = _covariance(c - y - gaps[numbers], numbers, sizes, codes)
    binomial = float((hits * (1 - hits) / sizes).sum())
    whole = codes is None and bool(np.isin(y, (0.0, 1.0)).all())
    inflation = 1.0 if whole or binomial == 0 else sqrt(float(np.trace(covariance)) / binomial)
    deviations = np.array([_mean_deviation(round(n), p) for n, p in zip(sizes, sure, strict=True)])
    return Miscalibration(
        plain=float(weights @ np.abs(gaps)),
        by_chance=float(weights @ deviations) * inflation,
        corrected=_bias_corrected(gaps, weights, covariance, (len(c), units_there), confidence),
    )


_ROUNDING = 1e-20
"""A variance below it is a rounding error."""


def _bias_corrected(gaps: Floats, weights: Floats, cov: Floats, sizes: tuple[int, int], confidence: float) -> Estimate:
    """sizes: how many items there are, and how many clusters."""
    n, units = sizes
    if n < 2 * _LEAST:
        return Estimate.undefined(f"fewer than {2 * _LEAST} items", n=n, confidence=confidence)
    squared = float(weights @ (gaps**2 - np.diag(cov)))
    if units < 2 or np.diag(cov).min() <= _ROUNDING:  # noqa: PLR2004 - one cluster has no variance between clusters
        why = Caveat.ONE_CLUSTER if units < 2 else Caveat.NO_VARIATION  # noqa: PLR2004
        return Estimate(sqrt(max(squared, 0.0)), n=n, confidence=confidence, caveat=why)
    part = weights * gaps
    scaled = weights[:, None] * cov
    variance = 4 * float(part @ cov @ part) + 2 * float(np.trace(scaled @ scaled))
    half = critical_value(confidence, units - 1) * sqrt(variance)
    value, low, high = (sqrt(max(square, 0.0)) for square in (squared, squared - half, squared + half))
    note = Caveat.APPROXIMATE if units < MANY_ITEMS else None
    return Estimate(value, low, min(high, 1.0), n=n, method="quadratic", confidence=confidence, caveat=note)


def _covariance(residuals: Floats, numbers: Integers, sizes: Floats, codes: Integers | None) -> Floats:
    """The covariance of the means of bins, over items or clusters."""
    bins = len(sizes)
    if codes is None:
        squares = np.bincount(numbers, weights=residuals**2)
        return np.diag(squares / (sizes * np.maximum(sizes - 1, 1)))
    units = np.unique(codes, return_inverse=True)[1]
    count = int(units.max()) + 1
    moved = np.bincount(units * bins + numbers, weights=residuals, minlength=count * bins).reshape(count, bins) / sizes
    clusters_in_bin = (np.bincount(units * bins + numbers, minlength=count * bins).reshape(count, bins) > 0).sum(axis=0)
    scale = np.sqrt(clusters_in_bin / np.maximum(clusters_in_bin - 1, 1))
    return moved.T @ moved * np.outer(scale, scale)


def _mean_deviation(n: int, p: float) -> float:
    """E|K / n - p| of a binomial K: 2 (1 - p) v C(n, v) p^v (1 - p)^(n - v) / n with v = floor(n p) + 1."""
    if p in (0.0, 1.0):
        return 0.0
    v = min(int(n * p) + 1, n)
    ways = lgamma(n + 1) - lgamma(v + 1) - lgamma(n - v + 1)
    return 2 * (1 - p) * v / n * exp(ways + v * log(p) + (n - v) * log(1 - p))


# --- area under the risk-coverage curve ---


def risk_coverage_area(
    certainty: ArrayLike, right: ArrayLike, units: ArrayLike | None = None, *, confidence: float = 0.95
) -> Estimate:
    """The area under the risk-coverage curve (AURC): the mean error over all coverages, most confident items first.

    A = 1 / n sum over k of the mean of 1 - y of the k most confident items; items of equal confidence are in random
    order. With e = 1 - y and h_k = 1 / k + ... + 1 / n it is the mean of e_i h_i. Interval: `linearised_proportion`
    with the influence of item i, e_i h_i less the sum of e_j / k_j over items j of at most the confidence of i.

    certainty: of each item. right: y, in [0, 1]. units: the number of each item's cluster.
    Returns an Estimate in [0, 1] with n items: the error rate for an uninformative confidence, about half its
    square for a perfectly informative one. Caveat "approximate" below 300 items (clusters).

    >>> print(round(risk_coverage_area([0.9, 0.8, 0.7, 0.6], [1, 1, 0, 0]).value, 6))
    0.208333

    Source: Geifman, Uziel and El-Yaniv 2019, arXiv:1805.08206; the influence is the derivative.
    """
    c, y, codes = _arrays(certainty, right, units)
    n = len(c)
    _, inverse, counts = np.unique(-c, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    tail = np.append(np.cumsum(1 / np.arange(n, 0, -1.0))[::-1], 0.0)
    sums_of_tail = np.concatenate(([0.0], np.cumsum(tail[:-1])))
    mass = (sums_of_tail[last] - sums_of_tail[last - counts]) / counts  # the mean over places of equal certainties
    wrong = 1 - y
    value = float((wrong * mass[inverse]).mean())
    of_group = np.bincount(inverse, weights=wrong) / last / n
    below = np.cumsum(of_group[::-1])[::-1] - of_group / 2
    moved = wrong * mass[inverse] - below[inverse]
    moved -= moved.mean()
    sums, sizes = sums_of(moved / n, codes)
    area = linearised_proportion(min(value, 1.0), sums, n=n, sizes=sizes, scores=True, confidence=confidence)
    return area if area.caveat or len(sums) >= _MANY_OF_AREA else replace(area, caveat=Caveat.APPROXIMATE)


def _arrays(certainty: ArrayLike, right: ArrayLike, units: ArrayLike | None) -> tuple[Floats, Floats, Integers | None]:
    c, y = (np.asarray(one, dtype=np.float64) for one in (certainty, right))
    return c, y, None if units is None else np.asarray(units)
