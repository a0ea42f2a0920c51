"""The metrics of agreement, declared once."""

import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

import polars as pl

from adjudge.evaluations.agreement.options import AgreementOptions
from adjudge.evaluations.agreement.outcomes import EVERYONE, Scale
from adjudge.evaluations.judgments import level_of
from adjudge.metrics.labels import (
    LABELS,
    LEVEL,
    RATINGS,
    SCALE,
    IntraclassCorrelation,
    PercentAgreement,
    RaterAgreement,
)
from adjudge.metrics.metric import KIND, Metric, View
from adjudge.metrics.ratios import Count, MeanRatio
from adjudge.spec import MetricSpec
from adjudge.statistics.intraclass import IccForm
from adjudge.statistics.raters import ALONE, Level, fleiss_kappa, gwet_ac, krippendorff_alpha, percent_agreement

M = TypeVar("M", bound=Metric)
NUMERIC = ("interval", "ratio")
"""Levels of labels that are numbers."""
ITEM, LABEL = "item", "label"
"""Kinds of rows: all labels of an item, and single ones."""

_coefficient = partial(MetricSpec, better="high", percent=False)
_mean_share = partial(MetricSpec, better="high", of_shares=True)
_count = partial(MetricSpec, percent=False, decimals=0)
_SPECS = {
    "alpha": _coefficient(
        "Krippendorff's alpha",
        "1 − observed / expected disagreement, with chance pairs from all labels: 0 is chance, 1 is perfect.",
    ),
    "gwet_ac": _coefficient(
        "Gwet's AC", "Agreement beyond chance that stays high if one label prevails: AC1 of names, else AC2."
    ),
    "fleiss_kappa": _coefficient(
        "Fleiss' kappa", "Agreement beyond chance, with the same shares of labels for all annotators."
    ),
    "percent_agreement": _mean_share("Percent agreement", "Mean over items of the share of pairs of equal labels."),
    "weighted_agreement": _mean_share(
        "Weighted agreement",
        "Mean over items of how far pairs of labels agree: 1 if equal, 0 if as far apart as can be.",
    ),
    "items": _count("Items", "Items with two labels or more."),
    "agreement_with_others": _mean_share(
        "Agreement with others", "Mean over the annotator's labels of the share of the item's other labels that agree."
    ),
    "labels": _count("Labels", "Labels that the annotator gave."),
}


def _metric(make: Callable[..., M], name: str, *fields: object, **more: Any) -> M:  # noqa: ANN401
    """A metric of items, unless `more` says otherwise. make: its class. fields, more: those of the class."""
    return make(name, _SPECS[name], *fields, **{"kind": ITEM, **more})


ALPHA = _metric(RaterAgreement, "alpha", krippendorff_alpha)
AC = _metric(RaterAgreement, "gwet_ac", gwet_ac)
FLEISS = _metric(RaterAgreement, "fleiss_kappa", fleiss_kappa)
PERCENT = _metric(PercentAgreement, "percent_agreement", reason=ALONE)
WEIGHTED = _metric(RaterAgreement, "weighted_agreement", percent_agreement, bounds=(0.0, 1.0))
"""Of labels that are no names."""
ITEMS = _metric(Count, "items", pl.col("outcome") != "single")
_NOBODY = "nobody else labels an item of the annotator"
WITH_OTHERS = _metric(MeanRatio, "agreement_with_others", pl.col("agreed"), kind=LABEL, reason=_NOBODY)
LABELS_GIVEN = _metric(Count, "labels", ~pl.col("outcome").is_in(["skipped", "flagged"]), kind=LABEL)
WITHOUT = {
    "alpha_without": MetricSpec(
        "Alpha without",
        "Krippendorff's alpha of all others: if it is above that of all, the annotator lowers agreement.",
        percent=False,
        decimals=3,
        bounds=(-1.0, 1.0),
    )
}
"""Rests on the labels of all others."""


def group_metrics(level: Level) -> tuple[RaterAgreement | PercentAgreement, ...]:
    """The metrics of all annotators, of labels of a level."""
    return (ALPHA, AC, FLEISS, PERCENT, *(() if level == "nominal" else (WEIGHTED,)))


_STATES = ("outcome", "label", LEVEL, SCALE, LABELS, "agreed")


_FORMS: tuple[tuple[str, IccForm, str, str, str], ...] = (
    ("icc", "one-way", "ICC(1)", "ICC(1, k)", "all else, such as how high a rater rates, counts as error"),
    ("icc_agreement", "agreement", "ICC(A, 1)", "ICC(A, k)", "how high a rater rates counts as error; also ICC(2)"),
    ("icc_consistency", "consistency", "ICC(C, 1)", "ICC(C, k)", "how high a rater rates does not count; also ICC(3)"),
)


INTRACLASS = tuple(
    IntraclassCorrelation(
        name + end,
        _coefficient(titles[place], f"The share of the variance of {ratings} that lies between items: {remark}."),
        form,
        bool(place),
        kind=ITEM,
    )
    for place, (end, ratings) in enumerate((("", "single ratings"), ("_mean", "means of all ratings of an item")))
    for name, form, *titles, remark in _FORMS
)
"""Intraclass correlations, of labels that are numbers."""


def scale_of(options: AgreementOptions) -> Scale:
    """The scale of the labels that the options declare."""
    return Scale(level_of(options), options.ordered or options.labels or ())


def _rows(outcomes: pl.LazyFrame, keys: Sequence[str], options: AgreementOptions) -> pl.LazyFrame:
    of_item, scale = pl.col("judge").cast(pl.String) == EVERYONE, scale_of(options)
    return outcomes.select(
        "item",
        "cluster",
        "judge",
        pl.when(of_item).then(pl.lit(ITEM)).otherwise(pl.lit(LABEL)).alias(KIND),
        *keys,
        "outcome",
        pl.lit(scale.level).alias(LEVEL),
        pl.lit(scale.declared_labels, pl.String).alias(SCALE),
        pl.when(of_item).then(pl.col("detail").cast(pl.String)).alias(LABELS),
        pl.col("value").alias("agreed"),
        "label",
    )


def _rating_rows(outcomes: pl.LazyFrame, keys: Sequence[str], options: AgreementOptions) -> pl.LazyFrame:
    """A row per item with its numbers; none where labels are no numbers."""
    scale = scale_of(options)
    given = outcomes.filter(
        pl.lit(scale.level in NUMERIC), pl.col("judge").cast(pl.String) != EVERYONE, pl.col("label").is_not_null()
    )
    names = pl.col("judge").cast(pl.String)
    rated = given.with_columns(names.alias("judge"), scale.label_key(pl.col("label")).alias(RATINGS))
    pairs = pl.format(
        "[{}, {}]", names.map_elements(partial(json.dumps, ensure_ascii=False), pl.String), RATINGS
    ).alias(RATINGS)
    return (
        rated.sort("item", *keys, "judge")
        .with_columns(pairs)
        .group_by("item", *keys)
        .agg(
            pl.col("cluster").first(),
            pl.lit(EVERYONE).alias("judge"),
            pl.lit(ITEM).alias(KIND),
            ("[" + pl.col(RATINGS).str.join(", ") + "]").alias(RATINGS),
        )
    )


INTRACLASS_VIEW = View(
    rows=_rating_rows,
    states=(RATINGS,),
    metrics=INTRACLASS,
    only_if=pl.col(RATINGS).is_not_null(),
    outcome=pl.lit("rated"),
    label=pl.col(RATINGS),
    needs_all_judges=True,
)

WEIGHTED_VIEW = View(rows=_rows, states=_STATES, metrics=(WEIGHTED,), only_if=pl.col(LEVEL) != "nominal")
VIEW = View(
    rows=_rows,
    states=_STATES,
    metrics=(*group_metrics("nominal"), WITH_OTHERS),
    goodness=pl.col("agreed"),
    subviews=(WEIGHTED_VIEW, INTRACLASS_VIEW),
)
