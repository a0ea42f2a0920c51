"""The figures of answers from documents, declared once: means over questions, whose draws are averaged first."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import polars as pl

from karat.about import Metric
from karat.evaluations.rag.outcomes import (
    BENCHMARK,
    CLOSED,
    COUNTERFACTUAL,
    GIVEN,
    LIED,
    NOISE,
    OF_ANSWERS,
    REJECTION,
    SCORERS,
    UNSAID,
)
from karat.figures.figure import ROUNDING, Where
from karat.figures.labels import Kappa
from karat.figures.ratios import MeanShare, Slope
from karat.figures.views import KIND, View
from karat.schemas.answers import VERDICTS

_ABILITY, _PART, _OUTCOME, _SCORER = (pl.col(name) for name in ("ability", "part", "outcome", "scorer"))
_CORRECT, _REJECTED, _DETECTED, _CORRECTED = (pl.col(name) for name in ("value", *VERDICTS[1:]))
_NOISE_RATIO = pl.col("noise_ratio")
_OPEN = _PART != CLOSED

_NO_ANSWER = "no answer"
_NO_TRUTH = "no answer with a true answer to compare with"
_NO_LIE = "no answer with a counterfactual to compare with"


def _of(*abilities: str) -> Where:
    return lambda keys: keys["ability"] in abilities


def _but(*abilities: str) -> Where:
    return lambda keys: keys["ability"] not in abilities


# --- each question, with its draws averaged ---


def _rate(
    name: str, column: str, title: str, meaning: str, *, reason: str = _NO_ANSWER, where: Where = lambda _: True
) -> MeanShare:
    """The mean over questions of a column of shares of their answers; high is good."""
    about = Metric(title, meaning, better="high")
    return MeanShare(name, about, pl.col(column), kind="answer", reason=reason, where=where)


ACCURACY = _rate(
    *("accuracy", "correct", "Accuracy"),
    "Correct answers / answers that can be right or wrong.",
    reason=_NO_TRUTH,
    where=_but(REJECTION),
)
REJECTION_RATE = _rate(
    *("rejection_rate", "rejected", "Rejection rate"),
    "Refusals / answers to questions whose documents hold no answer.",
    where=_of(REJECTION),
)
ALL_RATE = _rate(
    *("all_rate", "rejected_or_correct", "All rate"),
    "Refusals and correct answers / answers to questions whose documents hold no answer.",
    where=lambda keys: keys["ability"] == REJECTION and keys["scorer"] == BENCHMARK,
)
DETECTION = _rate(
    *("error_detection_rate", "detected", "Errors detected"),
    "Answers that point out an error in the documents / all answers.",
    reason=_NO_LIE,
    where=_of(COUNTERFACTUAL),
)
CORRECTION = _rate(
    *("error_correction_rate", "corrected", "Errors corrected"),
    "Answers with the truth instead of what the documents say / all answers.",
    reason=_NO_LIE,
    where=_of(COUNTERFACTUAL),
)
CORRECTED_DETECTED = _rate(
    *("error_correction_rate_detected", "corrected_detected", "Corrected of detected"),
    "Errors corrected / errors detected.",
    reason="no error is detected",
    where=_of(COUNTERFACTUAL),
)
CLOSED_BOOK = MeanShare(
    "closed_book_accuracy",
    Metric("Accuracy without documents", "Correct answers / answers given without any document."),
    pl.col("correct"),
    kind=CLOSED,
    reason=_NO_TRUTH,
)
MISSING = MeanShare(
    "missing",
    Metric("Missing", "Failed and empty answers / all answers.", better="low"),
    pl.col("missing"),
    kind="answer",
    reason=_NO_ANSWER,
)

_SHARES = {
    "correct": _CORRECT,
    "rejected": pl.when(_OPEN & (_ABILITY == REJECTION)).then(_REJECTED),
    "rejected_or_correct": pl.when(_REJECTED.is_not_null()).then(_REJECTED | (_CORRECT == 1).fill_null(value=False)),
    "detected": pl.when(_OPEN & (_ABILITY == COUNTERFACTUAL)).then(_DETECTED),
    "corrected": pl.when(_OPEN & (_ABILITY == COUNTERFACTUAL)).then(_CORRECTED),
    "corrected_detected": pl.when(_DETECTED).then(_CORRECTED),
    "missing": ~pl.col(GIVEN),
}
"""The properties of an answer that figures average; null where a scorer gives no verdict."""
_MIXED = "mixed"


def _rows(outcomes: pl.LazyFrame, keys: Sequence[str], _: Mapping[str, Any]) -> pl.LazyFrame:
    """A row per question, with the share of its answers that have each property; null where none can have it."""
    kind = pl.when(_OPEN).then(pl.lit("answer")).otherwise(pl.lit(CLOSED))
    answers = _answers(outcomes, keys, kind, _SHARES)
    if not _repeated(outcomes):
        return answers
    one = _OUTCOME.n_unique() == 1
    outcome = pl.when(one).then(_OUTCOME.first()).otherwise(pl.lit(_MIXED)).alias("outcome")
    return _by_question(answers, keys, pl.col("reference_label").first(), pl.col(list(_SHARES)).mean(), outcome)


def _answers(outcomes: pl.LazyFrame, keys: Sequence[str], kind: pl.Expr, shares: Mapping[str, pl.Expr]) -> pl.LazyFrame:
    """A row per answer. Answers without documents have no noise."""
    noise = pl.when(_OPEN).then(_NOISE_RATIO).alias("noise_ratio")
    return outcomes.select(
        *("item", "cluster", "judge", "ability", "outcome", "reference_label"),
        kind.alias(KIND),
        *(noise if name == "noise_ratio" else pl.col(name) for name in keys),
        *(one.cast(pl.Float64).alias(name) for name, one in shares.items()),
    )


def _repeated(outcomes: pl.LazyFrame) -> bool:
    """Whether a question may have several answers: draws, or answers without documents at several ratios of noise."""
    several = pl.col("draw").is_not_null() | (~_OPEN & _NOISE_RATIO.is_not_null())
    return bool(outcomes.select(several.any()).collect().item())


def _by_question(answers: pl.LazyFrame, keys: Sequence[str], *columns: pl.Expr) -> pl.LazyFrame:
    """A row per question, in the order in which they stand first."""
    groups = answers.with_row_index(_PLACE).group_by("item", "judge", KIND, "ability", *keys)
    return groups.agg(pl.col(_PLACE).min(), pl.col("cluster").first(), *columns).sort(_PLACE).drop(_PLACE)


_PLACE = "__place__"

# --- what figures would be without missing answers ---

BOUNDS = {"_lowest": ("at least", "no missing answer were"), "_highest": ("at most", "every missing answer were")}
"""Suffix of a figure's name -> title and condition: its value if all missing answers were bad, or good."""


def _bounds(figure: MeanShare, good: str) -> tuple[MeanShare, ...]:
    title, state = figure.about.title, figure.share.meta.output_name()
    return tuple(
        replace(
            figure,
            name=figure.name + end,
            about=Metric(f"{title}, {told}", f"{title} if {condition} {good}.", better="high"),
            share=pl.col(state + end),
            kind="bound",
        )
        for end, (told, condition) in BOUNDS.items()
    )


OF_ACCURACY = _bounds(ACCURACY, "right")
OF_REJECTION = _bounds(REJECTION_RATE, "a refusal")
OF_DETECTION = _bounds(DETECTION, "one that detects the error")
OF_CORRECTION = _bounds(CORRECTION, "one that corrects the error")

_LIES = (_ABILITY == COUNTERFACTUAL) & (_DETECTED.is_not_null() | pl.col(LIED))
_POSSIBLE = {
    "correct": (_CORRECT, _CORRECT.is_not_null() | pl.col("reference_label").is_not_null()),
    "rejected": (_REJECTED, _ABILITY == REJECTION),
    "detected": (_DETECTED, _LIES),
    "corrected": (_CORRECTED, _LIES),
}
"""Each verdict, and the answers that could have had it."""
_BOUNDED = {
    name + end: pl.when(possible).then(verdict.cast(pl.Float64).fill_null(float(end == "_highest")))
    for name, (verdict, possible) in _POSSIBLE.items()
    for end in BOUNDS
}


def _rows_of_bounds(outcomes: pl.LazyFrame, keys: Sequence[str], _: Mapping[str, Any]) -> pl.LazyFrame:
    """A row per question: each verdict, with unknown ones counted as no, and as yes."""
    shares = {**_BOUNDED, "missing": ~pl.col(GIVEN)}
    open_answers = outcomes.filter(_OPEN & _SCORER.cast(pl.String).is_in(OF_ANSWERS))
    answers = _answers(open_answers, keys, pl.lit("bound"), shares)
    return _by_question(answers, keys, pl.col(list(shares)).mean()) if _repeated(open_answers) else answers


# --- how accuracy falls with noise ---

SLOPE = Slope(
    "slope",
    Metric(
        "Slope over noise",
        "The change in accuracy from no noise to nothing but noise: the mean slope of a line through each question's "
        "answers.",
        better="high",
        of_shares=True,
    ),
    pl.col("slope"),
    kind="slope",
    reason="no question with an answer to compare at every noise ratio",
)


def _rounded(slope: pl.Expr) -> pl.Expr:
    """A slope that is nothing but rounding is 0: the same accuracy at every noise ratio."""
    return pl.when(slope.abs() < ROUNDING).then(0.0).otherwise(slope)


def _rows_of_slopes(outcomes: pl.LazyFrame, keys: Sequence[str], _: Mapping[str, Any]) -> pl.LazyFrame:
    """A row per question: the slope of a line through its accuracies, null where it lacks one at some noise ratio.

    None where there is one noise ratio only. Runs with other noise ratios have no rows in common.
    The slope is sum of w y over noise ratios x, with accuracies y and w = (x - mean) / sum of (x - mean)^2.
    """
    others = [name for name in keys if name != "noise_ratio"]
    noisy = outcomes.filter(_OPEN & (_ABILITY == NOISE) & _NOISE_RATIO.is_not_null())
    answers = _answers(noisy, [*others, "noise_ratio"], pl.lit("slope"), {"correct": _CORRECT})
    correct = pl.col("correct")
    if _repeated(noisy):
        missing = (_OUTCOME == "missing").any()
        outcome = pl.when(missing).then(pl.lit("missing")).otherwise(_OUTCOME.first()).alias("outcome")
        answers = _by_question(answers, [*others, "noise_ratio"], correct.mean(), outcome)
    centred = _NOISE_RATIO - _NOISE_RATIO.mean()
    levels = answers.filter(correct.is_not_null()).select("judge", *others, "noise_ratio").unique().sort("noise_ratio")
    weights = (
        levels.group_by("judge", *others)
        .agg(
            "noise_ratio",
            (centred / (centred**2).sum()).alias(_WEIGHT),
            _NOISE_RATIO.cast(pl.String).str.join(", ").alias(_LEVELS),
            pl.len().alias(_COUNT),
        )
        .filter(pl.col(_COUNT) > 1)
        .explode("noise_ratio", _WEIGHT)
    )
    weighted = answers.join(weights, on=["judge", *others, "noise_ratio"], nulls_equal=True, maintain_order="left")
    sums = _by_question(
        weighted.sort("noise_ratio", maintain_order=True),  # so that sums do not depend on the order of answers
        others,
        pl.col(_LEVELS).first(),
        _rounded((correct * pl.col(_WEIGHT)).sum()).alias("slope"),
        (pl.col(_COUNT).first() - correct.count()).alias(_COUNT),
        (_OUTCOME == "missing").any().alias("outcome"),
    )
    whole = pl.col(_COUNT) == 0
    missing = pl.when("outcome").then(pl.lit("missing")).otherwise(pl.lit(_NOT_ASKED))
    return sums.with_columns(pl.when(whole).then("slope"), pl.when(~whole).then(missing).alias("outcome")).drop(_COUNT)


_LEVELS, _WEIGHT, _COUNT = "__levels__", "__weight__", "__levels_count__"
_NOT_ASKED = "not at every noise ratio"

# --- how far scorers agree ---

BOTH = pl.col("one").is_not_null() & pl.col("other").is_not_null()
"""Whether both scorers give a verdict."""
KAPPA = Kappa(
    "kappa",
    Metric("Kappa", "Cohen's kappa of two scorers.", better="high", percent=False),
    "one",
    "other",
    BOTH,
    kind="verdict",
    table="agreement",
    reason=_NO_ANSWER,
)


def _rows_of_scorers(outcomes: pl.LazyFrame, keys: Sequence[str], _: Mapping[str, Any]) -> pl.LazyFrame:
    """A row per answer, verdict and two scorers of which both give it to some answers: what either says."""
    return verdict_pairs(outcomes, keys).filter(BOTH.any().over("judge", "ability", *_OF_PAIR, *keys))


def verdict_pairs(outcomes: pl.LazyFrame, keys: Sequence[str]) -> pl.LazyFrame:
    """A row per answer, verdict and two scorers: what either says, null where it says nothing."""
    names = set(outcomes.select(_SCORER.cast(pl.String).unique()).collect()["scorer"])
    scorers = [name for name in SCORERS if name in names]
    about = ["item", "judge", "ability", "noise_ratio", "draw", *keys]
    told = outcomes.with_columns(ability=_PART, correct=_CORRECT == 1)
    own = {name: told.filter(_SCORER.cast(pl.String) == name) for name in scorers}

    def beside(first: str, second: str) -> list[pl.LazyFrame]:
        others = own[second].select(*about, *(pl.col(name).alias(f"other {name}") for name in VERDICTS))
        both = own[first].join(others, on=about, nulls_equal=True, maintain_order="left")
        return [
            both.select(
                *(*about, "cluster"),
                *(_often(value).alias(name) for name, value in zip(_OF_PAIR, (verdict, first, second), strict=True)),
                pl.col(verdict).alias("one"),
                pl.col(f"other {verdict}").alias("other"),
                _often("verdict").alias(KIND),
            )
            for verdict in VERDICTS
        ]

    pairs = list(combinations(scorers, 2))
    if not pairs:
        return beside(scorers[0], scorers[0])[0].clear()
    return pl.concat([frame for pair in pairs for frame in beside(*pair)])


def _often(value: str) -> pl.Expr:
    """A word that many rows share, held as a number."""
    return pl.lit(value, pl.Categorical)


_OF_PAIR = ("verdict", "scorer", "other_scorer")

# --- views ---

_UNASKED = ("draw", *UNSAID)
"""Key columns of outcomes by which figures are not split."""
_STATES = (*_SHARES, "outcome")

BOUNDS_VIEW = View(
    rows=_rows_of_bounds,
    states=(*_BOUNDED, "missing"),
    figures=(*OF_ACCURACY, *OF_REJECTION, *OF_DETECTION, *OF_CORRECTION),
    keys=("ability",),
    unkept=_UNASKED,
    only_if=pl.col("missing") > 0,
)
SLOPE_VIEW = View(
    rows=_rows_of_slopes,
    states=("slope", "outcome"),
    figures=(SLOPE,),
    keys=("ability",),
    unkept=(*_UNASKED, "noise_ratio"),
    within=(_LEVELS,),
)
AGREEMENT_VIEW = View(
    rows=_rows_of_scorers,
    states=("one", "other"),
    figures=(KAPPA,),
    keys=("ability", *_OF_PAIR),
    unkept=(*_UNASKED, "noise_ratio", "scorer"),
    within=("noise_ratio", "draw"),
    pooled=True,
)
VIEW = View(
    rows=_rows,
    states=_STATES,
    figures=(ACCURACY, REJECTION_RATE, ALL_RATE, DETECTION, CORRECTION, CORRECTED_DETECTED, CLOSED_BOOK, MISSING),
    worth=pl.coalesce("rejected", "corrected", "correct").fill_null(0.0),
    label=_OUTCOME,
    keys=("ability",),
    unkept=_UNASKED,
    judge_options=("model",),
    further=(BOUNDS_VIEW, SLOPE_VIEW, AGREEMENT_VIEW),
)
FIGURES = (
    *(ACCURACY, *OF_ACCURACY, REJECTION_RATE, *OF_REJECTION, ALL_RATE, DETECTION, *OF_DETECTION),
    *(CORRECTION, *OF_CORRECTION, CORRECTED_DETECTED, CLOSED_BOOK, SLOPE, MISSING),
)
"""The figures of the table scores, in its order."""
