"""Votes counted in pairs: how often an annotator votes so where the reference votes so. Sums can be split and merged.

Data sets are wide, a column per annotator, and stay so: 400 million votes as rows would not fit
into memory.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from karat.schemas.pairs import VALID, VOTES

Joint: TypeAlias = NDArray[np.int64]
"""Counts of pairs of votes: rows are the annotator's votes in the order of VOTES, columns the reference's."""

_THREADS = 4
_BASE = 8
_MANY = 1_000_000
_DENSE = 20
"""Cells per row up to which they are counted in place; more are sorted."""


@dataclass(frozen=True, slots=True)
class ClusterCells:
    """A joint table split by cluster, in long form. cluster: index from 0; vote, reference: codes; count: of pairs."""

    cluster: NDArray[np.int64]
    vote: NDArray[np.int64]
    reference: NDArray[np.int64]
    count: NDArray[np.int64]


def joint_counts(votes: pl.DataFrame, columns: Sequence[str], reference: str) -> list[Joint]:
    """The joint table of each column with the reference's. votes: UInt8 columns of codes.

    Of many pairs masks of bits are counted, a column per thread; of fewer, whose calls would take longer than
    their work, a histogram of both codes in one number is made.
    """
    if votes.height < _MANY:
        theirs = votes[reference].to_numpy() * np.uint8(_BASE)
        return [_histogram(votes[column].to_numpy() + theirs) for column in columns]
    masks = _masks(votes[reference])
    with ThreadPoolExecutor(_THREADS) as pool:
        return list(pool.map(lambda column: _joint(votes[column], masks), columns))


def _histogram(codes: NDArray[np.uint8]) -> Joint:
    """Counts of the codes vote + _BASE x reference, as a joint table."""
    size = len(VOTES)
    table: Joint = np.bincount(codes, minlength=_BASE * _BASE).reshape(_BASE, _BASE).T[:size, :size]
    return table


def _masks(votes: pl.Series) -> list[tuple[int, pl.Series]]:
    found = ((code, votes == code) for code in range(len(VOTES)))
    return [(code, mask) for code, mask in found if mask.any()]


def _joint(votes: pl.Series, reference: Sequence[tuple[int, pl.Series]]) -> Joint:
    table = np.zeros((len(VOTES), len(VOTES)), dtype=np.int64)
    for code, mask in _masks(votes):
        for other, theirs in reference:
            table[code, other] = (mask & theirs).sum()
    return table


def cluster_cells(votes: pl.DataFrame, column: str, reference: str, clusters: pl.Series) -> ClusterCells:
    """The joint table of a column with the reference's, split by cluster. clusters: an index per row."""
    codes = [votes[one].to_numpy().astype(np.int64) for one in (column, reference)]
    key = (clusters.to_numpy().astype(np.int64) * _BASE + codes[0]) * _BASE + codes[1]
    if key.max(initial=0) < _DENSE * len(key):
        counts = np.bincount(key)
        keys = np.flatnonzero(counts)
        count = counts[keys]
    else:
        keys, count = np.unique(key, return_counts=True)
    return ClusterCells(keys // _BASE**2, keys // _BASE % _BASE, keys % _BASE, count)


@dataclass(frozen=True, slots=True)
class Gram:
    """How often each two of K annotators vote alike: K x K counts.

    agree, compared: of pairs on which both votes are valid. valid: pairs on which the row's vote is valid and
    the column's is not missing. shared: pairs that both annotate.
    """

    agree: Joint
    compared: Joint
    valid: Joint
    shared: Joint


def gram(votes: pl.DataFrame, columns: Sequence[str]) -> Gram:
    """Counts for every two columns, as products of matrices of zeros and ones, in slices whose sums are exact."""
    size = len(columns)
    sums = [np.zeros((size, size), dtype=np.int64) for _ in range(4)]
    for part in votes.select(columns).iter_slices(_SLICE):
        codes = part.to_numpy()
        first, second = ((codes == code).astype(np.float32) for code in VALID)
        valid, given = first + second, (codes != 0).astype(np.float32)
        products = (first.T @ first + second.T @ second, valid.T @ valid, valid.T @ given, given.T @ given)
        sums = [total + product.astype(np.int64) for total, product in zip(sums, products, strict=True)]
    return Gram(*sums)


_SLICE = 1 << 17
"""Rows per slice: sums of so many ones are exact in single precision."""


def influence_products(
    votes: pl.DataFrame,
    columns: Sequence[str],
    reference: str,
    influence: Sequence[NDArray[np.float64]],
    clusters: pl.Series | None,
) -> NDArray[np.float64]:
    """Sums over items (clusters) of the products of every two annotators' influence values: K x K.

    influence: per annotator the value of each cell of its joint table. From these sums come the variances of
    all differences: of i less j it is [i, i] + [j, j] - 2 [i, j].
    """
    size = len(columns)
    index = None if clusters is None else clusters.to_numpy()
    sums = None if index is None else np.zeros((int(index.max(initial=0)) + 1, size))
    total = np.zeros((size, size))
    start = 0
    for part in votes.select([*columns, pl.col(reference).alias("")]).iter_slices(_SLICE):
        codes = part.to_numpy()
        values = np.stack([influence[k][codes[:, k], codes[:, -1]] for k in range(size)], axis=1)
        if sums is None or index is None:
            total += values.T @ values
        else:
            np.add.at(sums, index[start : start + len(codes)], values)
        start += len(codes)
    return total if sums is None else sums.T @ sums


@dataclass(frozen=True, slots=True)
class Sums:
    """A column of numbers summed: how many there are, their sum, and the sum of their squares."""

    n: int
    total: int
    squares: int


def sums_of(numbers: pl.Series, mask: pl.Series) -> Sums:
    """The sums of the numbers where the mask is true, exact."""
    chosen = numbers.filter(mask).cast(pl.UInt64)
    return Sums(len(chosen), int(chosen.sum()), int((chosen * chosen).sum()))
