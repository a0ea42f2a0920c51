"""Items of which some were labelled: what each of these stands for, and the variance of means over all."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from adjudge.statistics._checks import Floats, Integers

ALIKE = 1e-9
"""By no more than this share weights that are equal seem to differ."""
ROUNDING = 1e-14
"""What is no more than this is a rounding error."""


@dataclass(frozen=True)
class Sample:
    """How n of M items were labelled.

    counts: how many items each labelled one stands for. strata, units: of all items, the labelled ones first, as whole
    numbers from 0; no units: each item by itself. totals: X of labelled items.
    """

    counts: Floats
    strata: Integers
    units: Integers | None
    totals: Floats

    def per_unit(self, values: Floats) -> Floats:
        """Sums over units of values of all items, or of the labelled ones alone."""
        if self.units is None:
            return np.concatenate([values, np.zeros(len(self.strata) - len(values))])
        sums: Floats = np.bincount(self.units[: len(values)], values, int(self.units.max()) + 1).astype(np.float64)
        return sums

    @cached_property
    def parts(self) -> Floats:
        """The share of each label in all of them."""
        parts: Floats = self.counts * self.totals / (self.counts @ self.totals)
        return parts

    @cached_property
    def sizes(self) -> Floats:
        """The share of the labels in each unit that has labels."""
        sizes_of_units = self.per_unit(self.parts)
        return sizes_of_units[sizes_of_units > 0]

    @property
    def unequal(self) -> bool:
        """Whether labels stand for different numbers of items."""
        return bool(np.ptp(self.counts) > ALIKE * self.counts.max())

    @property
    def equally_weighted(self) -> bool:
        """Whether each label stands for itself and counts as any other, or not at all."""
        plain = self.units is None and not self.strata.any() and not self.unequal
        return bool(plain and np.isin(self.totals, (0, 1)).all())

    @cached_property
    def leverage(self) -> Floats:
        """The share of the labels of its stratum in each unit."""
        labelled = self.strata[: len(self.counts)]
        parts = self.counts * self.totals
        wholes = np.bincount(labelled, parts)[labelled]
        return self.per_unit(np.divide(parts, wholes, out=np.zeros_like(parts), where=wholes > 0))

    def variance(self, left: Floats, predicted: Floats) -> float:
        """The variance of the mean of `predicted` over all items plus the mean of `left` over labelled items."""
        rest = 1 - self.leverage
        squares = self.contributions(left, predicted) ** 2
        return float(np.divide(squares, rest, out=np.zeros_like(squares), where=rest > ROUNDING).sum())

    def contributions(self, left: Floats, predicted: Floats) -> Floats:
        """What each unit adds to that mean, less its expectation."""
        labelled = self.strata[: len(left)]
        means = np.bincount(labelled, self.counts * left) / np.bincount(labelled, self.counts)
        adjusted = predicted + means[self.strata]
        added = (adjusted - adjusted.mean()) / len(adjusted)
        added[: len(left)] += self.counts * (left - means[labelled]) / self.counts.sum()
        return self.per_unit(added)

    def unevenness(self, left: Floats) -> float:
        """The unevenness of what labelled units add to a variance."""
        labelled = self.strata[: len(left)]
        means = np.bincount(labelled, self.counts * left) / np.bincount(labelled, self.counts)
        sums = self.per_unit(self.counts * (left - means[labelled]))
        squares = sums[self.leverage > 0] ** 2
        mean = float(squares.mean())
        return float(squares.var()) / mean**2 if mean > ROUNDING else 0.0


def counts_of(given: Floats, strata: Integers) -> Floats:
    """How many items each labelled one stands for; all 0 where a stratum has no labels."""
    if not strata.any():
        return given
    labelled, items = strata[: len(given)], np.bincount(strata)
    drawn = np.bincount(labelled, given, len(items))
    weights: Floats = given / drawn[labelled] * items[labelled] if drawn.all() else 0 * given
    return weights
