"""Intraclass correlations of ratings and of repeated runs: how much of their variance lies between items."""

from dataclasses import dataclass, replace
from math import exp, log, sqrt
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from adjudge.errors import DataError
from adjudge.estimate import Caveat, Estimate, gravest_caveat
from adjudge.statistics.clusters import Floats, cluster_degrees, linearised_variance
from adjudge.statistics.intervals import Limits
from adjudge.statistics.proportions import MANY_ITEMS, alone_note, skewed
from adjudge.statistics.quantiles import beta_quantile, critical_value
from adjudge.statistics.scores import sums_of

IccForm = Literal["one-way", "agreement", "consistency"]
"""ICC(1), if each item may have its own raters; ICC(A, 1) or ICC(2, 1), if all rate all items and differences in
their level count as error; ICC(C, 1) or ICC(3, 1), if these do not."""

Mask = NDArray[np.bool_]
TWO = 2


@dataclass(frozen=True, eq=False)
class Squares:
    """Mean squares of a design, and how far one more item of each kind moves them.

    items, raters: their numbers; raters per item, on average, if that differs. between: items. within: an item's
    ratings about their mean (one-way), or the residual after items and raters. of_raters: the variance of raters'
    means, 0 in a one-way design. complete: whether all items have as many ratings.
    """

    items: float
    raters: float
    between: float
    within: float
    of_raters: float
    raters_moved: Floats
    between_moved: Floats
    within_moved: Floats
    of_raters_moved: Floats
    complete: bool


@dataclass(frozen=True, eq=False)
class NumericRatings:
    """Numeric ratings of items. each, sums, squares: the number, sum and sum of squares of each item's ratings.

    table: items in rows, raters in columns, NaN for a missing rating; None if many are missing.
    """

    each: Floats
    sums: Floats
    squares: Floats
    table: Floats | None = None


def squares_of(ratings: NumericRatings, times: Floats, *, one_way: bool) -> Squares:
    """The mean squares of ratings. times: the multiplicity of each item; items with one rating are excluded.

    Raises DataError if fewer than two items are left, and if a design that is not one-way is incomplete.
    """
    counted = (ratings.each >= TWO) & (times > 0)
    if float(times[counted].sum()) < TWO:
        raise DataError("fewer than two items have two ratings")
    return _one_way(ratings, times * counted, counted) if one_way else _two_way(ratings.table, times * counted, counted)


def _one_way(ratings: NumericRatings, weight: Floats, counted: Mask) -> Squares:
    each, n, whole = ratings.each, float(weight.sum()), float(weight @ ratings.each)
    means = ratings.sums / np.maximum(each, 1)
    between_of = each * (means - float(weight @ ratings.sums) / whole) ** 2
    within_of = np.maximum(ratings.squares - each * means**2, 0.0)
    between, within = float(weight @ between_of) / (n - 1), float(weight @ within_of) / (whole - n)
    squared = float(weight @ each**2)
    size = (whole - squared / whole) / (n - 1)
    size_moved = counted * (each - (each**2 - squared / whole * each) / whole - size) / (n - 1)
    between_moved = counted * (between_of - between) / (n - 1)
    within_moved = counted * (within_of - (each - 1) * within) / (whole - n)
    complete = bool((each[counted] == each[counted][0]).all())
    zeros = np.zeros(len(counted))
    return Squares(n, size, between, within, 0.0, size_moved, between_moved, within_moved, zeros, complete)


def _two_way(table: Floats | None, weight: Floats, counted: Mask) -> Squares:
    there = None if table is None else ~np.isnan(table) & counted[:, None]
    if table is None or there is None or not there[counted][:, there.any(axis=0)].all():
        raise DataError("not every annotator rates every item: icc_1 needs no such design")
    known = np.where(there, table, 0.0)[:, there.any(axis=0)]
    n, k = float(weight.sum()), known.shape[1]
    means = known.mean(axis=1)
    between_of = k * (means - float(weight @ means) / n) ** 2
    apart = counted[:, None] * (known - means[:, None])
    bias = weight @ apart / n
    left = counted[:, None] * (apart - bias)
    within_of = (left**2).sum(axis=1)
    between, within = float(weight @ between_of) / (n - 1), float(weight @ within_of) / ((n - 1) * (k - 1))
    between_moved = counted * (between_of - between) / (n - 1)
    within_moved = counted * (within_of / (k - 1) - within) / (n - 1)
    of_raters, raters_moved = float(bias @ bias) / (k - 1), 2 * left @ bias / (k - 1) / n
    zeros = np.zeros(len(counted))
    return Squares(n, float(k), between, within, of_raters, zeros, between_moved, within_moved, raters_moved, True)


def intraclass(squares: Squares, form: IccForm, *, mean: bool = False) -> tuple[float, Floats]:
    """An intraclass correlation of single ratings, or of the mean of an item's k ratings, and its influence.

    With B, E mean squares of items and of error, k raters, n items, and v the variance of raters' means:
    (B - E) / (B + (k - 1) E) one-way and for consistency, (B - E) / (B + (k - 1) E + k (v - E / n)) for agreement; of a
    mean k r / (1 + (k - 1) r). One-way with unequal numbers of ratings k is (N - sum r_i^2 / N) / (n - 1).

    Returns a value of at most 1, and how far one more of each item moves it.
    Raises DataError if ratings do not vary.

    Source: Shrout and Fleiss 1979, Psychological Bulletin 86, 420-428; McGraw and Wong 1996, Psychological Methods 1,
    30-46; unequal numbers: Donner 1986, International Statistical Review 54, 67-82. The influence is the derivative.
    """
    n, k, between, within = squares.items, squares.raters, squares.between, squares.within
    top, bottom = between - within, between + (k - 1) * within
    top_moved = squares.between_moved - squares.within_moved
    bottom_moved = squares.between_moved + (k - 1) * squares.within_moved + within * squares.raters_moved
    if form == "agreement":
        bottom += k * (squares.of_raters - within / n)
        bottom_moved = bottom_moved + k * (squares.of_raters_moved - squares.within_moved / n)
    if bottom <= 0:
        raise DataError("all ratings are one and the same")
    value = top / bottom
    influence = (top_moved - value * bottom_moved) / bottom
    if not mean:
        return value, influence
    slope = 1 + (k - 1) * value
    if slope <= 0:
        raise DataError("ratings of one item differ more than those of different ones")
    return of_mean(value, k), (k * influence + value * (1 - value) * squares.raters_moved) / slope**2


def of_mean(value: float, k: float) -> float:
    """The reliability of means of k ratings, from that of single ones (Spearman and Brown)."""
    return k * value / (1 + (k - 1) * value) if 1 + (k - 1) * value > 0 else -1.0


def intraclass_limits(squares: Squares, form: IccForm, confidence: float) -> Limits:
    """The limits of a correlation of single normal ratings, in a complete design with independent items.

    One-way and for consistency from the F distribution of B / E; for agreement after Satterthwaite, with
    random raters.

    Source: McGraw and Wong 1996, table 7.
    """
    n, k, between, within = squares.items, squares.raters, squares.between, squares.within
    tail, rows = (1 + confidence) / 2, n - 1
    if form != "agreement":
        rest = n * (k - 1) if form == "one-way" else rows * (k - 1)
        ratios = between / f_quantile(tail, rows, rest), between * f_quantile(tail, rest, rows)
        low, high = ((ratio - within) / (ratio + (k - 1) * within) for ratio in ratios)
        return Limits(np.asarray(low), np.asarray(high))
    value = intraclass(squares, form)[0]
    columns = n * squares.of_raters
    a = k * value / (n * (1 - value))
    b = 1 + a * (n - 1)
    spread = (a * columns) ** 2 / (k - 1) + (b * within) ** 2 / (rows * (k - 1))
    degrees = (a * columns + b * within) ** 2 / spread
    error = k * columns + (k * n - k - n) * within
    lower, upper = f_quantile(tail, rows, degrees), f_quantile(tail, degrees, rows)
    low = n * (between - lower * within) / (lower * error + n * between)
    high = n * (upper * between - within) / (error + n * upper * between)
    return Limits(np.asarray(low), np.asarray(high))


def f_quantile(probability: float, first: float, second: float) -> float:
    """The quantile of the F distribution, by that of the beta distribution.

    >>> round(f_quantile(0.95, 5, 15), 4)
    2.9013
    """
    share = beta_quantile(probability, first / 2, second / 2)
    return second / first * share / (1 - share)


# --- repeated runs of one judge on the same items: self-consistency ---


def pair_agreement(counts: ArrayLike) -> Floats:
    """For each item, the share of pairs of its samples that agree.

    sum over labels of m_l (m_l - 1) / (m (m - 1)).

    counts: m_l, items x labels, at least two samples in each row.

    >>> pair_agreement([[3, 0], [2, 1]]).round(6).tolist()
    [1.0, 0.333333]
    """
    table = np.asarray(counts, dtype=np.float64)
    draws = table.sum(axis=1)
    values: Floats = (table * (table - 1)).sum(axis=1) / (draws * (draws - 1))
    return values


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
