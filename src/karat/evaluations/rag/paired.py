"""How two runs are compared: answers to the same questions, several draws averaged within a question first."""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any

import polars as pl

from karat.evaluations.comparing import KIND, Pairing
from karat.evaluations.comparing.figures import Figure, kappa_of_cells, of_cells, share
from karat.evaluations.rag.scoring import (
    BENCHMARK,
    BOUNDS,
    CLOSED,
    COUNTERFACTUAL,
    JUDGE,
    LIED,
    NO_ANSWER,
    NOISE,
    REJECTION,
    SAID,
    SCORERS,
    STRICT,
    UNSAID,
)

_OUTCOME, _VALUE, _SCORER, _PART = (pl.col(name) for name in ("outcome", "value", "scorer", "part"))
_LIED = pl.col(LIED) == "yes"
_MIXED = "mixed"
_NO_ERROR = "no error is detected"
_UNASKED = ("draw", LIED)
"""Key columns by which no figure is told apart."""


def _rows(outcomes: pl.LazyFrame, keys: Sequence[str]) -> pl.LazyFrame:
    """A row per question, with the share of its answers that have each property; null where none can have it."""
    said = {name: _said(name) for name in SAID}
    refusing, detected = _PART == REJECTION, said["error_detected"]
    found = {
        "correct": _VALUE,
        "rejected": pl.when(refusing).then(said["rejected"]),
        "either": pl.when(refusing).then(said["rejected"] | (_VALUE == 1).fill_null(value=False)),
        "detected": detected,
        "corrected": said["error_corrected"],
        "corrected_detected": pl.when(detected).then(said["error_corrected"]),
        "missing": _OUTCOME == "missing",
    }
    answers = outcomes.select(
        *("item", "cluster", "judge"),
        pl.lit("answer").alias(KIND),
        _PART.alias("ability"),
        *keys,
        *(one.cast(pl.Float64).alias(name) for name, one in found.items()),
        *("outcome", "reference_label", "draw"),
    )
    if not _drawn(outcomes):
        return answers.drop("draw")
    outcome = pl.when(_OUTCOME.n_unique() == 1).then(_OUTCOME.first()).otherwise(pl.lit(_MIXED))
    return _by_question(answers, keys).agg(
        pl.col("cluster", "reference_label").first(), pl.col(list(found)).mean(), outcome.alias("outcome")
    )


def _drawn(outcomes: pl.LazyFrame) -> bool:
    """Whether there are several draws of an answer."""
    return bool(outcomes.select(pl.col("draw").is_not_null().any()).collect().item())


def _by_question(answers: pl.LazyFrame, keys: Sequence[str]) -> "pl.lazyframe.group_by.LazyGroupBy":
    return answers.group_by("item", "judge", KIND, "ability", *keys, maintain_order=True)


def _said(name: str) -> pl.Expr:
    """A verdict; null where none was given, and of errors where none can be: documents that do not lie."""
    words, verdict = pl.col("label").str.split(", "), SAID[name]
    told = pl.when(~words.list.contains(verdict + UNSAID)).then(words.list.contains(verdict))
    possible = _LIED & (_PART == COUNTERFACTUAL) if name in _OF_ERRORS else pl.lit(value=True)
    if name == "error_corrected":
        possible &= pl.col("reference_label").is_not_null()
    unanswered = pl.when(possible & ~_SCORER.is_in(_OF_ANSWERS)).then(pl.lit(value=False))
    given = pl.when(_PART == COUNTERFACTUAL).then(told) if name in _OF_ERRORS else told
    return pl.when(_OUTCOME == "missing").then(unanswered).otherwise(given)


_OF_ERRORS = ("error_detected", "error_corrected")
_OF_ANSWERS = (STRICT, JUDGE)
"""Scorers that say nothing of a missing answer."""


# --- what figures would be without missing answers ---

_BOUNDED = {"accuracy": "correct", "rejection_rate": "rejected"} | {
    "error_detection_rate": "error_detected",
    "error_correction_rate": "error_corrected",
}


def _rows_of_bounds(outcomes: pl.LazyFrame, keys: Sequence[str]) -> pl.LazyFrame:
    """A row per question: each verdict with what is unknown taken for no, and for yes. None where no answer misses."""
    possible = {
        "correct": (_VALUE.is_not_null() | pl.col("reference_label").is_not_null()) & ~_PART.is_in([REJECTION, CLOSED]),
        "rejected": _PART == REJECTION,
        **dict.fromkeys(_OF_ERRORS, (_PART == COUNTERFACTUAL) & (_said("error_detected").is_not_null() | _LIED)),
    }
    said = {name: _VALUE if name == "correct" else _said(name).cast(pl.Float64) for name in possible}
    answers = outcomes.filter((_OUTCOME == "missing").any() & _SCORER.is_in(_OF_ANSWERS)).select(
        *("item", "cluster", "judge"),
        pl.lit("bound").alias(KIND),
        _PART.alias("ability"),
        *keys,
        *(
            pl.when(among).then(said[name].fill_null(float(value))).alias(name + end)
            for name, among in possible.items()
            for end, value in BOUNDS.items()
        ),
    )
    return _by_question(answers, keys).agg(pl.col("cluster").first(), pl.col(_BOUND_STATES).mean())


_BOUND_STATES = [name + end for name in _BOUNDED.values() for end in BOUNDS]


def _bounds(_: Mapping[str, Any]) -> list[Figure]:
    return [
        Figure(metric + end, share(value, value.is_not_null(), NO_ANSWER), "bound", _WHERE[metric])
        for metric, name in _BOUNDED.items()
        for end in BOUNDS
        for value in (pl.col(name + end),)
    ]


# --- how accuracy falls with noise ---


def _rows_of_slopes(outcomes: pl.LazyFrame, keys: Sequence[str]) -> pl.LazyFrame:
    """A row per question: the slope of a line through its accuracies, null where it lacks one at some noise ratio.

    None where there is one noise ratio only. Runs with other noise ratios have no rows in common.
    """
    noise, correct = pl.col("noise_ratio"), pl.col("value")
    answers = outcomes.filter((_PART == NOISE) & noise.is_not_null()).select(
        *("item", "cluster", "judge", "noise_ratio", "value"),
        pl.lit("slope").alias(KIND),
        _PART.alias("ability"),
        *keys,
    )
    levels = noise.filter(correct.is_not_null()).unique().sort().cast(pl.String).str.join(", ")
    means = (
        _by_question(answers.with_columns(levels.over("judge", *keys).alias(_LEVELS)), [*keys, "noise_ratio"])
        .agg(pl.col("cluster", _LEVELS).first(), correct.mean())
        .sort("noise_ratio", maintain_order=True)  # so that sums are the same in whatever order answers stand
        .filter(correct.is_not_null() | (correct.is_not_null().sum().over("item", "judge", *keys) == 0))
    )
    centred = noise - noise.mean()
    slopes = _by_question(means, keys).agg(
        pl.col("cluster", _LEVELS).first(),
        noise.cast(pl.String).str.join(", ").alias(_ANSWERED),
        slope=(correct * centred).sum() / (centred**2).sum(),
    )
    whole = pl.col(_ANSWERED) == pl.col(_LEVELS)
    return slopes.filter(pl.col(_LEVELS).str.contains(", ")).with_columns(pl.when(whole).then("slope").alias("slope"))


_LEVELS, _ANSWERED = "__levels__", "__answered__"


def _slope(_: Mapping[str, Any]) -> list[Figure]:
    slope = pl.col("slope")
    return [Figure("slope", share(slope, slope.is_not_null(), NO_ANSWER), "slope")]


# --- how far scorers agree ---


def _rows_of_scorers(outcomes: pl.LazyFrame, keys: Sequence[str]) -> pl.LazyFrame:
    """A row per answer, verdict and two scorers of which both give it to some answers: what either says."""
    about = ["item", "judge", "ability", "noise_ratio", "draw", *keys]
    said = {name: _VALUE == 1 if name == "correct" else _said(name) for name in SAID}
    verdicts = outcomes.with_columns(_PART.alias("ability")).select(
        *about, "cluster", "scorer", *(one.alias(name) for name, one in said.items())
    )
    there = verdicts.select(pl.col("scorer").unique()).collect()["scorer"]
    scorers = [name for name in (*SCORERS, JUDGE) if name in there]
    frames = [
        verdicts.filter(scorer=first)
        .join(
            verdicts.filter(scorer=second).select(*about, pl.col(name).alias("other")),
            on=about,
            nulls_equal=True,
            maintain_order="left",
        )
        .select(
            *about,
            "cluster",
            "scorer",
            pl.col(name).alias("one"),
            "other",
            verdict=pl.lit(name),
            other_scorer=pl.lit(second),
        )
        for first, second in combinations(scorers, 2)
        for name in SAID
    ]
    if not frames:
        return verdicts.clear().with_columns(
            one=pl.lit("yes"),
            other=pl.lit("yes"),
            verdict=pl.lit(""),
            other_scorer=pl.lit(""),
            **{KIND: pl.lit("verdict")},
        )
    told = pl.col("one").is_not_null() & pl.col("other").is_not_null()
    both = pl.concat(frames).filter(told.any().over("judge", "ability", "verdict", "scorer", "other_scorer", *keys))
    return both.with_columns(pl.col("one", "other").cast(pl.String), pl.lit("verdict").alias(KIND))


def _agreement(_: Mapping[str, Any]) -> list[Figure]:
    told = pl.col("one").is_not_null() & pl.col("other").is_not_null()
    return [Figure("kappa", of_cells("one", "other", told, kappa_of_cells, "no answer"), "verdict", table="agreement")]


def _figures(_: Mapping[str, Any]) -> list[Figure]:
    return [
        _figure("accuracy", "correct", NO_ANSWER, _WHERE["accuracy"]),
        _figure("rejection_rate", "rejected", "no answer", _WHERE["rejection_rate"]),
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


_WHERE: dict[str, Callable[[Mapping[str, Any]], bool]] = {
    "accuracy": lambda keys: keys["ability"] not in {REJECTION, CLOSED},
    "rejection_rate": lambda keys: bool(keys["ability"] == REJECTION),
    "error_detection_rate": _lied,
    "error_correction_rate": _lied,
}
"""Of which abilities a figure speaks."""


def _figure(metric: str, column: str, reason: str, where: Callable[[Mapping[str, Any]], bool]) -> Figure:
    value = pl.col(column)
    return Figure(metric, share(value, value.is_not_null(), reason), "answer", where)


PAIRING = Pairing(
    rows=_rows,
    states=("correct", "rejected", "either", "detected", "corrected", "corrected_detected", "missing", "outcome"),
    figures=_figures,
    worth=pl.coalesce("rejected", "corrected", "correct").fill_null(0.0),
    label=pl.col("outcome"),
    keys=("ability",),
    unkept=_UNASKED,
    judge_options=("model",),
    further=(
        Pairing(rows=_rows_of_bounds, states=tuple(_BOUND_STATES), figures=_bounds, keys=("ability",), unkept=_UNASKED),
        Pairing(
            rows=_rows_of_slopes,
            states=("slope",),
            figures=_slope,
            keys=("ability",),
            unkept=(*_UNASKED, "noise_ratio"),
            within=(_LEVELS,),
        ),
        Pairing(
            rows=_rows_of_scorers,
            states=("one", "other"),
            figures=_agreement,
            keys=("ability", "verdict", "scorer", "other_scorer"),
            unkept=(*_UNASKED, "noise_ratio", "scorer"),
            within=("noise_ratio", "draw"),
            pooled=True,
        ),
    ),
)
