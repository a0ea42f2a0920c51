"""Labels of a group as numbers, for metrics of all annotators together and of each annotator."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from adjudge.evaluations.agreement.label_codes import encode_categories
from adjudge.evaluations.agreement.outcomes import HAS_LABEL, KEY, Scale
from adjudge.metrics.cells import UNIT, Floats, Integers, unit_name
from adjudge.metrics.tables import rows_by_group
from adjudge.statistics.disagreement import LabelRatings, Level
from adjudge.statistics.two_way import GivenLabels


@dataclass(frozen=True, eq=False)
class Panel:
    """The labels of a group, an entry for each label that was given, by item and annotator: sums have one order.

    keys: the values of the `by` columns. items, annotators, labels: by number. clusters: of each item by number; None
    where items are drawn one by one. names: of the annotators. places: of the labels on the scale, all that could be
    given where that is known.
    """

    keys: Mapping[str, Any]
    level: Level
    items: Integers
    annotators: Integers
    labels: Integers
    clusters: Integers | None
    names: Sequence[str]
    places: Floats

    @cached_property
    def two_way_labels(self) -> GivenLabels:
        """The labels as statistics take them."""
        width = len(self.places)
        cells, rows, counts = np.unique(self.items * width + self.labels, return_inverse=True, return_counts=True)
        times = np.ones(int(self.items.max(initial=-1)) + 1)
        ratings = LabelRatings(cells // width, cells % width, counts.astype(np.float64), times, self.places)
        return GivenLabels(ratings, rows, self.annotators)


def panels(judgments: pl.DataFrame, scale: Scale, by: Sequence[str]) -> Iterator[Panel]:
    """The labels of each group. judgments: as `outcomes` takes them."""
    clustered = "cluster" in judgments.columns
    given = judgments.filter(HAS_LABEL).with_columns(scale.label_key(pl.col("label")).alias(KEY))
    if clustered:
        given = given.with_columns(unit_name("cluster"))
    for keys, rows in rows_by_group(given, by):
        items, _ = encode_categories(rows["item"])
        clusters = rows.select(pl.Series("item", items), UNIT).unique("item").sort("item")[UNIT] if clustered else None
        annotators, names = _encode_labels(rows["annotator"].cast(pl.String), sorted(rows["annotator"].unique()))
        labels, labelled = _encode_labels(rows[KEY], scale.label_names(rows[KEY].unique().to_list()))
        places = np.lexsort((labels, annotators, items))
        yield Panel(
            keys,
            scale.level,
            items[places],
            annotators[places],
            labels[places],
            None if clusters is None else clusters.rank("dense").cast(pl.Int64).to_numpy() - 1,
            names,
            scale.positions(labelled),
        )


def _encode_labels(column: pl.Series, names: Sequence[str]) -> tuple[Integers, Sequence[str]]:
    """The place of each value among the names, and these."""
    return column.cast(pl.Enum(names)).to_physical().cast(pl.Int64).to_numpy(), names
