"""Partial pooling: proportions of many annotators, shrunk towards their common mean."""

import numpy as np
from numpy.typing import ArrayLike

from adjudge.estimate import Caveat, Estimate
from adjudge.statistics.clusters import Floats, check_parts, columns
from adjudge.statistics.intervals import Limits
from adjudge.statistics.proportions import estimate_of
from adjudge.statistics.quantiles import beta_quantile

FEWEST_ANNOTATORS = 2
"""A single annotator has no mean to shrink towards."""
FEW_ANNOTATORS = 5
"""Below this many the common distribution is mostly a guess."""
_POINTS = 24
"""Grid points per axis: a third of a standard deviation apart once the grid has closed in."""
_ROUNDS = 8
"""Each round closes in on the peak by up to a factor of eight; it ends when nothing is left to cut."""
_NEGLIGIBLE = 10.0
"""A log-likelihood so far below its peak weighs less than 1 in 20,000."""
_SHIFT = 8
"""Stirling's series is exact to 1e-12 from here on."""


def shrink(successes: ArrayLike, totals: ArrayLike, *, confidence: float = 0.95) -> list[Estimate]:
    """The proportion of each of several annotators, shrunk towards their mean the more, the fewer its data.

    Annotators' proportions follow a beta(a, b) distribution, their counts given them binomial ones. Given a and b,
    annotator i has the posterior beta(a + y, b + x - y). Its mean and variance are averaged over the posterior of a
    and b. Their likelihood, with the mean a / (a + b) and correlation 1 / (a + b + 1), is the product over
    annotators of B(a + y, b + x - y) / B(a, b), on a grid that closes in on its peak. The prior of mean and correlation
    is uniform in (0, 1). The interval is the equal-tailed one of the beta distribution that has
    the averaged mean and variance.

    successes, totals: y and x, one entry per annotator, 0 <= y <= x, whole or not (effective counts).
    Returns an Estimate in [0, 1] per annotator, with n = x. Undefined for an annotator without items, and
    for all if fewer than two have items. Caveat "few annotators" below 5 annotators.
    Raises DataError if the columns do not fit together, OptionError for a wrong confidence.

    >>> [round(estimate.value, 2) for estimate in shrink([5, 5], [10, 10])]
    [0.5, 0.5]

    Source: the beta-binomial model with its parameters averaged over, Gelman et al. 2013, Bayesian Data Analysis, third
    edition, section 5.3; matching the first two moments follows Kass and Steffey 1989, JASA 84, 717-726. Plugging in
    one best a and b instead gives far too narrow intervals. Departure: the prior of Gelman et al. is uniform
    in the mean and in the spread (a + b)^(-1/2), ours in the mean and the correlation: it covered
    better in simulations.
    """
    (y, x), _ = columns({"successes": successes, "totals": totals})
    check_parts("successes", y, x)
    present = x > 0
    if present.sum() < FEWEST_ANNOTATORS:
        return [Estimate.undefined("fewer than two annotators with items", confidence=confidence) for _ in x]
    note = Caveat.FEW_ANNOTATORS if present.sum() < FEW_ANNOTATORS else None
    estimates = [Estimate.undefined("no items", confidence=confidence)] * len(x)
    shapes, tail = _posterior_shapes(y[present], x[present]), (1 - confidence) / 2
    for place, a, b in zip(np.flatnonzero(present).tolist(), *shapes, strict=True):
        limits = Limits(np.asarray(beta_quantile(tail, a, b)), np.asarray(beta_quantile(1 - tail, a, b)))
        estimates[place] = estimate_of(
            a / (a + b), limits, n=round(x[place]), method="beta-binomial", confidence=confidence, note=note
        )
    return estimates


def _posterior_shapes(y: Floats, x: Floats) -> tuple[list[float], list[float]]:
    """The shapes of the beta with each annotator's posterior mean and variance."""
    *points, weights = _posterior_grid(y, x)
    a, b = _shapes(*points)
    first, whole = a[:, None] + y, (a + b)[:, None] + x
    means = first / whole
    mean = weights @ means
    variance = weights @ (means * (1 - means) / (whole + 1) + (means - mean) ** 2)
    size = mean * (1 - mean) / variance - 1
    return (mean * size).tolist(), ((1 - mean) * size).tolist()


def _posterior_grid(y: Floats, x: Floats) -> tuple[Floats, Floats, Floats]:
    """Means, correlations and posterior weights of a grid over the part of (0, 1) x (0, 1) that is not negligible."""
    box = np.array([[0.0, 1.0], [0.0, 1.0]])
    pairs, counts = np.unique(np.stack([y, x]), axis=1, return_counts=True)
    for round_left in reversed(range(_ROUNDS)):
        axes = box[:, :1] + (box[:, 1:] - box[:, :1]) * (np.arange(_POINTS) + 0.5) / _POINTS
        means, correlations = (axis.ravel() for axis in np.meshgrid(*axes, indexing="ij"))
        logs = _log_likelihood(means, correlations, pairs, counts.astype(np.float64))
        kept = (logs > logs.max() - _NEGLIGIBLE).reshape(_POINTS, _POINTS)
        closer = np.stack([_cut(box[0], kept.any(axis=1)), _cut(box[1], kept.any(axis=0))])
        if not round_left or np.array_equal(closer, box):
            break
        box = closer
    weights = np.exp(logs - logs.max())
    return means, correlations, weights / weights.sum()


def _cut(bounds: Floats, kept: Floats) -> Floats:
    """The bounds of the kept points, with one more cell on either side."""
    places = np.flatnonzero(kept)
    first, last = max(places[0] - 1, 0), min(places[-1] + 2, _POINTS)
    cut: Floats = bounds[0] + (bounds[1] - bounds[0]) * np.array([first, last]) / _POINTS
    return cut


def _log_likelihood(means: Floats, correlations: Floats, pairs: Floats, counts: Floats) -> Floats:
    a, b = _shapes(means, correlations)
    y, x = pairs
    logs = _log_gamma(a[:, None] + y) + _log_gamma(b[:, None] + x - y) - _log_gamma((a + b)[:, None] + x)
    total: Floats = (logs - (_log_gamma(a) + _log_gamma(b) - _log_gamma(a + b))[:, None]) @ counts
    return total


def _shapes(means: Floats, correlations: Floats) -> tuple[Floats, Floats]:
    size = 1 / correlations - 1
    return means * size, (1 - means) * size


def _log_gamma(z: Floats) -> Floats:
    """The logarithm of Gamma(z), by Stirling's series after shifting z upwards."""
    product = np.ones_like(z)
    for step in range(_SHIFT):
        product = product * (z + step)
    z = z + _SHIFT
    square = 1 / (z * z)
    series = (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square * (1 / 1680 - square / 1188)))) / z
    result: Floats = (z - 0.5) * np.log(z) - z + 0.5 * np.log(2 * np.pi) + series - np.log(product)
    return result
