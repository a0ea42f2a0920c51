"""Outcome shares of questions to a model, in a table of their own, `replies`."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import polars as pl

from adjudge.metrics.metric import KIND, Metric, Rows, View
from adjudge.metrics.ratios import Share
from adjudge.metrics.tables import cells_by, estimate_row
from adjudge.report import ESTIMATE_COLUMNS, typed_table
from adjudge.schemas.outcomes import ANSWERED, REPLY, STATUSES, UNANSWERED
from adjudge.spec import MetricSpec

REPLIES_TABLE = "replies"
REPLIES_TITLE = "Outcomes of the questions to models, and metrics if all had been answered."

_MEANINGS = {
    "answered": "Questions that the model answered / questions asked.",
    "refused": "Questions that the model, or a filter, refused / questions asked.",
    "unparseable": "Questions whose reply held no verdict / questions asked.",
    "failed": "Questions to which no whole reply came / questions asked.",
}


def reply_metrics(status: pl.Expr) -> tuple[Share, ...]:
    """The share of each status. status: null if no question was asked."""
    share = partial(Share, among=status.is_not_null(), reason="nothing was asked", table=REPLIES_TABLE)
    return tuple(
        share(one, MetricSpec(one.capitalize(), _MEANINGS[one], "high" if one == ANSWERED else "low"), status == one)
        for one in STATUSES
    )


def asked_rows(rows: pl.LazyFrame, *keys: str) -> pl.LazyFrame:
    """The rows of judges that are models, for values of the keys with any questions."""
    return rows.filter(pl.col(REPLY).is_not_null().any().over("judge", *keys))


def replies_view(rows: Rows, **more: Any) -> View:  # noqa: ANN401 - fields of a View
    """The shares of each status in two runs, one of which has unanswered questions. rows: with the column REPLY."""
    unanswered = pl.col(REPLY).cast(pl.String).is_in(UNANSWERED)
    return View(rows=rows, states=(REPLY,), metrics=reply_metrics(pl.col(REPLY)), only_if=unanswered, **more)


def replies_table(
    asked: pl.DataFrame, metrics: Sequence[Metric], keys: Sequence[str], unit: str | None, confidence: float
) -> dict[str, pl.DataFrame]:
    """The metrics of each combination of keys with unanswered questions, as a table; none if all were answered.

    asked: a row per question: item, cluster, the keys, `reply` (null if none was asked), and other columns of metrics.
    unit: see `adjudge.metrics.cells.count_states`.
    """
    if asked.is_empty():
        return {}
    further = [name for name in asked.columns if name not in {"item", "cluster", *keys}]
    lost = asked.filter(pl.col(REPLY).is_in(UNANSWERED).any().over(keys) if keys else pl.lit(value=True))
    view = View(rows=lambda rows, *_: rows, states=tuple(further), metrics=tuple(metrics))
    rows = [
        estimate_row(group, metric.name, metric.estimate(cells[""], confidence))
        for group, cells in cells_by(lost.lazy().with_columns(pl.lit("").alias(KIND)), view, keys, unit)
        for metric in metrics
        if metric.applies_to(group)
    ]
    numbers = [name for name in keys if asked.schema[name].is_numeric()]
    return {REPLIES_TABLE: typed_table(rows, [*keys, *ESTIMATE_COLUMNS], numbers=numbers)} if rows else {}
