"""Weights and a threshold of matching, fitted to what people say of pairs of violations.

A pair is judged as the same violation or not. What decides is P(same) = 1 / (1 + exp(-(b + sum c_k x_k))), with x_k the
likeness in part k and c_k >= 0. Such a rule says "same" where sum c_k x_k > -b, which is a score with the weights
c_k / sum c above the threshold -b / sum c.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from karat.evaluations.preferences.predictors.folds import grouped_folds
from karat.evaluations.violations.matching import Pairs, Similarity, compared, part_values
from karat.evaluations.violations.rules import DECIMALS, PARTS, Rule
from karat.evaluations.violations.spans import Floats, Integers, Spans, summed
from karat.statistics import bootstrap_weights

Booleans = NDArray[np.bool_]

RESAMPLES = 200
"""How often the texts are drawn anew for the intervals of weights."""

GRID: Floats = np.round(np.linspace(0, 1, 21), 2)
"""The weights of a part at which its profile is taken."""

_RIDGE = 1e-4
"""1 / variance of what coefficients are expected to be: so wide that only data that one line parts notice it."""

_TOLERANCE = 1e-9
_MOST_STEPS = 200
_SHORTEST = 1e-12
_DESCENT = 1e-4
_NEAR = 1e-3
"""Coefficients nearer to 0 than this that would fall are moved alone; see Bertsekas."""


@dataclass(frozen=True, eq=False, slots=True)
class Judgments:
    """What people say of pairs, a row per judgment. values: part -> likeness in it, in [0, 1], one entry per row.

    same: whether the two were called the same. groups: the number of the text, from 0, none left out.
    """

    values: Mapping[str, Floats]
    same: Booleans
    groups: Integers

    def __len__(self) -> int:
        return len(self.same)

    @property
    def texts(self) -> int:
        """How many texts there are."""
        return int(self.groups.max()) + 1 if len(self.groups) else 0

    def table(self, parts: Sequence[str]) -> Floats:
        """Some parts as columns: judgments x parts."""
        found: Floats = np.column_stack([self.values[part] for part in parts])
        return found

    def per_text(self, values: Booleans | Floats) -> Floats:
        """The sum of values over each text."""
        return summed(self.groups, np.asarray(values, np.float64), self.texts)


# --- what is compared ---


def beside(predicted: Spans, truth: Spans) -> Pairs:
    """Every row of the one side beside the same row of the other; the overlap is 0 where they share nothing."""
    rows = np.arange(len(predicted))
    touching = compared(predicted, truth, rows, rows)
    overlap = np.zeros(len(rows))
    overlap[touching.predicted] = touching.parts["overlap"]
    return Pairs(rows, rows, np.zeros(len(rows)), {"overlap": overlap})


def values_of(
    pairs: Pairs,
    predicted: Spans,
    truth: Spans,
    similarities: Mapping[str, Similarity],
    parts: Sequence[str] = PARTS,
) -> dict[str, Floats]:
    """How alike violations are in each part. pairs: rows of both sides, with their overlap.

    similarities: of texts by their numbers, for the parts that say something in texts; a part without one that somebody
    gives is an error of the caller. Returns part -> values in [0, 1].
    """
    return {
        part: pairs.parts[part] if part in pairs.parts else part_values(part, pairs, predicted, truth, similarities)
        for part in parts
    }


def scores(values: Mapping[str, Floats], rule: Rule) -> Floats:
    """The score of each pair: the weighted sum of its parts, rounded as in matching."""
    total = sum((rule.weights[part] * values[part] for part in PARTS if part in rule.parts), np.zeros(1))
    found: Floats = np.round(total, DECIMALS)
    return found


def decisions(values: Mapping[str, Floats], rule: Rule) -> Booleans:
    """Whether each pair can match by a rule: score, overlap and likeness of rules above their thresholds."""
    said: Booleans = (scores(values, rule) > rule.score) & allowed(values, rule)
    return said


def allowed(values: Mapping[str, Floats], rule: Rule) -> Booleans:
    """Whether overlap and likeness of rules lie above their thresholds, whatever the score."""
    said: Booleans = values["overlap"] > rule.overlap
    return said & (values["rule"] > rule.rule) if rule.rule >= 0 else said


# --- the fit ---


@dataclass(frozen=True, eq=False, slots=True)
class Fit:
    """A logistic regression. intercept: b. coefficients: c, >= 0. log_likelihood: mean per judgment, <= 0."""

    intercept: float
    coefficients: Floats
    log_likelihood: float


def fit_logistic(features: Floats, same: Booleans, weights: Floats | None = None, start: Fit | None = None) -> Fit:
    """The most likely coefficients, none of them negative, of how features speak for "same".

    minimise -sum_i w_i log P(same_i | x_i) + lambda / 2 sum c_k^2 over b and c >= 0, lambda = 1e-4, which only
    keeps the solution finite where a line parts the judgments. The function is convex; the same data give the same
    solution.

    features: x, judgments x parts. same: per judgment. weights: w, how often each counts, >= 0; once by default.
    start: where to begin, of as many features; it saves time.
    Returns a Fit. Edge: with one answer only, coefficients are 0 and the intercept is large.

    >>> found = fit_logistic(np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([False, True, True, True]))
    >>> bool(found.coefficients[0] > 5), round(found.log_likelihood, 3)
    (True, -0.347)

    Source: projected Newton method, Bertsekas 1982, SIAM Journal on Control and Optimization 20, 221-246.
    """
    x = np.column_stack([np.ones(len(same)), features])
    y = same.astype(np.float64)
    w = np.ones(len(y)) if weights is None else weights
    total = float(w.sum())
    at = np.zeros(x.shape[1]) if start is None else np.concatenate([[start.intercept], start.coefficients])
    value = _loss(x, y, w, at)
    for _ in range(_MOST_STEPS):
        gradient, curvature = _derivatives(x, y, w, at)
        far = float(np.abs(at - _projected(at - gradient / total)).max())
        if far <= _TOLERANCE:
            break
        direction = _direction(at, gradient, curvature, min(_NEAR, far))
        found = _searched(x, y, w, at, value, gradient, direction)
        if found is None:
            break
        at, value = found
    likelihood = -(value - _RIDGE / 2 * float(at[1:] @ at[1:])) / total
    return Fit(float(at[0]), at[1:], likelihood)


def _projected(at: Floats) -> Floats:
    """The nearest coefficients of which none is negative."""
    found = at.copy()
    found[1:] = np.maximum(found[1:], 0)
    return found


def _loss(x: Floats, y: Floats, w: Floats, at: Floats) -> float:
    logit = x @ at
    # A sum of products, since threads of BLAS take ten times as long over a dot product on a busy machine.
    return float((w * (np.logaddexp(0, logit) - y * logit)).sum()) + _RIDGE / 2 * float(at[1:] @ at[1:])


def _derivatives(x: Floats, y: Floats, w: Floats, at: Floats) -> tuple[Floats, Floats]:
    """Gradient and Hessian of the loss; the latter a little off 0, so that it can be inverted."""
    likely = np.exp(-np.logaddexp(0, -(x @ at)))
    gradient = x.T @ (w * (likely - y))
    gradient[1:] += _RIDGE * at[1:]
    curvature = (x * (w * likely * (1 - likely))[:, None]).T @ x
    curvature[np.diag_indices(len(at))] += _RIDGE * np.concatenate([[1e-6], np.ones(len(at) - 1)])
    return gradient, curvature


def _direction(at: Floats, gradient: Floats, curvature: Floats, near: float) -> Floats:
    """Newton's direction; coefficients that stand at 0 and would fall below go down the gradient instead."""
    held = np.zeros(len(at), bool)
    held[1:] = (at[1:] <= near) & (gradient[1:] > 0)
    free = np.flatnonzero(~held)
    direction = -gradient / np.diag(curvature)
    direction[free] = -np.linalg.solve(curvature[np.ix_(free, free)], gradient[free])
    found: Floats = direction
    return found


def _searched(
    x: Floats, y: Floats, w: Floats, at: Floats, value: float, gradient: Floats, direction: Floats
) -> tuple[Floats, float] | None:
    """The first of ever smaller steps that lowers the loss enough, and the loss there; None where none does."""
    step = 1.0
    while step > _SHORTEST:
        trial = _projected(at + step * direction)
        loss = _loss(x, y, w, trial)
        if loss <= value - _DESCENT * float(gradient @ (at - trial)) and loss < value:
            return trial, loss
        step /= 2
    return None


def as_rule(fit: Fit, parts: Sequence[str], default: Rule) -> Rule | None:
    """A fit as a rule: weights c / sum c, score threshold -b / sum c kept in [0, 1], other thresholds of `default`.

    None where all coefficients are 0: then no part speaks for "same".
    """
    total = float(fit.coefficients.sum())
    if total <= _TOLERANCE:
        return None
    shares = (fit.coefficients / total).tolist()
    threshold = float(np.clip(-fit.intercept / total, 0, 1))
    return replace(default, weights=dict(zip(parts, shares, strict=True)), score=threshold)


def fitted(judgments: Judgments, parts: Sequence[str], default: Rule, rows: Booleans | None = None) -> Rule | None:
    """The rule fitted to some judgments, by default all; None where they hold one answer only, or no part says it."""
    chosen = np.ones(len(judgments), bool) if rows is None else rows
    same = judgments.same[chosen]
    if same.all() or not same.any():
        return None
    return as_rule(fit_logistic(judgments.table(parts)[chosen], same), parts, default)


def rounded(weights: Mapping[str, float], digits: int = 4) -> dict[str, float]:
    """Weights with few digits that still sum to 1: the largest remainders are rounded up.

    >>> rounded({"overlap": 1 / 3, "rule": 1 / 3, "category": 1 / 3}, 2)
    {'overlap': 0.34, 'rule': 0.33, 'category': 0.33}
    """
    unit = 10**digits
    exact = {part: weight * unit for part, weight in weights.items()}
    whole = {part: int(weight) for part, weight in exact.items()}
    order = sorted(exact, key=lambda part: whole[part] - exact[part])
    for part in order[: unit - sum(whole.values())]:
        whole[part] += 1
    return {part: count / unit for part, count in whole.items()}


# --- how sure, how flat ---


def resampled(judgments: Judgments, parts: Sequence[str], default: Rule, *, seed: int = 0) -> Floats:
    """Weights and threshold of rules fitted to texts drawn anew with replacement, all judgments of a text together.

    Returns RESAMPLES x (parts + 1), the threshold last; NaN where a draw held one answer only, or no part said it.
    Source: Efron 1979; clusters as units as in Davison and Hinkley 1997.
    """
    table = judgments.table(parts)
    start = fit_logistic(table, judgments.same)
    rows = []
    for block in bootstrap_weights(judgments.texts, replicates=RESAMPLES, seed=seed):
        for counts in block:
            weights = counts[judgments.groups].astype(np.float64)
            same = float(weights @ judgments.same)
            both = 0 < same < float(weights.sum())
            rule = as_rule(fit_logistic(table, judgments.same, weights, start), parts, default) if both else None
            rows.append([np.nan] * (len(parts) + 1) if rule is None else [*rule.weights.values(), rule.score])
    found: Floats = np.array(rows, np.float64)
    return found


@dataclass(frozen=True, slots=True)
class Held:
    """What can be reached with the weight of one part held. log_likelihood: mean per judgment; accuracy: a share."""

    weight: float
    log_likelihood: float
    accuracy: float


def profile(judgments: Judgments, parts: Sequence[str], part: str, default: Rule) -> list[Held]:
    """The best fit with the weight of `part` held at each value of GRID, all others and the threshold fitted anew.

    With the weight v held, the score is v x_k + (1 - v) sum_j u_j x_j = sum_j u_j (v x_k + (1 - v) x_j), so the fit is
    that of `fit_logistic` on the features v x_k + (1 - v) x_j, j other than k.

    Both figures are of the judgments that the rule is fitted to. Where nothing but `part` weighs anything, only the
    weight 1 can be held.
    """
    others = [one for one in parts if one != part]
    own = judgments.values[part]
    found = []
    for weight in GRID.tolist():
        if weight < 1 and not others:
            continue
        beside = judgments.table(others) if weight < 1 else np.zeros((len(judgments), 1))
        fit = fit_logistic(weight * own[:, None] + (1 - weight) * beside, judgments.same)
        rule = _held_rule(fit, weight, part, others if weight < 1 else [], default)
        right = decisions(judgments.values, rule) == judgments.same
        found.append(Held(weight, fit.log_likelihood, float(right.mean())))
    return found


def _held_rule(fit: Fit, weight: float, part: str, others: Sequence[str], default: Rule) -> Rule:
    """The rule of a fit with a weight held; where no feature says anything, one that always says the more likely."""
    total = float(fit.coefficients.sum())
    shares = fit.coefficients / total if total > _TOLERANCE else np.full(len(fit.coefficients), 1 / max(len(others), 1))
    threshold = float(np.clip(-fit.intercept / total, 0, 1)) if total > _TOLERANCE else float(fit.intercept <= 0)
    weights = {part: weight} | {
        one: (1 - weight) * share for one, share in zip(others, shares.tolist(), strict=len(others) > 0)
    }
    return replace(default, weights=weights, score=threshold)


# --- held-out folds ---


@dataclass(frozen=True, eq=False, slots=True)
class Said:
    """What a rule says of each judgment's pair: its score, and whether it calls the two the same."""

    scores: Floats
    same: Booleans


@dataclass(frozen=True, eq=False, slots=True)
class HeldOut:
    """What rules say of judgments that they were not fitted to. folds: the fold of each judgment, from 0.

    failed: how many folds had to go with the default rule, since nothing could be fitted to the others.
    """

    folds: Integers
    calibrated: Said
    default: Said
    failed: int


def held_out(judgments: Judgments, parts: Sequence[str], default: Rule, *, folds: int = 5, seed: int = 0) -> HeldOut:
    """What a rule fitted to the other folds says of each judgment, and what the default says. Folds never part a text.

    folds: at most as many as there are texts, from 2; the same for the same texts and seed.
    """
    fold = grouped_folds(judgments.groups, min(folds, judgments.texts), seed=seed)
    score, same = np.zeros(len(judgments)), np.zeros(len(judgments), bool)
    failed = 0
    for number in np.unique(fold):
        held = fold == number
        rule = fitted(judgments, parts, default, ~held)
        failed += rule is None
        said = said_by(judgments, rule or default, held)
        score[held], same[held] = said.scores, said.same
    return HeldOut(fold, Said(score, same), said_by(judgments, default), failed)


def said_by(judgments: Judgments, rule: Rule, rows: Booleans | None = None) -> Said:
    """What a rule says of some judgments' pairs, by default all."""
    chosen = slice(None) if rows is None else rows
    values = {part: one[chosen] for part, one in judgments.values.items()}
    count = len(judgments.same[chosen])
    return Said(np.broadcast_to(scores(values, rule), count), decisions(values, rule))


# --- ranking ---


@dataclass(frozen=True, eq=False, slots=True)
class Auc:
    """How often a pair called the same scores above one that is not. value: None where there is nothing to compare.

    influence: how far each text moves it; they add up to 0. compared: how many comparisons it rests on.
    """

    value: float | None
    influence: Floats
    compared: int


def auc(judgments: Judgments, score: Floats, folds: Integers) -> Auc:
    """The share of comparisons of a "same" with a "different" judgment of one fold that the score ranks rightly.

    A = sum_f sum_(i same, j different, both in f) h(s_i, s_j) / sum_f n_1f n_0f, h = 1, 1/2, 0 for above, equal,
    below: the areas under the curves within folds, averaged with the number of comparisons as weights. Scores of
    different folds come from different rules and are never compared. With one fold it is the usual area.
    The influence of a judgment is (its wins - A x its comparisons) / sum_f n_1f n_0f, summed over its text.

    Source: structural components of DeLong, DeLong and Clarke-Pearson 1988, Biometrics 44, 837-845, summed over
    clusters as in Obuchowski 1997, Biometrics 53, 567-578. The weighting over folds is ours.
    """
    wins, comparisons = np.zeros(len(judgments)), np.zeros(len(judgments))
    for number in np.unique(folds):
        same = np.flatnonzero((folds == number) & judgments.same)
        other = np.flatnonzero((folds == number) & ~judgments.same)
        wins[same] = _above(score[same], np.sort(score[other]))
        wins[other] = len(same) - _above(score[other], np.sort(score[same]))
        comparisons[same], comparisons[other] = len(other), len(same)
    compared = float(comparisons[judgments.same].sum())
    if compared == 0:
        return Auc(None, np.zeros(judgments.texts), 0)
    value = float(wins[judgments.same].sum()) / compared
    influence = judgments.per_text((wins - value * comparisons) / compared)
    return Auc(value, influence, round(compared))


def _above(score: Floats, others: Floats) -> Floats:
    """How many of `others`, sorted, each score lies above; equal ones count half."""
    found: Floats = (np.searchsorted(others, score) + np.searchsorted(others, score, side="right")) / 2
    return found


def unvaried(judgments: Judgments, parts: Sequence[str]) -> list[str]:
    """The parts in which all pairs are equally alike, so that nothing says how much they weigh."""
    return [part for part in parts if np.ptp(judgments.values[part]) == 0]
