"""The true rate of flagged items, from a judge's flags and its error rates."""

from dataclasses import dataclass
from math import inf, sqrt

import numpy as np

from adjudge.estimate import Caveat, Estimate
from adjudge.statistics.intervals import Limits
from adjudge.statistics.proportions import FEW_ITEMS, estimate_of
from adjudge.statistics.quantiles import critical_value

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
