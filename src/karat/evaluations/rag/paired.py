"""How two runs are compared: answers to the same questions, several draws averaged within a question first."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import polars as pl

from karat.evaluations.comparing import KIND, Pairing
from karat.evaluations.comparing.figures import Figure, share
from karat.evaluations.rag.scoring import (
    BENCHMARK,
    CLOSED,
    COUNTERFACTUAL,
    JUDGE,
    NO_ANSWER,
    REJECTION,
    SAID,
    STRICT,
    UNSAID,
)

_OUTCOME, _VALUE, _SCORER = pl.col("outcome"), pl.col("value"), pl.col("scorer")
_MIXED = "mixed"
_NO_ERROR = "no error is detected"


def _rows(outcomes: pl.LazyFrame, keys: Sequence[str]) -> pl.LazyFrame:
    """A row per question, with the share of its answers that have each property; null where none can have it."""
    silent = _OUTCOME.is_in(["missing", "unjudged"]) & _SCORER.is_in([STRICT, JUDGE])
    lied, refusing = (~silent & (pl.col("part") == ability) for ability in (COUNTERFACTUAL, REJECTION))
    rejected, detected, corrected = (_holds(SAID[name]) for name in ("rejected", "error_detected", "error_corrected"))
    found = {
        "correct": _VALUE,
        "rejected": pl.when(refusing).then(rejected),
        "either": pl.when(refusing).then(rejected | (_VALUE == 1).fill_null(value=False)),
        "detected": pl.when(lied).then(detected),
        "corrected": pl.when(lied).then(corrected),
        "corrected_detected": pl.when(lied & detected).then(corrected),
        "missing": _OUTCOME == "missing",
    }
    answers = outcomes.select(
        "item",
        "cluster",
        "judge",
        pl.lit("answer").alias(KIND),
        pl.col("part").alias("ability"),
        *keys,
        *(one.cast(pl.Float64).alias(name) for name, one in found.items()),
        "outcome",
        pl.col("reference_label"),
        "draw",
    )
    if not outcomes.select(pl.col("draw").is_not_null().any()).collect().item():
        return answers.drop("draw")
    outcome = pl.when(_OUTCOME.n_unique() == 1).then(_OUTCOME.first()).otherwise(pl.lit(_MIXED))
    return answers.group_by("item", "judge", KIND, "ability", *keys, maintain_order=True).agg(
        pl.col("cluster", "reference_label").first(), pl.col(list(found)).mean(), outcome.alias("outcome")
    )


def _holds(verdict: str) -> pl.Expr:
    """Whether a label says a verdict; null where it says that none was given."""
    words = pl.col("label").fill_null("").str.split(", ")
    return pl.when(~words.list.contains(verdict + UNSAID)).then(words.list.contains(verdict))


def _figures(_: Mapping[str, Any]) -> list[Figure]:
    return [
        _figure("accuracy", "correct", NO_ANSWER, lambda keys: keys["ability"] not in {REJECTION, CLOSED}),
        _figure("rejection_rate", "rejected", "no answer", lambda keys: keys["ability"] == REJECTION),
        _figure(
            "all_rate",
            "either",
            "no answer",
            lambda keys: keys["ability"] == REJECTION and keys["scorer"] == BENCHMARK,
        ),
        _figure("error_detection_rate", "detected", "no answer", _lied),
        _figure("error_correction_rate", "corrected", "no answer", _lied),
        _figure("error_correction_rate_detected", "corrected_detected", _NO_ERROR, _lied),
        _figure("closed_book_accuracy", "correct", NO_ANSWER, lambda keys: keys["ability"] == CLOSED),
        _figure("missing", "missing", "no answer", lambda keys: keys["ability"] != CLOSED),
    ]


def _lied(keys: Mapping[str, Any]) -> bool:
    return bool(keys["ability"] == COUNTERFACTUAL)


def _figure(metric: str, column: str, reason: str, where: Callable[[Mapping[str, Any]], bool]) -> Figure:
    value = pl.col(column)
    return Figure(metric, share(value, value.is_not_null(), reason), "answer", where)


PAIRING = Pairing(
    rows=_rows,
    states=("correct", "rejected", "either", "detected", "corrected", "corrected_detected", "missing", "outcome"),
    figures=_figures,
    worth=pl.coalesce("rejected", "corrected", "correct").fill_null(0.0),
    label=pl.col("outcome"),
    keys={"ability": "part"},
    unkept=("draw",),
    judge_options=("model",),
)
