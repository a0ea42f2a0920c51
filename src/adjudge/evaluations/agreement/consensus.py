"""The consensus label of each item, and its probability."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias

import numpy as np
import polars as pl

from adjudge.estimate import Estimate
from adjudge.evaluations.agreement.label_codes import LabelCodes
from adjudge.metrics.cells import Floats, Integers, Mask
from adjudge.metrics.tables import Keys, estimate_table
from adjudge.report import typed_table
from adjudge.spec import MetricSpec
from adjudge.statistics.consensus import DRAWN, MOST, DawidSkene, dawid_skene
from adjudge.statistics.proportions import linearised_proportion, proportion
from adjudge.text.local_models import extra

Method: TypeAlias = Literal["pooled", "dawid-skene", "majority", "glad", "mace"]

CONSENSUS = "consensus"
"""The annotator whose labels the consensus is, in the file of its labels."""
_BEST = "consensus_label"
CONFIDENT = 0.95
"""A label at least this probable is called sure."""
FEWEST_ANNOTATORS = 3
"""With fewer annotators labels do not tell whose are more accurate, so the majority decides."""
_MOST_CONFUSED = 40
_EQUAL = 1e-9
"""Probabilities that differ by less are equal."""

_mean_share = partial(MetricSpec, of_shares=True, bounds=(0.0, 1.0))
METRICS = {
    "consensus_items": MetricSpec("Items", "Items on which one label leads.", percent=False, decimals=0),
    "consensus_ties": MetricSpec(
        "Ties", "Items on which several labels lead alike, which get none.", "low", percent=False, decimals=0
    ),
    "consensus_votes": _mean_share("Votes for it", "The mean over items of the share of labels that is the consensus."),
    "consensus_probability": _mean_share(
        "Certainty of the model",
        "The mean probability of the consensus under the model: too high where annotators err together, or gave few "
        "labels each.",
    ),
    "consensus_sure": MetricSpec(
        f"At least {100 * CONFIDENT:.0f} % sure",
        f"Items whose consensus is at least {100 * CONFIDENT:.0f} % probable under the model / items with a consensus.",
    ),
    "label_share": _mean_share("Share of items", "The mean over items of how probable the label is."),
}
TABLES = {
    "consensus": "What annotators come to, and how sure it is.",
    "consensus_labels": "On what share of the items each label is right, as the consensus has it.",
    "consensus_confusion": "Each label of an annotator against the consensus, in which it has a part itself; of the "
    f"annotators with the most labels, {_MOST_CONFUSED} at most.",
}


@dataclass(frozen=True, slots=True, eq=False)
class Consensus:
    """The consensus of the annotators of a group.

    probabilities: items x labels; of a majority, shares of votes. model: of Dawid and Skene, with the error rates that
    the consensus rests on, or that go with the votes.
    """

    labels: LabelCodes
    method: Method
    probabilities: Floats
    model: DawidSkene

    @property
    def best_labels(self) -> Integers:
        """The number of each item's label."""
        labels: Integers = self.probabilities.argmax(axis=1)
        return labels

    @property
    def top_probabilities(self) -> Floats:
        """The probability of each item's label."""
        probabilities: Floats = self.probabilities.max(axis=1)
        return probabilities

    @property
    def has_single_best(self) -> Mask:
        """Whether the most probable label of an item is the only one of that probability."""
        return np.asarray((self.probabilities >= self.top_probabilities[:, None] - _EQUAL).sum(axis=1) == 1)

    @property
    def vote_counts(self) -> tuple[Integers, Integers]:
        """The number of each item's labels that equal the consensus, and the number of all its labels."""
        same, items = self.labels.labels == self.best_labels[self.labels.items], len(self.labels.item_names)
        return np.bincount(self.labels.items[same], minlength=items), np.bincount(self.labels.items, minlength=items)

    def notes(self) -> Iterator[str]:
        """Notes on a model that was fitted to few annotators, or did not converge."""
        if self.method not in ("pooled", "dawid-skene"):
            return
        if len(self.labels.annotator_names) < FEWEST_ANNOTATORS:
            yield "Labels of fewer than three annotators do not say who is right more often: probabilities are guesses."
        if not self.model.converged:
            yield f"The consensus did not settle in {MOST} iterations: it rests on too few labels of each annotator."


def infer_consensus(coded: LabelCodes, method: Method | None, seed: int) -> Consensus:
    """The consensus of a group. method: by default pooled, of fewer than three annotators votes.

    Pooled is the model of Dawid and Skene with the rates of each annotator drawn to those of all.
    Raises MissingError where the package is missing that GLAD and MACE need.
    """
    chosen = method or ("pooled" if len(coded.annotator_names) >= FEWEST_ANNOTATORS else "majority")
    drawn, most = 0.0 if chosen == "dawid-skene" else DRAWN, 0 if chosen == "majority" else MOST
    model = dawid_skene(*coded.columns, drawn=drawn, most=most)
    if chosen == "glad" or chosen == "mace":  # noqa: PLR1714 - so that their type is known
        return Consensus(coded, chosen, _crowd_probabilities(coded, chosen, seed), model)
    return Consensus(coded, chosen, model.posteriors, model)


def _crowd_probabilities(coded: LabelCodes, method: Literal["glad", "mace"], seed: int) -> Floats:
    """The probability of each label (items x labels) by crowd-kit's GLAD or MACE.

    GLAD models the difficulty of items, MACE annotators who guess. seed: of the starts of MACE. Raises MissingError
    without crowd-kit.
    """
    with extra("crowd", method.upper()):
        import pandas as pd
        from crowdkit.aggregation import GLAD, MACE
    frame = pd.DataFrame({"task": coded.items, "worker": coded.annotators, "label": coded.labels})
    model = GLAD() if method == "glad" else MACE(random_state=seed)
    with warnings.catch_warnings():  # what it asks of pandas and numpy is its own concern
        warnings.simplefilter("ignore")
        fitted = model.fit_predict_proba(frame)
    probabilities = np.zeros((len(coded.item_names), len(coded.label_names)))
    probabilities[np.ix_(fitted.index.to_numpy(), fitted.columns.to_numpy().astype(np.int64))] = fitted.to_numpy()
    return probabilities


def consensus_tables(results: Sequence[Consensus], by: Sequence[str], confidence: float) -> dict[str, pl.DataFrame]:
    """The tables of METRICS, by group."""
    shares = [
        ({**one.labels.keys, "label": name}, "label_share", _mean_over_items(probable, confidence))
        for one in results
        for name, probable in zip(one.labels.label_names, one.probabilities.T, strict=True)
    ]
    confusion = [row for one in results for row in _confusion_rows(one)]
    tables = {
        "consensus": estimate_table([*by, CONSENSUS], (row for one in results for row in _estimates(one, confidence))),
        "consensus_labels": estimate_table([*by, "label"], shares),
        "consensus_confusion": typed_table(confusion, [*by, "annotator", _BEST, "label", "count"]),
    }
    return {name: table for name, table in tables.items() if table.height}


def _estimates(consensus: Consensus, confidence: float) -> Iterator[tuple[Keys, str, Estimate]]:
    """The keys, metrics and estimates of the table of the consensus."""
    decided, items = consensus.has_single_best, len(consensus.labels.item_names)
    keys, decided_count = {**consensus.labels.keys, CONSENSUS: consensus.method}, int(decided.sum())
    matching, total = consensus.vote_counts
    yield keys, "consensus_items", Estimate(float(decided_count), n=items, confidence=confidence)
    yield keys, "consensus_ties", Estimate(float(items - decided_count), n=items, confidence=confidence)
    yield keys, "consensus_votes", _mean_over_items((matching / total)[decided], confidence)
    if consensus.method != "majority":
        probable = consensus.top_probabilities[decided]
        sure = int((probable >= CONFIDENT).sum())
        yield keys, "consensus_probability", _mean_over_items(probable, confidence)
        yield keys, "consensus_sure", proportion(sure, decided_count, confidence=confidence)


def _mean_over_items(values: Floats, confidence: float) -> Estimate:
    """The mean of shares over items."""
    if not len(values):
        return Estimate.undefined("no items with a consensus", confidence=confidence)
    mean = min(float(values.mean()), 1.0)
    away = (values - mean) / len(values)
    return linearised_proportion(mean, away, n=len(values), scores=True, confidence=confidence)


def _confusion_rows(consensus: Consensus) -> Iterator[Keys]:
    """Counts of the annotators with the most labels, these first."""
    coded, size = consensus.labels, len(consensus.labels.label_names)
    order = np.argsort(-np.bincount(coded.annotators), kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    shown = consensus.has_single_best[coded.items] & (place[coded.annotators] < _MOST_CONFUSED)
    cells = (place[coded.annotators] * size + consensus.best_labels[coded.items]) * size + coded.labels
    numbers, counts = np.unique(cells[shown], return_counts=True)
    for number, count in zip(numbers.tolist(), counts.tolist(), strict=True):
        pair, label = divmod(number, size)
        rank, best = divmod(pair, size)
        yield {
            **coded.keys,
            "annotator": coded.annotator_names[order[rank]],
            _BEST: coded.label_names[best],
            "label": coded.label_names[label],
            "count": count,
        }


def consensus_labels(consensuses: Sequence[Consensus], by: Sequence[str], columns: Mapping[str, str]) -> pl.DataFrame:
    """The consensus as labels of an annotator, a row per item: with its probability, its votes and the item's labels.

    A tie has no label and is skipped. A majority has no probability. columns: what the input calls Adjudge's columns,
    and so does this table, so that both are read together.
    """
    frames = []
    for consensus in consensuses:
        coded, decided = consensus.labels, pl.Series(consensus.has_single_best)
        matching, total = consensus.vote_counts
        probable = consensus.top_probabilities if consensus.method != "majority" else np.full(len(total), np.nan)
        labels = pl.Series(coded.label_names, dtype=pl.String).gather(consensus.best_labels)
        frames.append(
            pl.DataFrame({"item": coded.item_names}).with_columns(
                *(pl.lit(coded.keys[name], pl.String).alias(name) for name in by),
                annotator=pl.lit(CONSENSUS),
                label=pl.when(decided).then(labels),
                probability=pl.Series(probable).fill_nan(None),
                votes=pl.Series(matching),
                labels=pl.Series(total),
                skipped=~decided,
            )
        )
    frame = pl.concat(frames)
    return frame.rename(
        {own: theirs for own, theirs in columns.items() if own in frame.columns and theirs not in frame}
    )
