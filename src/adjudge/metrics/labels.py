"""Metrics of labels: of the contingency table of two (kappas, balanced accuracy, strength), and of all of an item."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from math import inf, nan
from typing import Any, ClassVar, NamedTuple, cast

import numpy as np
import polars as pl

from adjudge.errors import DataError
from adjudge.estimate import Caveat, Estimate, gravest_caveat
from adjudge.metrics.cells import MOST_STATES, Floats, Integers, Mask, PairedCells, StateCells, unit_sums
from adjudge.metrics.metric import SHARES, Linearisation, Metric, Range, as_floats, cache_states, clip_estimate, mask
from adjudge.metrics.ratios import (
    RatioOfSums,
    Sums,
    correlation_estimate,
    distinct_sums,
    linearised_estimate,
    mean_share_estimate,
    share_estimate,
)
from adjudge.spec import MetricSpec
from adjudge.statistics import agreement, raters
from adjudge.statistics.agreement import ContingencyTable, Influence, Weights
from adjudge.statistics.clusters import cluster_degrees, share_correlations, worth_of_clusters
from adjudge.statistics.comparison import Comparison, Strata, paired_means_difference
from adjudge.statistics.intraclass import IccForm, NumericRatings, intraclass, intraclass_limits, of_mean, squares_of
from adjudge.statistics.proportions import MANY_ITEMS, estimate_of, mean_of_proportions
from adjudge.statistics.raters import PAIR, Coefficient, LabelRatings, Level, agreement_interval
from adjudge.statistics.strength import clustered_strength, clustered_strength_product, strength, strength_product

RARE = 30
"""With fewer rows of some label, intervals of means over labels may be too narrow."""


@dataclass(frozen=True, eq=False)
class ContingencyMetric(Metric):
    """A metric of the contingency table of the labels in `rows` and `columns`; missing is a label of its own."""

    rows: str
    columns: str
    among: pl.Expr

    def counted_states(self, states: pl.DataFrame) -> Mask:
        """The rows that the table counts."""
        return mask(states, self.among)

    def codes(self, states: pl.DataFrame) -> tuple[Integers, Integers, list[Any]]:
        """Both labels of each state by number, 0 for none; and the labels in order, from number 1 on."""

        def number_labels() -> tuple[Integers, Integers, list[Any]]:
            sides = [states[name] for name in (self.rows, self.columns)]
            labels = sorted({label for side in sides for label in side.drop_nulls().to_list()})
            code = {label: number for number, label in enumerate(labels, 1)}
            rows, columns = (
                side.replace_strict(code, default=0, return_dtype=pl.Int64).fill_null(0).to_numpy() for side in sides
            )
            return rows, columns, labels

        return cache_states(states, (self.rows, self.columns), number_labels)

    def contingency_table(self, states: pl.DataFrame, counts: Integers) -> ContingencyTable:
        """The table of counts."""
        rows, columns, labels = self.codes(states)
        counted = self.counted_states(states)
        return agreement.contingency_table(rows[counted], columns[counted], counts[counted], 1 + len(labels))

    def from_table(self, table: ContingencyTable, labels: Sequence[Any]) -> tuple[float, Influence]:
        """The value, and how far one more row in each cell moves it. Raises DataError if it is undefined.

        labels: those of the table, which all occur; None for a missing one.
        """
        raise NotImplementedError

    def caveat(self, table: ContingencyTable) -> Caveat | None:  # noqa: ARG002 - subclasses use it
        """The caveat for an interval from such a table."""
        return None

    def linearise(self, states: pl.DataFrame, counts: Integers) -> Linearisation:
        """The value and the influence of each state, from a table without unused labels, which have no effect."""
        table = self.contingency_table(states, counts)
        ids = np.union1d(table.rows, table.columns)
        if not len(ids):
            return self.undefined(states)
        places = (np.searchsorted(ids, table.rows), np.searchsorted(ids, table.columns))
        used = agreement.contingency_table(*places, table.counts, len(ids))
        rows, columns, labels = self.codes(states)
        try:
            value, influence = self.from_table(used, [labels[one - 1] if one else None for one in ids.tolist()])
        except DataError as error:
            return self.undefined(states, str(error))
        counted = self.counted_states(states) & np.isin(rows, ids) & np.isin(columns, ids)
        moved = np.zeros(len(rows))
        moved[counted] = influence(np.searchsorted(ids, rows[counted]), np.searchsorted(ids, columns[counted]))
        return Linearisation(value, moved, caveat=self.caveat(used))


@dataclass(frozen=True, eq=False)
class Kappa(ContingencyMetric):
    """Cohen's kappa of two columns of labels."""

    bounds: Range | None = field(default=(-1.0, 1.0), kw_only=True)

    def from_table(self, table: ContingencyTable, _: Sequence[Any]) -> tuple[float, Influence]:
        """Kappa."""
        influence, n = agreement.kappa_influence(table), table.total
        return agreement.cohen_kappa(table).value or 0.0, lambda row, column: influence(row, column) / n

    def estimate(self, cells: StateCells, confidence: float) -> Estimate:
        """Wilson's limits of the observed agreement with an effective n, mapped."""
        counted = cells.filter(self.counted_states(cells.states))
        table = self.contingency_table(cells.states, cells.totals)
        if not table.total:
            return Estimate.undefined(self.reason, confidence=confidence)
        if counted.units is None or (counted.by_item and np.bincount(counted.units, counted.counts).max() <= 1):
            return agreement.cohen_kappa(table, confidence=confidence)
        rows, columns, _ = self.codes(cells.states)
        split = agreement.ClusteredCells(counted.units, rows[counted.place], columns[counted.place], counted.counts)
        return agreement.cohen_kappa(table, confidence=confidence, clusters=split)


@dataclass(frozen=True, eq=False)
class OrderedLabelMetric(ContingencyMetric):
    """A metric of ordered labels: `rows` and `columns` hold their places on a scale. From -1 to 1."""

    bounds: Range | None = field(default=(-1.0, 1.0), kw_only=True)

    def interval(self, cells: StateCells, value: float, influence: Floats, confidence: float) -> Estimate:
        """That of `correlation_estimate`."""
        counted = as_floats(self.counted_states(cells.states))
        return clip_estimate(correlation_estimate(cells, value, influence, counted, confidence), self.bounds)


@dataclass(frozen=True, eq=False)
class WeightedKappa(OrderedLabelMetric):
    """Cohen's kappa with greater weights for disagreements between more distant labels."""

    weights: Weights

    def from_table(self, table: ContingencyTable, labels: Sequence[Any]) -> tuple[float, Influence]:
        """Weighted kappa."""
        return agreement.weighted_kappa(table, np.array(labels, dtype=np.float64), self.weights)


_DISAGREEMENT_WEIGHTS = {
    "linear": "the farther apart the labels are",
    "quadratic": "by the square of how far apart the labels are",
}


def weighted_kappas(rows: str, columns: str, among: pl.Expr, **more: Any) -> tuple[WeightedKappa, ...]:  # noqa: ANN401
    """Linear and quadratic kappa of two columns of places. more: further fields of a Metric."""
    kappas = []
    for weights, grows in _DISAGREEMENT_WEIGHTS.items():
        meaning = f"Cohen's kappa in which a disagreement weighs more {grows}: 0 is what chance gives, 1 is perfect."
        spec = MetricSpec(f"Kappa, {weights}", meaning, better="high", percent=False)
        scale = cast("Weights", weights)
        kappas.append(WeightedKappa(f"kappa_{weights}", spec, rows, columns, among, weights=scale, **more))
    return tuple(kappas)


@dataclass(frozen=True, eq=False)
class RankCorrelation(OrderedLabelMetric):
    """Spearman's rank correlation of two columns of labels."""

    def from_table(self, table: ContingencyTable, _: Sequence[Any]) -> tuple[float, Influence]:
        """By mid-ranks."""
        return agreement.rank_correlation(table)


@dataclass(frozen=True, eq=False)
class MeanOverLabels(ContingencyMetric):
    """A mean over the labels in `rows`, the gold ones."""

    bounds: Range | None = field(default=SHARES, kw_only=True)

    def caveat(self, table: ContingencyTable) -> Caveat | None:
        """Rare labels: intervals of means over labels may be too narrow if a label has few rows."""
        counts = table.of_rows
        return Caveat.RARE_LABELS if (counts[counts > 0] < RARE).any() else None

    def add_caveat(self, cells: StateCells, estimate: Estimate) -> Estimate:
        """The estimate with the caveat on rare labels, if there are any and it has no more serious one."""
        note = self.caveat(self.contingency_table(cells.states, cells.totals))
        return estimate if estimate.low is None else replace(estimate, caveat=gravest_caveat(estimate.caveat, note))


@dataclass(frozen=True, eq=False)
class BalancedAccuracy(MeanOverLabels):
    """The mean over gold labels of the share predicted correctly (recall)."""

    def from_table(self, table: ContingencyTable, _: Sequence[Any]) -> tuple[float, Influence]:
        """The mean of recalls."""
        return agreement.macro_recall(table)

    def interval(self, cells: StateCells, value: float, influence: Floats, confidence: float) -> Estimate:  # noqa: ARG002
        """The labels' intervals combined by MOVER; for clusters with the correlations between labels."""
        rows, columns, _ = self.codes(cells.states)
        counted = self.counted_states(cells.states)
        labels = np.unique(rows[counted & (cells.totals > 0)])
        whole = as_floats(counted & (rows == labels[:, None]))
        hits = whole * (rows == columns)
        recalls = [share_estimate(cells, *share, confidence) for share in zip(hits, whole, strict=True)]
        together = None
        if cells.units is not None:
            together = share_correlations(*(np.stack([*map(cells.per_unit, side)]) for side in (hits, whole)))
        return self.add_caveat(cells, mean_of_proportions(recalls, correlations=together, confidence=confidence))

    def compare(self, pairs: PairedCells, before: Linearisation, after: Linearisation, confidence: float) -> Comparison:
        """Label by label, as `paired_means_difference` does, if gold labels are the same in both."""
        strata = self.strata(pairs)
        if strata is None:
            return super().compare(pairs, before, after, confidence)
        degrees = inf if pairs.units is None else cluster_degrees(pairs.per_unit(np.ones(len(pairs.counts))))
        return paired_means_difference([strata], degrees=degrees, confidence=confidence)

    def strata(self, pairs: PairedCells) -> Strata | None:
        """Correct labels of both runs by gold label, the second run first; None if runs differ in gold labels."""
        rows, columns, _ = self.codes(pairs.states)
        gold = rows[pairs.first]
        if (gold != rows[pairs.second]).any():
            return None
        right = rows == columns
        before, after = right[pairs.first], right[pairs.second]
        places, labels = np.unique(gold, return_inverse=True)
        units = np.zeros(len(gold), dtype=np.int64) if pairs.units is None else pairs.units
        kinds = (after & ~before, before & ~after, np.ones(len(gold), dtype=bool))
        sums = np.zeros((len(kinds), len(places), int(units.max(initial=0)) + 1))
        for kind, table in zip(kinds, sums, strict=True):
            np.add.at(table, (labels, units), pairs.counts * kind)
        gained, lost, totals = sums.sum(axis=2)
        if pairs.units is None:
            return Strata(gained, lost, totals)
        worth = []  # factors to an effective number of items
        for stratum in sums.transpose(1, 0, 2):
            more, fewer, whole = stratum[:, stratum[-1] > 0]
            worth.append(worth_of_clusters(more, fewer, whole, np.ones(len(whole))))
        return Strata(gained, lost, totals, np.array(worth), share_correlations(sums[0] - sums[1], sums[2]))


@dataclass(frozen=True, eq=False)
class MacroF1(MeanOverLabels):
    """The mean over gold labels of F1 = 2 tp / (2 tp + fp + fn)."""

    def from_table(self, table: ContingencyTable, _: Sequence[Any]) -> tuple[float, Influence]:
        """The mean of F1."""
        return agreement.macro_f1(table)

    def interval(self, cells: StateCells, value: float, influence: Floats, confidence: float) -> Estimate:
        """Wilson's with an effective n, by linearisation."""
        counted = as_floats(self.counted_states(cells.states))
        return self.add_caveat(cells, linearised_estimate(cells, value, influence, counted, confidence))

    def most_degrees(self, pairs: PairedCells, moved: Floats) -> float:
        """Those of a variance summed over gold labels, of which a rare one may dominate; inf in clusters.

        (sum v_k)^2 / sum(v_k^2 / (n_k - 1)), v_k the sum of squares over the n_k rows with gold label k.

        Source: Satterthwaite 1946, Biometrics Bulletin 2, 110-114; over strata Welch 1947, Biometrika 34, 28-35.
        """
        if pairs.units is not None:
            return inf
        gold = self.codes(pairs.states)[0][pairs.first]
        variances, n = np.bincount(gold, pairs.counts * moved**2), np.bincount(gold, pairs.counts)
        lost = float((variances**2 / np.maximum(n - 1, 1)).sum())
        return float(variances.sum()) ** 2 / lost if lost > 0 else inf


@dataclass(frozen=True, eq=False)
class Strength(Metric):
    """How far one annotator's votes agree with another's, weighted by the share of items it votes on.

    (2 a / m - 1) (v / n): kappa with a chance of one half, times relevance.

    agree, both_vote: a of the m rows on which both vote validly. valid, population: v of the n rows on which the
    annotator's own vote is valid.
    """

    agree: pl.Expr
    both_vote: pl.Expr
    valid: pl.Expr
    population: pl.Expr
    bounds: Range | None = field(default=(-1.0, 1.0), kw_only=True)

    def counted_states(self, states: pl.DataFrame) -> Mask:
        """The population."""
        return mask(states, self.population)

    def _masks(self, states: pl.DataFrame) -> tuple[Floats, Floats, Floats, Floats]:
        a, m, v, n = (as_floats(mask(states, one)) for one in (self.agree, self.both_vote, self.valid, self.population))
        return a, m, v * n, n

    def linearise(self, states: pl.DataFrame, counts: Integers) -> Linearisation:
        """2 R ([agree] - p [compared]) / m + K ([valid] - R [population]) / n; p = a / m, K = 2 p - 1, R = v / n."""
        a, m, v, n = self._masks(states)
        agree, compared, valid, whole = (float(counts @ mask) for mask in (a, m, v, n))
        if not compared or not whole:
            return self.undefined(states)
        accuracy, relevance = agree / compared, valid / whole
        of_kappa = 2 * (a - accuracy * m) / compared
        of_relevance = (v - relevance * n) / whole
        kappa = 2 * accuracy - 1
        # If both have the same rows, compared cancels: one division, as in `adjudge.statistics.strength`.
        value = (2 * agree - compared) / whole if valid == compared else kappa * relevance
        return Linearisation(value, relevance * of_kappa + kappa * of_relevance)

    def estimate(self, cells: StateCells, confidence: float) -> Estimate:
        """Tango's interval if relevance uses the compared rows only, else MOVER of both factors."""
        return self.estimate_and_test(cells, confidence).estimate

    def estimate_and_test(self, cells: StateCells, confidence: float) -> Comparison:
        """By the construction of the interval: p is below 1 - confidence if it excludes 0."""
        masks = self._masks(cells.states)
        agree, compared, valid, n = (int(cells.totals @ mask) for mask in masks)
        if not compared:
            return Comparison(Estimate.undefined(self.reason, n=n, confidence=confidence), None)
        if cells.units is None:
            if valid == compared:
                return strength(agree, compared - agree, n, confidence=confidence)
            return strength_product(agree, compared, valid, n, confidence=confidence)
        a, m, v, whole, units = unit_sums(cells, *(mask[cells.place] for mask in masks))
        if valid == compared:
            return clustered_strength(a, m - a, whole, multiplicity=units, confidence=confidence)
        return clustered_strength_product(a, m, v, whole, multiplicity=units, confidence=confidence)


# --- agreement over all labels of an item ---


LEVEL, LABELS, SCALE = "level", "labels", "scale"
"""Columns of states: the level of the labels; a kind of item as JSON, label -> number of raters; and the possible
labels as a JSON list, or null if these are the observed ones."""


@dataclass(frozen=True, eq=False)
class RaterAgreement(Metric):
    """Agreement of all raters of an item. coefficient: see `adjudge.statistics.raters`."""

    coefficient: Callable[[LabelRatings, Level], Coefficient]
    bounds: Range | None = field(default=(-1.0, 1.0), kw_only=True)
    keeps_uncounted: ClassVar[bool] = True
    """Items with one label count in the chance model of Gwet's AC and Fleiss' kappa."""

    def counted_states(self, states: pl.DataFrame) -> Mask:
        """Items with two labels."""
        return _item_kinds(states).raters >= PAIR

    def linearise(self, states: pl.DataFrame, counts: Integers) -> Linearisation:
        """The coefficient with its influence function."""
        kinds = _item_kinds(states)
        try:
            result = self.coefficient(kinds.ratings(counts), kinds.level)
        except DataError as error:
            return self.undefined(states, str(error))
        return Linearisation(result.value, result.influence)

    def estimate(self, cells: StateCells, confidence: float) -> Estimate:
        """The estimate over items, or clusters of them."""
        kinds = _item_kinds(cells.states)
        ratings = kinds.ratings(cells.totals)
        try:
            result = self.coefficient(ratings, kinds.level)
        except DataError as error:
            return Estimate.undefined(str(error), confidence=confidence)
        counted = self.counted_states(cells.states).astype(np.float64)
        influence, sizes, times = distinct_sums(cells, result.influence, counted)
        disputed, nominal = raters.disputed_items(ratings), kinds.level == "nominal"
        return agreement_interval(result, influence, sizes, times, confidence, disputed=disputed, nominal=nominal)


@dataclass(frozen=True, eq=False)
class PercentAgreement(RatioOfSums):
    """The mean over items of the share of equal pairs of labels, whatever the level of the labels.

    Estimates for two judges have the intervals of any mean of shares: Wilson's of a proportion if each item has two
    labels.
    """

    def sums(self, states: pl.DataFrame) -> Sums:
        """The share of pairs of an item, and 1 for items with two labels."""
        kinds = _item_kinds(states)
        pairs, same = (n * (n - 1) for n in (kinds.raters, kinds.counts))
        counted = pairs > 0
        shares = np.bincount(kinds.items, same, states.height) / np.where(counted, pairs, 1)
        return shares, counted.astype(np.float64)

    def interval(self, cells: StateCells, value: float, influence: Floats, confidence: float) -> Estimate:
        """See `mean_share_estimate`."""
        return mean_share_estimate(cells, self.sums(cells.states), value, influence, confidence)

    @staticmethod
    def coefficient(ratings: LabelRatings, _: Level) -> Coefficient:
        """Percent agreement as a coefficient of `adjudge.statistics.raters`."""
        return raters.percent_agreement(ratings)


class _ItemKinds(NamedTuple):
    """Kinds of items. places: of all labels; declared: whether these are all possible labels."""

    items: Integers
    labels: Integers
    counts: Floats
    raters: Floats
    places: Floats
    level: Level
    declared: bool

    def ratings(self, counts: Integers) -> LabelRatings:
        """The ratings with `counts` items of each kind. Labels without items are dropped unless they are declared."""
        times = counts.astype(np.float64)
        if self.declared:
            return LabelRatings(self.items, self.labels, self.counts, times, self.places, declared=True)
        there = times[self.items] > 0
        used, labels = np.unique(self.labels[there], return_inverse=True)
        return LabelRatings(self.items[there], labels, self.counts[there], times, self.places[used])


def _item_kinds(states: pl.DataFrame) -> _ItemKinds:
    return cache_states(states, LABELS, lambda: _parse_kinds(states), keeps_last=True)


def _parse_kinds(states: pl.DataFrame) -> _ItemKinds:
    kinds = [json.loads(text) if text else {} for text in states[LABELS].to_list()]
    first = states.filter(pl.col(LEVEL).is_not_null()).head(1)
    level: Level = first[LEVEL].to_list()[0] if first.height else "nominal"
    scale = first[SCALE].to_list()[0] if first.height else None
    names = json.loads(scale) if scale else sort_labels({label for kind in kinds for label in kind}, level)
    number = {name: nth for nth, name in enumerate(names)}
    rows = [
        (item, label, count)
        for item, kind in enumerate(kinds)
        for label, count in sorted((number[name], count) for name, count in kind.items())
    ]
    items, labels, counts = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    places = np.arange(len(names)) if level == "nominal" else np.array(names)
    raters = np.bincount(items, counts, states.height).astype(np.float64)
    return _ItemKinds(items, labels, counts.astype(np.float64), raters, places.astype(np.float64), level, bool(scale))


def sort_labels(labels: Iterable[str], level: Level) -> list[str]:
    """Labels in the order of states: names alphabetically, all others by their numbers."""
    return sorted(labels) if level == "nominal" else sorted(labels, key=float)


RATINGS = "given"
"""The column of states that holds an item's numbers as JSON: a list of annotator and number."""


@dataclass(frozen=True, eq=False)
class IntraclassCorrelation(Metric):
    """An intraclass correlation. mean: of the mean of an item's ratings, not of single ones."""

    form: IccForm
    mean: bool = False
    bounds: Range | None = field(default=(-1.0, 1.0), kw_only=True)

    def counted_states(self, states: pl.DataFrame) -> Mask:
        """Items with two ratings."""
        return _ratings(states).each >= PAIR

    def linearise(self, states: pl.DataFrame, counts: Integers) -> Linearisation:
        """By the analysis of variance."""
        try:
            squares = squares_of(_ratings(states), counts.astype(np.float64), one_way=self.form == "one-way")
            value, influence = intraclass(squares, self.form, mean=self.mean)
        except DataError as error:
            return self.undefined(states, str(error))
        return Linearisation(value, influence)

    def interval(self, cells: StateCells, value: float, influence: Floats, confidence: float) -> Estimate:
        """By the F distribution; for items in clusters and incomplete designs by linearisation.

        The latter is Wilson's with an effective n of (1 + r) / 2, the correlation of single ratings mapped.
        """
        counted = self.counted_states(cells.states)
        n, times = int(cells.totals @ counted), cells.totals.astype(np.float64)
        squares = squares_of(_ratings(cells.states), times, one_way=self.form == "one-way")
        if cells.units is None and squares.complete and squares.within > 0:
            limits = intraclass_limits(squares, self.form, confidence)
            if self.mean:
                limits = type(limits)(*(np.asarray(of_mean(float(one), squares.raters)) for one in limits))
            note = Caveat.APPROXIMATE if n < MANY_ITEMS else None
            estimate = estimate_of(value, limits, n=n, method="f", confidence=confidence, note=note)
            return clip_estimate(estimate, self.bounds)
        estimate = correlation_estimate(cells, value, influence, as_floats(counted), confidence)
        return clip_estimate(estimate, self.bounds)


def _ratings(states: pl.DataFrame) -> NumericRatings:
    """The numbers of each state."""
    return cache_states(states, RATINGS, lambda: _parse_ratings(states[RATINGS].to_list()), keeps_last=True)


def _parse_ratings(given: list[str | None]) -> NumericRatings:
    rows: list[dict[str, float]] = [dict(json.loads(one)) if one else {} for one in given]
    each = np.array([len(row) for row in rows], dtype=np.float64)
    values = np.array([value for row in rows for value in row.values()], dtype=np.float64)
    values -= values.mean() if len(values) else 0.0  # avoids cancellation in sums of squares of large numbers
    places = np.repeat(np.arange(len(rows)), each.astype(np.int64))
    sums, squares = (agreement.sum_by_place(places, one, len(rows)) for one in (values, values**2))
    names = sorted({name for row in rows if len(row) >= PAIR for name in row})
    if len(rows) > MOST_STATES and any(PAIR <= count < len(names) for count in each.tolist()):
        return NumericRatings(each, sums, squares)
    table = np.array([[row.get(name, nan) for name in names] for row in rows], dtype=np.float64)
    return NumericRatings(each, sums, squares, table.reshape(len(rows), -1))
