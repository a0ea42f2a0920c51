"""Sample size and power: widths of intervals, power of tests, and the items or differences that reach them."""

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, erfc, inf, isqrt, sqrt
from typing import NamedTuple

import numpy as np
from numpy.polynomial.legendre import leggauss

from adjudge.errors import OptionError
from adjudge.estimate import Estimate
from adjudge.statistics.clusters import Floats, Integers
from adjudge.statistics.comparison import mcnemar_mid_p
from adjudge.statistics.intervals import wilson_limits
from adjudge.statistics.quantiles import critical_value, normal_quantile, significance_level

_EXACT = 100_000
"""Up to so many discordant items on average, sum the power of McNemar's test; above, use Connor's formula."""
_DEVIATIONS = 10.0
"""Standard deviations to either side beyond which the terms are negligible."""
_NODES = 256
"""Points of the Gauss-Legendre rule: they give the power of t to 1e-9 at common confidences."""
_gauss_legendre = lru_cache(maxsize=1)(leggauss)
_MOST = 10**12
"""Searches for a number of items end here."""
_HALVINGS = 50
"""Halvings of the range in the search for a smallest difference; more would not change it noticeably."""
LEAST_CONFIDENCE = 0.5
"""Tests at a lower confidence would reject when both judges win equally often."""
_ROUNDING = 1e-12
"""The tolerance for a sum of 1."""
_ROUNDED = 1e-9
"""The tolerance for rounding in a number of items in clusters of a mean size."""


@dataclass(frozen=True, slots=True)
class Pilot:
    """What an existing run predicts for the next one; None for unknown values.

    value: the estimate. item_variance: that of single items' terms, so that the variance of the estimate over n
    independent items is item_variance / n. design_effect: how many clustered items are worth one independent one, for
    the estimate; difference_effect: the same for the difference of two judges, which is often less.
    items, clusters: their numbers. unevenness: of the clusters' sizes (see `Design`).
    collected: the number of items including those irrelevant to the estimate; by default all are relevant.
    discordant: the share of items on which only one of two judges is right.
    difference_variance: of the differences of two judges on single items.
    """

    value: float | None = None
    item_variance: float | None = None
    design_effect: float | None = None
    items: int | None = None
    clusters: int | None = None
    unevenness: float = 1.0
    collected: int | None = None
    discordant: float | None = None
    difference_variance: float | None = None
    difference_effect: float | None = None


@dataclass(frozen=True, slots=True)
class Design:
    """The dependence of items. By default they are independent.

    effect: how many items are worth one independent one, from 1 (the design effect). cluster_size: items per cluster,
    from 1, whole or not (a mean); None without clusters. unevenness: the mean size of the clusters of items
    over the mean size of clusters, C sum x^2 / (sum x)^2: 1 if all have one size.

    >>> Design(effect=2, cluster_size=5).clusters(12)
    2
    """

    effect: float = 1.0
    cluster_size: float | None = None
    unevenness: float = 1.0

    @property
    def independent(self) -> bool:
        """Whether items are independent."""
        return self.effect == 1 and self.cluster_size is None

    def clusters(self, items: int) -> int | None:
        """The number of whole clusters in so many items; None without clusters."""
        return None if self.cluster_size is None else self.units(items)

    def items(self, units: int) -> int:
        """The number of items in so many clusters, rounded up; without clusters, units are items."""
        return ceil(units * (self.cluster_size or 1) - _ROUNDED)

    def units(self, items: int) -> int:
        """The number of independent draws: clusters, or items."""
        return int(items / (self.cluster_size or 1) + _ROUNDED)

    def degrees(self, items: int) -> float:
        """Degrees of freedom of a variance between them; few large clusters leave few."""
        return max(self.units(items) / self.unevenness - 1, min(self.units(items) - 1, 1))

    def effective_items(self, items: int) -> float:
        """The effective sample size."""
        return items / self.effect


INDEPENDENT = Design()
"""Independent items."""


def clustered_design(cluster_size: float, icc: float, *, unevenness: float = 1.0) -> Design:
    """Items in clusters of m that are alike.

    effect = 1 + (m - 1) ICC, with the item-weighted mean cluster size m: cluster_size times unevenness.

    cluster_size: the mean size of clusters, from 1. unevenness: see `Design`. icc: the
    intraclass correlation, in [0, 1], of the outcome: of being right for a width, of the difference of two
    judges for a difference, which is often less.

    >>> clustered_design(5, 0.25).effect
    2.0

    Source: Kish 1965, Survey Sampling, section 5.4; Donner 1986, International Statistical Review 54, 67-82.
    """
    return Design(1 + (max(cluster_size * unevenness, 1) - 1) * icc, cluster_size, unevenness)


def proportion_width(
    items: int,
    expected: float,
    *,
    design: Design = INDEPENDENT,
    assurance: float | None = None,
    confidence: float = 0.95,
) -> float:
    """The width, high - low, of the interval from so many items around an expected share.

    Wilson's interval around p with n / effect items, and t at C - 1 degrees of freedom in place of z for
    C clusters, as `proportion` and `clustered_proportion` give for the share p. It falls as n grows: with
    u = z^2 / n its square is (4 u p (1 - p) + u^2) / (1 + u)^2, whose derivative in u is positive.

    items: n, from 1. expected: p, in [0, 1]; p = 0.5 is the widest. assurance: the probability that the interval is no
    wider than the returned width; by default the width is that at p. The observed share will differ from p, and its
    interval is wider if it lies nearer 0.5. With the quantile z of the assurance, p is therefore moved by
    z sqrt(p (1 - p) / n) toward 0.5. In clusters the variance between them decides: n is divided by its quantile, as in
    `mean_width`.
    Returns (0, 1]; 1, an uninformative interval, with one cluster.

    >>> round(proportion_width(10, 0.7), 4)
    0.4954

    Source: Wilson 1927 (see wilson_limits); the effective n as in Korn and Graubard 1998.
    """
    if design.cluster_size is not None and design.units(items) <= 1:
        return 1.0
    n, share, degrees = design.effective_items(items), expected, inf
    if design.cluster_size is not None:
        degrees = design.units(items) - 1
        n /= _inflation(design.degrees(items), assurance)
    elif assurance is not None:
        far = normal_quantile(assurance) * sqrt(share * (1 - share) / n)  # toward 0.5; or away from it, within [0, 1]
        share = max(min(share + far, 0.5), 0.0) if share < 0.5 else min(max(share - far, 0.5), 1.0)  # noqa: PLR2004
    low, high = wilson_limits(share * n, n, critical_value(confidence, degrees))
    return float(high - low)


def mean_width(
    items: int, sd: float, *, design: Design = INDEPENDENT, assurance: float | None = None, confidence: float = 0.95
) -> float:
    """The width of the interval from so many items around a mean, or an estimate that behaves like one.

    2 t sd sqrt(effect / n), t at `Design.degrees`: n - 1, with C clusters of one size C - 1.

    items: n, from 1. sd: the standard deviation of single items' terms, above 0. assurance: the
    probability that the interval is no wider than the returned width, which is then multiplied by sqrt(q / degrees)
    with q the chi-square quantile of the estimated variance. By default it is the width at sd.
    Returns a width from 0, in the unit of sd; infinite with one item (cluster), whose variance is unknown.

    >>> round(mean_width(100, 0.5), 4)
    0.1984

    Source: Student 1908, Biometrika 6, 1-25; assurance as in Kupper and Hafner 1989, American Statistician 43, 101-105.
    """
    if design.units(items) <= 1:
        return inf
    degrees = design.degrees(items)
    spread = sqrt(_inflation(degrees, assurance) / design.effective_items(items))
    return 2 * critical_value(confidence, degrees) * sd * spread


def paired_difference_power(
    items: int, difference: float, discordant: float, *, design: Design = INDEPENDENT, confidence: float = 0.95
) -> float:
    """The power to detect the difference in accuracy of two judges of the same items.

    With m ~ binomial(n, s) discordant items, of which b ~ binomial(m, (s + |D|) / 2s) favour the better judge: the
    probability that `mcnemar_mid_p` of b and m - b lies below 1 - confidence, summed over all b and m. Above 100,000
    discordant items on average it is Connor's formula, whose error is then about 0.001 if all items are discordant,
    and below 0.00001 if at most three in ten are:
    Phi((|D| sqrt(n) - z sqrt(s)) / sqrt(s - D^2)) + Phi((-|D| sqrt(n) - z sqrt(s)) / sqrt(s - D^2)).
    In clusters it is that of t with the variance s - D^2 and the critical value over sqrt(1 - D^2 / s), since
    `clustered_paired_difference` tests by the score, whose variance is that of equal judges.

    items: n, from 1. difference: D, of the two shares; the sign does not matter. discordant: s, the share of items on
    which only one of the two is right, from |D| to 1. confidence: from 0.5, since below the test would reject equal
    counts.
    Returns a probability: for D = 0 that of a false positive. It is not quite monotone in n:
    if nearly all items are discordant, one more can lower it a little.

    >>> round(paired_difference_power(6, 0.9, 0.9), 4)
    0.8857

    Source: the test of Fagerland, Lydersen and Laake 2013, BMC Medical Research Methodology 13:91; power summed over
    all outcomes as in Duffy 1984, Biometrics 40, 1005-1015; the formula of Connor 1987, Biometrics 43, 207-211, with
    both tails. Departure: mid-P where Duffy has the exact test.
    """
    if abs(difference) > discordant:
        raise OptionError(
            f"expected at least the difference, {abs(difference):g}; got {discordant:g}", option="discordant"
        )
    if discordant == 0:
        return 0.0
    if not design.independent:
        equal = 1 - difference**2 / discordant
        return _power_by_t(items, difference, discordant * equal, design, confidence, shrunk=sqrt(equal))
    if items * discordant > _EXACT:
        return _power_by_normal(items, difference, discordant, confidence)
    first, weights = binomial_weights(items, discordant)
    size = first + len(weights) - 1
    share = (1 + abs(difference) / discordant) / 2
    shared = (1 << size.bit_length()) - 1  # one cached table serves many sizes
    rejected = _rejections(shared, significance_level(confidence), min(share, 1.0))
    return min(float(weights @ rejected[first : size + 1]), 1.0)


def paired_t_power(
    items: int, difference: float, sd: float, *, design: Design = INDEPENDENT, confidence: float = 0.95
) -> float:
    """The power to detect the difference of the mean scores of two judges of the same items.

    P(|T| > t) for a noncentral T at n - 1 (in clusters C - 1) degrees of freedom with the noncentrality
    D sqrt(n / effect) / sd.

    items: n, from 1. difference: D, of the two means. sd: the standard deviation of the items' differences, above 0.
    Returns a probability; 0 with one item (cluster), which allows no test.

    >>> round(paired_t_power(34, 0.5, 1), 4)
    0.8078

    Source: noncentral t, integrated over the distribution of the estimated standard deviation; Cohen 1988,
    Statistical Power Analysis, chapter 2.
    """
    return _power_by_t(items, difference, sd**2, design, confidence)


class Discordance(NamedTuple):
    """The possible shares of discordant items, on which only one of two judges is right.

    least: the better judge is right wherever the other is. independent: the judges' errors are independent.
    most: they are right together as rarely as their shares allow.
    """

    least: float
    independent: float
    most: float


def discordance(expected: float, difference: float) -> Discordance:
    """The possible shares of discordant items of two judges, given their accuracies.

    With p and q: |p - q|; p (1 - q) + q (1 - p); min(p + q, 2 - p - q).

    expected: p, in [0, 1]. difference: at least 0; q = p + difference, or p - difference if that is above 1.
    Judges that find the same items hard have less than the independent share.
    Raises OptionError if neither q is a share.

    >>> [round(share, 4) for share in discordance(0.8, 0.05)]
    [0.05, 0.29, 0.35]

    Source: the bounds of Frechet 1951 on a 2 x 2 table with given margins.
    """
    most = max(expected, 1 - expected)
    if not 0 <= difference <= most:
        raise OptionError(
            f"expected a number from 0 to {most:g}, at {expected:g}; got {difference!r}", option="difference"
        )
    p = expected
    q = max(p - difference, 0.0) if above_one(p, difference) else min(p + difference, 1.0)
    shares = (p * (1 - q) + q * (1 - p), min(p + q, 2 - p - q))
    independent, greatest = (min(max(share, difference), 1.0) for share in shares)  # rounding must not undo the bounds
    return Discordance(difference, independent, greatest)


def above_one(expected: float, difference: float) -> bool:
    """Whether an expected share plus a difference exceeds 1; a judge can then only be worse by so much.

    >>> above_one(0.9, 0.1), above_one(0.9, 0.2)
    (False, True)
    """
    return expected + difference > 1 + _ROUNDING


def fewest_items(enough: Callable[[int], bool], *, design: Design = INDEPENDENT, steady: bool = True) -> int:
    """The smallest number of items from which on a condition holds.

    By doubling, then halving the bracket. Items come in whole clusters.

    enough: whether so many items are enough. steady: whether more items are then enough, too. Otherwise, as for
    `paired_difference_power`, it searches for the last insufficient number around the first result, up to 40 and
    twice its root away: power fluctuates no further.
    Raises OptionError if 10^12 items are not enough.

    >>> fewest_items(lambda items: proportion_width(items, 0.8) <= 0.1)
    245
    """

    def is_enough(units: int) -> bool:
        return enough(design.items(units))

    high = 1
    while not is_enough(high):
        high *= 2
        if design.items(high) > _MOST:
            raise OptionError(f"expected a plan with at most {_MOST:,} items; it takes more")
    low = high // 2 + 1
    high = low + bisect_left(range(low, high), x=True, key=is_enough)
    if steady:
        return design.items(high)
    reach = 40 + 2 * isqrt(high)
    later = (units for units in range(high + reach, high, -1) if not is_enough(units))
    return design.items(next(later, high - 1) + 1)


def smallest_difference(power_of: Callable[[float], float], power: float, most: float) -> float | None:
    """The smallest difference that can be detected with a power.

    By halving the range from 0 to most.

    power_of: the power at a difference, which rises. power: wanted. most: the greatest possible difference.
    Returns it; None if even the greatest has less power.

    >>> round(smallest_difference(lambda difference: paired_t_power(34, difference, 1), 0.8, 10), 3)
    0.495
    """
    if power_of(most) < power:
        return None
    low, high = 0.0, most
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if power_of(middle) >= power else (middle, high)
    return high


def _power_by_t(
    items: int, difference: float, variance: float, design: Design, confidence: float, *, shrunk: float = 1.0
) -> float:
    """shrunk: the true standard error over that of the test."""
    units = design.units(items)
    if units <= 1:
        return 0.0
    if variance <= 0:  # all differ by the same amount, which needs the sign test
        return float(difference != 0 and mcnemar_mid_p(units, 0) < significance_level(confidence))
    noncentrality, degrees = difference * sqrt(design.effective_items(items) / variance), design.degrees(items)
    return _noncentral_t_power(noncentrality, degrees, critical_value(confidence, degrees) / shrunk)


def _noncentral_t_power(noncentrality: float, degrees: float, critical: float) -> float:
    """P(|T| > t): the normal tails beyond t s, averaged over s, the estimated over the true standard deviation."""
    nodes, weights = _gauss_legendre(_NODES)
    spread = _DEVIATIONS / sqrt(2 * degrees)
    low, high = max(0.0, 1 - spread), 1 + spread
    s = low + (high - low) * (nodes + 1) / 2
    density = weights * np.exp((degrees - 1) * np.log(s) - degrees * (s * s - 1) / 2)
    tails = [_normal_cdf(noncentrality - t) + _normal_cdf(-noncentrality - t) for t in (critical * s).tolist()]
    return float(density @ np.asarray(tails) / density.sum())


def _power_by_normal(items: int, difference: float, discordant: float, confidence: float) -> float:
    spread = sqrt(max(discordant - difference**2, 0.0))
    if spread == 0:
        return 1.0
    bound = critical_value(confidence) * sqrt(discordant)
    return sum(_normal_cdf((side * difference * sqrt(items) - bound) / spread) for side in (1, -1))


def binomial_weights(n: int, share: float) -> tuple[int, Floats]:
    """The probabilities of binomial(n, share) around its mean, and the first count."""
    if not 0 < share < 1:
        return n if share else 0, np.ones(1)
    mode = min(int((n + 1) * share), n)
    reach = ceil(_DEVIATIONS * sqrt(n * share * (1 - share))) + 20
    first, last = max(mode - reach, 0), min(mode + reach, n)
    k = np.arange(first, last)
    logs = np.concatenate([[0.0], np.cumsum(np.log((n - k) / (k + 1) * (share / (1 - share))))])
    weights = np.exp(logs - logs.max())
    return first, weights / weights.sum()


@lru_cache(maxsize=8)
def _critical_counts(size: int, level: float) -> Integers:
    """For m from 0 to size, the greatest smaller count whose mid-P lies below the level; -1 if there is none.

    A walk: P(X <= k) and P(X = k + 1) for m + 1 follow from those for m, and k rises by at most 1.
    """
    counts = np.empty(size + 1, dtype=np.int64)
    k, below, following = -1, 0.0, 1.0  # P(X <= k) and P(X = k + 1) for m = 0
    for m in range(size + 1):
        if 2 * (k + 1) < m and 2 * below + following < level:
            k += 1
            below += following
            following *= (m - k) / (k + 1)
        counts[m] = k
        below -= following * (k + 1) / (m - k) / 2 if k >= 0 else 0.0
        following *= (m + 1) / (m - k) / 2
    return counts


@lru_cache(maxsize=4)
def _rejections(size: int, level: float, share: float) -> Floats:
    """For m from 0 to size the probability that the test rejects X or m - X, with X ~ binomial(m, share)."""
    critical = _critical_counts(size, level)
    if share >= 1:
        return (critical >= 0).astype(np.float64)
    return _tails(critical, share) + _tails(critical, 1 - share)


def _tails(critical: Integers, share: float) -> Floats:
    """P(X <= k) for X binomial(m, share), m from 0, k its critical count.

    From m to m + 1 it loses share P(X = k), and gains P(X = k) of m + 1 if k rises by 1 to k.
    """
    m = np.arange(len(critical))
    factorials = np.concatenate([[0.0], np.cumsum(np.log(m[1:]))])
    k = np.maximum(critical, 0)
    logs = factorials - factorials[k] - factorials[m - k] + k * np.log(share) + (m - k) * np.log1p(-share)
    equal = np.where(critical >= 0, np.exp(logs), 0.0)
    change = np.where(np.diff(critical, prepend=-1) > 0, equal, 0.0)
    change[1:] -= share * equal[:-1]
    values: Floats = np.clip(np.cumsum(change), 0, 1)
    return values


def _inflation(degrees: float, assurance: float | None) -> float:
    """The quantile of chi-square over its degrees of freedom, by Wilson and Hilferty 1931, PNAS 17, 684-688."""
    if assurance is None:
        return 1.0
    part = 2 / (9 * degrees)
    return float(max(1 - part + normal_quantile(assurance) * sqrt(part), 0.0) ** 3)


def _normal_cdf(x: float) -> float:
    return erfc(-x / sqrt(2)) / 2


# --- sample size for an observed difference ---

POWER = 0.8
"""The power of the sample sizes in facts."""
_FARTHEST = 1000
"""Differences that need more than this multiple of the present items are not worth detecting."""
_SUMMED = 200
"""Up to this many items sum the power over all outcomes; beyond, the normal approximation is as good."""


@lru_cache(maxsize=64)  # a report calls it in several places
def items_needed(difference: Estimate, tests: int, collected: int = 0, discordant: float | None = None) -> int | None:
    """The number of items to collect to detect a difference with 80% power, at the level of the smallest p of `tests`.

    Its standard error falls as the root of their number. Shares use Connor's formula; for few items the power is
    summed, as in `adjudge.plan`. None if there are enough items, or if it takes over 1,000 times as many.

    collected: the number of items in the data, of which n bear on the difference, or which hold n judgments that do.
    The items to collect have the same rate. By default n. discordant: the share of items on which only one judge is
    right; by default a conservative value from the interval.
    """
    if not difference.value or difference.low is None or difference.high is None:
        return None
    half = (difference.high - difference.low) / (2 * critical_value(difference.confidence))
    variance, size = difference.n * half**2, abs(difference.value)
    sure = 1 - (1 - difference.confidence) / tests
    z, power = critical_value(sure), normal_quantile(POWER)
    needed = ceil(((z + power) / size) ** 2 * variance)
    if difference.method == "tango" and discordant is not None:
        needed = ceil(((z * sqrt(discordant) + power * sqrt(max(discordant - size**2, 0.0))) / size) ** 2)
    if difference.method == "tango" and needed <= _SUMMED and sure >= LEAST_CONFIDENCE:
        discordant = min(max(variance + size**2 if discordant is None else discordant, size), 1.0)
        needed = fewest_items(
            lambda items: paired_difference_power(items, size, discordant, confidence=sure) >= POWER, steady=False
        )
    if not difference.n < needed <= _FARTHEST * difference.n:
        return None
    number = needed * (collected or difference.n) / difference.n
    step: int = 10 ** max(len(str(int(number))) - 2, 0)  # two significant digits
    return ceil(number / step) * step
