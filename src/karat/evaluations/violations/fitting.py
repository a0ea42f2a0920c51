"""Weights of matching, and a threshold, fitted to people's judgments of pairs of violations.

A pair is judged to be the same violation or not. The model is P(same) = 1 / (1 + exp(-(b + sum c_k x_k))), with x_k the
similarity in part k and c_k >= 0. Such a rule says "same" where sum c_k x_k > -b, that is, where a score with the
weights c_k / sum c exceeds the threshold -b / sum c. Where the model misses how answers turn with the score, another
threshold reproduces more of them (see `best_threshold`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from karat.evaluations.violations.matching import Floats, Integers, scores
from karat.evaluations.violations.rules import Rule
from karat.evaluations.violations.threshold import best_threshold

Booleans = NDArray[np.bool_]

_RIDGE = 1e-4
"""The penalty on squared coefficients: so small that only separable judgments notice it."""

_TOLERANCE = 1e-9
_PRECISION = {"ftol": 1e-14, "maxiter": 1000}


@dataclass(frozen=True, eq=False, slots=True)
class Judgments:
    """People's judgments of pairs, a row per judgment.

    values: how alike the two are, in [0, 1], a column for each part, null where both lack it. same: whether they were
    called the same. groups: the number of the text, from 0, without gaps.
    """

    values: pl.DataFrame
    same: Booleans
    groups: Integers

    def __len__(self) -> int:
        return len(self.same)

    @property
    def texts(self) -> int:
        """How many texts there are."""
        return int(self.groups.max(initial=-1)) + 1

    def table(self, parts: Sequence[str]) -> Floats:
        """Some parts as columns: judgments x parts. What a pair lacks is as alike as what it has is on average.

        So it speaks neither for nor against a match, as in a rule, whose other parts share its weight.
        """
        known = pl.mean_horizontal(parts)
        return self.values.select(pl.col(parts).fill_null(known)).to_numpy(order="c")


# --- what a rule says ---


def decisions(values: pl.DataFrame, rule: Rule) -> Booleans:
    """Whether each pair can match by a rule: score, overlap and likeness of rules above their thresholds."""
    said: Booleans = (scores(values, rule) > rule.score) & allowed(values, rule)
    return said


def allowed(values: pl.DataFrame, rule: Rule) -> Booleans:
    """Whether overlap and likeness of rules lie above their thresholds, whatever the score."""
    said = (values["overlap"] > rule.overlap).to_numpy()
    return said & (values["rule"] > rule.rule).fill_null(value=True).to_numpy() if rule.rule >= 0 else said


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
    keeps the solution finite where the judgments are separable. The function is convex; the same data give the same
    solution, by scipy's SLSQP.

    features: x, judgments x parts. same: per judgment. weights: w, how often each counts, >= 0; once by default.
    start: where to begin, a fit of as many features; it saves time.
    Returns a Fit. Edge: with one answer only, coefficients are 0 and the intercept is large.

    >>> found = fit_logistic(np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([False, True, True, True]))
    >>> bool(found.coefficients[0] > 5), round(found.log_likelihood, 3)
    (True, -0.347)
    """
    from scipy.optimize import minimize

    x = np.column_stack([np.ones(len(same)), features])
    w = np.ones(len(same)) if weights is None else weights
    total = float(w.sum())

    def loss(at: Floats) -> tuple[float, Floats]:
        """The mean loss at some coefficients, and its gradient."""
        logit, penalised = x @ at, np.concatenate([[0], _RIDGE * at[1:]])
        value = float((w * (np.logaddexp(0, logit) - same * logit)).sum()) + float(penalised @ at) / 2
        gradient = x.T @ (w * (np.exp(-np.logaddexp(0, -logit)) - same)) + penalised
        return value / total, gradient / total

    first = np.zeros(x.shape[1]) if start is None else np.concatenate([[start.intercept], start.coefficients])
    bounds = [(None, None), *[(0, None)] * (x.shape[1] - 1)]
    at = minimize(loss, first, jac=True, method="SLSQP", bounds=bounds, options=_PRECISION).x
    return Fit(float(at[0]), at[1:], _RIDGE / 2 * float(at[1:] @ at[1:]) / total - loss(at)[0])


def as_rule(fit: Fit, default: Rule) -> Rule | None:
    """A fit as a rule: weights c / sum c, score threshold -b / sum c kept in [0, 1], other thresholds of `default`.

    fit: of the default's parts. None where all coefficients are 0: then no part predicts "same".
    """
    total = float(fit.coefficients.sum())
    if total <= _TOLERANCE:
        return None
    shares = (fit.coefficients / total).tolist()
    threshold = float(np.clip(-fit.intercept / total, 0, 1))
    return replace(default, weights=dict(zip(default.parts, shares, strict=True)), score=threshold)


class Fitting:
    """Rules fitted to judgments: what does not depend on how often each of these counts is made once.

    default: its parts are fitted, its other thresholds stay.
    """

    def __init__(self, judgments: Judgments, default: Rule) -> None:
        self._judgments, self._default = judgments, default
        self._features = judgments.table(default.parts)
        self._free = allowed(judgments.values, default)

    def rule(self, weights: Booleans | Integers | None = None, start: Fit | None = None) -> Rule | None:
        """Weights of the parts, and a threshold: that of the model, or a better one.

        None where the judgments hold one answer only, or no part predicts "same".

        weights: how often each judgment counts; once by default. start: see `fit_logistic`.
        """
        known = self._judgments
        counts = np.ones(len(known)) if weights is None else weights.astype(np.float64)
        if len(np.unique(known.same[counts > 0])) < len((True, False)):
            return None
        rule = as_rule(fit_logistic(self._features, known.same, counts, start), self._default)
        return rule and replace(rule, score=self.threshold(scores(known.values, rule), rule.score, counts))

    def threshold(self, score: Floats, usual: float, counts: Floats | None = None) -> float:
        """The best threshold of a score, by the pairs that other thresholds leave open."""
        free, known = self._free, self._judgments
        weight = None if counts is None else counts[free]
        return best_threshold(score[free], known.same[free], known.groups[free], usual, weight) if free.any() else usual
