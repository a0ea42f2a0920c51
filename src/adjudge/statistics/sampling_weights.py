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
        found: Floats = np.bincount(self.units[: len(values)], values, int(self.units.max()) + 1).astype(np.float64)
        return found

    @cached_property
    def parts(self) -> Floats:
        """The share of each label in all of them."""
        parts: Floats = self.counts * self.totals / (self.counts @ self.totals)
        return parts

    @cached_property
    def sizes(self) -> Floats:
        """The share of the labels in each unit that has labels."""
        found = self.per_unit(self.parts)
        return found[found > 0]

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
        own = self.strata[: len(self.counts)]
        parts = self.counts * self.totals
        wholes = np.bincount(own, parts)[own]
        return self.per_unit(np.divide(parts, wholes, out=np.zeros_like(parts), where=wholes > 0))

    def variance(self, left: Floats, said: Floats) -> float:
        """Of the mean of `said` over all items plus that of what is left of the labelled ones."""
        own = self.strata[: len(left)]
        means = np.bincount(own, self.counts * left) / np.bincount(own, self.counts)
        told = said + means[self.strata]
        added = (told - told.mean()) / len(told)
        added[: len(left)] += self.counts * (left - means[own]) / self.counts.sum()
        rest = 1 - self.leverage
        squares = self.per_unit(added) ** 2
        return float(np.divide(squares, rest, out=np.zeros_like(squares), where=rest > ROUNDING).sum())

    def unevenness(self, left: Floats) -> float:
        """Of what labelled units add to a variance."""
        own = self.strata[: len(left)]
        means = np.bincount(own, self.counts * left) / np.bincount(own, self.counts)
        sums = self.per_unit(self.counts * (left - means[own]))
        squares = sums[self.leverage > 0] ** 2
        mean = float(squares.mean())
        return float(squares.var()) / mean**2 if mean > ROUNDING else 0.0


def counts_of(given: Floats, strata: Integers) -> Floats:
    """How many items each labelled one stands for; all 0 where a stratum has no labels."""
    if not strata.any():
        return given
    own, items = strata[: len(given)], np.bincount(strata)
    drawn = np.bincount(own, given, len(items))
    found: Floats = given / drawn[own] * items[own] if drawn.all() else 0 * given
    return found
