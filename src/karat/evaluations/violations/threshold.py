"""The threshold of a fitted score: where people's answers turn, or where most of them are reproduced."""

import numpy as np
from numpy.typing import NDArray

from karat.evaluations.violations.matching import Floats, Integers


def best_threshold(
    score: Floats, same: NDArray[np.bool_], groups: Integers, usual: float, counts: Floats | None = None
) -> float:
    """The threshold above which pairs are called the same that reproduces most judgments; else the usual one.

    The usual one, of a likely model, stays unless another reproduces more by a standard error: on few judgments the one
    that fits them best is a matter of luck. That error is of sums over texts. Of several that are as good the nearest
    to the usual one counts, halfway between two scores.

    score: of each pair, from 0. same: whether people call it so. groups: its text, from 0. counts: how often each
    judgment counts, once by default. None is below 0, so that what is alike in nothing is never the same.

    >>> score, same = np.array([0.2] * 9 + [0.4] * 9), np.array([False] * 9 + [True] * 9)
    >>> [round(best_threshold(score, same, np.arange(18), usual), 2) for usual in (0.1, 0.25)]
    [0.3, 0.25]
    """
    weight = np.ones(len(score)) if counts is None else counts
    cuts, place = np.unique(score, return_inverse=True)
    # What calling everything up to a cut another one gains, beside calling nothing so.
    gain = np.concatenate([[0], np.cumsum(np.bincount(place, np.where(same, -weight, weight), len(cuts)))])
    lows, highs = np.concatenate([[0], cuts]), np.concatenate([cuts, cuts[-1:]])
    between = np.where((lows <= usual) & (usual < highs), usual, (lows + highs) / 2)
    possible = np.append(lows[:-1] < highs[:-1], True)
    best = between[possible & (gain == gain[possible].max())]
    moved = float(best[np.abs(best - usual).argmin()])
    change = weight * (((score > moved) == same).astype(np.float64) - ((score > usual) == same))
    by_text = np.bincount(groups, change)
    return moved if change.sum() > np.sqrt((by_text**2).sum()) else usual
