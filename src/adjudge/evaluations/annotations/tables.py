"""The tables of the report, for one data set or one group of its pairs at a time."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, product
from math import inf

import numpy as np
import polars as pl

from adjudge.display_names import display_names, number_repeats
from adjudge.estimate import Estimate
from adjudge.evaluations.annotations import metrics
from adjudge.evaluations.annotations.options import AnnotationsOptions
from adjudge.evaluations.annotations.outcomes import LONGER_VOTE, orders_outcome, swap_outcome
from adjudge.evaluations.annotations.vote_counts import BASE, ValueSums, VoteCounts, states_of
from adjudge.metrics.cells import Integers, StateCells, cells_from_states
from adjudge.metrics.difference import Difference
from adjudge.metrics.metric import Linearisation, Metric, clip_estimate, weighted_sum
from adjudge.metrics.tables import DifferenceRow, Keys, compare_metric, estimate_row, score_metric, tested_rows
from adjudge.report import typed_table
from adjudge.schemas.outcomes import RESERVED_COLUMNS, UNANSWERED
from adjudge.schemas.pairs import VOTE, VOTES, Annotator
from adjudge.spec import GREATEST_DIFFERENCE, SIDE_BY_SIDE
from adjudge.statistics.comparison import Comparison, difference_of_variance, paired_t
from adjudge.statistics.proportions import clustered_proportion, mean, proportion

Words = dict[str, str | None]


@dataclass(frozen=True, eq=False)
class SwappedPairs:
    """Pairs in both orders. places: their positions among the votes, in the columns first and second."""

    votes: pl.DataFrame
    clusters: Integers | None
    places: pl.DataFrame

    def both_votes(self, column: str) -> tuple[pl.Expr, pl.Expr]:
        """A column's votes on both."""
        votes = self.votes[column]
        return pl.lit(votes.gather(self.places["first"])), pl.lit(votes.gather(self.places["second"]))

    @property
    def units(self) -> Integers:
        """The pair, or the cluster, that each belongs to."""
        first = self.places["first"].cast(pl.Int64).to_numpy()
        return first if self.clusters is None else self.clusters[first]


@dataclass(frozen=True)
class PairGroup:
    """Pairs to give metrics for: a data set, or those of its pairs with the same values of the `by` columns.

    keys: the values of the key columns. vote_counts: of these pairs. annotators: whose metrics are given. reference:
    the trusted annotator. swaps: the votes on pairs in both orders, or why there are none. options: those of
    `adjudge.annotations`.
    """

    keys: Words
    vote_counts: VoteCounts
    annotators: tuple[Annotator, ...]
    reference: Annotator
    swaps: SwappedPairs | str
    options: AnnotationsOptions

    @property
    def reference_keys(self) -> Words:
        """The values of the key columns, with the reference."""
        return self.keys | {"reference": self.reference.id}

    @property
    def unit_count(self) -> int:
        """The number of sampling units: pairs, or clusters of them."""
        clusters = self.vote_counts.clusters
        return self.vote_counts.pair_count if clusters is None else int(clusters.max(initial=-1)) + 1

    @property
    def confidence(self) -> float:
        """The confidence level of intervals."""
        return self.options.ci_level

    @property
    def states(self) -> pl.DataFrame:
        """The columns derived from pairs of votes."""
        return states_of(self.options.population, self.options.labels)

    @cached_property
    def agreements(self) -> dict[str, StateCells]:
        """The cells of each annotator's votes against the reference's, by annotator id."""
        columns = {one.id: one.column for one in self.annotators}
        beside = self.reference.column, self.states
        return {name: self.vote_counts.cells(column, *beside) for name, column in columns.items()}

    @cached_property
    def strengths(self) -> dict[str, tuple[Estimate, Linearisation]]:
        """Each annotator's strength, and its influence function."""
        return {
            name: (
                metrics.STRENGTH.estimate(cells, self.confidence),
                metrics.STRENGTH.linearise(cells.states, cells.totals),
            )
            for name, cells in self.agreements.items()
        }


def agreement_rows(group: PairGroup) -> list[Keys]:
    """Each annotator against the reference."""
    keys_by_id = {one.id: group.reference_keys | _annotator_keys(one) for one in group.annotators}
    return tested_rows(
        score_metric(metric, cells, keys_by_id[name], group.confidence)
        for name, cells in group.agreements.items()
        for metric in metrics.AGREEMENT
    )


def _annotator_keys(annotator: Annotator) -> Words:
    return {"annotator": annotator.id, "name": annotator.name or annotator.id}


def reply_rows(group: PairGroup) -> list[Keys]:
    """Reply rates of annotators that left questions unanswered."""
    unanswered, rows = group.states["label"].is_in(UNANSWERED).to_numpy(), list[Keys]()
    for annotator in group.annotators:
        cells = group.agreements[annotator.id]
        if cells.totals @ unanswered:
            keys = group.reference_keys | _annotator_keys(annotator)
            rows += [estimate_row(keys, one.name, one.estimate(cells, group.confidence)) for one in metrics.REPLIES]
    return rows


def votes_rows(group: PairGroup) -> list[Keys]:
    """Every combination of votes that occurs, in the order of the annotator's votes, then of the reference's."""
    rows = []
    for name, cells in group.agreements.items():
        counts = cells.totals.reshape(BASE, BASE).T
        for vote, other in np.argwhere(counts).tolist():
            keys = group.reference_keys | {"annotator": name}
            count = int(counts[vote, other])
            rows.append(keys | {"vote": VOTES[vote], "reference_vote": VOTES[other], "count": count})
    return rows


# --- the data ---


def overview_rows(group: PairGroup) -> list[Keys]:
    """The data as the reference sees it."""
    seen = group.vote_counts.reference_values(group.reference.column)
    counts = {"pairs_total": group.vote_counts.pair_count, "pairs": next(iter(seen.values())).n}
    estimates = {metric: Estimate(float(n), n=n, confidence=group.confidence) for metric, n in counts.items()}
    estimates |= {metric: _mean_estimate(values, group.confidence) for metric, values in seen.items()}
    if counts["pairs"] and not seen["length_a"].total + seen["length_b"].total:
        nothing = Estimate.undefined("the responses of these pairs are all empty", confidence=group.confidence)
        estimates |= dict.fromkeys([name for name in seen if name != "prefers_a"], nothing)
    return [estimate_row(group.reference_keys, metric, estimate) for metric, estimate in estimates.items()]


_LENGTHS = 0.0, inf
"""The least and the greatest mean length that is possible."""


def _mean_estimate(values: ValueSums, confidence: float) -> Estimate:
    """The mean of lengths, or the share of what is true."""
    if not values.n:
        return Estimate.undefined("no pair on which the reference's vote is valid", confidence=confidence)
    if values.totals is not None and values.sizes is not None:
        if values.share:
            return clustered_proportion(values.totals, values.sizes, confidence=confidence)
        return clip_estimate(paired_t(values.totals, totals=values.sizes, confidence=confidence).estimate, _LENGTHS)
    if values.share:
        return proportion(values.total, values.n, confidence=confidence)
    return clip_estimate(mean(values.n, values.total, values.squares, confidence=confidence), _LENGTHS)


# --- all annotators against each other ---


def matrix_rows(group: PairGroup, everyone: Sequence[Annotator]) -> list[Keys]:
    """Every annotator against every other one: kappa and strength, over pairs that both annotate."""
    rows = []
    cells = group.vote_counts.matrix([one.column for one in everyone], group.states)
    for (annotator, reference), beside in zip(product(everyone, repeat=2), cells, strict=True):
        keys = group.keys | {"annotator": annotator.id, "reference": reference.id}
        rows += [
            estimate_row(keys, one.name, one.estimate(beside, group.confidence))
            for one in (metrics.KAPPA, metrics.STRENGTH)
        ]
    return rows


# --- differences ---


def difference_rows(group: PairGroup) -> Iterator[DifferenceRow]:
    """The strengths of each pair of annotators against the reference, on the pairs in both populations."""
    reference, columns = group.reference, [one.column for one in group.annotators]
    pairs_by_kind = group.vote_counts.kinds(columns, reference.column, group.states)
    for (first, second), pairs in zip(combinations(group.annotators, 2), pairs_by_kind, strict=True):
        names = {"annotator": None, "first": first.id, "second": second.id, "reference": reference.id}
        keys = {"compared": "annotators", **group.keys, **names}
        yield compare_metric(metrics.STRENGTH, pairs, keys, group.confidence)


def _reference_covariance(name: str, first: PairGroup, second: PairGroup) -> float:
    """The covariance of an annotator's strengths beside two references of the same pairs."""
    (_, before), (_, after) = first.strengths[name], second.strengths[name]
    if first.vote_counts.clusters is not None:
        moves = first.agreements[name].per_unit(before.influence)
        return float(np.sort(moves * second.agreements[name].per_unit(after.influence)).sum())
    counts = first.vote_counts.joint_counts(VOTE + name, first.reference.column, second.reference.column)
    places = np.flatnonzero(counts)
    vote, trusted, also = places % BASE, places // BASE % BASE, places // BASE**2
    return weighted_sum(before.influence[vote + BASE * trusted] * after.influence[vote + BASE * also], counts[places])


def group_difference_rows(first: PairGroup, second: PairGroup, compared: str, keys: Words) -> Iterator[DifferenceRow]:
    """Each annotator's strength in two groups of pairs, or beside two references: the second's minus the first's.

    Groups have no pair in common, references all: so the two strengths covary, and the variance of x - y is that of x
    plus that of y, minus twice their covariance.
    """
    same = compared == "references"
    sides = [group.reference.id if same else _group_name(group) for group in (first, second)]
    about = {"first": sides[0], "second": sides[1], "reference": None if same else first.reference.id}
    for name in first.agreements:
        if name in second.agreements:
            result = _group_difference(name, first, second, same=same)
            yield DifferenceRow({"compared": compared, **keys, "annotator": name, **about}, metrics.STRENGTH, result)


def _group_difference(name: str, first: PairGroup, second: PairGroup, *, same: bool) -> Difference:
    confidence = first.confidence
    (before, before_influence), (after, after_influence) = first.strengths[name], second.strengths[name]
    if before.value is None or after.value is None:
        undefined = Estimate.undefined(before.reason or after.reason or "", confidence=confidence)
        return Difference(before.value, after.value, Comparison(undefined, None))
    variance = _strength_variance(first, name, before_influence) + _strength_variance(second, name, after_influence)
    pairs, units = first.vote_counts.pair_count, first.unit_count
    if same:
        variance -= 2 * _reference_covariance(name, first, second)
    else:
        pairs, units = pairs + second.vote_counts.pair_count, units + second.unit_count - 1
    comparison = difference_of_variance(after.value - before.value, max(variance, 0.0), units, confidence=confidence)
    comparison = replace(comparison, estimate=replace(comparison.estimate, n=pairs))
    return Difference(before.value, after.value, comparison, shared=pairs if same else 0)


def _group_name(group: PairGroup) -> str:
    """The values of the `by` columns."""
    values = ["(missing)" if value is None else value for value in group.keys.values()]
    return " / ".join(values[1:])


def _strength_variance(group: PairGroup, name: str, strength: Linearisation) -> float:
    """The variance of an annotator's strength between pairs (clusters)."""
    cells = group.agreements[name]
    if cells.units is None:
        return float(strength.influence**2 @ cells.totals)
    summed = np.sort(cells.per_unit(strength.influence))  # so that the sum has one order, however units are numbered
    return float(summed @ summed)


# --- bias ---


def bias_rows(group: PairGroup) -> list[Keys]:
    """Position and length bias of each annotator, and consistency when texts change places."""
    states = states_of("shared", "valid", beside_longer=True)
    rows = []
    for annotator in dict.fromkeys([group.reference, *group.annotators]):
        keys = group.reference_keys | _annotator_keys(annotator)
        cells = group.vote_counts.cells(annotator.column, LONGER_VOTE, states)
        estimates = {metric.name: metric.estimate(cells, group.confidence) for metric in metrics.BIAS}
        estimates |= _swap_estimates(group, annotator)
        rows += [estimate_row(keys, metric, estimate) for metric, estimate in estimates.items()]
    return rows


def _swap_estimates(group: PairGroup, annotator: Annotator) -> dict[str, Estimate]:
    """How an annotator's votes on the same texts in either order agree with one another, and with the reference's."""
    beside = () if annotator == group.reference else metrics.IN_BOTH_ORDERS
    if isinstance(group.swaps, str):
        nothing = Estimate.undefined(group.swaps, confidence=group.confidence)
        return {metric.name: nothing for metric in (metrics.SWAP_CONSISTENCY, *beside)}
    votes, reference_votes = (group.swaps.both_votes(one.column) for one in (annotator, group.reference))
    labels, units = group.options.labels, group.swaps.units
    outcomes = pl.select(same=swap_outcome(*votes, labels), right=orders_outcome(votes, reference_votes, labels))
    by_item = group.vote_counts.clusters is None

    def estimate(metric: Metric, column: str) -> Estimate:
        cells = cells_from_states(outcomes.select(outcome=column), units)
        return metric.estimate(replace(cells, by_item=by_item), group.confidence)

    estimates = {metrics.SWAP_CONSISTENCY.name: estimate(metrics.SWAP_CONSISTENCY, "same")}
    return estimates | {metric.name: estimate(metric, "right") for metric in beside}


_ENDS = ("highest", "lowest")
_NAMED = ("annotator", "name")


def side_by_side(groups: Sequence[PairGroup]) -> dict[str, pl.DataFrame]:
    """The table of strengths with a column for each group, the annotators that differ most first.

    greatest_difference: the greatest strength minus the least; highest and lowest: the groups that these are of, unless
    they are equal. There is no table for a single group, and none where strength is defined nowhere.
    """
    if len(groups) == 1:
        return {}
    titles = _group_titles(groups)
    strengths: dict[tuple[str | None, ...], dict[str, float]] = {}
    for group, title in zip(groups, titles, strict=True):
        for annotator in group.annotators:
            by_title = strengths.setdefault((annotator.id, annotator.name or annotator.id), {})
            if (value := group.strengths[annotator.id][0].value) is not None:
                by_title[title] = value
    if not any(strengths.values()):
        return {}
    rows: list[Keys] = []
    for names, own in strengths.items():
        row = dict(zip(_NAMED, names, strict=True)) | dict.fromkeys([*titles, GREATEST_DIFFERENCE, *_ENDS]) | own
        if len(own) > 1:
            highest, lowest = max(own, key=own.__getitem__), min(own, key=own.__getitem__)
            gap = own[highest] - own[lowest]
            row |= {GREATEST_DIFFERENCE: gap} | ({"highest": highest, "lowest": lowest} if gap else {})
        rows.append(row)
    numbers = [*titles, GREATEST_DIFFERENCE]
    table = typed_table(rows, [*_NAMED, *numbers, *_ENDS], numbers=numbers)
    return {SIDE_BY_SIDE: table.sort(GREATEST_DIFFERENCE, descending=True, nulls_last=True, maintain_order=True)}


def _group_titles(groups: Sequence[PairGroup]) -> list[str]:
    """The title of each group: the keys that differ among groups; none equals a column that any table may have."""
    references = display_names((group.reference.id, group.reference.name) for group in groups)
    keys: list[Words] = [group.keys | {"reference": references[group.reference.id]} for group in groups]
    apart = [name for name in keys[0] if len({own[name] for own in keys}) > 1]
    words = [{name: "(missing)" if value is None else value for name, value in own.items()} for own in keys]
    titles = (
        ", ".join(own[name] if name in {"dataset", "reference"} else f"{name}: {own[name]}" for name in apart)
        for own in words
    )
    taken = sorted({*RESERVED_COLUMNS, GREATEST_DIFFERENCE, *_ENDS})
    return number_repeats([*taken, *titles])[len(taken) :]
