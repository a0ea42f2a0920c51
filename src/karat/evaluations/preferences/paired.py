"""How two runs are compared: systems on the same items, criterion by criterion and over all of them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import polars as pl

from karat.estimate import Note
from karat.evaluations.comparing import KIND, Pairing
from karat.evaluations.comparing.figures import Figure, Integers, Of, OfCells, kappa_of_cells, of_cells, share
from karat.evaluations.preferences.metrics import (
    JUDGE,
    NO_GOLD,
    NO_SCORE,
    NO_VERDICT,
    REAL,
    f1_influence,
    has_rare_label,
    recall_influence,
)
from karat.schemas.preferences import AVERAGE

_LABEL = "label"
_SCORES = (*REAL, JUDGE)
_OUTCOME = pl.col("outcome")


def _rows(outcomes: pl.LazyFrame, keys: Sequence[str]) -> pl.LazyFrame:
    scored = _OUTCOME.is_in(_SCORES)
    return outcomes.select(
        "item",
        "cluster",
        "judge",
        pl.when(scored).then(_OUTCOME).otherwise(pl.lit(_LABEL)).alias(KIND),
        pl.col("part").alias("criterion"),
        *keys,
        "outcome",
        "label",
        "reference_label",
        pl.when(scored).then("value").alias("score"),
    )


def _figures(_: Mapping[str, Any]) -> list[Figure]:
    judged, score = _OUTCOME.is_in(["correct", "incorrect", "missing"]), pl.col("score")
    of_labels: dict[str, Of] = {
        "accuracy": share(_OUTCOME == "correct", judged, NO_GOLD),
        "balanced_accuracy": _of_table(recall_influence, _rare, by_row=True),
        "macro_f1": _of_table(f1_influence, _rare),
        "kappa": _of_table(kappa_of_cells),
        "missing": share(_OUTCOME == "missing", judged, NO_GOLD),
    }
    reasons = dict.fromkeys(REAL, NO_SCORE) | {JUDGE: NO_VERDICT}
    return [
        *(Figure(metric, of, _LABEL) for metric, of in of_labels.items()),
        *(Figure(metric, share(score, score.is_not_null(), reason), metric) for metric, reason in reasons.items()),
    ]


def _of_table(made: OfCells, note: Callable[[Integers], Note | None] = lambda _: None, *, by_row: bool = False) -> Of:
    """A figure of the table of gold labels (rows) and predicted ones."""
    judged = pl.col("reference_label").is_not_null()
    return of_cells("reference_label", "label", judged, made, NO_GOLD, note, by_row=by_row)


def _rare(table: Integers) -> Note | None:
    """The note that such a figure carries in a report on one run too."""
    return Note.RARE_LABELS if has_rare_label(table) else None


PAIRING = Pairing(
    rows=_rows,
    states=("outcome", "label", "reference_label", "score"),
    figures=_figures,
    worth=pl.when(_OUTCOME == "correct")
    .then(1.0)
    .when(_OUTCOME.is_in(["incorrect", "missing"]))
    .then(0.0)
    .otherwise("score"),
    label=pl.coalesce(pl.col("score").round(3).cast(pl.String), pl.col("label").cast(pl.String)),
    keys=("criterion",),
    mean_over=("criterion", AVERAGE),
    judge_options=("system", "verdicts"),
    trusted=1,
)
