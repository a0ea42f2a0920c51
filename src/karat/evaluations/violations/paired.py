"""How two runs are compared: what checkers found in the same texts."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from karat.evaluations.comparing import KIND, Pairing
from karat.evaluations.comparing.figures import Figure, Of, share
from karat.evaluations.violations.metrics import MACRO, MICRO

_FOUND, _PREDICTED, _TRUE, _SCORE = (pl.col(name) for name in ("found", "predicted", "true", "score"))
_KINDS = ("true_positive", "false_positive", "false_negative")


def _rows(outcomes: pl.LazyFrame, keys: Sequence[str]) -> pl.LazyFrame:
    """A row per text: how many violations it has, how many are predicted, how many of these match."""
    found, invented, missed = (pl.col("outcome") == kind for kind in _KINDS)
    sums = outcomes.group_by("item", "judge", *keys, maintain_order=True).agg(
        pl.col("cluster").first(),
        found.sum().cast(pl.Int64).alias("found"),
        (found | invented).sum().cast(pl.Int64).alias("predicted"),
        (found | missed).sum().cast(pl.Int64).alias("true"),
        pl.col("value").filter(found).sum().alias("score"),
    )
    return sums.with_columns(pl.lit("text").alias(KIND))


def _outcome() -> pl.Expr:
    missed, invented = _FOUND < _TRUE, _FOUND < _PREDICTED
    return (
        pl.when(missed & invented)
        .then(pl.lit("missed_and_invented"))
        .when(missed)
        .then(pl.lit("missed"))
        .when(invented)
        .then(pl.lit("invented"))
        .otherwise(pl.lit("right"))
    )


def _figures(_: Mapping[str, Any]) -> list[Figure]:
    nothing_true, nothing_said = "nothing is true", "nothing is predicted"
    ratios = {
        "precision": (_FOUND, _PREDICTED, nothing_said),
        "recall": (_FOUND, _TRUE, nothing_true),
        "f1": (2 * _FOUND, _PREDICTED + _TRUE, "nothing is true or predicted"),
        "match_score": (_SCORE, _TRUE, nothing_true),
        "match_quality": (_SCORE, _FOUND, "nothing matches"),
    }
    return [
        *(Figure(metric, share(*ratio), "text", keys={"average": MICRO}) for metric, ratio in ratios.items()),
        *(Figure(metric, _mean(*ratio), "text", keys={"average": MACRO}) for metric, ratio in ratios.items()),
    ]


def _mean(above: pl.Expr, below: pl.Expr, reason: str) -> Of:
    """The mean over the texts in which a ratio is defined."""
    return share(pl.when(below > 0).then(above / below), below > 0, reason)


def _told() -> pl.Expr:
    invented = pl.when(_PREDICTED > _FOUND).then(pl.format(", {} invented", _PREDICTED - _FOUND)).otherwise(pl.lit(""))
    return pl.format("{} of {} found{}", _FOUND, _TRUE, invented)


PAIRING = Pairing(
    rows=_rows,
    states=("found", "predicted", "true", "score"),
    figures=_figures,
    outcome=_outcome(),
    worth=(2 * _FOUND - _PREDICTED - _TRUE).cast(pl.Float64),
    label=_told(),
    names=("split",),
    needed="true",
    judge_options=("checker", "predicted_annotator"),
    trusted=1,
)
