"""The figures of a calibration, declared once: what a rule's answers are worth, and how far judges agree.

A row is a judgment (`same`, the rule's answer `said`, its `score` and the `fold`), or a pair that two judges judged
(their answers `one` and `other`, and which two they are, `judges`). Texts are what is drawn.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from math import sqrt

import numpy as np
import polars as pl

from karat.about import Metric
from karat.estimate import Estimate
from karat.figures.cells import Cells, Integers, Mask
from karat.figures.figure import SHARES, Figure, Limits, Linearised, mask, real, within
from karat.figures.labels import Kappa
from karat.figures.ratios import F1, Share, drawn, linearised_estimate
from karat.statistics.comparison import linearised_difference
from karat.statistics.proportions import mapped

ALL = "all"
"""In place of judges' names: all of them together."""

_SAME, _SAID = pl.col("same"), pl.col("said")
_ONE, _OTHER = pl.col("one"), pl.col("other")
_EVERY = pl.lit(value=True)

_ONE_JUDGE = "no pair was judged by two people who are named"


@dataclass(frozen=True, eq=False)
class Area(Figure):
    """How often a judgment of "same" scores above one of "not the same", of the same fold: the area under the curve.

    A = sum_f sum_(i same, j not, both in f) h(s_i, s_j) / sum_f n_1f n_0f, h = 1, 1/2, 0 for above, equal, below: the
    areas within folds, averaged with the number of comparisons as weights. Scores of different folds come from
    different rules and are never compared. With one fold it is the usual area.

    Source: structural components of DeLong, DeLong and Clarke-Pearson 1988, Biometrics 44, 837-845, summed over
    clusters as in Obuchowski 1997, Biometrics 53, 567-578. The weighting over folds is ours.
    """

    between: Limits | None = field(default=SHARES, kw_only=True)

    def counted(self, states: pl.DataFrame) -> Mask:
        """All judgments."""
        return mask(states, _EVERY)

    def linearise(self, states: pl.DataFrame, counts: Integers) -> Linearised:
        """(wins - A x comparisons) / sum_f n_1f n_0f of a judgment."""
        same, score, fold = (states[name].to_numpy() for name in ("same", "score", "fold"))
        wins, comparisons = np.zeros(states.height), np.zeros(states.height)
        for number in np.unique(fold):
            for answer in (True, False):
                mine, theirs = ((fold == number) & (same == one) for one in (answer, not answer))
                order = np.argsort(score[theirs])
                others, up_to = score[theirs][order], np.concatenate([[0], np.cumsum(counts[theirs][order])])
                below = sum(up_to[np.searchsorted(others, score[mine], side=side)] for side in ("left", "right")) / 2
                wins[mine] = below if answer else up_to[-1] - below
                comparisons[mine] = up_to[-1]
        compared = float(counts[same] @ comparisons[same])
        if not compared:
            return self.undefined(states)
        value = float(counts[same] @ wins[same]) / compared
        return Linearised(value, (wins - value * comparisons) / compared)

    def estimate(self, cells: Cells, confidence: float) -> Estimate:
        """Wilson's interval with an effective n."""
        n, found = int(cells.totals.sum()), self.linearise(cells.states, cells.totals)
        if found.value is None:
            return Estimate.undefined(self.reason, n=n, confidence=confidence)
        sizes = np.ones(cells.states.height)
        return linearised_estimate(cells, found.value, found.influence, sizes, n=n, confidence=confidence)


@dataclass(frozen=True, eq=False)
class MeanKappa(Kappa):
    """The mean of the kappas of every pair of judges, weighted by the number of items that both judged.

    sum_p n_p kappa_p / sum_p n_p; two judges who both gave one and the same answer throughout have none and are left
    out.
    """

    def _parts(self, states: pl.DataFrame, counts: Integers) -> Iterator[tuple[Mask, int, Linearised]]:
        """Of every two judges that have a kappa: their states, how many pairs they judged, and the kappa."""
        judges = states["judges"].to_numpy()
        for two in np.unique(judges):
            own = judges == two
            found = super().linearise(states, counts * own)
            if found.value is not None:
                yield own, int(counts[own].sum()), found

    def linearise(self, states: pl.DataFrame, counts: Integers) -> Linearised:
        """Their mean, and that of their influence functions."""
        parts = list(self._parts(states, counts))
        if not parts:
            given = "all judges gave one and the same answer" if counts.any() else self.reason
            return self.undefined(states, given)
        n = sum(count for _, count, _ in parts)
        influence = np.sum([count * own * found.influence for own, count, found in parts], axis=0)
        return Linearised(sum(count * (found.value or 0.0) for _, count, found in parts) / n, influence / n)

    def estimate(self, cells: Cells, confidence: float) -> Estimate:
        """By linearisation over texts; with a single kappa, its own interval."""
        if cells.states["judges"].n_unique() == 1:
            return super().estimate(cells, confidence)
        found = self.linearise(cells.states, cells.totals)
        if found.value is None:
            return Estimate.undefined(found.reason or self.reason, confidence=confidence)
        n = sum(count for _, count, _ in self._parts(cells.states, cells.totals))
        influence, held, counts = drawn(cells, found.influence, real(self.counted(cells.states)))
        units = influence[held > 0], counts[held > 0]
        by_t = linearised_difference(found.value, units[0], multiplicity=units[1], confidence=confidence).estimate
        return within(replace(by_t, n=n), self.between)


@dataclass(frozen=True, eq=False)
class Ceiling(Share):
    """The accuracy that no rule exceeds, from how often two judges agree (`highest_accuracy`)."""

    def estimate(self, cells: Cells, confidence: float) -> Estimate:
        """The agreement's interval, mapped."""
        return mapped(super().estimate(cells, confidence), highest_accuracy)


def highest_accuracy(agreement: float) -> float:
    """The accuracy that no rule exceeds on average, if two judges give the same answer so often.

    (1 + sqrt(2 a - 1)) / 2. Where judges independently call pair i the same with probability p_i, two of them
    agree with probability a_i = p_i^2 + (1 - p_i)^2, and the best rule meets an answer with probability
    max(p_i, 1 - p_i) = (1 + sqrt(2 a_i - 1)) / 2; the mean of this over pairs is no greater than its value at the mean
    of a_i (Jensen). It exceeds a, since a rule, unlike a second judge, need not err.

    agreement: a, in [0, 1]; below 1/2, which such judges only reach by chance, counts as 1/2.

    >>> highest_accuracy(0.82), highest_accuracy(1.0), highest_accuracy(0.3)
    (0.9, 1.0, 0.5)
    """
    return (1 + round(sqrt(max(2 * agreement - 1, 0.0)), 12)) / 2


OF_RULES = (
    Area(
        "auc",
        Metric(
            "AUC",
            "How often a pair that people call the same scores higher than one that they do not, of the same fold.",
            better="high",
            percent=False,
        ),
        reason="no fold holds both answers",
    ),
    Share(
        "accuracy",
        Metric("Accuracy", "Judgments that the rule reproduces / all judgments.", better="high"),
        _SAID == _SAME,
        _EVERY,
    ),
    F1(
        "f1",
        Metric("F1", "2 x rightly called the same / (called the same by people + by the rule).", better="high"),
        2 * (_SAID & _SAME).cast(pl.Int64),
        _SAID.cast(pl.Int64) + _SAME.cast(pl.Int64),
        reason="neither people nor the rule call any pair the same",
    ),
)
"""Figures of a rule's answers."""

OF_JUDGES = (
    Share(
        "agreement",
        Metric("Agreement", "Pairs on which two judges agree / pairs that both judge.", better="high"),
        _ONE == _OTHER,
        _EVERY,
        reason=_ONE_JUDGE,
    ),
    MeanKappa(
        "kappa",
        Metric("Kappa", "Cohen's kappa of two judges.", better="high", percent=False),
        "one",
        "other",
        _EVERY,
        reason=_ONE_JUDGE,
    ),
    Ceiling(
        "ceiling",
        Metric(
            "Ceiling",
            "The highest accuracy that any rule can have if judges answer independently: "
            "(1 + the square root of (2 x agreement - 1)) / 2.",
            better="high",
            of_shares=True,
        ),
        _ONE == _OTHER,
        _EVERY,
        reason=_ONE_JUDGE,
        where=lambda keys: keys["first"] == ALL,
    ),
)
"""Figures of the judges' agreement."""
