"""The metrics of reliability, declared once."""

from collections.abc import Callable, Sequence
from math import inf
from typing import Any, TypeVar

import polars as pl

from adjudge.evaluations.reliability.options import ReliabilityOptions
from adjudge.metrics.labels import Kappa, RankCorrelation, weighted_kappas
from adjudge.metrics.metric import KIND, Metric, View
from adjudge.metrics.ratios import Count, F1OfRows, Mean, RatioOfRows, Share
from adjudge.schemas.judgments import scale_position
from adjudge.spec import MetricSpec

M = TypeVar("M", bound=Metric)
_OUTCOME, _PART = pl.col("outcome"), pl.col("part")
_CHOICES = _OUTCOME.is_in(["correct", "incorrect"])
_MISMATCHES = _OUTCOME.is_in(["annotator_only", "reference_only"])
_NO_CHOICES = "no item that neither side flagged or left out"
_NO_FLAGS = "no item on which both sides say whether to flag"
_FLAGGED = "flagged"
_SPECS = {
    "reliability": MetricSpec(
        "Reliability", "Choices equal to the reference's / items that neither side flagged.", better="high"
    ),
    "flag_mismatch": MetricSpec(
        "Flag mismatch",
        "Items with different flags / items on which both sides say whether to flag.",
        better="low",
        counts="flags",
    ),
    "kappa": MetricSpec(
        "Cohen's kappa", "Agreement of the choices beyond chance: 0 is chance, 1 is perfect.", "high", percent=False
    ),
    "items": MetricSpec("Items", "All items of the annotator.", percent=False, decimals=0),
    "reference_flagged": MetricSpec(
        "Flagged by the reference", "Distinct items that the reference flags / all distinct items.", counts="flags"
    ),
    "reliability_shrunk": MetricSpec(
        "Reliability, shrunk", "Reliability shrunk toward the group's mean.", "high", of_shares=True, bounds=(0.0, 1.0)
    ),
    "spearman": MetricSpec(
        "Spearman", "Rank correlation of the annotator's and the reference's labels.", "high", percent=False
    ),
    "mean_absolute_error": MetricSpec(
        "Mean absolute error", "Mean distance from the reference: of numbers, else in steps.", "low", percent=False
    ),
    "precision": MetricSpec("Precision", "Positive on both sides / positive by the annotator.", "high"),
    "recall": MetricSpec("Recall", "Positive on both sides / positive by the reference.", "high"),
    "specificity": MetricSpec("Specificity", "Positive on neither side / not positive by the reference.", "high"),
    "f1": MetricSpec("F1", "2 × positive on both sides / (annotator's + reference's).", "high", percent=False),
}


def _metric(make: Callable[..., M], name: str, *fields: object, **more: Any) -> M:  # noqa: ANN401
    """A metric of choices, unless `more` says otherwise. make: its class. fields, more: those of the class."""
    return make(name, _SPECS[name], *fields, **{"kind": "choice", "reason": _NO_CHOICES, **more})


RELIABILITY = _metric(Share, "reliability", _OUTCOME == "correct", _CHOICES)
_BOTH_SAY = _MISMATCHES | _OUTCOME.is_in(["both", "neither"])
FLAG_MISMATCH = _metric(Share, "flag_mismatch", _MISMATCHES, _BOTH_SAY, kind="flag", reason=_NO_FLAGS)
KAPPA = _metric(Kappa, "kappa", "label", "reference_label", _CHOICES)
ITEMS = _metric(Count, "items", pl.lit(value=True), kind="flag", reason="no items")
REFERENCE_FLAGGED = _metric(
    Share, "reference_flagged", pl.col("flagged"), pl.col("known"), kind="item", reason=_NO_FLAGS
)
SHRUNK = {"reliability_shrunk": _SPECS["reliability_shrunk"]}
"""Rests on all annotators at once, so it is not a metric of one annotator's rows."""

_PLACE, _TRUE_PLACE = pl.col("place"), pl.col("reference_place")
_PLACED = _PLACE.is_not_null() & _TRUE_PLACE.is_not_null()
_DISTANCE = pl.when(_PLACED).then((_PLACE - _TRUE_PLACE).abs())
ORDERED = (
    *weighted_kappas("place", "reference_place", _PLACED, kind="choice", reason=_NO_CHOICES),
    _metric(RankCorrelation, "spearman", "place", "reference_place", _PLACED),
    _metric(Mean, "mean_absolute_error", _DISTANCE, bounds=(0.0, inf)),
)
"""Metrics of labels that have an order (`ordered`)."""

_GIVEN, _TRUE = pl.col("given"), pl.col("true")
_COMPARED, _TWICE = _GIVEN.is_not_null(), 2 * (_GIVEN & _TRUE).cast(pl.Int64)
_BOTH_SUMS = _GIVEN.cast(pl.Int64) + _TRUE.cast(pl.Int64)
_NONE_GIVEN = "the annotator gives no item the positive label"
_NONE_TRUE, _ALL_TRUE = (f"the reference gives {items} the positive label" for items in ("no item", "every item"))
_NEITHER = "neither side gives an item the positive label"
POSITIVE = (
    _metric(RatioOfRows, "precision", _GIVEN & _TRUE, _GIVEN, _COMPARED, reason=_NONE_GIVEN),
    _metric(Share, "recall", _GIVEN, _TRUE, reason=_NONE_TRUE),
    _metric(Share, "specificity", ~_GIVEN, ~_TRUE, reason=_ALL_TRUE),
    _metric(F1OfRows, "f1", _TWICE, _BOTH_SUMS, _COMPARED, reason=_NEITHER),
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
    return _choice_rows(outcomes, keys, given=given, true=true)


ORDERED_VIEW = View(
    rows=_ordered_rows,
    states=("outcome", "place", "reference_place"),
    metrics=ORDERED,
    only_if=_PLACE.is_not_null(),
    sparse=True,
)
POSITIVE_VIEW = View(
    rows=_positive_rows, states=("outcome", "given", "true"), metrics=POSITIVE, only_if=_COMPARED, sparse=True
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
