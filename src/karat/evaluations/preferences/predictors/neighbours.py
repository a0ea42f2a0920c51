"""The predictor `neighbours`: classifiers of text features, and explanations of labelled items that are alike.

It needs no language model. docs/preferences.md says how well it does.
"""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from karat import __version__
from karat.errors import DataError, OptionError
from karat.evaluations.preferences.counts import Codes
from karat.evaluations.preferences.predictors.classifier import (
    Classifier,
    Symmetry,
    fit_classifier,
    scaler_of,
    symmetry_of,
)
from karat.evaluations.preferences.predictors.cross_validation import (
    Progress,
    difference_table,
    held_out,
    score_table,
    step,
)
from karat.evaluations.preferences.predictors.features import PairFeatures, pair_features
from karat.evaluations.preferences.predictors.folds import Integers, instruction_groups
from karat.evaluations.preferences.predictors.model import Model, check_columns, encoder_of
from karat.evaluations.preferences.predictors.storage import load
from karat.schemas.preferences import MISSING, TEXTS, Task
from karat.text.models import extra

__all__ = ["Model", "fit", "load"]

FEW_ITEMS = 100
FEW_GROUPS = 10
"""With fewer labelled items, or instructions, of a criterion than these a model notes that they are few."""


def fit(
    gold: pl.DataFrame,
    task: Task,
    *,
    embedding_model: str | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Model:
    """Trains the predictor `neighbours` on labelled items, and cross-validates it.

    Each criterion has a classifier of its own: multinomial logistic regression on the features of `pair_features`,
    learnt in both orders of the responses and calibrated (`fit_classifier`). Where two labels are called A and B a swap
    of the responses swaps them, and leaves every other label alone; otherwise nothing is swapped, and order may count.
    Cross-validation has five folds that keep all items of one instruction together (`instruction_groups`); in each of
    them features are standardised and classifiers calibrated again.

    gold: instruction, output_a, output_b, a column `label:CRITERION` (codes, 0 is missing) per criterion and, if any,
    `why:CRITERION` (text or null). task: criteria and labels. embedding_model: a folder or the name of a model of
    sentence-transformers, which adds the cosines of instruction and responses. seed: of the folds, from 0. progress:
    called with the name of each step, which runs inside the context it returns.

    Returns a Model, the same for the same arguments. Edge: a criterion whose labels are all one label that a swap
    leaves alone gives that label; one whose labels are all A (or all B) still tells A from B by the texts. With fewer
    than two instructions the scores are undefined, with the reason.
    Raises DataError where a column is missing, no item has a text, or a criterion has no labelled item, OptionError
    for a seed below 0 or a model that cannot be loaded, MissingError where scikit-learn or, with embedding_model,
    sentence-transformers is not installed.
    """
    check_columns(gold, (*TEXTS, *task.label_columns))
    codes = gold.select(task.label_columns).to_numpy().T.astype(np.uint8)
    _check_gold(gold, codes, task)
    if seed < 0:
        raise OptionError(f"seed: expected a whole number from 0; got {seed}")
    with extra("fit", "The predictor neighbours"):
        import sklearn  # noqa: F401 - to fail before any work is done
    with step(progress, "Features"):
        features = pair_features(gold, encoder_of(embedding_model))
    groups, space = instruction_groups(gold), scaler_of(features)
    tested = held_out(features, codes, groups, gold, task, seed=seed, progress=progress)
    with step(progress, "Training"):
        classifiers = tuple(_trained(features, labels, groups, symmetry_of(task), seed) for labels in codes)
    return Model(
        task=task,
        feature_names=features.names,
        embedding_model=embedding_model,
        classifiers=classifiers,
        space=space,
        examples=space(features.values),
        gold=codes,
        explanations=_explanations(gold, task),
        scores=score_table(tested),
        differences=difference_table(tested),
        notes=tuple(_notes(codes, groups, task)),
        version=__version__,
    )


def _trained(
    features: PairFeatures, labels: NDArray[np.uint8], groups: Integers, symmetry: Symmetry, seed: int
) -> Classifier:
    known = labels != MISSING
    return fit_classifier(features.rows(known), labels[known].astype(np.intp) - 1, groups[known], symmetry, seed=seed)


def _check_gold(gold: pl.DataFrame, codes: Codes, task: Task) -> None:
    if gold.select("output_a", "output_b").null_count().sum_horizontal().item() == 2 * len(gold):
        raise DataError("neighbours: expected items with the texts output_a and output_b; got none to learn from")
    unlabelled = [criterion for criterion, labels in zip(task.criteria, codes, strict=True) if not labels.any()]
    if unlabelled:
        raise DataError(
            f"neighbours: expected labelled items of every criterion; got none of {', '.join(unlabelled)}. "
            "Leave it out of the criteria, or add labelled items"
        )


def _notes(codes: Codes, groups: Integers, task: Task) -> list[str]:
    notes = []
    for criterion, labels in zip(task.criteria, codes, strict=True):
        known = labels != MISSING
        items, instructions = int(known.sum()), len(np.unique(groups[known]))
        if items < FEW_ITEMS or instructions < FEW_GROUPS:
            notes.append(f"{criterion}: only {items:,} labelled items of {instructions:,} instructions to learn from")
        if len(np.unique(labels[known])) == 1:
            notes.append(f"{criterion}: all labelled items are {task.word(int(labels[known][0]))}")
    return notes


def _explanations(gold: pl.DataFrame, task: Task) -> tuple[tuple[str | None, ...], ...] | None:
    """Per criterion the items' explanations; None where nobody explains anything."""
    nobody = (None,) * len(gold)
    found = [tuple(gold[column].to_list()) if column in gold.columns else nobody for column in task.why_columns]
    return None if all(texts == nobody for texts in found) else tuple(found)
