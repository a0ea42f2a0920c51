"""Means of scores of items, each from 0 to 1 or a difference of two of these, for clustered items or not."""

from dataclasses import replace
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from adjudge.estimate import Estimate
from adjudge.statistics.clusters import Floats, Integers, cluster_degrees
from adjudge.statistics.comparison import Comparison, paired_t
from adjudge.statistics.intervals import Limits
from adjudge.statistics.proportions import clustered_proportion, linearised_proportion, proportion
from adjudge.statistics.quantiles import critical_value
from adjudge.statistics.strength import clustered_paired_difference, paired_difference

_HALVINGS = 50
"""Halvings of a bracket, in the search for a limit."""


def mean_score(values: ArrayLike, units: ArrayLike | None = None, *, confidence: float = 0.95) -> Estimate:
    """The mean of scores in [0, 1] of items, such as the share of annotators who agree with a judge.

    sum s / n. If each score is 0 or 1 the interval is that of `proportion`, in clusters `clustered_proportion`; else
    that of `linearised_proportion`.

    values: s. units: the number of each item's cluster; by default items are independent.
    Returns an Estimate in [0, 1] with n items and the caveats of those functions; undefined without any.
    Raises OptionError for a wrong confidence.

    >>> mean_score([1, 1, 0.5, 0.5]).value, mean_score([1, 1, 0, 0]).method
    (0.75, 'wilson')
    """
    scores, codes = np.asarray(values, dtype=np.float64), None if units is None else np.asarray(units)
    if not len(scores):
        return Estimate.undefined("no items", confidence=confidence)
    whole = bool(np.isin(scores, (0.0, 1.0)).all())
    if whole and codes is None:
        return proportion(int(scores.sum()), len(scores), confidence=confidence)
    sums, sizes = sums_of(scores, codes)
    if whole:
        return clustered_proportion(sums, sizes, confidence=confidence)
    value, n = float(scores.mean()), len(scores)
    if codes is None:
        distinct, times = np.unique(scores, return_counts=True)  # millions of items have few different scores
        moved = (distinct - value) / n
        return linearised_proportion(value, moved, n=n, multiplicity=times, scores=True, confidence=confidence)
    moved = (sums - value * sizes) / n
    return linearised_proportion(value, moved, n=n, sizes=sizes, scores=True, confidence=confidence)


def mean_change(values: ArrayLike, units: ArrayLike | None = None, *, confidence: float = 0.95) -> Comparison:
    """The mean of differences of two scores of the same items, and the test that it is 0.

    sum d / n. If each difference is -1, 0 or 1, interval and p are those of `paired_difference`, in clusters
    `clustered_paired_difference`; else those of `paired_t`.

    values: d, such as a judge's score of an item minus a human score. units: the number of each item's cluster; by
    default items are independent. Returns a Comparison with n items, caveats as above; undefined without any.
    Raises OptionError for a wrong confidence.

    >>> mean_change([1, 0, 0, -1]).estimate.method, mean_change([1, 0.5]).estimate.value
    ('tango', 0.75)
    """
    changes, codes = np.asarray(values, dtype=np.float64), None if units is None else np.asarray(units)
    whole = bool(np.isin(changes, (-1.0, 0.0, 1.0)).all())
    if not whole and codes is None:
        distinct, times = np.unique(changes, return_counts=True)  # millions of items have few different scores
        return paired_t(distinct, multiplicity=times, confidence=confidence)
    if not whole:
        sums, sizes = sums_of(changes, codes)
        return paired_t(sums, totals=sizes, confidence=confidence)
    gained, lost = changes > 0, changes < 0
    if codes is None:
        return paired_difference(int(gained.sum()), int(lost.sum()), len(changes), confidence=confidence)
    (more, sizes), (fewer, _) = (sums_of(side.astype(np.float64), codes) for side in (gained, lost))
    return clustered_paired_difference(more, fewer, sizes, confidence=confidence)


def mean_score_limits(
    sums: Floats, sizes: Floats, counts: Floats, bounds: tuple[float, float] | None = None, *, confidence: float = 0.95
) -> Limits:
    """Limits of the mean of scores by a score test: its variance is that under each mean that it tests.

    R = sum s / sum x. A mean D is within the limits if |sum (s - D x)| <= t C sqrt(V / (C - 1)), with t at
    `cluster_degrees` and V = sum p e^2, e = s - D x, where p are the likeliest shares of units with sum p e = 0:
    (1 / C) / (1 + k e). The variance at R would make a test at D anticonservative if distant scores are rare.

    sums, sizes, counts: s and x of each unit (item or cluster), and how many there are of each, C in all, at least two.
    bounds: the least and greatest possible score; an unobserved unit of mean size may have it.

    >>> low, high = mean_score_limits(np.array([0.0]), np.ones(1), np.array([20.0]), (-1.0, 1.0))
    >>> round(float(low), 4) == -round(float(high), 4)
    True

    Source: empirical likelihood, Owen 1988, Biometrika 75, 237-249, for the shares. For scores -1, 0 and 1 it is the
    score of Tango 1998, Statistics in Medicine 17, 891-908, with t.
    """
    critical = critical_value(confidence, cluster_degrees(sizes, multiplicity=counts))
    least, most = bounds or (None, None)
    low = _lower_limit(sums, sizes, counts, least, critical)
    high = -_lower_limit(-sums, sizes, counts, None if most is None else -most, critical)
    return Limits(np.asarray(low), np.asarray(high))


def _lower_limit(sums: Floats, sizes: Floats, counts: Floats, least: float | None, critical: float) -> float:
    """The least mean that the test does not reject, by bisection. least: score."""
    units, high = float(counts.sum()), float(counts @ sums) / float(counts @ sizes)
    low = float((sums / sizes).min()) if least is None else least
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        e = sums - middle * sizes
        end = float(e.min())
        if least is not None:
            end = min(end, (least - middle) * float(counts @ sizes) / units)
        variance = _variance_at_zero(e, counts / units, end)
        if float(counts @ e) > critical * units * sqrt(variance / (units - 1)):
            low = middle
        else:
            high = middle
    return low


def _variance_at_zero(e: Floats, shares: Floats, end: float) -> float:
    """The variance of e, whose mean lies above 0, under the likeliest shares with mean 0. end: its least value."""
    if end >= 0:
        return 0.0
    low, high = 0.0, -1 / end
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if float(shares @ (e / (1 + middle * e))) > 0:
            low = middle
        else:
            high = middle
    tilted = shares / (1 + low * e)
    # The missing share lies at the end, which no unit has.
    return float(tilted @ e**2) + max(1 - float(tilted.sum()), 0.0) * end**2


class ChangePoint(NamedTuple):
    """The clearest change in the scores of items. window: the first one after it. found: after minus before."""

    window: int
    found: Comparison


def change_point(scores: ArrayLike, units: ArrayLike | None = None, *, confidence: float = 0.95) -> ChangePoint | None:
    """The window whose following mean of the same items differs most clearly from the mean before.

    The place k of W windows at which k (W - k) / W times the squared mean of d is greatest, d each item's mean after it
    less its mean before. Its p and interval are those of `mean_change` of d; p times W - 1, at most 1, and the interval
    at 1 - (1 - confidence) / (W - 1), which corrects both for the search.

    scores: items x windows in their order, without gaps. units: the number of each item's cluster.
    Returns the ChangePoint, the first of several equal ones; None for fewer than two windows and without items.

    >>> found = change_point([[1, 1, 0]] * 8 + [[1, 1, 1]] * 8)
    >>> found.window, found.found.estimate.value
    (2, -0.5)

    Source: the place of least squares, Page 1955, Biometrika 42, 523-527, with Bonferroni's inequality over places.
    """
    table = np.asarray(scores, dtype=np.float64)
    windows = table.shape[1]
    if not len(table) or windows < 2:  # noqa: PLR2004 - nothing changes in one
        return None
    means = table.mean(axis=0)
    gains = [k * (windows - k) * (means[k:].mean() - means[:k].mean()) ** 2 for k in range(1, windows)]
    place = 1 + int(np.argmax(np.round(gains, 12)))
    moved = table[:, place:].mean(axis=1) - table[:, :place].mean(axis=1)
    sought = windows - 1
    change = mean_change(moved.round(12), units, confidence=1 - (1 - confidence) / sought)
    p = None if change.p is None else min(change.p * sought, 1.0)
    return ChangePoint(place, Comparison(replace(change.estimate, confidence=confidence), p))


def sums_of(values: Floats, codes: Integers | None) -> tuple[Floats, Floats]:
    """For each cluster, the sum of the values of its items, and its number of items; without codes for each item."""
    if codes is None:
        return values, np.ones(len(values))
    cluster = np.unique(codes, return_inverse=True)[1]
    sums: Floats = np.bincount(cluster, weights=values).astype(np.float64)
    return sums, np.bincount(cluster).astype(np.float64)
