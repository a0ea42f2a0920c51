"""Counts of votes that metrics read.

Sums of independent pairs are small and can be added, over groups and over files. Where pairs are clustered, a cluster
may have pairs in several files, so that the codes of votes are gathered instead, a byte each.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import combinations, product

import numpy as np
import polars as pl
from numpy.typing import NDArray

from adjudge.evaluations.annotations.metrics import LONGER, PAIR_VALUES, STATES, with_states
from adjudge.evaluations.annotations.options import AnnotationsOptions
from adjudge.evaluations.annotations.outcomes import LONGER_VOTE, outcome_of, vote_word
from adjudge.metrics.cells import COUNT, Integers, PairedCells, StateCells
from adjudge.schemas.pairs import CODE, LENGTHS, NOT_GIVEN, VALID, VOTES, PeersByAnnotator

BASE = len(VOTES)
"""The pair of votes a and b is counted at a + BASE b."""

_DENSE = 20
"""Cells per row up to which they are counted in place; more are sorted."""


Bits = NDArray[np.uint64]
"""Words of bits, one bit for each row, along the last axis; bits beyond the last row are 0."""

_WORD = 8
"""Bits of a byte, and bytes of a word."""

_MOST_WORDS = (1 << 10) - 1
"""Words whose bits are counted at once: the counts of more would not fit into 16 bits, which is fastest."""

Codes = NDArray[np.uint8]
Counts = tuple[Integers, Integers, Integers]


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


def pair_codes(votes: pl.DataFrame, column: str, other: str) -> Codes:
    """The codes of two columns as one code, a + BASE b."""
    codes: Codes = votes[column].to_numpy() + np.uint8(BASE) * votes[other].to_numpy()
    return codes


def _count_codes(codes: Codes, size: int, clusters: Integers) -> Counts:
    """The codes that occur, by cluster; the count of each; the clusters."""
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


_TABLE, _PLACE = "table", "place"
_NOTHING = np.zeros(0, np.int64), np.zeros(0, np.int64)
MOST_COMPARED = 40
"""With more annotators than this, `matrix` and `differences` leave out comparisons of single annotators."""


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


def count_votes(
    votes: pl.DataFrame, beside: PeersByAnnotator, options: AnnotationsOptions, *, matrix: bool
) -> pl.DataFrame:
    """The sums of independent pairs: table, place in it, COUNT; a row for each that is not 0.

    beside: the references, each with the annotators to compare with it. matrix: whether every two are compared too.
    """
    sums: dict[str, Integers] = {"size": np.array([votes.height, _empty_count(votes)])}
    for name, counts in _mask_tables(votes, beside, options, matrix=matrix):
        sums[name] = sums[name] + counts if name in sums else counts
    compared = combinations(beside, 2) if options.matrix and len(beside) <= MOST_COMPARED else ()
    for first, second in compared:
        for annotator in {*beside[first]} & {*beside[second]}:
            columns = annotator.column, first.column, second.column
            codes = pair_codes(votes, *columns[:2]) + BASE**2 * votes[columns[2]].to_numpy().astype(np.uint16)
            sums[_table_name("joint", *columns)] = np.bincount(codes, minlength=BASE**3)
    for reference in beside:
        values, _ = _reference_values(votes, reference.column)
        sums |= {_table_name("seen", reference.column, one.name): np.array(_sums_of(one)) for one in values}
    places = [np.flatnonzero(counts) for counts in sums.values()]
    occurring_counts = [table.ravel()[occurring] for table, occurring in zip(sums.values(), places, strict=True)]
    names = pl.Series([*sums], dtype=pl.String)
    return pl.DataFrame(
        {
            _TABLE: names.gather(np.repeat(np.arange(len(sums)), [len(occurring) for occurring in places])),
            _PLACE: np.concatenate(places),
            COUNT: np.concatenate(occurring_counts).astype(np.int64),
        }
    )


def _mask_tables(
    votes: pl.DataFrame, beside: PeersByAnnotator, options: AnnotationsOptions, *, matrix: bool
) -> Iterator[tuple[str, Integers]]:
    """The tables of the bits of some rows after the other."""
    columns_beside = {reference.column: [one.column for one in others] for reference, others in beside.items()}
    columns = [*dict.fromkeys([*columns_beside, *(one for others in columns_beside.values() for one in others)])]
    place = {column: number for number, column in enumerate(dict.fromkeys([*columns, LONGER_VOTE]))}
    states = states_of(options.population, options.labels)
    for masks in vote_masks(votes, [*place]):
        for other, compared in [(LONGER_VOTE, columns), *columns_beside.items()]:
            counts = vote_tables(masks, masks[place[other]])
            yield from ((_table_name("cells", column, other), counts[place[column]]) for column in compared)
        if matrix:
            for reference, compared in columns_beside.items():
                places = [place[column] for column in compared]
                yield _table_name("kinds", reference), kind_pair_counts(masks, places, place[reference], states)
            yield "matrix", pair_products(masks[: len(columns)], shared=options.population == "shared")


def _table_name(*parts: str) -> str:
    return "\0".join(parts)


def _empty_count(votes: pl.DataFrame) -> int:
    return int(votes.select(pl.any_horizontal(pl.col(*LENGTHS) == 0).sum()).item())


class VoteCounts:
    """The counts of votes on a group of independent pairs. sums: as `count_votes` has them, of one file or of many.

    pair_count: how many pairs. empty_count: those that lack a text. clusters: an index per pair, or None where pairs
    are independent.
    """

    clusters: Integers | None = None

    def __init__(self, sums: pl.DataFrame) -> None:
        ordered = sums.sort(_TABLE)
        lengths, names = ordered[_TABLE].rle().struct.unnest()
        ends = lengths.cum_sum().to_numpy()[:-1]
        places, counts = (np.split(ordered[column].to_numpy(), ends) for column in (_PLACE, COUNT))
        self._tables = dict(zip(names, zip(places, counts, strict=True), strict=True))
        self.pair_count, self.empty_count = self._table((2,), "size").tolist()

    def _table(self, shape: tuple[int, ...], *name: str) -> Integers:
        sums = np.zeros(shape, dtype=np.int64)
        places, counts = self._tables.get(_table_name(*name), _NOTHING)
        sums.ravel()[places] = counts
        return sums

    def cells(self, column: str, other: str, states: pl.DataFrame) -> StateCells:
        """Cells of two columns of votes."""
        counts = self._table((BASE * BASE,), "cells", column, other)
        places = np.flatnonzero(counts)
        return StateCells(states, places, counts[places])

    def matrix(self, columns: Sequence[str], states: pl.DataFrame) -> Iterator[StateCells]:  # noqa: ARG002
        """Cells of every ordered pair of columns, in kinds."""
        counts = self._table((len(columns) ** 2, IN_MATRIX), "matrix")
        return (StateCells(_KINDS, np.arange(_POPULATION), one) for one in counts)

    def kinds(self, columns: Sequence[str], reference: str, states: pl.DataFrame) -> Iterator[PairedCells]:  # noqa: ARG002
        """Pairs of every two columns given the reference's votes, in the order of combinations."""
        many = len(columns) * (len(columns) - 1) // 2
        for counts in self._table((many, IN_PAIRS), "kinds", reference):
            place = np.flatnonzero(counts)
            yield PairedCells(_KINDS, place % _KINDS.height, place // _KINDS.height, counts[place])

    def reference_values(self, reference: str) -> Mapping[str, ValueSums]:
        """Sums over the pairs on which the reference's vote is valid."""
        sums = {}
        for name, about in PAIR_VALUES.items():
            n, total, squares = self._table((3,), "seen", reference, name).tolist()
            sums[name] = ValueSums(n, total, squares, about.percent)
        return sums

    def joint_counts(self, column: str, first: str, second: str) -> Integers:
        """The count of a vote with the votes of two references, at vote + BASE first + BASE² second."""
        return self._table((BASE**3,), "joint", column, first, second)


class ClusteredVoteCounts(VoteCounts):
    """The counts of votes on a group of clustered pairs. votes: the columns of codes, lengths and LONGER_VOTE."""

    clusters: Integers

    def __init__(self, votes: pl.DataFrame) -> None:
        self.votes, self.pair_count, self.empty_count = votes, votes.height, _empty_count(votes)
        self.clusters = votes["cluster"].rank("dense").cast(pl.Int64).to_numpy() - 1

    def cells(self, column: str, other: str, states: pl.DataFrame) -> StateCells:
        """See VoteCounts."""
        return StateCells(states, *_count_codes(pair_codes(self.votes, column, other), BASE * BASE, self.clusters))

    def matrix(self, columns: Sequence[str], states: pl.DataFrame) -> Iterator[StateCells]:
        """See VoteCounts."""
        for column, other in product(columns, repeat=2):
            kinds = kinds_of(self.votes, column, other, states)
            yield StateCells(_KINDS, *_count_codes(kinds, _KINDS.height, self.clusters))

    def kinds(self, columns: Sequence[str], reference: str, states: pl.DataFrame) -> Iterator[PairedCells]:
        """See VoteCounts."""
        size = _KINDS.height
        for first, second in combinations([kinds_of(self.votes, one, reference, states) for one in columns], 2):
            both = first + np.uint8(size) * second
            place, counts, units = _count_codes(both, size * size, self.clusters)
            yield PairedCells(_KINDS, place % size, place // size, counts, units)

    def reference_values(self, reference: str) -> Mapping[str, ValueSums]:
        """See VoteCounts."""
        values, valid = _reference_values(self.votes, reference)
        clusters, sums = self.clusters[valid.to_numpy()], {}
        sizes = np.bincount(clusters)
        for name, about in PAIR_VALUES.items():
            totals = np.bincount(clusters, values[name].cast(pl.Int64).to_numpy()).astype(np.int64)
            order = np.lexsort((sizes, totals))  # so that sums have one order, however clusters are numbered
            sums[name] = ValueSums(*_sums_of(values[name]), about.percent, totals[order], sizes[order])
        return sums


def _reference_values(votes: pl.DataFrame, reference: str) -> tuple[pl.DataFrame, pl.Series]:
    """The values of pairs given a reference, a row for each pair, and which pairs these are."""
    a, b, prefers_a = pl.col("length_a"), pl.col("length_b"), pl.col("vote") == CODE["text_a"]
    rows = votes.select(*LENGTHS, vote=reference)
    valid = rows["vote"].is_in(VALID)
    values = rows.filter(valid).select(
        prefers_a=prefers_a,
        length_a=a,
        length_b=b,
        length_preferred=pl.when(prefers_a).then(a).otherwise(b),
        length_rejected=pl.when(prefers_a).then(b).otherwise(a),
        prefers_longer=(prefers_a & (a > b)) | (~prefers_a & (b > a)),
    )
    return values, valid


def _sums_of(values: pl.Series) -> tuple[int, int, int]:
    """How many values there are, their sum, and that of their squares."""
    if values.dtype == pl.Boolean:
        return len(values), int(values.sum()), int(values.sum())
    numbers = values.cast(pl.Int64).to_numpy()
    return len(values), int(numbers.sum()), int(numbers @ numbers)
