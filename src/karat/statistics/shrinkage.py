"""Proportions of many annotators, drawn towards their common mean as far as each has little evidence."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from karat.estimate import Estimate
from karat.statistics._checks import Floats, check_confidence, check_parts, columns
from karat.statistics.quantiles import beta_quantile

FEW_ANNOTATORS = 10


class BetaPrior(NamedTuple):
    """The distribution of annotators' true proportions: a beta with this mean and concentration.

    mean: a / (a + b). concentration: a + b; infinite where annotators do not differ (complete pooling).
    """

    mean: float
    concentration: float


def beta_binomial_prior(successes: ArrayLike, totals: ArrayLike) -> BetaPrior | None:
    """Empirical-Bayes prior by Kleinman's weighted moments."""
    (y, x), _ = columns({"successes": successes, "totals": totals})
    check_parts("successes", y, x)
    y, x = y[x > 0], x[x > 0]
    if len(x) < 2:
        return None
    weights = x
    for _ in range(2):
        mean, gamma = _moments(y / x, x, weights)
        weights = x / (1 + gamma * (x - 1))
    return BetaPrior(mean, 1 / gamma - 1 if gamma > 0 else np.inf)


def shrink(successes: ArrayLike, totals: ArrayLike, *, confidence: float = 0.95) -> list[Estimate]:
    """Posterior mean of each annotator's proportion with its equal-tailed posterior interval."""
    check_confidence(confidence)
    (y, x), _ = columns({"successes": successes, "totals": totals})
    prior = beta_binomial_prior(y, x)
    if prior is None:
        return [Estimate.undefined("fewer than two annotators with items", confidence=confidence) for _ in x]
    return [_posterior(float(s), float(n), prior, confidence) for s, n in zip(y, x, strict=True)]


def _moments(shares: Floats, totals: Floats, weights: Floats) -> tuple[float, float]:
    whole = float(weights.sum())
    mean = float(weights @ shares) / whole
    spread = float(weights @ (shares - mean) ** 2)
    between = float(weights @ (1 - weights / whole))
    within = float(weights / totals @ (1 - weights / whole))
    binomial = mean * (1 - mean)
    if binomial == 0 or between <= within:
        return mean, 0.0
    return mean, float(np.clip((spread - binomial * within) / (binomial * (between - within)), 0, 0.99))


def _posterior(y: float, x: float, prior: BetaPrior, confidence: float) -> Estimate:
    if x == 0:
        return Estimate.undefined("no items", confidence=confidence)
    strength = min(prior.concentration, 1e6)
    a, b = max(prior.mean * strength, 1e-6) + y, max((1 - prior.mean) * strength, 1e-6) + x - y
    tail = (1 - confidence) / 2
    value = a / (a + b)
    low, high = beta_quantile(tail, a, b), beta_quantile(1 - tail, a, b)
    return Estimate(value, min(low, value), max(high, value), n=round(x), method="beta-binomial", confidence=confidence)
