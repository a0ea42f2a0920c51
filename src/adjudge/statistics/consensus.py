"""Estimate the true label of each item and each annotator's error rates from the annotators' labels alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from adjudge.statistics.clusters import Floats, Integers

FLOOR = 1e-10
"""The smallest expected count of a label and share of a class, so that logarithms are finite."""
MOST = 200
"""Iterations: far more than needed with some labels per annotator and class."""
DRAWN = 10.0
"""The pooling weight of rates that gives calibrated probabilities in simulated crowds."""
_TOLERANCE = 1e-7
_BLOCK = 1 << 15
"""The number of labels summed at once."""


@dataclass(frozen=True, slots=True, eq=False)
class DawidSkene:
    """A fitted model. Items, annotators and labels are numbers.

    priors: each label's share of the items. posteriors: items x labels, the probability that each is the true one.
    annotators, labels: the sorted pairs of an annotator and a label that it gave. rates: labels x pairs, the
    probability that the annotator gives the pair's label if the row's label is true; pooled rates leave the rest
    to labels that an annotator never gives. log_likelihood: of the labels, under the rates
    behind the posteriors. converged: whether the fit converged within the iterations.
    """

    priors: Floats
    posteriors: Floats
    annotators: Integers
    labels: Integers
    rates: Floats
    log_likelihood: float
    iterations: int
    converged: bool


def dawid_skene(
    items: ArrayLike,
    annotators: ArrayLike,
    labels: ArrayLike,
    *,
    size: int | None = None,
    drawn: float = 0.0,
    most: int = MOST,
) -> DawidSkene:
    """Fit the true labels, the annotators' error rates and the labels' shares by maximum likelihood.

    Annotator a has error rates e_a that do not depend on the item: P(labels of item i, truth k) = p_k prod over its
    labels of e_a[k, label]. From the shares of votes as T, expectation maximisation alternates
    p_k = mean_i T_ik, e_a[k, l] = sum of T_ik over items that a labelled l / sum of T_ik over all items of a, and
    T_ik = p_k prod e_a[k, l] / the same summed over k. With drawn = w, e_a[k, l] is (the same sum + w e[k, l]) / (that
    of all labels + w), with e the pooled rates of all annotators.

    items, annotators, labels: numbers from 0, an entry per label given. An annotator may label an item several times;
    each label counts. size: how many labels there are, by default up to the largest number. drawn: the number of
    labels that the pooled rates count as in each annotator's; 0 is the model of 1979. most: the maximum of iterations;
    after none, posteriors are the shares of votes. They end below a gain of 1e-7 of log likelihood per label.
    Returns a DawidSkene. If annotators make the same errors, the model takes these for the truth and is
    overconfident; fewer than three annotators do not determine the rates. The posterior of an item with one label
    follows from its annotator's rates. A label that nobody gives has next to no share. An annotator without items of a
    class has equal rates for each of its labels there, which are uninformative.
    In memory: 8 bytes per item and label, as many per label and pair of annotator and label, 50 per label given.
    Rates of annotators with few labels overfit, and probabilities are overconfident; `drawn` reduces this.

    >>> found = dawid_skene([0, 0, 0, 1, 1, 1], [0, 1, 2, 0, 1, 2], [0, 0, 0, 1, 1, 0])
    >>> found.posteriors.round(3).tolist()
    [[1.0, 0.0], [0.0, 1.0]]

    Source: Dawid and Skene 1979, Applied Statistics 28, 20-28, equations 2.3 to 2.5; the start is theirs (3.1).
    Pooled rates follow the partial pooling of Paun et al. 2018, TACL 6, 571-585, without a distribution of
    the rates. Departure: an expected count or share below 1e-10 is taken as 1e-10, as crowd-kit does.
    """
    votes = _votes(label_columns(items, annotators, labels), size)
    entries = len(votes.by_item.places)
    posteriors, before, gained = _shares_of_votes(votes), -np.inf, np.inf
    priors, rates = _maximised(votes, posteriors, drawn)
    iterations = 0
    while iterations < most and abs(gained) >= _TOLERANCE * entries:
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
        converged=abs(gained) < _TOLERANCE * entries,
    )


class _Order(NamedTuple):
    """The labels sorted so that those of one sum are adjacent.

    places: the index that each label adds to its sum. starts: the start of each sum, with the end of the last. blocks:
    the sums at which blocks of labels start, likewise; a block fits a cache.
    """

    places: Integers
    starts: Integers
    blocks: list[int]


class _Votes(NamedTuple):
    """The labels by item and by pair, so that sums do not depend on the order of the input.

    pairs: of an annotator and a label that occur, as annotator x size + label. by_item: a sum for each item over
    its labels' pairs; by_pair: a sum for each pair over its items. owners: the first pair
    of each annotator.
    """

    pairs: Integers
    by_item: _Order
    by_pair: _Order
    owners: Integers
    size: int


def label_columns(*columns: ArrayLike) -> list[Integers]:
    """Items, annotators and labels, numbers from 0."""
    return [np.asarray(column, dtype=np.int64) for column in columns]


def _votes(columns: Sequence[Integers], size: int | None) -> _Votes:
    items, annotators, labels = columns
    size = max(size or 0, int(labels.max()) + 1)
    pair, count = annotators * size + labels, int(items.max()) + 1
    span = int(pair.max()) + 1
    # Sorting one combined number is several times as fast as sorting places.
    by_item, by_pair = np.sort(items * span + pair), np.sort(pair * count + items)
    firsts = _starts(by_item // span)
    starts = _starts(by_pair // count)
    pairs = by_pair[starts] // count
    places = np.searchsorted(pairs, by_item % span)
    return _Votes(pairs, _order(places, firsts), _order(by_pair % count, starts), _starts(pairs // size), size)


def _starts(values: Integers) -> Integers:
    """The index at which each value starts."""
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
    """The labels' shares and the rates that maximise the likelihood given the posteriors, with pooling."""
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
    """The log likelihood of shares and rates; overwrites the posteriors with those under them."""
    _sum(np.log(rates), votes.by_item, posteriors)
    posteriors += np.log(priors)[:, None]
    highest = posteriors.max(axis=0)
    posteriors -= highest
    np.exp(posteriors, out=posteriors)
    total = posteriors.sum(axis=0)
    posteriors /= total
    return float((highest + np.log(total)).sum())
