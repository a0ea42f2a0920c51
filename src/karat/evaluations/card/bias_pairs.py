"""Bias of choices between two responses for the place where they are shown."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from karat.about import Metric
from karat.errors import OptionError
from karat.estimate import Estimate
from karat.evaluations.card.beside import by_item, contrast, contrast_rows, judged, units_of
from karat.evaluations.card.found import SHARES, Found
from karat.evaluations.card.reading import Read
from karat.evaluations.card.sides import NO_SIDES, Sides, first_shown, sides_of
from karat.figures.tables import Keys, figure_row
from karat.formats.findings import listed
from karat.statistics.scores import mean_change, mean_score

ORDERS = {
    "inconsistency": Metric(
        "Changes with the order",
        "Items on which the judge chooses another response when the two are shown in the other order / items judged in "
        "both orders; of several draws, the share of pairs of them.",
        better="low",
    ),
    "place_preference": Metric(
        "For the first place",
        "Over both orders of the same items, how much more often the judge chooses what is shown first than what is "
        "shown second.",
        of_shares=True,
        signed=True,
    ),
}
_FIRST = "first"
_UNKNOWN = "Position bias is unknown"


def of_pairs(read: Read, options: Mapping[str, Any]) -> Found:
    """Whether a judge prefers what is shown first."""
    if not read.has("order"):
        return Found(lacks=["the first or the second place (needs --order COLUMN)"])
    sides = sides_of(read, options["choices"])
    if sides is None:
        return Found(notes=[f"{_UNKNOWN}: {NO_SIDES}."])
    people = read.of(read.people)
    rows, orders = list[Keys](), list[Keys]()
    for keys, labels in judged(read, options["by"], _with_orders(read, sides)):
        found = contrast(by_item(labels, sides.chosen, people, pl.col(_FIRST)), options["confidence"])
        rows += contrast_rows({**keys, "bias": "position", "of": "shown first"}, SHARES, found)
        orders += _of_both(labels, sides, keys, options["confidence"])
    return Found(rows, orders=orders)


def _with_orders(read: Read, sides: Sides) -> pl.DataFrame:
    """The labels with a column that says whether the first response was shown first; null where nothing says so."""
    orders = read.of(read.judges)["order"].unique().drop_nulls().cast(pl.String).sort().to_list()
    meanings = first_shown(orders, sides)
    if meanings is None:
        raise OptionError(
            f"order: expected which response was shown first, such as {sides.first}{sides.second} and "
            f"{sides.second}{sides.first}, or original and swapped; got {listed(orders)}"
        )
    found = pl.col("order").cast(pl.String).replace_strict(meanings, default=None, return_dtype=pl.Boolean)
    return read.labels.with_columns(found.alias(_FIRST))


def _of_both(labels: pl.DataFrame, sides: Sides, keys: Keys, confidence: float) -> list[Keys]:
    """The items that a judge saw in both orders: how often its choice changes, and towards which place."""
    cluster = [pl.col("cluster").first()] if "cluster" in labels.columns else []
    told = labels.with_columns(chosen=sides.chosen).filter(pl.col(_FIRST).is_not_null())
    sides_first, sides_second = told.filter(_FIRST), told.filter(~pl.col(_FIRST))
    shares = [(pl.col("chosen") == at).mean().alias(f"{at}") for at in _CHOSEN]
    one = sides_first.group_by("item", maintain_order=True).agg(*shares, *cluster)
    both = one.join(sides_second.group_by("item").agg(shares), on="item", how="inner", maintain_order="left")
    alike = pl.sum_horizontal(pl.col(f"{at}") * pl.col(f"{at}_right") for at in _CHOSEN)
    towards = pl.sum_horizontal(at * (pl.col(f"{at}") - pl.col(f"{at}_right")) for at in _CHOSEN)
    if both.is_empty():
        none = Estimate.undefined("no item that the judge saw in both orders", confidence=confidence)
        return [{**figure_row(keys, metric, none), "p": None} for metric in ORDERS]
    found = both.select(changes=(1 - alike).round(12), towards=towards.round(12))
    units = units_of(both)
    changes = mean_score(found["changes"].to_numpy(), units, confidence=confidence)
    preference = mean_change(found["towards"].to_numpy(), units, confidence=confidence)
    return [
        {**figure_row(keys, "inconsistency", changes), "p": None},
        {**figure_row(keys, "place_preference", preference.estimate), "p": preference.p},
    ]


_CHOSEN = (0.0, 0.5, 1.0)
"""How far a label chooses the first response."""
