"""A calibrated classifier of pairs that cannot tell which of two responses stands first."""

from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from karat.evaluations.preferences.outcomes import Codes
from karat.evaluations.preferences.predictors.features import PairFeatures, swapped
from karat.figures.cells import Floats, Integers, Mask
from karat.schemas.preferences import MISSING, TEXTS, Task
from karat.text.models import extra

Places = NDArray[np.intp]
"""Labels by their places among those of the task."""

STRENGTHS = (0.003, 0.01, 0.03, 0.1, 0.3)
"""What `C`, the inverse of the penalty on the squared coefficients, is chosen from."""

FACTORS = tuple(float(factor) for factor in np.geomspace(0.25, 4, 17))
"""What the factor of the logits (the inverse temperature) is chosen from."""

BALANCE = {"accuracy": 0.0, "balanced_accuracy": 1.0}
"""Labels are compared by probability / (share in training) ** balance, by what is to be high."""

_FOLDS = 4
_CLIPPED = 4.0
"""Standardised features are clipped to this in both directions, so that a single odd text cannot decide alone."""
_LEAST = 1e-9
"""The least probability in a log loss."""


def scaler_of(features: PairFeatures) -> Floats:
    """Means and standard deviations (2 x features) of training items, each taken in both orders of the responses.

    So odd features have mean 0, and a swap negates them when they are standardised, too. A feature that does not vary
    has deviation 1.
    """
    means = np.where(features.odd, 0.0, features.values.mean(axis=0))
    deviations = np.sqrt(((features.values - means) ** 2).mean(axis=0))
    return np.stack([means, np.where(deviations > 1e-12, deviations, 1.0)])  # noqa: PLR2004 - rounding


def standardised(values: Floats, scaler: Floats) -> Floats:
    """Features (items x features) minus their means, divided by their standard deviations, clipped to [-4, 4]."""
    means, deviations = scaler
    found: Floats = np.clip((values - means) / deviations, -_CLIPPED, _CLIPPED)
    return found


def swap_of(task: Task) -> Places:
    """The place of each label after a swap of the responses: those called A and B trade places, all others stay.

    Without both of the two nothing is swapped, and the order of the responses may count.

    >>> swap_of(Task(labels=("A", "tie", "B"))).tolist()
    [2, 1, 0]
    >>> swap_of(Task(labels=("A", "good"))).tolist()
    [0, 1]
    """
    places = np.arange(len(task.labels))
    if {"A", "B"} <= set(task.labels):
        first, second = task.labels.index("A"), task.labels.index("B")
        places[[first, second]] = second, first
    return places


def _sides(swap: Places) -> Places:
    """The labels that trade places; none where nothing is swapped."""
    return np.flatnonzero(swap != np.arange(len(swap)))


@dataclass(frozen=True, slots=True)
class Classifier:
    """A fitted classifier.

    scaler: see `scaler_of`. coefficients: labels x features. intercepts: per label. factor: of the logits. shares: of
    every label in training, A and B each with half of what both have; a label without a share is never given. swap: see
    `swap_of`. balance: see BALANCE.
    """

    scaler: Floats
    coefficients: Floats
    intercepts: Floats
    factor: float
    shares: Floats
    swap: Places
    balance: float = 0.0

    def probabilities(self, features: PairFeatures) -> Floats:
        """The probability of each label (row) for each item (column): the mean over both orders of the responses.

        After a swap A has exactly what B had. Each column depends on its own item alone. Columns add up to 1.
        """
        return _of_logits(*self.logits(features), self.factor, self.swap)

    def decide(self, features: PairFeatures, tie: Mask) -> Places:
        """The label of each item; see `decided`."""
        return decided(self.probabilities(features), self.shares, self.swap, tie, self.balance)

    def logits(self, features: PairFeatures) -> tuple[Floats, Floats]:
        """Labels x items, in this order of the responses and in the other; -inf for labels never seen."""
        there = standardised(features.values, self.scaler)
        back = swapped(there, features.odd) if len(_sides(self.swap)) else there
        return self._logits(there), self._logits(back)

    def _logits(self, standard: Floats) -> Floats:
        """Summed feature by feature, for how a product of matrices rounds depends on how many items there are."""
        start = np.where(self.shares > 0, self.intercepts, -np.inf)
        found = np.repeat(start[:, None], len(standard), axis=1)
        for coefficients, column in zip(self.coefficients.T, np.ascontiguousarray(standard.T), strict=True):
            found += coefficients[:, None] * column
        return found


def decided(found: Floats, shares: Floats, swap: Places, tie: Mask, balance: float) -> Places:
    """The label of each item: the largest of probability / share ** balance.

    A label that a swap leaves alone wins against A or B with the same figure, and where A and B have the same; so
    a swap of the responses swaps A and B exactly. Without such labels `tie` says whether the first of the two wins.

    found: labels x items. shares: of the labels in training. tie: per item. Returns places of labels.
    """
    weights = found / np.where(shares > 0, shares, 1.0)[:, None] ** balance
    sides = _sides(swap)
    alone = np.delete(np.arange(len(swap)), sides)
    if len(sides):
        first, second = sides
        level = weights[first] == weights[second]
        weights[first, level & (~tie | bool(len(alone)))] = -1
        weights[second, level & (tie | bool(len(alone)))] = -1
    order = np.concatenate([alone, sides])
    best: Places = order[weights[order].argmax(axis=0)]
    return best


def fit_classifier(
    features: PairFeatures, codes: Codes, groups: Integers, swap: Places, seed: int, objective: str
) -> Classifier:
    """Multinomial logistic regression on standardised features, calibrated on folds that part no group.

    Every item is learnt in both orders, in the other with A and B traded. Penalty and factor of the logits are those
    of STRENGTHS and FACTORS with the least log loss on held-out folds, in each of which everything is fitted again.

    objective: what its decisions are for, accuracy or balanced_accuracy.
    features, codes, groups (never parted): of the same items, of which at least one has a label; the others are left
    out.
    Edge: with one group there is nothing to choose by: the middle penalty, factor 1. If all labels are one label that
    a swap leaves alone, it has probability 1.
    Raises MissingError where scikit-learn is not installed.

    Source: temperature scaling as in Guo et al. 2017, https://arxiv.org/abs/1706.04599.
    """
    with extra("fit", "The predictor fitted"):
        from threadpoolctl import threadpool_limits

    known = codes != MISSING
    features, labels, groups = features.rows(known), codes[known].astype(np.intp) - 1, groups[known]
    # The matrices are small: more threads would get in each other's way, and round otherwise on other machines.
    with threadpool_limits(limits=1):
        strength, factor = _chosen(features, labels, groups, swap, seed)
        return replace(_fitted(features, labels, swap, strength), factor=factor, balance=BALANCE[objective])


def _chosen(features: PairFeatures, labels: Places, groups: Integers, swap: Places, seed: int) -> tuple[float, float]:
    """The penalty and the factor with the least log loss; of several the smallest."""
    folds = min(_FOLDS, len(np.unique(groups)))
    if folds == 1:
        return STRENGTHS[len(STRENGTHS) // 2], 1.0
    fold = grouped_folds(groups, folds, seed=seed)
    losses = {}
    for strength in STRENGTHS:
        both = np.empty((2, len(swap), len(labels)))
        for number in range(folds):
            held = fold == number
            fitted = _fitted(features.rows(~held), labels[~held], swap, strength)
            both[:, :, held] = fitted.logits(features.rows(held))
        for factor in FACTORS:
            found = _of_logits(both[0], both[1], factor, swap)[labels, np.arange(len(labels))]
            losses[strength, factor] = float(-np.log(np.maximum(found, _LEAST)).mean())
    return min(losses, key=lambda one: (losses[one], one))


def _fitted(features: PairFeatures, labels: Places, swap: Places, strength: float) -> Classifier:
    """A classifier with factor 1."""
    scaler = scaler_of(features)
    standard, both = standardised(features.values, scaler), labels
    if len(_sides(swap)):
        standard, both = np.vstack([standard, swapped(standard, features.odd)]), np.concatenate([labels, swap[labels]])
    shares = np.bincount(both, minlength=len(swap)) / len(both)
    seen = np.flatnonzero(shares)
    coefficients, intercepts = np.zeros((len(swap), standard.shape[1])), np.zeros(len(swap))
    if len(seen) > 1:
        with extra("fit", "The predictor fitted"):
            from sklearn.linear_model import LogisticRegression
        fitted = LogisticRegression(C=strength, max_iter=5000).fit(standard, both)
        rows = seen[-len(fitted.coef_) :]  # of two labels, sklearn has one row, the second's
        coefficients[rows], intercepts[rows] = fitted.coef_, fitted.intercept_
    return Classifier(scaler, coefficients, intercepts, 1.0, shares, swap)


def _of_logits(there: Floats, back: Floats, factor: float, swap: Places) -> Floats:
    return (_softmax(factor * there) + _softmax(factor * back)[swap]) / 2


def _softmax(logits: Floats) -> Floats:
    """Summed label by label, so that a column rounds alike whatever stands beside it."""
    powers: Floats = np.exp(logits - logits.max(axis=0, initial=-np.inf))
    total = np.zeros(logits.shape[1])
    for row in powers:
        total += row
    found: Floats = powers / total
    return found


# --- folds ---


_APART = "\x1f"
"""Stands between two responses where they name a group."""


def instruction_groups(items: pl.DataFrame) -> Integers:
    """Which items show the same instruction: a number from 0 per item, equal where they do.

    The whole instruction counts, with its input or context where that is a part of it; case and the amount of white
    space do not. Items without an instruction belong together where they show the same two responses, in either order.

    items: the columns instruction, output_a, output_b; nulls are empty texts.
    Returns as many numbers as items; they do not depend on the order of the rows. Instructions that say the same
    in other words are told apart.

    >>> items = pl.DataFrame({"instruction": ["Say hi", "say  hi", "Go"], "output_a": "", "output_b": ""})
    >>> instruction_groups(items).tolist()
    [1, 1, 0]
    """
    plain = pl.col(TEXTS).cast(pl.String).fill_null("").str.replace_all(r"\s+", " ")
    texts = items.select(plain.str.strip_chars().str.to_lowercase())
    both = pl.concat_list("output_a", "output_b").list.sort().list.join(_APART)
    key = pl.when(pl.col("instruction") == "").then(pl.lit(_APART) + both).otherwise("instruction")
    return texts.select(key.rank("dense").cast(pl.Int64) - 1).to_series().to_numpy()


def grouped_folds(groups: Integers, folds: int, *, seed: int = 0) -> Integers:
    """A fold for each item, the same one for all items of a group.

    Groups are taken from the largest to the smallest, equally large ones in random order, each into the fold that holds
    the fewest items so far, so folds are nearly equal in size.

    groups: a number per item. folds: how many, from 1; no more than there are groups are filled.
    Returns numbers in [0, folds), one per item; the same for the same groups and seed.

    >>> sorted(grouped_folds(np.array([0, 0, 1, 2]), 2).tolist())
    [0, 0, 1, 1]
    """
    _, places, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    shuffled = np.random.default_rng(seed).permutation(len(sizes))
    filled, chosen = np.zeros(folds, np.int64), np.zeros(len(sizes), np.int64)
    for group in shuffled[np.argsort(-sizes[shuffled], kind="stable")]:
        chosen[group] = filled.argmin()
        filled[chosen[group]] += sizes[group]
    found: Integers = chosen[places]
    return found
