"""Replies and failures of models that answer, and of one that judges their answers.

Metrics have their bounds in the table of scores, since answers and verdicts may be missing for other reasons too.
"""

from collections.abc import Iterator, Sequence

import polars as pl

from adjudge.evaluations.rag.metrics import CLOSED, JUDGE, LABEL_COLUMNS
from adjudge.evaluations.rag.outcomes import ScoredAnswers
from adjudge.metrics import reply_rates
from adjudge.metrics.metric import KIND
from adjudge.metrics.reply_rates import asked_rows, replies_view, reply_metrics
from adjudge.metrics.tables import Keys
from adjudge.schemas.outcomes import REPLY, STATUSES

KEYS = ("model", "ability", "noise_ratio", "asked")
ANSWERS, VERDICTS = "answers", "verdicts"
"""What a model was asked for."""

REPLIES = reply_metrics(pl.col(REPLY))


_SAID = pl.when(pl.col(REPLY).is_in(STATUSES)).then(REPLY)


def _rows(outcomes: pl.LazyFrame, keys: Sequence[str], _: object) -> pl.LazyFrame:
    """A row per question of the models that were asked, and per question to their judge, for any scorer."""
    of_judge = pl.col("scorer").cast(pl.String) == JUDGE
    asked = pl.when(of_judge).then(pl.lit(VERDICTS)).otherwise(pl.lit(ANSWERS)).alias("asked")
    about = [pl.col("part").alias("ability"), asked, pl.lit("reply").alias(KIND), _SAID]
    rows = outcomes.select("item", "cluster", "judge", "draw", *keys, *about)
    once = rows.unique(["item", "judge", "draw", "ability", "asked", *keys], maintain_order=True, keep="first")
    return asked_rows(once, "asked")


VIEW = replies_view(
    _rows, keys=("ability", "asked"), ignored_columns=("draw", "scorer", *LABEL_COLUMNS), subkeys=("draw",)
)
"""The shares in two runs."""


def reply_rows(data: ScoredAnswers) -> Iterator[Keys]:
    """The rows of what was not all answered."""
    closed = pl.col("closed").fill_null(value=False)
    ability = pl.when(closed).then(pl.lit(CLOSED)).otherwise("ability").alias("ability")
    about = pl.col("id").alias("item"), pl.col("cluster", *data.by, "model"), ability, pl.col("noise_ratio")
    asked = {ANSWERS: data.answers[REPLY], **({} if data.judge_replies is None else {VERDICTS: data.judge_replies})}
    frames = [
        data.answers.with_columns(reply.alias(REPLY)).select(*about, pl.lit(what).alias("asked"), _SAID)
        for what, reply in asked.items()
    ]
    keys, unit = [*data.by, *KEYS], data.cluster_unit or "item"
    yield from reply_rates.reply_rows(pl.concat(frames), REPLIES, keys, unit, data.confidence)
