"""Labels as numbers, for models of who gives which."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from adjudge.metrics.cells import UNIT, Integers, unit_name
from adjudge.metrics.tables import rows_by_group


@dataclass(frozen=True, slots=True, eq=False)
class LabelCodes:
    """The labels of a group as numbers, an entry per label given, and the names by number.

    Entries stand by item and annotator, so that sums over them have one order. keys: the values of the `by` columns.
    Items and annotators are numbered by name, labels by their place on the scale. clusters: of each item by number;
    None where items are drawn one by one.
    """

    keys: Mapping[str, Any]
    items: Integers
    annotators: Integers
    labels: Integers
    clusters: Integers | None
    item_names: pl.Series
    annotator_names: Sequence[str]
    label_names: Sequence[str]

    @property
    def columns(self) -> tuple[Integers, Integers, Integers]:
        """Items, annotators and labels."""
        return self.items, self.annotators, self.labels


def encode_groups(judgments: pl.DataFrame, by: Sequence[str], order: Sequence[str]) -> Iterator[LabelCodes]:
    """The labels of each group that has any. order: of labels, where there is one."""
    units = [unit_name("cluster")] if "cluster" in judgments.columns else []
    given = judgments.filter(~pl.col("flagged") & ~pl.col("skipped")).select("item", "annotator", "label", *by, *units)
    for keys, rows in rows_by_group(given, by):
        if rows.height:
            items, item_names = _encode_categories(rows["item"])
            annotators, annotator_names = _encode_categories(rows["annotator"])
            labels, label_names = _encode_categories(rows["label"], order)
            clusters = rows.select(UNIT, item=pl.Series(items)).unique("item").sort("item")[UNIT] if units else None
            numbers = None if clusters is None else clusters.rank("dense").cast(pl.Int64).to_numpy() - 1
            names = annotator_names.to_list(), label_names.to_list()
            places = np.lexsort((labels, annotators, items))
            entries = items[places], annotators[places], labels[places]
            yield LabelCodes(keys, *entries, numbers, item_names, *names)


def _encode_categories(column: pl.Series, order: Sequence[str] = ()) -> tuple[Integers, pl.Series]:
    """The number of each value of a categorical column, and the names in the order of numbers."""
    values = column.unique()
    names, codes = values.cast(pl.String), values.to_physical().to_numpy()
    frame = pl.DataFrame({"name": names, "code": codes})
    ranks = {one: place for place, one in enumerate(order)}
    if set(names) <= ranks.keys():
        frame = frame.sort(pl.col("name").replace_strict(ranks, return_dtype=pl.Int64))
    elif order:
        frame = frame.sort(pl.col("name").cast(pl.Float64, strict=False), "name")
    else:
        frame = frame.sort("name")
    numbers = np.zeros(int(codes.max()) + 1, np.int64)
    numbers[frame["code"].to_numpy()] = np.arange(frame.height)
    return numbers[column.to_physical().to_numpy()], frame["name"]
