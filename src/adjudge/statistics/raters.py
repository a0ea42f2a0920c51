"""Agreement of any number of raters, of whom each may label some items only: alpha, Gwet's AC, Fleiss' kappa.

All are 1 - observed / expected, both mean disagreements of two labels: `observed` for two labels of an item,
`expected` by chance. They differ in the chance model and in the weights of disagreements.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import hypot, inf, sqrt
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import DataError
from adjudge.estimate import Caveat, Estimate, gravest_caveat
from adjudge.statistics.agreement import FEW_CHANCE_DISAGREEMENTS, sum_by_place
from adjudge.statistics.clusters import Floats, Integers, cluster_degrees, linearised_variance
from adjudge.statistics.intervals import Limits, wilson_limits
from adjudge.statistics.proportions import MANY_ITEMS, alone_note, estimate_of
from adjudge.statistics.quantiles import critical_value

Level = Literal["nominal", "ordinal", "interval", "ratio"]
"""The level of labels: names; ranks; numbers whose differences count; numbers whose ratios count."""

_HELD = 1 << 22
"""Pairs of labels in memory at once."""


@dataclass(frozen=True, eq=False)
class LabelRatings:
    """How many raters gave each item each label, without rater identities.

    items, labels: their numbers from 0, a row for each label of an item, sorted by items, then labels.
    counts: how many raters gave it. times: how many items there are of each kind. places: the position of each label
    on the scale, rising; any numbers for names. declared: whether all possible labels are listed,
    and not only those that occur.
    """

    items: Integers
    labels: Integers
    counts: Floats
    times: Floats
    places: Floats
    declared: bool = False

    @property
    def label_may_be_missing(self) -> bool:
        """Whether a label occurs on a single item, so that further labels may exist, unless labels are declared.

        Source: labels that occur once estimate the chance of a new one, Good 1953, Biometrika 40, 237-264.
        """
        return not self.declared and bool((self.per_label(self.times[self.items]) == 1).any())

    @property
    def raters(self) -> Floats:
        """How many labels each item has."""
        return self.per_item(self.counts)

    def per_item(self, values: Floats) -> Floats:
        """The sum over each item's rows."""
        return sum_by_place(self.items, values, len(self.times))

    def per_label(self, values: Floats) -> Floats:
        """The sum over each label's rows."""
        return sum_by_place(self.labels, values, len(self.places))


@dataclass(frozen=True, eq=False)
class Cost:
    """The disagreement of two different labels: 1 for names. places: the values of the labels, in rising order."""

    places: Floats

    @property
    def greatest(self) -> float:
        """The greatest disagreement of two labels, the first and the last."""
        return float(self.cost(self.places[-1:], self.places[:1])[0])

    def cost(self, first: Floats, second: Floats) -> Floats:  # noqa: ARG002
        """The disagreement of labels at different places."""
        return np.ones(len(first))

    def item_cost(self, ratings: LabelRatings) -> Floats:
        """For each row, the sum of the disagreements of its label with all labels of the item."""
        costs_of_rows, places = np.zeros(len(ratings.items)), self.places[ratings.labels]
        rows, apart = np.arange(len(ratings.items)), 0
        while len(rows):  # every two rows of an item, by how many rows lie between them
            apart += 1
            rows = rows[: np.searchsorted(rows, len(ratings.items) - apart)]
            rows = rows[ratings.items[rows] == ratings.items[rows + apart]]
            costs = self.cost(places[rows + apart], places[rows])
            costs_of_rows[rows] += ratings.counts[rows + apart] * costs
            costs_of_rows[rows + apart] += ratings.counts[rows] * costs
        return costs_of_rows

    def total_cost(self, shares: Floats) -> Floats:
        """For each label, the sum of its disagreements with all labels, weighted by their shares."""
        values: Floats = shares.sum() - shares
        return values


@dataclass(frozen=True, eq=False)
class SquaredCost(Cost):
    """The squared distance of two labels."""

    def cost(self, first: Floats, second: Floats) -> Floats:
        """(x - y)^2."""
        return (first - second) ** 2

    def total_cost(self, shares: Floats) -> Floats:
        """x^2 sum p - 2 x sum p y + sum p y^2."""
        x = self.places - self.places[0]
        costs: Floats = x**2 * shares.sum() - 2 * x * float(x @ shares) + float(x**2 @ shares)
        return np.maximum(costs, 0.0)


@dataclass(frozen=True, eq=False)
class StepCost(Cost):
    """d (d + 1) / 2 for labels that are d places apart: how many pairs of labels lie from one to the other.

    places: 0, 1, 2 ...
    """

    def cost(self, first: Floats, second: Floats) -> Floats:
        """From the distance d of the places, d (d + 1) / 2."""
        steps = np.abs(first - second)
        values: Floats = steps * (steps + 1) / 2
        return values

    def total_cost(self, shares: Floats) -> Floats:
        """Half the sum of the squared distances and the distances, weighted by the shares."""
        x = self.places
        below, part = np.cumsum(shares) - shares, np.cumsum(shares * x) - shares * x
        distances = x * (2 * below - shares.sum()) + float(x @ shares) - 2 * part
        values: Floats = (SquaredCost(x).total_cost(shares) + distances) / 2
        return values


@dataclass(frozen=True, eq=False)
class RatioCost(Cost):
    """((x - y) / (x + y))^2. places: from 0. Over all labels it takes the square of their number in time."""

    def cost(self, first: Floats, second: Floats) -> Floats:
        """((x - y) / (x + y))^2; 0 for equal labels, both of which may be 0."""
        both = first + second
        return np.divide(first - second, both, out=np.zeros(np.shape(both)), where=both > 0) ** 2

    def total_cost(self, shares: Floats) -> Floats:
        """The weighted sum for each label, computed in blocks of labels to limit memory."""
        step = max(_HELD // max(len(self.places), 1), 1)
        starts = range(0, len(self.places), step)
        return np.concatenate([self.cost(self.places[i : i + step, None], self.places) @ shares for i in starts])


def cost_of(level: Level, places: Floats) -> Cost:
    """The disagreements that Krippendorff's alpha uses. places: for ordinal labels, their ranks."""
    if level == "ratio":
        return RatioCost(places)
    return Cost(places) if level == "nominal" else SquaredCost(places)


def weights_of(level: Level, places: Floats) -> Cost:
    """The disagreements that all other metrics use: 1 minus Gwet's weights, times the greatest disagreement."""
    return StepCost(np.arange(len(places), dtype=np.float64)) if level == "ordinal" else cost_of(level, places)


PAIR = 2
"""How many labels an item needs for two of them to be compared."""
ALONE = "no item has two labels"
_FEW_DISPUTED, _LARGEST_GAIN = 20, 4


class Coefficient(NamedTuple):
    """Agreement beyond chance. observed, expected: mean disagreements, where 1 is the greatest of any two labels.

    of_guesses: the value for a rater who guesses with another, at most `expected`.
    influence: of each item, how far one more of its kind moves the value; over all items it adds up to 0.
    of_labels: for each row of the ratings, how far the value moves if a rater who gives the label counts more, and so
    do the rater's pairs; over all labels it adds up to 0. unseen_labels: whether it depends on possible labels
    that may be missing.
    """

    observed: float
    expected: float
    of_guesses: float
    influence: Floats
    of_labels: Floats
    unseen_labels: bool = False

    @property
    def value(self) -> float:
        """1 - observed / expected."""
        return 1 - self.observed / self.expected


def krippendorff_alpha(ratings: LabelRatings, level: Level = "nominal") -> Coefficient:
    """Agreement beyond that of pairs of labels drawn without replacement from all labels.

    alpha = 1 - Do / De. Do is the mean disagreement of labels with the others of their item, De that
    of all pairs of labels. Labels k and l disagree by 1 (nominal), by the square of how many labels lie between them,
    with half of their own (ordinal), by (k - l)^2 (interval), or by ((k - l) / (k + l))^2 (ratio).

    ratings: items with one label are excluded. level: see `Level`.
    Returns a Coefficient whose value is at most 1; 0 is chance, below 0 labels disagree more than by chance.
    Raises DataError if no item has two labels, and if all labels of such items are equal.

    >>> counts = np.array([2.0, 1, 1])
    >>> ratings = LabelRatings(np.array([0, 1, 1]), np.array([0, 0, 1]), counts, np.ones(2), np.arange(2.0))
    >>> krippendorff_alpha(ratings).value
    0.0

    Source: Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability". The influence is the derivative, with n for
    n - 1 so that it adds up to 0.
    """
    raters = ratings.raters
    pairable = raters >= PAIR
    weight = ratings.times * pairable
    n, label_counts = float(weight @ raters), ratings.per_label(weight[ratings.items] * ratings.counts)
    _check(n, label_counts)
    cost = cost_of(level, ranks_of(label_counts) if level == "ordinal" else ratings.places)
    others = np.maximum(raters - 1, 1)[ratings.items]
    own = cost.item_cost(ratings) / others
    disagreement, against = ratings.per_item(ratings.counts * own), cost.total_cost(label_counts)
    seen, by_chance = float(weight @ disagreement), float(label_counts @ against)
    moved, factor = np.zeros(len(own)), (n - 1) / by_chance * pairable
    if level == "ordinal":
        of_seen, of_chance = _by_ranks(ratings, cost.places, weight[ratings.items] / others, label_counts)
        moved = seen / by_chance * of_chance - of_seen
    moved += 2 * seen / by_chance * against[ratings.labels]
    influence = factor * (ratings.per_item(ratings.counts * moved) - disagreement - seen / n * raters)
    of_labels = factor[ratings.items] * (moved - 2 * own)
    expected = by_chance / (n * (n - 1)) / cost.greatest
    return Coefficient(seen / n / cost.greatest, expected, expected, influence, of_labels)


def ranks_of(label_counts: Floats) -> Floats:
    """For each label, the number of labels below it plus half the number of equal ones."""
    return np.cumsum(label_counts) - label_counts / 2


def _by_ranks(ratings: LabelRatings, ranks: Floats, weight: Floats, label_counts: Floats) -> tuple[Floats, Floats]:
    """How far one more label of each row moves the observed and expected sums through the ranks of labels.

    A label moves the ranks of those above it by 1, and its own by half. weight: that of each row's pairs.
    """
    weighted_ranks = ratings.counts * ranks[ratings.labels]
    raters, sums = (ratings.per_item(values)[ratings.items] for values in (ratings.counts, weighted_ranks))
    seen = ratings.per_label(weight * (weighted_ranks * raters - ratings.counts * sums))
    by_chance = label_counts * (ranks * label_counts.sum() - float(label_counts @ ranks))
    of_seen, of_chance = (4 * (slopes.sum() - np.cumsum(slopes) + slopes / 2) for slopes in (seen, by_chance))
    return of_seen[ratings.labels], of_chance[ratings.labels]


def gwet_ac(ratings: LabelRatings, level: Level = "nominal") -> Coefficient:
    """Agreement beyond chance, with chance only on items that raters guess: AC1 for names, else AC2.

    (pa - pe) / (1 - pe), pa as in `percent_agreement`. pe = T / (q (q - 1)) sum of p_k (1 - p_k): p_k is the mean over
    items of the share of their labels that are k, q how many labels there are, T the sum of all weights.

    ratings: items with one label count in p_k only. Its labels must be all possible ones.
    Returns a Coefficient whose value is at most 1.
    Raises DataError if no item has two labels, and if all labels are equal.

    >>> counts = np.array([2.0, 1, 1])
    >>> ratings = LabelRatings(np.array([0, 1, 1]), np.array([0, 0, 1]), counts, np.ones(2), np.arange(2.0))
    >>> round(gwet_ac(ratings).value, 12)
    0.2

    Source: Gwet 2008, British Journal of Mathematical and Statistical Psychology 61, 29-48; AC2 and missing labels:
    Gwet 2014, Handbook of Inter-Rater Reliability, 4th edition. The influence is the derivative.
    """
    shares, moved = _shares(ratings)
    cost, q = weights_of(level, ratings.places), len(ratings.places)
    weights = q * q - float(cost.total_cost(np.ones(q)).sum()) / cost.greatest
    factor = weights / (q * (q - 1))
    expected = 1 - factor * float(shares @ (1 - shares))
    found = _beyond_chance(percent_agreement(ratings, level), expected, moved(factor * (2 * shares - 1)))
    return found._replace(unseen_labels=ratings.label_may_be_missing)


def fleiss_kappa(ratings: LabelRatings, level: Level = "nominal") -> Coefficient:
    """Agreement beyond chance, if all raters draw labels with the same probabilities.

    (pa - pe) / (1 - pe), pa as in `percent_agreement`, pe = sum of w_kl p_k p_l with p_k the mean over items of the
    share of their labels that are k, and weights w. With equally many labels of all items it is Fleiss' original.

    ratings: items with one label count in p_k only. Returns a Coefficient whose value is at most 1.
    Raises DataError as `gwet_ac`.

    >>> counts = np.array([2.0, 1, 1])
    >>> ratings = LabelRatings(np.array([0, 1, 1]), np.array([0, 0, 1]), counts, np.ones(2), np.arange(2.0))
    >>> round(fleiss_kappa(ratings).value, 4)
    -0.3333

    Source: Fleiss 1971, Psychological Bulletin 76, 378-382; missing labels and weights: Gwet 2014. The influence is the
    derivative.
    """
    shares, moved = _shares(ratings)
    cost = weights_of(level, ratings.places)
    against = cost.total_cost(shares) / cost.greatest
    return _beyond_chance(percent_agreement(ratings, level), float(shares @ against), moved(2 * against))


def percent_agreement(ratings: LabelRatings, level: Level = "nominal") -> Coefficient:
    """The mean over items of the share of agreeing pairs of labels, or of their agreement weights.

    The weight of labels k and l is 1 - c(k, l) / c(least, greatest): c is d (d + 1) / 2 where l is the d-th label from
    k (ordinal), (k - l)^2 (interval), or ((k - l) / (k + l))^2 (ratio).

    ratings: items with one label are excluded. Returns a Coefficient with an expected disagreement of 1.
    Raises DataError if no item has two labels.

    >>> counts = np.array([2.0, 1, 1])
    >>> ratings = LabelRatings(np.array([0, 1, 1]), np.array([0, 0, 1]), counts, np.ones(2), np.arange(2.0))
    >>> percent_agreement(ratings).value
    0.5

    Source: for the weights Gwet 2014, chapter 3.
    """
    weight = ratings.times * (ratings.raters >= PAIR)
    items = float(weight.sum())
    _check(items)
    of_items, of_labels = item_disagreement(ratings, level), label_disagreement(ratings, level)
    observed = float(weight @ of_items) / items
    pairable = (ratings.raters >= PAIR) / items
    each = (2 * pairable / np.maximum(ratings.raters, 1))[ratings.items]
    cost, labels = weights_of(level, ratings.places), ratings.per_label(weight[ratings.items] * ratings.counts)
    of_guesses = float(cost.total_cost(labels).mean()) / labels.sum() / (cost.greatest or 1.0)
    influence, unseen = (observed - of_items) * pairable, level != "nominal" and ratings.label_may_be_missing
    return Coefficient(observed, 1.0, of_guesses, influence, (observed - of_labels) * each, unseen)


def disputed_items(ratings: LabelRatings) -> float:
    """How many items have labels that differ."""
    return float(ratings.times @ (np.bincount(ratings.items, minlength=len(ratings.times)) > 1))


def item_disagreement(ratings: LabelRatings, level: Level = "nominal") -> Floats:
    """For each item, the share of pairs of its labels that disagree, or their mean disagreement, from 0 to 1."""
    raters = np.maximum(ratings.raters, 1)
    return ratings.per_item(ratings.counts * label_disagreement(ratings, level)) / raters


def label_disagreement(ratings: LabelRatings, level: Level = "nominal") -> Floats:
    """For each row, the share of the item's other labels that disagree with its label, or their mean disagreement."""
    cost = weights_of(level, ratings.places)
    others = np.maximum(ratings.raters - 1, 1)[ratings.items]
    return cost.item_cost(ratings) / others / (cost.greatest if len(ratings.places) > 1 else 1.0)


Moved = tuple[Floats, Floats]
"""How far one more item of each kind, and one more rater for each row's label, move a number."""


def _shares(ratings: LabelRatings) -> tuple[Floats, Callable[[Floats], Moved]]:
    """The mean share of each label over items, and a function from slopes in these to their influence.

    Raises DataError if all labels are equal.
    """
    raters, there = ratings.raters, ratings.raters > 0
    items, own = float(ratings.times @ there), ratings.counts / raters[ratings.items]
    shares = ratings.per_label(ratings.times[ratings.items] * own) / max(items, 1)
    _check(items, shares)

    def influence_of(slopes: Floats) -> Moved:
        mean, of_labels = float(shares @ slopes), slopes[ratings.labels]
        of_items = ratings.per_item(own * of_labels) - mean * there
        return of_items / items, (of_labels - mean) / raters[ratings.items] / items

    return shares, influence_of


def _beyond_chance(agreement: Coefficient, expected: float, moved: Moved) -> Coefficient:
    """1 - observed / expected. moved: the influence on the expected disagreement."""
    both = zip((agreement.influence, agreement.of_labels), moved, strict=True)
    influence, of_labels = ((own + agreement.observed / expected * one) / expected for own, one in both)
    return Coefficient(agreement.observed, expected, min(agreement.of_guesses, expected), influence, of_labels)


def _check(n: float, label_counts: Floats | None = None) -> None:
    """Raises DataError without labels to compare, or with only one label."""
    if n <= 0:
        raise DataError(ALONE)
    if label_counts is not None and np.count_nonzero(label_counts) < PAIR:
        raise DataError("all labels are one and the same")


def agreement_interval(
    coefficient: Coefficient,
    influence: Floats,
    sizes: Floats,
    times: Floats,
    confidence: float = 0.95,
    *,
    disputed: float,
    nominal: bool,
    of_raters: tuple[float, float] = (0.0, inf),
) -> Estimate:
    """The interval of a coefficient over other items (clusters), and over other raters too.

    Wilson's limits of the observed agreement po = 1 - observed, mapped by 1 - (1 - x) / expected, with the effective n
    po (1 - po) / (expected^2 v): v the variance by linearisation, t at `cluster_degrees`. With few disputed items v may
    be small by accident, so n is at most four times that of the items; if v = 0 it is that of the items.

    influence, sizes: for each item (cluster), how far it moves the value, and its number of items with two labels.
    times: how many there are of each. disputed: how many items have labels that differ. nominal: whether labels are
    names. of_raters: the variance that raters add, and its degrees of freedom, an upper bound for t.
    Returns an Estimate, caveat "approximate" below 100 items (clusters), "too few chance disagreements" for names with
    fewer than 30 disagreements expected by chance, "unseen labels" if the coefficient depends on labels that may be
    missing. One item (cluster): no interval, with that caveat.

    Source: as for Cohen's kappa (`adjudge.statistics.agreement.cohen_kappa`); simulated in
    benchmarks/agreement_coverage.py. Ours.
    """
    n, units = round(float(times @ sizes)), round(float(times[sizes > 0].sum()))
    if units <= 1:
        return Estimate(coefficient.value, n=n, confidence=confidence, caveat=alone_note(n))
    variance = linearised_variance(influence * n, sizes, times) + of_raters[0]
    degrees = min(cluster_degrees(sizes, multiplicity=times), of_raters[1])
    agreed = 1 - coefficient.observed
    most = _LARGEST_GAIN * n if disputed < _FEW_DISPUTED else inf
    size: float = units
    if variance > 0 and 0 < agreed < 1:
        size = min(agreed * coefficient.observed / (coefficient.expected**2 * variance), most)
    shares = wilson_limits(agreed * size, size, critical_value(confidence, degrees))
    limits = Limits(*(np.maximum(1 - (1 - share) / coefficient.expected, -1) for share in shares))
    few = nominal and n * coefficient.expected < FEW_CHANCE_DISAGREEMENTS
    approximate = Caveat.APPROXIMATE if units < MANY_ITEMS else None
    unseen = Caveat.UNSEEN_LABELS if coefficient.unseen_labels else None
    note = gravest_caveat(unseen, Caveat.FEW_CHANCE_DISAGREEMENTS if few else None, approximate)
    method = "effective-wilson" if np.isinf(of_raters[1]) else "two-way"
    return estimate_of(coefficient.value, limits, n=n, method=method, confidence=confidence, note=note)


# --- generalised to other raters; requires the rater of each label ---


FEW_RATERS = 10
"""Below this many raters, some of whom guess, intervals can miss their coverage."""


class GivenLabels(NamedTuple):
    """Labels, an entry each. ratings: how many raters gave an item each label. rows: each entry's row in these.

    raters: the rater of each label, by number from 0.
    """

    ratings: LabelRatings
    rows: Integers
    raters: Integers

    @property
    def size(self) -> int:
        """The number of raters."""
        return int(self.raters.max(initial=-1)) + 1

    def per_rater(self, values: Floats) -> Floats:
        """The sum over each rater's entries."""
        return sum_by_place(self.raters, values, self.size)


def variance_of_raters(coefficient: Coefficient, given: GivenLabels) -> tuple[float, float, float]:
    """The variance of a coefficient over random raters of the same population.

    R (R - 1) / (R - 2)^2 sum of u_r^2, with u_r how far rater r moves the coefficient: the sum of the rater's
    `Coefficient.of_labels`. It is the leave-one-rater-out jackknife, by linearisation, and includes some of
    the variance over items. Degrees of freedom as for clusters, which raters are.

    Raters may be alike by accident, though others would guess. The least variance is half of what one guessing rater
    would add: u_r = 2 s (of_guesses - observed) / expected, with s the sum of the squares of the raters' shares of
    labels, 1 / R if they are equal.

    given: at least three raters. Returns the variance, its degrees of freedom and its least.

    Source: Gwet 2008, British Journal of Mathematical and Statistical Psychology 61, 29-48, section 5, who adds the
    jackknife over raters to the variance over items. The least variance is ours.
    """
    moved, labels = given.per_rater(coefficient.of_labels[given.rows]), given.per_rater(np.ones(len(given.rows)))
    raters = int((labels > 0).sum())
    factor = raters * (raters - 1) / (raters - 2) ** 2
    lost = max(coefficient.of_guesses - coefficient.observed, 0.0) / coefficient.expected
    by_guesser = 2 * lost * float(labels @ labels) / labels.sum() ** 2
    return factor * float(moved @ moved), cluster_degrees(labels), factor * by_guesser**2 / 2


def two_way_estimate(
    coefficient: Callable[[LabelRatings, Level], Coefficient],
    given: GivenLabels,
    level: Level,
    clusters: Integers | None = None,
    confidence: float = 0.95,
) -> Estimate:
    """A coefficient with an interval for other items (clusters) labelled by other raters of the same kind.

    Like `agreement_interval`, with the variance that raters add, and t at the degrees of freedom of
    raters if these are fewer. If that variance is below its least (`variance_of_raters`), the distance d to the
    lower limit becomes sqrt(d^2 + t^2 (least - variance)): guessing raters lower agreement.

    clusters: of each item. Undefined with two raters, which are too few to estimate the variance of raters. Caveat
    "few annotators" below 10 unless there is a more serious one.
    """
    try:
        estimated = coefficient(given.ratings, level)
    except DataError as error:
        return Estimate.undefined(str(error), confidence=confidence)
    pairable = (given.ratings.raters >= PAIR).astype(np.float64)
    influence, sizes = estimated.influence, pairable
    if clusters is not None:
        size = int(clusters.max()) + 1
        influence, sizes = (sum_by_place(clusters, values, size) for values in (influence, sizes))
    beside = (given.per_rater(pairable[given.ratings.items[given.rows]]) > 0).sum()
    if beside <= PAIR:
        why = "two annotators are too few to estimate how others would agree"
        return Estimate.undefined(why, n=int(pairable.sum()), confidence=confidence)
    variance, degrees, least = variance_of_raters(estimated, given)
    estimate = agreement_interval(
        estimated,
        influence,
        sizes,
        np.ones(len(sizes)),
        confidence,
        disputed=disputed_items(given.ratings),
        nominal=level == "nominal",
        of_raters=(variance, degrees),
    )
    if estimate.low is None:
        return estimate
    critical = critical_value(confidence, min(degrees, cluster_degrees(sizes)))
    unseen = critical * sqrt(max(least - variance, 0.0))
    low = max(estimated.value - hypot(estimated.value - estimate.low, unseen), 1 - 1 / estimated.expected, -1.0)
    few = Caveat.FEW_ANNOTATORS if beside < FEW_RATERS else None
    return replace(estimate, low=low, caveat=gravest_caveat(estimate.caveat, few))


def alpha_without_each(given: GivenLabels, level: Level) -> Floats:
    """Krippendorff's alpha without the labels of each rater; NaN if it is undefined.

    Ordinal labels keep the ranks from all labels.
    """
    ratings = given.ratings
    raters = ratings.raters
    pairable = raters >= PAIR
    weight = pairable.astype(np.float64)
    label_counts = ratings.per_label(weight[ratings.items] * ratings.counts)
    cost = cost_of(level, ranks_of(label_counts) if level == "ordinal" else ratings.places)
    disagreement = cost.item_cost(ratings)
    sums, against = ratings.per_item(ratings.counts * disagreement), cost.total_cost(label_counts)
    seen = float(weight @ (sums / np.maximum(raters - 1, 1)))
    items = ratings.items[given.rows]
    before = sums[items] / np.maximum(raters[items] - 1, 1)
    after = (sums[items] - 2 * disagreement[given.rows]) / np.maximum(raters[items] - 2, 1)
    left = raters[items] > PAIR
    seen_without = seen - given.per_rater(np.where(left, before - after, before) * pairable[items])
    dropped = _labels_lost(given, pairable[items], ~left)
    n = label_counts.sum() - dropped.raters
    by_chance = float(label_counts @ against) - 2 * dropped.per_item(dropped.counts * against[dropped.labels])
    by_chance += dropped.per_item(dropped.counts * cost.item_cost(dropped))
    defined = by_chance > _ROUNDING * float(label_counts @ against)
    return np.where(defined, 1 - (n - 1) * seen_without / np.where(defined, by_chance, 1.0), np.nan)


_ROUNDING = 1e-9


def _labels_lost(given: GivenLabels, pairable: NDArray[np.bool_], alone: NDArray[np.bool_]) -> LabelRatings:
    """The labels that no longer count without each rater; raters take the place of items.

    They are the rater's own, and for items with two labels the other one too.
    """
    ratings = given.ratings
    labels = ratings.labels[given.rows]
    items = ratings.items[given.rows]
    other = (ratings.per_item(ratings.counts * ratings.labels)[items] - labels).astype(np.int64)
    both = pairable & alone
    raters = np.concatenate([given.raters[pairable], given.raters[both]])
    codes = np.concatenate([labels[pairable], other[both]])
    width = len(ratings.places)
    cells, counts = np.unique(raters * width + codes, return_counts=True)
    return LabelRatings(cells // width, cells % width, counts.astype(np.float64), np.ones(given.size), ratings.places)
