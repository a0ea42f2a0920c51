"""Replies and failures of models: of judges that predict labels, and of one that judges explanations.

Accuracy has its bounds in the table of scores, since labels may be missing for other reasons too.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from adjudge.evaluations.preferences.metrics import JUDGE, OF_EXPLANATIONS
from adjudge.evaluations.preferences.options import PreferencesOptions
from adjudge.metrics import reply_rates
from adjudge.metrics.metric import KIND
from adjudge.metrics.ratios import Share
from adjudge.metrics.reply_rates import asked_rows, replies_view, reply_metrics
from adjudge.metrics.tables import Keys
from adjudge.schemas.outcomes import OUTCOME, REPLY, STATUSES, UNANSWERED
from adjudge.schemas.preferences import REPLY as COLUMN
from adjudge.schemas.preferences import JudgedItems
from adjudge.spec import MetricSpec

KEYS = ("system", "criterion", "asked")
LABELS, VERDICTS = "labels", "verdicts"
"""What a model was asked for."""

_VERDICT, _REPLY = pl.col("verdict"), pl.col(REPLY)


def _of_verdicts(keys: Mapping[str, Any]) -> bool:
    return bool(keys["asked"] == VERDICTS)


def _judge_bound(end: str, title_end: str, condition: str, accepted: pl.Expr) -> Share:
    about = MetricSpec(
        f"Judge, {title_end}", f"Explanations accepted / asked for, if {condition} a yes.", better="high"
    )
    return Share(
        f"{JUDGE}_{end}", about, accepted, _REPLY.is_not_null(), reason="nothing was asked", applies_to=_of_verdicts
    )


REPLIES = (
    *reply_metrics(_REPLY),
    _judge_bound("lowest", "at least", "no verdict that is lacking were", _VERDICT == "yes"),
    _judge_bound(
        "highest", "at most", "every verdict that is lacking were", (_VERDICT == "yes") | _REPLY.is_in(UNANSWERED)
    ),
)
"""All metrics of the table."""


def _rows(outcomes: pl.LazyFrame, keys: Sequence[str], _: object) -> pl.LazyFrame:
    """The reply status of each question for a label."""
    labels = outcomes.filter(~pl.col("outcome").cast(pl.String).is_in([figure.name for figure in OF_EXPLANATIONS]))
    reply = pl.when(pl.col(REPLY).is_in(STATUSES)).then(REPLY)
    about = pl.lit(LABELS).alias(KIND), pl.col("part").alias("criterion"), reply
    return asked_rows(labels.select("item", "cluster", "judge", *keys, *about))


VIEW = replies_view(_rows, keys=("criterion",), ignored_columns=(REPLY,))
"""The shares in two runs, of questions for labels."""


def reply_rows(
    gold: pl.DataFrame,
    systems: Sequence[JudgedItems],
    verdicts: pl.DataFrame | None,
    options: PreferencesOptions,
    unit: str | None,
) -> Iterator[Keys]:
    """The rows of what was not all answered. gold: id, cluster, `by` columns. verdicts: of a judge, if there is one."""
    asked = []
    for system in systems:
        columns = system.frame.select("id", *system.task.reply_columns)
        long = columns.unpivot(index="id", variable_name="criterion", value_name=REPLY).drop_nulls(REPLY)
        about = {"system": pl.lit(system.name), "asked": pl.lit(LABELS)}
        asked.append(long.with_columns(pl.col("criterion").str.strip_prefix(COLUMN), **about))
    if verdicts is not None:
        status = pl.col(OUTCOME).alias(REPLY), pl.lit(VERDICTS).alias("asked")
        asked.append(verdicts.select("id", "system", "criterion", *status, "verdict"))
    replies_known = pl.concat(asked, how="diagonal").with_columns(pl.when(_REPLY.is_in(STATUSES)).then(_REPLY))
    rows = gold.join(replies_known, on="id", maintain_order="left").rename({"id": "item"})
    yield from reply_rates.reply_rows(rows, REPLIES, [*options.by, *KEYS], unit, options.ci_level)
