"""Means of real values, from their sums."""

from math import sqrt

import numpy as np

from karat.errors import DataError
from karat.estimate import Estimate, Note
from karat.statistics._checks import check_confidence
from karat.statistics.intervals import Limits
from karat.statistics.proportions import FEW_ITEMS, estimate_of
from karat.statistics.quantiles import critical_value


def mean(n: int, total: float, squares: float, *, confidence: float = 0.95) -> Estimate:
    """The mean of independent real values, such as lengths of texts, from sums that can be split and merged.

    m = T / n; s^2 = (Q - T^2 / n) / (n - 1); m -+ t s / sqrt(n) with t at n - 1 degrees of freedom.

    n: how many values. total, squares: T and Q, their sum and the sum of their squares; whole numbers are
    summed exactly. Returns an Estimate in the values' unit. Undefined where n is 0. One value: no interval,
    noted "one item". Noted "few items" below 30: values may be far from normal.
    Raises DataError where no values can have such sums, OptionError for a wrong confidence.

    >>> print(mean(2, 4, 10))
    2.000 [-10.706, 14.706] n=2 (few items)

    Source: Student 1908, Biometrika 6, 1-25.
    """
    check_confidence(confidence)
    if n == 0:
        return Estimate.undefined("no items", confidence=confidence)
    value = total / n
    if n == 1:
        return Estimate(value, n=n, confidence=confidence, note=Note.ONE_ITEM)
    deviations = (n * squares - total * total) / n
    if deviations < -1e-9 * abs(squares):
        raise DataError(f"no {n} values have the sum {total} and the sum of squares {squares}")
    half = critical_value(confidence, n - 1) * sqrt(max(deviations, 0.0) / (n - 1) / n)
    limits = Limits(np.asarray(value - half), np.asarray(value + half))
    note = Note.FEW_ITEMS if n < FEW_ITEMS else None
    return estimate_of(value, limits, n=n, method="t", confidence=confidence, note=note)
