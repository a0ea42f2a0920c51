"""The consensus label of each item with its probability, and annotators who guess or contradict the others."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import polars as pl

from adjudge.estimate import Caveat, Estimate
from adjudge.metrics.cells import UNIT, Floats, Integers, unit_name
from adjudge.metrics.partial_counts import Workers
from adjudge.metrics.tables import TESTED, Keys, adjust_p, estimate_row, rows_by_group
from adjudge.report import typed_table
from adjudge.spec import MetricSpec
from adjudge.statistics.comparison import holm
from adjudge.statistics.consensus import DRAWN, MOST, Informedness, dawid_skene, folds_of, informedness_of, sums_of
from adjudge.statistics.proportions import MANY_ITEMS, linearised_proportion, proportion
from adjudge.statistics.quantiles import significance_level
from adjudge.text.local_models import extra


@dataclass(frozen=True, slots=True, eq=False)
class LabelCodes:
    """The labels of a group as numbers, an entry per label given, and the names by number.

    Entries stand by item and annotator, so that sums over them have one order. keys: the values of the `by` columns.
    Items and annotators are numbered by name, labels by their place on the scale. clusters: of each item by number;
    None where items are drawn one by one.
    """

    keys: Mapping[str, Any]
    items: Integers
    annotators: Integers
    labels: Integers
    clusters: Integers | None
    item_names: Sequence[str]
    annotator_names: Sequence[str]
    label_names: Sequence[str]

    @property
    def columns(self) -> tuple[Integers, Integers, Integers]:
        """Items, annotators and labels."""
        return self.items, self.annotators, self.labels


def encode_groups(judgments: pl.DataFrame, by: Sequence[str], order: Sequence[str]) -> Iterator[LabelCodes]:
    """The labels of each group that has any. order: of labels, where there is one."""
    units = [unit_name("cluster")] if "cluster" in judgments.columns else []
    given = judgments.filter(~pl.col("flagged") & ~pl.col("skipped")).select("item", "annotator", "label", *by, *units)
    for keys, rows in rows_by_group(given, by):
        if rows.height:
            items, item_names = _number_names(rows["item"])
            annotators, annotator_names = _number_names(rows["annotator"])
            labels, label_names = _number_names(rows["label"], order)
            clusters = rows.select(UNIT, item=pl.Series(items)).unique("item").sort("item")[UNIT] if units else None
            numbers = None if clusters is None else clusters.rank("dense").cast(pl.Int64).to_numpy() - 1
            places = np.lexsort((labels, annotators, items))
            entries = items[places], annotators[places], labels[places]
            yield LabelCodes(keys, *entries, numbers, item_names, annotator_names, label_names)


def _number_names(column: pl.Series, order: Sequence[str] = ()) -> tuple[Integers, list[str]]:
    """The number of each value of a categorical column, and the names in the order of numbers."""
    names = column.unique().cast(pl.String).sort().to_list()
    if set(names) <= set(order):
        names.sort(key=[*order].index)
    elif order:
        names.sort(key=float)
    return column.cast(pl.String).cast(pl.Enum(names)).to_physical().cast(pl.Int64).to_numpy(), names


Method: TypeAlias = Literal["pooled", "dawid-skene", "majority", "glad", "mace"]

CONSENSUS = "consensus"
"""The annotator whose labels the consensus is, in the file of its labels."""
CONFIDENT = 0.95
"""A label at least this probable is called sure."""
FEWEST_ANNOTATORS = 3
"""With fewer annotators labels do not tell whose are more accurate, so the majority decides."""
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
        "Mean probability of the consensus under the model: too high if annotators err together.",
    ),
    "consensus_sure": MetricSpec(
        f"At least {100 * CONFIDENT:.0f} % sure",
        f"Items whose consensus is at least {100 * CONFIDENT:.0f} % probable under the model / items with a consensus.",
    ),
}
TABLES = {"consensus": "The consensus of the annotators, and its probability."}


class Consensus(NamedTuple):
    """The consensus of the annotators of a group.

    items: a row per item, as an annotator's labels: item, annotator, label, probability (null for a majority), votes
    (labels that are the consensus), labels (all of the item), skipped (a tie, which has no label).
    """

    coded: LabelCodes
    method: Method
    items: pl.DataFrame
    notes: list[str]


def infer_consensus(coded: LabelCodes, method: Method | None, seed: int) -> Consensus:
    """The consensus of a group. method: by default pooled, of fewer than three annotators votes.

    Pooled is the model of Dawid and Skene with the rates of each annotator drawn to those of all.
    Raises MissingError where the package is missing that GLAD and MACE need.
    """
    few, notes = len(coded.annotator_names) < FEWEST_ANNOTATORS, list[str]()
    chosen = method or ("majority" if few else "pooled")
    if chosen == "glad" or chosen == "mace":  # noqa: PLR1714 - so that their type is known
        probabilities = _crowd_probabilities(coded, chosen, seed)
    else:
        drawn, most = 0.0 if chosen == "dawid-skene" else DRAWN, 0 if chosen == "majority" else MOST
        model = dawid_skene(*coded.columns, drawn=drawn, most=most)
        probabilities = model.posteriors
        if most and few:
            notes.append("Fewer than three annotators do not show who is right more often: probabilities are guesses.")
        if most and not model.converged:
            notes.append(f"The consensus did not settle in {MOST} iterations: annotators have too few labels.")
    best, top = probabilities.argmax(axis=1), probabilities.max(axis=1)
    tied = pl.Series((probabilities >= top[:, None] - _EQUAL).sum(axis=1) > 1)
    same, every = coded.labels == best[coded.items], len(coded.item_names)
    items = pl.DataFrame({"item": pl.Series(coded.item_names, dtype=pl.String)}).with_columns(
        annotator=pl.lit(CONSENSUS),
        label=pl.when(~tied).then(pl.Series(coded.label_names, dtype=pl.String).gather(best)),
        probability=pl.lit(None, pl.Float64) if chosen == "majority" else pl.Series(top),
        votes=pl.Series(np.bincount(coded.items[same], minlength=every)),
        labels=pl.Series(np.bincount(coded.items, minlength=every)),
        skipped=tied,
    )
    return Consensus(coded, chosen, items, notes)


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


def consensus_estimates(consensus: Consensus, confidence: float) -> Iterator[tuple[Keys, str, Estimate]]:
    """The keys, metrics and estimates of the table of the consensus."""
    decided, items = consensus.items.filter(~pl.col("skipped")), consensus.items.height
    keys = {**consensus.coded.keys, CONSENSUS: consensus.method}
    yield keys, "consensus_items", Estimate(float(decided.height), n=items, confidence=confidence)
    yield keys, "consensus_ties", Estimate(float(items - decided.height), n=items, confidence=confidence)
    yield keys, "consensus_votes", _mean_over_items(decided["votes"] / decided["labels"], confidence)
    if consensus.method != "majority":
        probable = decided["probability"]
        sure = int((probable >= CONFIDENT).sum())
        yield keys, "consensus_probability", _mean_over_items(probable, confidence)
        yield keys, "consensus_sure", proportion(sure, decided.height, confidence=confidence)


def _mean_over_items(shares: pl.Series, confidence: float) -> Estimate:
    """The mean of shares over items."""
    values = shares.to_numpy()
    if not len(values):
        return Estimate.undefined("no items with a consensus", confidence=confidence)
    mean = min(float(values.mean()), 1.0)
    away = (values - mean) / len(values)
    return linearised_proportion(mean, away, n=len(values), scores=True, confidence=confidence)


def consensus_labels(results: Sequence[Consensus], by: Sequence[str], columns: Mapping[str, str]) -> pl.DataFrame:
    """The consensus of all groups as labels of an annotator.

    columns: what the input calls Adjudge's columns, and so does this table, so that both are read together.
    """
    frames = list[pl.DataFrame]()
    for one in results:
        keys = [pl.lit(one.coded.keys[name], pl.String).alias(name) for name in by]
        frames.append(one.items.select("item", *keys, pl.exclude("item")))
    frame = pl.concat(frames)
    renamed = {own: theirs for own, theirs in columns.items() if own in frame.columns and theirs not in frame}
    return frame.rename(renamed)


# --- annotators who guess, always give the same label, or contradict the others ---

INFORMED, GUESSING, CONTRARY, UNDECIDED = "informed", "guessing", "contrary", "undecided"
"""What the labels of an annotator tell of it."""
_USUAL = 0.5
"""A guesser's informedness is significantly below this share of the annotators' median."""

INFORMEDNESS_METRICS = {
    "informedness": MetricSpec(
        "Informedness",
        "Share of items whose label follows the others' consensus, not a guess; below 0 it contradicts them.",
        better="high",
        of_shares=True,
        bounds=(-1.0, 1.0),
    )
}
INFORMEDNESS_TABLES = {
    "informedness": "Each annotator's verdict: informed, guessing (significantly near chance), contrary, or undecided "
    "(too few labels). p is of guessing, adjusted over annotators."
}


def informedness_table(
    consensuses: Sequence[Consensus], by: Sequence[str], confidence: float, workers: Workers
) -> dict[str, pl.DataFrame]:
    """The table of INFORMEDNESS_METRICS, of groups with two annotators or more."""
    several = [one for one in consensuses if len(one.coded.annotator_names) > 1]
    if not several:
        return {}
    folds = [folds_of(one.coded.columns, len(one.coded.label_names)) for one in several]
    counted = iter(workers.pieces("finding who guesses", sums_of, [*chain.from_iterable(folds)]))
    table = list[Keys]()
    for consensus, own in zip(several, folds, strict=True):
        informed = informedness_of([*islice(counted, len(own))], confidence)
        names, rows = verdicts(informed, confidence), list[Keys]()
        for place in np.argsort(informed.value, kind="stable").tolist():  # the least informed first, the undefined last
            who = {"annotator": consensus.coded.annotator_names[place], "verdict": names[place]}
            estimate = _informedness_estimate(informed, place, confidence)
            row = estimate_row({**consensus.coded.keys, **who}, "informedness", estimate)
            rows.append(row | {"p": None if estimate.value is None else float(informed.p[place])})
        table += adjust_p(rows)
    return {"informedness": typed_table(table, [*by, "annotator", "verdict", *TESTED])}


def _informedness_estimate(informed: Informedness, place: int, confidence: float) -> Estimate:
    n, value = int(informed.n[place]), float(informed.value[place])
    if not n:
        return Estimate.undefined("nobody else labels an item of the annotator", confidence=confidence)
    if np.isnan(value):
        reason = "the others' consensus is the same on all items of the annotator"
        return Estimate.undefined(reason, n=n, confidence=confidence)
    low, high = min(float(informed.low[place]), value), max(float(informed.high[place]), value)
    note = Caveat.APPROXIMATE if n < MANY_ITEMS else None
    return Estimate(value, low, high, n=n, method="score", confidence=confidence, caveat=note)


def verdicts(informed: Informedness, confidence: float) -> list[str]:
    """The verdict on each annotator; all verdicts hold at once with the probability `confidence`.

    Informed and contrary: told from guessing, Holm's method over annotators. Guessing: not told from it, and shown to
    be informed on less than half the median share of all annotators, by Holm's method too. Else undecided.
    """
    level, defined = significance_level(confidence), ~np.isnan(informed.value)
    usual = float(np.median(informed.value[defined])) if defined.any() else 0.0
    less = informed.p_of_at_least(_USUAL * usual) if usual > 0 else np.ones(len(defined))
    verdict_names = []
    for value, p, p_less in zip(
        informed.value.tolist(), _adjust_p(informed.p), _adjust_p(np.where(defined, less, np.nan)), strict=True
    ):
        if p is not None and p < level:
            verdict_names.append(INFORMED if value > 0 else CONTRARY)
        else:
            verdict_names.append(GUESSING if p_less is not None and p_less < level else UNDECIDED)
    return verdict_names


def _adjust_p(p: Floats) -> list[float | None]:
    return holm([None if np.isnan(one) else one for one in p.tolist()])
