"""How far labels disagree, as names, ranks or numbers: those of an item among themselves, and any among all."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from adjudge.statistics._checks import Floats, Integers
from adjudge.statistics.contingency import sum_by_place

Level = Literal["nominal", "ordinal", "interval", "ratio"]
"""What labels are: names; places in an order; numbers whose differences count; numbers whose ratios count."""

LEVELS: tuple[Level, ...] = get_args(Level)
_HELD = 1 << 22
"""Pairs of labels that are held at once."""


@dataclass(frozen=True, eq=False)
class LabelRatings:
    """How many raters gave an item which label, whoever they are.

    items, labels: their numbers from 0, a row for each label that an item has, in the order of items, then of labels.
    counts: how many raters gave it. times: of each item, how many there are of its kind. places: of each label, where
    it stands on the scale, in rising order; of names, any numbers. declared: whether these are all labels that could be
    given, and not only those that were.
    """

    items: Integers
    labels: Integers
    counts: Floats
    times: Floats
    places: Floats
    declared: bool = False

    @property
    def label_may_be_missing(self) -> bool:
        """Whether a label occurs on a single item, and so others may exist, unless labels are declared.

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

    def cost(self, first: Floats, second: Floats) -> Floats:  # noqa: ARG002 - of costs that depend on the places
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
        rest: Floats = shares.sum() - shares
        return rest


@dataclass(frozen=True, eq=False)
class SquaredCost(Cost):
    """The squared distance of two labels."""

    def cost(self, first: Floats, second: Floats) -> Floats:
        """(x - y)^2."""
        squares: Floats = (first - second) ** 2
        return squares

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
        costs: Floats = steps * (steps + 1) / 2
        return costs

    def total_cost(self, shares: Floats) -> Floats:
        """Half the sum of the squared distances and the distances, weighted by the shares."""
        x = self.places
        below, part = np.cumsum(shares) - shares, np.cumsum(shares * x) - shares * x
        distances = x * (2 * below - shares.sum()) + float(x @ shares) - 2 * part
        costs: Floats = (SquaredCost(x).total_cost(shares) + distances) / 2
        return costs


@dataclass(frozen=True, eq=False)
class RatioCost(Cost):
    """((x - y) / (x + y))^2. places: from 0. Over all labels it takes the square of their number in time."""

    def cost(self, first: Floats, second: Floats) -> Floats:
        """((x - y) / (x + y))^2; 0 for equal labels, both of which may be 0."""
        both = first + second
        costs: Floats = np.divide(first - second, both, out=np.zeros(np.shape(both)), where=both > 0) ** 2
        return costs

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
