"""The alternative annotator test: can a judge replace human annotators?"""

from collections.abc import Sequence
from functools import lru_cache
from math import inf, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from adjudge.statistics.clusters import Floats, cluster_degrees, columns, intraclass_correlation, worth_of_clusters
from adjudge.statistics.quantiles import t_two_sided_p

FEW = 30
"""With fewer items the test is exact; Student's t is unreliable there."""
LEAST_PEOPLE = 3
"""The source draws conclusions from the share of annotators matched with at least this many annotators."""
_FEW_LOST = 5
_GRID = 201
_ROUNDING = 1e-12


class Against(NamedTuple):
    """The test of a judge against one annotator. p: None without items. method: exact, tango, t, or clustered-tango."""

    p: float | None
    method: str | None


def alternative_test(
    judge: ArrayLike, person: ArrayLike, *, epsilon: float, clusters: ArrayLike | None = None
) -> Against:
    """Test whether a judge does at least as well as a human annotator, less the annotator's cost advantage epsilon.

    H0: share(person) - share(judge) >= epsilon, one-sided. d = person - judge per item, t = (mean d - epsilon) /
    (s / sqrt(n)), p = P(T <= t) at n - 1 degrees of freedom. If the judge alone does well on fewer than five items,
    by Tango's score of the difference epsilon, normal. Below 30 items exact: the largest probability of so small a
    score, whatever the share of items on which the judge alone does well. In clusters by Tango's score of the
    effective sample size, and t at `cluster_degrees`: by the variance (`worth_of_clusters`) or by the
    intraclass correlation of d, whichever is less, since few clusters may differ little by accident.

    judge, person: per item, whether each is at least as close to the other annotators as the other is: both on ties.
    epsilon: in (0, 1). clusters: the cluster of each item, as whole numbers from 0.
    Returns p; None without items, and with one cluster.
    Raises DataError if the columns do not fit together.

    >>> alternative_test([1] * 10, [0] * 10, epsilon=0.2).p < 0.001  # the judge alone is closest on all ten
    True
    >>> round(alternative_test([1] * 10, [1] * 10, epsilon=0.2).p, 4)  # 0.8 ** 10: all the same
    0.1074

    Source: Calderon, Reichart and Dror 2025, "The alternative annotator test for LLM-as-a-judge" (ACL), section 3;
    score: Tango 1998, Statistics in Medicine 17, 891-908. Departures: they use t from 30 items, which
    rejects up to 19% of true hypotheses at 5% if judge and annotator hardly differ (benchmarks/alternative_test.py),
    and below 30 Wilcoxon's test of symmetry; differences of 0 and 1 are not symmetric.
    """
    (judged, theirs), _ = columns({"judge": judge, "person": person})
    d = theirs - judged
    if not len(d):
        return Against(None, None)
    if clusters is not None:
        return _clustered_against(d, np.asarray(clusters), epsilon)
    gained, lost = int((d > 0).sum()), int((d < 0).sum())
    if len(d) < FEW:
        counts, scores, chances = _every_outcome(len(d), epsilon)
        observed = scores[(counts == (gained, lost)).all(axis=1)][0]
        return Against(min(float(chances[:, scores <= observed + _ROUNDING].sum(axis=1).max()), 1.0), "exact")
    spread = float(d.std(ddof=1))
    if lost < _FEW_LOST or not spread:
        score = float(_score(np.float64(gained), np.float64(lost), len(d), epsilon))
        return Against(_below(score, inf), "tango")
    return Against(_below((float(d.mean()) - epsilon) / (spread / sqrt(len(d))), len(d) - 1), "t")


def _clustered_against(d: Floats, clusters: Floats, epsilon: float) -> Against:
    sizes = np.bincount(clusters).astype(np.float64)
    nonempty = sizes > 0
    sides = ((d > 0).astype(np.float64), (d < 0).astype(np.float64))
    gained, lost = (np.bincount(clusters, side, len(sizes))[nonempty].astype(np.float64) for side in sides)
    sizes = sizes[nonempty]
    if len(sizes) < 2:  # noqa: PLR2004 - one cluster has no variance between clusters
        return Against(None, None)
    once = np.ones(len(sizes))
    alike = intraclass_correlation(gained - lost, sizes, once, gained + lost)
    by_correlation = 1 / (1 + (float(sizes @ sizes) / float(sizes.sum()) - 1) * alike)
    worth = min(worth_of_clusters(gained, lost, sizes, once), by_correlation)
    more, fewer, n = (worth * counts.sum() for counts in (gained, lost, sizes))
    score = float(_score(more, fewer, float(n), epsilon))
    return Against(_below(score, cluster_degrees(sizes)), "clustered-tango")


def _below(t: float, degrees: float) -> float:
    """The probability that Student's t lies below a value."""
    tail = t_two_sided_p(t, degrees) / 2
    return tail if t <= 0 else 1 - tail


@lru_cache(maxsize=128)
def _every_outcome(n: int, epsilon: float) -> tuple[Floats, Floats, Floats]:
    """All counts of gained and lost items, their scores, and their chances: a row per chance of a lost item."""
    counts = np.array([(g, m) for g in range(n + 1) for m in range(n + 1 - g)], dtype=np.float64)
    gained, lost = counts.T
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])
    ways = logs[n] - logs[gained.astype(int)] - logs[lost.astype(int)] - logs[(n - gained - lost).astype(int)]
    loses = np.linspace(0, (1 - epsilon) / 2, _GRID)[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = (
            np.where(count > 0, count * np.log(chance), 0.0)
            for count, chance in (
                (gained, loses + epsilon),
                (lost, loses),
                (n - gained - lost, np.maximum(1 - epsilon - 2 * loses, 0)),
            )
        )
        chances = np.exp(ways + sum(terms, np.zeros(1)))
    return counts, _score(gained, lost, n, epsilon), chances


def _score(gained: Floats | np.float64, lost: Floats | np.float64, n: float, difference: float) -> Floats:
    """Tango's score of a difference; see `tango_limits`."""
    linear = -gained - lost + (2 * n - gained + lost) * difference
    root = np.sqrt(np.maximum(linear**2 + 8 * n * lost * difference * (1 - difference), 0))
    variance = n * ((root - linear) / (2 * n) + difference * (1 - difference))
    return np.asarray((gained - lost - n * difference) / np.sqrt(np.maximum(variance, _ROUNDING)))


def benjamini_yekutieli(p_values: Sequence[float | None]) -> list[float | None]:
    """P-values adjusted to control the false discovery rate under any dependence of the tests.

    p_(k) m c / k with c = 1 + 1/2 + ... + 1/m, made monotone in k and capped at 1.

    p_values: in [0, 1]; None for an undefined test, which does not count.

    >>> [p if p is None else round(p, 4) for p in benjamini_yekutieli([0.01, 0.04, None, 0.03])]
    [0.055, 0.0733, None, 0.0733]

    Source: Benjamini and Yekutieli 2001, Annals of Statistics 29, 1165-1188, theorem 1.3.
    """
    known = [(p, place) for place, p in enumerate(p_values) if p is not None]
    adjusted: list[float | None] = [None] * len(p_values)
    harmonic = sum(1 / k for k in range(1, len(known) + 1))
    least = 1.0
    for rank, (p, place) in reversed(list(enumerate(sorted(known), 1))):
        least = min(least, p * len(known) * harmonic / rank)
        adjusted[place] = least
    return adjusted
