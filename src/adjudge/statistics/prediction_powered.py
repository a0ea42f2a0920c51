"""Estimates from human labels of some items and a judge's labels of many more: prediction-powered, and true rates."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf, sqrt

import numpy as np
from numpy.typing import ArrayLike

from adjudge.estimate import Caveat, Estimate
from adjudge.statistics.clusters import Floats, Integers, cluster_degrees
from adjudge.statistics.intervals import Limits, wilson_limits
from adjudge.statistics.proportions import FEW_ITEMS, alone_note, clusters_note, estimate_of, map_estimate, skewed
from adjudge.statistics.quantiles import critical_value
from adjudge.statistics.stratified_score import ALIKE, ROUNDING, Sample, counts_of, has_score, limits_by_score

_SCORES_ARE_WORTH = 4
"""An upper bound: a mean of several labels of one item counts as at most so many labels of 0 or 1."""
_PARTLY = 0.125
"""The squared error assumed if labels may lie between the bounds, such as 0.5 for a tie. Of 0.5, 0.25 and 0.125, the
value whose intervals for strengths from 30 labels are neither too wide nor too narrow."""
_MANY_UNEQUAL = 300
"""Intervals without a score test need so many unequally weighted labels."""
_UNSEEN = 0.5
"""The number of unseen judge errors that the variance allows for: of 0, 0.25, 0.5 and 1, the least whose intervals of
shares keep their coverage if a good judge makes no error, or one, on the labelled items."""


@dataclass(frozen=True, slots=True)
class Powered:
    """An estimate from human labels alone, and from human labels combined with a judge's.

    people, corrected: both estimates with their intervals; n is the number of items of each. weight: how much the
    judge's labels count: 0 not at all, 1 as much as human labels. alone, together: the variances of both, as used in
    their intervals. effective: how many human labels, sampled in the same way, would give the interval of `corrected`
    without a judge; None without an interval.
    """

    people: Estimate
    corrected: Estimate
    weight: float = 0.0
    alone: float = 0.0
    together: float = 0.0
    effective: float | None = None


def prediction_powered(
    labels: ArrayLike,
    predicted: ArrayLike,
    others: ArrayLike = (),
    *,
    totals: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    other_strata: ArrayLike | None = None,
    units: ArrayLike | None = None,
    other_units: ArrayLike | None = None,
    kinds: ArrayLike | None = None,
    other_kinds: ArrayLike | None = None,
    bounds: tuple[float, float] | None = None,
    confidence: float = 0.95,
) -> Powered:
    """Estimate the mean of human labels over all M = n + N items; humans labelled n of them, a judge all of them.

    R = sum d Y / sum d X, and R + w (mean of F over all items - mean of f, weighted by d) / (mean of X), with
    w = (1 + n / N) l, l = cov(e, f) / ((1 + n / N) var(F)) kept from 0 to 1, e = Y - R X; w = 0 if it gains nothing.
    The variance is the sum over units of squared sums of their items' terms, over the mean of X: (w F + the mean of
    e - w f in its stratum) / M for every item, less the mean of these; also d (e - w f, less that mean) / sum d for a
    labelled one. The square of a unit with labels is divided by 1 less its share of the labels of its stratum.
    The variance also includes half an unseen error of the judge, since a good judge may make none on few items. The
    error falls on the item with the greatest weight. It changes a bounded estimate by its span, or by 0.35 of the span
    if labels may lie between the bounds; it changes any other estimate by the difference of two items. In clusters the
    error counts as often as the heaviest cluster has items of that weight. The variance never exceeds that of human
    labels alone. A judge unrelated to human labels leaves the human estimate unchanged.

    labels, predicted: Y and f, numeric human and judge labels of the n items. others: F, the judge's labels of the N
    other items. totals: X of the labelled items, for a ratio; 1 by default, for a mean. weights: d, how many items each
    labelled one represents, 1 over its probability of being labelled; equal by default. strata, other_strata: groups
    of which different shares were labelled; d is then multiplied by the items over the labelled items of the group.
    units, other_units: the clusters of items; each item by itself by default. kinds, other_kinds: the judge's raw
    labels, if `predicted` is computed from them and may differ among items of a kind. bounds: the range of the
    estimate, such as 0 and 1 for a share. Given weights and strata, the labelled items must be a random sample.

    Returns Powered. Intervals use t with the `cluster_degrees` of the labels. A bounded estimate has Wilson's interval
    with that t and n* = p (1 - p) / v, at most M (4 M for labels between the bounds); p is the estimate's position
    between its bounds and v its variance. If each label is 0 or 1 and counts alike, v follows from the share: Wilson's
    with z and n* multiplied by n / (n - 1), which without a judge equals `proportion`. A share from labels of 0 and 1
    with unequal weights has the interval of a score test instead (`stratified_score`).
    Undefined without labels, with a stratum without labels, and if totals are 0. One unit with labels: no interval,
    caveat "one item", in a stratum "one cluster in a part". No variation: no interval unless bounded. Caveat "few
    items" below 30 (effective) labelled items; "approximate" below 300 unequal ones without a score test. Clusters
    have the caveats of `clustered_proportion`; other unbounded estimates "skewed" if labels or residuals are.
    Raises OptionError for a wrong confidence.

    >>> found = prediction_powered([1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 0, 0, 0])
    >>> found.people.value, found.corrected.value, found.weight
    (0.5, 0.4296875, 0.46875)

    Source: Angelopoulos, Duchi and Zrnic 2023, "PPI++: Efficient prediction-powered inference", arXiv:2311.01453,
    section 6 (point estimate and l, for means); Zrnic and Candes 2024, arXiv:2403.03208 (weights);
    Sarndal, Swensson and Wretman 1992, Model Assisted Survey Sampling, chapters 6 and 7 (strata, ratios). Departures:
    clusters, t in place of the normal distribution, and our interval of bounded estimates.
    """
    y, f, rest = (np.asarray(column, dtype=np.float64) for column in (labels, predicted, others))
    n = len(y)
    x, given = (np.ones(n) if column is None else np.asarray(column, np.float64) for column in (totals, weights))
    groups = np.zeros(n + len(rest), np.int64) if strata is None else _group_codes(strata, other_strata)
    units_of = None if units is None else _group_codes(units, other_units)
    counts = counts_of(given, groups)
    if not counts @ x > 0:
        reason = "no labels" if not n else "no relevant items" if counts.all() else "a stratum without labels"
        undefined = Estimate.undefined(reason, confidence=confidence)
        return Powered(undefined, undefined)
    sample = Sample(counts, groups, units_of, x)
    # Rescale a bounded estimate to its position between the bounds, others by a power of two near
    # the spread of the labels, which loses no precision; map the results back.
    low, span = (0.0, float(2.0 ** np.frexp(np.ptp(y))[1])) if bounds is None else (bounds[0], bounds[1] - bounds[0])
    every = np.concatenate([f, rest]) / span
    level = every
    if kinds is not None:
        codes = _group_codes(kinds, other_kinds)
        level = (np.bincount(codes, every) / np.bincount(codes))[codes]
    result = _estimate(sample, (y - low * x) / span, every, level, bounded=bounds is not None, confidence=confidence)
    if (low, span) == (0, 1):
        return result
    people, corrected = (map_estimate(part, lambda x: low + span * x) for part in (result.people, result.corrected))
    alone, together = (variance * span**2 for variance in (result.alone, result.together))
    return replace(result, people=people, corrected=corrected, alone=alone, together=together)


@dataclass(frozen=True, slots=True)
class _Interval:
    """How to compute the interval of a mean or share from its variance.

    sizes: of the units with labels. each: how many labels of 0 or 1 one label may count as at most. plain: whether each
    is 0 or 1 and counts alike, so that the variance follows from the share. lopsided: whether the units' terms are too
    skewed for t.
    """

    sizes: Floats
    leverage: float
    strata: int
    items: int
    bounded: bool
    each: int
    plain: bool
    lopsided: bool
    confidence: float

    def estimate(
        self, value: float, variance: float, n: int, method: str, scored: Callable[[float], Limits] | None = None
    ) -> Estimate:
        """The Estimate of a value from n items. scored: its limits by a score test, if it has one."""
        value = min(max(value, 0.0), 1.0) if self.bounded else value
        note = self.missing_interval_reason(variance)
        if note is not None:
            return Estimate(value, n=n, confidence=self.confidence, caveat=note)
        if scored is not None:
            limits, method = scored(value), "score" if method == "effective-wilson" else method
        elif self.bounded:
            limits = self.wilson(value, variance, n)
        else:
            half = critical_value(self.confidence, self.degrees) * sqrt(variance)
            limits = Limits(np.asarray(value - half), np.asarray(value + half))
        clustered, few = len(self.sizes) < self.items, self.effective_size < FEW_ITEMS - ROUNDING * self.items
        uneven = len(self.sizes) < _MANY_UNEQUAL and self.effective_size < (1 - ALIKE) * len(self.sizes)
        note = Caveat.FEW_ITEMS if few else Caveat.APPROXIMATE if uneven and scored is None else None
        note = clusters_note(len(self.sizes), self.confidence) if clustered else note
        note = Caveat.SKEWED if note is None and self.lopsided and not self.bounded else note
        return estimate_of(value, limits, n=n, method=method, confidence=self.confidence, note=note)

    def missing_interval_reason(self, variance: float) -> Caveat | None:
        """The reason for a missing interval, if any."""
        if len(self.sizes) == 1:
            return alone_note(self.items)
        if self.leverage > 1 - ROUNDING:
            return Caveat.ONE_CLUSTER_OF_PART
        return Caveat.NO_VARIATION if variance <= ROUNDING and not self.bounded else None

    @property
    def effective_size(self) -> float:
        """How many equal units would have the same weight (Kish)."""
        return 1 / float(self.sizes @ self.sizes)

    @property
    def degrees(self) -> float:
        """Degrees of freedom: infinite if the variance follows from the share."""
        return inf if self.plain else max(cluster_degrees(self.sizes) - self.strata + 1, 1)

    def wilson(self, value: float, variance: float, n: int) -> Limits:
        varies = variance > ROUNDING and 0 < value < 1
        size = value * (1 - value) / variance if varies else self.effective_size
        if self.plain and varies:
            size *= self.effective_size / (self.effective_size - 1)
        size = min(size, self.each * n)
        return wilson_limits(value * size, size, critical_value(self.confidence, self.degrees))


def _estimate(sample: Sample, y: Floats, every: Floats, level: Floats, *, bounded: bool, confidence: float) -> Powered:
    """every: f of the labelled items, then F of the others. level: the mean of these over items of a kind."""
    n, whole, mean_x = len(y), np.isin(y, (0, 1)).all(), float(sample.counts @ sample.totals / sample.counts.sum())
    value = float(sample.counts @ y / (sample.counts @ sample.totals))
    e, f = y - value * sample.totals, every[:n]
    weight = _weight(sample.counts, e, every)
    sizes = sample.sizes
    alone = sample.variance(e, np.zeros(len(every))) / mean_x**2
    together = sample.variance(e - weight * f, weight * every) / mean_x**2
    if together >= alone:
        weight, together = 0.0, alone
    elif len(sizes) > 1:
        heaviest = float(sizes.max() * sample.parts.max()) * len(sizes) / (len(sizes) - 1)
        error = (1.0 if whole else _PARTLY) if bounded else 2 * alone / float(sizes @ sizes)
        together += min(_UNSEEN * heaviest * error, alone - together)
    moved = weight * float(every.mean() - sample.counts @ f / sample.counts.sum()) / mean_x
    strata, items = int(sample.strata.max()) + 1, int(np.count_nonzero(sample.totals))
    each = 1 if whole else _SCORES_ARE_WORTH
    plain = bool(bounded and whole and sample.equally_weighted)
    added = sample.contributions(e, np.zeros(len(every))), sample.contributions(e - weight * f, weight * every)
    lopsided = any(skewed(float((one**2).sum()), float((one**3).sum())) for one in added)
    interval = _Interval(sizes, float(sample.leverage.max()), strata, items, bounded, each, plain, lopsided, confidence)
    scored = bounded and has_score(sample, y)
    by_score = (limits_by_score(sample, y, every, level, confidence, w) if scored else None for w in (0.0, weight))
    people = interval.estimate(value, alone, items, "effective-wilson" if bounded else "t", next(by_score))
    most, corrected = len(every) * items // n if weight else items, people
    if weight:
        corrected = interval.estimate(value + moved, together, most, "prediction-powered", next(by_score))
    gained = alone / together if together else 1.0
    effective = None if corrected.low is None else min(items * gained, float(most))
    return Powered(people, corrected, weight, alone, together, effective)


def _weight(counts: Floats, e: Floats, every: Floats) -> float:
    """The weight of the judge's labels."""
    n, size = len(e), len(every)
    spread = float(np.var(every, ddof=1)) if size > n else 0.0
    if spread <= ROUNDING * float(np.abs(every).max()) ** 2:
        return 0.0
    f, shares = every[:n], counts / counts.sum()
    together = float(shares @ (e * (f - shares @ f)))
    tuned = together / (size / (size - n) * spread)
    return min(max(tuned, 0.0), 1.0) * size / (size - n)


def _group_codes(values: ArrayLike, others: ArrayLike | None) -> Integers:
    """Groups of the labelled items and of the others as numbers from 0. Others may be None if there are none."""
    every = np.asarray(values) if others is None else np.concatenate([values, others])
    return np.unique(every, return_inverse=True)[1].astype(np.int64)


# --- the true rate of flagged items, from a judge's flags and its error rates ---


_HALVINGS, _ROUNDING = 40, 1e-12


def true_rate(
    flagged: int, n: int, found: int, positives: int, passed: int, negatives: int, *, confidence: float = 0.95
) -> Estimate:
    """The share of items with a label, such as unsafe, when most items have only an imperfect judge's label.

    (q + sp - 1) / (se + sp - 1), kept in [0, 1], with q = flagged / n, se = found / positives, sp = passed / negatives.
    Interval: all rates p for which |q - p se - (1 - p) (1 - sp)| is at most z times the root of
    q' (1 - q') / n + p^2 se' (1 - se') / positives + (1 - p)^2 sp' (1 - sp') / negatives, with z of the confidence and
    q' = p se' + (1 - p) (1 - sp'), se' and sp' those that make all three counts most likely if p is the rate.

    flagged, n: the judge's flags among the n items without human labels. found, positives: its flags among items that
    humans flagged; passed, negatives: items that it did not flag among those that humans did not. Labelled items may
    be selected by their true labels, never by the judge's: its error rates must be the same in the others.
    Returns an Estimate in [0, 1] with that n. Undefined without items, without labelled items of either kind, and if
    se + sp <= 1: the judge then flags at random, or inversely. Undefined too if its flags are
    impossible given its errors, as with labelled items that were selected by its labels.
    Caveat "few items" below 30 of either kind.
    Raises OptionError for a wrong confidence.

    >>> print(true_rate(27, 650, 50, 100, 199, 200))
    0.074 [0.025, 0.118] n=650

    Source: Rogan and Gladen 1978, American Journal of Epidemiology 107, 71-76. The interval, ours for this rate,
    inverts a score test, as that of Miettinen and Nurminen 1985, Statistics in Medicine 4, 213-226, does for
    differences of two shares.
    """
    if not (n and positives and negatives):
        reason = "no items with judge labels only" if not n else "human labels have only one value"
        return Estimate.undefined(reason, n=n, confidence=confidence)
    q, se, sp = flagged / n, found / positives, passed / negatives
    if se + sp <= 1:
        reason = "the judge flags human-flagged items no more often than others"
        return Estimate.undefined(reason, n=n, confidence=confidence)
    value = min(max((q + sp - 1) / (se + sp - 1), 0.0), 1.0)
    test = _Test((flagged, n), (found, positives), (passed, negatives))
    z = critical_value(confidence)
    if test.distance(value) > z:
        reason = "its flags do not fit its errors on labelled items: were these selected by its labels?"
        return Estimate.undefined(reason, n=n, confidence=confidence)
    limits = Limits(*(np.asarray(test.farthest(value, end, z)) for end in (0.0, 1.0)))
    note = Caveat.FEW_ITEMS if min(positives, negatives) < FEW_ITEMS else None
    return estimate_of(value, limits, n=n, method="score", confidence=confidence, note=note)


@dataclass(frozen=True, slots=True)
class _Test:
    """The distance of the counts from a rate. flagged, found, passed: each with its total number of items."""

    flagged: tuple[int, int]
    found: tuple[int, int]
    passed: tuple[int, int]

    def distance(self, p: float) -> float:
        """In standard errors."""
        (flagged, n), (found, positives), (passed, negatives) = self.flagged, self.found, self.passed
        gap = abs(flagged / n - p * found / positives - (1 - p) * (1 - passed / negatives))
        q, se, sp = self.likeliest(p)
        variance = q * (1 - q) / n + p**2 * se * (1 - se) / positives + (1 - p) ** 2 * sp * (1 - sp) / negatives
        return gap / sqrt(variance) if variance > 0 else inf if gap > _ROUNDING else 0.0

    def likeliest(self, p: float) -> tuple[float, float, float]:
        """The likeliest shares of flags, of true positives and of true negatives, if p is the rate.

        At the maximum the slope g of the log likelihood of the flags moves both others: true positives by
        p g, true negatives by -(1 - p) g. The larger the share of flags, the smaller is g, and with it the moves.
        """
        flagged, n = self.flagged
        low, high = 0.0, 1.0
        for _ in range(_HALVINGS):
            q = (low + high) / 2
            g = flagged / q - (n - flagged) / (1 - q)
            se, sp = _restricted_share(*self.found, p * g), _restricted_share(*self.passed, -(1 - p) * g)
            low, high = (q, high) if p * se + (1 - p) * (1 - sp) > q else (low, q)
        return p * se + (1 - p) * (1 - sp), se, sp

    def farthest(self, value: float, end: float, z: float) -> float:
        """The last rate within z, on the way from such a rate to an end."""
        if self.distance(end) <= z:
            return end
        within, beyond = value, end
        for _ in range(_HALVINGS):
            middle = (within + beyond) / 2
            within, beyond = (middle, beyond) if self.distance(middle) <= z else (within, middle)
        return within


def _restricted_share(part: int, whole: int, slope: float) -> float:
    """The share x at which part / x - (whole - part) / (1 - x) + slope = 0."""
    if slope == 0:
        return part / whole
    # slope x^2 + (whole - slope) x - part = 0; of its two roots the one from 0 to 1, without cancellation
    half = (whole - slope) / 2
    root = sqrt(max(half * half + slope * part, 0.0))
    return part / (half + root) if half > 0 else (root - half) / slope
