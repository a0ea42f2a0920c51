"""The metrics of predicted preferences, declared once."""

from collections.abc import Sequence
from typing import Any

import polars as pl

from adjudge.evaluations.preferences.options import PreferencesOptions
from adjudge.metrics.labels import BalancedAccuracy, Kappa, MacroF1
from adjudge.metrics.metric import KIND, Metric, View
from adjudge.metrics.ranking import RANK_METRICS
from adjudge.metrics.ratios import Mean, Share
from adjudge.metrics.tables import asked_rows, replies_view, reply_metrics
from adjudge.schemas.outcomes import REPLY, STATUSES
from adjudge.schemas.preferences import AVERAGE
from adjudge.spec import MetricSpec

LABEL, BOUND, JUDGE = "label", "bound", "judge"

_OUTCOME, _SCORE = pl.col("outcome"), pl.col("score")
_JUDGED = _OUTCOME.is_in(["correct", "incorrect", "missing"])
_BOTH = ("reference_label", "label", pl.col("reference_label").is_not_null())
"""The columns of both labels, and the rows that count."""
_OF_LABELS: dict[str, Any] = {"kind": LABEL, "reason": "no item has a gold label"}


_SPECS = {
    "accuracy": MetricSpec(
        "Accuracy",
        "Labels equal to the gold label / items with a gold label; a missing label is wrong. "
        "The average is the mean over criteria.",
        "high",
    ),
    "balanced_accuracy": MetricSpec(
        "Balanced accuracy", "The mean over gold labels of the share predicted correctly.", "high", of_shares=True
    ),
    "macro_f1": MetricSpec(
        "Macro F1",
        "The mean over gold labels of F1: 2 × items rightly given the label / (items given it + items that gold "
        "gives it).",
        "high",
        percent=False,
    ),
    "kappa": MetricSpec(
        "Kappa",
        "Cohen's kappa: agreement beyond what chance would give with these distributions of labels.",
        "high",
        percent=False,
    ),
    "missing": MetricSpec("Missing", "Items without a predicted label / items with a gold label.", "low"),
}
ACCURACY = Share("accuracy", _SPECS["accuracy"], _OUTCOME == "correct", _JUDGED, **_OF_LABELS)
OF_LABELS: tuple[Metric, ...] = (
    ACCURACY,
    BalancedAccuracy("balanced_accuracy", _SPECS["balanced_accuracy"], *_BOTH, **_OF_LABELS),
    MacroF1("macro_f1", _SPECS["macro_f1"], *_BOTH, **_OF_LABELS),
    Kappa("kappa", _SPECS["kappa"], *_BOTH, **_OF_LABELS),
    Share("missing", _SPECS["missing"], _OUTCOME == "missing", _JUDGED, **_OF_LABELS),
)
"""Metrics of the labels, which baselines have too."""


def _bound(end: str, title_end: str, condition: str, right: pl.Expr) -> Share:
    about = MetricSpec(f"Accuracy, {title_end}", f"Accuracy if {condition} right.", better="high")
    return Share(f"accuracy_{end}", about, right, _JUDGED, kind=BOUND, reason="no item has a gold label")


BOUNDS: tuple[Metric, ...] = (
    _bound("lowest", "at least", "no missing label were", _OUTCOME == "correct"),
    _bound("highest", "at most", "every missing label were", _OUTCOME.is_in(["correct", "missing"])),
)
"""What accuracy would be if missing labels were all wrong, as accuracy itself counts them, or all right."""


def _f1(name: str, title: str, matched: str) -> Mean:
    meaning = f"Mean F1 of the {matched} of both explanations; 0 where one is missing."
    about = MetricSpec(title, meaning, better="high", percent=False)
    return Mean(name, about, _SCORE, kind=name, bounds=(0.0, 1.0), reason="no item has a gold explanation")


_JUDGE_SPEC = MetricSpec("Judge", "Explanations that the judge accepts / explanations with a verdict.", "high")
OF_EXPLANATIONS: tuple[Metric, ...] = (
    _f1("rouge_l", "ROUGE-L", "longest common subsequence of words"),
    _f1("bertscore", "BERTScore", "greedily matched token vectors"),
    Share(JUDGE, _JUDGE_SPEC, _SCORE == 1, _SCORE.is_not_null(), kind=JUDGE, reason="no verdict"),
)
"""Metrics of the explanations; the rows of each have its name as their kind."""

OF_RANKS = {
    "borda": MetricSpec(
        "Borda points",
        "The number of systems it beats, summed over metrics; a tie counts half.",
        better="high",
        percent=False,
        decimals=1,
        bounds=(0.0, None),
    ),
    "mean_rank": MetricSpec(
        "Mean rank", "The mean of its ranks over metrics; 1 is the best.", "low", percent=False, bounds=(1.0, None)
    ),
    **RANK_METRICS,
}
"""Metrics of ranks, which rest on all systems at once."""

_STATES = ("outcome", "label", "reference_label", "score")


def _rows(outcomes: pl.LazyFrame, keys: Sequence[str], options: PreferencesOptions) -> pl.LazyFrame:
    scored = _OUTCOME.is_in([metric.name for metric in OF_EXPLANATIONS])
    kind, score = pl.when(scored).then(_OUTCOME).otherwise(pl.lit(LABEL)), pl.when(scored).then("value")
    about = kind.alias(KIND), pl.col("part").alias("criterion")
    rows = outcomes.select("item", "cluster", "judge", *about, *keys, *_STATES[:-1], score.alias("score"))
    if options.verdicts is None:
        return rows
    # Where a judge of explanations gave no verdict stands a row without a score: comparisons count it as left out.
    judged = rows.filter(pl.col(KIND) == JUDGE).select("item", "judge", "criterion")
    silent = rows.filter(pl.col(KIND) == LABEL).join(judged.select("judge").unique(), on="judge", how="semi")
    silent = silent.join(judged, on=["item", "judge", "criterion"], how="anti")
    nothing = [pl.lit(None).alias(name) for name in _STATES]
    return pl.concat([rows, silent.with_columns(pl.lit(JUDGE).alias(KIND), *nothing)], how="vertical_relaxed")


def _rows_of_bounds(outcomes: pl.LazyFrame, keys: Sequence[str], _: object) -> pl.LazyFrame:
    """The rows of labels."""
    labels = outcomes.filter(~_OUTCOME.is_in([metric.name for metric in OF_EXPLANATIONS]))
    about = (pl.lit(BOUND).alias(KIND), pl.col("part").alias("criterion"))
    return labels.select("item", "cluster", "judge", *about, *keys, "outcome")


# --- replies of models: of judges that predict labels, and of one that judges explanations ---

REPLY_KEYS = ("system", "criterion", "asked")
_REPLY = pl.col(REPLY)
REPLIES = reply_metrics(_REPLY)


def _rows_of_replies(outcomes: pl.LazyFrame, keys: Sequence[str], _: object) -> pl.LazyFrame:
    """The reply status of each question for a label."""
    labels = outcomes.filter(~_OUTCOME.cast(pl.String).is_in([metric.name for metric in OF_EXPLANATIONS]))
    about = pl.lit("labels").alias(KIND), pl.col("part").alias("criterion")
    reply = pl.when(_REPLY.is_in(STATUSES)).then(REPLY)
    return asked_rows(labels.select("item", "cluster", "judge", *keys, *about, reply))


# --- views ---

BOUNDS_VIEW = View(
    rows=_rows_of_bounds,
    states=("outcome",),
    metrics=BOUNDS,
    keys=("criterion",),
    ignored_columns=(REPLY,),
    mean_over=("criterion", AVERAGE),
    only_if=_OUTCOME == "missing",
)
VIEW = View(
    rows=_rows,
    states=_STATES,
    metrics=(*OF_LABELS, *OF_EXPLANATIONS),
    goodness=pl.when(_JUDGED).then((_OUTCOME == "correct").cast(pl.Float64)).otherwise("score"),
    label=pl.coalesce(pl.col("score").round(3).cast(pl.String), pl.col("label").cast(pl.String)),
    keys=("criterion",),
    ignored_columns=(REPLY,),
    main_keys={"criterion": AVERAGE},
    mean_over=("criterion", AVERAGE),
    judge_options=("system", "verdicts"),
    reference_inputs=1,
    subviews=(BOUNDS_VIEW, replies_view(_rows_of_replies, keys=("criterion",), ignored_columns=(REPLY,))),
)
