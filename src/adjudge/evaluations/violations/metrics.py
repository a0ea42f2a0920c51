"""The metrics of violations, declared once: of matches, of spans alone, and of each rule and category."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import polars as pl

from adjudge.evaluations.violations.rows import (
    ABOUT,
    COUNTS,
    KINDS,
    MATCHED,
    SCORE_UNITS,
    SIDES,
    WEIGHT_UNITS,
    WEIGHTS,
    rows_by,
    rows_of_overlap,
    rows_of_texts,
    rows_of_weights,
)
from adjudge.metrics.metric import Metric, View
from adjudge.metrics.ratios import F1, HarmonicMean, Mean, MeanRatio, Ratio, RatioOfScores, SmoothRatio
from adjudge.spec import MetricSpec

MICRO, MACRO = "micro", "macro"
"""Over all texts together, and as the mean over texts."""

MOST_VALUES = 1000
"""Rules and categories that have rows of their own, the most frequent; more are counted in a warning."""

_FOUND, _PREDICTED, _TRUE = map(pl.col, COUNTS)
_SCORE = pl.col("score") / SCORE_UNITS
_NOTHING_TRUE, _NOTHING_SAID = "nothing is true", "nothing is predicted"


class _CountRatio(NamedTuple):
    """A ratio of counts. micro, macro: the kinds of metrics that it makes over all texts, and over each."""

    numerator: pl.Expr
    denominator: pl.Expr
    reason: str
    micro: type[Ratio] = Ratio
    macro: Callable[..., Metric] = MeanRatio


_RATIOS = {
    "precision": _CountRatio(_FOUND, _PREDICTED, _NOTHING_SAID),
    "recall": _CountRatio(_FOUND, _TRUE, _NOTHING_TRUE),
    "f1": _CountRatio(2 * _FOUND, _PREDICTED + _TRUE, "nothing is true or predicted", F1),
    "f05": _CountRatio(1.25 * _FOUND, _PREDICTED + 0.25 * _TRUE, "nothing is true or predicted", SmoothRatio),
    "match_score": _CountRatio(_SCORE, _TRUE, _NOTHING_TRUE),
    "match_quality": _CountRatio(_SCORE, _FOUND, "nothing matches", RatioOfScores, partial(Mean, bounds=(0.0, 1.0))),
}


def _micro_and_macro(about: Mapping[str, MetricSpec], kind: str) -> tuple[Metric, ...]:
    """Metrics over all texts together, then as means over the texts in which they are defined.

    about: by name, which ends with that of a ratio.
    """
    metrics: list[Metric] = []
    for average in (MICRO, MACRO):
        for name, metric in about.items():
            ratio = _RATIOS[name.removeprefix(f"{kind}_")]
            shared: dict[str, Any] = {"kind": kind, "reason": ratio.reason, "keys": {"average": average}}
            if average == MICRO:
                metrics.append(ratio.micro(name, metric, ratio.numerator, ratio.denominator, **shared))
            else:
                of_text = pl.when(ratio.denominator > 0).then(ratio.numerator / ratio.denominator)
                metrics.append(ratio.macro(name, metric, of_text, **shared))
    return tuple(metrics)


_ABOUT = {
    "precision": MetricSpec("Precision", "Matched predictions / all predicted violations.", better="high"),
    "recall": MetricSpec("Recall", "Matched true violations / all true violations.", better="high"),
    "f1": MetricSpec(
        "F1",
        "The harmonic mean of precision and recall: 2 × matched / (predicted + true violations); n counts texts.",
        better="high",
        percent=False,
    ),
    "f05": MetricSpec(
        "F0.5",
        "Precision and recall, precision weighing twice as much: "
        "1.25 × matched / (predicted + 0.25 × true violations); n counts texts.",
        better="high",
        percent=False,
    ),
    "match_score": MetricSpec(
        "Match score", "The sum of the matches' scores / all true violations.", better="high", percent=False
    ),
    "match_quality": MetricSpec("Match quality", "The mean of the matches' scores.", better="high", percent=False),
}


def _span_metrics(kind: str, unit: str, what: str) -> tuple[Metric, ...]:
    """Precision, recall and F1 of one kind of overlap."""
    title, capital = kind.capitalize(), what[0].upper() + what[1:]
    return _micro_and_macro(
        {
            f"{kind}_precision": MetricSpec(f"{title} precision", f"{capital} / all predicted {unit}.", better="high"),
            f"{kind}_recall": MetricSpec(f"{title} recall", f"{capital} / all true {unit}.", better="high"),
            f"{kind}_f1": MetricSpec(
                f"{title} F1", f"2 × {what} / (predicted + true {unit}); n counts texts.", better="high", percent=False
            ),
        },
        kind,
    )


def _weighted_metrics() -> tuple[Metric, ...]:
    """Precision, recall and F1 in which each violation counts as much as its severity weighs."""
    said_all, said_right, true_all, true_right = (pl.col(name) / WEIGHT_UNITS for name in WEIGHTS)
    shared: dict[str, Any] = {"kind": "weighted", "keys": {"average": MICRO}}
    about = {
        "precision": "What matched predictions weigh by their severity / what all predicted violations weigh.",
        "recall": "What matched true violations weigh by their severity / what all true violations weigh.",
        "F1": "The harmonic mean of weighted precision and weighted recall; n counts texts.",
    }
    p, r, f = (MetricSpec(f"Weighted {name}", meaning, "high", name != "F1") for name, meaning in about.items())
    precision = SmoothRatio(
        "weighted_precision", p, said_right, said_all, items=_PREDICTED, reason="predictions weigh nothing", **shared
    )
    recall = SmoothRatio(
        "weighted_recall", r, true_right, true_all, items=_TRUE, reason="what is true weighs nothing", **shared
    )
    return precision, recall, HarmonicMean("weighted_f1", f, precision, recall, **shared)


METRICS_BY_KIND = {
    MATCHED: _micro_and_macro(_ABOUT, MATCHED),
    "exact": _span_metrics("exact", "spans", "spans with the same offsets"),
    "partial": _span_metrics(
        "partial", "spans", "(spans with the same offsets + half of the further pairs that overlap)"
    ),
    "character": _span_metrics("character", "characters", "characters inside spans of both sides"),
    "weighted": _weighted_metrics(),
}
"""The metrics of each kind of counts of a text."""


_MISSED, _INVENTED = _FOUND < _TRUE, _FOUND < _PREDICTED
_KINDS = {"missed_and_invented": _MISSED & _INVENTED, "missed": _MISSED, "invented": _INVENTED}
_OUTCOME = pl.coalesce(*(pl.when(true).then(pl.lit(kind)) for kind, true in _KINDS.items()), pl.lit("right"))
_MORE = pl.when(_INVENTED).then(pl.format(", {} invented", _PREDICTED - _FOUND)).otherwise(pl.lit(""))

_view = partial(View, names=("split",), ignored_columns=ABOUT, required_count="true")


def _breakdown_view(part: str, predicted: str, true: str) -> View:
    """The metrics of each rule (category). predicted, true: the columns with the one that either side names."""
    predicted_count, predicted_hit, true_count, true_hit = map(pl.col, SIDES)
    table = f"by_{part}"
    ratio = partial(Ratio, kind=part, table=table)
    precision = ratio("precision", _ABOUT["precision"], predicted_hit, predicted_count, reason=_NOTHING_SAID)
    recall = ratio("recall", _ABOUT["recall"], true_hit, true_count, reason=_NOTHING_TRUE)
    f1 = HarmonicMean("f1", _ABOUT["f1"], precision, recall, kind=part, table=table)
    rows, most = partial(rows_by, part, predicted, true), (part, MOST_VALUES)
    return _view(rows=rows, states=SIDES, metrics=(precision, recall, f1), keys=(part,), most_frequent=most)


_OVERLAP = _view(
    rows=rows_of_overlap, states=COUNTS, metrics=tuple(figure for kind in KINDS for figure in METRICS_BY_KIND[kind])
)
WEIGHTED = _view(rows=rows_of_weights, states=(*COUNTS[1:], *WEIGHTS), metrics=METRICS_BY_KIND["weighted"])
"""The view of severities, which has rows only where these have weights."""
BREAKDOWN_VIEWS = {
    "category": _breakdown_view("category", "part", "true_category"),
    "rule": _breakdown_view("rule", "label", "reference_label"),
}
"""Views of single categories and rules, by the part that they are about."""

VIEW = _view(
    rows=rows_of_texts,
    states=(*COUNTS, "score"),
    metrics=METRICS_BY_KIND[MATCHED],
    outcome=_OUTCOME,
    goodness=(2 * _FOUND - _PREDICTED - _TRUE).cast(pl.Float64),
    label=pl.format("{} of {} found{}", _FOUND, _TRUE, _MORE),
    judge_options=("checker", "predicted_annotator"),
    reference_inputs=1,
    words=("detail", "words"),
    main_keys={"average": MICRO, "variant": "std"},
    subviews=(_OVERLAP, WEIGHTED, *BREAKDOWN_VIEWS.values()),
)

ALL_COUNTS_VIEW = replace(VIEW, metrics=(*VIEW.metrics, *_OVERLAP.metrics))
"""Of all kinds of counts together."""
