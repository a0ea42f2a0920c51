"""Repeated runs of one judge on the same items: self-consistency."""

from dataclasses import replace
from math import exp, log, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from adjudge.estimate import Caveat, Estimate, gravest_caveat
from adjudge.statistics.clusters import Floats, cluster_degrees, linearised_variance
from adjudge.statistics.proportions import MANY_ITEMS, alone_note, skewed
from adjudge.statistics.quantiles import critical_value
from adjudge.statistics.scores import sums_of


def pair_agreement(counts: ArrayLike) -> Floats:
    """For each item, the share of pairs of its samples that agree.

    sum over labels of m_l (m_l - 1) / (m (m - 1)).

    counts: m_l, items x labels, at least two samples in each row.

    >>> pair_agreement([[3, 0], [2, 1]]).round(6).tolist()
    [1.0, 0.333333]
    """
    table = np.asarray(counts, dtype=np.float64)
    draws = table.sum(axis=1)
    shares: Floats = (table * (table - 1)).sum(axis=1) / (draws * (draws - 1))
    return shares


class Components(NamedTuple):
    """The variance components of a judge's labels. correlation: the share of the variance between items.

    between: variance of items. within: variance of samples of one item. The variance of labels without an order is the
    probability that two differ.
    """

    between: float
    within: float
    correlation: Estimate


def components(
    sums: ArrayLike, squares: ArrayLike, draws: ArrayLike, units: ArrayLike | None = None, *, confidence: float = 0.95
) -> Components:
    """Variance over items against variance over samples of the same item, by the one-way analysis of variance.

    W = sum over items of (q - |s|^2 / m) / (N - I), B = sum over items of m |s / m - S / N|^2 / (I - 1);
    within = W, between = (B - W) / m0, m0 = (N - sum m^2 / N) / (I - 1), correlation = between / (between + within), 0
    if B < W. Interval: that of log(B / W) by linearisation over items (clusters), with t, mapped by
    F -> (F - 1) / (F + m0 - 1).

    sums, squares: for each item s, the sum of its samples, and q, the sum of their squares; s is items x dimensions:
    one for numbers; one per label for labels, with samples of 1 or 0. draws: m, the samples of an item, from 2. units:
    the number of each item's cluster.
    Returns Components, with n items. The correlation is undefined with a reason for fewer than two items, and if
    nothing varies. It has no interval, with caveat "no variation", if it is 1, since all samples of every item are
    equal, and if all items have the same sum. Caveat "approximate" below 100 items (clusters); "few items that
    change" if the samples of fewer than 30 items differ; else "skewed" if a few items decide (see `skewed`).

    >>> found = components([[3.0], [7.0]], [5.0, 25.0], [2, 2])
    >>> found.between, found.within
    (1.75, 0.5)

    Source: Fisher 1925; Donner 1986, International Statistical Review 54, 67-82, for uneven numbers of draws; Shrout
    and Fleiss 1979, Psychological Bulletin 86, 420-428, ICC(1). The interval uses linearisation; theirs assumes
    normal deviates.
    """
    s, q, m = (np.asarray(column, dtype=np.float64) for column in (sums, squares, draws))
    items, n = len(m), float(m.sum())
    if items < 2:  # noqa: PLR2004
        return Components(0.0, 0.0, Estimate.undefined("fewer than two items", n=items, confidence=confidence))
    around = q - (s**2).sum(axis=1) / m
    apart = m * ((s / m[:, None] - s.sum(axis=0) / n) ** 2).sum(axis=1)
    within, across = float(around.sum()) / (n - items), float(apart.sum()) / (items - 1)
    size = (n - float(m @ m) / n) / (items - 1)
    between = max((across - within) / size, 0.0)
    rounding = _ROUNDING * float(q.sum() + 1)
    if across + within <= rounding:
        return Components(0.0, 0.0, Estimate.undefined("all labels are equal", n=items, confidence=confidence))
    if within <= rounding:
        alike = Estimate(1.0, n=items, confidence=confidence, caveat=Caveat.NO_VARIATION)
        return Components(across / size, 0.0, alike)
    if across <= rounding:
        return Components(0.0, within, Estimate(0.0, n=items, confidence=confidence, caveat=Caveat.NO_VARIATION))
    moved = apart / apart.sum() - around / around.sum()
    codes = None if units is None else np.asarray(units)
    correlation = _correlation(across / within, size, sums_of(moved, codes), items, confidence)
    if correlation.low is not None:
        few = Caveat.FEW_CHANGES if (around > rounding).sum() < _FEW_DIFFERING else None
        lopsided = Caveat.SKEWED if skewed(float((moved**2).sum()), float((moved**3).sum())) else None
        correlation = replace(correlation, caveat=gravest_caveat(correlation.caveat, few, lopsided))
    return Components(between, within, correlation)


_ROUNDING = 1e-14
_FEW_DIFFERING = 30
"""With fewer items whose samples differ, the interval can miss its coverage."""
_MOST = 700.0
"""The greatest exponent that a float holds, about."""


def _correlation(ratio: float, size: float, influence: tuple[Floats, Floats], n: int, confidence: float) -> Estimate:
    """The correlation from B / W. influence: on log(B / W), per item or cluster, and the items of each."""

    def correlation_of_ratio(ratio_of_squares: float) -> float:
        return max((ratio_of_squares - 1) / (ratio_of_squares + size - 1), 0.0)

    moved, sizes = influence
    ones = np.ones(len(moved))
    if len(moved) == 1:
        return Estimate(correlation_of_ratio(ratio), n=n, confidence=confidence, caveat=alone_note(n))
    variance = linearised_variance(moved * float(sizes.sum()), sizes, ones)
    if variance <= _ROUNDING:
        return Estimate(correlation_of_ratio(ratio), n=n, confidence=confidence, caveat=Caveat.NO_VARIATION)
    half = critical_value(confidence, cluster_degrees(sizes)) * sqrt(variance)
    low, high = (correlation_of_ratio(exp(min(log(ratio) + side * half, _MOST))) for side in (-1, 1))
    note = Caveat.APPROXIMATE if len(moved) < MANY_ITEMS else None
    return Estimate(correlation_of_ratio(ratio), low, high, n=n, method="t", confidence=confidence, caveat=note)
