"""Intraclass correlations: how much of the variance of ratings lies between items, by the analysis of variance."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from karat.errors import DataError
from karat.statistics._checks import Floats
from karat.statistics.intervals import Limits
from karat.statistics.quantiles import beta_quantile

Form = Literal["one-way", "agreement", "consistency"]
"""ICC(1), where each item may have raters of its own; ICC(A, 1) or ICC(2, 1), where all rate all items and how high
each rates counts as error; ICC(C, 1) or ICC(3, 1), where it does not."""

TWO = 2
CONSTANT = "ratings of one item differ more than those of different ones"
INCOMPLETE = "not every annotator rates every item: icc_1 needs no such design"


@dataclass(frozen=True, eq=False)
class Squares:
    """Mean squares of a design, and how far one more of each item moves them.

    items, raters: how many there are; of an item, on average, where that differs. between: items. within: an item's
    ratings about their mean (one-way), or what is left beside items and raters. of_raters: the variance of raters'
    means, 0 in a one-way design. complete: whether every rater rates every item.
    """

    items: float
    raters: float
    between: float
    within: float
    of_raters: float
    raters_moved: Floats
    between_moved: Floats
    within_moved: Floats
    of_raters_moved: Floats
    complete: bool


def squares_of(ratings: Floats, times: Floats, *, one_way: bool) -> Squares:
    """The mean squares of ratings, items in rows and raters in columns, NaN where one is missing.

    times: how often each row stands. Items with one rating are left out. Raises DataError where fewer than two items
    are left, and where a design that is not one-way is not complete.
    """
    there = ~np.isnan(ratings)
    held = (there.sum(axis=1) >= TWO) & (times > 0)
    there &= held[:, None]
    raters, each, weight = there.any(axis=0), there.sum(axis=1).astype(np.float64), times * held
    there, n, whole = there[:, raters], float(weight.sum()), float(weight @ each)
    if n < TWO:
        raise DataError("fewer than two items have two ratings")
    complete = bool(there[held].all())
    if not (one_way or complete):
        raise DataError(INCOMPLETE)
    known = np.where(there, ratings[:, raters], 0.0)
    grand, means = float(weight @ known.sum(axis=1)) / whole, known.sum(axis=1) / np.maximum(each, 1)
    between_of, apart = each * (means - grand) ** 2, np.where(there, known - means[:, None], 0.0)
    between = float(weight @ between_of) / (n - 1)
    moved = held * (between_of - between) / (n - 1)
    if one_way:
        within_of, squared = (apart**2).sum(axis=1), float(weight @ each**2)
        size, within = (whole - squared / whole) / (n - 1), float(weight @ within_of) / (whole - n)
        size_moved = held * (each - (each**2 - squared / whole * each) / whole - size) / (n - 1)
        within_moved = held * (within_of - (each - 1) * within) / (whole - n)
        return Squares(n, size, between, within, 0.0, size_moved, moved, within_moved, 0 * moved, complete)
    k, bias = there.shape[1], weight @ apart / n
    left = held[:, None] * (apart - bias)
    within_of = (left**2).sum(axis=1)
    within = float(weight @ within_of) / ((n - 1) * (k - 1))
    within_moved = held * (within_of / (k - 1) - within) / (n - 1)
    of_raters, raters_moved = float(bias @ bias) / (k - 1), 2 * left @ bias / (k - 1) / n
    return Squares(n, float(k), between, within, of_raters, 0 * moved, moved, within_moved, raters_moved, complete)


def intraclass(squares: Squares, form: Form, *, mean: bool = False) -> tuple[float, Floats]:
    """An intraclass correlation of single ratings, or of the mean of an item's k ratings, and its influence.

    B, E mean squares of items and of error, k raters, n items, and v the variance of raters' means:
    (B - E) / (B + (k - 1) E) one-way and for consistency, (B - E) / (B + (k - 1) E + k (v - E / n)) for agreement; of a
    mean k r / (1 + (k - 1) r). One-way with unequal numbers of ratings k is (N - sum r_i^2 / N) / (n - 1).

    Returns a value of at most 1, and how far one more of each item moves it.
    Raises DataError where ratings do not vary.

    Source: Shrout and Fleiss 1979, Psychological Bulletin 86, 420-428; McGraw and Wong 1996, Psychological Methods 1,
    30-46; unequal numbers: Donner 1986, International Statistical Review 54, 67-82. The influence is the derivative.
    """
    n, k, between, within = squares.items, squares.raters, squares.between, squares.within
    top, bottom = between - within, between + (k - 1) * within
    top_moved = squares.between_moved - squares.within_moved
    bottom_moved = squares.between_moved + (k - 1) * squares.within_moved + within * squares.raters_moved
    if form == "agreement":
        bottom += k * (squares.of_raters - within / n)
        bottom_moved = bottom_moved + k * (squares.of_raters_moved - squares.within_moved / n)
    if bottom <= 0:
        raise DataError("all ratings are one and the same")
    value = top / bottom
    influence = (top_moved - value * bottom_moved) / bottom
    if not mean:
        return value, influence
    slope = 1 + (k - 1) * value
    if slope <= 0:
        raise DataError(CONSTANT)
    return of_mean(value, k), (k * influence + value * (1 - value) * squares.raters_moved) / slope**2


def of_mean(value: float, k: float) -> float:
    """The correlation of means of k ratings, from that of single ones (Spearman and Brown)."""
    return k * value / (1 + (k - 1) * value) if 1 + (k - 1) * value > 0 else -1.0


def intraclass_limits(squares: Squares, form: Form, confidence: float) -> Limits:
    """The limits of a correlation of single ratings that are normal, of a complete design whose items are independent.

    One-way and for consistency from the F distribution of B / E; for agreement after Satterthwaite, where raters might
    be others too.

    Source: McGraw and Wong 1996, table 7.
    """
    n, k, between, within = squares.items, squares.raters, squares.between, squares.within
    tail, rows = (1 + confidence) / 2, n - 1
    if form != "agreement":
        rest = n * (k - 1) if form == "one-way" else rows * (k - 1)
        ratios = between / f_quantile(tail, rows, rest), between * f_quantile(tail, rest, rows)
        low, high = ((one - within) / (one + (k - 1) * within) for one in ratios)
        return Limits(np.asarray(low), np.asarray(high))
    value = intraclass(squares, form)[0]
    columns = n * squares.of_raters
    a = k * value / (n * (1 - value))
    b = 1 + a * (n - 1)
    spread = (a * columns) ** 2 / (k - 1) + (b * within) ** 2 / (rows * (k - 1))
    degrees = (a * columns + b * within) ** 2 / spread
    error = k * columns + (k * n - k - n) * within
    lower, upper = f_quantile(tail, rows, degrees), f_quantile(tail, degrees, rows)
    low = n * (between - lower * within) / (lower * error + n * between)
    high = n * (upper * between - within) / (error + n * upper * between)
    return Limits(np.asarray(low), np.asarray(high))


def f_quantile(probability: float, first: float, second: float) -> float:
    """The quantile of the F distribution, by that of the beta distribution.

    >>> round(f_quantile(0.95, 5, 15), 4)
    2.9013
    """
    share = beta_quantile(probability, first / 2, second / 2)
    return second / first * share / (1 - share)
