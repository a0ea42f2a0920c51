"""How well a predictor does on instructions that it has not seen, beside what needs no training."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

import numpy as np
import polars as pl

from karat.estimate import Estimate
from karat.evaluations.preferences import baselines
from karat.evaluations.preferences.counts import Codes, Group, System
from karat.evaluations.preferences.figures import OF_LABELS
from karat.evaluations.preferences.predictors.classifier import (
    decide,
    fit_classifier,
    probabilities,
    symmetry_of,
)
from karat.evaluations.preferences.predictors.features import PairFeatures
from karat.evaluations.preferences.predictors.folds import Integers, grouped_folds
from karat.evaluations.preferences.ranking import compared
from karat.evaluations.preferences.tables import estimate
from karat.figures.figure import Figure
from karat.figures.means import mean_estimate
from karat.figures.tables import Keys, figure_row
from karat.report import FIGURE, typed_table
from karat.schemas.preferences import AVERAGE, MISSING, Task

Progress = Callable[[str], AbstractContextManager[object]]
"""Called with the name of each step; the step runs inside the context it returns."""

FOLDS = 5
NAME = "neighbours"
METRICS = ("accuracy", "balanced_accuracy")
_FIGURES = [figure for figure in OF_LABELS if figure.name in METRICS]
_CONFIDENCE = 0.95
_ONE_GROUP = "fewer than two instructions: nothing can be held out"


def held_out(
    features: PairFeatures,
    gold: Codes,
    groups: Integers,
    items: pl.DataFrame,
    task: Task,
    *,
    seed: int = 0,
    progress: Progress | None = None,
) -> Group:
    """What the classifiers, and the baselines, say of each item when its fold is held out.

    majority is the most frequent label of the other folds; longer needs no training, and is there where both texts of
    all items are and two labels are called A and B.

    features: of the items. gold: criteria x items. groups: per item, never parted; the clusters of the intervals.
    Returns a Group of one system, `neighbours`, and the baselines. Edge: with one group nothing is predicted.
    """
    folds = min(FOLDS, len(np.unique(groups)))
    fold = grouped_folds(groups, max(folds, 1), seed=seed)
    ours, most = np.zeros_like(gold), np.zeros_like(gold)
    symmetry, tie = symmetry_of(task), a_before_b(items)
    for number in range(folds if folds > 1 else 0):
        held = fold == number
        with step(progress, f"Cross-validation, fold {number + 1} of {folds}"):
            for place, labels in enumerate(gold):
                known = ~held & (labels != MISSING)
                if known.any():
                    learnt = features.rows(known), labels[known].astype(np.intp) - 1, groups[known]
                    fitted = fit_classifier(*learnt, symmetry, seed=seed)
                    found = probabilities(fitted, features.rows(held), symmetry)
                    ours[place, held] = 1 + decide(found, fitted.shares, symmetry, tie[held])
            most[:, held] = baselines.majority(gold[:, ~held], len(task.labels))[:, :1]
    longer = baselines.longer(items, task)
    lengths = () if longer is None else (System("longer", np.broadcast_to(longer, gold.shape)),)
    return Group(
        keys={},
        criteria=task.criteria,
        labels=task.labels,
        gold=gold,
        systems=(System(NAME, ours),),
        baselines=(System("majority", most), *lengths),
        clusters=np.unique(groups, return_inverse=True)[1].astype(np.int64),
        confidence=_CONFIDENCE,
    )


def score_table(group: Group) -> pl.DataFrame:
    """Accuracy and balanced accuracy of each, on each criterion and on average: system, criterion, metric, value ..."""
    rows = [
        figure_row(
            {"system": system.name, "criterion": criterion}, figure.name, _score(group, system, figure, criterion)
        )
        for system in group.everyone
        for criterion in (*group.criteria, AVERAGE)
        for figure in _FIGURES
    ]
    return typed_table(rows, ["system", "criterion", *FIGURE])


def difference_table(group: Group) -> pl.DataFrame:
    """How much better the classifiers are than each baseline on the same items.

    criterion, first, second, metric, value, low, high, n, method, reason, note, p; rows per criterion and average.
    """
    ours = group.systems[0]
    rows = [
        row for baseline in group.baselines for figure in _FIGURES for row in _compared(group, figure, baseline, ours)
    ]
    return typed_table(rows, ["criterion", "first", "second", *FIGURE, "p"])


def a_before_b(items: pl.DataFrame) -> np.ndarray:
    """Whether the first response sorts before the second, or is the same: what decides where nothing else does."""
    return (
        items.select(
            pl.col("output_a").cast(pl.String).fill_null("") <= pl.col("output_b").cast(pl.String).fill_null("")
        )
        .to_series()
        .to_numpy()
    )


def step(progress: Progress | None, name: str) -> AbstractContextManager[object]:
    """The context in which a step runs."""
    return nullcontext() if progress is None else progress(name)


def _score(group: Group, system: System, figure: Figure, criterion: str) -> Estimate:
    if group.units < 2:  # noqa: PLR2004
        return Estimate.undefined(_ONE_GROUP)
    if criterion == AVERAGE:
        return mean_estimate(figure, group.parts(system, figure), group.confidence)
    return estimate(group, system, figure, group.criteria.index(criterion))


def _compared(group: Group, figure: Figure, first: System, second: System) -> list[Keys]:
    """The second minus the first, on each criterion and on average."""
    names = {"first": first.name, "second": second.name}
    if group.units < 2:  # noqa: PLR2004
        nothing = figure_row(names, figure.name, Estimate.undefined(_ONE_GROUP)) | {"p": None}
        return [{"criterion": criterion, **nothing} for criterion in (*group.criteria, AVERAGE)]
    return [
        figure_row(row.keys, figure.name, row.result.found.estimate) | {"p": row.result.found.p}
        for row in compared(group, figure, first, second)
    ]
