"""How well a predictor does on instructions that it has not seen, beside what needs no training."""

import numpy as np
import polars as pl

from karat.estimate import Estimate
from karat.evaluations.preferences import baselines
from karat.evaluations.preferences.figures import OF_LABELS
from karat.evaluations.preferences.outcomes import Codes, Group, System
from karat.evaluations.preferences.predictors.classifier import fit_classifier, grouped_folds, swap_of
from karat.evaluations.preferences.predictors.features import PairFeatures
from karat.evaluations.preferences.tables import compared, score_rows
from karat.evaluations.scoring import Step
from karat.figures.cells import Integers, Mask
from karat.figures.tables import figure_row
from karat.report import FIGURE, typed_table
from karat.schemas.preferences import MISSING, Task

FOLDS = 5
NAME = "neighbours"
METRICS = ("accuracy", "balanced_accuracy")
_CONFIDENCE = 0.95


def held_out(
    features: PairFeatures, gold: Codes, groups: Integers, items: pl.DataFrame, task: Task, seed: int, step: Step
) -> Group:
    """What the classifiers, and the baselines, say of each item when its fold is held out.

    majority is the most frequent label of the other folds; longer needs no training, and is there where both texts of
    all items are and two labels are called A and B.

    features: of the items. gold: criteria x items. groups: per item, never parted; the clusters of the intervals.
    Returns a Group of one system, `neighbours`, and the baselines. Edge: with one group nothing is predicted.
    """
    folds = min(FOLDS, len(np.unique(groups)))
    fold = grouped_folds(groups, folds, seed=seed)
    ours, most = np.zeros_like(gold), np.zeros_like(gold)
    swap, tie = swap_of(task), a_before_b(items)
    for number in range(folds if folds > 1 else 0):
        held = fold == number
        with step(f"Cross-validation, fold {number + 1} of {folds}"):
            for place, labels in enumerate(gold):
                if (labels[~held] != MISSING).any():
                    learnt = features.rows(~held), labels[~held], groups[~held]
                    classifier = fit_classifier(*learnt, swap, seed)
                    ours[place, held] = 1 + classifier.decide(features.rows(held), tie[held])
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


def tables_of(group: Group) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Scores and differences: accuracy and balanced accuracy on each criterion, and on average.

    Scores: system, criterion, metric, value, low, high, n, method, reason, note. Differences, how much better the
    classifiers are than each baseline on the same items: criterion, first, second, metric ... note, p.
    With one group nothing was held out, and all of them are undefined.
    """
    scores = [row for row in score_rows(group) if row["metric"] in METRICS]
    found = [
        row
        for baseline in group.baselines
        for figure in OF_LABELS
        if figure.name in METRICS
        for row in compared(group, figure, baseline, group.systems[0])
    ]
    differences = [
        figure_row(row.keys, row.figure.name, row.result.found.estimate) | {"p": row.result.found.p} for row in found
    ]
    if group.units == 1:
        nothing = Estimate.undefined("fewer than two instructions: nothing can be held out")
        scores, differences = (
            [figure_row(row, row["metric"], nothing) | {"p": None} for row in rows] for rows in (scores, differences)
        )
    columns = ["system", "criterion", *FIGURE], ["criterion", "first", "second", *FIGURE, "p"]
    return typed_table(scores, columns[0]), typed_table(differences, columns[1])


def a_before_b(items: pl.DataFrame) -> Mask:
    """Whether the first response sorts before the second, or is the same: what decides where nothing else does."""
    first, second = (pl.col(name).cast(pl.String).fill_null("") for name in ("output_a", "output_b"))
    return items.select(first <= second).to_series().to_numpy()
