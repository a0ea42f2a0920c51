"""Agreement with people by group of items, and whether a group fares worse than the others."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from karat.about import Metric
from karat.evaluations.card.beside import OWN, PEOPLE, adjusted, slopes, units_of
from karat.evaluations.card.outcomes import outcomes
from karat.evaluations.card.reading import Read
from karat.figures.tables import TESTED, Keys, figure_row, groups
from karat.report import typed_table
from karat.statistics.scores import mean_score

GROUPS = {
    "group_agreement": Metric("Agreement in the group", "Agreement with people on the items of the group.", "high"),
    "group_difference": Metric(
        "Group less the others",
        "Agreement in the group less that on all other items.",
        "high",
        of_shares=True,
        signed=True,
    ),
    "group_bias": Metric(
        "Beyond people",
        "The same difference of the judge's agreement less that of people with one another: below 0 the judge fares "
        "worse in the group than people do.",
        "high",
        of_shares=True,
        signed=True,
        between=(-2.0, 2.0),
    ),
}
_ALONE = "all items are of this group"


def groups_table(read: Read, options: Mapping[str, Any]) -> pl.DataFrame | None:
    """A row per judge, column of groups, group and figure; None without groups."""
    by, confidence = options["by"], options["confidence"]
    if not by:
        return None
    found = outcomes(read, by).collect().drop_nulls("agrees")
    rows: list[Keys] = []
    for keys, own in groups(found, ["judge"]):
        for column in by:
            for value in sorted(own[column].cast(pl.String).unique().drop_nulls()):
                inside = (own[column].cast(pl.String) == value).fill_null(value=False)
                rows += _rows(own, inside, {**keys, "column": column, "group": value}, confidence)
    tested = adjusted(rows, ["judge", "column", "metric"])
    return typed_table(tested, ["judge", "column", "group", *TESTED])


def _rows(own: pl.DataFrame, inside: pl.Series, keys: Keys, confidence: float) -> list[Keys]:
    here = own.filter(inside)
    clustered = own["cluster"].null_count() < own.height
    agreement = mean_score(here["agrees"].to_numpy(), units_of(here) if clustered else None, confidence=confidence)
    rows = [{**figure_row(keys, "group_agreement", agreement), "p": None}]
    frame = own if clustered else own.drop("cluster")
    beside = frame.select(pl.exclude("value"), pl.col("agrees").alias(OWN), pl.col("ceiling").alias(PEOPLE))
    alone = slopes(beside.with_columns(pl.lit(0.0).alias(PEOPLE)), _real(inside), confidence, _ALONE).change
    told = beside.drop_nulls(PEOPLE)
    within = inside.filter(beside[PEOPLE].is_not_null())
    nobody = _ALONE if told.height else "no item that two or more people labelled"
    beyond = slopes(told, _real(within), confidence, nobody).change
    for metric, change in (("group_difference", alone), ("group_bias", beyond)):
        rows.append({**figure_row(keys, metric, change.estimate), "p": change.p})
    return rows


def _real(inside: pl.Series) -> Any:  # noqa: ANN401 - an array
    return inside.cast(pl.Float64).to_numpy()
