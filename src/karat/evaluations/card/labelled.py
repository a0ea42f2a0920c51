"""What a judge says of items, and what people say of some of them: the labelled items first, as plain columns."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from karat.errors import DataError
from karat.estimate import Estimate
from karat.evaluations.card.beside import judged, units_of
from karat.evaluations.card.certainties import SURE, shares_of
from karat.evaluations.card.reading import Read
from karat.evaluations.card.sides import Sides
from karat.figures.tables import Keys
from karat.formats.findings import counted
from karat.statistics import Powered, prediction_powered
from karat.statistics.comparison import independent_difference

_UNLIKELY = 0.001
"""How rarely a random sample is taken for none."""
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Labelled:
    """The items of a judge, of which people labelled the first n.

    items: the judge's label of each, its place on the scale, and whatever else is known of it. votes: a row per label
    that people gave one of them: the number of its item, label and place. n: how many items people labelled. apart: how
    items hang together, for `prediction_powered`: a number for each. weights: what each labelled item stands for, if
    they differ.
    """

    items: pl.DataFrame
    votes: pl.DataFrame
    n: int
    apart: Mapping[str, NDArray[np.int64]]
    weights: Floats | None
    confidence: float

    def judge(self, expression: pl.Expr) -> Floats:
        """What the judge's labels come to, of all items."""
        return self.items.select(expression.cast(pl.Float64)).to_series().to_numpy()

    def people(self, expression: pl.Expr) -> Floats:
        """What people's labels come to, of the labelled items: of each the mean over people."""
        said = self.votes.group_by("at").agg(expression.cast(pl.Float64).mean().alias("said"))
        return said.sort("at")["said"].to_numpy()

    def agreement(self) -> Floats:
        """The share of people whose label equals the judge's, of the labelled items."""
        beside = self.votes.join(self.items.head(self.n).select("label", at=pl.int_range(pl.len())), on="at")
        found = beside.group_by("at").agg((pl.col("label") == pl.col("label_right")).mean().alias("said"))
        return found.sort("at")["said"].to_numpy()

    @property
    def sure(self) -> Floats | None:
        """How sure the judge says it is of each item; None where it does not say so of all."""
        if SURE not in self.items.columns or self.items[SURE].has_nulls():
            return None
        return self.items[SURE].to_numpy()

    def accuracy(self) -> Powered:
        """How often people agree with the judge, sharpened by how sure it is, if it says so of all items.

        Else by how often they agree on labelled items that it gives the same label: of a labelled one, on the others;
        where there is none, on all.
        """
        agreement = self.agreement()
        if self.sure is not None:
            return self.powered(agreement, self.sure)
        codes = self.items["label"].rank("dense").to_numpy()
        own = codes[: self.n]
        counted = (np.bincount(own, one, codes.max() + 1)[codes] for one in (agreement, np.ones(self.n)))
        sums, sizes = (one.astype(np.float64) for one in counted)  # of no item numpy counts in whole numbers
        sums[: self.n] -= agreement
        sizes[: self.n] -= 1
        mean = agreement.mean() if self.n else 0.0
        expected: Floats = np.divide(sums, sizes, out=np.full(len(codes), mean), where=sizes > 0)
        return replace(self, apart={**self.apart, "kinds": codes}).powered(agreement, expected)

    def ties(self, sides: Sides) -> bool:
        """Whether anybody gives a label that chooses neither side."""
        said = pl.concat([self.items["label"], self.votes["label"]])
        return bool((~said.is_in([sides.first, sides.second])).any())

    def alone(self, said: Floats, bounds: tuple[float, float] | None = (0.0, 1.0)) -> Estimate:
        """The mean of what the judge says of some items, the last ones of all."""
        return self._mean(said, slice(self.items.height - len(said), None), bounds, self.confidence)

    def unlike(self, labels: Sequence[str]) -> str:
        """How often the judge gives a label on labelled items and on the others, where these are no random sample.

        Empty unless the difference of both shares leaves out 0 at a confidence of 0.999, shared by all labels; and
        where weights or strata say how items were drawn.
        """
        if self.weights is not None or "strata" in self.apart or not 0 < self.n < self.items.height:
            return ""
        confidence = 1 - _UNLIKELY / max(len(labels), 1)
        for label in labels:
            said, places = self.judge(pl.col("label") == label), (slice(self.n), slice(self.n, None))
            seen, rest = (self._mean(said[place], place, (0.0, 1.0), confidence) for place in places)
            apart = independent_difference(seen, rest).estimate
            if apart.low is not None and apart.high is not None and not apart.low <= 0 <= apart.high:
                return f'"{label}" to {seen.value:.0%} of them and to {rest.value:.0%} of the others'
        return ""

    def _mean(self, said: Floats, place: slice, bounds: tuple[float, float] | None, confidence: float) -> Estimate:
        """place: of the items that values are of, among all."""
        units = self.apart["units"][place] if "units" in self.apart else None
        return prediction_powered(said, 0 * said, units=units, bounds=bounds, confidence=confidence).people

    def powered(
        self,
        labels: Floats,
        said: Floats,
        *,
        bounds: tuple[float, float] | None = (0.0, 1.0),
        totals: Floats | None = None,
        among: Flags | None = None,
    ) -> Powered:
        """People's figure and the corrected one.

        labels, totals: of the labelled items. said: what the judge says, of all. among: which of all count; by default
        all do.
        """
        count = np.ones(len(said), dtype=bool) if among is None else among
        seen, rest = np.flatnonzero(count[: self.n]), self.n + np.flatnonzero(count[self.n :])
        hung: dict[str, Any] = {name: codes[seen] for name, codes in self.apart.items()}
        return prediction_powered(
            labels[seen],
            said[seen],
            said[rest],
            totals=None if totals is None else totals[seen],
            weights=None if self.weights is None else self.weights[seen],
            bounds=bounds,
            confidence=self.confidence,
            **hung,
            **{f"other_{name}": codes[rest] for name, codes in self.apart.items()},
        )


def labelled(
    read: Read, options: Mapping[str, Any], labels: pl.DataFrame | None = None
) -> Iterator[tuple[Keys, Labelled]]:
    """Of each group and judge the keys of its rows in tables, and what it and people labelled.

    labels: by default the first that each gives an item. Raises DataError for weights that are missing or no numbers,
    and for missing strata.
    """
    once = (read.once if labels is None else labels).with_columns(pl.col("label").cast(pl.String))
    people = read.of(read.people, once).select("item", "label", "place")
    for keys, rows in judged(read, options["by"], once):
        seen, rest = (rows.join(people, on="item", how=how, maintain_order="left") for how in ("semi", "anti"))
        items = pl.concat([seen, rest])
        if read.has("certainty"):
            sure = shares_of(rows)[0].select(pl.col("item").cast(items["item"].dtype), SURE)
            items = items.join(sure, on="item", how="left", maintain_order="left")
        votes = people.join(seen.select("item", at=pl.int_range(pl.len())), on="item", how="inner")
        weights = _weights(read, seen) if read.has("weights") else None
        yield keys, Labelled(items, votes, seen.height, _apart(items), weights, options["confidence"])


def _apart(items: pl.DataFrame) -> dict[str, NDArray[np.int64]]:
    """Clusters and strata of items as numbers."""
    units = units_of(items)
    found = {} if units is None else {"units": units}
    if "strata" in items.columns:
        found["strata"] = _strata(items).rank("dense").to_numpy()
    return found


def _strata(items: pl.DataFrame) -> pl.Series:
    """The group in which each item may have been drawn. Raises DataError where one has none."""
    named = items.select("item", pl.col("strata").cast(pl.String).str.strip_chars().replace("", None))
    lacking = named.filter(pl.col("strata").is_null())["item"]
    if len(lacking):
        more = _others(len(lacking) - 1, "none")
        raise DataError(
            f"strata: expected a group for each item that a judge labelled; item {lacking[0]} has none{more}. Fill in "
            "the column, or leave out --strata"
        )
    return named["strata"]


def _others(count: int, lacking: str) -> str:
    return f"; {counted(count, 'other item has', 'other items have')} {lacking} either" if count else ""


def _weights(read: Read, seen: pl.DataFrame) -> Floats:
    """What each item stands for that a judge and people labelled."""
    own = read.labels.select("item", weight=pl.col("weights").cast(pl.String).str.strip_chars())
    own = own.filter(pl.col("weight") != "").unique("item", keep="first", maintain_order=True)
    found = seen.select("item").join(own, on="item", how="left", maintain_order="left")
    number = pl.col("weight").cast(pl.Float64, strict=False)
    wrong = found.filter(~((number > 0) & number.is_finite()).fill_null(value=False))
    if wrong.height:
        item, weight = wrong.row(0)
        got = "no weight" if weight is None else f'the weight "{weight}"'
        raise DataError(
            f"weights: expected a number above 0 for each item that people labelled; item {item} has {got}"
            f"{_others(wrong.height - 1, 'no such number')}"
        )
    return found.select(number).to_series().to_numpy()
