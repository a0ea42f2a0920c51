"""The metrics of reliability, declared once."""

from collections.abc import Sequence
from math import inf
from typing import Any

import polars as pl

from adjudge.evaluations.reliability.options import ReliabilityOptions
from adjudge.metrics.labels import Kappa, RankCorrelation, weighted_kappas
from adjudge.metrics.metric import KIND, View
from adjudge.metrics.ratios import Count, F1OfRows, Mean, RatioOfRows, Share
from adjudge.schemas.judgments import scale_position
from adjudge.spec import MetricSpec

_OUTCOME, _PART = pl.col("outcome"), pl.col("part")
_CHOICES = _OUTCOME.is_in(["correct", "incorrect"])
_MISMATCHES = _OUTCOME.is_in(["annotator_only", "reference_only"])
_NO_CHOICES = "no item that neither side flagged or left out"
_NO_FLAGS = "no item on which both sides say whether to flag"
_FLAGGED = "flagged"

RELIABILITY = Share(
    "reliability",
    MetricSpec("Reliability", "Choices equal to the reference's / items that neither side flagged.", better="high"),
    _OUTCOME == "correct",
    _CHOICES,
    kind="choice",
    reason=_NO_CHOICES,
)
FLAG_MISMATCH = Share(
    "flag_mismatch",
    MetricSpec(
        "Flag mismatch",
        "Items on which the flags differ / items on which both sides say whether to flag.",
        better="low",
        counts="flags",
    ),
    _MISMATCHES,
    _MISMATCHES | _OUTCOME.is_in(["both", "neither"]),
    kind="flag",
    reason=_NO_FLAGS,
)
KAPPA = Kappa(
    "kappa",
    MetricSpec(
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
    "items",
    MetricSpec("Items", "All items of the annotator.", percent=False, decimals=0),
    pl.lit(value=True),
    kind="flag",
)
REFERENCE_FLAGGED = Share(
    "reference_flagged",
    MetricSpec(
        "Flagged by the reference", "Distinct items that the reference flags / all distinct items.", counts="flags"
    ),
    pl.col("flagged"),
    pl.col("known"),
    kind="item",
    reason=_NO_FLAGS,
)
SHRUNK = {
    "reliability_shrunk": MetricSpec(
        "Reliability, shrunk",
        "Reliability drawn toward that of the group; the fewer items it rests on, the more so.",
        better="high",
        of_shares=True,
        bounds=(0.0, 1.0),
    )
}
"""Rests on all annotators at once, so it is not a metric of one annotator's rows."""


_PLACE, _TRUE_PLACE = pl.col("place"), pl.col("reference_place")
_PLACED = _PLACE.is_not_null() & _TRUE_PLACE.is_not_null()
_OF_PLACES: dict[str, Any] = {"kind": "choice", "reason": _NO_CHOICES}


ORDERED = (
    *weighted_kappas("place", "reference_place", _PLACED, **_OF_PLACES),
    RankCorrelation(
        "spearman",
        MetricSpec(
            "Spearman",
            "Rank correlation of the annotator's labels and the reference's: 1 is the same order.",
            better="high",
            percent=False,
        ),
        "place",
        "reference_place",
        _PLACED,
        **_OF_PLACES,
    ),
    Mean(
        "mean_absolute_error",
        MetricSpec(
            "Mean absolute error",
            "How far labels are from the reference's on average: in their unit if they are numbers, else in steps.",
            better="low",
            percent=False,
        ),
        pl.when(_PLACED).then((_PLACE - _TRUE_PLACE).abs()),
        bounds=(0.0, inf),
        **_OF_PLACES,
    ),
)
"""Metrics of labels that have an order (`ordered`)."""

_SAID, _TRUE = pl.col("said"), pl.col("true")
POSITIVE = (
    RatioOfRows(
        "precision",
        MetricSpec(
            "Precision", "Items with the positive label on both sides / items that the annotator gives it.", "high"
        ),
        _SAID & _TRUE,
        _SAID,
        _SAID.is_not_null(),
        kind="choice",
        reason="the annotator gives no item the positive label",
    ),
    Share(
        "recall",
        MetricSpec(
            "Recall", "Items with the positive label on both sides / items that the reference gives it.", "high"
        ),
        _SAID,
        _TRUE,
        kind="choice",
        reason="the reference gives no item the positive label",
    ),
    Share(
        "specificity",
        MetricSpec(
            "Specificity",
            "Items without the positive label on either side / items that the reference gives another label.",
            better="high",
        ),
        ~_SAID,
        ~_TRUE,
        kind="choice",
        reason="the reference gives every item the positive label",
    ),
    F1OfRows(
        "f1",
        MetricSpec(
            "F1",
            "2 × items with the positive label on both sides / (annotator's + reference's).",
            "high",
            percent=False,
        ),
        2 * (_SAID & _TRUE).cast(pl.Int64),
        _SAID.cast(pl.Int64) + _TRUE.cast(pl.Int64),
        _SAID.is_not_null(),
        kind="choice",
        reason="neither side gives an item the positive label",
    ),
)
"""Metrics of one label against all others (`positive`)."""


def _judgment_rows(outcomes: pl.LazyFrame, keys: Sequence[str], _: ReliabilityOptions) -> pl.LazyFrame:
    return outcomes.select("item", "cluster", "judge", _PART.alias(KIND), *keys, *_STATES)


def _choice_rows(outcomes: pl.LazyFrame, keys: Sequence[str], **states: pl.Expr) -> pl.LazyFrame:
    """A row per choice, with states that are null where it is not compared."""
    state_columns = [pl.when(_CHOICES).then(state).alias(name) for name, state in states.items()]
    chosen = outcomes.filter(_PART.cast(pl.String) == "choice")
    return chosen.select("item", "cluster", "judge", _PART.alias(KIND), *keys, "outcome", *state_columns)


def _ordered_rows(outcomes: pl.LazyFrame, keys: Sequence[str], options: ReliabilityOptions) -> pl.LazyFrame:
    """Both labels' places on the scale."""
    given, true = (scale_position(pl.col(name), options.ordered) for name in ("label", "reference_label"))
    return _choice_rows(outcomes, keys, place=given, reference_place=true)


def _positive_rows(outcomes: pl.LazyFrame, keys: Sequence[str], options: ReliabilityOptions) -> pl.LazyFrame:
    """Whether either side gives the positive label."""
    positive = pl.lit(options.positive, pl.String)
    given, true = (pl.col(name).cast(pl.String) == positive for name in ("label", "reference_label"))
    return _choice_rows(outcomes, keys, said=given, true=true)


ORDERED_VIEW = View(
    rows=_ordered_rows,
    states=("outcome", "place", "reference_place"),
    metrics=ORDERED,
    only_if=_PLACE.is_not_null(),
    sparse=True,
)
POSITIVE_VIEW = View(
    rows=_positive_rows, states=("outcome", "said", "true"), metrics=POSITIVE, only_if=_SAID.is_not_null(), sparse=True
)
ON_REQUEST = {"ordered": ORDERED_VIEW, "positive": POSITIVE_VIEW}
"""Option -> the view whose metrics it asks for."""

_STATES = ("outcome", "label", "reference_label")

VIEW = View(
    rows=_judgment_rows,
    states=_STATES,
    metrics=(RELIABILITY, FLAG_MISMATCH, KAPPA),
    goodness=pl.when(_OUTCOME.is_in(["correct", "both", "neither"]))
    .then(1.0)
    .when((_OUTCOME == "incorrect") | _MISMATCHES)
    .then(0.0),
    pooled=True,
    sparse=True,
    subviews=tuple(ON_REQUEST.values()),
)


def _reference_rows(outcomes: pl.LazyFrame, keys: Sequence[str], _: ReliabilityOptions) -> pl.LazyFrame:
    """A row per item: whether the reference flags it. An item with several clusters counts in the first of them."""
    label = pl.col("reference_label")
    columns = {
        "cluster": pl.col("cluster").cast(pl.String).min(),
        "known": label.is_not_null().any(),
        "flagged": (label == pl.lit(_FLAGGED, pl.Categorical())).any(),
        KIND: pl.lit("item"),
    }
    flags = outcomes.filter(pl.lit("flag", pl.Categorical()) == _PART).group_by("item", *keys)
    return flags.agg(one.alias(name) for name, one in columns.items())


REFERENCE_VIEW = View(rows=_reference_rows, states=("known", "flagged"), metrics=(REFERENCE_FLAGGED,))
"""Metrics of the reference's own labels, independent of annotators."""
