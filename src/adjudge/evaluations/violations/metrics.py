"""The metrics of violations, declared once: of matches, of spans alone, and of each rule and category."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from adjudge.evaluations.violations.span_matching import (
    ALONE,
    DECIMALS,
    OVERLAP,
    SpanSides,
    match_spans,
    share_categories,
    sum_by_text,
)
from adjudge.metrics.cells import Floats
from adjudge.metrics.labels import Kappa
from adjudge.metrics.metric import KIND, Metric, View
from adjudge.metrics.ratios import F1, Count, HarmonicMean, Mean, MeanRatio, Ratio, RatioOfScores, Share, SmoothRatio
from adjudge.metrics.tables import reply_metrics
from adjudge.schemas.outcomes import REPLY
from adjudge.schemas.violations import INVENTED, PLACE, TEXT_PARTS
from adjudge.spec import MetricSpec

MATCHED = "text"
"""The kind of counts that a rule of matching makes of a text."""
KINDS = ("exact", "partial", "character")
"""What is counted of overlap: spans with the same offsets, those and half of what else overlaps, characters."""

SCORE_UNITS = 10**DECIMALS
"""Units per 1: sums of scores are whole numbers of units, so that they do not depend on the order of matches."""

ABOUT = ("start", "end", "predicted_start", "predicted_end", "true_category", "failed")
"""Columns of outcomes behind their keys: where the true and the predicted violation stand, the true one's category, and
why there is no match."""

COUNTS = ("found", "predicted", "true")
SIDES = ("predicted", "predicted_hit", "true", "true_hit")
"""Of a rule (category): how many either side names, and how many of these match."""
TOTAL = (pl.col("predicted") + pl.col("true")).sum().alias("total")
"""How often both sides name one, by which the most frequent are chosen."""

OUTCOMES = ("true_positive", "false_positive", "false_negative")
_IS_FOUND, _IS_INVENTED, _IS_MISSED = (pl.col("outcome") == outcome for outcome in OUTCOMES)


def rows_of_texts(outcomes: pl.LazyFrame, keys: Sequence[str], _: object) -> pl.LazyFrame:
    """A row per text: how many violations it has, how many are predicted, how many of these match, their scores."""
    score = (pl.col("value") * SCORE_UNITS).round().cast(pl.Int64)
    sums = outcomes.group_by("item", "judge", *keys, maintain_order=True).agg(
        pl.col("cluster").first(),
        _IS_FOUND.sum().cast(pl.Int64).alias("found"),
        (_IS_FOUND | _IS_INVENTED).sum().cast(pl.Int64).alias("predicted"),
        (_IS_FOUND | _IS_MISSED).sum().cast(pl.Int64).alias("true"),
        score.filter(_IS_FOUND).sum().alias("score"),
    )
    return sums.with_columns(pl.lit(MATCHED).alias(KIND))


def rows_by(
    part: str, predicted: str, true: str, outcomes: pl.LazyFrame, keys: Sequence[str], _: object
) -> pl.LazyFrame:
    """A row per text and rule that either side names there, the most frequent rules first."""
    sides = (
        outcomes.filter(_IS_FOUND | other).select(
            *("item", "cluster", "judge", *keys),
            pl.col(name).alias(part),
            pl.lit(1, pl.Int64).alias(side),
            _IS_FOUND.cast(pl.Int64).alias(f"{side}_hit"),
        )
        for side, name, other in (("predicted", predicted, _IS_INVENTED), ("true", true, _IS_MISSED))
    )
    named_parts = pl.concat(sides, how="diagonal").filter(pl.col(part).is_not_null().any())
    sums = named_parts.group_by("item", "judge", *keys, part, maintain_order=True).agg(
        pl.col("cluster").first(), pl.col(SIDES).sum()
    )
    often = sums.group_by(part).agg(TOTAL).sort("total", part, descending=[True, False], nulls_last=True)
    rows = often.select(part).join(sums, on=part, nulls_equal=True, maintain_order="left_right")
    return rows.with_columns(pl.lit(part).alias(KIND))


def rows_of_overlap(outcomes: pl.LazyFrame, keys: Sequence[str], _: object) -> pl.LazyFrame:
    """A row per text and kind of overlap, matched again by offsets alone; each variant has the same spans."""
    first_variant = outcomes.filter(pl.col("variant") == pl.col("variant").first()).collect()
    nothing = [pl.lit(None, pl.String).alias(part) for part in (*TEXT_PARTS, INVENTED)]
    frames = []
    for rows in first_variant.partition_by("judge", maintain_order=True):
        texts = rows.select("item", "cluster", "judge", *keys).unique("item", maintain_order=True)
        placed = rows.join(texts.select("item", pl.int_range(pl.len()).alias(PLACE)), on="item")
        spans = (
            placed.filter(of_side)
            .select(PLACE, pl.col(f"{prefix}start").alias("start"), pl.col(f"{prefix}end").alias("end"), *nothing)
            .sort(PLACE, "start", "end")
            for of_side, prefix in ((_IS_FOUND | _IS_INVENTED, "predicted_"), (_IS_FOUND | _IS_MISSED, ""))
        )
        predicted, true = share_categories([*spans])
        sides = SpanSides(predicted, true, {})
        tables = count_matches(sides, match_spans(sides, {OVERLAP: ALONE}), texts.height)
        about = texts.with_columns(pl.lit(OVERLAP).alias(name) for name in ("variant",) if name in keys)
        frames += [about.with_columns(pl.lit(kind).alias(KIND)).hstack(tables[OVERLAP, kind]) for kind in KINDS]
    return pl.concat(frames).lazy()


# --- of matches ---


def count_matches(
    sides: SpanSides, by_variant: Mapping[str, pl.DataFrame], texts: int
) -> dict[tuple[str, str], pl.DataFrame]:
    """The counts of each text, made from the matches by each variant: (variant, kind) -> a row per text.

    texts: how many there are. Kinds of overlap have no scores.
    """
    marked = {"predicted": sides.predicted, "true": sides.truth}
    counts = {side: sum_by_text(spans[PLACE], None, texts) for side, spans in marked.items()}
    tables = {}
    for variant, pairs in by_variant.items():
        place = sides.predicted[PLACE].gather(pairs["predicted"])
        if variant == OVERLAP:
            exact = pairs["overlap"] == 1
            same, part = (sum_by_text(place.filter(rows), None, texts) for rows in (exact, ~exact))
            tables[variant, "exact"] = pl.DataFrame({"found": same, **counts})
            tables[variant, "partial"] = pl.DataFrame({"found": same + 0.5 * part, **counts})
            both = (sides.predicted, sides.truth)
            predicted, true, either = (_covered_characters(spans, texts) for spans in (*both, pl.concat(both)))
            shared = predicted + true - either
            tables[variant, "character"] = pl.DataFrame({"found": shared, "predicted": predicted, "true": true})
        else:
            score = np.zeros(texts, dtype=np.int64)
            np.add.at(score, place.to_numpy(), np.rint(pairs["score"].to_numpy() * SCORE_UNITS).astype(np.int64))
            tables[variant, MATCHED] = pl.DataFrame(
                {"found": sum_by_text(place, None, texts), **counts, "score": score}
            )
    return tables


def _covered_characters(spans: pl.DataFrame, texts: int) -> Floats:
    """The number of characters of each text that some span covers."""
    ordered = spans.select(PLACE, "start", "end").drop_nulls().sort(PLACE, "start")
    # Offsets count on from text to text, so that what earlier texts reach is never ahead of a start.
    behind = pl.col(PLACE).cast(pl.Int64) * (1 + pl.col("end").max())
    reached = (behind + pl.col("end")).cum_max().shift(1, fill_value=0) - behind
    new = ordered.select((pl.col("end") - pl.max_horizontal("start", reached)).clip(0)).to_series()
    return sum_by_text(ordered[PLACE], new, texts)


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


METRICS_BY_KIND = {
    MATCHED: _micro_and_macro(_ABOUT, MATCHED),
    "exact": _span_metrics("exact", "spans", "spans with the same offsets"),
    "partial": _span_metrics(
        "partial", "spans", "(spans with the same offsets + half of the further pairs that overlap)"
    ),
    "character": _span_metrics("character", "characters", "characters inside spans of both sides"),
}
"""The metrics of each kind of counts of a text."""

# --- of categories, of two annotators, of replies ---

SAID, MEANT = "label", "reference_label"
BOTH = pl.col(SAID).is_not_null() & pl.col(MEANT).is_not_null()
_NO_CATEGORY = "no two violations that overlap both have a category"

_AGREEMENT = MetricSpec(
    "Category agreement", "Overlapping violations of the same category / all with one on both sides.", "high"
)
_KAPPA = MetricSpec(
    "Category kappa", "Cohen's kappa of the categories of overlapping violations.", "high", percent=False
)
CATEGORY_METRICS = (
    Share("category_agreement", _AGREEMENT, pl.col(SAID) == pl.col(MEANT), BOTH, reason=_NO_CATEGORY),
    Kappa("category_kappa", _KAPPA, SAID, MEANT, BOTH, reason=_NO_CATEGORY),
)
"""Metrics of violations that overlap, paired one to one, the largest overlap first."""

_SHOWN = {MATCHED: ("f1", "match_score"), "exact": ("exact_f1",)}
_TEXTS = Count("texts", MetricSpec("Texts", "Texts that both saw.", percent=False, decimals=0), pl.lit(value=True))
OF_PAIRS = {
    kind: (_TEXTS, *(one for one in METRICS_BY_KIND[kind] if one.name in names and one.keys["average"] == MICRO))
    for kind, names in _SHOWN.items()
}
"""Metrics of two annotators, by the kind of counts of a text."""

REPLIES = reply_metrics(pl.col(REPLY))

# --- views ---

_MISSED, _INVENTED = _FOUND < _TRUE, _FOUND < _PREDICTED
_KINDS = {"missed_and_invented": _MISSED & _INVENTED, "missed": _MISSED, "invented": _INVENTED}
_OUTCOME = pl.coalesce(*(pl.when(true).then(pl.lit(kind)) for kind, true in _KINDS.items()), pl.lit("right"))
_MORE = pl.when(_INVENTED).then(pl.format(", {} invented", _PREDICTED - _FOUND)).otherwise(pl.lit(""))

_view = partial(View, ignored_columns=ABOUT, required_count="true")


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
    rows=rows_of_overlap, states=COUNTS, metrics=tuple(metric for kind in KINDS for metric in METRICS_BY_KIND[kind])
)
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
    subviews=(_OVERLAP, *BREAKDOWN_VIEWS.values()),
)

ALL_COUNTS_VIEW = replace(VIEW, metrics=(*VIEW.metrics, *_OVERLAP.metrics))
"""Of all kinds of counts together."""
