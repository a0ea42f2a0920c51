"""Votes counted in pairs: how often an annotator votes so where the reference votes so. Sums can be split and merged.

Data sets are wide, a column per annotator, and stay so: 400 million votes as rows would not fit into memory. What is
counted here are the same cells that outcomes would give.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache, reduce
from itertools import combinations, product
from math import log2

import numpy as np
import polars as pl
from numpy.typing import NDArray

from adjudge.evaluations.annotations.metrics import LONGER, STATES, with_states
from adjudge.evaluations.annotations.outcomes import outcome_of, vote_word
from adjudge.metrics.cells import Integers, PairedCells, StateCells, distinct_places
from adjudge.schemas.pairs import CODE, NOT_GIVEN, VALID, VOTES

BASE = len(VOTES)
"""The pair of votes a and b is counted at a + BASE b."""

_DENSE = 20
"""Cells per row up to which they are counted in place; more are sorted."""

_WIDEST = 31
"""The most bits of two numbers that fit into one without overflow."""

_MANY = 200_000
"""Rows beyond which two are counted at once."""

Bits = NDArray[np.uint64]
"""Words of bits, one bit for each row, along the last axis; bits beyond the last row are 0."""

_WORD = 8
"""Bits of a byte, and bytes of a word."""

_MOST_WORDS = (1 << 10) - 1
"""Words whose bits are counted at once: the counts of more would not fit into 16 bits, which is fastest."""

Codes = NDArray[np.uint8]
Counts = tuple[Integers, Integers, Integers | None]


@lru_cache
def states_of(population: str, labels: str, *, beside_longer: bool = False) -> pl.DataFrame:
    """The states of pairs of votes: the annotator's vote a with another vote b at row a + BASE b.

    beside_longer: whether b is the vote for the longer text, and not the reference's.
    """
    codes = pl.DataFrame({"a": [*range(BASE)] * BASE, "b": [code for code in range(BASE) for _ in range(BASE)]})
    vote, other, null = pl.col("a"), pl.col("b"), pl.lit(None, pl.String)
    texts = codes.select(
        vote_word(vote).alias("label"),
        (null if beside_longer else vote_word(other)).alias("reference_label"),
        (null if beside_longer else outcome_of(vote, other)).alias("outcome"),
        (vote_word(other) if beside_longer else null).alias(LONGER),
    )
    return texts.select(STATES).with_columns(with_states(population, labels))


def count_vote_pairs(votes: pl.DataFrame, column: str, other: str, clusters: Integers | None) -> Counts:
    """The cells of two columns of votes, independent of states: places, counts, units.

    clusters: an index per row, or None where rows are independent.
    """
    return _count_codes(pair_codes(votes, column, other), BASE * BASE, clusters)


def pair_codes(votes: pl.DataFrame, column: str, other: str) -> Codes:
    """The codes of two columns as one code, a + BASE b."""
    codes: Codes = votes[column].to_numpy() + np.uint8(BASE) * votes[other].to_numpy()
    return codes


def _count_codes(codes: Codes, size: int, clusters: Integers | None) -> Counts:
    """The codes that occur, by cluster; the count of each; the clusters."""
    if clusters is None:
        even = len(codes) // 2 * 2 if len(codes) > _MANY else 0
        counts = np.bincount(codes[even:], minlength=1 << 8)
        if even:  # two codes at a time, which halves the work
            twos = np.bincount(codes[:even].view(np.uint16), minlength=1 << 16).reshape(1 << 8, 1 << 8)
            counts += twos.sum(axis=0) + twos.sum(axis=1)
        places = np.flatnonzero(counts)
        return places, counts[places], None
    keys = clusters * size + codes
    if keys.max(initial=0) < _DENSE * len(keys):
        counts = np.bincount(keys, minlength=1)
        places = np.flatnonzero(counts)
        counts = counts[places]
    else:
        places, counts = np.unique(keys, return_counts=True)
    return places % size, counts, places // size


# --- every two annotators ---

_KINDS = pl.DataFrame(
    {
        "two_agree": [True, False, False, False, False],
        "two_compared": [True, True, False, False, False],
        "own": [True, True, True, False, False],
        "population": [True, True, True, True, False],
        "outcome": [None, None, None, None, "missing"],
    }
)
"""What kappa and strength read of a pair of votes: far fewer states than there are pairs of votes."""

_POPULATION = 4
"""The kinds that belong to the population."""

IN_MATRIX, IN_PAIRS = _POPULATION, _KINDS.height**2
"""How many counts `pair_products` gives for each two columns, and `kind_pair_counts` for each two annotators."""

_GIVEN = np.array([code not in NOT_GIVEN for code in range(len(VOTES))])
"""Whether each code is that of a vote that an annotator gives."""

_HELD = 1 << 28
"""Bits that are held at once, unless those that are counted at once are more."""


def vote_masks(votes: pl.DataFrame, columns: Sequence[str]) -> Iterator[Bits]:
    """Which rows hold each code in each column (columns x BASE x words), some rows at a time.

    So few words that those of 40 annotators stay in the cache of a core.
    """
    counted = 64 * _MOST_WORDS
    for part in votes.select(columns).iter_slices(max(1, _HELD // (BASE * len(columns) * counted)) * counted):
        every = _bitmasks([column.to_numpy() for column in part], BASE)
        for start in range(0, every.shape[2], _MOST_WORDS):
            yield every[:, :, start : start + _MOST_WORDS]


def _bitmasks(columns: Sequence[NDArray[np.uint8]], code_count: int) -> Bits:
    """The rows that hold each code in each column (columns x codes x words). All columns have the same length."""
    length = -(-len(columns[0]) // _WORD)
    masks = np.zeros((len(columns), code_count, -(-length // _WORD) * _WORD), np.uint8)
    words = masks.view(np.uint64)
    for place, column in enumerate(columns):
        left = len(column)
        for code in range(code_count):
            masks[place, code, :length] = np.packbits(column == code)
            left -= int(np.bitwise_count(words[place, code]).sum())
            if not left:  # most columns hold the first few codes alone
                break
    return words


def _cross_counts(first: Bits, second: Bits) -> NDArray[np.int64]:
    """The number of rows that each of the first masks has in common with each of the second."""
    return np.array([_count_bits(mask & second) for mask in first], np.int64).reshape(len(first), len(second))


def _pairwise_counts(masks: Bits) -> NDArray[np.int64]:
    """The number of rows that every two masks have in common; each two are counted once."""
    counts = np.zeros((len(masks), len(masks)), np.int64)
    for place, mask in enumerate(masks):
        counts[place, place:] = counts[place:, place] = _count_bits(mask & masks[place:])
    return counts


def _count_bits(words: Bits) -> NDArray[np.int64]:
    """The number of bits in each row of words."""
    counts: NDArray[np.int64] = np.bitwise_count(words).sum(axis=1, dtype=np.uint16).astype(np.int64)
    return counts


def vote_tables(masks: Bits, other: Bits) -> Integers:
    """The count of rows with vote a in a column and b in the other, at [column, a + BASE b]. other: BASE x words."""
    tables = np.zeros((len(masks), BASE, BASE), dtype=np.int64)
    columns, others = np.flatnonzero(masks.any(axis=(0, 2))), np.flatnonzero(other.any(axis=1))
    counts = _cross_counts(other[others], masks[:, columns].reshape(-1, masks.shape[2]))
    tables[:, others[:, np.newaxis], columns] = counts.reshape(len(others), len(masks), len(columns)).swapaxes(0, 1)
    return tables.reshape(len(masks), BASE * BASE)


def kinds_of(votes: pl.DataFrame, column: str, reference: str, states: pl.DataFrame) -> Codes:
    """The index in _KINDS of each row's vote, given the reference's vote."""
    kinds: Codes = _kinds_by_codes(states)[pair_codes(votes, column, reference)]
    return kinds


def _kinds_by_codes(states: pl.DataFrame) -> Codes:
    """The index in _KINDS of vote a given the reference's vote b, at a + BASE b."""
    agree, compared, valid, population = (states[name].to_numpy() for name in _KINDS.columns[:_POPULATION])
    kinds = [agree, compared, valid & population, population]
    return np.select(kinds, range(_POPULATION), _POPULATION).astype(np.uint8)


def kind_pairs(
    votes: pl.DataFrame, columns: Sequence[str], reference: str, clusters: Integers | None, states: pl.DataFrame
) -> Iterator[PairedCells]:
    """Pairs of every two columns by the kinds of their votes given the reference's, in the order of combinations."""
    if clusters is None:
        all_columns = [*dict.fromkeys([*columns, reference])]  # one that is asked for may be the reference
        places, masks = [*range(len(columns))], vote_masks(votes, all_columns)
        reference_place = all_columns.index(reference)
        tables = (kind_pair_counts(one, places, reference_place, states) for one in masks)
        yield from pairs_of_kinds(reduce(np.add, tables))
        return
    size = _KINDS.height
    for first, second in combinations([kinds_of(votes, one, reference, states) for one in columns], 2):
        place, counts, units, alike = _count_compositions(first + np.uint8(size) * second, size * size, clusters)
        yield PairedCells(_KINDS, place % size, place // size, counts, units, alike)


def pairs_of_kinds(together: Integers) -> Iterator[PairedCells]:
    """Pairs of every two annotators. together: see `kind_pair_counts`."""
    for counts in together:
        place = np.flatnonzero(counts)
        yield PairedCells(_KINDS, place % _KINDS.height, place // _KINDS.height, counts[place])


def kind_pair_counts(masks: Bits, columns: Sequence[int], reference: int, states: pl.DataFrame) -> Integers:
    """The count of rows with the kinds a and b, at a + size b, for every two columns.

    masks: see `vote_masks`. columns, reference: places in it. Each row is of one kind, so that the last kind stands
    wherever none of the others does.
    """
    size, column_count, rows = _KINDS.height, len(columns), int(np.bitwise_count(masks[reference]).sum())
    last = size - 1
    sums = np.zeros((size, size, column_count, column_count), dtype=np.int64)
    kinds, occurring = _kinds_by_codes(states).reshape(BASE, BASE), masks.any(axis=(0, 2))
    kind_masks: dict[int, Bits] = {}
    for kind in range(_POPULATION):
        mask = np.zeros((column_count, masks.shape[2]), np.uint64)
        for reference_code in np.flatnonzero(masks[reference].any(axis=1)):
            for code in np.flatnonzero(occurring & (kinds[reference_code] == kind)):
                mask |= masks[columns, code] & masks[reference, reference_code]
        if mask.any():
            kind_masks[kind], sums[kind, kind] = mask, _pairwise_counts(mask)
    for first_kind, next_kind in combinations(kind_masks, 2):
        sums[next_kind, first_kind] = _cross_counts(kind_masks[first_kind], kind_masks[next_kind])
        sums[first_kind, next_kind] = sums[next_kind, first_kind].T
    for kind in kind_masks:
        total = np.diagonal(sums[kind, kind])
        sums[last, kind] = total[:, np.newaxis] - sums[:last, kind].sum(axis=0)
        sums[kind, last] = sums[last, kind].T
    sums[last, last] = rows - sums.sum(axis=(0, 1))
    pairs = np.triu_indices(column_count, 1)
    counts: Integers = sums.reshape(size * size, column_count, column_count)[:, *pairs].T
    return counts


def _count_compositions(
    codes: Codes, size: int, clusters: Integers | None
) -> tuple[Integers, Integers, Integers | None, Integers | None]:
    """Counts as of `_counted`, with clusters of equal counts merged into one, and the number of clusters merged.

    Most clusters are small and few codes are possible, so that far fewer are left.
    """
    if clusters is None or (int(clusters.max(initial=-1)) + 1) * size <= len(codes):
        return *_count_codes(codes, size, clusters), None
    base = int(np.bincount(clusters).max(initial=0)) + 1
    digits, compositions = max(1, int(_WIDEST / log2(base))), []
    for first in range(0, size, digits):  # several counts of a cluster as the digits of one number
        digit_values = np.zeros(size)
        digit_values[first : first + digits] = float(base) ** np.arange(len(digit_values[first : first + digits]))
        compositions.append(np.bincount(clusters, digit_values[codes]).astype(np.int64))
    places, alike = distinct_places(compositions)
    number = np.full(int(clusters.max(initial=-1)) + 1, -1)
    number[places] = np.arange(len(places))
    of_rows = number[clusters]
    rows = of_rows >= 0
    kept_codes, counts, units = _count_codes(codes[rows], size, of_rows[rows])
    return kept_codes, counts * alike[units], units, alike


def matrix_cells(
    votes: pl.DataFrame, columns: Sequence[str], clusters: Integers | None, states: pl.DataFrame, *, shared: bool
) -> Iterator[StateCells]:
    """Cells of every ordered pair of columns, in kinds. shared: whether it counts pairs that both annotate."""
    if clusters is None:
        products = (pair_products(masks, shared=shared) for masks in vote_masks(votes, columns))
        yield from cells_of_products(reduce(np.add, products))
        return
    for column, other in product(columns, repeat=2):
        place, counts, units, alike = _count_compositions(
            kinds_of(votes, column, other, states), _KINDS.height, clusters
        )
        yield StateCells(_KINDS, place, counts, units, multiplicity=alike)


def cells_of_products(counts: Integers) -> Iterator[StateCells]:
    """Cells of every ordered pair of columns. counts: see `pair_products`."""
    return (StateCells(_KINDS, np.arange(_POPULATION), one) for one in counts)


def pair_products(masks: Bits, *, shared: bool) -> Integers:
    """Counts of each kind but the last for every ordered pair of columns. masks: see `vote_masks`."""
    first, second, nothing = (masks[:, code] for code in (*VALID, CODE["not_applicable"]))
    valid, given = first | second, reduce(np.bitwise_or, (masks[:, code] for code in np.flatnonzero(_GIVEN)))
    applies = given & ~nothing  # of a reference: its vote leaves the pair in the population
    agree, both = _pairwise_counts(first) + _pairwise_counts(second), _pairwise_counts(valid)
    of_population = (
        (_cross_counts(valid, applies), _cross_counts(given, applies)) if shared else (both, np.diagonal(both))
    )
    sums = np.stack([agree, both, *np.broadcast_arrays(*of_population)])
    return np.diff(sums, axis=0, prepend=0).reshape(_POPULATION, -1).T
