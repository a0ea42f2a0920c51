"""What became of the questions to models that answer, and to one that judges their answers.

Figures have their bounds in the table of scores, since answers and verdicts may be missing for other reasons too.
"""

from collections.abc import Iterator

import polars as pl

from karat.evaluations.rag.outcomes import CLOSED, Scored
from karat.figures import replies
from karat.figures.replies import shares
from karat.figures.tables import Keys
from karat.schemas.replies import REPLY, STATUSES

KEYS = ("model", "ability", "noise_ratio", "asked")
ANSWERS, VERDICTS = "answers", "verdicts"
"""What a model was asked for."""

REPLIES = shares(pl.col(REPLY))


def reply_rows(data: Scored, verdicts: pl.Series | None) -> Iterator[Keys]:
    """The rows of what was not all answered. verdicts: what became of the questions to a judge, if there is one."""
    closed = pl.col("closed").fill_null(value=False)
    ability = pl.when(closed).then(pl.lit(CLOSED)).otherwise("ability").alias("ability")
    about = pl.col("id").alias("item"), pl.col("cluster", *data.by, "model"), ability, pl.col("noise_ratio")
    asked = {ANSWERS: data.answers[REPLY], **({} if verdicts is None else {VERDICTS: verdicts})}
    said = pl.when(pl.col(REPLY).is_in(STATUSES)).then(REPLY)
    frames = [
        data.answers.with_columns(reply.alias(REPLY)).select(*about, pl.lit(what).alias("asked"), said)
        for what, reply in asked.items()
    ]
    unit = "cluster" if data.clustered else "item"
    yield from replies.reply_rows(pl.concat(frames), REPLIES, [*data.by, *KEYS], unit, data.confidence)
