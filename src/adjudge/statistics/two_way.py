"""Agreement among raters, generalised to other raters; requires the rater of each label."""

from collections.abc import Callable
from dataclasses import replace
from math import hypot, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import DataError
from adjudge.estimate import Caveat, Estimate, gravest_caveat
from adjudge.statistics.agreement import sum_by_place
from adjudge.statistics.clusters import Floats, Integers, cluster_degrees
from adjudge.statistics.quantiles import critical_value
from adjudge.statistics.raters import (
    PAIR,
    Coefficient,
    LabelRatings,
    Level,
    agreement_interval,
    cost_of,
    disputed_items,
    ranks_of,
)

TWO = "two annotators are too few to estimate how others would agree"
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
        return Estimate.undefined(TWO, n=int(pairable.sum()), confidence=confidence)
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
