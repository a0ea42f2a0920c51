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
    it stands on the scale, in rising order; of names, any numbers.
    """

    items: Integers
    labels: Integers
    counts: Floats
    times: Floats
    places: Floats

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
    """How far two different labels disagree: as names do, which differ or not. places: of labels, in rising order."""

    places: Floats

    @property
    def greatest(self) -> float:
        """The greatest disagreement of two labels, the first and the last."""
        return float(self.cost(self.places[-1:], self.places[:1])[0])

    def cost(self, one: Floats, other: Floats) -> Floats:  # noqa: ARG002 - of costs that depend on the places
        """The disagreement of labels at different places."""
        return np.ones(len(one))

    def item_cost(self, ratings: LabelRatings) -> Floats:
        """Of each row the sum of its label's disagreements with all labels of the item."""
        found, places = np.zeros(len(ratings.items)), self.places[ratings.labels]
        rows, apart = np.arange(len(ratings.items)), 0
        while len(rows):  # every two rows of an item, by how many rows lie between them
            apart += 1
            rows = rows[: np.searchsorted(rows, len(ratings.items) - apart)]
            rows = rows[ratings.items[rows] == ratings.items[rows + apart]]
            costs = self.cost(places[rows + apart], places[rows])
            found[rows] += ratings.counts[rows + apart] * costs
            found[rows + apart] += ratings.counts[rows] * costs
        return found

    def total_cost(self, shares: Floats) -> Floats:
        """Of each label the sum of its disagreements with all labels, each counted as its share says."""
        rest: Floats = shares.sum() - shares
        return rest


@dataclass(frozen=True, eq=False)
class SquaredCost(Cost):
    """The square of how far apart they are."""

    def cost(self, one: Floats, other: Floats) -> Floats:
        """(x - y)^2."""
        squares: Floats = (one - other) ** 2
        return squares

    def total_cost(self, shares: Floats) -> Floats:
        """x^2 sum p - 2 x sum p y + sum p y^2."""
        x = self.places - self.places[0]
        found: Floats = x**2 * shares.sum() - 2 * x * float(x @ shares) + float(x**2 @ shares)
        return np.maximum(found, 0.0)


@dataclass(frozen=True, eq=False)
class StepCost(Cost):
    """d (d + 1) / 2 for labels that are d places apart: how many pairs of labels lie from one to the other.

    places: 0, 1, 2 ...
    """

    def cost(self, one: Floats, other: Floats) -> Floats:
        """The same."""
        steps = np.abs(one - other)
        found: Floats = steps * (steps + 1) / 2
        return found

    def total_cost(self, shares: Floats) -> Floats:
        """Half of the squared distances and the distances."""
        x = self.places
        below, part = np.cumsum(shares) - shares, np.cumsum(shares * x) - shares * x
        distances = x * (2 * below - shares.sum()) + float(x @ shares) - 2 * part
        found: Floats = (SquaredCost(x).total_cost(shares) + distances) / 2
        return found


@dataclass(frozen=True, eq=False)
class RatioCost(Cost):
    """((x - y) / (x + y))^2. places: from 0. Over all labels it takes the square of their number in time."""

    def cost(self, one: Floats, other: Floats) -> Floats:
        """The same; 0 for equal labels, of which both may be 0."""
        both = one + other
        found: Floats = np.divide(one - other, both, out=np.zeros(np.shape(both)), where=both > 0) ** 2
        return found

    def total_cost(self, shares: Floats) -> Floats:
        """In blocks of labels."""
        step = max(_HELD // max(len(self.places), 1), 1)
        starts = range(0, len(self.places), step)
        return np.concatenate([self.cost(self.places[one : one + step, None], self.places) @ shares for one in starts])


def cost_of(level: Level, places: Floats) -> Cost:
    """How Krippendorff's alpha weighs disagreements. places: of an order, the ranks of its labels."""
    if level == "ratio":
        return RatioCost(places)
    return Cost(places) if level == "nominal" else SquaredCost(places)


def weights_of(level: Level, places: Floats) -> Cost:
    """How all other figures weigh them; 1 minus Gwet's weights, times the greatest."""
    return StepCost(np.arange(len(places), dtype=np.float64)) if level == "ordinal" else cost_of(level, places)
