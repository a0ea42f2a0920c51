"""The tables of the report, for one data set or one group of its pairs at a time."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from karat.estimate import Estimate
from karat.evaluations.annotations.counts import (
    cluster_cells,
    gram,
    gram_cells,
    joint_cells,
    joint_counts,
    states_of,
    vote_pairs,
)
from karat.evaluations.annotations.figures import AGREEMENT, BIAS, KAPPA, STRENGTH, SWAP_CONSISTENCY
from karat.evaluations.annotations.outcomes import LONGER_VOTE
from karat.figures.cells import Cells, Floats, Integers
from karat.figures.difference import Difference
from karat.figures.figure import Linearised
from karat.figures.tables import Compared, Keys, Row, compared, figure_row, scored, tested_rows
from karat.schemas.pairs import CODE, VALID, Annotator
from karat.statistics import Comparison, clustered_proportion, difference_of_variance, mean, paired_t, proportion

Population = Literal["shared", "reference"]
"""Which pairs count: those that both annotate, or those on which the reference's vote is valid."""

Labels = Literal["valid", "all"]
"""Which votes are labels: text_a and text_b, or both and neither too."""

LengthTies = Literal["none", "b"]
"""Which text counts as the longer one when both are equally long: neither, or text_b."""

Words = dict[str, str | None]


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings that figures depend on; arguments of `karat.annotations`."""

    population: Population
    labels: Labels
    length_ties: LengthTies
    confidence: float


@dataclass(frozen=True)
class Group:
    """Pairs to give figures for: a data set, or those of its pairs with the same values of the `by` columns.

    keys: the values of the key columns. votes: the columns of codes, lengths, and LONGER_VOTE. reference: the
    annotator that is trusted. clusters: an index per pair, or None where pairs are independent.
    """

    keys: Words
    votes: pl.DataFrame
    annotators: tuple[Annotator, ...]
    reference: Annotator
    clusters: Integers | None
    settings: Settings

    @property
    def everyone(self) -> tuple[Annotator, ...]:
        """The reference and the annotators."""
        return (self.reference, *(one for one in self.annotators if one != self.reference))

    @cached_property
    def units(self) -> int:
        """The number of sampling units: pairs, or clusters of them."""
        return self.votes.height if self.clusters is None else int(self.clusters.max(initial=-1)) + 1

    @property
    def states(self) -> pl.DataFrame:
        """The columns derived from pairs of votes."""
        return states_of(self.settings.population, self.settings.labels)

    def cells(self, annotators: Iterable[Annotator], other: str, states: pl.DataFrame) -> list[Cells]:
        """Each annotator's votes beside a column of votes."""
        columns = [annotator.column for annotator in annotators]
        if self.clusters is None:
            return [joint_cells(joint, states) for joint in joint_counts(self.votes, columns, other)]
        return [cluster_cells(self.votes, column, other, self.clusters, states) for column in columns]

    @cached_property
    def agreements(self) -> list[Cells]:
        """Each annotator's votes beside the reference's."""
        return self.cells(self.annotators, self.reference.column, self.states)

    @cached_property
    def strengths(self) -> list[tuple[Estimate, Linearised]]:
        """Each annotator's strength, and its influence function."""
        return [
            (STRENGTH.estimate(cells, self.settings.confidence), STRENGTH.linearise(cells.states, cells.totals))
            for cells in self.agreements
        ]


def agreement_rows(group: Group) -> list[Keys]:
    """Each annotator against the reference."""
    rows = [
        scored(
            figure,
            cells,
            {**group.keys, **_named(annotator), "reference": group.reference.id},
            group.settings.confidence,
        )
        for annotator, cells in zip(group.annotators, group.agreements, strict=True)
        for figure in AGREEMENT
    ]
    return tested_rows(rows)


def _named(annotator: Annotator) -> Words:
    return {"annotator": annotator.id, "name": annotator.name or annotator.id}


def votes_rows(group: Group) -> list[Keys]:
    """Every combination of votes that occurs."""
    return [
        {
            **group.keys,
            "annotator": annotator.id,
            "reference": group.reference.id,
            "vote": cells.states["label"][state],
            "reference_vote": cells.states["reference_label"][state],
            "count": int(cells.totals[state]),
        }
        for annotator, cells in zip(group.annotators, group.agreements, strict=True)
        for state in _by_vote(np.flatnonzero(cells.totals))
    ]


def _by_vote(states: Integers) -> list[int]:
    """In the order of the annotator's votes, then of the reference's."""
    return sorted(states.tolist(), key=lambda state: (state % 8, state // 8))


# --- the data ---


def overview_rows(group: Group) -> list[Keys]:
    """The data as the reference sees it."""
    votes, confidence = group.votes, group.settings.confidence
    reference = votes[group.reference.column]
    prefers_a, prefers_b = reference == CODE["text_a"], reference == CODE["text_b"]
    valid = prefers_a | prefers_b
    a, b = votes["length_a"], votes["length_b"]
    longer = (prefers_a & (a > b)) | (prefers_b & (b > a))
    if group.settings.length_ties == "b":
        longer |= prefers_b & (a == b)
    pairs = int(valid.sum())
    figures = {
        "pairs_total": Estimate(float(votes.height), n=votes.height, confidence=confidence),
        "pairs": Estimate(float(pairs), n=pairs, confidence=confidence),
        "prefers_a": _share(group, prefers_a, valid),
        "length_a": _mean(group, [(a, valid)]),
        "length_b": _mean(group, [(b, valid)]),
        "length_preferred": _mean(group, [(a, prefers_a), (b, prefers_b)]),
        "length_rejected": _mean(group, [(b, prefers_a), (a, prefers_b)]),
        "prefers_longer": _share(group, longer, valid),
    }
    return [figure_row(group.keys, metric, estimate) for metric, estimate in figures.items()]


_NO_PAIRS = "no pair on which the reference's vote is valid"


def _share(group: Group, part: pl.Series, whole: pl.Series) -> Estimate:
    confidence, n = group.settings.confidence, int(whole.sum())
    if not n:
        return Estimate.undefined(_NO_PAIRS, confidence=confidence)
    if group.clusters is None:
        return proportion(int(part.sum()), n, confidence=confidence)
    successes, totals = (_per_cluster(group.clusters, one.cast(pl.Int64)) for one in (part, whole))
    return clustered_proportion(successes, totals, confidence=confidence)


def _mean(group: Group, chosen: Sequence[tuple[pl.Series, pl.Series]]) -> Estimate:
    """The mean of numbers, each column where its mask is true."""
    confidence = group.settings.confidence
    numbers = [column.filter(mask).cast(pl.UInt64) for column, mask in chosen]
    n, total, squares = (
        sum(int(made(one)) for one in numbers) for made in (len, pl.Series.sum, lambda one: (one * one).sum())
    )
    if not n:
        return Estimate.undefined(_NO_PAIRS, confidence=confidence)
    if group.clusters is None:
        return mean(n, total, squares, confidence=confidence)
    clusters = group.clusters
    totals = sum(_per_cluster(clusters, column.cast(pl.Int64) * mask) for column, mask in chosen)
    sizes = sum(_per_cluster(clusters, mask.cast(pl.Int64)) for _, mask in chosen)
    return paired_t(totals, totals=sizes, confidence=confidence).estimate


def _per_cluster(clusters: Integers, numbers: pl.Series) -> NDArray[np.int64]:
    return np.bincount(clusters, weights=numbers.to_numpy()).astype(np.int64)


# --- everyone beside everyone ---


def matrix_rows(group: Group) -> list[Keys]:
    """Every annotator against every other one: kappa and strength, over pairs that both annotate."""
    everyone, confidence = group.everyone, group.settings.confidence
    counted = gram(group.votes, [annotator.column for annotator in everyone]) if group.clusters is None else None
    shared = group.settings.population == "shared"
    rows = []
    for j, reference in enumerate(everyone):
        beside = [] if counted else group.cells(everyone, reference.column, group.states)
        for i, annotator in enumerate(everyone):
            cells = gram_cells(counted, i, j, shared=shared) if counted else beside[i]
            keys = group.keys | {"annotator": annotator.id, "reference": reference.id}
            rows += [((i, j), scored(figure, cells, keys, confidence)) for figure in (KAPPA, STRENGTH)]
    rows.sort(key=lambda row: row[0])
    return [figure_row(row.keys, row.figure.name, row.estimate) for _, row in rows]


# --- differences ---


def difference_rows(group: Group) -> Iterator[Compared]:
    """The strengths of each pair of annotators against the reference, on the pairs in both populations."""
    for first, second in combinations(group.annotators, 2):
        names = {"first": first.id, "second": second.id, "reference": group.reference.id}
        pairs = vote_pairs(
            group.votes, first.column, second.column, group.reference.column, group.clusters, group.states
        )
        keys = difference_keys(group.keys, "annotators", **names)
        yield compared(STRENGTH, pairs, keys, group.settings.confidence)


def difference_keys(keys: Words, compared: str, **names: str) -> Keys:
    """The keys of a row of `differences`; those that do not apply are None."""
    found = {"annotator": names.get("annotator"), **{name: names[name] for name in ("first", "second", "reference")}}
    return {"compared": compared, **keys, **found}


@dataclass(frozen=True, slots=True)
class Shared:
    """What two groups have in common.

    first, second: the indices in both of the units (pairs or clusters) that are the same. pairs: how many are.
    """

    first: Integers
    second: Integers
    pairs: int


NOTHING = Shared(np.zeros(0, np.int64), np.zeros(0, np.int64), 0)


def group_difference_rows(
    groups: Sequence[Group],
    compared: str,
    keys: Words,
    shared: Callable[[int, int], Shared] = lambda _first, _second: NOTHING,
) -> Iterator[Compared]:
    """Each annotator's strength in every two groups (or data sets): the second's minus the first's.

    shared: what two of them, given by index, have in common; nothing by default. Their shared units make the two
    strengths covary: the variance of x - y is that of x plus that of y, minus twice their covariance.
    """
    for (i, first), (j, second) in combinations(enumerate(groups), 2):
        names = [_group_name(group, compared) for group in (first, second)]
        known = {annotator.id: place for place, annotator in enumerate(second.annotators)}
        same = shared(i, j)
        for place, annotator in enumerate(first.annotators):
            if annotator.id in known:
                row = difference_keys(
                    keys,
                    compared,
                    annotator=annotator.id,
                    first=names[0],
                    second=names[1],
                    reference=first.reference.id,
                )
                yield Compared(row, STRENGTH, _group_difference(first, place, second, known[annotator.id], same))


def _group_difference(first: Group, place: int, second: Group, there: int, same: Shared) -> Difference:
    confidence = first.settings.confidence
    (before, one), (after, other) = first.strengths[place], second.strengths[there]
    if before.value is None or after.value is None:
        undefined = Estimate.undefined(before.reason or after.reason or "", confidence=confidence)
        return Difference(before.value, after.value, Comparison(undefined, None))
    variance = _variance(first, place, one) + _variance(second, there, other)
    if same.first.size:
        ours, theirs = _unit_influence(first, place, one), _unit_influence(second, there, other)
        variance -= 2 * float(ours[same.first] @ theirs[same.second])
    units = first.units + second.units - max(1, same.first.size)
    found = difference_of_variance(after.value - before.value, max(variance, 0.0), units, confidence=confidence)
    pairs = first.votes.height + second.votes.height - same.pairs
    return Difference(before.value, after.value, replace(found, estimate=replace(found.estimate, n=pairs)))


def _group_name(group: Group, compared: str) -> str:
    """A group as rows of differences name it: the data set, or the values of the `by` columns."""
    values = ["(missing)" if value is None else value for value in group.keys.values()]
    return values[0] if compared == "datasets" else " / ".join(values[1:])


def _variance(group: Group, place: int, found: Linearised) -> float:
    """The variance of an annotator's strength between pairs (clusters)."""
    cells = group.agreements[place]
    if cells.units is None:
        return float(found.influence**2 @ cells.totals)
    summed = cells.per_unit(found.influence)
    return float(summed @ summed)


def _unit_influence(group: Group, place: int, found: Linearised) -> Floats:
    """How far each pair (cluster) moves an annotator's strength."""
    if group.clusters is None:
        ours, theirs = (
            group.votes[one.column].to_numpy().astype(np.int64) for one in (group.annotators[place], group.reference)
        )
        moved: Floats = found.influence[ours + 8 * theirs]
        return moved
    return group.agreements[place].per_unit(found.influence)


# --- what votes depend on besides the texts' quality ---


def bias_rows(group: Group, swaps: pl.DataFrame | str) -> list[Keys]:
    """What votes depend on besides the quality of the texts.

    swaps: the places of pairs that stand in both orders (columns first, second), or why there are none.
    """
    confidence, states = group.settings.confidence, states_of("shared", "valid", beside_longer=True)
    everyone = group.everyone
    rows = []
    for annotator, cells in zip(everyone, group.cells(everyone, LONGER_VOTE, states), strict=True):
        keys = {**group.keys, **_named(annotator)}
        found = [scored(figure, cells, keys, confidence) for figure in BIAS]
        found.append(Row(keys, SWAP_CONSISTENCY, _swap_consistency(group, annotator, swaps)))
        rows += [figure_row(keys, row.figure.name, row.estimate) for row in found]
    return rows


_SWAPS = pl.DataFrame({"outcome": ["undecided", "other_text", "same_text"]})


def _swap_consistency(group: Group, annotator: Annotator, swaps: pl.DataFrame | str) -> Estimate:
    confidence = group.settings.confidence
    if isinstance(swaps, str):
        return Estimate.undefined(swaps, confidence=confidence)
    votes = group.votes[annotator.column]
    one, other = (votes.gather(swaps[side]).to_numpy() for side in ("first", "second"))
    valid = np.isin(one, VALID) & np.isin(other, VALID)
    place = np.where(valid, 1 + (one != other), 0).astype(np.int64)
    first = swaps["first"].to_numpy().astype(np.int64)
    units = first if group.clusters is None else group.clusters[first]
    cells = Cells(_SWAPS, place, np.ones(len(place), dtype=np.int64), units, by_item=group.clusters is None)
    return SWAP_CONSISTENCY.estimate(cells, confidence)
