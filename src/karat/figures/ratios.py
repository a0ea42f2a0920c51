"""Figures that are shares, means and ratios of sums."""

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
import polars as pl

from karat.estimate import Estimate, Note
from karat.figures.cells import Cells, Floats, Integers, Mask, Pairs
from karat.figures.figure import ROUNDING, Figure, Linearised, histogram, mask, numbers, real, weighted_sum, within
from karat.statistics import (
    Comparison,
    clustered_f1,
    clustered_paired_difference,
    clustered_proportion,
    kappa_from_accuracy,
    linearised_proportion,
    mean,
    paired_difference,
    paired_t,
    proportion,
)

Sums = tuple[Floats, Floats]
"""A numerator and a denominator of each state."""


@dataclass(frozen=True, eq=False)
class Count(Figure):
    """How many rows there are."""

    among: pl.Expr

    def counted(self, states: pl.DataFrame) -> Mask:
        """The rows that are counted."""
        return mask(states, self.among)

    def estimate(self, cells: Cells, confidence: float) -> Estimate:
        """The count; it has no interval."""
        n = int(cells.totals @ self.counted(cells.states))
        return Estimate(float(n), n=n, confidence=confidence)


@dataclass(frozen=True, eq=False)
class Share(Figure):
    """Rows of which `holds` is true / rows of which `among` is true."""

    holds: pl.Expr
    among: pl.Expr

    @property
    def limits(self) -> tuple[float, float] | None:
        """Between these."""
        return (0.0, 1.0)

    def counted(self, states: pl.DataFrame) -> Mask:
        """The denominator."""
        return mask(states, self.among)

    def hits(self, states: pl.DataFrame) -> Mask:
        """The numerator."""
        return mask(states, self.holds) & self.counted(states)

    def linearise(self, states: pl.DataFrame, counts: Integers) -> Linearised:
        """(y - p x) / n."""
        return linearised_ratio(self, states, real(self.hits(states)), real(self.counted(states)), counts)

    def estimate(self, cells: Cells, confidence: float) -> Estimate:
        """Wilson's interval; for clusters with an effective n."""
        hits, whole = real(self.hits(cells.states)), real(self.counted(cells.states))
        return share_estimate(cells, hits, whole, self.reason, confidence)

    def estimate_of_units(
        self, hits: Floats, whole: Floats, counts: Integers, *, independent: bool, confidence: float
    ) -> Estimate:
        """The same from the sums of units, and how many units have them. independent: those with one row are."""
        if not whole.any():
            return Estimate.undefined(self.reason, confidence=confidence)
        if independent and whole.max() <= 1:
            return proportion(int(hits @ counts), int(whole @ counts), confidence=confidence)
        return clustered_proportion(hits, whole, multiplicity=counts, confidence=confidence)

    def compare(self, pairs: Pairs, before: Linearised, after: Linearised, confidence: float) -> Comparison:  # noqa: ARG002
        """Paired: by the rows on which only one run is right."""
        hits = self.hits(pairs.states)
        return paired_shares(pairs, hits[pairs.first], hits[pairs.second], confidence)

    def discordant(self, pairs: Pairs) -> float | None:
        """The share of complete cases on which only one run is right."""
        hits, counted = self.hits(pairs.states), self.counted(pairs.states)
        return _discordant(pairs, hits, counted)


def _either_or(values: Floats) -> bool:
    """Whether each is 0 or 1."""
    return bool(np.isin(values, (0.0, 1.0)).all())


def _discordant(pairs: Pairs, hits: Mask, counted: Mask) -> float | None:
    both = counted[pairs.first] & counted[pairs.second]
    if not both.any():
        return None
    differ = hits[pairs.first] != hits[pairs.second]
    return float(pairs.counts[both & differ].sum() / pairs.counts[both].sum())


@dataclass(frozen=True, eq=False)
class FixedKappa(Share):
    """2 (share - 1/2): agreement beyond a chance of one half."""

    @property
    def limits(self) -> tuple[float, float] | None:
        """Between these."""
        return (-1.0, 1.0)

    def linearise(self, states: pl.DataFrame, counts: Integers) -> Linearised:
        """Twice that of the share."""
        found = super().linearise(states, counts)
        if found.value is None:
            return found
        return replace(found, value=2 * found.value - 1, influence=2 * found.influence)

    def estimate(self, cells: Cells, confidence: float) -> Estimate:
        """The share's interval, mapped."""
        return kappa_from_accuracy(super().estimate(cells, confidence))

    def compare(self, pairs: Pairs, before: Linearised, after: Linearised, confidence: float) -> Comparison:
        """Twice the difference of the shares."""
        return scaled(super().compare(pairs, before, after, confidence), 2.0)


@dataclass(frozen=True, eq=False)
class MeanRatio(Figure):
    """The mean over rows of a ratio in [0, 1], such as the recall of each text; null where a row has none."""

    share: pl.Expr

    @property
    def limits(self) -> tuple[float, float] | None:
        """Between these."""
        return (0.0, 1.0)

    def counted(self, states: pl.DataFrame) -> Mask:
        """The rows that have one."""
        return mask(states, self.share.is_not_null())

    def linearise(self, states: pl.DataFrame, counts: Integers) -> Linearised:
        """(y - p) / n."""
        return linearised_ratio(self, states, numbers(states, self.share), real(self.counted(states)), counts)

    def estimate(self, cells: Cells, confidence: float) -> Estimate:
        """Wilson's interval with an effective n."""
        kept = cells.where(self.counted(cells.states))
        found = self.linearise(kept.states, kept.totals)
        if found.value is None:
            return Estimate.undefined(self.reason, confidence=confidence)
        n, sizes = int(kept.counts.sum()), np.ones(kept.states.height)
        return linearised_estimate(kept, found, sizes, n=n, scores=True, confidence=confidence)

    def compare(self, pairs: Pairs, before: Linearised, after: Linearised, confidence: float) -> Comparison:  # noqa: ARG002
        """As for shares where each value is 0 or 1, else paired t."""
        values = numbers(pairs.states, self.share)
        return paired_values(pairs, values[pairs.first], values[pairs.second], confidence)

    def discordant(self, pairs: Pairs) -> float | None:
        """The share of complete cases on which only one run is right, where each is 0 or 1."""
        values, counted = numbers(pairs.states, self.share), self.counted(pairs.states)
        held = np.union1d(pairs.first, pairs.second)
        if not _either_or(values[held][counted[held]]):
            return None
        return _discordant(pairs, values == 1, counted)


@dataclass(frozen=True, eq=False)
class MeanShare(MeanRatio):
    """The mean of shares of rows, such as of a question's answers, which may all be 0 or 1."""

    def estimate(self, cells: Cells, confidence: float) -> Estimate:
        """That of a share where each is 0 or 1."""
        kept = cells.where(self.counted(cells.states))
        values = numbers(kept.states, self.share)
        if not len(kept.counts) or not _either_or(values[kept.place]):
            return super().estimate(kept, confidence)
        return share_estimate(kept, values, np.ones(len(values)), self.reason, confidence)


@dataclass(frozen=True, eq=False)
class Mean(Figure):
    """The mean of real values of rows; null where a row has none. between: the least and greatest there can be."""

    values: pl.Expr
    between: tuple[float, float] | None = field(default=None, kw_only=True)

    @property
    def limits(self) -> tuple[float, float] | None:
        """As declared."""
        return self.between

    def counted(self, states: pl.DataFrame) -> Mask:
        """The rows that have a value."""
        return mask(states, self.values.is_not_null())

    def linearise(self, states: pl.DataFrame, counts: Integers) -> Linearised:
        """(y - m) / n."""
        return linearised_ratio(self, states, numbers(states, self.values), real(self.counted(states)), counts)

    def estimate(self, cells: Cells, confidence: float) -> Estimate:
        """Student's t; for clusters on their sums."""
        kept = cells.where(self.counted(cells.states))
        if not len(kept.counts):
            return Estimate.undefined(self.reason, confidence=confidence)
        values = numbers(kept.states, self.values)
        found = self._interval(kept, values, confidence)
        return within(replace(found, value=self.linearise(kept.states, kept.totals).value), self.limits)

    def _interval(self, cells: Cells, values: Floats, confidence: float) -> Estimate:
        if cells.units is not None:
            totals = cells.per_unit(np.ones(len(values)))
            return paired_t(cells.per_unit(values), totals=totals, confidence=confidence).estimate
        sums = (weighted_sum(values**power, cells.totals) for power in (1, 2, 3))
        return mean(int(cells.counts.sum()), *sums, confidence=confidence)

    def compare(self, pairs: Pairs, before: Linearised, after: Linearised, confidence: float) -> Comparison:  # noqa: ARG002
        """Paired t."""
        values = numbers(pairs.states, self.values)
        return paired_scores(pairs, values[pairs.first], values[pairs.second], confidence)


FEW_CHANGES = 5
"""The fewest rows with a slope other than 0 for which the interval of the mean slope keeps its promise."""


@dataclass(frozen=True, eq=False)
class Slope(Mean):
    """The mean over rows of a slope, each from a line through the row's own points."""

    def estimate(self, cells: Cells, confidence: float) -> Estimate:
        """Student's t, with a note where few rows have a slope other than 0."""
        moved = np.abs(numbers(cells.states, self.values)) >= ROUNDING
        return _with_changes(super().estimate(cells, confidence), int(cells.totals @ moved))

    def _interval(self, cells: Cells, values: Floats, confidence: float) -> Estimate:
        if cells.units is not None:
            return super()._interval(cells, values, confidence)
        distinct, counts = histogram(values[cells.place], counts=cells.counts)
        return paired_t(distinct, multiplicity=counts, confidence=confidence).estimate

    def compare(self, pairs: Pairs, before: Linearised, after: Linearised, confidence: float) -> Comparison:
        """Paired t, with a note where few rows differ."""
        found = super().compare(pairs, before, after, confidence)
        values = numbers(pairs.states, self.values)
        moved = int(pairs.counts[np.abs(values[pairs.second] - values[pairs.first]) >= ROUNDING].sum())
        return replace(found, estimate=_with_changes(found.estimate, moved))


def _with_changes(estimate: Estimate, moved: int) -> Estimate:
    """The same with a note where it rests on few rows that change."""
    if estimate.low is None:
        return estimate
    if moved < FEW_CHANGES:
        return replace(estimate, note=Note.FEW_CHANGES)
    return replace(estimate, note=None) if estimate.note is Note.SKEWED else estimate  # slopes of 0 are no outliers


@dataclass(frozen=True, eq=False)
class Ratio(Figure):
    """The sum over rows of a numerator / that of a denominator, such as of spans in texts."""

    numerator: pl.Expr
    denominator: pl.Expr

    complete: ClassVar[bool] = False

    @property
    def limits(self) -> tuple[float, float] | None:
        """Between these."""
        return (0.0, 1.0)

    def counted(self, states: pl.DataFrame) -> Mask:
        """The rows that add to the denominator."""
        found: Mask = numbers(states, self.denominator) > 0
        return found

    def sums(self, states: pl.DataFrame) -> Sums:
        """Numerator and denominator of each state."""
        part, whole = numbers(states, self.numerator), numbers(states, self.denominator)
        return np.where(whole > 0, part, 0.0), whole

    def weight(self, states: pl.DataFrame) -> Floats:
        """The denominator."""
        return self.sums(states)[1]

    def linearise(self, states: pl.DataFrame, counts: Integers) -> Linearised:
        """(y - R x) / sum x."""
        return linearised_ratio(self, states, *self.sums(states), counts)

    def estimate(self, cells: Cells, confidence: float) -> Estimate:
        """Wilson's interval with an effective n: rows (their clusters) are the sampling units."""
        part, whole = self.sums(cells.states)
        if (part == np.floor(part))[cells.place].all():
            return ratio_estimate(cells, part, whole, self.reason, confidence)
        found = linearised_ratio(self, cells.states, part, whole, cells.totals)
        if found.value is None:
            return Estimate.undefined(self.reason, confidence=confidence)
        n = int(weighted_sum(whole, cells.totals))
        return linearised_estimate(cells, found, whole, n=n, scores=True, confidence=confidence)

    def compare(self, pairs: Pairs, before: Linearised, after: Linearised, confidence: float) -> Comparison:
        """Paired values of the same rows where each row counts once in both runs, else linearisation."""
        part, whole = self.sums(pairs.states)
        if (whole[pairs.first] == 1).all() and (whole[pairs.second] == 1).all():
            return paired_values(pairs, part[pairs.first], part[pairs.second], confidence)
        return super().compare(pairs, before, after, confidence)

    def discordant(self, pairs: Pairs) -> float | None:
        """The share of rows on which only one run is right, where each counts once at most and is right or wrong."""
        part, whole = self.sums(pairs.states)
        held = np.union1d(pairs.first, pairs.second)
        if not _either_or(part[held]) or not _either_or(whole[held]):
            return None
        return _discordant(pairs, part == 1, whole == 1)


@dataclass(frozen=True, eq=False)
class RatioOfScores(Ratio):
    """The mean of scores in [0, 1] when a row holds several, such as those of the matches in each text."""

    def estimate(self, cells: Cells, confidence: float) -> Estimate:
        """Student's t on the sums of rows (their clusters)."""
        sums = self.sums(cells.states)
        found = linearised_ratio(self, cells.states, *sums, cells.totals)
        if found.value is None:
            return Estimate.undefined(self.reason, confidence=confidence)
        scores, sizes, counts = drawn(cells, *sums)
        by_t = paired_t(scores, totals=sizes, multiplicity=counts, confidence=confidence).estimate
        return within(replace(by_t, value=found.value), self.limits)


@dataclass(frozen=True, eq=False)
class F1(Ratio):
    """2 x found / (predicted + true), summed over texts; numerator and denominator as of a ratio."""

    def estimate(self, cells: Cells, confidence: float) -> Estimate:
        """The interval of found / (found + invented + missed), mapped."""
        sums = self.sums(cells.states)
        value = linearised_ratio(self, cells.states, *sums, cells.totals).value
        if value is None:
            return Estimate.undefined(self.reason, confidence=confidence)
        twice, whole, counts = profiles(cells, *sums)
        found = clustered_f1(twice / 2, whole - twice, np.zeros(len(whole)), multiplicity=counts, confidence=confidence)
        return replace(found, value=value)


@dataclass(frozen=True, eq=False)
class HarmonicMean(Figure):
    """2 P R / (P + R) of two ratios over different parts of the same rows."""

    precision: Ratio
    recall: Ratio

    complete: ClassVar[bool] = False

    @property
    def limits(self) -> tuple[float, float] | None:
        """Between these."""
        return (0.0, 1.0)

    def counted(self, states: pl.DataFrame) -> Mask:
        """The rows that add to either."""
        found: Mask = self.precision.counted(states) | self.recall.counted(states)
        return found

    def weight(self, states: pl.DataFrame) -> Floats:
        """Both denominators."""
        return self.precision.weight(states) + self.recall.weight(states)

    def linearise(self, states: pl.DataFrame, counts: Integers) -> Linearised:
        """2 (R^2 dP + P^2 dR) / (P + R)^2."""
        return self._linearise(states, self.precision.sums(states), self.recall.sums(states), counts)

    def _linearise(self, states: pl.DataFrame, precision: Sums, recall: Sums, counts: Integers) -> Linearised:
        one = linearised_ratio(self.precision, states, *precision, counts)
        other = linearised_ratio(self.recall, states, *recall, counts)
        if one.value is None or other.value is None:
            return one if one.value is None else other
        p, r = one.value, other.value
        if p + r == 0:
            return Linearised(0.0, np.zeros(states.height))
        influence = 2 * (r**2 * one.influence + p**2 * other.influence) / (p + r) ** 2
        return Linearised(2 * p * r / (p + r), influence)

    def estimate(self, cells: Cells, confidence: float) -> Estimate:
        """Wilson's interval with an effective n, by linearisation."""
        sums = self.precision.sums(cells.states), self.recall.sums(cells.states)
        found = self._linearise(cells.states, *sums, cells.totals)
        if found.value is None:
            return Estimate.undefined(found.reason or self.reason, confidence=confidence)
        whole = sums[0][1] + sums[1][1]
        return linearised_estimate(cells, found, whole, n=int(cells.totals @ whole), confidence=confidence)


# --- what these have in common ---


def linearised_ratio(figure: Figure, states: pl.DataFrame, part: Floats, whole: Floats, counts: Integers) -> Linearised:
    """A ratio of sums, and (y - R x) / sum x."""
    bottom = weighted_sum(whole, counts)
    if bottom <= 0:
        return figure.undefined(states)
    ratio = weighted_sum(part, counts) / bottom
    return Linearised(ratio, (part - ratio * whole) / bottom)


def drawn(cells: Cells, *values: Floats) -> tuple[Floats, ...]:
    """Numbers per state as sums of units (else of rows): the distinct ones in order, and how many units have them."""
    if cells.units is None:
        return histogram(*(one[cells.place] for one in values), counts=cells.counts)
    return histogram(*(cells.per_unit(one) for one in values))


def linearised_estimate(
    cells: Cells, found: Linearised, sizes: Floats, *, n: int, scores: bool = False, confidence: float
) -> Estimate:
    """A figure in [0, 1] with Wilson's interval by its influence function. sizes: what each state adds to its base."""
    influence, base, counts = drawn(cells, found.influence, sizes)
    held = base > 0
    return linearised_proportion(
        min(found.value or 0.0, 1.0),
        influence[held],
        n=n,
        sizes=base[held],
        multiplicity=counts[held],
        scores=scores,
        confidence=confidence,
    )


def share_estimate(cells: Cells, hits: Floats, whole: Floats, reason: str, confidence: float) -> Estimate:
    """A share of rows: Wilson's interval, in units with several rows with an effective n."""
    n = int(cells.totals @ whole)
    if not n:
        return Estimate.undefined(reason, confidence=confidence)
    if cells.units is None or (cells.by_item and cells.per_unit(whole).max() <= 1):
        return proportion(int(cells.totals @ hits), n, confidence=confidence)
    return ratio_estimate(cells, hits, whole, reason, confidence)


def ratio_estimate(cells: Cells, part: Floats, whole: Floats, reason: str, confidence: float) -> Estimate:
    """A ratio of whole numbers: Wilson's interval with an effective n; units, or else rows, are clusters."""
    if not cells.totals @ whole:
        return Estimate.undefined(reason, confidence=confidence)
    y, x, counts = profiles(cells, part, whole)
    return clustered_proportion(y, x, multiplicity=counts, confidence=confidence)


def profiles(cells: Cells, part: Floats, whole: Floats) -> tuple[Floats, Floats, Floats]:
    """The distinct sums of units (else the rows' own numbers) that hold something, and how many units have them."""
    y, x, counts = drawn(cells, part, whole)
    return y[x > 0], x[x > 0], counts[x > 0]


def paired_shares(pairs: Pairs, before: Mask, after: Mask, confidence: float) -> Comparison:
    """The second run's share minus the first's, from the rows on which only one of them is right."""
    gained, lost = after & ~before, before & ~after
    if pairs.units is None:
        only_second, only_first = (int(pairs.counts[rows].sum()) for rows in (gained, lost))
        return paired_difference(only_second, only_first, int(pairs.counts.sum()), confidence=confidence)
    gains, losses, totals = (pairs.per_unit(real(rows)) for rows in (gained, lost, np.ones_like(gained)))
    return clustered_paired_difference(gains, losses, totals, confidence=confidence)


def paired_values(pairs: Pairs, before: Floats, after: Floats, confidence: float) -> Comparison:
    """The mean of the second run's values minus that of the first's: of shares where each is 0 or 1, else of scores."""
    if _either_or(before) and _either_or(after):
        return paired_shares(pairs, before == 1, after == 1, confidence)
    return paired_scores(pairs, before, after, confidence)


def paired_scores(pairs: Pairs, before: Floats, after: Floats, confidence: float) -> Comparison:
    """The mean of the second run's scores minus that of the first's, by paired t."""
    gaps = after - before
    gaps[np.abs(gaps) < ROUNDING] = 0.0
    if pairs.units is None:
        distinct, counts = histogram(gaps, counts=pairs.counts)
        return paired_t(distinct, multiplicity=counts, confidence=confidence)
    totals = pairs.per_unit(np.ones(len(gaps)))
    return paired_t(pairs.per_unit(gaps), totals=totals, confidence=confidence)


def scaled(found: Comparison, scale: float) -> Comparison:
    """A difference of a figure that is a multiple of another."""
    one = found.estimate
    value, low, high = (None if number is None else scale * number for number in (one.value, one.low, one.high))
    return replace(found, estimate=replace(one, value=value, low=low, high=high))
