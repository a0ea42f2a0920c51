"""Means of what people say, sharpened by what a judge says of many more items."""

import numpy as np
from numpy.typing import ArrayLike

from karat.errors import DataError
from karat.estimate import Estimate, Note
from karat.statistics._checks import Floats, check_confidence
from karat.statistics.intervals import Limits
from karat.statistics.proportions import FEW_ITEMS, estimate_of
from karat.statistics.quantiles import critical_value


def prediction_powered_mean(
    labels: ArrayLike,
    predicted: ArrayLike,
    others: ArrayLike,
    *,
    units: ArrayLike | None = None,
    other_units: ArrayLike | None = None,
    confidence: float = 0.95,
) -> Estimate:
    """The mean of people's labels over all items, where people saw a part of them and a judge saw all.

    m = mean(Y) + w (mean(F) - mean(f)), w = cov(Y, f) / ((1 + n / N) var(f)), from 0 to 1; its variance is
    G / (G - 1) sum of squares of the units' sums of (Y - w f - mean) / n and w (F - mean) / N. t at the number of units
    with labels less 1. The judge's errors are taken off as far as the labelled part shows them; a judge that says
    nothing of people's labels has w = 0, and the mean is that of the labels alone.

    labels, predicted: Y and f, what people and the judge say of the n labelled items, as numbers. others: F, what the
    judge says of the N others. units, other_units: what items come from, whole numbers that both share; each item by
    itself by default. The labelled items have to be a random sample of all.
    Returns an Estimate in the labels' unit with n = n + N. Undefined without labels. One unit with labels: no
    interval, noted "one item"; without any variation none, noted "no variation". Below 30 of them noted "few items".
    Raises DataError for columns that do not fit together, OptionError for a wrong confidence.

    >>> prediction_powered_mean([1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 0, 0, 0]).value
    0.421875

    Source: Angelopoulos, Duchi and Zrnic 2023, "PPI++: Efficient prediction-powered inference", arXiv:2311.01453,
    section 6. Departures: clusters, and t in place of the normal distribution.
    """
    check_confidence(confidence)
    y, f, rest = (np.asarray(column, dtype=np.float64) for column in (labels, predicted, others))
    if y.shape != f.shape or y.ndim != 1 or rest.ndim != 1:
        raise DataError(f"expected a prediction for each label; got {y.shape} labels and {f.shape} predictions")
    own, further = _units(units, 0, len(y)), _units(other_units, len(y), len(rest))
    if not len(y):
        return Estimate.undefined("no labels", confidence=confidence)
    weight = _weight(y, f, rest)
    value = y.mean() + (weight * (rest.mean() - f.mean()) if len(rest) else 0.0)
    n, labelled = len(y) + len(rest), len(np.unique(own))
    if labelled == 1:
        return Estimate(float(value), n=n, confidence=confidence, note=Note.ONE_ITEM)
    left = y - weight * f
    moved = [(left - left.mean()) / len(y), weight * (rest - rest.mean()) / len(rest) if len(rest) else rest]
    _, place = np.unique(np.concatenate([own, further]), return_inverse=True)
    sums = np.bincount(place, np.concatenate(moved))
    variance = float(sums @ sums) * len(sums) / (len(sums) - 1)
    if variance <= _ROUNDING:
        return Estimate(float(value), n=n, confidence=confidence, note=Note.NO_VARIATION)
    half = critical_value(confidence, labelled - 1) * variance**0.5
    limits = Limits(np.asarray(value - half), np.asarray(value + half))
    note = Note.FEW_ITEMS if labelled < FEW_ITEMS else None
    return estimate_of(value, limits, n=n, method="prediction-powered", confidence=confidence, note=note)


def _units(units: ArrayLike | None, first: int, size: int) -> Floats:
    """The unit of each item; by default its own, numbered from the first."""
    found = np.arange(first, first + size) if units is None else np.asarray(units)
    if found.shape != (size,):
        raise DataError(f"units: expected one of each of {size} items; got {found.shape}")
    return found.astype(np.float64)


def _weight(y: Floats, f: Floats, rest: Floats) -> float:
    """How far the judge is trusted."""
    spread = float(np.var(np.concatenate([f, rest])))
    if not len(rest) or spread <= _ROUNDING:
        return 0.0
    together = float(((y - y.mean()) * (f - f.mean())).mean())
    return min(max(together / ((1 + len(y) / len(rest)) * spread), 0.0), 1.0)


_ROUNDING = 1e-14
