"""The tables of the report, for one data set or one group of its pairs at a time."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from karat.estimate import Estimate
from karat.evaluations.annotations.counts import (
    ClusterCells,
    Gram,
    Sums,
    cluster_cells,
    gram,
    influence_products,
    joint_counts,
    sums_of,
)
from karat.evaluations.annotations.metrics import (
    Labels,
    Population,
    Votes,
    agreement,
    cells_of,
    share,
    strength_influence,
)
from karat.report import FIGURE, typed_table
from karat.schemas.pairs import CODE, VOTES, Annotator
from karat.statistics import (
    Comparison,
    clustered_proportion,
    difference_of_variance,
    holm,
    kappa_from_accuracy,
    mean,
    paired_t,
    proportion,
    strength,
    strength_product,
)

LengthTies = Literal["none", "b"]
"""Whose the longer text is where both are of equal length: nobody's, or text_b's."""

LONGER = "vote:style:longer"

Row = dict[str, object]


@dataclass(frozen=True, slots=True)
class Settings:
    """What figures depend on; arguments of `karat.annotations`."""

    population: Population
    labels: Labels
    length_ties: LengthTies
    confidence: float


@dataclass(frozen=True)
class Group:
    """Pairs to give figures for: a data set, or those of its pairs with the same values of the `by` columns.

    keys: the values of the key columns. votes: the columns of codes, lengths, and LONGER. reference: the
    annotator that is trusted. clusters: an index per pair, or None where pairs are independent.
    """

    keys: dict[str, str | None]
    votes: pl.DataFrame
    annotators: tuple[Annotator, ...]
    reference: Annotator
    clusters: pl.Series | None
    settings: Settings

    @property
    def columns(self) -> list[str]:
        """The annotators' columns."""
        return [annotator.column for annotator in self.annotators]

    @property
    def everyone(self) -> tuple[Annotator, ...]:
        """The reference and the annotators."""
        return (self.reference, *(one for one in self.annotators if one != self.reference))

    @cached_property
    def units(self) -> int:
        """How many pairs (clusters) there are."""
        return self.votes.height if self.clusters is None else int(self.clusters.n_unique())

    @cached_property
    def agreements(self) -> list[Votes]:
        """Each annotator's votes beside the reference's."""
        joints = joint_counts(self.votes, self.columns, self.reference.column)
        return [
            Votes(joint, self.cells(column, self.reference.column))
            for joint, column in zip(joints, self.columns, strict=True)
        ]

    def cells(self, column: str, reference: str) -> ClusterCells | None:
        """The joint table of two columns by cluster; None where pairs are independent."""
        return None if self.clusters is None else cluster_cells(self.votes, column, reference, self.clusters)

    @cached_property
    def strengths(self) -> list[Comparison]:
        """Each annotator's strength with the test that it is 0."""
        chosen = self.settings
        return [
            agreement(votes, chosen.population, chosen.labels, chosen.confidence)["strength"]
            for votes in self.agreements
        ]


def tested(rows: Sequence[tuple[dict[str, str | None], str, Comparison]]) -> list[Row]:
    """Figures with their tests as rows of a table; the p-values of these rows adjusted together."""
    adjusted = holm([comparison.p for _, _, comparison in rows])
    return [
        {**figure_row(keys, metric, comparison.estimate), "p": comparison.p, "p_adjusted": p}
        for (keys, metric, comparison), p in zip(rows, adjusted, strict=True)
    ]


def figure_row(keys: dict[str, str | None], metric: str, estimate: Estimate) -> Row:
    """A figure as a row of a table."""
    return {**keys, "metric": metric, **{name: getattr(estimate, name) for name in FIGURE[1:]}}


def agreement_rows(group: Group) -> list[Row]:
    """Each annotator against the reference."""
    chosen = group.settings
    rows = []
    for annotator, votes in zip(group.annotators, group.agreements, strict=True):
        keys = group.keys | {
            "annotator": annotator.id,
            "name": annotator.name or annotator.id,
            "reference": group.reference.id,
        }
        figures = agreement(votes, chosen.population, chosen.labels, chosen.confidence)
        rows += [(keys, metric, comparison) for metric, comparison in figures.items()]
    return tested(rows)


def votes_rows(group: Group) -> list[Row]:
    """Every combination of votes that occurs."""
    return [
        {
            **group.keys,
            "annotator": annotator.id,
            "reference": group.reference.id,
            "vote": VOTES[vote],
            "reference_vote": VOTES[other],
            "count": int(votes.joint[vote, other]),
        }
        for annotator, votes in zip(group.annotators, group.agreements, strict=True)
        for vote, other in np.argwhere(votes.joint)
    ]


def overview_rows(group: Group) -> list[Row]:
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
    successes, totals = (_per_cluster(group.clusters, mask.cast(pl.Int64)) for mask in (part, whole))
    return clustered_proportion(successes, totals, confidence=confidence)


def _mean(group: Group, chosen: Sequence[tuple[pl.Series, pl.Series]]) -> Estimate:
    """The mean of numbers, each column where its mask is true."""
    confidence = group.settings.confidence
    parts = [sums_of(numbers, mask) for numbers, mask in chosen]
    sums = Sums(*(sum(getattr(part, name) for part in parts) for name in ("n", "total", "squares")))
    if not sums.n:
        return Estimate.undefined(_NO_PAIRS, confidence=confidence)
    if group.clusters is None:
        return mean(sums.n, sums.total, sums.squares, confidence=confidence)
    totals = sum(_per_cluster(group.clusters, numbers.cast(pl.Int64) * mask) for numbers, mask in chosen)
    sizes = sum(_per_cluster(group.clusters, mask.cast(pl.Int64)) for _, mask in chosen)
    return paired_t(totals, totals=sizes, confidence=confidence).estimate


def _per_cluster(clusters: pl.Series, numbers: pl.Series) -> NDArray[np.int64]:
    return np.bincount(clusters.to_numpy(), weights=numbers.to_numpy()).astype(np.int64)


def matrix_rows(group: Group) -> list[Row]:
    """Every annotator against every other: kappa and strength, over pairs that both annotate."""
    everyone = group.everyone
    counted = gram(group.votes, [annotator.column for annotator in everyone])
    rows = []
    for i, annotator in enumerate(everyone):
        for j, reference in enumerate(everyone):
            keys = group.keys | {"annotator": annotator.id, "reference": reference.id}
            figures = _matrix_cell(group, counted, i, j)
            rows += [figure_row(keys, metric, estimate) for metric, estimate in figures.items()]
    return rows


def _matrix_cell(group: Group, counted: Gram, i: int, j: int) -> dict[str, Estimate]:
    confidence, everyone = group.settings.confidence, group.everyone
    agree, compared = int(counted.agree[i, j]), int(counted.compared[i, j])
    valid, n = int(counted.valid[i, j]), int(counted.shared[i, j])
    if group.settings.population == "reference":
        valid, n = compared, int(counted.compared[j, j])
    if not compared:
        undefined = Estimate.undefined("no pair on which both votes are valid", n=n, confidence=confidence)
        return {"kappa": undefined, "strength": undefined}
    if group.clusters is not None:
        return _clustered_cell(group, everyone[i].column, everyone[j].column)
    return {
        "kappa": kappa_from_accuracy(proportion(agree, compared, confidence=confidence)),
        "strength": strength(agree, compared - agree, n, confidence=confidence)
        if valid == compared
        else strength_product(agree, compared, valid, n, confidence=confidence),
    }


def _clustered_cell(group: Group, column: str, reference: str) -> dict[str, Estimate]:
    """As in the table of agreement, but for figures that no other table needs."""
    chosen = group.settings
    (joint,) = joint_counts(group.votes, [column], reference)
    votes = Votes(joint, group.cells(column, reference))
    figures = agreement(votes, chosen.population, chosen.labels, chosen.confidence, only=("kappa", "strength"))
    return {metric: comparison.estimate for metric, comparison in figures.items()}


def difference_rows(group: Group) -> list[Row]:
    """The strengths of every two annotators against the reference, compared on the same pairs."""
    cells = cells_of(group.settings.population, group.settings.labels)
    influence = [strength_influence(votes, cells) for votes in group.agreements]
    products = influence_products(group.votes, group.columns, group.reference.column, influence, group.clusters)
    rows = []
    for i, j in combinations(range(len(group.annotators)), 2):
        first, second = group.strengths[i].estimate, group.strengths[j].estimate
        keys = difference_keys(
            group.keys,
            "annotators",
            first=group.annotators[i].id,
            second=group.annotators[j].id,
            reference=group.reference.id,
        )
        variance = products[i, i] + products[j, j] - 2 * products[i, j]
        rows.append(
            (
                keys,
                "strength",
                _difference(first, second, variance, group.units, group.votes.height, group.settings.confidence),
            )
        )
    return tested(rows)


def difference_keys(keys: dict[str, str | None], compared: str, **names: str) -> dict[str, str | None]:
    """The keys of a row of `differences`; those that do not apply are None."""
    return {
        "compared": compared,
        **keys,
        "annotator": names.get("annotator"),
        "first": names["first"],
        "second": names["second"],
        "reference": names["reference"],
    }


def _difference(
    first: Estimate, second: Estimate, variance: float, units: int, pairs: int, confidence: float
) -> Comparison:
    """The difference of two figures whose variance is known between units. pairs: what it rests on, its n."""
    if first.value is None or second.value is None:
        reason = first.reason or second.reason or ""
        return Comparison(Estimate.undefined(reason, confidence=confidence), None)
    found = difference_of_variance(first.value - second.value, variance, units, confidence=confidence)
    return replace(found, estimate=replace(found.estimate, n=pairs))


@dataclass(frozen=True, slots=True)
class Shared:
    """What two groups have in common.

    first, second: the indices in both of the units (pairs or clusters) that are the same. pairs: how many are.
    """

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    pairs: int


NOTHING = Shared(np.zeros(0, np.int64), np.zeros(0, np.int64), 0)


def group_difference_rows(
    groups: Sequence[Group],
    compared: str,
    keys: dict[str, str | None],
    shared: Callable[[int, int], Shared] = lambda _first, _second: NOTHING,
) -> list[Row]:
    """Each annotator's strength in every two groups (or data sets).

    shared: what two of them, by their places, have in common; nothing by default. Those units' joint influence
    is taken off the variance of the difference: the variance of x - y is that of x and of y, less twice their
    covariance.
    """
    rows = []
    for (i, first), (j, second) in combinations(enumerate(groups), 2):
        names = [_group_name(group, compared) for group in (first, second)]
        known = {annotator.id: place for place, annotator in enumerate(second.annotators)}
        same = shared(i, j)
        for place, annotator in enumerate(first.annotators):
            if annotator.id not in known:
                continue
            there = known[annotator.id]
            row = difference_keys(
                keys, compared, annotator=annotator.id, first=names[0], second=names[1], reference=first.reference.id
            )
            rows.append((row, "strength", _group_difference(first, place, second, there, same)))
    return tested(rows)


def _group_difference(first: Group, place: int, second: Group, there: int, same: Shared) -> Comparison:
    estimates = first.strengths[place].estimate, second.strengths[there].estimate
    variance = _variance(first, place) + _variance(second, there)
    if same.first.size:
        ours, theirs = _unit_influence(first, place), _unit_influence(second, there)
        variance -= 2 * float(ours[same.first] @ theirs[same.second])
    units = first.units + second.units - max(1, same.first.size)
    pairs = first.votes.height + second.votes.height - same.pairs
    return _difference(*estimates, max(variance, 0.0), units, pairs, first.settings.confidence)


def _group_name(group: Group, compared: str) -> str:
    """A group as the rows of differences name it: the data set, or the values of the `by` columns."""
    values = ["(missing)" if value is None else value for value in group.keys.values()]
    return values[0] if compared == "datasets" else " / ".join(values[1:])


def _variance(group: Group, place: int) -> float:
    """The variance of an annotator's strength between pairs (clusters)."""
    if group.clusters is None:
        votes = group.agreements[place]
        return float((_influence(group, place) ** 2 * votes.joint).sum())
    summed = _unit_influence(group, place)
    return float(summed @ summed)


def _influence(group: Group, place: int) -> NDArray[np.float64]:
    cells = cells_of(group.settings.population, group.settings.labels)
    return strength_influence(group.agreements[place], cells)


def _unit_influence(group: Group, place: int) -> NDArray[np.float64]:
    """How far each pair (cluster) moves an annotator's strength."""
    influence, split = _influence(group, place), group.agreements[place].clusters
    if split is None:
        ours, theirs = (group.votes[one].to_numpy() for one in (group.columns[place], group.reference.column))
        found: NDArray[np.float64] = influence[ours, theirs]
        return found
    weights = influence[split.vote, split.reference] * split.count
    return np.bincount(split.cluster, weights=weights, minlength=group.units).astype(np.float64)


def bias_rows(group: Group, swaps: pl.DataFrame | str) -> list[Row]:
    """What votes depend on besides the texts' quality.

    swaps: the places of pairs that stand in both orders (columns first, second), or why there are none.
    """
    chosen = group.settings
    everyone = group.everyone
    columns = [annotator.column for annotator in everyone]
    cells = cells_of("shared", "valid")
    rows = []
    for annotator, joint in zip(everyone, joint_counts(group.votes, columns, LONGER), strict=True):
        votes = Votes(joint, group.cells(annotator.column, LONGER))
        first = np.zeros_like(cells.population)
        first[CODE["text_a"]] = True
        valid = first.copy()
        valid[CODE["text_b"]] = True
        figures = {
            "position": share(votes, first, valid, "no valid vote", chosen.confidence),
            "length": agreement(votes, "shared", "valid", chosen.confidence)["strength"].estimate,
            "swap_consistency": _swap_consistency(group, annotator, swaps),
        }
        keys = group.keys | {"annotator": annotator.id, "name": annotator.name or annotator.id}
        rows += [figure_row(keys, metric, estimate) for metric, estimate in figures.items()]
    return rows


def _swap_consistency(group: Group, annotator: Annotator, swaps: pl.DataFrame | str) -> Estimate:
    confidence = group.settings.confidence
    if isinstance(swaps, str):
        return Estimate.undefined(swaps, confidence=confidence)
    votes = group.votes[annotator.column]
    one, other = votes.gather(swaps["first"]), votes.gather(swaps["second"])
    codes = [CODE["text_a"], CODE["text_b"]]
    valid = one.is_in(codes) & other.is_in(codes)
    n = int(valid.sum())
    if not n:
        return Estimate.undefined("no pair in both orders with two valid votes", confidence=confidence)
    return proportion(int((valid & (one != other)).sum()), n, confidence=confidence)


def table(rows: Sequence[Row], columns: Sequence[str]) -> pl.DataFrame:
    """Rows as a typed table."""
    return typed_table(rows, columns)
