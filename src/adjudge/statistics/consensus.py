"""Estimate from annotators' labels alone the true label of each item, and how each annotator's labels depend on it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from adjudge.statistics.clusters import Floats, Integers
from adjudge.statistics.quantiles import critical_value, t_two_sided_p

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


# --- informedness: how much an annotator's labels depend on the true labels, estimated from the other annotators ---


FOLDS = 10
"""Each tenth of the annotators is judged by a model fitted without it."""
FEWEST = 4
"""Fewer others than this do not determine the model, which may invert the labels: shares of votes count instead."""
_HALVINGS = 40
"""An interval's limits have an error of 1e-12."""
_ROUNDING = 1e-9
"""A smaller difference, as a share of the possible one, is a rounding error: constant labels have no difference."""


@dataclass(frozen=True, slots=True, eq=False)
class Informedness:
    """The informedness of each annotator, by number. Undefined values are NaN.

    n: its labels on items with labels of others. low, high: the interval. p: of guessing, two-sided.
    """

    n: Integers
    value: Floats
    low: Floats
    high: Floats
    p: Floats
    sums: "AnnotatorSums"

    def p_of_at_least(self, share: float) -> Floats:
        """One-sided p of the hypothesis that an annotator is informed on at least that share of items."""
        z = _score(self.sums, np.full(len(self.n), share))
        p = _two_sided(z) / 2
        return np.where(z > 0, 1 - p, p)


def informedness(
    items: ArrayLike, annotators: ArrayLike, labels: ArrayLike, *, size: int | None = None, confidence: float = 0.95
) -> Informedness:
    """The share of items on which each annotator's label follows the truth; on the others it guesses.

    P(label l of an item with truth t) = s [l = t] + (1 - s) q_l: with probability s the annotator knows, else it draws
    from its own shares q. The truth has the probabilities T_il of `dawid_skene` on the labels of others;
    with fewer than four others these are the shares of votes.
    s = sum_i (T_i,label - mean T_label) / sum_il (T_il - mean T_l)^2, means over the annotator's items. With two
    labels of known truth it is sensitivity + specificity - 1, and its square Raykar and Yu's score.

    items, annotators, labels: numbers from 0, an entry per label given. size: how many labels there are.
    Returns an Informedness: 1 knows, 0 guesses, whatever the labels' shares, and also with a constant label;
    below 0, down to -1 / (labels - 1), labels go against the truth. Undefined on items without labels of others, and
    if the others' consensus is the same on all. If others gave few labels, their consensus is overconfident,
    and the value is too near 0. p: of 0, with the permutation variance of the annotator's labels.
    Interval: the shares that the same score, with the variance under each, does not reject.
    Raises OptionError for a confidence outside (0, 1).

    >>> found = informedness([0, 1, 2, 3] * 3, [0] * 4 + [1] * 4 + [2] * 4, [0, 1, 0, 1] * 2 + [0, 0, 1, 1])
    >>> found.value.round(6).tolist()
    [1.0, 1.0, 0.0]

    Source: Powers 2003, "Recall and Precision versus the Bookmaker", ICCS; Raykar and Yu 2012, JMLR 13, 491-518. The
    moment estimate, which takes the others' probabilities as given, and the interval are ours.
    """
    columns = label_columns(items, annotators, labels)
    return informedness_of([sums_of(fold) for fold in folds_of(columns, size)], confidence)


def informedness_of(sums_of_folds: Sequence["OfFold"], confidence: float) -> Informedness:
    """The informedness of annotators whose folds were summed; see `informedness`."""
    sums = _merge_folds(sums_of_folds)
    least = np.full(len(sums.n), -1 / max(sums.shares.shape[1] - 1, 1))
    known = sums.spread > 0
    value = np.divide(sums.excess, sums.spread, out=np.full(len(known), np.nan), where=known)
    value = np.where(np.abs(value) < _ROUNDING, 0.0, np.clip(value, least, 1))
    z = critical_value(confidence)
    low = _root(lambda share: _score(sums, share) > z, least, value)
    high = _root(lambda share: _score(sums, share) > -z, value, np.ones(len(known)))
    p = _two_sided(_score(sums, np.zeros(len(known))))
    low, high, p = (np.where(known, values, np.nan) for values in (low, high, p))
    return Informedness(sums.n.astype(np.int64), value, low, high, p, sums)


@dataclass(frozen=True, slots=True, eq=False)
class AnnotatorSums:
    """Sums over each annotator's labels, with d = T - mean T, the deviation of the others' probabilities.

    shares: of its own labels. means: of T. excess: of d at the label given. spread: of |d|^2. moments: of d d'.
    skews: of d |d|^2. fourth: of |d|^4. cubes: of the sum of d^3.
    """

    n: Floats
    shares: Floats
    means: Floats
    excess: Floats
    spread: Floats
    moments: Floats
    skews: Floats
    fourth: Floats
    cubes: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """Annotators that are judged by a model of all others. Folds are independent.

    columns: all labels, see `label_columns`. own: whether each label is one of the fold's. size: the number of labels.
    """

    columns: Sequence[Integers]
    own: NDArray[np.bool_]
    size: int


class OfFold(NamedTuple):
    """The sums of a fold: the fields of `Sums` for each of its annotators, on items with labels of others.

    every: the number of annotators in all folds. size: the number of labels.
    """

    every: int
    size: int
    sums: Mapping[int, Mapping[str, Any]]


def folds_of(columns: Sequence[Integers], size: int | None) -> list[Fold]:
    """At most FOLDS folds. Annotators with most labels are dealt first, so that no fold has most of the labels."""
    _, annotators, labels = columns
    given = np.bincount(annotators)
    dealt = np.empty(len(given), np.int64)
    dealt[np.argsort(-given, kind="stable")] = np.arange(len(given)) % FOLDS
    folds, size = dealt[annotators], max(size or 0, int(labels.max()) + 1)
    return [Fold(columns, folds == number, size) for number in range(min(FOLDS, len(given)))]


def sums_of(fold: Fold) -> OfFold:
    """The sums of a fold, against the model of all others."""
    items, annotators, labels = fold.columns
    in_fold, others, every = fold.own, ~fold.own, int(annotators.max()) + 1
    if not (in_fold.any() and others.any()):
        return OfFold(every, fold.size, {})
    known, places = np.unique(items[others], return_inverse=True)
    few = len(np.unique(annotators[others])) < FEWEST
    most = 0 if few else MOST
    model = dawid_skene(places, annotators[others], labels[others], size=fold.size, drawn=DRAWN, most=most)
    place = np.minimum(np.searchsorted(known, items[in_fold]), len(known) - 1)
    shared = known[place] == items[in_fold]
    each = _each_annotator(annotators[in_fold][shared], model.posteriors[place[shared]], labels[in_fold][shared])
    return OfFold(every, fold.size, {name: _sums(probable, given) for name, probable, given in each})


def _each_annotator(annotators: Integers, probable: Floats, labels: Integers) -> Iterator[tuple[int, Floats, Integers]]:
    """Each annotator, the others' probabilities of the labels of its items, and the labels that it gave."""
    order = np.argsort(annotators, kind="stable")
    starts = np.flatnonzero(np.diff(annotators[order], prepend=-1))
    for rows in np.split(order, starts[1:]) if len(order) else ():
        yield int(annotators[rows[0]]), probable[rows], labels[rows]


def _sums(probable: Floats, given: Integers) -> dict[str, Any]:
    """The fields of `Sums` of one annotator."""
    means = probable.mean(axis=0)
    away = probable - means
    squares = (away**2).sum(axis=1)
    return {
        "n": len(given),
        "shares": np.bincount(given, minlength=probable.shape[1]) / len(given),
        "means": means,
        "excess": away[np.arange(len(given)), given].sum(),
        "spread": squares.sum(),
        "moments": away.T @ away,
        "skews": away.T @ squares,
        "fourth": squares @ squares,
        "cubes": (away**3).sum(),
    }


def _merge_folds(sums_of_folds: Sequence[OfFold]) -> AnnotatorSums:
    """The sums of all annotators, 0 of those that share no item."""
    every, size = sums_of_folds[0].every, sums_of_folds[0].size
    shapes = {"shares": (size,), "means": (size,), "moments": (size, size), "skews": (size,)}
    names = [field.name for field in fields(AnnotatorSums)]
    table: dict[str, Floats] = {name: np.zeros((every, *shapes.get(name, ()))) for name in names}
    for fold in sums_of_folds:
        for annotator, sums in fold.sums.items():
            for name, value in sums.items():
                table[name][annotator] = value
    return AnnotatorSums(**table)


def _score(sums: AnnotatorSums, share: Floats) -> Floats:
    """How many standard errors the labels lie above what is expected of annotators informed on that share."""
    size = sums.shares.shape[1]
    weight = np.where(share < 0, -(size - 1) * share, share)[:, None]
    base = np.where(share[:, None] < 0, (1 - sums.means) / max(size - 1, 1), sums.means)
    guess = np.maximum(sums.shares - weight * base, 0)
    guess /= np.maximum(guess.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    usual = (1 - weight) * guess + weight * base
    across = np.einsum("ak,akl,al->a", usual, sums.moments, usual)
    squares = np.einsum("ak,akk->a", usual, sums.moments) + share * sums.cubes
    products = across + 2 * share * np.einsum("ak,ak->a", usual, sums.skews) + share**2 * sums.fourth
    variance = np.maximum(squares - products, 0) * sums.n / np.maximum(sums.n - 1, 1)
    above = sums.excess - share * sums.spread
    tiny = np.abs(above) <= _ROUNDING * np.maximum(sums.spread, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(tiny, 0.0, above / np.sqrt(variance))


def _two_sided(scores: Floats) -> Floats:
    return np.array([t_two_sided_p(z, np.inf) for z in scores.tolist()])


def _root(inside: Callable[[Floats], NDArray[np.bool_]], low: Floats, high: Floats) -> Floats:
    """The share at which a condition that holds of low ones ends."""
    low, high = low.copy(), high.copy()
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        holds = inside(middle)
        low, high = np.where(holds, middle, low), np.where(holds, high, middle)
    return (low + high) / 2
