"""A judge's draws, counted by item."""

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Draws:
    """A judge's draws of items with two or more.

    items: item, and cluster if there are any. labels: those that were drawn. counts: items x labels; of numbers, which
    are not counted, one column of how many there are. sums, squares: of the places that labels have on their scale, and
    of their squares.
    """

    items: pl.DataFrame
    labels: tuple[str, ...]
    counts: Floats
    sums: Floats
    squares: Floats

    @property
    def each(self) -> Floats:
        """How many draws an item has."""
        found: Floats = self.counts.sum(axis=1)
        return found


def drawn(labels: pl.DataFrame, *, numbers: bool) -> Draws:
    """The draws among a judge's labels: of several orders and windows, those of the item's first row.

    numbers: whether labels are numbers, each of which may be another.
    """
    apart = [name for name in ("order", "time") if name in labels.columns]
    same = [pl.col(name).eq_missing(pl.col(name).first().over("item")) for name in apart]
    chosen = labels.filter(same) if same else labels
    chosen = chosen.filter(pl.len().over("item") > 1).with_columns(pl.col("item", "label").cast(pl.String))
    cluster = [pl.col("cluster").first()] if "cluster" in labels.columns else []
    place = pl.col("place").fill_null(0.0)
    items = chosen.group_by("item", maintain_order=True).agg(*cluster, sums=place.sum(), squares=(place**2).sum())
    if numbers:
        chosen = chosen.with_columns(pl.lit("number").alias("label"))
    names = chosen["label"].unique().sort().to_list()
    rows, codes = (
        chosen[name].cast(pl.Enum(known)).to_physical().to_numpy().astype(np.int64)
        for name, known in (("item", items["item"]), ("label", names))
    )
    counts = np.bincount(rows * len(names) + codes, minlength=items.height * len(names)).reshape(
        items.height, len(names)
    )
    sums, squares = (items[name].to_numpy() for name in ("sums", "squares"))
    return Draws(items, tuple(names), counts.astype(np.float64), sums, squares)
