"""How well a predictor does on instructions that it has not seen, beside what needs no training."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace

import numpy as np
import polars as pl

from karat.estimate import Estimate
from karat.evaluations.preferences import baselines
from karat.evaluations.preferences.counts import Codes, Group, System
from karat.evaluations.preferences.metrics import average, figures, mean_of
from karat.evaluations.preferences.predictors.classifier import (
    decide,
    fit_classifier,
    probabilities,
    symmetry_of,
)
from karat.evaluations.preferences.predictors.features import PairFeatures
from karat.evaluations.preferences.predictors.folds import Integers, grouped_folds
from karat.evaluations.preferences.ranking import mean_difference
from karat.report import FIGURE, figure_table, typed_table
from karat.schemas.preferences import AVERAGE, MISSING, Task
from karat.statistics import Comparison, clustered_paired_difference

Progress = Callable[[str], AbstractContextManager[object]]
"""Called with the name of each step; the step runs inside the context it returns."""

FOLDS = 5
NAME = "neighbours"
METRICS = ("accuracy", "balanced_accuracy")
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
        seed=seed,
    )


def score_table(group: Group) -> pl.DataFrame:
    """Accuracy and balanced accuracy of each, on each criterion and on average: system, criterion, metric, value ..."""
    return figure_table(["system", "criterion"], _scores(group))


def difference_table(group: Group) -> pl.DataFrame:
    """How much better the classifiers are than each baseline on the same items.

    criterion, first, second, metric, value, low, high, n, method, reason, note, p; rows per criterion and average.
    """
    ours = group.systems[0]
    rows = [
        {"criterion": criterion, "first": ours.name, "second": other.name, "metric": metric}
        | {name: getattr(found.estimate, name) for name in FIGURE[1:]}
        | {"p": found.p}
        for criterion in (*group.criteria, AVERAGE)
        for other in group.baselines
        for metric in METRICS
        for found in (_difference(group, ours, other, metric, criterion),)
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


def _scores(group: Group) -> Iterator[tuple[dict[str, str | None], str, Estimate]]:
    for system in group.everyone:
        found = {criterion: figures(group, system, place) for place, criterion in enumerate(group.criteria)}
        for criterion, own in {
            **found,
            AVERAGE: {metric: average(group, system, metric) for metric in METRICS},
        }.items():
            for metric in METRICS:
                estimate = Estimate.undefined(_ONE_GROUP) if group.units < 2 else own[metric]  # noqa: PLR2004
                yield {"system": system.name, "criterion": criterion}, metric, estimate


def _difference(group: Group, ours: System, other: System, metric: str, criterion: str) -> Comparison:
    if group.units < 2:  # noqa: PLR2004
        return Comparison(Estimate.undefined(_ONE_GROUP), None)
    if criterion == AVERAGE:
        return _mean_difference(group, ours, other, metric)
    place = group.criteria.index(criterion)
    if metric == "accuracy":
        right, theirs = (group.predicted(one, place).right for one in (ours, other))
        counts = (group.counted(mask) for mask in (right & ~theirs, theirs & ~right, group.judged[place]))
        return clustered_paired_difference(*counts, confidence=group.confidence)
    alone = replace(group, criteria=(criterion,), gold=group.gold[[place]])
    first, second = (System(one.name, one.codes[[place]]) for one in (ours, other))
    return _mean_difference(alone, first, second, metric)


def _mean_difference(group: Group, ours: System, other: System, metric: str) -> Comparison:
    return mean_difference(mean_of(group, ours, metric), mean_of(group, other, metric), group.confidence)
