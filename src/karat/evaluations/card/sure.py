"""The figures of one judge's certainties."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from karat.estimate import Estimate
from karat.evaluations.card.beside import Codes, units_of
from karat.evaluations.card.certainties import RIGHT, SURE
from karat.evaluations.card.figures import mean_gap
from karat.statistics.calibration import (
    calibration_curve,
    equal_bins,
    kept_from,
    miscalibration,
    risk_coverage_area,
    thresholds,
)
from karat.statistics.comparison import Comparison
from karat.statistics.scores import mean_change, mean_score, sums_of

Floats = NDArray[np.float64]

_COVERAGES = np.arange(1, 11) / 10
_EVERY = np.arange(1, 101) / 100
_LEAST_KEPT = 30
"""With fewer items kept nothing is said to be sure enough."""
_NO_CEILING = "no item that two or more people labelled: what people reach among themselves is unknown"
_NEVER = "whatever its certainty, on 30 items or more it agrees with people less often than they do with one another"


@dataclass(frozen=True, eq=False)
class Sure:
    """A judge's items: how sure it is of its label, and whether that is right.

    beyond: the share of people who agree with it, less that of pairs of people who agree; NaN where that is unknown.
    """

    certainty: Floats
    right: Floats
    beyond: Floats
    units: Codes | None
    confidence: float

    @classmethod
    def of(cls, rows: pl.DataFrame, confidence: float) -> Self:
        """From outcomes with certainties."""
        parts = rows.select(SURE, RIGHT, beyond=(pl.col("agrees") - pl.col("ceiling")).cast(pl.Float64))
        certainty, right, beyond = (part.to_numpy() for part in parts)
        return cls(certainty, right, beyond, units_of(rows), confidence)

    def whole(self) -> Iterator[tuple[str, Estimate, float | None]]:
        """The figures of all items, with the p of those that are tested."""
        error = miscalibration(self.certainty, self.right, self.units, confidence=self.confidence)
        gap = self._mean(self.certainty - self.right)
        n = len(self.right)
        yield "mean_certainty", mean_score(self.certainty, self.units, confidence=self.confidence), None
        yield "right", mean_score(self.right, self.units, confidence=self.confidence), None
        yield "overconfidence", gap.estimate, gap.p
        yield "plain_error", Estimate(error.plain, n=n, confidence=self.confidence), None
        yield "error_by_chance", Estimate(error.by_chance, n=n, confidence=self.confidence), None
        yield "calibration_error", error.corrected, None
        squares = self.right * (1 - self.certainty) ** 2 + (1 - self.right) * self.certainty**2
        yield "brier", mean_score(squares, self.units, confidence=self.confidence), None

    def curve(self) -> Iterator[tuple[float, str, Estimate]]:
        """Of each bin its mean certainty, the share that is right, and how far it is below."""
        bins = equal_bins(self.certainty)
        found = calibration_curve(self.certainty, self.right, self.units, confidence=self.confidence)
        for number, one in enumerate(found):
            inside = bins == number
            yield one.certainty, "right", one.right
            yield one.certainty, "gap", self._mean(self.certainty - self.right, inside).estimate

    def kept(self) -> Iterator[tuple[float, str, Estimate]]:
        """What is kept from each of ten thresholds on."""
        for threshold in thresholds(self.certainty, _COVERAGES):
            one = kept_from(self.certainty, self.right, float(threshold), self.units, confidence=self.confidence)
            n = one.right.n
            yield one.coverage, "threshold", Estimate(one.threshold, n=n, confidence=self.confidence)
            yield one.coverage, "kept_right", one.right
            yield one.coverage, "kept_difference", self._beside_people(self.certainty >= threshold)

    def enough(self) -> Iterator[tuple[str, Estimate]]:
        """The area; from which certainty on the judge agrees as often as people do, and how many items reach it."""
        yield "risk_area", risk_coverage_area(self.certainty, self.right, self.units, confidence=self.confidence)
        yield from self._enough().items()

    def _enough(self) -> dict[str, Estimate]:
        known = ~np.isnan(self.beyond)
        if not known.any():
            none = Estimate.undefined(_NO_CEILING, confidence=self.confidence)
            return {"enough_certainty": none, "enough_coverage": none}
        for threshold in thresholds(self.certainty, _EVERY)[::-1]:
            inside = (self.certainty >= threshold) & known
            if inside.sum() >= _LEAST_KEPT and self.beyond[inside].mean() >= -_ROUNDING:
                share = mean_score((self.certainty >= threshold).astype(float), self.units, confidence=self.confidence)
                found = Estimate(float(threshold), n=int(inside.sum()), confidence=self.confidence)
                return {"enough_certainty": found, "enough_coverage": share}
        never = Estimate.undefined(_NEVER, confidence=self.confidence)
        return {"enough_certainty": never, "enough_coverage": never}

    def _beside_people(self, inside: NDArray[np.bool_]) -> Estimate:
        """As in the table judges, of all items."""
        known = inside & ~np.isnan(self.beyond)
        if not known.any():
            return Estimate.undefined(_NO_CEILING, confidence=self.confidence)
        values, units = self.beyond[known].round(12), None if self.units is None else self.units[known]
        sums, sizes = sums_of(values, units)
        each = None if units is None else sizes
        return mean_gap(float(values.mean()), sums, each, np.ones(len(sums)), self.confidence)

    def _mean(self, values: Floats, inside: NDArray[np.bool_] | None = None) -> Comparison:
        """The mean of real values, and the test that it is 0."""
        chosen = np.ones(len(values), dtype=bool) if inside is None else inside
        return mean_change(
            values[chosen], None if self.units is None else self.units[chosen], confidence=self.confidence
        )


_ROUNDING = 1e-12
