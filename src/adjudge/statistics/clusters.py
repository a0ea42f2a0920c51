"""Effective sample sizes and variances of clustered counts, and checks of such counts."""

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from adjudge.errors import DataError

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]


def check_part(name: str, part: float, whole: float) -> None:
    """Raise DataError unless 0 <= part <= whole."""
    if not 0 <= part <= whole:
        raise DataError(f"{name}: expected a count from 0 to {whole}; got {part}")


def columns(named: Mapping[str, ArrayLike | None], multiplicity: ArrayLike | None = None) -> tuple[Floats, Floats]:
    """The named columns, one entry per cluster, as a matrix, column x cluster; and each cluster's multiplicity.

    A column that is None is 1 throughout; the first must not be None.
    Raises DataError if the columns differ in length or have values other than finite numbers,
    or if a multiplicity is negative.
    """
    given = [None if column is None else np.asarray(column, np.float64) for column in (*named.values(), multiplicity)]
    ones = np.ones(max(len(column) for column in given if column is not None))
    arrays = [ones if column is None else column for column in given]
    if any(column.shape != ones.shape or not np.isfinite(column).all() for column in arrays) or (arrays[-1] < 0).any():
        shapes = ", ".join(str(column.shape) for column in arrays)
        listed = ", ".join([*named, "multiplicity"])
        raise DataError(f"{listed}: expected finite numbers, one per cluster, multiplicities from 0; got {shapes}")
    present = arrays[-1] > 0
    return np.stack(arrays[:-1])[:, present], arrays[-1][present]


def check_parts(name: str, parts: Floats, wholes: Floats) -> None:
    """Raise DataError unless every part lies between 0 and its whole."""
    wrong = np.flatnonzero((parts < 0) | (parts > wholes))
    if len(wrong):
        first = wrong[0]
        raise DataError(f"{name}[{first}]: expected 0 to {wholes[first]:g}; got {parts[first]:g}", more=len(wrong) - 1)


_ROUNDING = 1e-14
"""Variances below this share of the largest count are rounding errors: the share is equal in all clusters."""


class EffectiveCounts(NamedTuple):
    """A clustered proportion as if its items were independent.

    successes, n: the effective counts. clusters: the number of clusters with items. items: their number of
    items. observed: the successes among these; observed / items is the proportion itself.
    """

    successes: float
    n: float
    clusters: int
    items: float
    observed: float


def effective_counts(
    successes: ArrayLike, totals: ArrayLike, *, multiplicity: ArrayLike | None = None
) -> EffectiveCounts:
    """The counts of independent items that are as informative about a proportion as clustered ones.

    R = sum y / sum x, N = sum x, e = y - R x per cluster.
    n1 = R (1 - R) / v, at most N, with v = sum(e^2 / (1 - x / N)) / N^2; N^2 / sum x^2 if v = 0.
    n2 = N / (1 + (sum x^2 / N - 1) ICC), with the intraclass correlation of the analysis of variance, kept
    in [0, 1], and 1 if it is undefined. The effective n is the smaller of the two.

    successes, totals: y and x, one entry per cluster, 0 <= y <= x; clusters with total 0 are ignored.
    multiplicity: how many clusters share an entry; one each by default.
    Returns EffectiveCounts; all zero without items. With one cluster n is 1.
    Raises DataError if the columns do not fit together or y lies outside 0 to x.

    >>> effective_counts([2, 0], [2, 2])
    EffectiveCounts(successes=0.5, n=1.0, clusters=2, items=4.0, observed=2.0)

    Source: effective n by the design effect, Korn and Graubard 1998, Survey Methodology 24, 193-201; the
    variance corrected for leverage, Bell and McCaffrey 2002, Survey Methodology 28, 169-181; n2 is Kish's
    design effect (Survey Sampling, 1965). Taking the smaller of both is ours.
    """
    (y, x), weights = columns({"successes": successes, "totals": totals}, multiplicity)
    check_parts("successes", y, x)
    y, x, weights = y[x > 0], x[x > 0], weights[x > 0]
    items, clusters = float(weights @ x), int(weights.sum())
    if items == 0:
        return EffectiveCounts(0.0, 0.0, 0, 0.0, 0.0)
    observed, squares = float(weights @ y), float(weights @ x**2)
    ratio = observed / items
    variance = linearised_variance(y - ratio * x, x, weights)
    by_variance = items**2 / squares
    if variance != 0 and 0 < ratio < 1:
        by_variance = min(ratio * (1 - ratio) / variance, items)
    n = min(by_variance, items / (1 + (squares / items - 1) * intraclass_correlation(y, x, weights)))
    return EffectiveCounts(min(n * (observed / items), n), n, clusters, items, observed)


def linearised_variance(residuals: Floats, sizes: Floats, weights: Floats) -> float:
    """Variance of a ratio from each cluster's residual, corrected for its leverage.

    v = sum(e^2 / (1 - x / N)) / N^2, N = sum x; each entry counts as often as its weight says.

    residuals, sizes, weights: e, x and the multiplicity per entry. Returns v; 0 with one cluster, which has
    no residual.

    >>> linearised_variance(np.array([1.0, -1.0]), np.array([2.0, 2.0]), np.array([1.0, 1.0]))
    0.25

    Source: Bell and McCaffrey 2002, Survey Methodology 28, 169-181, for a ratio.
    """
    total = float(weights @ sizes)
    rest = 1 - sizes / total
    squares = np.divide(residuals**2, rest, out=np.zeros_like(residuals), where=rest > 0)
    return float(weights @ squares) / total**2


def cluster_degrees(sizes: ArrayLike, *, multiplicity: ArrayLike | None = None) -> float:
    """Degrees of freedom of a variance between clusters: fewer than C - 1 for C clusters of different sizes.

    N^2 / (sum x^2 + ((sum s)^2 - sum s^2) / N^2) with N = sum x and s = x^2 / (1 - x / N): Satterthwaite's for
    `linearised_variance` of independent items with one variance. C - 1 if all sizes are equal.

    sizes: x, the items of each cluster, from 0. multiplicity: how many clusters share an entry.
    Returns a number from 1 to C - 1; 0 with one cluster.

    >>> round(cluster_degrees([2, 2, 2]), 12), round(cluster_degrees([1, 1, 10]), 2)
    (2.0, 1.2)

    Source: Bell and McCaffrey 2002, Survey Methodology 28, 169-181, section 4, for a mean.
    """
    (x,), weights = columns({"sizes": sizes}, multiplicity)
    x, weights = x[x > 0], weights[x > 0]
    if weights.sum() <= 1:
        return 0.0
    total = float(weights @ x)
    s = x**2 / (1 - x / total)
    across = float(weights @ s) ** 2 - float(weights @ s**2)
    return total**2 / (float(weights @ x**2) + across / total**2)


def worth_of_clusters(gained: Floats, lost: Floats, totals: Floats, weights: Floats, *, most: float = 1.0) -> float:
    """The effective sample size per item in clusters, for the difference of gains and losses.

    The independent variance over the clustered one, at most `most`; N / sum x^2, as if all items of a cluster were
    alike, if either is 0.

    gained, lost, totals: per cluster, totals above 0. weights: how many clusters share an entry.

    >>> worth_of_clusters(*np.array([[2.0, 0.0], [0.0, 2.0], [2.0, 2.0], [1.0, 1.0]]))
    0.25
    """
    n = float(weights @ totals)
    value = float(weights @ (gained - lost)) / n
    independent = (float(weights @ (gained + lost)) / n - value**2) / n
    clustered = linearised_variance(gained - lost - value * totals, totals, weights)
    if independent <= 0 or clustered <= 0:
        return n / float(weights @ totals**2)
    return min(independent / clustered, most)


def intraclass_correlation(successes: Floats, totals: Floats, weights: Floats, squares: Floats | None = None) -> float:
    """The similarity of items in one cluster, by the analysis of variance of an outcome, a binary one by default.

    (MSB - MSW) / (MSB + (m - 1) MSW), MSB and MSW the mean squares between and within clusters,
    m = (N - sum x^2 / N) / (C - 1).

    successes, totals, weights: y, x and the multiplicity per entry, x above 0. squares: the sum of the squares of each
    entry's outcomes; y by default.
    Returns [0, 1]: 0 without an effect of clusters (and for negative estimates), 1 for uniform clusters;
    1 if it is undefined: one cluster, only clusters of one item, or no variation at all.

    >>> intraclass_correlation(np.array([2.0, 0.0]), np.array([2.0, 2.0]), np.array([1.0, 1.0]))
    1.0

    Source: Donner 1986, International Statistical Review 54, 67-82.
    """
    items, clusters = float(weights @ totals), float(weights.sum())
    if clusters <= 1 or items <= clusters:
        return 1.0
    shares = successes / totals
    mean = float(weights @ successes) / items
    between = float(weights @ (totals * (shares - mean) ** 2)) / (clusters - 1)
    within = float(weights @ ((successes if squares is None else squares) - successes * shares)) / (items - clusters)
    size = (items - float(weights @ totals**2) / items) / (clusters - 1)
    whole = between + (size - 1) * within
    return float(np.clip((between - within) / whole, 0, 1)) if whole > 0 else 1.0


def influence_correlations(influence: Floats, otherwise: Floats | float = 1.0) -> Floats:
    """The correlations of metrics over the same units, from their influence values.

    r_kl = sum u_k u_l / sqrt(sum u_k^2 sum u_l^2).

    influence: u, units x metrics; each column adds up to 0. otherwise: r for a metric that does not vary,
    as one number or metrics x metrics; by default 1, the worst case.
    Returns metrics x metrics, 1 on the diagonal.

    >>> influence_correlations(np.array([[1.0, -2.0], [-1.0, 2.0]]))
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    products = influence.T @ influence
    scale = np.sqrt(np.diag(products))
    size = np.outer(scale, scale)
    correlations: Floats = np.where(size > 0, products / np.where(size > 0, size, 1.0), otherwise)
    np.fill_diagonal(correlations, 1.0)
    return correlations


def share_correlations(hits: Floats, totals: Floats) -> Floats:
    """The correlations of shares over different items of the same clusters, such as the recalls of several labels.

    `influence_correlations` of y - R x per cluster. The correlation of a share that does not vary is bounded by the
    overlap in clusters: sum x_k x_l / sqrt(sum x_k^2 sum x_l^2).

    hits, totals: y and x, shares x clusters; each share has items. y may be gains minus losses.
    Returns shares x shares, 1 on the diagonal.

    >>> share_correlations(np.array([[1.0, 0.0], [2.0, 0.0]]), np.array([[1.0, 1.0], [2.0, 2.0]]))
    array([[1., 1.],
           [1., 1.]])
    """
    shares = hits.sum(axis=1) / totals.sum(axis=1)
    residuals = hits - shares[:, None] * totals
    residuals[np.abs(residuals) < _ROUNDING * totals.max()] = 0.0
    length = np.sqrt((totals**2).sum(axis=1))
    return influence_correlations(residuals.T, totals @ totals.T / np.outer(length, length))
