"""Metrics that are shares, means and ratios of sums."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
import polars as pl

from adjudge.estimate import Caveat, Estimate
from adjudge.metrics.cells import Floats, Integers, Mask, PairedCells, StateCells, histogram, unit_sums
from adjudge.metrics.metric import (
    ROUNDING,
    SHARES,
    Linearisation,
    Metric,
    Range,
    as_floats,
    clip_estimate,
    mask,
    numbers,
    weighted_sum,
)
from adjudge.statistics.agreement import kappa_from_accuracy
from adjudge.statistics.comparison import Comparison, paired_t
from adjudge.statistics.proportions import (
    clustered_f1,
    clustered_proportion,
    linearised_proportion,
    map_estimate,
    mean,
    proportion,
)
from adjudge.statistics.strength import clustered_paired_difference, paired_difference

Sums = tuple[Floats, Floats]
"""A numerator and a denominator of each state."""


@dataclass(frozen=True, eq=False)
class Count(Metric):
    """The number of rows."""

    among: pl.Expr

    def counted_states(self, states: pl.DataFrame) -> Mask:
        """The rows that are counted."""
        return mask(states, self.among)

    def estimate(self, cells: StateCells, confidence: float) -> Estimate:
        """The count; it has no interval."""
        n = int(cells.totals @ self.counted_states(cells.states))
        return Estimate(float(n), n=n, confidence=confidence)


@dataclass(frozen=True, eq=False)
class RatioOfSums(Metric):
    """A numerator over a denominator, both summed over rows: the base of shares, means and ratios."""

    bounds: Range | None = field(default=SHARES, kw_only=True)

    def sums(self, states: pl.DataFrame) -> Sums:
        """Numerator and denominator of each state; both are 0 if its rows do not count."""
        raise NotImplementedError

    def counted_states(self, states: pl.DataFrame) -> Mask:
        """The rows that add to the denominator."""
        return self.sums(states)[1] > 0

    def weight(self, states: pl.DataFrame) -> Floats:
        """The denominator."""
        return self.sums(states)[1]

    def linearise(self, states: pl.DataFrame, counts: Integers) -> Linearisation:
        """(y - R x) / sum x."""
        part, whole = self.sums(states)
        bottom = weighted_sum(whole, counts)
        if bottom <= 0:
            return self.undefined(states)
        ratio = weighted_sum(part, counts) / bottom
        return Linearisation(ratio, (part - ratio * whole) / bottom)

    def interval(self, cells: StateCells, value: float, influence: Floats, confidence: float) -> Estimate:
        """Wilson's interval with an effective n: rows (their clusters) are the sampling units."""
        return linearised_estimate(cells, value, influence, self.weight(cells.states), confidence, scores=True)

    def t_estimate(self, cells: StateCells, confidence: float) -> Estimate:
        """Student's t on the sums of rows (their clusters)."""
        values, sizes, counts = distinct_sums(cells, *self.sums(cells.states))
        return paired_t(values, totals=sizes, multiplicity=counts, confidence=confidence).estimate

    def compare(self, pairs: PairedCells, before: Linearisation, after: Linearisation, confidence: float) -> Comparison:
        """Paired values of the same rows if each row counts once in both runs, else linearisation.

        Shares that are all 0 or 1 are compared by the rows on which only one run is right, others as scores.
        """
        part, whole = self.sums(pairs.states)
        if not ((whole[pairs.first] == 1).all() and (whole[pairs.second] == 1).all()):
            return super().compare(pairs, before, after, confidence)
        first, second = part[pairs.first], part[pairs.second]
        if not (_is_binary(first) and _is_binary(second)):
            return compare_scores(pairs, first, second, confidence)
        rows = (second > first, first > second, np.ones(len(second), dtype=bool))
        if pairs.units is None:
            return paired_difference(*(int(pairs.counts[values].sum()) for values in rows), confidence=confidence)
        return clustered_paired_difference(
            *(pairs.per_unit(as_floats(values)) for values in rows), confidence=confidence
        )

    def discordant_share(self, pairs: PairedCells) -> float | None:
        """The share of rows on which only one run is right, if each counts at most once and is right or wrong."""
        part, whole = self.sums(pairs.states)
        occurring = np.union1d(pairs.first, pairs.second)
        both = (whole[pairs.first] == 1) & (whole[pairs.second] == 1)
        if not (_is_binary(part[occurring]) and _is_binary(whole[occurring]) and both.any()):
            return None
        differ = part[pairs.first] != part[pairs.second]
        return float(pairs.counts[both & differ].sum() / pairs.counts[both].sum())


def _is_binary(values: Floats) -> bool:
    """Whether each is 0 or 1."""
    return bool(np.isin(values, (0.0, 1.0)).all())


@dataclass(frozen=True, eq=False)
class Share(RatioOfSums):
    """Rows for which `holds` is true / rows for which `among` is true."""

    holds: pl.Expr
    among: pl.Expr

    def hits(self, states: pl.DataFrame) -> Mask:
        """The rows of the numerator."""
        return mask(states, self.holds) & mask(states, self.among)

    def sums(self, states: pl.DataFrame) -> Sums:
        """1 for rows that are counted."""
        return as_floats(self.hits(states)), as_floats(mask(states, self.among))

    def interval(self, cells: StateCells, value: float, influence: Floats, confidence: float) -> Estimate:  # noqa: ARG002
        """Wilson's; for clusters with an effective n."""
        return share_estimate(cells, *self.sums(cells.states), confidence)


@dataclass(frozen=True, eq=False)
class FixedKappa(Share):
    """2 (share - 1/2): agreement beyond a chance of one half."""

    bounds: Range | None = field(default=(-1.0, 1.0), kw_only=True)

    def linearise(self, states: pl.DataFrame, counts: Integers) -> Linearisation:
        """Twice that of the share."""
        share = super().linearise(states, counts)
        if share.value is None:
            return share
        return replace(share, value=2 * share.value - 1, influence=2 * share.influence)

    def estimate(self, cells: StateCells, confidence: float) -> Estimate:
        """The share's interval, mapped."""
        return kappa_from_accuracy(super().estimate(cells, confidence))

    def compare(self, pairs: PairedCells, before: Linearisation, after: Linearisation, confidence: float) -> Comparison:
        """Twice the difference of the shares."""
        share = super().compare(pairs, before, after, confidence)
        return replace(share, estimate=map_estimate(share.estimate, lambda gap: 2 * gap))

    def discordant_share(self, pairs: PairedCells) -> float | None:  # noqa: ARG002
        """None: the share's discordant items differ by 2 here."""
        return None


@dataclass(frozen=True, eq=False)
class MeanRatio(RatioOfSums):
    """The mean over rows of a ratio in [0, 1], such as the recall of each text; null if a row has none."""

    values: pl.Expr

    def sums(self, states: pl.DataFrame) -> Sums:
        """The value, and 1 for rows that have one."""
        return numbers(states, self.values), as_floats(mask(states, self._has_value))

    @cached_property
    def _has_value(self) -> pl.Expr:
        """Whether a row has a value. Cached, since evaluated expressions are cached by identity."""
        return self.values.is_not_null()


@dataclass(frozen=True, eq=False)
class MeanShare(MeanRatio):
    """The mean of shares of rows, such as of a question's answers, which may all be 0 or 1."""

    def interval(self, cells: StateCells, value: float, influence: Floats, confidence: float) -> Estimate:
        """See `mean_share_estimate`."""
        return mean_share_estimate(cells, self.sums(cells.states), value, influence, confidence)


@dataclass(frozen=True, eq=False)
class Mean(MeanRatio):
    """The mean of real values of rows; null if a row has none. bounds: the least and greatest possible value."""

    bounds: Range | None = field(default=None, kw_only=True)

    def interval(self, cells: StateCells, value: float, influence: Floats, confidence: float) -> Estimate:  # noqa: ARG002
        """Student's t; for clusters on their sums."""
        return clip_estimate(replace(self.t_estimate(cells, confidence), value=value), self.bounds)

    def t_estimate(self, cells: StateCells, confidence: float) -> Estimate:
        """Of independent rows by the sums of their powers."""
        if cells.units is not None:
            return super().t_estimate(cells, confidence)
        values, counted = self.sums(cells.states)
        n, *sums = (weighted_sum(counted * values**power, cells.totals) for power in range(4))
        return mean(int(n), *sums, confidence=confidence)

    def compare(self, pairs: PairedCells, before: Linearisation, after: Linearisation, confidence: float) -> Comparison:  # noqa: ARG002
        """Paired t for any values."""
        values, _ = self.sums(pairs.states)
        return compare_scores(pairs, values[pairs.first], values[pairs.second], confidence)

    def discordant_share(self, pairs: PairedCells) -> float | None:  # noqa: ARG002
        """None: a value is not right or wrong."""
        return None


FEW_CHANGES = 5
"""The fewest rows with a slope other than 0 for which the interval of the mean slope keeps its coverage."""


@dataclass(frozen=True, eq=False)
class Slope(Mean):
    """The mean over rows of a slope, each from a line through the row's own points.

    steepest: the greatest possible slope of a row's points, which limits the interval.
    """

    steepest: pl.Expr

    def estimate(self, cells: StateCells, confidence: float) -> Estimate:
        """Student's t, with a caveat if few rows have a slope other than 0."""
        moved = np.abs(numbers(cells.states, self.values)) >= ROUNDING
        most = float(numbers(cells.states, self.steepest)[cells.place].max(initial=0.0))
        estimate = clip_estimate(super().estimate(cells, confidence), (-most, most))
        return _add_few_changes_caveat(estimate, int(cells.totals @ moved))

    def t_estimate(self, cells: StateCells, confidence: float) -> Estimate:
        """Of independent rows by the slopes themselves: equal slopes have no interval."""
        if cells.units is not None:
            return super().t_estimate(cells, confidence)
        values, counted, counts = distinct_sums(cells, *self.sums(cells.states))
        return paired_t(values, multiplicity=counts * counted, confidence=confidence).estimate

    def compare(self, pairs: PairedCells, before: Linearisation, after: Linearisation, confidence: float) -> Comparison:
        """Paired t, with a caveat if few rows differ."""
        comparison = super().compare(pairs, before, after, confidence)
        values = numbers(pairs.states, self.values)
        moved = int(pairs.counts[np.abs(values[pairs.second] - values[pairs.first]) >= ROUNDING].sum())
        steepest = numbers(pairs.states, self.steepest)
        most = sum(float(steepest[places].max(initial=0.0)) for places in (pairs.first, pairs.second))
        estimate = clip_estimate(comparison.estimate, (-most, most))
        return replace(comparison, estimate=_add_few_changes_caveat(estimate, moved))


def _add_few_changes_caveat(estimate: Estimate, moved: int) -> Estimate:
    """The estimate, with a caveat if few rows change."""
    if estimate.low is None:
        return estimate
    if moved < FEW_CHANGES:
        return replace(estimate, caveat=Caveat.FEW_CHANGES)
    # Slopes of 0 are no outliers.
    return replace(estimate, caveat=None) if estimate.caveat is Caveat.SKEWED else estimate


@dataclass(frozen=True, eq=False)
class Ratio(RatioOfSums):
    """The sum over rows of a numerator / that of a denominator, such as of spans in texts."""

    numerator: pl.Expr
    denominator: pl.Expr

    complete_cases: ClassVar[bool] = False

    def sums(self, states: pl.DataFrame) -> Sums:
        """Numerator and denominator, as declared."""
        part, whole = numbers(states, self.numerator), numbers(states, self.denominator)
        return np.where(whole > 0, part, 0.0), whole

    def interval(self, cells: StateCells, value: float, influence: Floats, confidence: float) -> Estimate:
        """Wilson's with an effective n; for counts it also depends on how alike rows (their clusters) are."""
        part, whole = self.sums(cells.states)
        if (part == np.floor(part))[cells.place].all():
            y, x, counts = nonzero_sums(cells, part, whole)
            return clustered_proportion(y, x, multiplicity=counts, confidence=confidence)
        return super().interval(cells, value, influence, confidence)


@dataclass(frozen=True, eq=False)
class RatioOfScores(Ratio):
    """The mean of scores in [0, 1] when a row holds several, such as those of the matches in each text."""

    def interval(self, cells: StateCells, value: float, influence: Floats, confidence: float) -> Estimate:  # noqa: ARG002
        """Student's t on the sums of rows (their clusters)."""
        return clip_estimate(replace(self.t_estimate(cells, confidence), value=value), self.bounds)


@dataclass(frozen=True, eq=False)
class F1(Ratio):
    """2 x found / (predicted + true), summed over texts; numerator and denominator as in a ratio."""

    def interval(self, cells: StateCells, value: float, influence: Floats, confidence: float) -> Estimate:  # noqa: ARG002
        """That of true positives / (true positives + false positives + false negatives), mapped."""
        twice, whole, counts = nonzero_sums(cells, *self.sums(cells.states))
        share = clustered_f1(twice / 2, whole - twice, np.zeros(len(whole)), multiplicity=counts, confidence=confidence)
        return replace(share, value=value)


@dataclass(frozen=True, eq=False)
class SmoothRatio(Ratio):
    """A ratio whose denominator is no count: F0.5, a share of weights. items: what n counts, else rows (units)."""

    items: pl.Expr | None = field(default=None, kw_only=True)

    def weight(self, states: pl.DataFrame) -> Floats:
        """Each row's term in the denominator."""
        return super().weight(states) if self.items is None else numbers(states, self.items)

    def interval(self, cells: StateCells, value: float, influence: Floats, confidence: float) -> Estimate:
        """Wilson's with an effective n, by linearisation."""
        whole = self.weight(cells.states)
        return linearised_estimate(cells, value, influence, whole, confidence, counts_units=self.items is None)


@dataclass(frozen=True, eq=False)
class RatioOfRows(Ratio):
    """A share of the rows that a run chose itself, such as precision. among: the rows that it could choose.

    Runs are compared on the rows that both could choose (`among`), whichever they did.
    """

    among: pl.Expr

    complete_cases: ClassVar[bool] = True

    def counted_states(self, states: pl.DataFrame) -> Mask:
        """The rows that could be chosen."""
        return mask(states, self.among)

    def interval(self, cells: StateCells, value: float, influence: Floats, confidence: float) -> Estimate:  # noqa: ARG002
        """Wilson's; for clusters with an effective n."""
        return share_estimate(cells, *self.sums(cells.states), confidence)


@dataclass(frozen=True, eq=False)
class F1OfRows(RatioOfRows):
    """2 x found / (predicted + true) of rows that are each predicted, true, both or neither: they add 2, 1 or 0."""

    def interval(self, cells: StateCells, value: float, influence: Floats, confidence: float) -> Estimate:  # noqa: ARG002
        """That of true positives / (true positives + false positives + false negatives), a share of rows, mapped."""
        twice, whole = self.sums(cells.states)
        share = share_estimate(cells, twice / 2, whole - twice / 2, confidence)
        return clip_estimate(replace(map_estimate(share, lambda one: 2 * one / (1 + one)), value=value), self.bounds)


@dataclass(frozen=True, eq=False)
class HarmonicMean(Metric):
    """2 P R / (P + R) of two ratios over different parts of the same rows."""

    precision: Ratio
    recall: Ratio
    bounds: Range | None = field(default=SHARES, kw_only=True)

    complete_cases: ClassVar[bool] = False

    def counted_states(self, states: pl.DataFrame) -> Mask:
        """The rows that add to either."""
        return self.weight(states) > 0

    def weight(self, states: pl.DataFrame) -> Floats:
        """Both denominators."""
        return self.precision.weight(states) + self.recall.weight(states)

    def linearise(self, states: pl.DataFrame, counts: Integers) -> Linearisation:
        """2 (R^2 dP + P^2 dR) / (P + R)^2."""
        precision, recall = (ratio.linearise(states, counts) for ratio in (self.precision, self.recall))
        if precision.value is None or recall.value is None:
            return precision if precision.value is None else recall
        p, r = precision.value, recall.value
        if p + r == 0:
            return Linearisation(0.0, np.zeros(states.height))
        influence = 2 * (r**2 * precision.influence + p**2 * recall.influence) / (p + r) ** 2
        return Linearisation(2 * p * r / (p + r), influence)

    def interval(self, cells: StateCells, value: float, influence: Floats, confidence: float) -> Estimate:
        """Wilson's with an effective n, by linearisation; n counts rows (their units), as in F1."""
        whole = self.weight(cells.states)
        return linearised_estimate(cells, value, influence, whole, confidence, counts_units=True)


# --- shared by these metrics ---


def distinct_sums(cells: StateCells, *values: Floats) -> tuple[Floats, ...]:
    """Sums of numbers per state over each unit (or row): the distinct ones in order, and their counts."""
    return unit_sums(cells, *(one[cells.place] for one in values))


def linearised_estimate(
    cells: StateCells,
    value: float,
    influence: Floats,
    sizes: Floats,
    confidence: float,
    *,
    scores: bool = False,
    counts_units: bool = False,
) -> Estimate:
    """A metric in [0, 1] with Wilson's interval by its influence function. sizes: each state's term in its base.

    counts_units: whether n counts rows (their units), not the whole base.
    """
    moved, base, counts = nonzero_sums(cells, influence, sizes)
    n = int(weighted_sum(sizes, cells.totals))
    estimate = linearised_proportion(
        min(value, 1.0), moved, n=n, sizes=base, multiplicity=counts, scores=scores, confidence=confidence
    )
    return replace(estimate, n=int(nonzero_sums(cells, sizes, sizes)[2].sum())) if counts_units else estimate


def correlation_estimate(
    cells: StateCells, value: float, influence: Floats, sizes: Floats, confidence: float
) -> Estimate:
    """A metric r from -1 to 1 with Wilson's interval of (1 + r) / 2, by its influence function, mapped back."""
    half = max((1 + value) / 2, 0.0)
    estimate = linearised_estimate(cells, half, influence / 2, sizes, confidence, scores=True)
    return replace(map_estimate(estimate, lambda share: 2 * share - 1), value=value)


def share_estimate(cells: StateCells, hits: Floats, whole: Floats, confidence: float) -> Estimate:
    """A share of rows: Wilson's interval, in units with several rows with an effective n."""
    if cells.units is None or (cells.by_item and cells.per_unit(whole).max() <= 1):
        return proportion(int(cells.totals @ hits), int(cells.totals @ whole), confidence=confidence)
    y, x, counts = nonzero_sums(cells, hits, whole)
    return clustered_proportion(y, x, multiplicity=counts, confidence=confidence)


def mean_share_estimate(cells: StateCells, sums: Sums, value: float, influence: Floats, confidence: float) -> Estimate:
    """The mean of shares of rows: the interval of a share if each is 0 or 1, else Wilson's with an effective n."""
    part, whole = sums
    if _is_binary(part[cells.place]):
        return share_estimate(cells, part, whole, confidence)
    return linearised_estimate(cells, value, influence, whole, confidence, scores=True)


def nonzero_sums(cells: StateCells, part: Floats, whole: Floats) -> tuple[Floats, Floats, Floats]:
    """The distinct nonzero sums of units (else of rows), and how many units have them."""
    y, x, counts = distinct_sums(cells, part, whole)
    return y[x > 0], x[x > 0], counts[x > 0]


def compare_scores(pairs: PairedCells, before: Floats, after: Floats, confidence: float) -> Comparison:
    """The mean of the second run's scores minus that of the first's, by paired t."""
    gaps = after - before
    gaps[np.abs(gaps) < ROUNDING] = 0.0
    if pairs.units is None:
        distinct, counts = histogram(gaps, counts=pairs.counts)
        return paired_t(distinct, multiplicity=counts, confidence=confidence)
    totals = pairs.per_unit(np.ones(len(gaps)))
    return paired_t(pairs.per_unit(gaps), totals=totals, confidence=confidence)
