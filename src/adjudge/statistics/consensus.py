"""What is true of each item, and how each annotator errs, from the annotators' labels alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from adjudge.errors import DataError
from adjudge.statistics._checks import Floats, Integers

FLOOR = 1e-10
"""The least expected count of a label, and the least share of a class: their logarithms are finite."""
MOST = 200
"""Iterations: far more than are needed where there are some labels per annotator and class."""
DRAWN = 10.0
"""As rates are drawn where probabilities are to be as sure as they are right: by what made-up crowds say."""
_BLOCK = 1 << 15
"""So many labels are summed at once."""


@dataclass(frozen=True, slots=True, eq=False)
class DawidSkene:
    """A fitted model. Items, annotators and labels are named by their numbers.

    priors: each label's share of the items. posteriors: items x labels, the probability that each is the true one.
    annotators, labels: the pairs of an annotator and a label that it gave, sorted. rates: labels x pairs, how probable
    it is that the annotator gives that label where the first is true; of drawn rates, labels that an annotator never
    gives have the rest. log_likelihood: of the labels, under the rates
    that the posteriors rest on. converged: whether it came to a halt within the iterations.
    """

    priors: Floats
    posteriors: Floats
    annotators: Integers
    labels: Integers
    rates: Floats
    log_likelihood: float
    iterations: int
    converged: bool

    def confusion(self, annotator: int) -> Floats:
        """Labels x labels: how probable each label (column) of an annotator is where another (row) is the true one."""
        rows = self.annotators == annotator
        table = np.zeros((len(self.priors), len(self.priors)))
        table[:, self.labels[rows]] = self.rates[:, rows]
        return table


def dawid_skene(
    items: ArrayLike,
    annotators: ArrayLike,
    labels: ArrayLike,
    *,
    size: int | None = None,
    drawn: float = 0.0,
    most: int = MOST,
    tolerance: float = 1e-7,
) -> DawidSkene:
    """The true labels of items, the annotators' error rates and the labels' shares that make the labels most likely.

    Each annotator a errs by rates e_a of its own, whatever the item: P(labels of item i, truth k) = p_k prod over its
    labels of e_a[k, label]. From the shares of votes as T, the expectation maximisation takes turns at
    p_k = mean_i T_ik, e_a[k, l] = sum of T_ik where a said l / sum of T_ik where a said anything, and
    T_ik = p_k prod e_a[k, l] / the same summed over k. With drawn = w, e_a[k, l] is (the same sum + w e[k, l]) / (that
    of all labels + w), e being the rates of all annotators together.

    items, annotators, labels: numbers from 0, an entry per label given. An annotator may label an item several times;
    each label counts. size: how many labels there are, by default up to the largest number. drawn: of how many
    labels' worth each annotator's rates are drawn to those of all; 0 is the model of 1979. most: how many iterations
    at most; after none, posteriors are the shares of votes. tolerance: the gain of log likelihood per label below
    which it stops; below 0 it makes them all.
    Returns a DawidSkene. Where annotators err together the model takes them for right, and its probabilities are too
    sure; with fewer than three annotators the labels do not determine the rates. An item with one label gets what its
    annotator's rates say. A label that nobody gives has next to no share. An annotator that met no item of a class
    gives each of its labels there alike, which says nothing of the class.
    In memory: 8 bytes per item and label, as many per label and pair of annotator and label, 50 per label given.
    Annotators with few labels get rates that fit these too well, and probabilities are too sure; drawn mends much.
    Raises DataError for entries that differ in number or are no numbers from 0, without any, and where an item up to
    the largest number has no label.

    >>> found = dawid_skene([0, 0, 0, 1, 1, 1], [0, 1, 2, 0, 1, 2], [0, 0, 0, 1, 1, 0])
    >>> found.posteriors.round(3).tolist()
    [[1.0, 0.0], [0.0, 1.0]]

    Source: Dawid and Skene 1979, Applied Statistics 28, 20-28, equations 2.3 to 2.5; the start is theirs (3.1).
    Drawn rates are in the manner of the partial pooling of Paun et al. 2018, TACL 6, 571-585, without a distribution of
    the rates. Departure: an expected count below 1e-10 is taken as 1e-10, and so is a share, as crowd-kit does.
    """
    votes = _votes(label_columns(items, annotators, labels), size)
    entries = len(votes.by_item.places)
    posteriors, before, gained = _shares_of_votes(votes), -np.inf, np.inf
    priors, rates = _maximised(votes, posteriors, drawn)
    iterations = 0
    while iterations < most and abs(gained) >= tolerance * entries:
        likelihood = _expected(votes, priors, rates, posteriors)
        priors, rates = _maximised(votes, posteriors, drawn)
        before, gained, iterations = likelihood, likelihood - before, iterations + 1
    pairs = votes.pairs
    return DawidSkene(
        priors=priors,
        posteriors=posteriors.T,
        annotators=pairs // votes.size,
        labels=pairs % votes.size,
        rates=rates,
        log_likelihood=before,
        iterations=iterations,
        converged=abs(gained) < tolerance * entries,
    )


class _Order(NamedTuple):
    """The labels in an order in which those that are summed stand side by side.

    places: of each label, what it brings to its sum. starts: where each sum begins, with the end of the last. blocks:
    the sums at which blocks of labels begin, likewise; what a block holds fits a cache.
    """

    places: Integers
    starts: Integers
    blocks: list[int]


class _Votes(NamedTuple):
    """The labels by item and by pair, so that no sum depends on the order in which they came.

    pairs: those of an annotator and a label that occur, as annotator x size + label. by_item: a sum for each item, of
    what each of its labels' pairs brings; by_pair: a sum for each pair, of what its items bring. owners: the pair at
    which each annotator begins.
    """

    pairs: Integers
    by_item: _Order
    by_pair: _Order
    owners: Integers
    size: int


def label_columns(*columns: ArrayLike) -> list[Integers]:
    """Items, annotators and labels. Raises DataError unless they are numbers from 0, as many of each, and some."""
    arrays = [np.asarray(column) for column in columns]
    if len({one.shape for one in arrays}) > 1 or arrays[0].ndim != 1 or not arrays[0].size:
        shapes = ", ".join(str(one.shape) for one in arrays)
        raise DataError(f"expected items, annotators and labels, an entry per label given; got shapes {shapes}")
    if not all(np.issubdtype(one.dtype, np.integer) and one.min() >= 0 for one in arrays):
        raise DataError("expected items, annotators and labels as numbers from 0")
    return [one.astype(np.int64) for one in arrays]


def _votes(columns: Sequence[Integers], size: int | None) -> _Votes:
    items, annotators, labels = columns
    size = max(size or 0, int(labels.max()) + 1)
    pair, count = annotators * size + labels, int(items.max()) + 1
    span = int(pair.max()) + 1
    # To sort one number made of both is several times as fast as to sort places.
    by_item, by_pair = np.sort(items * span + pair), np.sort(pair * count + items)
    firsts = _starts(by_item // span)
    if len(firsts) < count:
        raise DataError(f"expected a label of each item; {count - len(firsts):,} of {count:,} have none")
    starts = _starts(by_pair // count)
    pairs = by_pair[starts] // count
    places = np.searchsorted(pairs, by_item % span)
    return _Votes(pairs, _order(places, firsts), _order(by_pair % count, starts), _starts(pairs // size), size)


def _starts(values: Integers) -> Integers:
    """Where each value begins."""
    return np.flatnonzero(np.diff(values, prepend=-1))


def _order(places: Integers, starts: Integers) -> _Order:
    blocks = [*_starts(starts // _BLOCK).tolist(), len(starts)]
    return _Order(places, np.append(starts, len(places)), blocks)


def _sum(table: Floats, order: _Order, sums: Floats) -> None:
    """The sums, in each row, of the table's values at the places."""
    for first, last in pairwise(order.blocks):
        begin, end = order.starts[first], order.starts[last]
        places, starts, buffer = order.places[begin:end], order.starts[first:last] - begin, np.empty(end - begin)
        for row, out in zip(table, sums, strict=True):
            np.add.reduceat(np.take(row, places, out=buffer, mode="clip"), starts, out=out[first:last])


def _shares_of_votes(votes: _Votes) -> Floats:
    """Labels x items: each label's share of the votes for the item."""
    shares = np.empty((votes.size, len(votes.by_item.starts) - 1))
    given = votes.pairs % votes.size == np.arange(votes.size)[:, None]
    _sum(given.astype(np.float64), votes.by_item, shares)
    shares /= np.diff(votes.by_item.starts)
    return shares


def _maximised(votes: _Votes, posteriors: Floats, drawn: float) -> tuple[Floats, Floats]:
    """The labels' shares, and the rates, that the posteriors make most likely, drawn to those of all annotators."""
    rates = np.empty((votes.size, len(votes.pairs)))
    _sum(posteriors, votes.by_pair, rates)
    np.maximum(rates, FLOOR, out=rates)
    totals = np.add.reduceat(rates, votes.owners, axis=1) + drawn
    if drawn:
        labels = votes.pairs % votes.size
        of_all = np.array([np.bincount(labels, weights=row, minlength=votes.size) for row in rates])
        of_all /= of_all.sum(axis=1, keepdims=True)
        rates += drawn * of_all[:, labels]
    rates /= np.repeat(totals, np.diff(votes.owners, append=len(votes.pairs)), axis=1)
    return np.maximum(posteriors.mean(axis=1), FLOOR), rates


def _expected(votes: _Votes, priors: Floats, rates: Floats, posteriors: Floats) -> float:
    """The log likelihood of shares and rates; the posteriors under them take the place of those before."""
    _sum(np.log(rates), votes.by_item, posteriors)
    posteriors += np.log(priors)[:, None]
    highest = posteriors.max(axis=0)
    posteriors -= highest
    np.exp(posteriors, out=posteriors)
    total = posteriors.sum(axis=0)
    posteriors /= total
    return float((highest + np.log(total)).sum())
