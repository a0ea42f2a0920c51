"""Weights and a threshold of matching, fitted to pairs of violations that people judged the same or not.

The model is P(same) = 1 / (1 + exp(-(b + sum c_k x_k))), with x_k the similarity in part k and c_k >= 0. The rule that
follows from it says "same" if sum c_k x_k > -b: if a score with the weights c_k / sum c exceeds the threshold
-b / sum c. If the model does not fit the judgments well, another threshold reproduces more of them (see
`best_threshold`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from adjudge.evaluations.violations.match_rules import MatchRule
from adjudge.evaluations.violations.matching import Floats, Integers, pair_scores

Booleans = NDArray[np.bool_]

_RIDGE = 1e-4
"""The penalty on squared coefficients: so small that only separable judgments notice it."""

_TOLERANCE = 1e-9
_PRECISION = {"ftol": 1e-14, "maxiter": 1000}


@dataclass(frozen=True, eq=False, slots=True)
class PairJudgments:
    """Judgments of pairs of violations, a row per judgment.

    values: the similarity of the two violations, in [0, 1], a column for each part, null if both lack it. same: whether
    the pair was called the same. groups: the number of the text, from 0, without gaps.
    """

    values: pl.DataFrame
    same: Booleans
    groups: Integers

    def __len__(self) -> int:
        return len(self.same)

    @property
    def texts(self) -> int:
        """The number of texts."""
        return int(self.groups.max(initial=-1)) + 1

    def features(self, parts: Sequence[str]) -> Floats:
        """Similarities as an array, judgments x parts. What both violations lack has the mean of the other parts.

        So it counts neither for nor against a match, as in a rule, whose other parts share its weight.
        """
        return self.values.select(pl.col(parts).fill_null(pl.mean_horizontal(parts))).to_numpy(order="c")


def decisions(values: pl.DataFrame, rule: MatchRule) -> Booleans:
    """Whether a rule calls each pair the same: score, overlap and similarity of rules exceed their thresholds."""
    same: Booleans = (pair_scores(values, rule) > rule.score) & eligible(values, rule)
    return same


def eligible(values: pl.DataFrame, rule: MatchRule) -> Booleans:
    """Whether overlap and similarity of rules exceed their thresholds, whatever the score."""
    overlapping: Booleans = (values["overlap"] > rule.overlap).to_numpy()
    if rule.rule >= 0:
        overlapping = overlapping & (values["rule"] > rule.rule).fill_null(value=True).to_numpy()
    return overlapping


def fit_logistic(features: Floats, same: Booleans) -> Floats:
    """Fit a logistic regression with coefficients >= 0 by maximum likelihood.

    minimise -sum_i log P(same_i | x_i) + lambda / 2 sum c_k^2 over b and c >= 0, lambda = 1e-4, which only keeps the
    solution finite if the judgments are separable. The function is convex; scipy's SLSQP minimises it.

    features: x, judgments x parts. same: per judgment.
    Returns b, then c. With one answer only, c is 0 and b is large.

    >>> fitted = fit_logistic(np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([False, True, True, True]))
    >>> bool(fitted[1] > 5)
    True
    """
    from scipy.optimize import minimize

    x = np.column_stack([np.ones(len(same)), features])

    def loss(at: Floats) -> tuple[float, Floats]:
        """The mean loss at some coefficients, and its gradient."""
        logit, penalised = x @ at, np.concatenate([[0], _RIDGE * at[1:]])
        value = float((np.logaddexp(0, logit) - same * logit).sum()) + float(penalised @ at) / 2
        gradient = x.T @ (np.exp(-np.logaddexp(0, -logit)) - same) + penalised
        return value / len(same), gradient / len(same)

    bounds = [(None, None), *[(0, None)] * (x.shape[1] - 1)]
    solution: Floats = minimize(
        loss, np.zeros(x.shape[1]), jac=True, method="SLSQP", bounds=bounds, options=_PRECISION
    ).x
    return solution


def fit_rule(judgments: PairJudgments, default: MatchRule, kept: Booleans | None = None) -> MatchRule | None:
    """Fit weights c / sum c and a threshold, -b / sum c kept in [0, 1] or a better one (see `best_threshold`).

    default: the rule whose parts get new weights; the thresholds of overlap and rules stay. kept: which judgments
    count; all by default.
    Returns None if the judgments hold one answer only, or if no part predicts "same" (all c are 0).
    """
    rows = np.ones(len(judgments), bool) if kept is None else kept
    same = judgments.same[rows]
    if same.all() or not same.any():
        return None
    intercept, *coefficients = fit_logistic(judgments.features(default.weighted_parts)[rows], same).tolist()
    total = float(np.sum(coefficients))
    if total <= _TOLERANCE:
        return None
    weights = {part: one / total for part, one in zip(default.weighted_parts, coefficients, strict=True)}
    rule = replace(default, weights=weights, score=float(np.clip(-intercept / total, 0, 1)))
    free = eligible(judgments.values, default)
    if not free.any():
        return rule
    score, same, groups = pair_scores(judgments.values, rule)[free], judgments.same[free], judgments.groups[free]
    return replace(rule, score=best_threshold(rule.score, score, same, groups, rows[free]))


def best_threshold(usual: float, score: Floats, same: Booleans, groups: Integers, kept: Booleans) -> float:
    """The threshold that reproduces most judgments if it clearly beats the usual one; else the usual one.

    Clearly: by at least a standard error, taken over sums of texts, since on few judgments the threshold that fits best
    is a matter of luck. Among equally good thresholds, the nearest to the usual one, halfway between two scores.

    score: of each pair, from 0. same: whether people call the pair the same. groups: its text, from 0. kept: whether
    the judgment counts. No threshold is below 0, so a pair without any similarity never matches.

    >>> score, same = np.array([0.2] * 9 + [0.4] * 9), np.array([False] * 9 + [True] * 9)
    >>> [round(best_threshold(usual, score, same, np.arange(18), same | ~same), 2) for usual in (0.1, 0.25)]
    [0.3, 0.25]
    """
    weight = kept.astype(np.float64)
    cuts, place = np.unique(score, return_inverse=True)
    # What a threshold at each cut gains over a threshold below all scores.
    gain = np.concatenate([[0], np.cumsum(np.bincount(place, np.where(same, -weight, weight), len(cuts)))])
    lows, highs = np.concatenate([[0], cuts]), np.concatenate([cuts, cuts[-1:]])
    between = np.where((lows <= usual) & (usual < highs), usual, (lows + highs) / 2)
    possible = np.append(lows[:-1] < highs[:-1], True)
    best = between[possible & (gain == gain[possible].max())]
    moved = float(best[np.abs(best - usual).argmin()])
    change = weight * (((score > moved) == same).astype(np.float64) - ((score > usual) == same))
    by_text = np.bincount(groups, change)
    return moved if change.sum() > np.sqrt((by_text**2).sum()) else usual
