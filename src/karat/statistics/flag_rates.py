"""How often items are flagged in truth, from how often a judge flags them and how often it errs."""

from math import sqrt

import numpy as np

from karat.estimate import Estimate, Note
from karat.statistics._checks import check_confidence, check_part
from karat.statistics.intervals import Limits
from karat.statistics.proportions import FEW_ITEMS, estimate_of
from karat.statistics.quantiles import normal_quantile

_ADDED = 1
"""Right and wrong answers that are added on each side."""


def true_rate(
    flagged: int, n: int, found: int, positives: int, passed: int, negatives: int, *, confidence: float = 0.95
) -> Estimate:
    """The share of items with a label, such as unsafe, of which only an imperfect judge speaks.

    (q + sp - 1) / (se + sp - 1), kept in [0, 1], with q = flagged / n, se = found / positives, sp = passed / negatives.
    Interval: with z of the confidence, q' = (flagged + z^2 / 2) / (n + z^2), se' = (found + 1) / (positives + 2),
    sp' = (passed + 1) / (negatives + 2), p' from these as above, and V(x, m) = x (1 - x) / m:
    p' + 2 z^2 (p' V(se', positives + 2) - (1 - p') V(sp', negatives + 2))
    -+ z sqrt(V(q', n + z^2) + p'^2 V(se', positives + 2) + (1 - p')^2 V(sp', negatives + 2)) / (se' + sp' - 1).

    flagged, n: what the judge flags of the items that nobody else labelled. found, positives: what it flags of those
    that people flag; passed, negatives: what it does not flag of those that people do not. The labelled items may have
    been chosen by their true labels, never by the judge's: how it treats each kind has to be as in the others.
    Returns an Estimate in [0, 1] with that n. Undefined without items, without labelled items of either kind, and where
    se + sp <= 1: the judge then flags at random, or the other way round. Undefined too where what
    the judge flags lies beyond what its errors allow: labelled items chosen by what it says of them do not show these.
    Noted "few items" below 30 of either kind.
    Raises DataError for counts that do not fit together, OptionError for a wrong confidence.

    >>> print(true_rate(27, 650, 50, 100, 199, 200))
    0.074 [0.027, 0.115] n=650

    Source: Rogan and Gladen 1978, American Journal of Epidemiology 107, 71-76; interval of Lang and Reiczigel 2014,
    Preventive Veterinary Medicine 113, 13-22.
    """
    check_confidence(confidence)
    for name, part, whole in (("flagged", flagged, n), ("found", found, positives), ("passed", passed, negatives)):
        check_part(name, part, whole)
    if not (n and positives and negatives):
        reason = "no items of which the judge alone speaks" if not n else "people gave only one of both labels"
        return Estimate.undefined(reason, n=n, confidence=confidence)
    q, se, sp = flagged / n, found / positives, passed / negatives
    if se + sp <= 1:
        reason = "the judge flags what people flag no more often than the rest"
        return Estimate.undefined(reason, n=n, confidence=confidence)
    value = min(max(_corrected(q, se, sp), 0.0), 1.0)
    limits = _limits((flagged, n), (found, positives), (passed, negatives), normal_quantile((1 + confidence) / 2))
    if limits.high - limits.low <= 0:
        reason = "its flags do not fit its errors on labelled items: were these chosen by its labels?"
        return Estimate.undefined(reason, n=n, confidence=confidence)
    note = Note.FEW_ITEMS if min(positives, negatives) < FEW_ITEMS else None
    return estimate_of(value, limits, n=n, method="lang-reiczigel", confidence=confidence, note=note)


def _corrected(q: float, se: float, sp: float) -> float:
    return (q + sp - 1) / (se + sp - 1)


def _limits(flagged: tuple[int, int], found: tuple[int, int], passed: tuple[int, int], z: float) -> Limits:
    q, of_q = _added(*flagged, z * z / 2)
    se, of_se = _added(*found, _ADDED)
    sp, of_sp = _added(*passed, _ADDED)
    if se + sp <= 1:  # what was added has undone it
        return Limits(np.asarray(0.0), np.asarray(1.0))
    p = _corrected(q, se, sp)
    middle = p + 2 * z * z * (p * of_se - (1 - p) * of_sp)
    half = z * sqrt(of_q + p * p * of_se + (1 - p) ** 2 * of_sp) / (se + sp - 1)
    low, high = np.clip([middle - half, middle + half], 0, 1)
    return Limits(np.asarray(low), np.asarray(high))


def _added(part: int, whole: int, each: float) -> tuple[float, float]:
    """A share with so much added on both sides, and its variance."""
    share, size = (part + each) / (whole + 2 * each), whole + 2 * each
    return share, share * (1 - share) / size
