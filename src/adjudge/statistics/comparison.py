"""Comparisons of two judges on the same items, of an estimate with 0, and of a judge with people; ranks of several."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import erfc, inf, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from adjudge.errors import DataError
from adjudge.estimate import Caveat, Estimate, gravest_caveat
from adjudge.statistics.clusters import (
    Floats,
    check_part,
    cluster_degrees,
    columns,
    intraclass_correlation,
    linearised_variance,
    worth_of_clusters,
)
from adjudge.statistics.intervals import Limits, critical_reaching, mean_distance, tango_limits, tango_score
from adjudge.statistics.proportions import FEW_ITEMS, MANY_CLUSTERS, estimate_of, skewed
from adjudge.statistics.quantiles import beta_kernel, critical_value, regularised_incomplete_beta, t_two_sided_p

_ROUNDING = 1e-14
"""A standard error below this share of the difference is rounding: all items differ equally."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A difference with its interval, and the p-value of the test that it is 0.

    estimate: for two runs, the second minus the first. p: two-sided, in [0, 1]; None if the test is undefined; the
    estimate's reason or caveat explains why.
    """

    estimate: Estimate
    p: float | None


def mcnemar_mid_p(only_first: int, only_second: int) -> float:
    """Test whether one of two judges is right more often than the other on the same items.

    With m = b + c discordant items and X binomial(m, 1/2):
    2 P(X <= min(b, c)) - P(X = min(b, c)); 1 - P(X = b) / 2 if b = c.

    only_first, only_second: b and c, counts from 0.
    Returns a two-sided p in [0, 1]. Without discordant items 1: no evidence of a difference (the formula
    would give one half).
    Raises DataError for negative counts.

    >>> round(mcnemar_mid_p(1, 7), 12)
    0.0390625

    Source: Fagerland, Lydersen and Laake 2013, BMC Medical Research Methodology 13:91,
    doi:10.1186/1471-2288-13-91. Departure: 1 for m = 0.
    """
    fewer, more = sorted((only_first, only_second))
    if fewer < 0:
        raise DataError(f"expected counts from 0; got {only_first} and {only_second}")
    if more == 0:
        return 1.0
    if fewer == 0:
        return float(0.5**more)
    kernel = beta_kernel(0.5, 0.5, more, fewer)  # P(X = b) = kernel (1 / b + 1 / c)
    if fewer == more:
        return 1 - kernel / fewer
    return 2 * regularised_incomplete_beta(0.5, more, fewer) + kernel * (1 / fewer - 1 / more)


def holm(p_values: Sequence[float | None], *, of: int | None = None) -> list[float | None]:
    """p-values adjusted for the number of comparisons.

    The i-th smallest of m becomes the largest of (m - j + 1) p_j over j <= i, at most 1.

    p_values: in [0, 1]; None for an undefined test, which stays None and does not count.
    of: the number of tests, if those not passed have a greater p or were excluded before any p was
    known; by default those passed.
    Returns adjusted p-values in the same order. Raises DataError for a value outside [0, 1].

    >>> holm([0.01, None, 0.04, 0.03])
    [0.03, None, 0.06, 0.06]

    Source: Holm 1979, Scandinavian Journal of Statistics 6, 65-70.
    """
    defined = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    largest = 0.0
    for rank, (p, place) in enumerate(defined):
        check_part("p_values", p, 1)
        largest = max(largest, min(((of or len(defined)) - rank) * p, 1.0))
        adjusted[place] = largest
    return adjusted


def paired_t(
    differences: ArrayLike,
    *,
    totals: ArrayLike | None = None,
    multiplicity: ArrayLike | None = None,
    confidence: float = 0.95,
) -> Comparison:
    """The mean difference of two real-valued scores of the same items, such as ROUGE-L.

    R = sum d / sum x; variance sum((d - R x)^2 / (1 - x / N)) / N^2 with N = sum x; t at `cluster_degrees` of x. With
    x = 1 throughout this is the classical paired t.

    differences: d, the second score minus the first, per item, or summed per cluster. totals: x, how many
    items each sum holds; 1 by default; entries with 0 are ignored. multiplicity: how many share an entry.
    Returns a Comparison with n = N. Undefined without items. With one item (cluster) there is neither
    interval nor p. If all differ by the same amount there is no interval; p is then 1 for the amount 0,
    else that of the sign test over the items (clusters).
    Caveat "approximate" below 30 items (100 clusters), since scores are not normal; else "skewed" (see `skewed`).
    Raises DataError if the columns do not fit together, OptionError for a wrong confidence.

    >>> round(paired_t([1.0, 3.0]).p, 4)
    0.2952

    Source: Student 1908; with clusters the linearisation and degrees of freedom of Bell and McCaffrey 2002.
    """
    (d, x), weights = columns({"differences": differences, "totals": totals}, multiplicity)
    if (x < 0).any():
        raise DataError("totals: expected counts from 0")
    d, x, weights = d[x > 0], x[x > 0], weights[x > 0]
    items, units = float(weights @ x), float(weights.sum())
    if items == 0:
        return Comparison(Estimate.undefined("no items", confidence=confidence), None)
    value = float(weights @ d) / items
    residuals = d - value * x
    spread = linearised_variance(residuals, x, weights), cluster_degrees(x, multiplicity=weights), units
    many, alone = (FEW_ITEMS, Caveat.ONE_ITEM) if totals is None else (MANY_CLUSTERS, Caveat.ONE_CLUSTER)
    lopsided = skewed(float(weights @ residuals**2), float(weights @ residuals**3))
    note = Caveat.APPROXIMATE if units < many else Caveat.SKEWED if lopsided else None
    return _by_t(value, spread, n=round(items), confidence=confidence, note=note, alone=alone)


class Strata(NamedTuple):
    """Counts of correct judges in each stratum, such as each gold label: b, c and n, one entry per stratum.

    gained, lost: items on which only the second judge is right, or only the first. totals: all items, above 0.
    worth: the effective sample size per item in clusters, in (0, 1]. correlations: of the
    strata's differences, which come from different items of the same clusters; by default 0.
    """

    gained: Floats
    lost: Floats
    totals: Floats
    worth: Floats | float = 1.0
    correlations: Floats | None = None

    @property
    def gaps(self) -> Floats:
        """The differences of the strata."""
        return (self.gained - self.lost) / self.totals

    def distances(self, critical: float) -> tuple[float, float]:
        """The distances of the mean over the strata from its lower and upper limits."""
        b, c, n = (self.worth * counts for counts in (self.gained, self.lost, self.totals))
        low, high = tango_limits(b, c, n, critical)
        r = np.eye(len(n)) if self.correlations is None else self.correlations
        return mean_distance(self.gaps - low, r), mean_distance(high - self.gaps, r)


def paired_means_difference(
    parts: Sequence[Strata], *, correlations: ArrayLike | None = None, degrees: float = inf, confidence: float = 0.95
) -> Comparison:
    """The second of two balanced accuracies on the same items minus the first, or of their means over criteria.

    An accuracy is the mean over its K strata of d_k = (b_k - c_k) / n_k. With the lower limits l_k of Tango's interval
    (of counts times worth) and the correlations r of the strata, e = sqrt(sum_kl r_kl (d_k - l_k) (d_l - l_l)) / K
    is its distance from its own lower limit; the upper one likewise. The distance of the mean over J accuracies is
    sqrt(sum_ij r_ij e_i e_j) / J. p: the smallest at which the interval of confidence 1 - p still contains
    0. Unlike a variance, these distances do not vanish for a stratum on whose few items both are right, so rare
    labels do not make the test anticonservative; it is then rather conservative.

    parts: the strata of each accuracy. correlations: of the accuracies, J x J; 0 by default, for different items.
    degrees: of freedom, the `cluster_degrees`; infinite for independent items.
    Returns a Comparison in [-1, 1] with n, the sum of all totals, above 0 if the second is better. Undefined without
    strata. Caveat "conservative" below 30 effective items in a stratum. With one cluster neither interval nor p.
    Raises OptionError for a wrong confidence.

    >>> found = paired_means_difference([Strata(*np.array([[7, 3], [2, 1], [60, 40]]))])
    >>> round(found.estimate.value, 6), round(found.p, 3)
    (0.066667, 0.08)

    Source: MOVER, Zou and Donner 2008, Statistics in Medicine 27, 1693-1702, and with correlations Zou 2008, over the
    limits of Tango 1998. Ours.
    """
    r = np.eye(len(parts)) if correlations is None else np.asarray(correlations, dtype=np.float64)
    n = round(sum(float(part.totals.sum()) for part in parts))
    if not parts or not all(len(part.totals) for part in parts):
        return Comparison(Estimate.undefined("no items", confidence=confidence), None)
    value = float(np.mean([part.gaps.mean() for part in parts]))
    if degrees <= 0:
        return Comparison(Estimate(value, n=n, confidence=confidence, caveat=Caveat.ONE_CLUSTER), None)

    def distances(critical: float) -> list[float]:
        sides = np.array([part.distances(critical) for part in parts])
        return [mean_distance(side, r) for side in sides.T]

    below, above = distances(critical_value(confidence, degrees))
    limits = Limits(np.asarray(max(value - below, -1.0)), np.asarray(min(value + above, 1.0)))
    rare = any((part.worth * part.totals < FEW_ITEMS).any() for part in parts)
    note = Caveat.CONSERVATIVE if rare else None
    estimate = estimate_of(value, limits, n=n, method="mover", confidence=confidence, note=note)
    critical = critical_reaching(abs(value), lambda z: distances(z)[0 if value > 0 else 1])
    return Comparison(estimate, t_two_sided_p(critical, degrees))


def linearised_difference(
    difference: float,
    influence: ArrayLike,
    *,
    sizes: ArrayLike | None = None,
    multiplicity: ArrayLike | None = None,
    degrees: float = inf,
    confidence: float = 0.95,
) -> Comparison:
    """The paired difference of two metrics such as F1, kappa or match score, by linearisation.

    v = sum(u^2 / (1 - x / N)) with N = sum x; difference -+ t sqrt(v) with t at `cluster_degrees` of x; p of
    difference / sqrt(v). With x = 1 throughout v is C / (C - 1) sum u^2, and t at C - 1.

    difference: the second estimate minus the first. influence: u per cluster (or item), the second estimate's
    influence minus the first's: (y - R x) / sum x of a ratio R of sums, `kappa_influence` of the item's cell
    over n.
    sizes: x, how many items each cluster has, or what share of the estimates comes from it; equal by default.
    multiplicity: how many clusters share an entry. degrees: the most of freedom, if few of the items decide.
    Returns a Comparison with n = C. With one cluster there is neither interval nor p. Without variation
    between clusters there is no interval; p is then 1 for the difference 0, else that of the sign test
    over the clusters. Caveat "approximate" below 100 clusters.
    Raises DataError if the columns do not fit together, OptionError for a wrong confidence.

    >>> round(linearised_difference(1.0, [0.5, -0.5]).p, 4)
    0.5

    Source: linearisation (delta method) with the variance between clusters, Binder 1983, International
    Statistical Review 51, 279-292; leverage and degrees of freedom of Bell and McCaffrey 2002.
    """
    (u, x), weights = columns({"influence": influence, "sizes": sizes}, multiplicity)
    clusters = float(weights[x > 0].sum())
    if clusters == 0:
        return Comparison(Estimate.undefined("no clusters", confidence=confidence), None)
    variance = linearised_variance(u * float(weights @ x), x, weights)
    freedom = min(cluster_degrees(x, multiplicity=weights), degrees)
    return _linearised(difference, (variance, freedom, clusters), confidence)


def difference_of_variance(difference: float, variance: float, units: int, *, confidence: float = 0.95) -> Comparison:
    """A difference whose variance comes from sums of products of influence values.

    difference -+ t sqrt(C / (C - 1) V) with t at C - 1; V = sum u^2 over the units, where
    u is the influence of a unit on the difference. For many differences at once V comes from the products of
    every two estimates' influences: of i minus j it is [i, i] + [j, j] - 2 [i, j].

    difference: the second estimate minus the first. variance: V. units: C, how many items (clusters) there are.
    Returns a Comparison with n = C; otherwise as `linearised_difference`, which this equals for units of one size.
    Raises OptionError for a wrong confidence.

    >>> difference_of_variance(1.0, 0.5, 2).p == linearised_difference(1.0, [0.5, -0.5]).p
    True

    Source: as `linearised_difference`.
    """
    if units == 0:
        return Comparison(Estimate.undefined("no clusters", confidence=confidence), None)
    scaled = units / max(units - 1, 1) * max(variance, 0.0)
    return _linearised(difference, (scaled, units - 1, units), confidence)


def independent_difference(first: Estimate, second: Estimate, *, correlation: float = 0.0) -> Comparison:
    """The difference of two estimates from different items, or from items shared in part, from the interval of each.

    D = x - y; low = D - sqrt(a^2 + b^2 - 2 r a b) with a = x - lx and b = uy - y; high = D + sqrt(a^2 + b^2 - 2 r a b)
    with a = ux - x and b = y - ly. p is that of the normal deviate z |D| / d, with the distance d from D to its limit
    on the side of 0, and z that of the confidence: it is below 1 - confidence exactly if the interval excludes 0.
    Unlike a variance, the distances do not vanish for a judge who is right on all of a few items.

    first, second: x and y with their intervals, at the same confidence. correlation: r of both estimates, from the
    items that they share. With r = 0 for estimates of the same items, which judges mostly find equally hard, the
    interval is conservative.
    Returns a Comparison, the first minus the second, with the smaller n. It has no interval or p if either has
    no interval, and is undefined if either is.

    >>> one, other = Estimate(0.9, 0.8, 0.95, n=50), Estimate(0.5, 0.4, 0.6, n=50)
    >>> print(independent_difference(one, other).estimate)
    0.400 [0.259, 0.512] n=50

    Source: Newcombe 1998, Statistics in Medicine 17, 873-890, method 10; for any metrics Zou and Donner 2008 (see
    `product_limits`), with a correlation Zou 2008 (see `paired_means_difference`).
    """
    n, confidence = min(first.n, second.n), first.confidence
    if first.value is None or second.value is None:
        reason = first.reason or second.reason or ""
        return Comparison(Estimate.undefined(reason, n=n, confidence=confidence), None)
    value = first.value - second.value
    if first.low is None or first.high is None or second.low is None or second.high is None:
        note = gravest_caveat(first.caveat, second.caveat)
        return Comparison(Estimate(value, n=n, confidence=confidence, caveat=note), None)
    distances = (
        (first.value - first.low, second.high - second.value),
        (first.high - first.value, second.value - second.low),
    )
    below, above = (sqrt(max(a * a + b * b - 2 * correlation * a * b, 0.0)) for a, b in distances)
    toward = below if value > 0 else above
    reached = abs(value) / toward if toward > 0 else inf if value else 0.0
    p = erfc(critical_value(confidence) / sqrt(2) * reached)
    limits = Limits(np.asarray(value - below), np.asarray(value + above))
    note = gravest_caveat(first.caveat, second.caveat)
    return Comparison(estimate_of(value, limits, n=n, method="mover", confidence=confidence, note=note), p)


def _linearised(value: float, spread: tuple[float, ...], confidence: float) -> Comparison:
    note = Caveat.APPROXIMATE if spread[-1] < MANY_CLUSTERS else None
    return _by_t(value, spread, n=round(spread[-1]), confidence=confidence, note=note, alone=Caveat.ONE_CLUSTER)


def _by_t(
    value: float, spread: tuple[float, ...], *, n: int, confidence: float, note: Caveat | None, alone: Caveat
) -> Comparison:
    """spread: the variance, the degrees of freedom and the number of units. alone: the caveat for a single unit."""
    variance, degrees, units = spread
    if units <= 1:
        return Comparison(Estimate(value, n=n, confidence=confidence, caveat=alone), None)
    error = sqrt(variance)
    if error <= abs(value) * _ROUNDING or error == 0:
        alike = Estimate(value, n=n, confidence=confidence, caveat=Caveat.NO_VARIATION)
        return Comparison(alike, 1.0 if value == 0 else mcnemar_mid_p(round(units), 0))
    half = critical_value(confidence, degrees) * error
    limits = Limits(np.asarray(value - half), np.asarray(value + half))
    estimate = estimate_of(value, limits, n=n, method="t", confidence=confidence, note=note)
    return Comparison(estimate, t_two_sided_p(value / error, degrees))


# --- ranks ---


class RankSet(NamedTuple):
    """The possible ranks of a system, from low (best) to high, both included; 1 is the best."""

    low: int
    high: int

    def __str__(self) -> str:
        return f"{self.low}" if self.low == self.high else f"{self.low}\N{EN DASH}{self.high}"


def borda(values: Sequence[float | None]) -> list[float | None]:
    """The number of others that each of several systems beats; a tie counts one half.

    values: an estimate per system, higher is better; None if it is undefined: such a system beats none, is
    beaten by none, and scores None.
    Returns a score per system, from 0 to the number of others.

    >>> borda([0.9, 0.5, 0.5, None])
    [2.0, 0.5, 0.5, None]

    Source: Borda 1784; a tie counts one half.
    """
    present = [value for value in values if value is not None]
    return [None if value is None else _beaten(value, present) for value in values]


def mean_rank(values: ArrayLike) -> list[float]:
    """The mean over several criteria of each system's rank, 1 being the best; ties share their ranks' mean.

    rank = 1 + the number better + half the number of others that tie.

    values: systems x criteria, higher is better; no gaps.
    Returns a mean rank per system, from 1 to the number of systems.

    >>> mean_rank([[0.9, 0.5], [0.8, 0.5]])
    [1.25, 1.75]

    Source: Friedman 1937, JASA 32, 675-701.
    """
    table = np.asarray(values, dtype=np.float64)
    scores = [[_beaten(value, list(column)) for value in column] for column in table.T.tolist()]
    return [len(table) - float(np.mean(column)) for column in zip(*scores, strict=True)]


def _beaten(value: float, values: list[float]) -> float:
    """The number of values below one of them; each further equal one counts one half."""
    return sum(other < value for other in values) + (sum(other == value for other in values) - 1) / 2


# --- the alternative annotator test: can a judge replace human annotators? ---


LEAST_PEOPLE = 3
"""The source draws conclusions from the share of annotators matched with at least this many annotators."""
_FEW_LOST = 5
_GRID = 201
_CLOSE = 1e-12


class Against(NamedTuple):
    """The test of a judge against one annotator. p: None without items. method: exact, tango, t, or clustered-tango."""

    p: float | None
    method: str | None


def alternative_test(
    judge: ArrayLike, person: ArrayLike, *, epsilon: float, clusters: ArrayLike | None = None
) -> Against:
    """Test whether a judge does at least as well as a human annotator, less the annotator's cost advantage epsilon.

    H0: share(person) - share(judge) >= epsilon, one-sided. d = person - judge per item, t = (mean d - epsilon) /
    (s / sqrt(n)), p = P(T <= t) at n - 1 degrees of freedom. If the judge alone does well on fewer than five items,
    by Tango's score of the difference epsilon, normal. Below 30 items exact: the largest probability of so small a
    score, whatever the share of items on which the judge alone does well. In clusters by Tango's score of the
    effective sample size, and t at `cluster_degrees`: by the variance (`worth_of_clusters`) or by the
    intraclass correlation of d, whichever is less, since few clusters may differ little by accident.

    judge, person: per item, whether each is at least as close to the other annotators as the other is: both on ties.
    epsilon: in (0, 1). clusters: the cluster of each item, as whole numbers from 0.
    Returns p; None without items, and with one cluster.
    Raises DataError if the columns do not fit together.

    >>> alternative_test([1] * 10, [0] * 10, epsilon=0.2).p < 0.001  # the judge alone is closest on all ten
    True
    >>> round(alternative_test([1] * 10, [1] * 10, epsilon=0.2).p, 4)  # 0.8 ** 10: all the same
    0.1074

    Source: Calderon, Reichart and Dror 2025, "The alternative annotator test for LLM-as-a-judge" (ACL), section 3;
    score: Tango 1998, Statistics in Medicine 17, 891-908. Departures: they use t from 30 items, which
    rejects up to 19% of true hypotheses at 5% if judge and annotator hardly differ (benchmarks/alternative_test.py),
    and below 30 Wilcoxon's test of symmetry; differences of 0 and 1 are not symmetric.
    """
    (judged, theirs), _ = columns({"judge": judge, "person": person})
    d = theirs - judged
    if not len(d):
        return Against(None, None)
    if clusters is not None:
        return _clustered_against(d, np.asarray(clusters), epsilon)
    gained, lost = int((d > 0).sum()), int((d < 0).sum())
    if len(d) < FEW_ITEMS:  # Student's t is unreliable there
        counts, scores, chances = _every_outcome(len(d), epsilon)
        observed = scores[(counts == (gained, lost)).all(axis=1)][0]
        return Against(min(float(chances[:, scores <= observed + _CLOSE].sum(axis=1).max()), 1.0), "exact")
    spread = float(d.std(ddof=1))
    if lost < _FEW_LOST or not spread:
        return Against(_below(tango_score(gained, lost, len(d), epsilon), inf), "tango")
    return Against(_below((float(d.mean()) - epsilon) / (spread / sqrt(len(d))), len(d) - 1), "t")


def _clustered_against(d: Floats, clusters: Floats, epsilon: float) -> Against:
    sizes = np.bincount(clusters).astype(np.float64)
    nonempty = sizes > 0
    sides = ((d > 0).astype(np.float64), (d < 0).astype(np.float64))
    gained, lost = (np.bincount(clusters, side, len(sizes))[nonempty].astype(np.float64) for side in sides)
    sizes = sizes[nonempty]
    if len(sizes) < 2:  # noqa: PLR2004 - one cluster has no variance between clusters
        return Against(None, None)
    once = np.ones(len(sizes))
    alike = intraclass_correlation(gained - lost, sizes, once, gained + lost)
    by_correlation = 1 / (1 + (float(sizes @ sizes) / float(sizes.sum()) - 1) * alike)
    worth = min(worth_of_clusters(gained, lost, sizes, once), by_correlation)
    more, fewer, n = (float(worth * counts.sum()) for counts in (gained, lost, sizes))
    return Against(_below(tango_score(more, fewer, n, epsilon), cluster_degrees(sizes)), "clustered-tango")


def _below(t: float, degrees: float) -> float:
    """The probability that Student's t lies below a value."""
    tail = t_two_sided_p(t, degrees) / 2
    return tail if t <= 0 else 1 - tail


@lru_cache(maxsize=128)
def _every_outcome(n: int, epsilon: float) -> tuple[Floats, Floats, Floats]:
    """All counts of gained and lost items, their scores, and their chances: a row per chance of a lost item."""
    counts = np.array([(g, m) for g in range(n + 1) for m in range(n + 1 - g)], dtype=np.float64)
    gained, lost = counts.T
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])
    ways = logs[n] - logs[gained.astype(int)] - logs[lost.astype(int)] - logs[(n - gained - lost).astype(int)]
    loses = np.linspace(0, (1 - epsilon) / 2, _GRID)[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = (
            np.where(count > 0, count * np.log(chance), 0.0)
            for count, chance in (
                (gained, loses + epsilon),
                (lost, loses),
                (n - gained - lost, np.maximum(1 - epsilon - 2 * loses, 0)),
            )
        )
        chances = np.exp(ways + sum(terms, np.zeros(1)))
    return counts, np.array([tango_score(g, m, n, epsilon) for g, m in counts.tolist()]), chances


def benjamini_yekutieli(p_values: Sequence[float | None]) -> list[float | None]:
    """P-values adjusted to control the false discovery rate under any dependence of the tests.

    p_(k) m c / k with c = 1 + 1/2 + ... + 1/m, made monotone in k and capped at 1.

    p_values: in [0, 1]; None for an undefined test, which does not count.

    >>> [p if p is None else round(p, 4) for p in benjamini_yekutieli([0.01, 0.04, None, 0.03])]
    [0.055, 0.0733, None, 0.0733]

    Source: Benjamini and Yekutieli 2001, Annals of Statistics 29, 1165-1188, theorem 1.3.
    """
    known = [(p, place) for place, p in enumerate(p_values) if p is not None]
    adjusted: list[float | None] = [None] * len(p_values)
    harmonic = sum(1 / k for k in range(1, len(known) + 1))
    least = 1.0
    for rank, (p, place) in reversed(list(enumerate(sorted(known), 1))):
        least = min(least, p * len(known) * harmonic / rank)
        adjusted[place] = least
    return adjusted
