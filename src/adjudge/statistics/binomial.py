"""The probabilities of a binomial distribution, as far as they are more than nothing."""

from math import ceil, sqrt

import numpy as np

from adjudge.statistics._checks import Floats

_DEVIATIONS = 10.0
"""Standard deviations to either side beyond which nothing is left to add up."""


def binomial_weights(n: int, share: float) -> tuple[int, Floats]:
    """The probabilities of binomial(n, share) around its mean, and the count at which they begin."""
    if not 0 < share < 1:
        return n if share else 0, np.ones(1)
    mode = min(int((n + 1) * share), n)
    reach = ceil(_DEVIATIONS * sqrt(n * share * (1 - share))) + 20
    first, last = max(mode - reach, 0), min(mode + reach, n)
    k = np.arange(first, last)
    logs = np.concatenate([[0.0], np.cumsum(np.log((n - k) / (k + 1) * (share / (1 - share))))])
    weights = np.exp(logs - logs.max())
    return first, weights / weights.sum()
