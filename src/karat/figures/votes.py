"""Strength: how far one annotator's votes agree with another's, weighted by how often it votes at all."""

from dataclasses import dataclass, field

import polars as pl

from karat.estimate import Estimate
from karat.figures.cells import Cells, Floats, Integers, Mask
from karat.figures.figure import Figure, Limits, Linearised, mask, real
from karat.statistics import (
    Comparison,
    clustered_strength,
    clustered_strength_product,
    strength,
    strength_product,
)


@dataclass(frozen=True, eq=False)
class Strength(Figure):
    """(2 a / m - 1) (v / n): kappa with a chance of one half, times relevance.

    agree, compared: a of the m rows on which both vote validly. valid, population: v of the n rows on which the
    annotator's own vote is valid.
    """

    agree: pl.Expr
    compared: pl.Expr
    valid: pl.Expr
    population: pl.Expr
    between: Limits | None = field(default=(-1.0, 1.0), kw_only=True)

    def counted(self, states: pl.DataFrame) -> Mask:
        """The population."""
        return mask(states, self.population)

    def _masks(self, states: pl.DataFrame) -> tuple[Floats, Floats, Floats, Floats]:
        a, m, v, n = (real(mask(states, one)) for one in (self.agree, self.compared, self.valid, self.population))
        return a, m, v * n, n

    def linearise(self, states: pl.DataFrame, counts: Integers) -> Linearised:
        """2 R ([agree] - p [compared]) / m + K ([valid] - R [population]) / n; p = a / m, K = 2 p - 1, R = v / n."""
        a, m, v, n = self._masks(states)
        agree, compared, valid, whole = (float(counts @ one) for one in (a, m, v, n))
        if not compared or not whole:
            return self.undefined(states)
        accuracy, relevance = agree / compared, valid / whole
        of_kappa = 2 * (a - accuracy * m) / compared
        of_relevance = (v - relevance * n) / whole
        kappa = 2 * accuracy - 1
        # Where both rest on the same rows, compared cancels: one division, as in `karat.statistics.strength`.
        value = (2 * agree - compared) / whole if valid == compared else kappa * relevance
        return Linearised(value, relevance * of_kappa + kappa * of_relevance)

    def estimate(self, cells: Cells, confidence: float) -> Estimate:
        """Tango's interval where relevance rests on the compared rows alone, else MOVER of both factors."""
        return self.tested(cells, confidence).estimate

    def tested(self, cells: Cells, confidence: float) -> Comparison:
        """By the construction of the interval: p is below 1 - confidence where that leaves out 0."""
        masks = self._masks(cells.states)
        agree, compared, valid, n = (int(cells.totals @ one) for one in masks)
        if not compared:
            return Comparison(Estimate.undefined(self.reason, n=n, confidence=confidence), None)
        if cells.units is None:
            if valid == compared:
                return strength(agree, compared - agree, n, confidence=confidence)
            return strength_product(agree, compared, valid, n, confidence=confidence)
        a, m, v, whole = (cells.per_unit(one) for one in masks)
        if valid == compared:
            return clustered_strength(a, m - a, whole, confidence=confidence)
        return clustered_strength_product(a, m, v, whole, confidence=confidence)
