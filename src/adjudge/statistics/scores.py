"""Means of scores of items, each from 0 to 1 or a difference of two of these, whether items are clustered or not."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from adjudge.errors import DataError
from adjudge.estimate import Estimate
from adjudge.statistics._checks import Floats, Integers
from adjudge.statistics.comparison import Comparison, paired_t
from adjudge.statistics.proportions import clustered_proportion, linearised_proportion, proportion
from adjudge.statistics.strength import clustered_paired_difference, paired_difference


def mean_score(values: ArrayLike, units: ArrayLike | None = None, *, confidence: float = 0.95) -> Estimate:
    """The mean of scores in [0, 1] of items, such as the share of people who agree with a judge.

    sum s / n. Where each score is 0 or 1 the interval is that of `proportion`, in clusters `clustered_proportion`; else
    that of `linearised_proportion`.

    values: s. units: the number of each item's cluster; by default items are independent.
    Returns an Estimate in [0, 1] with n items; undefined without any. Noted as those functions say.
    Raises DataError for a score outside [0, 1] or units of another length, OptionError for a wrong confidence.

    >>> mean_score([1, 1, 0.5, 0.5]).value, mean_score([1, 1, 0, 0]).method
    (0.75, 'wilson')
    """
    scores, codes = _scores(values, units)
    if not len(scores):
        return Estimate.undefined("no items", confidence=confidence)
    if scores.min() < 0 or scores.max() > 1:
        raise DataError(f"expected scores from 0 to 1; got {scores.min():g} to {scores.max():g}")
    whole = bool(np.isin(scores, (0.0, 1.0)).all())
    if whole and codes is None:
        return proportion(int(scores.sum()), len(scores), confidence=confidence)
    sums, sizes = sums_of(scores, codes)
    if whole:
        return clustered_proportion(sums, sizes, confidence=confidence)
    value, n = float(scores.mean()), len(scores)
    if codes is None:
        distinct, times = np.unique(scores, return_counts=True)  # millions of items have few different scores
        moved = (distinct - value) / n
        return linearised_proportion(value, moved, n=n, multiplicity=times, scores=True, confidence=confidence)
    moved = (sums - value * sizes) / n
    return linearised_proportion(value, moved, n=n, sizes=sizes, scores=True, confidence=confidence)


def mean_change(values: ArrayLike, units: ArrayLike | None = None, *, confidence: float = 0.95) -> Comparison:
    """The mean of differences of two scores of the same items, and the test that it is 0.

    sum d / n. Where each difference is -1, 0 or 1 interval and p are those of `paired_difference`, in clusters
    `clustered_paired_difference`; else those of `paired_t`.

    values: d, such as a judge's score of an item less people's. units: the number of each item's cluster; by default
    items are independent. Returns a Comparison with n items; undefined without any. Noted as those functions say.
    Raises DataError for units of another length, OptionError for a wrong confidence.

    >>> mean_change([1, 0, 0, -1]).estimate.method, mean_change([1, 0.5]).estimate.value
    ('tango', 0.75)
    """
    changes, codes = _scores(values, units)
    whole = bool(np.isin(changes, (-1.0, 0.0, 1.0)).all())
    if not whole and codes is None:
        distinct, times = np.unique(changes, return_counts=True)  # millions of items have few different scores
        return paired_t(distinct, multiplicity=times, confidence=confidence)
    if not whole:
        sums, sizes = sums_of(changes, codes)
        return paired_t(sums, totals=sizes, confidence=confidence)
    gained, lost = changes > 0, changes < 0
    if codes is None:
        return paired_difference(int(gained.sum()), int(lost.sum()), len(changes), confidence=confidence)
    (more, sizes), (fewer, _) = (sums_of(side.astype(np.float64), codes) for side in (gained, lost))
    return clustered_paired_difference(more, fewer, sizes, confidence=confidence)


class ChangePoint(NamedTuple):
    """Where the scores of items change most clearly. window: the first one after it. found: after less before."""

    window: int
    found: Comparison


def change_point(scores: ArrayLike, units: ArrayLike | None = None, *, confidence: float = 0.95) -> ChangePoint | None:
    """The window since which the mean of the same items differs most clearly from the mean before.

    The place k of W windows at which k (W - k) / W times the squared mean of d is greatest, d each item's mean after it
    less its mean before. Its p and interval are those of `mean_change` of d; p times W - 1, at most 1, and the interval
    at 1 - (1 - confidence) / (W - 1), so that both hold although the place was sought.

    scores: items x windows in their order, without gaps. units: the number of each item's cluster.
    Returns the ChangePoint, the first of several equal ones; None for fewer than two windows and without items.

    >>> found = change_point([[1, 1, 0]] * 8 + [[1, 1, 1]] * 8)
    >>> found.window, found.found.estimate.value
    (2, -0.5)

    Source: the place of the least squares, Page 1955, Biometrika 42, 523-527, with Bonferroni's inequality over places.
    """
    table = np.asarray(scores, dtype=np.float64)
    windows = table.shape[1]
    if not len(table) or windows < 2:  # noqa: PLR2004 - nothing changes in one
        return None
    means = table.mean(axis=0)
    gains = [k * (windows - k) * (means[k:].mean() - means[:k].mean()) ** 2 for k in range(1, windows)]
    place = 1 + int(np.argmax(np.round(gains, 12)))
    moved = table[:, place:].mean(axis=1) - table[:, :place].mean(axis=1)
    sought = windows - 1
    change = mean_change(moved.round(12), units, confidence=1 - (1 - confidence) / sought)
    p = None if change.p is None else min(change.p * sought, 1.0)
    return ChangePoint(place, Comparison(replace(change.estimate, confidence=confidence), p))


def sums_of(values: Floats, codes: Integers | None) -> tuple[Floats, Floats]:
    """For each cluster, the sum of the values of its items, and its number of items; without codes for each item."""
    if codes is None:
        return values, np.ones(len(values))
    cluster = np.unique(codes, return_inverse=True)[1]
    sums: Floats = np.bincount(cluster, weights=values).astype(np.float64)
    return sums, np.bincount(cluster).astype(np.float64)


def _scores(values: ArrayLike, units: ArrayLike | None) -> tuple[Floats, Integers | None]:
    scores = np.asarray(values, dtype=np.float64)
    codes = None if units is None else np.asarray(units)
    if codes is not None and codes.shape != scores.shape:
        raise DataError(f"expected a unit for each of {len(scores)} items; got {len(codes)}")
    return scores, codes
