"""Limits of intervals as functions of counts, on single numbers or on whole columns at once."""

from collections.abc import Callable
from math import inf, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from adjudge.statistics.clusters import Floats
from adjudge.statistics.quantiles import beta_quantile

_BISECTIONS = 64
"""Each halves the bracket: after 64, [-1, 1] has shrunk below the resolution of a float."""

_FARTHEST = 1e6
"""The search for a critical value ends at this bound, which no interval needs."""
_STEPS, _CLOSE = 100, 1e-12
"""The maximum of steps and the tolerance of the search for a critical value."""


class Limits(NamedTuple):
    """The lower and the upper limit of an interval, as numbers or as columns of numbers."""

    low: Floats
    high: Floats


def wilson_limits(successes: ArrayLike, n: ArrayLike, critical: ArrayLike) -> Limits:
    """Score interval of a proportion.

    p = successes / n and z = critical:
    (p + z^2 / 2n -+ z sqrt(p (1 - p) / n + z^2 / 4n^2)) / (1 + z^2 / n).

    successes, n: counts, whole or not (an effective n), 0 <= successes <= n. critical: quantile of the
    normal or t distribution, above 0. Numbers or arrays that broadcast.
    Returns limits in [0, 1] that contain p; exactly 0 without successes and 1 without failures;
    [0, 1] if n is 0.

    >>> low, high = wilson_limits(7, 10, 1.959964)
    >>> round(float(low), 4), round(float(high), 4)
    (0.3968, 0.8922)

    Source: Wilson 1927, JASA 22, 209-212; method 3 of Newcombe 1998, Statistics in Medicine 17, 857-872.
    """
    successes, n, critical = _floats(successes, n, critical)
    safe = np.where(n > 0, n, 1)
    p = successes / safe
    squared = critical**2 / safe
    centre = (p + squared / 2) / (1 + squared)
    half = np.sqrt(squared * p * (1 - p) + squared**2 / 4) / (1 + squared)
    low = np.where((successes <= 0) | (n <= 0), 0, np.minimum(np.maximum(centre - half, 0), p))
    high = np.where((successes >= n) | (n <= 0), 1, np.minimum(np.maximum(centre + half, p), 1))
    return Limits(low[()], high[()])


def clopper_pearson_limits(successes: ArrayLike, n: ArrayLike, confidence: float) -> Limits:
    """Interval of a proportion with at least the nominal coverage, at the price of being wide.

    low = beta quantile at (1 - confidence) / 2 with shapes s, n - s + 1;
    high = beta quantile at (1 + confidence) / 2 with shapes s + 1, n - s.

    successes, n: counts, whole or not, 0 <= successes <= n. Numbers or arrays that broadcast.
    Returns limits in [0, 1]; exactly 0 without successes and 1 without failures.

    >>> low, high = clopper_pearson_limits(1, 1, 0.95)
    >>> round(float(low), 6), float(high)
    (0.025, 1.0)

    Source: Clopper and Pearson 1934, Biometrika 26, 404-413.
    """
    successes, n = np.broadcast_arrays(*_floats(successes, n))
    tail = (1 - confidence) / 2
    rows = list(zip(successes.flat, n.flat, strict=True))
    low = [beta_quantile(tail, s, m - s + 1) if s > 0 else 0.0 for s, m in rows]
    high = [beta_quantile(1 - tail, s + 1, m - s) if s < m else 1.0 for s, m in rows]
    return Limits(np.reshape(low, n.shape)[()], np.reshape(high, n.shape)[()])


def tango_limits(agreements: ArrayLike, disagreements: ArrayLike, n: ArrayLike, critical: ArrayLike) -> Limits:
    """Score interval of the difference of two shares of the same n items.

    With a agreements, d disagreements and a difference D,
    q = (sqrt(B^2 - 4AC) - B) / 2A, A = 2n, B = -a - d + (2n - a + d) D, C = -d D (1 - D);
    the limits solve (a - d - n D) / sqrt(n (2q + D (1 - D))) = +-critical.

    agreements, disagreements: counts of the two exclusive outcomes, whole or not; n: all items. Numbers or
    arrays that broadcast. critical: quantile of the normal or t distribution, above 0.
    Returns limits in [-1, 1] that contain (a - d) / n; 1 above if all agree, -1 below if all disagree;
    [-1, 1] if n is 0. Never a single point.

    >>> low, high = tango_limits(10, 0, 10, 1.959964)
    >>> round(float(low), 4), float(high)
    (0.4449, 1.0)

    Source: Tango 1998, Statistics in Medicine 17, 891-908.
    """
    broadcast = np.broadcast_arrays(*_floats(agreements, disagreements, n, critical))
    rows = list(zip(*(column.ravel().tolist() for column in broadcast), strict=True))
    high = [_tango_upper(a, d, items, z) for a, d, items, z in rows]
    low = [-_tango_upper(d, a, items, z) for a, d, items, z in rows]
    shape = broadcast[0].shape
    return Limits(np.reshape(low, shape)[()], np.reshape(high, shape)[()])


def product_limits(first: ArrayLike, first_limits: Limits, second: ArrayLike, second_limits: Limits) -> Limits:
    """Interval of the product of two uncorrelated estimates, from the interval of each.

    With the distances d1 and d2 from the estimates to their limits on the side in question:
    first second -+ sqrt((second d1)^2 + (first d2)^2 + (d1 d2)^2).
    If first is below 0 the product falls as second rises, and the two distances of second change places.

    first: an estimate in [-1, 1]; second: one in [0, 1]; each with its limits. Numbers or arrays.
    Returns limits in [-1, 1].

    >>> low, high = product_limits(0.5, Limits(0.2, 0.7), 0.8, Limits(0.7, 0.9))
    >>> round(float(low), 4), round(float(high), 4)
    (0.153, 0.5688)

    Source: method of variance estimates recovery, Zou and Donner 2008, Statistics in Medicine 27, 1693-1702;
    the cross term from the variance of a product, Goodman 1960, JASA 55, 708-713.
    """
    first, second, low1, high1, low2, high2 = _floats(first, second, *first_limits, *second_limits)
    below, above = second - low2, high2 - second
    product = first * second
    low = product - _product_distance(first, first - low1, second, np.where(first < 0, above, below))
    high = product + _product_distance(first, high1 - first, second, np.where(first < 0, below, above))
    return Limits(np.maximum(low, -1)[()], np.minimum(high, 1)[()])


def mean_distance(distances: Floats, correlations: Floats) -> float:
    """The distance of a mean of estimates from its limit, from each estimate's distance from its own limit (MOVER).

    sqrt(sum_kl r_kl d_k d_l) / K.

    distances: d, of K estimates. correlations: r, K x K. Returns a number from 0.

    >>> mean_distance(np.array([0.3, 0.4]), np.eye(2))
    0.25

    Source: Zou and Donner 2008, Statistics in Medicine 27, 1693-1702; with correlations Zou 2008.
    """
    return sqrt(max(float(distances @ correlations @ distances), 0.0)) / len(distances)


def critical_reaching(far: float, distance: Callable[[float], float]) -> float:
    """The critical value at which a limit is at a distance; its tail probability is the p of an interval reaching it.

    Double it until the limit is as far, then use false position (Illinois).

    far: from 0. distance: of the limit at a critical value, which rises with it. Returns 0 for far = 0.

    >>> round(critical_reaching(3.0, lambda critical: 2 * critical), 9)
    1.5

    Source: Dowell and Jarratt 1971, BIT 11, 168-174.
    """
    if far == 0:
        return 0.0
    low, below = 0.0, -far
    high, above = 1.0, distance(1.0) - far
    while above < 0 and high < _FARTHEST:
        low, below, high = high, above, 2 * high
        above = distance(high) - far
    moved_low = None
    for _ in range(_STEPS):
        if above <= 0 or high - low <= _CLOSE * high:
            break
        middle = high - above * (high - low) / (above - below)
        gap = distance(middle) - far
        if gap < 0:
            low, below, above = middle, gap, above / 2 if moved_low is True else above
        else:
            high, above, below = middle, gap, below / 2 if moved_low is False else below
        moved_low = gap < 0
    return high


def _product_distance(first: Floats, distance1: Floats, second: Floats, distance2: Floats) -> Floats:
    cross = (distance1 * distance2) ** 2
    return np.sqrt((second * distance1) ** 2 + (first * distance2) ** 2 + cross)


def _tango_upper(a: float, d: float, n: float, critical: float) -> float:
    """The difference at which the score has fallen to -critical, by bisection between the estimate and 1.

    In plain floats: numpy calls on single numbers would cost more than the arithmetic.
    """
    if a >= n or n <= 0:
        return 1.0
    low, high = (a - d) / n, 1.0
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        if tango_score(a, d, n, middle) > -critical:
            low = middle
        else:
            high = middle
    return high


def tango_score(a: float, d: float, n: float, difference: float) -> float:
    """The score of a difference of two shares, given a and d of n items: see `tango_limits`."""
    linear = -a - d + (2 * n - a + d) * difference
    constant = -d * difference * (1 - difference)
    q = (sqrt(max(linear * linear - 8 * n * constant, 0.0)) - linear) / (4 * n)
    variance = n * (2 * q + difference * (1 - difference))
    above = a - d - n * difference
    if variance > 0:
        return above / sqrt(variance)
    return -inf if above < 0 else 0.0


def _floats(*values: ArrayLike) -> tuple[Floats, ...]:
    return tuple(np.asarray(value, dtype=np.float64) for value in values)
