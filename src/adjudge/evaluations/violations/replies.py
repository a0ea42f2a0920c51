"""Replies and failures of checkers that ask a model, and bounds of their metrics had all texts been answered.

A text that was not answered has no predictions, so that metrics count its true violations as missed. Had it been
answered, each of them could have been found. How many others would have been invented is not known, so that precision
and F1 have no lower bound.
"""

from collections.abc import Iterator
from itertools import groupby

import polars as pl

from adjudge.estimate import Estimate
from adjudge.evaluations.violations.metrics import COUNTS, MATCHED
from adjudge.evaluations.violations.outcomes import ScoredCheckers
from adjudge.metrics import reply_rates
from adjudge.metrics.metric import KIND, Metric
from adjudge.metrics.ratios import F1, Ratio
from adjudge.metrics.reply_rates import reply_metrics
from adjudge.metrics.tables import Keys, estimate_row
from adjudge.schemas.outcomes import REPLY, UNANSWERED
from adjudge.spec import MetricSpec

_BEST = ("best_found", "best_predicted")
_FOUND, _TRUE, _BEST_FOUND, _BEST_PREDICTED = (pl.col(name) for name in ("found", "true", *_BEST))
_NO_BOUND = "not bounded: in a text that was not answered any number of violations could have been invented"
_ALL_FOUND = "if every true violation of unanswered texts were found, and nothing were invented there."
_NOTHING_TRUE = "nothing is true"

_LOWEST = MetricSpec("Recall, at least", "Recall if no true violation of unanswered texts were found.", better="high")
RECALL_LOWEST = Ratio("recall_lowest", _LOWEST, _FOUND, _TRUE, reason=_NOTHING_TRUE)
_PRECISION, _RECALL, _F1 = (
    MetricSpec(f"{name}, at most", f"{name} {_ALL_FOUND}", better="high", percent=name != "F1")
    for name in ("Precision", "Recall", "F1")
)
HIGHEST: tuple[Metric, ...] = (
    Ratio("precision_highest", _PRECISION, _BEST_FOUND, _BEST_PREDICTED, reason="nothing is predicted"),
    Ratio("recall_highest", _RECALL, _BEST_FOUND, _TRUE, reason=_NOTHING_TRUE),
    F1("f1_highest", _F1, 2 * _BEST_FOUND, _BEST_PREDICTED + _TRUE, reason="nothing is true or predicted"),
)
UNBOUNDED = {
    "precision_lowest": MetricSpec("Precision, at least", "Without a value: it has no such bound.", better="high"),
    "f1_lowest": MetricSpec(
        "F1, at least", "Without a value: it has no such bound.", better="high", percent=False, bounds=(0.0, 1.0)
    ),
}
REPLIES = (*reply_metrics(pl.col(REPLY)), RECALL_LOWEST, *HIGHEST)


def reply_rows(data: ScoredCheckers) -> Iterator[Keys]:
    """The rows of each checker that left texts unanswered, by each variant of matching."""
    asked = [
        data.texts.select("item", checker=pl.lit(checker.name), reply=checker.marked.replies)
        for checker in data.checkers
        if checker.marked.replies is not None
    ]
    if not asked:
        return
    silent = pl.col(REPLY).is_in(UNANSWERED).fill_null(value=False)
    best = (pl.when(silent).then(_TRUE).otherwise(name).alias(f"best_{name}") for name in COUNTS[:2])
    matched = data.rows.filter(pl.col(KIND) == MATCHED).with_columns(pl.col("item", "checker").cast(pl.String))
    rows = matched.join(pl.concat(asked), on=["item", "checker"], maintain_order="left").with_columns(best)
    needed = rows.select("item", "cluster", *data.keys, *COUNTS, *_BEST, REPLY)
    for keys, figures in groupby(
        reply_rates.reply_rows(needed, REPLIES, data.keys, data.unit, data.confidence),
        key=lambda row: {name: row[name] for name in data.keys},
    ):
        yield from figures
        for name in UNBOUNDED:
            yield estimate_row(keys, name, Estimate.undefined(_NO_BOUND, confidence=data.confidence))
