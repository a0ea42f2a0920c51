"""How many more of people's labels figures need, beside the judge's and alone."""

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from karat.about import Metric
from karat.estimate import Estimate
from karat.evaluations.card.corrected import Figure, Figures
from karat.evaluations.card.labelled import Labelled
from karat.figures.tables import Keys, figure_row
from karat.report import FIGURE, typed_table
from karat.statistics import labels_needed

BUDGET = "budget"
METRICS = {
    "more_labels": Metric(
        "More, with the judge",
        "How many more items people have to label for an interval as narrow as asked for, with the judge's labels of "
        "all items.",
        "low",
        percent=False,
        decimals=0,
    ),
    "more_labels_alone": Metric(
        "More, by people alone", "The same without the judge's labels.", "low", percent=False, decimals=0
    ),
}
TABLES = {
    BUDGET: "How many more items people have to label for intervals of the width asked for: upper less lower limit."
}
_COUNTED = ("share", "win rate", "strength", "mean", "accuracy")
"""Figures that all labelled items count for; how many the others need depends on which items they turn out to be."""


def budget_of(figures: Figures, options: Mapping[str, Any]) -> dict[str, pl.DataFrame]:
    """The table, where a width is asked for."""
    rows = [row for one in figures for row in _rows(*one, options)] if options["width"] is not None else []
    columns = [*options["by"], "judge", "figure", "label", *FIGURE]
    return {BUDGET: typed_table(rows, columns)} if rows else {}


def _rows(keys: Keys, data: Labelled, one: Figure, options: Mapping[str, Any]) -> Iterator[Keys]:
    if one.name not in _COUNTED or one.powered.corrected.low is None:
        return
    items = data.items.height
    found = labels_needed(
        one.powered,
        data.n,
        items,
        options["width"],
        bounds=one.bounds,
        assurance=options["assurance"],
        confidence=options["confidence"],
    )
    named = {**keys, "figure": one.name, "label": one.label}
    for metric, needed in zip(METRICS, (found.with_judge, found.alone), strict=True):
        more = Estimate.undefined(f"people's labels of all {items:,} items are too few: it takes more items")
        if needed is not None:
            more = Estimate(max(needed - data.n, 0), n=data.n, confidence=options["confidence"])
        yield figure_row(named, metric, more)
