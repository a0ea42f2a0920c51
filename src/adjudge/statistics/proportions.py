"""Proportions, functions of them such as F1 and means over criteria, and partial pooling; means of real values."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import sqrt
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from adjudge.errors import DataError
from adjudge.estimate import Caveat, Estimate, gravest_caveat
from adjudge.statistics.clusters import (
    Floats,
    check_part,
    check_parts,
    cluster_degrees,
    columns,
    effective_counts,
    linearised_variance,
)
from adjudge.statistics.intervals import Limits, clopper_pearson_limits, mean_distance, wilson_limits
from adjudge.statistics.quantiles import beta_quantile, critical_value

FEW_ITEMS = 30
"""Below this many items Wilson's and Tango's intervals can miss their coverage."""
FEW_DECIDED = 5
"""Below this many agreements and disagreements Tango's interval can miss its coverage."""
MANY_ITEMS = 100
"""From here on intervals of products and of means over criteria keep their coverage."""
FEW_CLUSTERS = 10
MANY_CLUSTERS = 100
"""Below the first number a report should show the counts. From the second on intervals keep their coverage."""
_STUDIED = 0.95
"""The confidence at which coverage was measured."""
_SKEWED = 25
"""Cochran's rule: t needs more values than this multiple of the squared skewness."""
_SCORES_ARE_WORTH = 4
"""An upper bound: a score counts as at most so many items that are right or wrong."""


Interval = Literal["wilson", "clopper-pearson"]


def proportion(successes: int, n: int, *, confidence: float = 0.95, interval: Interval = "wilson") -> Estimate:
    """The share of independent items with a property: accuracy, reliability, precision.

    successes / n.

    successes, n: counts of items, 0 <= successes <= n. confidence: in (0, 1). interval: "wilson", or
    "clopper-pearson" for at least nominal coverage.
    Returns an Estimate in [0, 1]. Undefined for n = 0. Caveat "few items" below 30.
    Raises DataError for successes outside 0 to n, OptionError for a wrong confidence.

    >>> print(proportion(7, 10))
    0.700 [0.397, 0.892] n=10 (few items)

    Source: Wilson 1927; Clopper and Pearson 1934 (see intervals).
    """
    check_part("successes", successes, n)
    if n == 0:
        return Estimate.undefined("no items", confidence=confidence)
    limits = wilson_limits(successes, n, critical_value(confidence))
    note = Caveat.FEW_ITEMS if n < FEW_ITEMS else None
    if interval == "clopper-pearson":
        limits, note = clopper_pearson_limits(successes, n, confidence), None
    return estimate_of(successes / n, limits, n=n, method=interval, confidence=confidence, note=note)


def clustered_proportion(
    successes: ArrayLike, totals: ArrayLike, *, multiplicity: ArrayLike | None = None, confidence: float = 0.95
) -> Estimate:
    """The share of items with a property, for items in clusters.

    R = sum y / sum x; Wilson's interval with the effective n of `effective_counts` and the t quantile at
    `cluster_degrees`, fewer than C - 1 for C clusters of different sizes.

    successes, totals: y and x, one entry per cluster, 0 <= y <= x; clusters with total 0 are ignored.
    multiplicity: how many clusters share an entry, so that millions of clusters can be a histogram.
    Returns an Estimate in [0, 1] with n = sum x. Undefined without items. One cluster: no interval, caveat
    "one cluster". Caveat "few clusters" below 10, "fewer than 100 clusters" below 100 (at a
    confidence of 95%; otherwise "approximate").
    Raises DataError if the columns do not fit together, OptionError for a wrong confidence.

    >>> print(clustered_proportion([2, 0], [2, 2]))
    0.500 [0.002, 0.998] n=4 (few clusters)

    Source: Korn and Graubard 1998, Survey Methodology 24, 193-201, with Wilson's interval in place of theirs.
    """
    counts = effective_counts(successes, totals, multiplicity=multiplicity)
    if counts.clusters == 0:
        return Estimate.undefined("no items", confidence=confidence)
    value, n = counts.observed / counts.items, round(counts.items)
    if counts.clusters == 1:
        return Estimate(value, n=n, confidence=confidence, caveat=alone_note(n))
    degrees = cluster_degrees(totals, multiplicity=multiplicity)
    limits = wilson_limits(counts.successes, counts.n, critical_value(confidence, degrees))
    note = clusters_note(counts.clusters, confidence)
    return estimate_of(value, limits, n=n, method="clustered-wilson", confidence=confidence, note=note)


def clustered_f1(
    true_positives: ArrayLike,
    false_positives: ArrayLike,
    false_negatives: ArrayLike,
    *,
    multiplicity: ArrayLike | None = None,
    confidence: float = 0.95,
) -> Estimate:
    """The harmonic mean of precision and recall of findings in texts, with texts as clusters.

    F1 = 2 tp / (2 tp + fp + fn) = 2J / (1 + J), with the clustered proportion J = tp / (tp + fp + fn), whose
    limits are mapped in the same way.

    true_positives, false_positives, false_negatives: one entry per text, from 0; texts without true or reported
    findings are ignored. multiplicity: how many texts share an entry.
    Returns an Estimate in [0, 1] with n texts. Undefined if all are 0. One text: no
    interval, caveat "one cluster". Other caveats as in `clustered_proportion`.
    Raises DataError if the columns do not fit together, OptionError for a wrong confidence.

    >>> round(clustered_f1([1, 2], [1, 0], [0, 1]).value, 4)
    0.75

    Source: the mapping is ours; the interval is that of `clustered_proportion`.
    """
    named = {"true_positives": true_positives, "false_positives": false_positives, "false_negatives": false_negatives}
    table, weights = columns(named, multiplicity)
    if (table < 0).any():
        raise DataError(f"expected counts from 0; got {table.min():g}")
    true, every = table[0], table.sum(axis=0)
    texts = int(weights[every > 0].sum())
    if not texts:
        return Estimate.undefined("nothing to find and nothing found", confidence=confidence)
    jaccard = clustered_proportion(true, every, multiplicity=weights, confidence=confidence)
    return map_estimate(replace(jaccard, n=texts), lambda share: 2 * share / (1 + share))


def mean_of_shares(
    value: float, influence: ArrayLike, *, items: int, judgments: int, multiplicity: ArrayLike, confidence: float = 0.95
) -> Estimate:
    """The mean over criteria of shares of the same items.

    p = mean over k of p_k, p_k = sum_i o_ik y_ik / sum_i o_ik for an item i that is judged (o) on criterion k and right
    (y); u_i = mean over k of o_ik (y_ik - p_k) / (share of the items judged on k); v = sum u^2 / (n (n - 1));
    Wilson with n* = p (1 - p) / v, at most the number of judgments, and n if v = 0; t at n - 1.

    value: p, up to rounding. influence: u / n of items. items: n. judgments: the number of judgments in all shares.
    multiplicity: how many items have the same influence.
    Returns an Estimate in [0, 1] with n items. One item: no interval, caveat "one item". Below 100 items caveat "few
    items".
    Raises DataError if the columns do not fit together, OptionError for a wrong confidence.

    >>> mean_of_shares(0.75, [-0.25, 0.25], items=2, judgments=4, multiplicity=[1, 1]).caveat.title
    'few items'

    Source: linearisation of a mean of ratios; the effective n as in Korn and Graubard 1998. Ours.
    """
    n = judgments
    result = linearised_proportion(min(value, 1.0), influence, n=n, multiplicity=multiplicity, confidence=confidence)
    few = Caveat.FEW_ITEMS if items < MANY_ITEMS else None
    return replace(result, n=items, caveat=Caveat.ONE_ITEM if result.low is None else few)


def mean_of_proportions(
    proportions: Sequence[Estimate],
    *,
    correlations: ArrayLike | None = None,
    items: int | None = None,
    confidence: float = 0.95,
) -> Estimate:
    """The mean of several estimates: of the recalls of all labels (balanced accuracy), of one metric over criteria.

    p = mean of p_k; p - sqrt(sum_kl r_kl d_k d_l) / K to p + sqrt(sum_kl r_kl e_k e_l) / K, where d_k and e_k are the
    distances from p_k to its limits and r_kl the correlations. Unlike variances, these distances do not vanish if a
    p_k is 0 or 1.

    proportions: the estimates with their intervals. correlations: r, K x K, of estimates over the same items; 0 by
    default, for different items. items: the number of items of all together, if they share items; by default
    the n of all. confidence: that of their intervals.
    Returns an Estimate with n items. Undefined if one of them is, or there is none. Without an interval if
    one of them has none, caveat "one cluster in a part". Otherwise with the most serious caveat of the estimates, but
    "few items" only below 100 items in total.
    Raises OptionError for a wrong confidence.

    >>> print(mean_of_proportions([proportion(45, 50), proportion(25, 50)]))
    0.700 [0.612, 0.773] n=100

    Source: MOVER, Zou and Donner 2008, Statistics in Medicine 27, 1693-1702; with correlations, Zou 2008.
    """
    n, size = sum(estimate.n for estimate in proportions) if items is None else items, len(proportions)
    r = np.eye(size) if correlations is None else np.asarray(correlations, dtype=np.float64)
    if not proportions or any(estimate.value is None for estimate in proportions):
        reason = next((estimate.reason for estimate in proportions if estimate.reason), "no items")
        return Estimate.undefined(reason, n=n, confidence=confidence)
    value = float(np.mean([estimate.value for estimate in proportions]))
    open_ended = next((estimate for estimate in proportions if estimate.low is None), None)
    if open_ended is not None:
        note = open_ended.caveat if size == 1 else Caveat.ONE_CLUSTER_OF_PART
        return Estimate(value, n=n, confidence=confidence, caveat=note)
    low, values, high = np.array([(part.low, part.value, part.high) for part in proportions], dtype=np.float64).T
    below, above = mean_distance(values - low, r), mean_distance(high - values, r)
    limits = Limits(np.asarray(value - below), np.asarray(value + above))
    # The parts together may have many items.
    parts = [part.caveat for part in proportions if part.caveat is not Caveat.FEW_ITEMS]
    note = gravest_caveat(Caveat.FEW_ITEMS if n < MANY_ITEMS else None, *parts)
    return estimate_of(value, limits, n=n, method="mover", confidence=confidence, note=note)


def linearised_proportion(
    value: float,
    influence: ArrayLike,
    *,
    n: int,
    sizes: ArrayLike | None = None,
    multiplicity: ArrayLike | None = None,
    scores: bool = False,
    confidence: float = 0.95,
) -> Estimate:
    """An estimate in [0, 1] that is a smooth function of counts, such as macro F1, or of scores.

    Wilson with n* = p (1 - p) / v, at most n, of scores at most 4 n, or C if v = 0; v = sum(u^2 / (1 - x / N)) with
    N = sum x; t at `cluster_degrees` of x. With x = 1 throughout v is C / (C - 1) sum u^2, and t at C - 1.

    value: p. influence: u, how far each of the C items (clusters) moves the estimate; they add up to 0. n: the number
    of judgments. sizes: x, how many of them are in each cluster; equal by default. multiplicity: how many
    clusters share an entry. scores: whether these are scores in [0, 1], which vary less than 0 and 1 do.
    Returns an Estimate in [0, 1] with that n. One item (cluster): no interval, with that caveat. Caveat "approximate"
    below 100 items (clusters).
    Raises DataError for a value outside [0, 1] or columns that do not fit together, OptionError for a wrong confidence.

    >>> linearised_proportion(0.5, [0.25, -0.25], n=2).value
    0.5

    Source: linearisation; the effective n as in Korn and Graubard 1998; leverage and degrees of freedom of Bell and
    McCaffrey 2002. Ours.
    """
    check_part("value", value, 1)
    (u, x), weights = columns({"influence": influence, "sizes": sizes}, multiplicity)
    units = round(float(weights.sum()))
    if units <= 1:
        return Estimate(float(value), n=n, confidence=confidence, caveat=alone_note(n))
    variance = linearised_variance(u * float(weights @ x), x, weights)
    most = _SCORES_ARE_WORTH * n if scores else n
    size = min(value * (1 - value) / variance, most) if variance > 0 and 0 < value < 1 else min(units, n)
    limits = wilson_limits(value * size, size, critical_value(confidence, cluster_degrees(x, multiplicity=weights)))
    note = Caveat.APPROXIMATE if units < MANY_ITEMS else None
    return estimate_of(value, limits, n=n, method="effective-wilson", confidence=confidence, note=note)


def mean(n: int, total: float, squares: float, cubes: float | None = None, *, confidence: float = 0.95) -> Estimate:
    """The mean of independent real values, such as lengths of texts, from sums that can be split and merged.

    m = T / n; s^2 = (Q - T^2 / n) / (n - 1); m -+ t s / sqrt(n) with t at n - 1 degrees of freedom.

    n: the number of values. total, squares, cubes: T and Q, their sum and the sum of their squares, and of their cubes;
    whole numbers are summed exactly. Returns an Estimate in the values' unit. Undefined for n = 0. One value: no
    interval, caveat "one item". Caveat "few items" below 30, since values may be far from normal; else "skewed" if
    their cubes show it (see `skewed`).
    Raises DataError if no values can have such sums, OptionError for a wrong confidence.

    >>> print(mean(2, 4, 10))
    2.000 [-10.706, 14.706] n=2 (few items)

    Source: Student 1908, Biometrika 6, 1-25.
    """
    if n == 0:
        return Estimate.undefined("no items", confidence=confidence)
    value = total / n
    if n == 1:
        return Estimate(value, n=n, confidence=confidence, caveat=Caveat.ONE_ITEM)
    deviations = (n * squares - total * total) / n
    if deviations < -1e-9 * abs(squares):
        raise DataError(f"no {n} values have the sum {total} and the sum of squares {squares}")
    half = critical_value(confidence, n - 1) * sqrt(max(deviations, 0.0) / (n - 1) / n)
    limits = Limits(np.asarray(value - half), np.asarray(value + half))
    third = 0.0 if cubes is None else cubes - 3 * value * squares + 2 * n * value**3
    note = Caveat.FEW_ITEMS if n < FEW_ITEMS else Caveat.SKEWED if skewed(deviations, third) else None
    return estimate_of(value, limits, n=n, method="t", confidence=confidence, note=note)


def alone_note(n: float) -> Caveat:
    """The caveat for an estimate from a single unit of n items."""
    return Caveat.ONE_ITEM if n <= 1 else Caveat.ONE_CLUSTER


def skewed(squares: float, cubes: float) -> bool:
    """Whether values are too skewed for the t interval of their mean.

    n <= 25 g^2, where n is their number and g = sqrt(n) sum e^3 / (sum e^2)^1.5 their skewness. n cancels:
    (sum e^2)^3 <= 25 (sum e^3)^2.

    squares, cubes: sums of e^2 and e^3, where e is a value's deviation from the mean.
    Returns False for constant values.

    >>> skewed(50.0, 50.0), skewed(50.0, 100.0)
    (False, True)

    Source: Cochran 1977, Sampling Techniques, 3rd edition, section 2.15.
    """
    return 0 < squares**3 <= _SKEWED * cubes**2


def clusters_note(clusters: int, confidence: float) -> Caveat | None:
    """The caveat for an interval over so many clusters; None if it keeps its coverage."""
    if clusters < FEW_CLUSTERS:
        return Caveat.FEW_CLUSTERS
    if clusters < MANY_CLUSTERS:
        return Caveat.UNDER_100_CLUSTERS if confidence == _STUDIED else Caveat.APPROXIMATE
    return None


def estimate_of(
    value: float, limits: Limits, *, n: int, method: str, confidence: float, note: Caveat | None = None
) -> Estimate:
    """An Estimate from a value and its numeric limits, widened to contain the value despite rounding errors."""
    low, high = min(float(limits.low), value), max(float(limits.high), value)
    return Estimate(float(value), low, high, n=int(n), method=method, confidence=confidence, caveat=note)


def map_estimate(estimate: Estimate, function: Callable[[float], float]) -> Estimate:
    """The Estimate of a rising function of an estimate, applied to the value and both limits."""
    if estimate.value is None:
        return estimate
    low = None if estimate.low is None else function(estimate.low)
    high = None if estimate.high is None else function(estimate.high)
    return replace(estimate, value=function(estimate.value), low=low, high=high)


# --- partial pooling: proportions of many annotators, shrunk towards their common mean ---


FEWEST_ANNOTATORS = 2
"""A single annotator has no mean to shrink towards."""
FEW_ANNOTATORS = 5
"""Below this many the common distribution is mostly a guess."""
_POINTS = 24
"""Grid points per axis: a third of a standard deviation apart once the grid has closed in."""
_ROUNDS = 8
"""Each round closes in on the peak by up to a factor of eight; it ends when nothing is left to cut."""
_NEGLIGIBLE = 10.0
"""A log-likelihood so far below its peak weighs less than 1 in 20,000."""
_SHIFT = 8
"""Stirling's series is exact to 1e-12 from here on."""


def shrink(successes: ArrayLike, totals: ArrayLike, *, confidence: float = 0.95) -> list[Estimate]:
    """The proportion of each of several annotators, shrunk towards their mean the more, the fewer its data.

    Annotators' proportions follow a beta(a, b) distribution, their counts given them binomial ones. Given a and b,
    annotator i has the posterior beta(a + y, b + x - y). Its mean and variance are averaged over the posterior of a
    and b. Their likelihood, with the mean a / (a + b) and correlation 1 / (a + b + 1), is the product over
    annotators of B(a + y, b + x - y) / B(a, b), on a grid that closes in on its peak. The prior of mean and correlation
    is uniform in (0, 1). The interval is the equal-tailed one of the beta distribution that has
    the averaged mean and variance.

    successes, totals: y and x, one entry per annotator, 0 <= y <= x, whole or not (effective counts).
    Returns an Estimate in [0, 1] per annotator, with n = x. Undefined for an annotator without items, and
    for all if fewer than two have items. Caveat "few annotators" below 5 annotators.
    Raises DataError if the columns do not fit together, OptionError for a wrong confidence.

    >>> [round(estimate.value, 2) for estimate in shrink([5, 5], [10, 10])]
    [0.5, 0.5]

    Source: the beta-binomial model with its parameters averaged over, Gelman et al. 2013, Bayesian Data Analysis, third
    edition, section 5.3; matching the first two moments follows Kass and Steffey 1989, JASA 84, 717-726. Plugging in
    one best a and b instead gives far too narrow intervals. Departure: the prior of Gelman et al. is uniform
    in the mean and in the spread (a + b)^(-1/2), ours in the mean and the correlation: it covered
    better in simulations.
    """
    (y, x), _ = columns({"successes": successes, "totals": totals})
    check_parts("successes", y, x)
    present = x > 0
    if present.sum() < FEWEST_ANNOTATORS:
        return [Estimate.undefined("fewer than two annotators with items", confidence=confidence) for _ in x]
    note = Caveat.FEW_ANNOTATORS if present.sum() < FEW_ANNOTATORS else None
    estimates = [Estimate.undefined("no items", confidence=confidence)] * len(x)
    # The beta with each annotator's posterior mean and variance.
    a_of_points, b_of_points, weights = _posterior_grid(y[present], x[present])
    whole = (a_of_points + b_of_points)[:, None] + x[present]
    means = (a_of_points[:, None] + y[present]) / whole
    mean_of_each = weights @ means
    variance = weights @ (means * (1 - means) / (whole + 1) + (means - mean_of_each) ** 2)
    size = mean_of_each * (1 - mean_of_each) / variance - 1
    shapes, tail = ((mean_of_each * size).tolist(), ((1 - mean_of_each) * size).tolist()), (1 - confidence) / 2
    for place, a, b in zip(np.flatnonzero(present).tolist(), *shapes, strict=True):
        limits = Limits(np.asarray(beta_quantile(tail, a, b)), np.asarray(beta_quantile(1 - tail, a, b)))
        estimates[place] = estimate_of(
            a / (a + b), limits, n=round(x[place]), method="beta-binomial", confidence=confidence, note=note
        )
    return estimates


def _posterior_grid(y: Floats, x: Floats) -> tuple[Floats, Floats, Floats]:
    """a, b and posterior weights of a grid of means and correlations, over the part that is not negligible."""
    box = np.array([[0.0, 1.0], [0.0, 1.0]])
    (y, x), times = np.unique(np.stack([y, x]), axis=1, return_counts=True)
    counts = times.astype(np.float64)
    for round_left in reversed(range(_ROUNDS)):
        axes = box[:, :1] + (box[:, 1:] - box[:, :1]) * (np.arange(_POINTS) + 0.5) / _POINTS
        means, correlations = (axis.ravel() for axis in np.meshgrid(*axes, indexing="ij"))
        size = 1 / correlations - 1
        a, b = means * size, (1 - means) * size
        of_counts = _log_gamma(a[:, None] + y) + _log_gamma(b[:, None] + x - y) - _log_gamma((a + b)[:, None] + x)
        logs = (of_counts - (_log_gamma(a) + _log_gamma(b) - _log_gamma(a + b))[:, None]) @ counts
        kept = (logs > logs.max() - _NEGLIGIBLE).reshape(_POINTS, _POINTS)
        closer = np.empty_like(box)
        for axis, (start, end) in enumerate(box):  # the kept points, with one more cell on either side
            places = np.flatnonzero(kept.any(axis=1 - axis))
            ends = np.array([max(places[0] - 1, 0), min(places[-1] + 2, _POINTS)])
            closer[axis] = start + (end - start) * ends / _POINTS
        if not round_left or np.array_equal(closer, box):
            break
        box = closer
    weights = np.exp(logs - logs.max())
    return a, b, weights / weights.sum()


def _log_gamma(z: Floats) -> Floats:
    """The logarithm of Gamma(z), by Stirling's series after shifting z upwards."""
    product = np.ones_like(z)
    for step in range(_SHIFT):
        product = product * (z + step)
    z = z + _SHIFT
    square = 1 / (z * z)
    series = (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square * (1 / 1680 - square / 1188)))) / z
    values: Floats = (z - 0.5) * np.log(z) - z + 0.5 * np.log(2 * np.pi) + series - np.log(product)
    return values
