"""Prediction-powered estimates: human labels of some items combined with a judge's labels of many more."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf, sqrt

import numpy as np
from numpy.typing import ArrayLike

from adjudge.estimate import Caveat, Estimate
from adjudge.statistics.clusters import Floats, Integers, cluster_degrees
from adjudge.statistics.intervals import Limits, wilson_limits
from adjudge.statistics.planning import fewest_items
from adjudge.statistics.proportions import FEW_ITEMS, alone_note, clusters_note, estimate_of, map_estimate, skewed
from adjudge.statistics.quantiles import critical_value, normal_quantile
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
    their intervals. effective: how many human labels, sampled in the same way, would give the interval of
    `corrected` without a judge; None without an interval. units: the number of items (clusters) with labels. seen,
    unseen: the parts of `together` that more labels would reduce: the residual variance of the labels, and the
    allowance for an unseen error. unevenness: for the terms that labelled units add to both variances, the variance of
    the squares over their squared mean; it measures how precise the variance is. degrees: of freedom of the t in both
    intervals; infinite if they use z.
    """

    people: Estimate
    corrected: Estimate
    weight: float = 0.0
    alone: float = 0.0
    together: float = 0.0
    effective: float | None = None
    units: int = 0
    seen: float = 0.0
    unseen: float = 0.0
    unevenness: tuple[float, float] = (0.0, 0.0)
    degrees: float = inf


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
    # Rescale a bounded estimate to its position between the bounds, others to about 1; map the results back.
    low, span = (0.0, _scale(y)) if bounds is None else (bounds[0], bounds[1] - bounds[0])
    every = np.concatenate([f, rest]) / span
    level = every
    if kinds is not None:
        codes = _group_codes(kinds, other_kinds)
        level = (np.bincount(codes, every) / np.bincount(codes))[codes]
    result = _estimate(sample, (y - low * x) / span, every, level, bounded=bounds is not None, confidence=confidence)
    return result if (low, span) == (0, 1) else _rescale(result, low, span)


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
        else:
            limits = self.wilson(value, variance, n) if self.bounded else self.student(value, variance)
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

    def student(self, value: float, variance: float) -> Limits:
        half = critical_value(self.confidence, self.degrees) * sqrt(variance)
        return Limits(np.asarray(value - half), np.asarray(value + half))

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
    together, unseen = sample.variance(e - weight * f, weight * every) / mean_x**2, 0.0
    seen = sample.variance(e - weight * f, np.zeros(len(every))) / mean_x**2
    if together >= alone:
        weight, together, seen = 0.0, alone, alone
    elif len(sizes) > 1:
        heaviest = float(sizes.max() * sample.parts.max()) * len(sizes) / (len(sizes) - 1)
        error = (1.0 if whole else _PARTLY) if bounded else 2 * alone / float(sizes @ sizes)
        unseen = min(_UNSEEN * heaviest * error, alone - together)
        together += unseen
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
    return Powered(
        people,
        corrected,
        weight,
        alone,
        together,
        None if corrected.low is None else min(items * gained, float(most)),
        len(sizes),
        seen,
        unseen,
        (sample.unevenness(e), sample.unevenness(e - weight * f)),
        inf if scored else interval.degrees,
    )


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


def _scale(y: Floats) -> float:
    """A power of two near the spread of the labels; dividing by it loses no precision."""
    return float(2.0 ** np.frexp(np.ptp(y))[1])


def _rescale(powered: Powered, low: float, span: float) -> Powered:
    """Map the position between the bounds back to the estimate."""
    people, corrected = (map_estimate(part, lambda x: low + span * x) for part in (powered.people, powered.corrected))
    variances = {name: getattr(powered, name) * span**2 for name in ("alone", "together", "seen", "unseen")}
    return replace(powered, people=people, corrected=corrected, **variances)


def _group_codes(values: ArrayLike, others: ArrayLike | None) -> Integers:
    """Groups of the labelled items and of the others as numbers from 0. Others may be None if there are none."""
    every = np.asarray(values) if others is None else np.concatenate([values, others])
    return np.unique(every, return_inverse=True)[1].astype(np.int64)


_WIDEST, _LEAST = 0.25, 1e-9
"""The squared half-width of an uninformative interval, and its effective number of labels."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The fewest human labels in total, existing ones included: with the judge's labels, and alone.

    with_judge: None if even human labels of all items are too few.
    """

    with_judge: int | None
    alone: int


def labels_needed(
    found: Powered,
    labels: int,
    items: int,
    width: float,
    *,
    bounds: tuple[float, float] | None = None,
    assurance: float | None = None,
    confidence: float = 0.95,
) -> Budget:
    """How many human labels, existing and further ones, give an interval no wider than requested.

    With m labels in place of n, the variance of the human estimate is multiplied by n / m. With the judge's labels of M
    items, the residual variance is multiplied by n / m, the allowance for an unseen error by (n / m)^2, and the rest
    stays. The interval of `found` narrows accordingly; a bounded estimate has Wilson's around the corrected value, with
    the labels that give today's width, over the change in variance. For an assurance with the quantile z,
    the terms that fall as n / m are multiplied by 1 + z sqrt(k (1 / C - n / (m C))), with the unevenness k of C units:
    how far the variance from m labels may exceed that from the first n of them.

    found: the estimate now, with an interval. labels, items: n and M, both from 1. width: upper minus lower limit,
    above 0. bounds: those used for `found`. assurance: the probability that the interval is no wider; by default
    about one half.

    >>> from adjudge.statistics.prediction_powered import prediction_powered
    >>> y, f = [1, 0] * 50, [1, 0] * 45 + [0, 1] * 5
    >>> labels_needed(prediction_powered(y, f, f * 20, bounds=(0, 1)), 100, 2100, 0.1, bounds=(0, 1))
    Budget(with_judge=161, alone=381)
    """
    plan = _Plan(found, labels, items, bounds, 0.0 if assurance is None else normal_quantile(assurance), confidence)

    def with_judge(given: int) -> bool:
        given = min(given, items)
        return plan.width(found.corrected, found.together, plan.variance_with_judge(given), given) <= width

    def without_judge(given: int) -> bool:
        return plan.width(found.people, found.alone, plan.variance_without_judge(given), given) <= width

    fewest = _fewest(with_judge, labels) if with_judge(items) or with_judge(labels) else None
    return Budget(fewest, _fewest(without_judge, labels))


def _fewest(enough: Callable[[int], bool], labels: int) -> int:
    """Search upward from the existing labels. If they are too few, the assured variance first grows, then falls."""
    return labels if enough(labels) else labels + fewest_items(lambda further: enough(labels + further))


@dataclass(frozen=True, slots=True)
class _Plan:
    """Predicts an estimate with another number of labels. z: quantile of the assurance."""

    found: Powered
    labels: int
    items: int
    bounds: tuple[float, float] | None
    z: float
    confidence: float

    def units(self, given: int) -> float:
        """The number of units for so many labels."""
        return max(self.found.units * given / self.labels, 1.0)

    def inflated(self, unevenness: float, given: int) -> float:
        return max(1 + self.z * sqrt(unevenness / self.found.units * (1 - self.labels / given)), 0.0)

    def variance_without_judge(self, given: int) -> float:
        """The variance of the human estimate."""
        return self.labels * self.found.alone / given * self.inflated(self.found.unevenness[0], given)

    def variance_with_judge(self, given: int) -> float:
        """The variance of the corrected estimate."""
        found, times = self.found, self.labels / given
        rest = max(found.together - found.seen - found.unseen, 0.0)
        return found.seen * times * self.inflated(found.unevenness[1], given) + rest + found.unseen * times**2

    def width(self, found: Estimate, now: float, later: float, given: int) -> float:
        """The width of an interval after its variance changes. found: the estimate now, with the variance `now`."""
        if self.units(given) <= 1 or found.low is None or found.high is None or found.value is None:
            return inf
        times = later / now if now else self.labels / given
        times *= (self.critical(given) / self.critical(self.labels)) ** 2
        width = found.high - found.low
        if self.bounds is None:
            return width * sqrt(times)
        low, span = self.bounds[0], self.bounds[1] - self.bounds[0]
        share, expected = ((value - low) / span for value in (found.value, self.found.corrected.value or 0.0))
        z = critical_value(self.confidence)
        size = _wilson_size(share, width / span, z) / times
        limits = wilson_limits(expected * size, size, z)
        return span * float(limits.high - limits.low)

    def critical(self, given: int) -> float:
        degrees = self.found.degrees
        return critical_value(self.confidence, max(degrees + self.units(given) - self.found.units, 1))


def _wilson_size(share: float, width: float, critical: float) -> float:
    """The number of labels for which Wilson's interval of a share has that width: its formula solved for n."""
    square = (width / 2) ** 2
    if square >= _WIDEST:
        return _LEAST
    a, b = 1 / 4 - square, share * (1 - share) - 2 * square
    return critical**2 * 2 * a / (sqrt(b**2 + 4 * a * square) - b)
