"""A calibrated classifier of pairs that cannot tell which of two responses stands first."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from karat.evaluations.preferences.predictors.features import Floats, PairFeatures, swapped
from karat.evaluations.preferences.predictors.folds import Integers, grouped_folds
from karat.schemas.preferences import Task
from karat.text.models import extra

Places = NDArray[np.intp]

STRENGTHS = (0.003, 0.01, 0.03, 0.1, 0.3)
"""What `C`, the inverse of the penalty on the squared coefficients, is chosen from."""

FACTORS = tuple(float(factor) for factor in np.geomspace(0.25, 4, 17))
"""What the factor of the logits (the inverse temperature) is chosen from."""

BALANCE = 0.5
"""Labels are compared by probability / (share in training) ** BALANCE: 0 is for accuracy, 1 for balanced accuracy."""

_FOLDS = 4
_CLIPPED = 4.0
"""Standardised features are clipped to this in both directions, so that a single odd text cannot decide alone."""
_LEAST = 1e-9
"""The least probability in a log loss."""


@dataclass(frozen=True, slots=True)
class Scaler:
    """Standardises features: minus their mean, divided by their standard deviation, clipped to [-4, 4]."""

    means: Floats
    deviations: Floats

    def __call__(self, values: Floats) -> Floats:
        """Standardised features: items x features."""
        return np.clip((values - self.means) / self.deviations, -_CLIPPED, _CLIPPED)


def scaler_of(features: PairFeatures) -> Scaler:
    """The scaler of training items, each taken in both orders: odd features have mean 0, so a swap negates them still.

    A feature that does not vary has deviation 1.
    """
    means = np.where(features.odd, 0.0, features.values.mean(axis=0))
    deviations = np.sqrt(((features.values - means) ** 2).mean(axis=0))
    return Scaler(means, np.where(deviations > 1e-12, deviations, 1.0))  # noqa: PLR2004 - rounding


@dataclass(frozen=True, slots=True)
class Symmetry:
    """What a swap of the responses does to labels.

    size: how many labels. first, second: the places of A and B among them, or None where not both are: then nothing
    is swapped and order may count.
    """

    size: int
    first: int | None
    second: int | None

    @property
    def swap(self) -> Places | None:
        """The places of the labels after a swap, or None where nothing is swapped."""
        if self.first is None or self.second is None:
            return None
        places = np.arange(self.size)
        places[[self.first, self.second]] = self.second, self.first
        return places

    @property
    def symmetric(self) -> list[int]:
        """The places of the labels that a swap leaves alone."""
        return [place for place in range(self.size) if place not in (self.first, self.second)]


def symmetry_of(task: Task) -> Symmetry:
    """Labels called A and B trade places, all others stay; with only one of the two, or neither, nothing is swapped.

    >>> symmetry_of(Task(labels=("A", "tie", "B"))).swap.tolist()
    [2, 1, 0]
    >>> symmetry_of(Task(labels=("A", "good"))).swap is None
    True
    """
    if "A" not in task.labels or "B" not in task.labels:
        return Symmetry(len(task.labels), None, None)
    return Symmetry(len(task.labels), task.labels.index("A"), task.labels.index("B"))


@dataclass(frozen=True, slots=True)
class Classifier:
    """A fitted classifier.

    seen: places of the labels it can give. coefficients: labels seen x features. intercepts: per label seen. factor: of
    the logits. shares: of every label in training, A and B each with half of what both have.
    """

    seen: Places
    scaler: Scaler
    coefficients: Floats
    intercepts: Floats
    factor: float
    shares: Floats


def fit_classifier(
    features: PairFeatures,
    labels: Places,
    groups: Integers,
    symmetry: Symmetry,
    *,
    seed: int = 0,
) -> Classifier:
    """Multinomial logistic regression on standardised features, calibrated on folds that part no group.

    Every item is learnt in both orders, in the other with A and B traded. Penalty and factor of the logits are those
    of STRENGTHS and FACTORS with the least log loss on held-out folds, in each of which everything is fitted again.

    features: of at least one item. labels: places, one per item. groups: one per item, never parted.
    Edge: with one group there is nothing to choose by: the middle penalty, factor 1. If all labels are one label that
    a swap leaves alone, it has probability 1.
    Raises MissingError where scikit-learn is not installed.

    Source: temperature scaling as in Guo et al. 2017, https://arxiv.org/abs/1706.04599.
    """
    with extra("fit", "The predictor neighbours"):
        from threadpoolctl import threadpool_limits

    # The matrices are small: more threads would get in each other's way, and round otherwise on other machines.
    with threadpool_limits(limits=1):
        return _calibrated(features, labels, groups, symmetry, seed)


def probabilities(classifier: Classifier, features: PairFeatures, symmetry: Symmetry) -> Floats:
    """The probability of each label (row) for each item (column): the mean over both orders of the responses.

    After a swap A has exactly what B had. Each column depends on its own item alone. Columns add up to 1.
    """
    return _of_logits(*_both_orders(classifier, features, symmetry), classifier.factor, symmetry)


def decide(found: Floats, shares: Floats, symmetry: Symmetry, tie: NDArray[np.bool_]) -> Places:
    """The label of each item: the largest of probability / share ** BALANCE.

    A label that a swap leaves alone wins against A or B with the same figure, and where A and B have the same; so
    a swap of the responses swaps A and B exactly. Without such labels `tie` says whether A wins against B.

    found: labels x items. shares: of the labels in training. tie: per item. Returns places of labels.
    """
    weights = found / np.where(shares > 0, shares, 1.0)[:, None] ** BALANCE
    if symmetry.first is None or symmetry.second is None:
        return np.asarray(weights.argmax(axis=0))
    a, b = weights[symmetry.first], weights[symmetry.second]
    directed = np.where((a > b) | ((a == b) & tie), symmetry.first, symmetry.second)
    if not symmetry.symmetric:
        return directed
    others = weights[symmetry.symmetric]
    neither = np.array(symmetry.symmetric)[others.argmax(axis=0)]
    return np.where((a == b) | (others.max(axis=0) >= np.maximum(a, b)), neither, directed)


def _calibrated(features: PairFeatures, labels: Places, groups: Integers, symmetry: Symmetry, seed: int) -> Classifier:
    folds = min(_FOLDS, len(np.unique(groups)))
    strength, factor = STRENGTHS[len(STRENGTHS) // 2], 1.0
    if folds > 1:
        fold = grouped_folds(groups, folds, seed=seed)
        strength, factor = min(
            (_loss(held_out, labels, factor, symmetry), strength, factor)
            for strength in STRENGTHS
            for held_out in (_held_out(features, labels, fold, symmetry, strength),)
            for factor in FACTORS
        )[1:]
    return _fitted(features, labels, symmetry, strength=strength, factor=factor)


def _fitted(
    features: PairFeatures, labels: Places, symmetry: Symmetry, *, strength: float, factor: float
) -> Classifier:
    scaler = scaler_of(features)
    standard, both = scaler(features.values), labels
    if symmetry.swap is not None:
        standard = np.vstack([standard, swapped(standard, features.odd)])
        both = np.concatenate([labels, symmetry.swap[labels]])
    shares = np.bincount(both, minlength=symmetry.size) / len(both)
    seen = np.flatnonzero(shares)
    coefficients, intercepts = np.zeros((len(seen), standard.shape[1])), np.zeros(len(seen))
    if len(seen) > 1:
        with extra("fit", "The predictor neighbours"):
            from sklearn.linear_model import LogisticRegression
        fitted = LogisticRegression(C=strength, max_iter=5000).fit(standard, both)
        rows = slice(len(seen) - len(fitted.coef_), None)  # of two labels, sklearn has one row, the second's
        coefficients[rows], intercepts[rows] = fitted.coef_, fitted.intercept_
    return Classifier(seen, scaler, coefficients, intercepts, factor, shares)


def _both_orders(classifier: Classifier, features: PairFeatures, symmetry: Symmetry) -> tuple[Floats, Floats | None]:
    standard = classifier.scaler(features.values)
    there = _logits(classifier, standard, symmetry.size)
    return there, None if symmetry.swap is None else _logits(classifier, swapped(standard, features.odd), symmetry.size)


def _logits(classifier: Classifier, standard: Floats, size: int) -> Floats:
    """Labels x items, -inf for labels never seen.

    Summed feature by feature, for how a product of matrices rounds depends on how many items there are.
    """
    logits = np.repeat(classifier.intercepts[:, None], len(standard), axis=1)
    for coefficients, column in zip(classifier.coefficients.T, np.ascontiguousarray(standard.T), strict=True):
        logits += coefficients[:, None] * column
    found = np.full((size, len(standard)), -np.inf)
    found[classifier.seen] = logits
    return found


def _of_logits(there: Floats, back: Floats | None, factor: float, symmetry: Symmetry) -> Floats:
    found = _softmax(factor * there)
    if back is None or symmetry.swap is None:
        return found
    return (found + _softmax(factor * back)[symmetry.swap]) / 2


def _softmax(logits: Floats) -> Floats:
    powers: Floats = np.exp(logits - logits.max(axis=0, initial=-np.inf))
    total = np.zeros(logits.shape[1])
    for row in powers:
        total += row
    found: Floats = powers / total
    return found


def _held_out(
    features: PairFeatures, labels: Places, fold: Integers, symmetry: Symmetry, strength: float
) -> tuple[Floats, Floats | None]:
    """The logits of each item, in both orders, by a classifier that has not seen its fold."""
    there = np.empty((symmetry.size, len(labels)))
    back = None if symmetry.swap is None else np.empty_like(there)
    for number in np.unique(fold):
        held = fold == number
        fitted = _fitted(features.rows(~held), labels[~held], symmetry, strength=strength, factor=1.0)
        own, other = _both_orders(fitted, features.rows(held), symmetry)
        there[:, held] = own
        if back is not None and other is not None:
            back[:, held] = other
    return there, back


def _loss(held_out: tuple[Floats, Floats | None], labels: Places, factor: float, symmetry: Symmetry) -> float:
    found = _of_logits(*held_out, factor, symmetry)
    return float(-np.log(np.maximum(found[labels, np.arange(len(labels))], _LEAST)).mean())
