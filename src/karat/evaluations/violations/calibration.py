"""How good a rule that is fitted to judgments is: held out, drawn again, with the weight of a part held fixed."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from karat.errors import DataError
from karat.evaluations.violations.fitting import Fitting, Judgments, allowed, decisions, fit_logistic
from karat.evaluations.violations.likeness import Similarities, similarities_of
from karat.evaluations.violations.matching import (
    Floats,
    Integers,
    Sides,
    absent_parts,
    compared,
    scores,
    with_categories,
    with_parts,
)
from karat.evaluations.violations.rules import Rule, without
from karat.formats.judged_pairs import GROUP, JudgedPairs
from karat.formats.judging_forms import SAME
from karat.statistics.resampling import bootstrap_weights
from karat.text.models import extra

CALIBRATED, DEFAULT, MAJORITY = "calibrated", "default", "majority"
"""Rules: the fitted one, and what it must beat; the last gives the more frequent answer of other texts to all pairs."""

RESAMPLES = 200
"""The number of resamples of texts for the intervals of weights."""

GRID: Floats = np.round(np.linspace(0, 1, 21), 2)
"""The weights of a part at which its profile is taken."""


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


def resampled(judgments: Judgments, default: Rule, *, seed: int = 0) -> Floats:
    """Weights and threshold of rules fitted to texts drawn with replacement, all judgments of a text together.

    Returns RESAMPLES x (parts + 1), the threshold last; NaN where a draw held one answer only, or no part predicted
    "same".
    Source: Efron 1979; clusters as units as in Davison and Hinkley 1997.
    """
    fitting = Fitting(judgments, default)
    start = fit_logistic(judgments.table(default.parts), judgments.same)
    found = np.full((RESAMPLES, len(default.parts) + 1), np.nan)
    draws = (
        counts for block in bootstrap_weights(judgments.texts, replicates=RESAMPLES, seed=seed) for counts in block
    )
    for row, counts in enumerate(draws):
        rule = fitting.rule(counts[judgments.groups], start)
        if rule is not None:
            found[row] = [*rule.weights.values(), rule.score]
    return found


def profile(judgments: Judgments, part: str, default: Rule) -> pl.DataFrame:
    """The best fits with the weight of `part` held at each value of GRID, all others and the threshold fitted again.

    With the weight v held, the score is v x_k + (1 - v) sum_j u_j x_j = sum_j u_j (v x_k + (1 - v) x_j), so the fit is
    that of `fit_logistic` on the features v x_k + (1 - v) x_j, j other than k.

    Returns weight, log_likelihood (mean per judgment) and accuracy, both of the judgments that the rule is fitted to.
    No threshold is below 0, so a pair that is alike in nothing is never called the same. Where `part` alone weighs
    anything, only the weight 1 can be held.
    """
    others, own = [one for one in default.parts if one != part], judgments.table([part])
    fitting = Fitting(judgments, default)
    found = []
    for weight in GRID.tolist() if others else [1.0]:
        features = weight * own + (1 - weight) * judgments.table(others) if weight < 1 else own
        fit = fit_logistic(features, judgments.same)
        score = features @ fit.coefficients
        likely = score > fitting.threshold(score, max(-fit.intercept, 0.0))
        right = (likely & allowed(judgments.values, default)) == judgments.same
        found.append({"weight": weight, "log_likelihood": fit.log_likelihood, "accuracy": float(right.mean())})
    return pl.DataFrame(found)


# --- held-out folds ---


@dataclass(frozen=True, eq=False, slots=True)
class HeldOut:
    """Rules' answers for judgments that they were not fitted to.

    answers: rule -> a row per judgment: people's answer (same), the rule's (said), its score, and the fold, from 0.
    failed: how many folds had to make do with the default rule, since nothing could be fitted to the others.
    """

    answers: Mapping[str, pl.DataFrame]
    failed: int

    @property
    def folds(self) -> int:
        """How many folds there are."""
        return self.answers[DEFAULT]["fold"].n_unique()


def held_out(judgments: Judgments, default: Rule, *, folds: int = 5, seed: int = 0) -> HeldOut:
    """For each judgment, the answer of a rule fitted to the other folds, of the default rule, and of their majority.

    Where the other folds say "same" as often as not, their majority says not. All judgments of a text are in one fold.
    folds: at most as many as there are texts, from 2; the same for the same texts and seed.
    """
    values, fold, fitting = judgments.values, _folds(judgments, folds, seed), Fitting(judgments, default)
    usual = {"score": scores(values, default), "said": decisions(values, default)}
    score, said, failed = np.zeros(len(judgments)), np.zeros(len(judgments), bool), 0
    frequent = np.zeros(len(judgments), bool)
    for number in np.unique(fold):
        held = fold == number
        rule = fitting.rule(~held)
        failed += rule is None
        score[held] = scores(values, rule or default)[held]
        said[held] = decisions(values, rule or default)[held]
        frequent[held] = 2 * judgments.same[~held].sum() > (~held).sum()
    majority = {"score": np.zeros(len(judgments)), "said": frequent}
    rules = {CALIBRATED: {"score": score, "said": said}, DEFAULT: usual, MAJORITY: majority}
    shared = {"same": judgments.same, "fold": fold}
    return HeldOut({name: pl.DataFrame({**shared, **own}) for name, own in rules.items()}, failed)


def _folds(judgments: Judgments, folds: int, seed: int) -> Integers:
    """The fold of each judgment, from 0: texts as groups of scikit-learn's GroupKFold."""
    from sklearn.model_selection import GroupKFold

    # GroupKFold takes equally large groups in the order of their numbers, so these are drawn at random.
    texts = np.random.default_rng(seed).permutation(judgments.texts)[judgments.groups]
    found = np.zeros(len(judgments), np.int64)
    for fold, (_, held) in enumerate(GroupKFold(min(folds, judgments.texts)).split(found, groups=texts)):
        found[held] = fold
    return found


# --- all of it ---


@dataclass(frozen=True, eq=False)
class Calibration:
    """All that the tables of a report rest on.

    pairs: people's judgments. judgments: the same as numbers. rule: fitted to all of them. default: the rule it is
    compared with, without parts that no violation has. absent: those parts. held: the answers of both rules on
    judgments that they were not fitted to; None with one text. draws: weights and threshold over texts drawn with
    replacement (see `resampled`); None with one text. profiles: of each part.
    """

    pairs: JudgedPairs
    judgments: Judgments
    rule: Rule
    default: Rule
    absent: tuple[str, ...]
    held: HeldOut | None
    draws: Floats | None
    profiles: Mapping[str, pl.DataFrame]
    confidence: float


def calibration(
    pairs: JudgedPairs,
    default: Rule,
    similarities: Similarities,
    *,
    folds: int = 5,
    confidence: float = 0.95,
    seed: int = 0,
) -> Calibration:
    """Weights of the default's parts, and a threshold, fitted to judgments, and what says how good they are.

    Raises DataError where people gave one answer only, or no part predicts "same", MissingError where scipy or
    scikit-learn is not installed.
    """
    with extra("fit", "Calibration"):
        import sklearn  # noqa: F401 - which brings scipy; to fail before any work is done
    predicted, truth = with_categories([pairs.predicted, pairs.truth])
    absent, rows = absent_parts(truth), np.arange(truth.height)
    usual = without(default, absent)
    sides = Sides(predicted, truth, similarities_of(truth, similarities, [usual]))
    values = with_parts(("rule", *usual.parts), compared(sides, rows, rows), sides)
    judgments = Judgments(values, pairs.frame[SAME].to_numpy(), pairs.frame[GROUP].cast(pl.Int64).to_numpy())
    if judgments.same.all() or not judgments.same.any():
        raise DataError(
            f"{pairs.name}: expected pairs judged as the same and others as not; all {len(judgments):,} are judged "
            f"{'the same' if judgments.same.any() else 'not the same'}. Judge pairs of other scores too, which `karat "
            "violations pairs` draws"
        )
    rule = Fitting(judgments, usual).rule()
    if rule is None:
        raise DataError(
            f"{pairs.name}: no part predicts a match: pairs judged to be the same are no more similar than others in "
            f"{', '.join(usual.parts)}. Judge more pairs, or check whether true and false are swapped"
        )
    several = judgments.texts > 1
    return Calibration(
        pairs,
        judgments,
        rule,
        usual,
        tuple(part for part in absent if part in default.parts),
        held_out(judgments, usual, folds=folds, seed=seed) if several else None,
        resampled(judgments, usual, seed=seed) if several else None,
        {part: profile(judgments, part, usual) for part in usual.parts},
        confidence,
    )
