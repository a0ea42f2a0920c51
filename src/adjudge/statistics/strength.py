"""Strength (agreement minus disagreement of two judges) and the paired difference of their accuracies.

Both are (a - d) / n with counts of opposite items, a and d, among n. Interval and p come from one construction: p is
below 1 - confidence exactly if the interval excludes 0.
"""

from math import inf, sqrt
from typing import NamedTuple

from numpy.typing import ArrayLike

from adjudge.estimate import Caveat, Estimate
from adjudge.statistics.clusters import (
    check_part,
    check_parts,
    cluster_degrees,
    columns,
    linearised_variance,
    worth_of_clusters,
)
from adjudge.statistics.comparison import Comparison, mcnemar_mid_p
from adjudge.statistics.intervals import Limits, critical_reaching, product_limits, tango_limits, wilson_limits
from adjudge.statistics.proportions import FEW_DECIDED, FEW_ITEMS, MANY_ITEMS, alone_note, clusters_note, estimate_of
from adjudge.statistics.quantiles import critical_value, normal_quantile, t_two_sided_p

_MOST_WORTH = 2.0
"""The most independent items that an item may count as: a variance between few clusters may be small by accident."""


def strength(agreements: int, disagreements: int, n: int, *, confidence: float = 0.95) -> Comparison:
    """How much more often two judges agree than disagree, over all items, decided by both or not.

    (a - d) / n; p by McNemar's mid-P test (`mcnemar_mid_p`). Interval: Tango's, which inverts the score test
    |a - d| / sqrt(a + d). If that one and mid-P decide differently at this confidence, which is rare, the critical
    value is multiplied by the score over the normal quantile of p, so that the interval decides as p does.

    agreements, disagreements: a and d, counts of items that both decide, alike or not. n: all items,
    a + d <= n.
    Returns a Comparison in [-1, 1]: 1 if they always agree, 0 if they agree as often as not. Undefined
    for n = 0. Caveat "few decided pairs" if n is below 30 or a + d below 5.
    Raises DataError if the counts do not fit together, OptionError for a wrong confidence.

    >>> print(strength(10, 0, 10).estimate)
    1.000 [0.445, 1.000] n=10 (few decided pairs)

    Source: Tango 1998 (see tango_limits); Fagerland, Lydersen and Laake 2013 (see mcnemar_mid_p). Making them decide
    alike is ours.
    """
    return _of_items(agreements, disagreements, n, confidence, Caveat.FEW_DECIDED_PAIRS)


def paired_difference(gained: int, lost: int, n: int, *, confidence: float = 0.95) -> Comparison:
    """How much more often the second of two judges is right than the first, on the same items.

    (b - c) / n; interval and p as in `strength`.

    gained, lost: b and c, the items on which only the second is right, or only the first. n: all items, b + c <= n.
    Returns a Comparison in [-1, 1], above 0 if the second is better. Undefined for n = 0. Caveat
    "few discordant items" if n is below 30 or b + c below 5.
    Raises DataError if the counts do not fit together, OptionError for a wrong confidence.

    >>> round(paired_difference(1, 7, 21).p, 3)
    0.039
    """
    return _of_items(gained, lost, n, confidence, Caveat.FEW_DISCORDANT_ITEMS)


def clustered_strength(
    agreements: ArrayLike,
    disagreements: ArrayLike,
    totals: ArrayLike,
    *,
    multiplicity: ArrayLike | None = None,
    confidence: float = 0.95,
) -> Comparison:
    """Strength for items in clusters.

    (sum a - sum d) / sum x. With w, the effective sample size per item (`worth_of_clusters`), at
    most 2:
    Tango's interval of w a, w d and w n with the t quantile at `cluster_degrees`; p of
    sqrt(w) |a - d| / sqrt(a + d), which is the score that Tango's interval inverts, by the same t.

    agreements, disagreements, totals: a, d and x, one entry per cluster, a + d <= x; clusters with total 0
    are ignored. multiplicity: how many clusters share an entry.
    Returns a Comparison in [-1, 1] with n = sum x and the caveats of `clustered_proportion`. Undefined without items.
    One cluster: neither interval nor p.
    Raises DataError if the columns do not fit together, OptionError for a wrong confidence.

    >>> clustered_strength([2, 1], [0, 1], [2, 2]).estimate.value
    0.5

    Source: Tango 1998 with a design effect (Kish 1965) and the degrees of freedom of Bell and McCaffrey 2002. Ours.
    """
    return _of_clusters(agreements, disagreements, totals, multiplicity, confidence)


def clustered_paired_difference(
    gained: ArrayLike, lost: ArrayLike, totals: ArrayLike, *, confidence: float = 0.95
) -> Comparison:
    """How much more often the second of two judges is right than the first, for items in clusters.

    (sum b - sum c) / sum x; interval and p as in `clustered_strength`.

    gained, lost: b and c per cluster, the items on which only the second is right, or only the first. totals: x, all
    items per cluster, b + c <= x.
    Returns and raises as `clustered_strength` does.

    >>> clustered_paired_difference([2, 1], [0, 1], [2, 2]).estimate.value
    0.5
    """
    return _of_clusters(gained, lost, totals, None, confidence)


def strength_product(agreements: int, compared: int, valid: int, n: int, *, confidence: float = 0.95) -> Comparison:
    """Strength as kappa times relevance, with more items for relevance than for kappa.

    (2a / m - 1) (v / n); the limits of a / m and of v / n are Wilson's, joined by `product_limits`. p: the smallest at
    which the interval of confidence 1 - p excludes 0, or McNemar's mid-P of a against m - a if that is larger; the
    critical value is then multiplied as in `strength`.

    agreements, compared: a of the m items on which both judges vote. valid, n: v of the n items on which the
    judge votes at all.
    Returns a Comparison in [-1, 1]. Undefined if m or n is 0. Caveat "approximate" if n is below 100.
    Raises DataError if the counts do not fit together, OptionError for a wrong confidence.

    >>> round(strength_product(45, 50, 100, 200).estimate.value, 12)
    0.4

    Source: Zou and Donner 2008; Goodman 1960 (see product_limits).
    """
    check_part("agreements", agreements, compared)
    check_part("valid", valid, n)
    if compared == 0 or n == 0:
        return _undefined("no items to compare" if n else "no items", n, confidence)
    counts = _Product(agreements, compared, valid, n)
    reached = counts.critical_value_at_zero()
    p = max(t_two_sided_p(reached, inf), mcnemar_mid_p(agreements, compared - agreements))
    limits = counts.limits(_deciding_alike(critical_value(confidence), reached, p))
    note = Caveat.APPROXIMATE if n < MANY_ITEMS else None
    value = (2 * agreements / compared - 1) * (valid / n)
    return Comparison(estimate_of(value, limits, n=n, method="mover", confidence=confidence, note=note), p)


def clustered_strength_product(
    agreements: ArrayLike,
    compared: ArrayLike,
    valid: ArrayLike,
    totals: ArrayLike,
    *,
    multiplicity: ArrayLike | None = None,
    confidence: float = 0.95,
) -> Comparison:
    """Strength as kappa times relevance, with more items for relevance, for items in clusters.

    (2 sum a / sum m - 1) (sum v / sum x); interval and p of `strength_product` with all counts shrunk by the ratio
    of the independent to the clustered variance, at most 2, and the t quantile at `cluster_degrees`.
    The independent variance is 4 R^2 p(1 - p)/m + K^2 R(1 - R)/n with p = a/m, K = 2p - 1 and R = v/n.

    agreements, compared, valid, totals: a, m, v and x, one entry per cluster, a <= m <= x and v <= x; clusters
    with total 0 are ignored. multiplicity: how many clusters share an entry.
    Returns a Comparison in [-1, 1] with n = sum x and the caveats of `clustered_proportion`. Undefined if no item is
    compared. One cluster: neither interval nor p.
    Raises DataError if the columns do not fit together, OptionError for a wrong confidence.

    >>> clustered_strength_product([2, 1], [2, 2], [2, 2], [4, 4]).estimate.value
    0.25

    Source: Zou and Donner 2008; Goodman 1960 (see product_limits), with a design effect (Kish 1965). Ours.
    """
    named = {"agreements": agreements, "compared": compared, "valid": valid, "totals": totals}
    (a, m, v, x), weights = columns(named, multiplicity)
    check_parts("agreements", a, m)
    check_parts("compared", m, x)
    check_parts("valid", v, x)
    kept = x > 0
    a, m, v, x, weights = a[kept], m[kept], v[kept], x[kept], weights[kept]
    agreed, both, voted, n = (float(weights @ counts) for counts in (a, m, v, x))
    if both == 0:
        return _undefined("no items to compare" if n else "no items", n, confidence)
    share, relevance = agreed / both, voted / n
    kappa = 2 * share - 1
    if weights.sum() <= 1:
        return _single(kappa * relevance, n, confidence)
    residuals = n * 2 * relevance * (a - share * m) / both + kappa * (v - relevance * x)
    clustered = linearised_variance(residuals, x, weights)
    independent = 4 * relevance**2 * share * (1 - share) / both + kappa**2 * relevance * (1 - relevance) / n
    uniform = independent <= 0 or clustered <= 0
    worth = n / float(weights @ x**2) if uniform else min(independent / clustered, _MOST_WORTH)
    counts = _Product(*(worth * count for count in (agreed, both, voted, n)))
    degrees = cluster_degrees(x, multiplicity=weights)
    limits = counts.limits(critical_value(confidence, degrees))
    p = t_two_sided_p(counts.critical_value_at_zero(), degrees)
    note = clusters_note(int(weights.sum()), confidence)
    value, method = kappa * relevance, "clustered-mover"
    return Comparison(estimate_of(value, limits, n=round(n), method=method, confidence=confidence, note=note), p)


def _of_items(first: int, second: int, n: int, confidence: float, few: Caveat) -> Comparison:
    check_part("first count", first, n - second)
    check_part("second count", second, n)
    if n == 0:
        return _undefined("no items", n, confidence)
    p = mcnemar_mid_p(first, second)
    score = abs(first - second) / sqrt(first + second) if first != second else 0.0
    critical = _deciding_alike(critical_value(confidence), score, p)
    limits = tango_limits(first, second, n, critical)
    note = few if n < FEW_ITEMS or first + second < FEW_DECIDED else None
    estimate = estimate_of((first - second) / n, limits, n=n, method="tango", confidence=confidence, note=note)
    return Comparison(estimate, p)


def _deciding_alike(critical: float, reached: float, p: float) -> float:
    """The critical value of an interval that excludes 0 if p is small enough. reached: that of a limit of 0."""
    tail = p / 2  # 0 if p is the least float already
    quantile = inf if tail == 0 else max(-normal_quantile(tail), 0.0) if p < 1 else 0.0
    return critical * reached / quantile if (reached > critical) != (quantile > critical) else critical


def _of_clusters(
    first: ArrayLike, second: ArrayLike, totals: ArrayLike, multiplicity: ArrayLike | None, confidence: float
) -> Comparison:
    (a, d, x), weights = columns({"first counts": first, "second counts": second, "totals": totals}, multiplicity)
    check_parts("first counts", a, x - d)
    check_parts("second counts", d, x)
    a, d, x, weights = a[x > 0], d[x > 0], x[x > 0], weights[x > 0]
    gained, lost, n = float(weights @ a), float(weights @ d), float(weights @ x)
    if n == 0:
        return _undefined("no items", n, confidence)
    value, clusters = (gained - lost) / n, int(weights.sum())
    if clusters <= 1:
        return _single(value, n, confidence)
    worth, degrees = worth_of_clusters(a, d, x, weights, most=_MOST_WORTH), cluster_degrees(x, multiplicity=weights)
    limits = tango_limits(worth * gained, worth * lost, worth * n, critical_value(confidence, degrees))
    score = abs(worth * gained - worth * lost) / sqrt(worth * gained + worth * lost) if gained != lost else 0.0
    p = t_two_sided_p(score, degrees)
    note, method = clusters_note(clusters, confidence), "clustered-tango"
    return Comparison(estimate_of(value, limits, n=round(n), method=method, confidence=confidence, note=note), p)


class _Product(NamedTuple):
    """Kappa, 2 agreed / both - 1, times relevance, voted / n."""

    agreed: float
    both: float
    voted: float
    n: float

    def limits(self, critical: float) -> Limits:
        """Wilson's limits of both factors, joined."""
        share, relevance = self.agreed / self.both, self.voted / self.n
        low, high = wilson_limits(self.agreed, self.both, critical)
        of_relevance = wilson_limits(self.voted, self.n, critical)
        return product_limits(2 * share - 1, Limits(2 * low - 1, 2 * high - 1), relevance, of_relevance)

    def critical_value_at_zero(self) -> float:
        """The critical value at which one limit is 0."""
        share, relevance = self.agreed / self.both, self.voted / self.n
        kappa = abs(2 * share - 1)

        def distance(critical: float) -> float:
            of_kappa = 2 * _below(max(share, 1 - share), self.both, critical)
            of_relevance = _below(relevance, self.n, critical)
            return sqrt((relevance * of_kappa) ** 2 + (kappa * of_relevance) ** 2 + (of_kappa * of_relevance) ** 2)

        return critical_reaching(kappa * relevance, distance)


def _below(share: float, n: float, critical: float) -> float:
    """How far Wilson's lower limit lies below a share; in plain floats, since it is called many times."""
    squared = critical**2 / n
    return share - (share + squared / 2 - sqrt(squared * share * (1 - share) + squared**2 / 4)) / (1 + squared)


def _undefined(reason: str, n: float, confidence: float) -> Comparison:
    return Comparison(Estimate.undefined(reason, n=round(n), confidence=confidence), None)


def _single(value: float, n: float, confidence: float) -> Comparison:
    return Comparison(Estimate(value, n=round(n), confidence=confidence, caveat=alone_note(n)), None)
