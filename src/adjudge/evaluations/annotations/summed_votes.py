"""Counts of independent pairs, file by file, and their sum as metrics read it."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations

import numpy as np
import polars as pl

from adjudge.evaluations.annotations.outcomes import LONGER_VOTE
from adjudge.evaluations.annotations.tables import PairGroup
from adjudge.evaluations.annotations.vote_counts import REFERENCE_VALUES, InMemoryVoteCounts, ValueSums, sums_of
from adjudge.evaluations.annotations.vote_pairs import (
    BASE,
    IN_MATRIX,
    IN_PAIRS,
    Codes,
    cells_of_products,
    kind_pair_counts,
    pair_products,
    pairs_of_kinds,
    vote_masks,
    vote_tables,
)
from adjudge.metrics.cells import COUNT, Integers, PairedCells, StateCells
from adjudge.schemas.pairs import Annotator

_TABLE, _PLACE = "table", "place"
_NOTHING = np.zeros(0, np.int64), np.zeros(0, np.int64)


def count_tables(
    groups: Sequence[PairGroup], votes: InMemoryVoteCounts, everyone: Sequence[Annotator], *, matrix: bool
) -> pl.DataFrame:
    """The counts of the same pairs with each reference: table, place in it, COUNT; a row for each that is not 0.

    matrix: whether every two annotators are compared too.
    """
    sums: dict[str, Integers] = {}
    for name, counts in _mask_tables(groups, votes, [one.column for one in everyone], matrix=matrix):
        sums[name] = sums[name] + counts if name in sums else counts
    tables = [("size", np.array([votes.pair_count, votes.empty_count])), *sums.items()]
    for first, second in combinations(groups, 2) if groups[0].options.matrix else ():
        for annotator in {*first.annotators} & {*second.annotators}:
            columns = annotator.column, first.reference.column, second.reference.column
            tables.append((_table_name("joint", *columns), votes.joint_counts(*columns)))
    for group in groups:
        values, _ = votes.values(group.reference.column, group.options.length_ties)
        tables.extend((_table_name("seen", group.reference.column, one.name), np.array(sums_of(one))) for one in values)
    flat = [counts.ravel() for _, counts in tables]
    places = [np.flatnonzero(counts) for counts in flat]
    names = pl.Series([name for name, _ in tables], dtype=pl.String)
    return pl.DataFrame(
        {
            _TABLE: names.gather(np.repeat(np.arange(len(tables)), [len(own) for own in places])),
            _PLACE: np.concatenate(places),
            COUNT: np.concatenate([own[at] for own, at in zip(flat, places, strict=True)]).astype(np.int64),
        }
    )


def _mask_tables(
    groups: Sequence[PairGroup], votes: InMemoryVoteCounts, columns: Sequence[str], *, matrix: bool
) -> Iterator[tuple[str, Integers]]:
    """The tables of the bits of some rows after the other."""
    every = [*dict.fromkeys([*columns, LONGER_VOTE, *(group.reference.column for group in groups)])]
    place = {column: number for number, column in enumerate(every)}
    beside = [(group.reference.column, [one.column for one in group.annotators]) for group in groups]
    for masks in vote_masks(votes.frame, every):
        for other_column, columns_beside in [(LONGER_VOTE, columns), *beside]:
            counts = vote_tables(masks, masks[place[other_column]])
            yield from (
                (_table_name("cells", column, other_column), counts[place[column]]) for column in columns_beside
            )
        for group, (reference, columns_beside) in zip(groups, beside, strict=True) if matrix else ():
            places = [place[column] for column in columns_beside]
            yield _table_name("kinds", reference), kind_pair_counts(masks, places, place[reference], group.states)
        if matrix:
            yield "matrix", pair_products(masks[: len(columns)], shared=groups[0].options.population == "shared")


def _table_name(*parts: str) -> str:
    return "\0".join(parts)


class SummedVoteCounts:
    """Counts of independent pairs from one file or many; see Tally for its methods."""

    clusters = None

    def __init__(self, counted: pl.DataFrame) -> None:
        parts = counted.partition_by(_TABLE, as_dict=True)
        self._tables = {name: (one[_PLACE].to_numpy(), one[COUNT].to_numpy()) for (name,), one in parts.items()}

    def _table(self, shape: tuple[int, ...], *name: str) -> Integers:
        sums = np.zeros(shape, dtype=np.int64)
        places, counts = self._tables.get(_table_name(*name), _NOTHING)
        sums.ravel()[places] = counts
        return sums

    @cached_property
    def pair_count(self) -> int:
        """See Tally."""
        return int(self._table((2,), "size")[0])

    @cached_property
    def empty_count(self) -> int:
        """See Tally."""
        return int(self._table((2,), "size")[1])

    def cells(self, column: str, other: str, states: pl.DataFrame) -> StateCells:
        """See Tally."""
        counts = self._table((BASE * BASE,), "cells", column, other)
        places = np.flatnonzero(counts)
        return StateCells(states, places, counts[places])

    def matrix(self, columns: Sequence[str], _: pl.DataFrame, *, shared: bool) -> Iterator[StateCells]:  # noqa: ARG002
        """See Tally."""
        return cells_of_products(self._table((len(columns) ** 2, IN_MATRIX), "matrix"))

    def kinds(self, columns: Sequence[str], reference: str, _: pl.DataFrame) -> Iterator[PairedCells]:
        """See Tally."""
        many = len(columns) * (len(columns) - 1) // 2
        return pairs_of_kinds(self._table((many, IN_PAIRS), "kinds", reference))

    def reference_values(self, reference: str, _: str) -> Mapping[str, ValueSums]:
        """See Tally."""
        values = {}
        for name, share in REFERENCE_VALUES.items():
            many, total, squares = self._table((3,), "seen", reference, name).tolist()
            values[name] = ValueSums(many, total, squares, share)
        return values

    def joint_counts(self, column: str, first: str, second: str) -> Integers:
        """See Tally."""
        return self._table((BASE**3,), "joint", column, first, second)

    def codes(self, column: str, other: str) -> Codes:
        """See Tally. Raises TypeError, since sums hold no pairs."""
        raise TypeError(f"the votes {column} and {other} of single pairs were counted, and are not there")
