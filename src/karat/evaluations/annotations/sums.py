"""Counts of independent pairs, file by file, and their sum as metrics read it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations

import numpy as np
import polars as pl

from karat.evaluations.annotations.counts import (
    BASE,
    IN_MATRIX,
    IN_PAIRS,
    Codes,
    cells_of_products,
    kinds_together,
    masks_of,
    pairs_of_kinds,
    products,
    tables_of,
)
from karat.evaluations.annotations.outcomes import LONGER_VOTE
from karat.evaluations.annotations.tables import Group
from karat.evaluations.annotations.tally import SEEN, Values, Votes, sums_of
from karat.figures.cells import COUNT, Cells, Integers, Pairs
from karat.schemas.pairs import Annotator

_TABLE, _PLACE = "table", "place"
_NOTHING = np.zeros(0, np.int64), np.zeros(0, np.int64)


def counted(groups: Sequence[Group], votes: Votes, everyone: Sequence[Annotator], *, matrix: bool) -> pl.DataFrame:
    """The counts of the same pairs with each reference: table, place in it, COUNT.

    matrix: whether every two annotators are compared too.
    """
    tables = [*_tables(groups, votes, everyone, matrix=matrix)]
    for group in groups:
        values, _ = votes.values(group.reference.column, group.options["length_ties"])
        tables.extend((_name("seen", group.reference.column, one.name), np.array(sums_of(one))) for one in values)
    return _as_rows(tables)


def _tables(
    groups: Sequence[Group], votes: Votes, everyone: Sequence[Annotator], *, matrix: bool
) -> Iterator[tuple[str, Integers]]:
    yield "size", np.array([votes.pairs, votes.empty])
    yield from _added(_of_bits(groups, votes, [one.column for one in everyone], matrix=matrix))
    for first, second in combinations(groups, 2) if groups[0].options["matrix"] else ():
        for annotator in {*first.annotators} & {*second.annotators}:
            names = annotator.column, first.reference.column, second.reference.column
            yield _name("joint", *names), votes.joint(*names)


def _of_bits(
    groups: Sequence[Group], votes: Votes, columns: Sequence[str], *, matrix: bool
) -> Iterator[tuple[str, Integers]]:
    """The tables of the bits of some rows after the other."""
    every = [*dict.fromkeys([*columns, LONGER_VOTE, *(group.reference.column for group in groups)])]
    place = {column: number for number, column in enumerate(every)}
    beside = [(group.reference.column, [one.column for one in group.annotators]) for group in groups]
    for masks in masks_of(votes.frame, every):
        for other_column, columns_beside in [(LONGER_VOTE, columns), *beside]:
            counts = tables_of(masks, masks[place[other_column]])
            yield from ((_name("cells", column, other_column), counts[place[column]]) for column in columns_beside)
        for group, (reference, columns_beside) in zip(groups, beside, strict=True) if matrix else ():
            places = [place[column] for column in columns_beside]
            yield _name("kinds", reference), kinds_together(masks, places, place[reference], group.states)
        if matrix:
            yield "matrix", products(masks[: len(columns)], shared=groups[0].options["population"] == "shared")


def _added(tables: Iterable[tuple[str, Integers]]) -> Iterator[tuple[str, Integers]]:
    """The sum of the tables of each name."""
    sums: dict[str, Integers] = {}
    for name, counts in tables:
        if name in sums:
            sums[name] += counts
        else:
            sums[name] = counts
    yield from sums.items()


def _name(*parts: str) -> str:
    return "\0".join(parts)


def _as_rows(tables: Sequence[tuple[str, Integers]]) -> pl.DataFrame:
    """A row for each count that is not 0, of all tables."""
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


class Sums:
    """Counts of independent pairs from one file or many; see Tally for its methods."""

    clusters = None

    def __init__(self, counted: pl.DataFrame) -> None:
        parts = counted.partition_by(_TABLE, as_dict=True)
        self._tables = {name: (one[_PLACE].to_numpy(), one[COUNT].to_numpy()) for (name,), one in parts.items()}

    def _sums(self, shape: tuple[int, ...], *name: str) -> Integers:
        sums = np.zeros(shape, dtype=np.int64)
        places, counts = self._tables.get(_name(*name), _NOTHING)
        sums.ravel()[places] = counts
        return sums

    @cached_property
    def pairs(self) -> int:
        """See Tally."""
        return int(self._sums((2,), "size")[0])

    @cached_property
    def empty(self) -> int:
        """See Tally."""
        return int(self._sums((2,), "size")[1])

    def cells(self, column: str, other: str, states: pl.DataFrame) -> Cells:
        """See Tally."""
        counts = self._sums((BASE * BASE,), "cells", column, other)
        places = np.flatnonzero(counts)
        return Cells(states, places, counts[places])

    def matrix(self, columns: Sequence[str], _: pl.DataFrame, *, shared: bool) -> Iterator[Cells]:  # noqa: ARG002
        """See Tally."""
        return cells_of_products(self._sums((len(columns) ** 2, IN_MATRIX), "matrix"))

    def kinds(self, columns: Sequence[str], reference: str, _: pl.DataFrame) -> Iterator[Pairs]:
        """See Tally."""
        many = len(columns) * (len(columns) - 1) // 2
        return pairs_of_kinds(self._sums((many, IN_PAIRS), "kinds", reference))

    def seen(self, reference: str, _: str) -> Mapping[str, Values]:
        """See Tally."""
        return {name: self._values(_name("seen", reference, name), share=share) for name, share in SEEN.items()}

    def _values(self, table: str, *, share: bool) -> Values:
        many, total, squares = (int(one) for one in self._sums((3,), table))
        return Values(many, total, squares, share)

    def joint(self, column: str, first: str, second: str) -> Integers:
        """See Tally."""
        return self._sums((BASE**3,), "joint", column, first, second)

    def codes(self, column: str, other: str) -> Codes:
        """See Tally. Raises TypeError, since sums hold no pairs."""
        raise TypeError(f"the votes {column} and {other} of single pairs were counted, and are not there")
