"""The items of a judge, of which people labelled some: labels as columns, and estimates by both."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from adjudge.errors import DataError
from adjudge.estimate import Estimate
from adjudge.evaluations.card.calibration import CONFIDENCE, confidence_shares
from adjudge.evaluations.card.reading import CardLabels, ChoiceLabels
from adjudge.evaluations.card.tables import cluster_numbers, labels_by_judge
from adjudge.metrics.tables import Keys
from adjudge.readers.problems import counted
from adjudge.statistics import Powered, prediction_powered
from adjudge.statistics.comparison import independent_difference

_UNLIKELY = 0.001
"""How rarely a random sample is taken for none."""
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class LabelSample:
    """The items of a judge, the first n of which people labelled.

    items: the judge's label of each, its place on the scale, and whatever else is known of it. votes: a row per label
    that people gave one of them: the number of its item, label and place. n: how many items people labelled. groupings:
    clusters and strata of items, for `prediction_powered`: a number for each item. weights: how many items each
    labelled one stands for, if they differ.
    """

    items: pl.DataFrame
    votes: pl.DataFrame
    n: int
    groupings: Mapping[str, NDArray[np.int64]]
    weights: Floats | None
    confidence: float

    def judge_values(self, expression: pl.Expr) -> Floats:
        """An expression of the judge's labels, for all items."""
        return self.items.select(expression.cast(pl.Float64)).to_series().to_numpy()

    def people_values(self, expression: pl.Expr) -> Floats:
        """An expression of people's labels, for labelled items: the mean over people."""
        said = self.votes.group_by("at").agg(expression.cast(pl.Float64).mean().alias("said"))
        return said.sort("at")["said"].to_numpy()

    def agreement(self) -> Floats:
        """The share of people whose label equals the judge's, of the labelled items."""
        beside = self.votes.join(self.items.head(self.n).select("label", at=pl.int_range(pl.len())), on="at")
        found = beside.group_by("at").agg((pl.col("label") == pl.col("label_right")).mean().alias("said"))
        return found.sort("at")["said"].to_numpy()

    @property
    def judge_confidence(self) -> Floats | None:
        """The judge's confidence per item; None unless it is given for all items."""
        if CONFIDENCE not in self.items.columns or self.items[CONFIDENCE].has_nulls():
            return None
        return self.items[CONFIDENCE].to_numpy()

    def accuracy(self) -> Powered:
        """How often people agree with the judge, estimated with its confidence if it is given for all items.

        Else by how often they agree on labelled items that it gives the same label: of a labelled one, on the others;
        where there is none, on all.
        """
        agreement = self.agreement()
        if self.judge_confidence is not None:
            return self.estimate(agreement, self.judge_confidence)
        codes = self.items["label"].rank("dense").to_numpy()
        own = codes[: self.n]
        counted = (np.bincount(own, one, codes.max() + 1)[codes] for one in (agreement, np.ones(self.n)))
        sums, sizes = (one.astype(np.float64) for one in counted)  # of no item numpy counts in whole numbers
        sums[: self.n] -= agreement
        sizes[: self.n] -= 1
        mean = agreement.mean() if self.n else 0.0
        expected: Floats = np.divide(sums, sizes, out=np.full(len(codes), mean), where=sizes > 0)
        return replace(self, groupings={**self.groupings, "kinds": codes}).estimate(agreement, expected)

    def has_ties(self, sides: ChoiceLabels) -> bool:
        """Whether any label chooses neither response."""
        said = pl.concat([self.items["label"], self.votes["label"]])
        return bool((~said.is_in([sides.first, sides.second])).any())

    def judge_mean(self, said: Floats, bounds: tuple[float, float] | None = (0.0, 1.0)) -> Estimate:
        """The mean of the judge's values on the last items."""
        return self._mean(said, slice(self.items.height - len(said), None), bounds, self.confidence)

    def sampling_bias(self, labels: Sequence[str]) -> str:
        """Why labelled items are no random sample: how often the judge gives a label on them and on the others.

        Empty unless the difference of both shares leaves out 0 at a confidence of 0.999, shared by all labels; and
        where weights or strata say how items were drawn.
        """
        if self.weights is not None or "strata" in self.groupings or not 0 < self.n < self.items.height:
            return ""
        confidence = 1 - _UNLIKELY / max(len(labels), 1)
        for label in labels:
            said, places = self.judge_values(pl.col("label") == label), (slice(self.n), slice(self.n, None))
            seen, rest = (self._mean(said[place], place, (0.0, 1.0), confidence) for place in places)
            apart = independent_difference(seen, rest).estimate
            if apart.low is not None and apart.high is not None and not apart.low <= 0 <= apart.high:
                return f'"{label}" to {seen.value:.0%} of them and to {rest.value:.0%} of the others'
        return ""

    def _mean(self, said: Floats, place: slice, bounds: tuple[float, float] | None, confidence: float) -> Estimate:
        """The mean of the judge's values. place: of these items among all."""
        units = self.groupings["units"][place] if "units" in self.groupings else None
        return prediction_powered(said, 0 * said, units=units, bounds=bounds, confidence=confidence).people

    def estimate(
        self,
        labels: Floats,
        said: Floats,
        *,
        bounds: tuple[float, float] | None = (0.0, 1.0),
        totals: Floats | None = None,
        among: Flags | None = None,
    ) -> Powered:
        """The estimate by people's labels, and the corrected one.

        labels, totals: of the labelled items. said: what the judge says, of all. among: which of all count; by default
        all do.
        """
        count = np.ones(len(said), dtype=bool) if among is None else among
        seen, rest = np.flatnonzero(count[: self.n]), self.n + np.flatnonzero(count[self.n :])
        hung: dict[str, Any] = {name: codes[seen] for name, codes in self.groupings.items()}
        return prediction_powered(
            labels[seen],
            said[seen],
            said[rest],
            totals=None if totals is None else totals[seen],
            weights=None if self.weights is None else self.weights[seen],
            bounds=bounds,
            confidence=self.confidence,
            **hung,
            **{f"other_{name}": codes[rest] for name, codes in self.groupings.items()},
        )


def label_samples(
    card: CardLabels, options: Mapping[str, Any], labels: pl.DataFrame | None = None
) -> Iterator[tuple[Keys, LabelSample]]:
    """The sample of each group and judge, with the keys of its rows in tables.

    labels: by default the first that each gives an item. Raises DataError for weights that are missing or no numbers,
    and for missing strata.
    """
    once = (card.first_labels if labels is None else labels).with_columns(pl.col("label").cast(pl.String))
    people = card.labels_by(card.people, once).select("item", "label", "place")
    for keys, rows in labels_by_judge(card, options["by"], once):
        seen, rest = (rows.join(people, on="item", how=how, maintain_order="left") for how in ("semi", "anti"))
        items = pl.concat([seen, rest])
        if card.has("certainty"):
            sure = confidence_shares(rows)[0].select(pl.col("item").cast(items["item"].dtype), CONFIDENCE)
            items = items.join(sure, on="item", how="left", maintain_order="left")
        votes = people.join(seen.select("item", at=pl.int_range(pl.len())), on="item", how="inner")
        weights = _item_weights(card, seen) if card.has("weights") else None
        yield keys, LabelSample(items, votes, seen.height, _item_groupings(items), weights, options["confidence"])


def _item_groupings(items: pl.DataFrame) -> dict[str, NDArray[np.int64]]:
    """Clusters and strata of items as numbers."""
    units = cluster_numbers(items)
    found = {} if units is None else {"units": units}
    if "strata" in items.columns:
        found["strata"] = _item_strata(items).rank("dense").to_numpy()
    return found


def _item_strata(items: pl.DataFrame) -> pl.Series:
    """The stratum of each item. Raises DataError for an item without one."""
    named = items.select("item", pl.col("strata").cast(pl.String).str.strip_chars().replace("", None))
    lacking = named.filter(pl.col("strata").is_null())["item"]
    if len(lacking):
        more = _more_items(len(lacking) - 1, "none")
        raise DataError(
            f"strata: expected a group for each item that a judge labelled; item {lacking[0]} has none{more}. Fill in "
            "the column, or leave out --strata"
        )
    return named["strata"]


def _more_items(count: int, lacking: str) -> str:
    return f"; {counted(count, 'other item has', 'other items have')} {lacking} either" if count else ""


def _item_weights(card: CardLabels, seen: pl.DataFrame) -> Floats:
    """How many items each item stands for that people labelled."""
    own = card.labels.select("item", weight=pl.col("weights").cast(pl.String).str.strip_chars())
    own = own.filter(pl.col("weight") != "").unique("item", keep="first", maintain_order=True)
    found = seen.select("item").join(own, on="item", how="left", maintain_order="left")
    number = pl.col("weight").cast(pl.Float64, strict=False)
    wrong = found.filter(~((number > 0) & number.is_finite()).fill_null(value=False))
    if wrong.height:
        item, weight = wrong.row(0)
        got = "no weight" if weight is None else f'the weight "{weight}"'
        raise DataError(
            f"weights: expected a number above 0 for each item that people labelled; item {item} has {got}"
            f"{_more_items(wrong.height - 1, 'no such number')}"
        )
    return found.select(number).to_series().to_numpy()
