"""The same items scored in several windows of time: since when the judge has been better or worse."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from adjudge.statistics.comparison import Comparison
from adjudge.statistics.scores import mean_change


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
    Returns the Change, the first of several alike; None for fewer than two windows and without items.

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
    found = mean_change(moved.round(12), units, confidence=1 - (1 - confidence) / sought)
    p = None if found.p is None else min(found.p * sought, 1.0)
    return ChangePoint(place, Comparison(replace(found.estimate, confidence=confidence), p))
