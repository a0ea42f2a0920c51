"""A judge's scores in windows of time."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from karat.estimate import Estimate
from karat.evaluations.card.beside import Codes, mean_of, units_of
from karat.figures.tables import Keys, figure_row
from karat.statistics.comparison import Comparison, independent_difference
from karat.statistics.scores import mean_change
from karat.statistics.windows import change_point

_NO_ANCHORS = "no item is labelled in every window"
_UNKNOWN = "unknown"
"""Since when a judge changed, where windows have nothing in common to tell it by."""
_NO_OTHERS = "all items are anchors in one of the windows"

Found = tuple[str, Estimate, float | None]
"""A metric, its figure, and p where it is tested."""


@dataclass(frozen=True, eq=False)
class OverTime:
    """A judge's scores. windows: in their order; items: a row per item and window; anchors: items x windows.

    changed: of each anchor whether its label is another than in the first window. units: the clusters of anchors.
    shares: whether scores lie between 0 and 1.
    """

    windows: Sequence[str]
    items: pl.DataFrame
    others: pl.DataFrame
    anchors: NDArray[np.float64]
    changed: NDArray[np.float64]
    units: Codes | None
    confidence: float
    shares: bool

    @classmethod
    def of(cls, scored: pl.DataFrame, order: Sequence[str], confidence: float, *, shares: bool) -> Self:
        """From labels with item, window, label and score."""
        windows = [one for one in order if one in set(scored["window"])]
        everywhere = pl.len().over("item") == len(windows)
        anchors = scored.filter(everywhere).sort(
            "item", pl.col("window").replace_strict(windows, range(len(windows)), return_dtype=pl.Int64)
        )
        shape = (anchors.height // max(len(windows), 1), len(windows))
        labels = anchors["label"].cast(pl.String).to_numpy().reshape(shape)
        return cls(
            windows,
            scored,
            scored.filter(~everywhere),
            anchors["score"].to_numpy().reshape(shape),
            (labels != labels[:, :1]).astype(np.float64),
            units_of(anchors[:: len(windows)]),
            confidence,
            shares,
        )

    def rows(self, keys: Keys) -> list[Keys]:
        """Rows of a table of tests, without p_adjusted."""
        return [
            {**figure_row({**keys, "window": window}, metric, found), "p": p}
            for nth, window in enumerate(self.windows)
            for metric, found, p in self._of_window(nth)
        ]

    def drift(self, keys: Keys) -> list[Keys]:
        """Where anchors change most."""
        change = change_point(self.anchors, self.units, confidence=self.confidence)
        metric = f"{self._name}_drift"
        if change is None:
            reason = _NO_ANCHORS if len(self.windows) > 1 else "the judge has labels in one window only"
            none = Estimate.undefined(reason, confidence=self.confidence)
            return [{**figure_row({**keys, "since": _UNKNOWN}, metric, none), "p": None}]
        since = self.windows[change.window]
        return [{**figure_row({**keys, "since": since}, metric, change.found.estimate), "p": change.found.p}]

    @property
    def _name(self) -> str:
        return "agreement" if self.shares else "distance"

    def _of_window(self, nth: int) -> Iterator[Found]:
        name, inside = self._name, pl.col("window") == self.windows[nth]
        yield f"window_{name}", self._mean(self.items.filter(inside)), None
        yield f"anchor_{name}", self._of_anchors(self.anchors[:, nth], shares=self.shares), None
        if nth == 0:
            return
        change = mean_change(
            (self.anchors[:, nth] - self.anchors[:, 0]).round(12), self.units, confidence=self.confidence
        )
        if not len(self.anchors):
            change = Comparison(Estimate.undefined(_NO_ANCHORS, confidence=self.confidence), None)
        other = self._change_of_others(nth)
        of_items = independent_difference(other.estimate, change.estimate)
        yield f"anchor_{name}_change", change.estimate, change.p
        yield "anchor_changed", self._of_anchors(self.changed[:, nth], shares=True), None
        yield f"other_{name}_change", other.estimate, other.p
        yield f"items_{name}_change", of_items.estimate, of_items.p

    def _change_of_others(self, nth: int) -> Comparison:
        now, first = (self._mean(self.others.filter(pl.col("window") == self.windows[one])) for one in (nth, 0))
        if now.value is None or first.value is None:
            return Comparison(Estimate.undefined(_NO_OTHERS, confidence=self.confidence), None)
        return independent_difference(now, first)

    def _mean(self, rows: pl.DataFrame) -> Estimate:
        return mean_of(rows["score"].to_numpy(), units_of(rows), self.confidence, shares=self.shares)

    def _of_anchors(self, scores: NDArray[np.float64], *, shares: bool) -> Estimate:
        if not len(scores):
            return Estimate.undefined(_NO_ANCHORS, confidence=self.confidence)
        return mean_of(scores, self.units, self.confidence, shares=shares)
