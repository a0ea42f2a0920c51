"""The predictor `neighbours`: classifiers of text features, and explanations of labelled items that are alike.

It needs no language model. docs/preferences.md says how well it does.
"""

from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial

import numpy as np
import polars as pl

from karat.errors import DataError, OptionError
from karat.estimate import Estimate
from karat.evaluations.preferences import baselines
from karat.evaluations.preferences.figures import OF_LABELS
from karat.evaluations.preferences.outcomes import Codes, Group, codes_of
from karat.evaluations.preferences.predictors.classifier import (
    Classifier,
    Places,
    fit_classifier,
    grouped_folds,
    instruction_groups,
    scaler_of,
    standardised,
    swap_of,
)
from karat.evaluations.preferences.predictors.features import PairFeatures, pair_features
from karat.evaluations.preferences.tables import compared, score_rows
from karat.evaluations.scoring import Step
from karat.figures.cells import Floats, Integers, Mask
from karat.figures.tables import figure_row
from karat.report import FIGURE, typed_table
from karat.schemas.preferences import MISSING, TEXTS, Task
from karat.text import embeddings
from karat.text.models import extra
from karat.version import __version__

FEW_ITEMS = 100
FEW_GROUPS = 10
"""With fewer labelled items, or instructions, of a criterion than these a model notes that they are few."""

Explanations = tuple[tuple[str | None, ...], ...]
"""Per criterion those of the labelled items."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Model:
    """What `neighbours` has learnt.

    task: criteria and labels. feature_names: of the pair features. embedding_model: the name or folder of the encoder
    that predicting needs, or None. classifiers: one per criterion. space: the scaler of all labelled items. examples:
    their standardised features (items x features). gold: their labels (criteria x items). explanations: theirs per
    criterion (None where an item has none), or None where nobody explains anything. scores, differences:
    cross-validated (see `held_out`). notes: what a user should know of the training data. version: of the Karat
    that trained it.
    """

    task: Task
    feature_names: tuple[str, ...]
    embedding_model: str | None
    classifiers: tuple[Classifier, ...]
    space: Floats
    examples: Floats
    gold: Codes
    explanations: Explanations | None
    scores: pl.DataFrame
    differences: pl.DataFrame
    notes: tuple[str, ...]
    version: str

    def predict(self, items: pl.DataFrame) -> pl.DataFrame:
        """The preferred label on each criterion, and an explanation where the model has some.

        The label with the largest probability / (share in training) ** 0.5, which lies between the most probable one
        and the one that balanced accuracy would choose. Swapping the responses swaps A and B exactly; two identical
        responses are never A or B where the task has another label. The explanation is that of the nearest labelled
        item with the same label (Euclidean distance of standardised features); null where no such item has one. The
        distances of all items to all labelled ones are held at once.

        items: the columns id, instruction, output_a, output_b; a missing text counts as an empty one.
        Returns id, then for each criterion `{criterion}_preference` and, with explanations,
        `{criterion}_explanation`; a row per item, in order. A row depends on its item alone, so batches may be cut
        anywhere (with an embedding model as far as that gives a text the same vector in every batch).
        Raises DataError where a column is missing, and what `embed` raises.
        """
        _check_columns(items, ("id", *TEXTS))
        features, tie = features_of(items, self.embedding_model), a_before_b(items)
        distances = None if self.explanations is None else self._distances(features)
        words = np.array(self.task.labels, dtype=object)
        columns: dict[str, pl.Series] = {"id": items["id"]}
        for place, (criterion, classifier) in enumerate(zip(self.task.criteria, self.classifiers, strict=True)):
            labels = classifier.decide(features, tie)
            columns[f"{criterion}_preference"] = pl.Series(words[labels].tolist(), dtype=pl.String)
            if distances is not None:
                reasons = self._borrowed(place, labels, distances)
                columns[f"{criterion}_explanation"] = pl.Series(reasons, dtype=pl.String)
        return pl.DataFrame(columns)

    def _distances(self, features: PairFeatures) -> Floats:
        """Items x labelled items."""
        with extra("fit", "The predictor neighbours"):
            from scipy.spatial.distance import cdist
        found: Floats = cdist(standardised(features.values, self.space), self.examples)
        return found

    def _borrowed(self, place: int, labels: Places, distances: Floats) -> list[str | None]:
        """On the criterion at a place, for each item the explanation of the nearest labelled item with its label."""
        texts = (self.explanations or ())[place]
        given = np.array([text is not None for text in texts])
        fits = (self.gold[place] == 1 + labels[:, None]) & given
        nearest = np.where(fits, distances, np.inf).argmin(axis=1)
        return [texts[one] if found else None for one, found in zip(nearest, fits.any(axis=1), strict=True)]


def fit(
    gold: pl.DataFrame,
    task: Task,
    *,
    embedding_model: str | None = None,
    seed: int = 0,
    step: Step = nullcontext,
) -> Model:
    """Trains the predictor `neighbours` on labelled items, and cross-validates it.

    Each criterion has a classifier of its own: multinomial logistic regression on the features of `pair_features`,
    learnt in both orders of the responses and calibrated (`fit_classifier`). Where two labels are called A and B a swap
    of the responses swaps them, and leaves every other label alone; otherwise nothing is swapped, and order may count.
    Cross-validation has five folds that keep all items of one instruction together (`instruction_groups`); in each of
    them features are standardised and classifiers calibrated again.

    gold: instruction, output_a, output_b, a column `label:CRITERION` (codes, 0 is missing) per criterion and, if any,
    `why:CRITERION` (text or null). task: criteria and labels. embedding_model: a folder or the name of a model of
    sentence-transformers, which adds the cosines of instruction and responses. seed: of the folds, from 0. step:
    called with the name of each step, which runs inside the context it returns.

    Returns a Model, the same for the same arguments. Edge: a criterion whose labels are all one label that a swap
    leaves alone gives that label; one whose labels are all A (or all B) still tells A from B by the texts. With fewer
    than two instructions the scores are undefined, with the reason.
    Raises DataError where a column is missing, no item has a text, or a criterion has no labelled item, OptionError
    for a seed below 0 or a model that cannot be loaded, MissingError where scikit-learn or, with embedding_model,
    sentence-transformers is not installed.
    """
    _check_columns(gold, (*TEXTS, *task.label_columns))
    codes = codes_of(gold, task)
    _check_gold(gold, codes, task)
    if seed < 0:
        raise OptionError(f"seed: expected a whole number from 0; got {seed}")
    with extra("fit", "The predictor neighbours"):
        import sklearn  # noqa: F401 - to fail before any work is done
    with step("Features"):
        features = features_of(gold, embedding_model)
    groups, space, swap = instruction_groups(gold), scaler_of(features), swap_of(task)
    scores, differences = tables_of(held_out(features, codes, groups, gold, task, seed, step))
    with step("Training"):
        classifiers = tuple(fit_classifier(features, labels, groups, swap, seed) for labels in codes)
    return Model(
        task=task,
        feature_names=features.names,
        embedding_model=embedding_model,
        classifiers=classifiers,
        space=space,
        examples=standardised(features.values, space),
        gold=codes,
        explanations=_explanations(gold, task),
        scores=scores,
        differences=differences,
        notes=tuple(_notes(codes, groups, task)),
        version=__version__,
    )


def features_of(items: pl.DataFrame, embedding_model: str | None) -> PairFeatures:
    """The features of pairs, with those by a model of sentence-transformers where one is named."""
    return pair_features(items, None if embedding_model is None else partial(embeddings.embed, model=embedding_model))


def _check_columns(frame: pl.DataFrame, needed: tuple[str, ...]) -> None:
    absent = [column for column in needed if column not in frame.columns]
    if absent:
        raise DataError(f"neighbours: expected the columns {', '.join(needed)}; {', '.join(absent)} not there")


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


def _explanations(gold: pl.DataFrame, task: Task) -> Explanations | None:
    nobody = (None,) * len(gold)
    found = tuple(tuple(gold[column]) if column in gold.columns else nobody for column in task.why_columns)
    return None if all(texts == nobody for texts in found) else found


# --- cross-validation: how well it does on instructions that it has not seen, beside what needs no training ---


FOLDS = 5
NAME = "neighbours"
TABLES = {"scores": ("system", "criterion", *FIGURE), "differences": ("criterion", "first", "second", *FIGURE, "p")}
"""The tables of cross-validated figures, with their columns."""

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
    said = {NAME: ours, "majority": most}
    said |= {} if longer is None else {"longer": np.broadcast_to(longer, gold.shape)}
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
