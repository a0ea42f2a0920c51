"""The tables of the report, for one data set or one group of its pairs at a time."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, product
from math import inf
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from karat.estimate import Estimate
from karat.evaluations.annotations.counts import (
    BASE,
    kind_pairs,
    kinds_of,
    matrix_cells,
    states_of,
    together,
    vote_cells,
)
from karat.evaluations.annotations.figures import AGREEMENT, BIAS, IN_BOTH_ORDERS, KAPPA, STRENGTH, SWAP_CONSISTENCY
from karat.evaluations.annotations.outcomes import LONGER_VOTE, orders_outcome, swap_outcome
from karat.evaluations.annotations.replies import reply_figures
from karat.figures.cells import Cells, Floats, Integers, measured
from karat.figures.difference import Difference
from karat.figures.figure import Figure, Linearised, within
from karat.figures.tables import Compared, Keys, compared, figure_row, scored, tested_rows
from karat.schemas.pairs import CODE, LENGTHS, VALID, VOTE, VOTES, Annotator
from karat.statistics.comparison import Comparison, difference_of_variance, paired_t
from karat.statistics.proportions import clustered_proportion, mean, proportion

Words = dict[str, str | None]


@dataclass(frozen=True)
class Group:
    """Pairs to give figures for: a data set, or those of its pairs with the same values of the `by` columns.

    keys: the values of the key columns. votes: the columns of codes, lengths, and LONGER_VOTE. reference: the
    annotator that is trusted. clusters: an index per pair, or None where pairs are independent. swaps: the places of
    pairs that stand in both orders (columns first, second), or why there are none. options: those of
    `karat.annotations`.
    """

    keys: Words
    votes: pl.DataFrame
    annotators: tuple[Annotator, ...]
    reference: Annotator
    clusters: Integers | None
    swaps: pl.DataFrame | str
    options: Mapping[str, Any]

    @property
    def named(self) -> Words:
        """The values of the key columns, with the reference."""
        return self.keys | {"reference": self.reference.id}

    @property
    def everyone(self) -> tuple[Annotator, ...]:
        """The reference and the annotators."""
        return (self.reference, *(one for one in self.annotators if one != self.reference))

    @property
    def units(self) -> int:
        """The number of sampling units: pairs, or clusters of them."""
        return self.votes.height if self.clusters is None else int(self.clusters.max(initial=-1)) + 1

    @property
    def confidence(self) -> float:
        """Of intervals."""
        return float(self.options["confidence"])

    @property
    def states(self) -> pl.DataFrame:
        """The columns derived from pairs of votes."""
        return states_of(self.options["population"], self.options["labels"])

    @cached_property
    def agreements(self) -> dict[str, Cells]:
        """Each annotator's votes, by its id, beside the reference's."""
        columns = {one.id: one.column for one in self.annotators}
        beside = self.reference.column, self.clusters, self.states
        return {name: vote_cells(self.votes, column, *beside) for name, column in columns.items()}

    @cached_property
    def strengths(self) -> dict[str, tuple[Estimate, Linearised]]:
        """Each annotator's strength, and its influence function."""
        return {
            name: (STRENGTH.estimate(cells, self.confidence), STRENGTH.linearise(cells.states, cells.totals))
            for name, cells in self.agreements.items()
        }


def agreement_rows(group: Group) -> list[Keys]:
    """Each annotator against the reference."""
    named = {one.id: group.named | _named(one) for one in group.annotators}
    return tested_rows(
        scored(figure, cells, named[name], group.confidence)
        for name, cells in group.agreements.items()
        for figure in AGREEMENT
    )


def _named(annotator: Annotator) -> Words:
    return {"annotator": annotator.id, "name": annotator.name or annotator.id}


def reply_rows(group: Group) -> list[Keys]:
    """What became of the questions to annotators that left some unanswered, and the bounds of their figures."""
    options = group.options["population"], group.options["labels"], group.confidence
    return [
        figure_row(group.named | _named(one), metric, estimate)
        for one in group.annotators
        for metric, estimate in reply_figures(group.agreements[one.id], *options)
    ]


def votes_rows(group: Group) -> list[Keys]:
    """Every combination of votes that occurs, in the order of the annotator's votes, then of the reference's."""
    rows = []
    for name, cells in group.agreements.items():
        counts = cells.totals.reshape(BASE, BASE).T
        for vote, other in np.argwhere(counts).tolist():
            keys = group.named | {"annotator": name}
            count = int(counts[vote, other])
            rows.append(keys | {"vote": VOTES[vote], "reference_vote": VOTES[other], "count": count})
    return rows


# --- the data ---


def overview_rows(group: Group) -> list[Keys]:
    """The data as the reference sees it."""
    a, b, prefers_a = pl.col("length_a"), pl.col("length_b"), pl.col("vote") == CODE["text_a"]
    longer_b = b >= a if group.options["length_ties"] == "b" else b > a
    votes = group.votes.select(*LENGTHS, vote=group.reference.column)
    valid = votes["vote"].is_in(VALID)
    of_pairs = votes.filter(valid).select(
        prefers_a=prefers_a,
        length_a=a,
        length_b=b,
        length_preferred=pl.when(prefers_a).then(a).otherwise(b),
        length_rejected=pl.when(prefers_a).then(b).otherwise(a),
        prefers_longer=(prefers_a & (a > b)) | (~prefers_a & longer_b),
    )
    clusters = None if group.clusters is None else group.clusters[valid.to_numpy()]
    counts = {"pairs_total": votes.height, "pairs": of_pairs.height}
    figures = {metric: Estimate(float(n), n=n, confidence=group.confidence) for metric, n in counts.items()}
    figures |= {values.name: _mean(values, clusters, group.confidence) for values in of_pairs}
    return [figure_row(group.named, metric, estimate) for metric, estimate in figures.items()]


_LENGTHS = 0.0, inf
"""The least and the greatest mean length that is possible."""


def _mean(values: pl.Series, clusters: Integers | None, confidence: float) -> Estimate:
    """The mean of lengths, or the share of what is true. clusters: of each value, or None where each is its own."""
    if values.is_empty():
        return Estimate.undefined("no pair on which the reference's vote is valid", confidence=confidence)
    n, share, numbers = len(values), values.dtype == pl.Boolean, values.cast(pl.Int64).to_numpy()
    if clusters is not None:
        totals, sizes = np.bincount(clusters, numbers).astype(np.int64), np.bincount(clusters)
        if share:
            return clustered_proportion(totals, sizes, confidence=confidence)
        return within(paired_t(totals, totals=sizes, confidence=confidence).estimate, _LENGTHS)
    if share:
        return proportion(int(numbers.sum()), n, confidence=confidence)
    found = mean(n, int(numbers.sum()), int(numbers @ numbers), confidence=confidence)
    return within(found, _LENGTHS)


# --- everyone beside everyone ---


def matrix_rows(group: Group, everyone: Sequence[Annotator]) -> list[Keys]:
    """Every annotator against every other one: kappa and strength, over pairs that both annotate."""
    columns, shared = [one.column for one in everyone], group.options["population"] == "shared"
    rows = []
    cells = matrix_cells(group.votes, columns, group.clusters, group.states, shared=shared)
    for (annotator, reference), beside in zip(product(everyone, repeat=2), cells, strict=True):
        keys = group.keys | {"annotator": annotator.id, "reference": reference.id}
        rows += [figure_row(keys, one.name, one.estimate(beside, group.confidence)) for one in (KAPPA, STRENGTH)]
    return rows


# --- differences ---


def difference_rows(group: Group) -> Iterator[Compared]:
    """The strengths of each pair of annotators against the reference, on the pairs in both populations."""
    reference, states = group.reference, group.states
    kinds = [kinds_of(group.votes, one.column, reference.column, states) for one in group.annotators]
    twos = combinations(group.annotators, 2)
    for (first, second), pairs in zip(twos, kind_pairs(kinds, group.clusters), strict=True):
        names = {"annotator": None, "first": first.id, "second": second.id, "reference": reference.id}
        keys = {"compared": "annotators", **group.keys, **names}
        yield compared(STRENGTH, pairs, keys, group.confidence)


class Shared(NamedTuple):
    """What two groups have in common.

    first, second: the indices in both of the units (pairs or clusters) that are the same. pairs: how many are.
    """

    first: Integers
    second: Integers
    pairs: int


NOTHING = Shared(np.zeros(0, np.int64), np.zeros(0, np.int64), 0)


def reference_difference_rows(groups: Sequence[Group]) -> Iterator[Compared]:
    """Each annotator's strength beside one reference and beside another: groups of the same pairs."""
    same = np.arange(groups[0].units)
    for first, second in combinations(groups, 2):
        shared = Shared(same, same, first.votes.height)
        yield from group_difference_rows(first, second, "references", first.keys, shared)


def group_difference_rows(
    first: Group, second: Group, compared: str, keys: Words, shared: Shared = NOTHING
) -> Iterator[Compared]:
    """Each annotator's strength in two groups (data sets, references): the second's minus the first's.

    shared: what they have in common. Their shared units make the two strengths covary: the variance of x - y is that of
    x plus that of y, minus twice their covariance.
    """
    sides = {"first": _group_name(first, compared), "second": _group_name(second, compared)}
    reference = None if compared == "references" else first.reference.id
    for name in first.agreements:
        if name in second.agreements:
            named = {"annotator": name, **sides, "reference": reference}
            result = _group_difference(name, first, second, shared)
            yield Compared({"compared": compared, **keys, **named}, STRENGTH, result)


def _group_difference(name: str, first: Group, second: Group, same: Shared) -> Difference:
    confidence = first.confidence
    (before, one), (after, other) = first.strengths[name], second.strengths[name]
    if before.value is None or after.value is None:
        undefined = Estimate.undefined(before.reason or after.reason or "", confidence=confidence)
        return Difference(before.value, after.value, Comparison(undefined, None))
    variance = _variance(first, name, one) + _variance(second, name, other)
    if same.first.size:
        ours, theirs = _unit_influence(first, name, one), _unit_influence(second, name, other)
        variance -= 2 * float((ours[same.first] * theirs[same.second]).sum())  # @ would start threads for each of many
    units = first.units + second.units - max(1, same.first.size)
    found = difference_of_variance(after.value - before.value, max(variance, 0.0), units, confidence=confidence)
    pairs = first.votes.height + second.votes.height - same.pairs
    return Difference(before.value, after.value, replace(found, estimate=replace(found.estimate, n=pairs)))


def _group_name(group: Group, compared: str) -> str:
    """A group as rows of differences name it: the data set, the reference, or the values of the `by` columns."""
    if compared == "references":
        return group.reference.id
    values = ["(missing)" if value is None else value for value in group.keys.values()]
    return values[0] if compared == "datasets" else " / ".join(values[1:])


def _variance(group: Group, name: str, found: Linearised) -> float:
    """The variance of an annotator's strength between pairs (clusters)."""
    cells = group.agreements[name]
    if cells.units is None:
        return float(found.influence**2 @ cells.totals)
    summed = cells.per_unit(found.influence)
    return float(summed @ summed)


def _unit_influence(group: Group, name: str, found: Linearised) -> Floats:
    """How far each pair (cluster) moves an annotator's strength."""
    if group.clusters is not None:
        return group.agreements[name].per_unit(found.influence)
    moved: Floats = found.influence[together(group.votes, VOTE + name, group.reference.column)]
    return moved


# --- what votes depend on besides the texts' quality ---


def bias_rows(group: Group) -> list[Keys]:
    """What votes depend on besides the quality of the texts."""
    states = states_of("shared", "valid", beside_longer=True)
    rows = []
    for annotator in group.everyone:
        keys = group.named | _named(annotator)
        cells = vote_cells(group.votes, annotator.column, LONGER_VOTE, group.clusters, states)
        found = {figure.name: figure.estimate(cells, group.confidence) for figure in BIAS}
        found |= _in_both_orders(group, annotator)
        rows += [figure_row(keys, metric, estimate) for metric, estimate in found.items()]
    return rows


def _in_both_orders(group: Group, annotator: Annotator) -> dict[str, Estimate]:
    """How an annotator's votes on the same texts in either order agree with one another, and with the reference's."""
    beside = () if annotator == group.reference else IN_BOTH_ORDERS
    if isinstance(group.swaps, str):
        nothing = Estimate.undefined(group.swaps, confidence=group.confidence)
        return {figure.name: nothing for figure in (SWAP_CONSISTENCY, *beside)}
    columns = {"own": annotator.column, "known": group.reference.column}
    votes = pl.DataFrame(
        {name + at.name: group.votes[column].gather(at) for name, column in columns.items() for at in group.swaps}
    )
    own, known = ((pl.col(f"{name}first"), pl.col(f"{name}second")) for name in columns)
    labels = group.options["labels"]
    outcomes = votes.select(same=swap_outcome(*own, labels), right=orders_outcome(own, known, labels))
    first = group.swaps["first"].cast(pl.Int64).to_numpy()
    units = first if group.clusters is None else group.clusters[first]

    def estimate(figure: Figure, column: str) -> Estimate:
        cells = measured(outcomes.select(outcome=column), units)
        return figure.estimate(replace(cells, by_item=group.clusters is None), group.confidence)

    found = {SWAP_CONSISTENCY.name: estimate(SWAP_CONSISTENCY, "same")}
    return found | {figure.name: estimate(figure, "right") for figure in beside}
