"""Annotators who guess, always give the same label, or contradict the others."""

from collections.abc import Iterator, Sequence
from itertools import chain, islice

import numpy as np
import polars as pl

from adjudge.estimate import Caveat, Estimate
from adjudge.evaluations.agreement.consensus import Consensus
from adjudge.metrics.cells import Floats
from adjudge.metrics.partial_counts import Workers
from adjudge.metrics.tables import TESTED, Keys, estimate_row
from adjudge.report import typed_table
from adjudge.spec import MetricSpec
from adjudge.statistics.comparison import holm
from adjudge.statistics.informedness import Informedness, folds_of, informedness_of, sums_of
from adjudge.statistics.proportions import MANY_ITEMS
from adjudge.statistics.quantiles import significance_level

INFORMED, GUESSING, CONTRARY, UNDECIDED = "informed", "guessing", "contrary", "undecided"
"""What the labels of an annotator tell of it."""
_USUAL = 0.5
"""A guesser's informedness is significantly below this share of the annotators' median."""

METRICS = {
    "informedness": MetricSpec(
        "Informedness",
        "The share of items on which the annotator's label follows the consensus of the others rather than a guess: 0 "
        "where labels have nothing to do with it; below 0 where they go against it.",
        better="high",
        of_shares=True,
        bounds=(-1.0, 1.0),
    ),
    "spammer_score": MetricSpec(
        "Spammer score",
        "How much the rates of an annotator's labels differ between items of different true labels (Raykar and Yu): 0 "
        "of a spammer, 1 of one who is always right, or always wrong.",
        better="high",
        percent=False,
        bounds=(0.0, 1.0),
    ),
    "labels_used": MetricSpec("Labels used", "Different labels that the annotator gives.", percent=False, decimals=0),
}
TABLES = {
    "informedness": "Whose labels tell of the items: informed, guessing (no better than guessing, with labels enough "
    "to show it), contrary (against the others), undecided (too few labels). p is of guessing, adjusted for all "
    "annotators."
}


def informedness_table(
    consensuses: Sequence[Consensus], by: Sequence[str], confidence: float, workers: Workers
) -> dict[str, pl.DataFrame]:
    """The table of METRICS, of groups with two annotators or more."""
    several = [one for one in consensuses if len(one.labels.annotator_names) > 1]
    if not several:
        return {}
    folds = [folds_of(one.labels.columns, len(one.labels.label_names)) for one in several]
    counted = iter(workers.pieces("finding who guesses", sums_of, [*chain.from_iterable(folds)]))
    results = [informedness_of([*islice(counted, len(own))], confidence) for own in folds]
    rows = [row for one, own in zip(several, results, strict=True) for row in _annotator_rows(one, own, confidence)]
    return {"informedness": typed_table(rows, [*by, "annotator", "verdict", *TESTED])}


def _annotator_rows(consensus: Consensus, informed: Informedness, confidence: float) -> Iterator[Keys]:
    """The rows of each annotator, the least informed first."""
    coded = consensus.labels
    given = np.bincount(coded.annotators)
    # Raykar and Yu 2012, JMLR 13, 491-518: sum over pairs of labels c, d of |rates_c - rates_d|^2 / (K (K - 1)).
    rates, size = consensus.model.rates, len(consensus.model.priors)
    spread = size * (rates**2).sum(axis=0) - rates.sum(axis=0) ** 2
    scores = np.bincount(consensus.model.annotators, weights=spread) / max(size * (size - 1), 1)
    adjusted, used = _adjust_p(informed.p), np.bincount(consensus.model.annotators)
    verdict_names, tests = verdicts(informed, confidence), sum(p is not None for p in adjusted)
    for place in np.argsort(informed.value, kind="stable").tolist():  # those without a value last
        keys = {**coded.keys, "annotator": coded.annotator_names[place], "verdict": verdict_names[place]}
        n, estimate = int(given[place]), _informedness_estimate(informed, place, confidence)
        p = None if estimate.value is None else float(informed.p[place])
        tested = {"p": p, "p_adjusted": adjusted[place], "tests": None if p is None else tests}
        yield {**estimate_row(keys, "informedness", estimate), **tested}
        for name, value in (("spammer_score", scores[place]), ("labels_used", used[place])):
            plain = estimate_row(keys, name, Estimate(float(value), n=n, confidence=confidence))
            yield {**plain, **dict.fromkeys(tested)}


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
