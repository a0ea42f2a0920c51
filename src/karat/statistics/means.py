"""Means of real values, from their sums."""

from math import sqrt

import numpy as np

from karat.errors import DataError
from karat.estimate import Estimate, Note
from karat.statistics.intervals import Limits
from karat.statistics.proportions import FEW_ITEMS, estimate_of
from karat.statistics.quantiles import critical_value

_SKEWED = 25
"""Of Cochran's rule: t needs more than so many times the squared skewness."""


def mean(n: int, total: float, squares: float, cubes: float | None = None, *, confidence: float = 0.95) -> Estimate:
    """The mean of independent real values, such as lengths of texts, from sums that can be split and merged.

    m = T / n; s^2 = (Q - T^2 / n) / (n - 1); m -+ t s / sqrt(n) with t at n - 1 degrees of freedom.

    n: how many values. total, squares, cubes: T and Q, their sum and the sum of their squares, and of their cubes;
    whole numbers are summed exactly. Returns an Estimate in the values' unit. Undefined where n is 0. One value: no
    interval, noted "one item". Noted "few items" below 30: values may be far from normal; else "skewed" where their
    cubes tell so (see `skewed`).
    Raises DataError where no values can have such sums, OptionError for a wrong confidence.

    >>> print(mean(2, 4, 10))
    2.000 [-10.706, 14.706] n=2 (few items)

    Source: Student 1908, Biometrika 6, 1-25.
    """
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
    third = 0.0 if cubes is None else cubes - 3 * value * squares + 2 * n * value**3
    note = Note.FEW_ITEMS if n < FEW_ITEMS else Note.SKEWED if skewed(deviations, third) else None
    return estimate_of(value, limits, n=n, method="t", confidence=confidence, note=note)


def skewed(squares: float, cubes: float) -> bool:
    """Whether values are too skewed for the t interval of their mean.

    n <= 25 g^2, where n is how many they are and g = sqrt(n) sum e^3 / (sum e^2)^1.5 their skewness. n cancels:
    (sum e^2)^3 <= 25 (sum e^3)^2.

    squares, cubes: sums of e^2 and e^3, where e is a value's deviation from the mean.
    Returns False where they do not vary.

    >>> skewed(50.0, 50.0), skewed(50.0, 100.0)
    (False, True)

    Source: Cochran 1977, Sampling Techniques, 3rd edition, section 2.15.
    """
    return 0 < squares**3 <= _SKEWED * cubes**2
