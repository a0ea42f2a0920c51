"""Counts of votes that metrics read: made of votes in memory, or summed over files.

Sums of independent pairs are small and can be added. Where pairs are clustered, a cluster may have pairs in several
files, so that the codes of votes are gathered instead, a byte each.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import polars as pl

from karat.evaluations.annotations.counts import (
    BASE,
    Codes,
    Counts,
    kind_pairs,
    matrix_cells,
    together,
    vote_counts,
)
from karat.figures.cells import Cells, Integers, Pairs
from karat.schemas.pairs import CODE, LENGTHS, VALID


@dataclass(frozen=True, eq=False)
class Values:
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


SEEN = {
    "prefers_a": True,
    "length_a": False,
    "length_b": False,
    "length_preferred": False,
    "length_rejected": False,
    "prefers_longer": True,
}
"""Values of pairs given a reference -> whether the value is true or false of each pair; else it is a length."""


class Tally(Protocol):
    """The counts of votes on a group of pairs."""

    @property
    def pairs(self) -> int:
        """The number of pairs."""

    @property
    def empty(self) -> int:
        """The number of pairs that lack a text."""

    @property
    def clusters(self) -> Integers | None:
        """An index per pair, or None where pairs are independent."""

    def cells(self, column: str, other: str, states: pl.DataFrame) -> Cells:
        """Cells of two columns of votes."""

    def matrix(self, columns: Sequence[str], states: pl.DataFrame, *, shared: bool) -> Iterator[Cells]:
        """Cells of every ordered pair of columns, in kinds; see `counts.matrix_cells`."""

    def kinds(self, columns: Sequence[str], reference: str, states: pl.DataFrame) -> Iterator[Pairs]:
        """Pairs of every two columns given the reference's votes; see `counts.kind_pairs`."""

    def seen(self, reference: str, ties: str) -> Mapping[str, Values]:
        """Sums over the pairs on which the reference's vote is valid. ties: option `length_ties`."""

    def joint(self, column: str, first: str, second: str) -> Integers:
        """The count of a vote with the votes of two references, at vote + BASE first + BASE² second."""

    def codes(self, column: str, other: str) -> Codes:
        """The codes of two columns as one, for each pair; only where the votes themselves are there."""


@dataclass(frozen=True, eq=False)
class Votes:
    """The votes themselves: columns of codes, lengths, and LONGER_VOTE. clusters: see Tally.

    counted: what was counted of two columns, which is little where pairs are independent, and kept there.
    """

    frame: pl.DataFrame
    clusters: Integers | None
    counted: dict[tuple[str, str], Counts] = field(default_factory=dict)

    @property
    def pairs(self) -> int:
        """See Tally."""
        return self.frame.height

    @property
    def empty(self) -> int:
        """See Tally."""
        return int(self.frame.select(pl.any_horizontal(pl.col(*LENGTHS) == 0).sum()).item())

    def cells(self, column: str, other: str, states: pl.DataFrame) -> Cells:
        """See Tally."""
        counts = self.counted.get((column, other)) or vote_counts(self.frame, column, other, self.clusters)
        if self.clusters is None:
            self.counted[column, other] = counts
        return Cells(states, *counts)

    def matrix(self, columns: Sequence[str], states: pl.DataFrame, *, shared: bool) -> Iterator[Cells]:
        """See Tally."""
        return matrix_cells(self.frame, columns, self.clusters, states, shared=shared)

    def kinds(self, columns: Sequence[str], reference: str, states: pl.DataFrame) -> Iterator[Pairs]:
        """See Tally."""
        return kind_pairs(self.frame, columns, reference, self.clusters, states)

    def seen(self, reference: str, ties: str) -> Mapping[str, Values]:
        """See Tally."""
        values, valid = self.values(reference, ties)
        of_pairs = None if self.clusters is None else self.clusters[valid.to_numpy()]
        return {values.name: _values(values, of_pairs) for values in values}

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

    def joint(self, column: str, first: str, second: str) -> Integers:
        """See Tally."""
        codes = together(self.frame, column, first) + BASE**2 * self.frame[second].to_numpy().astype(np.uint16)
        return np.bincount(codes, minlength=BASE**3)

    def codes(self, column: str, other: str) -> Codes:
        """See Tally."""
        return together(self.frame, column, other)


@dataclass(frozen=True, eq=False)
class Swaps:
    """Pairs in both orders. places: their positions among the pairs, in the columns first and second."""

    pairs: Votes
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


def _values(values: pl.Series, clusters: Integers | None) -> Values:
    sums = *sums_of(values), values.dtype == pl.Boolean
    if clusters is None:
        return Values(*sums)
    numbers = values.cast(pl.Int64).to_numpy()
    totals, sizes = np.bincount(clusters, numbers).astype(np.int64), np.bincount(clusters)
    order = np.lexsort((sizes, totals))  # so that sums have one order, however clusters are numbered
    return Values(*sums, totals[order], sizes[order])
