"""The predictor `fitted`: per criterion a classifier of text features, where it beats the baselines on held-out items.

It needs no language model. docs/preferences.md says how well it does.
"""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial

import numpy as np
import polars as pl

from karat.errors import DataError, OptionError
from karat.estimate import Estimate
from karat.evaluations.preferences import baselines
from karat.evaluations.preferences.baselines import LONGER, MAJORITY
from karat.evaluations.preferences.figures import OF_LABELS
from karat.evaluations.preferences.outcomes import Codes, Group, codes_of
from karat.evaluations.preferences.predictors.classifier import (
    Classifier,
    Places,
    fit_classifier,
    grouped_folds,
    instruction_groups,
    swap_of,
)
from karat.evaluations.preferences.predictors.features import PairFeatures, pair_features
from karat.evaluations.preferences.predictors.reasons import by_classifier, by_rule
from karat.evaluations.preferences.tables import compared, score_rows
from karat.evaluations.scoring import Step
from karat.figures.cells import Integers, Mask
from karat.figures.tables import figure_row
from karat.report import FIGURE, typed_table
from karat.schemas.preferences import MISSING, TEXTS, Task
from karat.text import embeddings
from karat.text.models import extra
from karat.version import __version__

FEW_ITEMS = 100
FEW_GROUPS = 10
"""With fewer labelled items, or instructions, of a criterion than these a model notes that they are few."""

NAME = "fitted"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Model:
    """What `fitted` has learnt.

    task: criteria and labels. feature_names: of the pair features. embedding_model: the name or folder of the encoder
    that predicting needs, or None. used: what predicts each criterion: majority, longer or fitted. most: the code of
    the most frequent label of each. classifiers: one per criterion, whether used or not. explained: whether
    explanations are given. scores, differences: cross-validated (see `held_out`). notes: what a user should know of
    the training data. version: of the Karat that trained it.
    """

    task: Task
    feature_names: tuple[str, ...]
    embedding_model: str | None
    used: tuple[str, ...]
    most: tuple[int, ...]
    classifiers: tuple[Classifier, ...]
    explained: bool
    scores: pl.DataFrame
    differences: pl.DataFrame
    notes: tuple[str, ...]
    version: str

    def predict(self, items: pl.DataFrame) -> pl.DataFrame:
        """The preferred label on each criterion, and why where the labelled items say why.

        A classifier gives the label with the largest probability / (share in training) ** balance, which is for the
        objective that it was fitted for. Swapping the responses then swaps A and B exactly; two identical responses are
        never A or B where the task has another label. Explanations name what was measured in the item's own responses.

        items: the columns id, instruction, output_a, output_b; a missing text counts as an empty one.
        Returns id, then for each criterion `{criterion}_preference` and, with explanations,
        `{criterion}_explanation`; a row per item, in order. A row depends on its item alone, so batches may be cut
        anywhere (with an embedding model as far as that gives a text the same vector in every batch).
        Raises DataError where a column is missing, and what `embed` raises.
        """
        _check_columns(items, ("id", *TEXTS))
        features, tie = features_of(items, self.embedding_model), a_before_b(items)
        words = np.array(self.task.labels, dtype=object)
        columns: dict[str, pl.Series] = {"id": items["id"]}
        for place, criterion in enumerate(self.task.criteria):
            labels = self._labels(place, items, features, tie)
            columns[f"{criterion}_preference"] = pl.Series(words[labels].tolist(), dtype=pl.String)
            if self.explained:
                why = self._reasons(place, features, labels)
                columns[f"{criterion}_explanation"] = pl.Series(why, dtype=pl.String)
        return pl.DataFrame(columns)

    def _labels(self, place: int, items: pl.DataFrame, features: PairFeatures, tie: Mask) -> Places:
        """The labels that what is used on the criterion at a place gives."""
        if self.used[place] == NAME:
            return self.classifiers[place].decide(features, tie)
        if self.used[place] == LONGER:
            return baselines.longer_of(items, self.task).astype(np.intp) - 1
        return np.full(items.height, self.most[place] - 1, np.intp)

    def _reasons(self, place: int, features: PairFeatures, labels: Places) -> list[str]:
        if self.used[place] == NAME:
            return by_classifier(features, labels, self.task, self.classifiers[place])
        return by_rule(features, labels, self.task, self.used[place])


def fit(
    gold: pl.DataFrame,
    task: Task,
    *,
    embedding_model: str | None = None,
    objective: str = "accuracy",
    seed: int = 0,
    step: Step = nullcontext,
) -> Model:
    """Trains the predictor `fitted` on labelled items, cross-validates it, and chooses what predicts each criterion.

    The most frequent label predicts a criterion, unless the longer response is better on what is held out, and the
    classifier better still: in `objective`, by more than the standard error of the difference.

    Each criterion has a classifier of its own: multinomial logistic regression on the features of `pair_features`,
    learnt in both orders of the responses and calibrated (`fit_classifier`). Where two labels are called A and B a swap
    of the responses swaps them, and leaves every other label alone; otherwise nothing is swapped, and order may count.
    Cross-validation has five folds that keep all items of one instruction together (`instruction_groups`); in each of
    them features are standardised and classifiers calibrated again.

    gold: instruction, output_a, output_b, a column `label:CRITERION` (codes, 0 is missing) per criterion and, if any,
    `why:CRITERION` (text or null). task: criteria and labels. embedding_model: a folder or the name of a model of
    sentence-transformers, which adds the cosines of instruction and responses. objective: accuracy or
    balanced_accuracy, which decisions and the choice are for. seed: of the folds, from 0. step:
    called with the name of each step, which runs inside the context it returns.

    Returns a Model, the same for the same arguments. Edge: with fewer than two instructions nothing is held out, so the
    most frequent label is used; the scores are undefined, with the reason.
    Raises DataError where a column is missing, no item has a text, or a criterion has no labelled item, OptionError
    for a seed below 0 or a model that cannot be loaded, MissingError where scikit-learn or, with embedding_model,
    sentence-transformers is not installed.
    """
    _check_columns(gold, (*TEXTS, *task.label_columns))
    codes = codes_of(gold, task)
    _check_gold(gold, codes, task)
    if seed < 0:
        raise OptionError(f"seed: expected a whole number from 0; got {seed}")
    with extra("fit", "The predictor fitted"):
        import sklearn  # noqa: F401 - to fail before any work is done
    with step("Features"):
        features = features_of(gold, embedding_model)
    groups, swap = instruction_groups(gold), swap_of(task)
    group = held_out(features, codes, groups, gold, task, seed, step, objective)
    scores, differences = tables_of(group)
    used = used_of(group, objective)
    with step("Training"):
        classifiers = tuple(fit_classifier(features, labels, groups, swap, seed, objective) for labels in codes)
    return Model(
        task=task,
        feature_names=features.names,
        embedding_model=embedding_model,
        used=used,
        most=tuple(baselines.majority(codes, len(task.labels))[:, 0].tolist()),
        classifiers=classifiers,
        explained=_explained(gold, task),
        scores=scores,
        differences=differences,
        notes=(*_notes(codes, groups, task), *_choices(used, task)),
        version=__version__,
    )


def features_of(items: pl.DataFrame, embedding_model: str | None) -> PairFeatures:
    """The features of pairs, with those by a model of sentence-transformers where one is named."""
    return pair_features(items, None if embedding_model is None else partial(embeddings.embed, model=embedding_model))


def _check_columns(frame: pl.DataFrame, needed: tuple[str, ...]) -> None:
    absent = [column for column in needed if column not in frame.columns]
    if absent:
        raise DataError(f"fitted: expected the columns {', '.join(needed)}; {', '.join(absent)} not there")


def _check_gold(gold: pl.DataFrame, codes: Codes, task: Task) -> None:
    if gold.select("output_a", "output_b").null_count().sum_horizontal().item() == 2 * len(gold):
        raise DataError("fitted: expected items with the texts output_a and output_b; got none to learn from")
    unlabelled = [criterion for criterion, labels in zip(task.criteria, codes, strict=True) if not labels.any()]
    if unlabelled:
        raise DataError(
            f"fitted: expected labelled items of every criterion; got none of {', '.join(unlabelled)}. "
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


def _choices(used: Sequence[str], task: Task) -> list[str]:
    """What predicts each criterion, where it is not the classifier."""
    said = {
        MAJORITY: "neither the longer response nor the classifier beats the most frequent label by more than a "
        "standard error on what is held out, so that label is predicted throughout",
        LONGER: "the classifier does not beat the longer response by more than a standard error on what is held out, "
        "so the longer response is predicted",
    }
    return [f"{criterion}: {said[one]}" for criterion, one in zip(task.criteria, used, strict=True) if one in said]


def _explained(gold: pl.DataFrame, task: Task) -> bool:
    """Whether anybody explains a label."""
    known = [column for column in task.why_columns if column in gold.columns]
    return any(gold[column].null_count() < gold.height for column in known)


def used_of(group: Group, objective: str) -> tuple[str, ...]:
    """What predicts each criterion: the simplest that none is better than by more than a standard error, held out.

    Source: Breiman et al. 1984, the rule of one standard error.
    """
    (figure,) = (one for one in OF_LABELS if one.name == objective)
    found = []
    for place, _ in enumerate(group.task.criteria):
        used = MAJORITY
        for challenger in (LONGER, NAME):
            if challenger in group.names and group.units > 1:
                both = group.names.index(used), group.names.index(challenger)
                used = challenger if _is_better(compared(group, figure, *both)[place].result.found.estimate) else used
        found.append(used)
    return tuple(found)


def _is_better(gap: Estimate) -> bool:
    """Whether a difference is greater than its standard error, which its 95 % interval has 3.92 times."""
    if gap.value is None or gap.low is None or gap.high is None:
        return False
    return gap.value > (gap.high - gap.low) / 3.92


# --- cross-validation: how well it does on instructions that it has not seen, beside what needs no training ---


FOLDS = 5
TABLES = {"scores": ("system", "criterion", *FIGURE), "differences": ("criterion", "first", "second", *FIGURE, "p")}
"""The tables of cross-validated figures, with their columns."""

METRICS = ("accuracy", "balanced_accuracy")
_CONFIDENCE = 0.95


def held_out(
    features: PairFeatures,
    gold: Codes,
    groups: Integers,
    items: pl.DataFrame,
    task: Task,
    seed: int,
    step: Step,
    objective: str = "accuracy",
) -> Group:
    """What the classifiers, and the baselines, say of each item when its fold is held out.

    majority is the most frequent label of the other folds; longer needs no training, and is there where there are
    texts and two labels are called A and B.

    features: of the items. gold: criteria x items. groups: per item, never parted; the clusters of the intervals.
    Returns a Group of one system, `fitted`, and the baselines. Edge: with one group nothing is predicted.
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
                    classifier = fit_classifier(*learnt, swap, seed, objective)
                    ours[place, held] = 1 + classifier.decide(features.rows(held), tie[held])
            most[:, held] = baselines.majority(gold[:, ~held], len(task.labels))[:, :1]
    longer = baselines.longer(items, task)
    said = {NAME: ours, MAJORITY: most}
    said |= {} if longer is None else {LONGER: np.broadcast_to(longer, gold.shape)}
    return Group(
        keys={},
        task=task,
        gold=gold,
        names=tuple(said),
        labels=np.stack([*said.values()]),
        scores={},
        clusters=np.unique(groups, return_inverse=True)[1].astype(np.int64),
        confidence=_CONFIDENCE,
        submitted=1,
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
        for row in compared(group, figure, baseline, 0)
    ]
    differences = [
        figure_row(row.keys, row.figure.name, row.result.found.estimate) | {"p": row.result.found.p} for row in found
    ]
    if group.units == 1:
        nothing = Estimate.undefined("fewer than two instructions: nothing can be held out")
        scores, differences = (
            [figure_row(row, row["metric"], nothing) | {"p": None} for row in rows] for rows in (scores, differences)
        )
    return typed_table(scores, TABLES["scores"]), typed_table(differences, TABLES["differences"])


def a_before_b(items: pl.DataFrame) -> Mask:
    """Whether the first response sorts before the second, or is the same: what decides where nothing else does."""
    first, second = (pl.col(name).cast(pl.String).fill_null("") for name in ("output_a", "output_b"))
    return items.select(first <= second).to_series().to_numpy()
