"""What becomes of each prediction: a row per item, system and criterion, and one more per score of its explanation.

| outcome | value | when |
|---|---|---|
| correct, incorrect | 1, 0 | the system's label is the gold label, or another |
| missing | 0 | the system gives no label |
| unjudged | | people gave no label |
| rouge_l, bertscore, judge | the score | of the explanation, where there is one |
"""

from collections.abc import Sequence

import polars as pl

from karat.evaluations.preferences.counts import System
from karat.schemas.outcomes import outcomes_frame
from karat.schemas.preferences import LABEL, MISSING, Task

REFERENCE = "gold"
_THEIRS = "__theirs__"
_SCORE = "__score__"


def outcomes(gold: pl.DataFrame, systems: Sequence[System], task: Task, keys: Sequence[str]) -> pl.LazyFrame:
    """The outcomes of a batch of items. gold: id, cluster (may be null), labels, key columns; systems: in its order."""
    return pl.concat(
        [
            frame
            for system in systems
            for place in range(len(task.criteria))
            for frame in _of(gold, system, task, place, keys)
        ]
    )


def _of(gold: pl.DataFrame, system: System, task: Task, place: int, keys: Sequence[str]) -> list[pl.LazyFrame]:
    criterion = task.criteria[place]
    ours, theirs = pl.col(LABEL + criterion), pl.col(_THEIRS)
    columns = {
        "item": pl.col("id"),
        "cluster": pl.col("cluster"),
        "judge": pl.lit(system.name),
        "reference": pl.lit(REFERENCE),
        "part": pl.lit(criterion),
        "label": _word(theirs, task),
        "reference_label": _word(ours, task),
        "outcome": _outcome(ours, theirs),
        "value": pl.when(ours != MISSING).then((ours == theirs).cast(pl.Float64)),
    }
    frame = gold.with_columns(pl.Series(_THEIRS, system.codes[place])).lazy()
    found = [outcomes_frame(columns, frame, list(keys))]
    for metric, values in system.scores.items():
        scored = gold.with_columns(pl.Series(_SCORE, values[place], nan_to_null=True)).lazy()
        score = {
            **columns,
            "outcome": pl.lit(metric),
            "value": pl.col(_SCORE),
            "label": pl.lit(None),
            "reference_label": pl.lit(None),
        }
        found.append(outcomes_frame(score, scored.filter(pl.col(_SCORE).is_not_null()), list(keys)))
    return found


def _word(code: pl.Expr, task: Task) -> pl.Expr:
    return code.replace_strict(range(1, 1 + len(task.labels)), task.labels, default=None, return_dtype=pl.String)


def _outcome(ours: pl.Expr, theirs: pl.Expr) -> pl.Expr:
    return (
        pl.when(ours == MISSING)
        .then(pl.lit("unjudged"))
        .when(theirs == MISSING)
        .then(pl.lit("missing"))
        .when(ours == theirs)
        .then(pl.lit("correct"))
        .otherwise(pl.lit("incorrect"))
    )
