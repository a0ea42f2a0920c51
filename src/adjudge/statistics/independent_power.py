"""How probably two judges of different items are told apart."""

import numpy as np

from adjudge.errors import OptionError
from adjudge.statistics._checks import check_confidence, check_share
from adjudge.statistics.binomial import binomial_weights
from adjudge.statistics.intervals import wilson_limits
from adjudge.statistics.quantiles import critical_value, significance_level


def independent_difference_power(
    items: int, first: float, second: float, *, confidence: float = 0.95, tests: int = 1
) -> float:
    """How probably two judges of different items are told apart by their shares of right ones.

    The probability, summed over all counts of right ones, that `independent_difference` of two shares with Wilson's
    intervals gives a p below (1 - confidence) / tests.

    items: n, from 1, of each judge. first, second: the true shares, in [0, 1]. tests: among how many tests it must be
    significant (Bonferroni; the first step of Holm's method). The sum takes n^2 steps.
    Returns a probability. It is not quite steady in n.
    Raises OptionError for numbers outside these ranges.

    >>> round(independent_difference_power(20, 0.95, 0.5), 4)
    0.9428

    Source: the test is that of Zou and Donner 2008, Statistics in Medicine 27, 1693-1702, with Wilson's limits.
    """
    check_confidence(confidence)
    if items < 1:
        raise OptionError(f"items: expected a whole number from 1; got {items!r}")
    for name, share in (("first", first), ("second", second)):
        check_share(name, share)
    counts, z = np.arange(items + 1), critical_value(confidence)
    shares = counts / items
    low, high = wilson_limits(counts, items, z)
    gap = np.subtract.outer(shares, shares)
    down, up = (shares - low) ** 2, (high - shares) ** 2
    toward = np.sqrt(np.where(gap > 0, np.add.outer(down, up), np.add.outer(up, down)))
    told = z * np.abs(gap) > critical_value(1 - significance_level(confidence) / tests) * toward
    (start, weights), (begin, others) = (binomial_weights(items, one) for one in (first, second))
    return float(weights @ told[start : start + len(weights), begin : begin + len(others)] @ others)
