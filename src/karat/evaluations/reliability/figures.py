"""The figures of reliability, declared once."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from karat.about import Metric
from karat.figures.figure import KIND, View
from karat.figures.labels import Kappa
from karat.figures.ratios import Count, Share

_OUTCOME, _PART = pl.col("outcome"), pl.col("part")
_CHOICES = _OUTCOME.is_in(["correct", "incorrect"])
_MISMATCHES = _OUTCOME.is_in(["annotator_only", "reference_only"])
_NO_CHOICES = "no item that neither side flagged or left out"
_NO_FLAGS = "no item on which both sides say whether to flag"
_FLAGGED = "flagged"

RELIABILITY = Share(
    "reliability",
    Metric("Reliability", "Choices equal to the reference's / items that neither side flagged.", better="high"),
    _OUTCOME == "correct",
    _CHOICES,
    kind="choice",
    reason=_NO_CHOICES,
)
FLAG_MISMATCH = Share(
    "flag_mismatch",
    Metric(
        "Flag mismatch",
        "Items on which the flags differ / items on which both sides say whether to flag.",
        better="low",
    ),
    _MISMATCHES,
    _MISMATCHES | _OUTCOME.is_in(["both", "neither"]),
    kind="flag",
    reason=_NO_FLAGS,
)
KAPPA = Kappa(
    "kappa",
    Metric(
        "Cohen's kappa",
        "Agreement of the choices beyond chance: 0 is what chance gives, 1 is perfect.",
        better="high",
        percent=False,
    ),
    "label",
    "reference_label",
    _CHOICES,
    kind="choice",
    reason=_NO_CHOICES,
)
ITEMS = Count(
    "items", Metric("Items", "All items of the annotator.", percent=False, decimals=0), pl.lit(value=True), kind="flag"
)
REFERENCE_FLAGGED = Share(
    "reference_flagged",
    Metric("Flagged by the reference", "Distinct items that the reference flags / all distinct items."),
    pl.col("flagged"),
    pl.col("known"),
    kind="item",
    reason=_NO_FLAGS,
)
SHRUNK = {
    "reliability_shrunk": Metric(
        "Reliability, shrunk",
        "Reliability drawn toward that of the group; the fewer items it rests on, the more so.",
        better="high",
        of_shares=True,
    )
}
"""Rests on all annotators at once, so it is not a figure of one annotator's rows."""


def _rows(outcomes: pl.LazyFrame, keys: Sequence[str], _: Mapping[str, Any]) -> pl.LazyFrame:
    return outcomes.select("item", "cluster", "judge", _PART.alias(KIND), *keys, *_STATES)


_STATES = ("outcome", "label", "reference_label")

VIEW = View(
    rows=_rows,
    states=_STATES,
    figures=(RELIABILITY, FLAG_MISMATCH, KAPPA),
    worth=pl.when(_OUTCOME.is_in(["correct", "both", "neither"]))
    .then(1.0)
    .when((_OUTCOME == "incorrect") | _MISMATCHES)
    .then(0.0),
    pooled=True,
)


def _reference_rows(outcomes: pl.LazyFrame, keys: Sequence[str], options: Mapping[str, Any]) -> pl.LazyFrame:
    """A row per item: whether the reference flags it. An item with several clusters counts in the first of them.

    options: `clustered`, whether the outcomes name clusters.
    """
    label = pl.col("reference_label")
    found = {
        "cluster": pl.col("cluster").cast(pl.String).min() if options["clustered"] else pl.lit(None, pl.String),
        "known": label.is_not_null().any(),
        "flagged": (label == pl.lit(_FLAGGED, pl.Categorical())).any(),
        KIND: pl.lit("item"),
    }
    flags = outcomes.filter(pl.lit("flag", pl.Categorical()) == _PART).group_by("item", *keys)
    return flags.agg(one.alias(name) for name, one in found.items())


REFERENCE_VIEW = View(rows=_reference_rows, states=("known", "flagged"), figures=(REFERENCE_FLAGGED,))
"""Figures of the reference's own labels, whoever judges the items."""
