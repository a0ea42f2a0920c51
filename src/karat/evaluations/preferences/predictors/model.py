"""What the predictor `neighbours` has learnt, and what it says of pairs of responses."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from karat.errors import DataError
from karat.evaluations.preferences.counts import Codes
from karat.evaluations.preferences.predictors.classifier import (
    Classifier,
    Places,
    Scaler,
    decide,
    probabilities,
    symmetry_of,
)
from karat.evaluations.preferences.predictors.cross_validation import a_before_b
from karat.evaluations.preferences.predictors.features import Embed, PairFeatures, pair_features
from karat.figures.cells import Floats
from karat.schemas.preferences import TEXTS, Task
from karat.text import embeddings
from karat.text.models import extra


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Model:
    """What `neighbours` has learnt.

    task: criteria and labels. feature_names: of the pair features. embedding_model: the name or folder of the encoder
    that predicting needs, or None. classifiers: one per criterion. space: how features are standardised. examples: the
    standardised features of the labelled items (items x features). gold: their labels (criteria x items). explanations:
    theirs per criterion (None where an item has none), or None where nobody explains anything. scores, differences:
    cross-validated (see `cross_validation`). notes: what a user should know of the training data. version: of the Karat
    that trained it.
    """

    task: Task
    feature_names: tuple[str, ...]
    embedding_model: str | None
    classifiers: tuple[Classifier, ...]
    space: Scaler
    examples: Floats
    gold: Codes
    explanations: tuple[tuple[str | None, ...], ...] | None
    scores: pl.DataFrame
    differences: pl.DataFrame
    notes: tuple[str, ...]
    version: str

    def __repr__(self) -> str:
        return f"Model({', '.join(self.task.criteria)}; {len(self.examples):,} items, Karat {self.version})"

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
        check_columns(items, ("id", *TEXTS))
        features = self._features(items)
        labels = np.stack([1 + one for one in self._decided(features, a_before_b(items))]).astype(np.uint8)
        reasons = None if self.explanations is None else self._borrowed(features, labels)
        columns: dict[str, pl.Series] = {"id": items["id"]}
        words = np.array([None, *self.task.labels], dtype=object)
        for place, criterion in enumerate(self.task.criteria):
            columns[f"{criterion}_preference"] = pl.Series(words[labels[place]].tolist(), dtype=pl.String)
            if reasons is not None:
                columns[f"{criterion}_explanation"] = pl.Series(reasons[place], dtype=pl.String)
        return pl.DataFrame(columns)

    def probabilities(self, items: pl.DataFrame) -> dict[str, Floats]:
        """For each criterion the probability of each of the task's labels: items x labels, rows add up to 1.

        A label that training has not seen has 0. After a swap of the responses A has exactly what B had.
        Raises what `predict` raises.
        """
        check_columns(items, TEXTS)
        features, symmetry = self._features(items), symmetry_of(self.task)
        return {
            criterion: np.ascontiguousarray(probabilities(classifier, features, symmetry).T)
            for criterion, classifier in zip(self.task.criteria, self.classifiers, strict=True)
        }

    def save(self, path: str | Path) -> None:
        """Writes the model as a skops file: arrays, numbers and texts, nothing that runs when it is read.

        Raises MissingError where skops is not installed, OSError where the file cannot be written.
        """
        from karat.evaluations.preferences.predictors.storage import dumped

        Path(path).write_bytes(dumped(self))

    def _features(self, items: pl.DataFrame) -> PairFeatures:
        return pair_features(items, encoder_of(self.embedding_model))

    def _decided(self, features: PairFeatures, tie: NDArray[np.bool_]) -> list[Places]:
        symmetry = symmetry_of(self.task)
        return [
            decide(probabilities(classifier, features, symmetry), classifier.shares, symmetry, tie)
            for classifier in self.classifiers
        ]

    def _borrowed(self, features: PairFeatures, labels: Codes) -> list[list[str | None]]:
        """Per criterion and item the explanation of the nearest labelled item with the same label."""
        with extra("fit", "The predictor neighbours"):
            from scipy.spatial.distance import cdist
        distances = cdist(self.space(features.values), self.examples)
        found: list[list[str | None]] = []
        for gold, texts, own in zip(self.gold, self.explanations or (), labels, strict=True):
            given = np.array([text is not None for text in texts], dtype=bool)
            reasons = np.full(len(own), None, dtype=object)
            for code in np.unique(own):
                rows, candidates = np.flatnonzero(own == code), np.flatnonzero((gold == code) & given)
                if len(candidates):
                    nearest = candidates[distances[np.ix_(rows, candidates)].argmin(axis=1)]
                    reasons[rows] = [texts[place] for place in nearest]
            found.append(reasons.tolist())
        return found


def encoder_of(model: str | None) -> Embed | None:
    """What turns texts into vectors with a model of sentence-transformers; None without one."""
    return None if model is None else partial(embeddings.embed, model=model)


def check_columns(frame: pl.DataFrame, needed: tuple[str, ...]) -> None:
    """Raises DataError where a column that `neighbours` needs is missing."""
    absent = [column for column in needed if column not in frame.columns]
    if absent:
        raise DataError(f"neighbours: expected the columns {', '.join(needed)}; {', '.join(absent)} not there")
