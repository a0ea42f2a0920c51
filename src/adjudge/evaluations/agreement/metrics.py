"""The metrics of agreement, declared once."""

import json
from collections.abc import Sequence

import polars as pl

from adjudge.evaluations.agreement.options import AgreementOptions
from adjudge.evaluations.agreement.outcomes import EVERYONE, Scale
from adjudge.metrics.intraclass import RATINGS, IntraclassCorrelation
from adjudge.metrics.metric import KIND, View
from adjudge.metrics.raters import LABELS, LEVEL, SCALE, PercentAgreement, RaterAgreement
from adjudge.metrics.ratios import Count, MeanRatio
from adjudge.spec import MetricSpec
from adjudge.statistics.disagreement import Level
from adjudge.statistics.intraclass import Form
from adjudge.statistics.raters import ALONE, fleiss_kappa, gwet_ac, krippendorff_alpha, percent_agreement

NUMERIC = ("interval", "ratio")
"""Levels of labels that are numbers."""
ITEM, LABEL = "item", "label"
"""Kinds of rows: all labels of an item, and single ones."""

ALPHA = RaterAgreement(
    "alpha",
    MetricSpec(
        "Krippendorff's alpha",
        "Agreement beyond chance: 1 − observed / expected disagreement, where chance draws pairs from all labels "
        "given. 0 is what chance gives, 1 is perfect.",
        better="high",
        percent=False,
    ),
    krippendorff_alpha,
    kind=ITEM,
)
AC = RaterAgreement(
    "gwet_ac",
    MetricSpec(
        "Gwet's AC",
        "Agreement beyond chance, where only items on which people guess are left to chance: AC1 of names, else AC2. "
        "It stays high where nearly all labels are the same.",
        better="high",
        percent=False,
    ),
    gwet_ac,
    kind=ITEM,
)
FLEISS = RaterAgreement(
    "fleiss_kappa",
    MetricSpec(
        "Fleiss' kappa",
        "Agreement beyond chance, where chance gives all annotators the same shares of labels: 0 is what chance gives, "
        "1 is perfect.",
        better="high",
        percent=False,
    ),
    fleiss_kappa,
    kind=ITEM,
)


PERCENT = PercentAgreement(
    "percent_agreement",
    MetricSpec(
        "Percent agreement",
        "Of each item the share of pairs of labels that are the same; the mean over items.",
        better="high",
        of_shares=True,
    ),
    kind=ITEM,
    reason=ALONE,
)
WEIGHTED = RaterAgreement(
    "weighted_agreement",
    MetricSpec(
        "Weighted agreement",
        "Of each item how far pairs of labels agree, on average: 1 where they are the same, 0 where they are as far "
        "apart as any two labels; the mean over items.",
        better="high",
        of_shares=True,
    ),
    percent_agreement,
    kind=ITEM,
    bounds=(0.0, 1.0),
)
"""Of labels that are no names."""


def group_metrics(level: Level) -> tuple[RaterAgreement | PercentAgreement, ...]:
    """The metrics of all annotators, of labels of a level."""
    return (ALPHA, AC, FLEISS, PERCENT, *(() if level == "nominal" else (WEIGHTED,)))


ITEMS = Count(
    "items",
    MetricSpec("Items", "Items with two labels or more.", percent=False, decimals=0),
    pl.col("outcome") != "single",
    kind=ITEM,
)
WITH_OTHERS = MeanRatio(
    "agreement_with_others",
    MetricSpec(
        "Agreement with others",
        "Of each of the annotator's labels the share of the item's other labels that agree with it, or how far they do "
        "where labels are no names; the mean over labels.",
        better="high",
        of_shares=True,
    ),
    pl.col("agreed"),
    kind=LABEL,
    reason="nobody else labels an item of the annotator",
)
LABELS_GIVEN = Count(
    "labels",
    MetricSpec("Labels", "Labels that the annotator gave.", percent=False, decimals=0),
    ~pl.col("outcome").is_in(["skipped", "flagged"]),
    kind=LABEL,
)
WITHOUT = {
    "alpha_without": MetricSpec(
        "Alpha without",
        "Krippendorff's alpha of all others: where it is above that of all, the annotator lowers agreement.",
        percent=False,
        decimals=3,
        bounds=(-1.0, 1.0),
    )
}
"""Rests on the labels of all others."""
_STATES = ("outcome", "label", LEVEL, SCALE, LABELS, "agreed")


_FORMS: tuple[tuple[str, Form, str, str, str], ...] = (
    ("icc", "one-way", "ICC(1)", "ICC(1, k)", "all else, such as how high a rater rates, counts as error"),
    ("icc_agreement", "agreement", "ICC(A, 1)", "ICC(A, k)", "how high a rater rates counts as error; also ICC(2)"),
    ("icc_consistency", "consistency", "ICC(C, 1)", "ICC(C, k)", "how high a rater rates does not count; also ICC(3)"),
)


INTRACLASS = tuple(
    IntraclassCorrelation(
        name + end,
        MetricSpec(
            titles[place],
            f"The share of the variance of {ratings} that lies between items: {remark}.",
            better="high",
            percent=False,
        ),
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
    level = options.level or ("ordinal" if options.ordered else "nominal")
    return Scale(level, options.ordered or options.labels or ())


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
    pairs = pl.format("[{}, {}]", names.map_batches(_json_names, pl.String), RATINGS).alias(RATINGS)
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


def _json_names(names: pl.Series) -> pl.Series:
    """Names as JSON."""
    quoted = {name: json.dumps(name, ensure_ascii=False) for name in names.unique().drop_nulls()}
    return names.replace_strict(quoted, return_dtype=pl.String) if quoted else names


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
