"""Votes counted in pairs: how often an annotator votes so where the reference votes so. Sums can be split and merged.

Data sets are wide, a column per annotator, and stay so: 400 million votes as rows would not fit into memory. What is
counted here are the same cells that outcomes would give.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from karat.evaluations.annotations.figures import LONGER, STATES, with_states
from karat.evaluations.annotations.outcomes import outcome_of, word
from karat.figures.cells import Cells, Integers, Pairs
from karat.schemas.pairs import CODE, VALID, VOTES

Joint: TypeAlias = NDArray[np.int64]
"""Counts of pairs of votes: rows are the annotator's votes in the order of VOTES, columns the reference's."""

_THREADS = 4
_BASE = 8
_MANY = 1_000_000
_DENSE = 20
"""Cells per row up to which they are counted in place; more are sorted."""


@lru_cache
def states_of(population: str, labels: str, *, beside_longer: bool = False) -> pl.DataFrame:
    """The states of pairs of votes, that of an annotator's vote a beside a vote b at row a + _BASE b.

    beside_longer: whether b is the vote for the longer text, and not the reference's.
    """
    codes = pl.DataFrame({"a": [*range(_BASE)] * _BASE, "b": [code for code in range(_BASE) for _ in range(_BASE)]})
    ours, theirs, nothing = pl.col("a"), pl.col("b"), pl.lit(None, pl.String)
    texts = codes.select(
        word(ours).alias("label"),
        (nothing if beside_longer else word(theirs)).alias("reference_label"),
        (nothing if beside_longer else outcome_of(ours, theirs)).alias("outcome"),
        (word(theirs) if beside_longer else nothing).alias(LONGER),
    )
    return texts.select(STATES).with_columns(with_states({"population": population, "labels": labels}))


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


def joint_cells(joint: Joint, states: pl.DataFrame) -> Cells:
    """A joint table as cells."""
    vote, other = np.nonzero(joint)
    return Cells(states, (vote + _BASE * other).astype(np.int64), joint[vote, other])


def cluster_cells(votes: pl.DataFrame, column: str, other: str, clusters: Integers, states: pl.DataFrame) -> Cells:
    """Cells of a column of votes beside another, by cluster. clusters: an index per row."""
    codes = votes[column].to_numpy() + np.uint8(_BASE) * votes[other].to_numpy()
    place, units, counts = _counted(codes.astype(np.int64), _BASE * _BASE, clusters)
    return Cells(states, place, counts, units)


def vote_pairs(
    votes: pl.DataFrame, first: str, second: str, reference: str, clusters: Integers | None, states: pl.DataFrame
) -> Pairs:
    """Pairs of two columns of votes beside the reference's."""
    one, other, trusted = (votes[name].to_numpy() for name in (first, second, reference))
    codes = one.astype(np.int64) + _BASE * (other.astype(np.int64) + _BASE * trusted.astype(np.int64))
    place, units, counts = _counted(codes, _BASE**3, clusters)
    one, rest = place % _BASE, place // _BASE
    theirs = _BASE * (rest // _BASE)
    return Pairs(states, one + theirs, rest % _BASE + theirs, counts, units)


def _counted(codes: Integers, size: int, clusters: Integers | None) -> tuple[Integers, Integers | None, Integers]:
    """The codes that stand there, by cluster, and how often each does."""
    if clusters is None:
        counts = np.bincount(codes, minlength=size)
        held = np.flatnonzero(counts)
        return held, None, counts[held]
    keys = clusters * size + codes
    if keys.max(initial=0) < _DENSE * len(keys):
        counts = np.bincount(keys)
        held = np.flatnonzero(counts)
        counts = counts[held]
    else:
        held, counts = np.unique(keys, return_counts=True)
    return held % size, held // size, counts


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
        valid, given = first + second, (codes != CODE["missing"]).astype(np.float32)
        products = (first.T @ first + second.T @ second, valid.T @ valid, valid.T @ given, given.T @ given)
        sums = [total + product.astype(np.int64) for total, product in zip(sums, products, strict=True)]
    return Gram(*sums)


_SLICE = 1 << 17
"""Rows per slice: sums of so many ones are exact in single precision."""

_KINDS = pl.DataFrame(
    {
        "two_agree": [True, False, False, False],
        "two_compared": [True, True, False, False],
        "own": [True, True, True, False],
        "population": [True] * 4,
    }
)
"""What pairs of two annotators come to, without their votes."""


def gram_cells(counted: Gram, i: int, j: int, *, shared: bool) -> Cells:
    """Cells of the i-th annotator beside the j-th. shared: whether the population are pairs that both annotate."""
    agree, compared = int(counted.agree[i, j]), int(counted.compared[i, j])
    valid, n = int(counted.valid[i, j]), int(counted.shared[i, j])
    if not shared:
        valid, n = compared, int(counted.compared[j, j])
    counts = np.array([agree, compared - agree, valid - compared, n - valid], dtype=np.int64)
    return Cells(_KINDS, np.arange(len(counts)), counts)
