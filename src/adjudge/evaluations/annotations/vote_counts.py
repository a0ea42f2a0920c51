"""Counts of votes that metrics read: made of votes in memory, or summed over files.

Sums of independent pairs are small and can be added. Where pairs are clustered, a cluster may have pairs in several
files, so that the codes of votes are gathered instead, a byte each.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import polars as pl

from adjudge.evaluations.annotations.vote_pairs import (
    BASE,
    Codes,
    Counts,
    count_vote_pairs,
    kind_pairs,
    matrix_cells,
    pair_codes,
)
from adjudge.metrics.cells import Integers, PairedCells, StateCells
from adjudge.schemas.pairs import CODE, LENGTHS, VALID


@dataclass(frozen=True, eq=False)
class ValueSums:
    """The sums behind a mean over pairs: of a length, or of whether something is true of each pair (share).

    n: how many pairs. total, squares: the sums of their numbers, and of the squares of these. totals, sizes: of each
    cluster the sum, and how many pairs; None where pairs are independent.
    """

    n: int
    total: int
    squares: int
    share: bool
    totals: Integers | None = None
    sizes: Integers | None = None


REFERENCE_VALUES = {
    "prefers_a": True,
    "length_a": False,
    "length_b": False,
    "length_preferred": False,
    "length_rejected": False,
    "prefers_longer": True,
}
"""Values of pairs given a reference -> whether the value is true or false of each pair; else it is a length."""


class VoteCounts(Protocol):
    """The counts of votes on a group of pairs."""

    @property
    def pair_count(self) -> int:
        """The number of pairs."""

    @property
    def empty_count(self) -> int:
        """The number of pairs that lack a text."""

    @property
    def clusters(self) -> Integers | None:
        """An index per pair, or None where pairs are independent."""

    def cells(self, column: str, other: str, states: pl.DataFrame) -> StateCells:
        """Cells of two columns of votes."""

    def matrix(self, columns: Sequence[str], states: pl.DataFrame, *, shared: bool) -> Iterator[StateCells]:
        """Cells of every ordered pair of columns, in kinds; see `counts.matrix_cells`."""

    def kinds(self, columns: Sequence[str], reference: str, states: pl.DataFrame) -> Iterator[PairedCells]:
        """Pairs of every two columns given the reference's votes; see `counts.kind_pairs`."""

    def reference_values(self, reference: str, ties: str) -> Mapping[str, ValueSums]:
        """Sums over the pairs on which the reference's vote is valid. ties: option `length_ties`."""

    def joint_counts(self, column: str, first: str, second: str) -> Integers:
        """The count of a vote with the votes of two references, at vote + BASE first + BASE² second."""

    def codes(self, column: str, other: str) -> Codes:
        """The codes of two columns as one, for each pair; only where the votes themselves are there."""


@dataclass(frozen=True, eq=False)
class InMemoryVoteCounts:
    """The votes themselves: columns of codes, lengths, and LONGER_VOTE. clusters: see Tally.

    counted: what was counted of two columns, which is little where pairs are independent, and kept there.
    """

    frame: pl.DataFrame
    clusters: Integers | None
    cell_cache: dict[tuple[str, str], Counts] = field(default_factory=dict)

    @property
    def pair_count(self) -> int:
        """See Tally."""
        return self.frame.height

    @property
    def empty_count(self) -> int:
        """See Tally."""
        return int(self.frame.select(pl.any_horizontal(pl.col(*LENGTHS) == 0).sum()).item())

    def cells(self, column: str, other: str, states: pl.DataFrame) -> StateCells:
        """See Tally."""
        counts = self.cell_cache.get((column, other)) or count_vote_pairs(self.frame, column, other, self.clusters)
        if self.clusters is None:
            self.cell_cache[column, other] = counts
        return StateCells(states, *counts)

    def matrix(self, columns: Sequence[str], states: pl.DataFrame, *, shared: bool) -> Iterator[StateCells]:
        """See Tally."""
        return matrix_cells(self.frame, columns, self.clusters, states, shared=shared)

    def kinds(self, columns: Sequence[str], reference: str, states: pl.DataFrame) -> Iterator[PairedCells]:
        """See Tally."""
        return kind_pairs(self.frame, columns, reference, self.clusters, states)

    def reference_values(self, reference: str, ties: str) -> Mapping[str, ValueSums]:
        """See Tally."""
        values, valid = self.values(reference, ties)
        of_pairs = None if self.clusters is None else self.clusters[valid.to_numpy()]
        return {values.name: _value_sums(values, of_pairs) for values in values}

    def values(self, reference: str, ties: str) -> tuple[pl.DataFrame, pl.Series]:
        """The values of `seen`, a row for each pair, and which pairs these are."""
        a, b, prefers_a = pl.col("length_a"), pl.col("length_b"), pl.col("vote") == CODE["text_a"]
        longer_b = b >= a if ties == "b" else b > a
        votes = self.frame.select(*LENGTHS, vote=reference)
        valid = votes["vote"].is_in(VALID)
        values = votes.filter(valid).select(
            prefers_a=prefers_a,
            length_a=a,
            length_b=b,
            length_preferred=pl.when(prefers_a).then(a).otherwise(b),
            length_rejected=pl.when(prefers_a).then(b).otherwise(a),
            prefers_longer=(prefers_a & (a > b)) | (~prefers_a & longer_b),
        )
        return values, valid

    def joint_counts(self, column: str, first: str, second: str) -> Integers:
        """See Tally."""
        codes = pair_codes(self.frame, column, first) + BASE**2 * self.frame[second].to_numpy().astype(np.uint16)
        return np.bincount(codes, minlength=BASE**3)

    def codes(self, column: str, other: str) -> Codes:
        """See Tally."""
        return pair_codes(self.frame, column, other)


@dataclass(frozen=True, eq=False)
class SwappedPairs:
    """Pairs in both orders. places: their positions among the pairs, in the columns first and second."""

    pairs: InMemoryVoteCounts
    places: pl.DataFrame

    def votes(self, column: str) -> tuple[pl.Expr, pl.Expr]:
        """A column's votes on both."""
        votes = self.pairs.frame[column]
        return pl.lit(votes.gather(self.places["first"])), pl.lit(votes.gather(self.places["second"]))

    @property
    def units(self) -> Integers:
        """The pair, or the cluster, that each belongs to."""
        first = self.places["first"].cast(pl.Int64).to_numpy()
        return first if self.pairs.clusters is None else self.pairs.clusters[first]


def sums_of(values: pl.Series) -> tuple[int, int, int]:
    """How many values there are, their sum, and that of their squares."""
    if values.dtype == pl.Boolean:
        return len(values), int(values.sum()), int(values.sum())
    numbers = values.cast(pl.Int64).to_numpy()
    return len(values), int(numbers.sum()), int(numbers @ numbers)


def _value_sums(values: pl.Series, clusters: Integers | None) -> ValueSums:
    sums = *sums_of(values), values.dtype == pl.Boolean
    if clusters is None:
        return ValueSums(*sums)
    numbers = values.cast(pl.Int64).to_numpy()
    totals, sizes = np.bincount(clusters, numbers).astype(np.int64), np.bincount(clusters)
    order = np.lexsort((sizes, totals))  # so that sums have one order, however clusters are numbered
    return ValueSums(*sums, totals[order], sizes[order])
