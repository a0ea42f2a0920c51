"""The metrics of answers from documents, declared once: means over questions, whose draws are averaged first."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, combinations
from typing import Literal

import polars as pl

from adjudge.metrics.labels import Kappa
from adjudge.metrics.metric import KIND, ROUNDING, KeyCondition, Metric, View
from adjudge.metrics.ratios import MeanShare, Share, Slope
from adjudge.metrics.tables import asked_rows, replies_view, reply_metrics
from adjudge.schemas.answers import ABILITIES, VERDICTS
from adjudge.schemas.outcomes import REPLY, STATUSES, first_match
from adjudge.spec import MetricSpec

NOISE, REJECTION, INTEGRATION, COUNTERFACTUAL, _ = ABILITIES
CLOSED = "closed_book"
"""The part of answers that were given without documents."""
ALL = "all models"
"""In place of a model's name, where a metric is of all of them together."""
STRICT, DOCUMENT, BENCHMARK, JUDGE = SCORERS = ("strict", "document", "benchmark", "judge")
OF_ANSWERS = (STRICT, JUDGE)
"""Scorers that give no verdict on a missing answer; to the others it is wrong."""

GIVEN, LIED, MISLED = "given", "lied", "misled"
LABEL_COLUMNS = ("ability", GIVEN, LIED, *VERDICTS[1:], MISLED, REPLY)
"""Columns that examples leave out, since the label has the same information in words."""

_ABILITY, _PART, _OUTCOME, _SCORER = (pl.col(name) for name in ("ability", "part", "outcome", "scorer"))
_CORRECT, _REJECTED, _DETECTED, _CORRECTED = (pl.col(name) for name in ("value", *VERDICTS[1:]))
_NOISE_RATIO = pl.col("noise_ratio")
_OPEN = _PART != CLOSED

_NO_ANSWER = "no answer"
_NO_TRUTH = "no answer with a true answer to compare with"
_NO_LIE = "no answer with a counterfactual to compare with"


def _for_abilities(*abilities: str) -> KeyCondition:
    return lambda keys: keys["ability"] in abilities


# --- each question, with its draws averaged ---


_ABOUT = {
    "accuracy": ("Accuracy", "Correct answers / answers that can be right or wrong."),
    "accuracy_over_noise": (
        "Accuracy (mean)",
        "The mean over noise ratios of accuracy, on the questions that have an answer to compare at each of them.",
    ),
    "rejection_rate": ("Rejection rate", "Rejections / answers to questions whose documents hold no answer."),
    "refusal_rate": (
        "Refusal rate",
        "Rejections / answers to questions whose documents hold the answer, or may hold it.",
    ),
    "attack_success_rate": ("Attack success rate", "Answers that give what the documents say falsely / all answers."),
    "all_rate": ("All rate", "Rejections and correct answers / answers to questions whose documents hold no answer."),
    "error_detection_rate": ("Error detection rate", "Answers that point out an error in the documents / all answers."),
    "error_correction_rate": (
        "Error correction rate",
        "Answers with the truth instead of what the documents say, with or without a word on the error / all answers.",
    ),
    "error_correction_rate_detected": (
        "Error correction rate, detected",
        "Detected errors that are corrected too / detected errors.",
    ),
}


def _rate_metric(
    name: str, column: str, reason: str, where: KeyCondition, *, better: Literal["high", "low"] = "high"
) -> MeanShare:
    """The mean over questions of a column of shares of their answers."""
    about = MetricSpec(*_ABOUT[name], better=better)
    return MeanShare(name, about, pl.col(column), kind="answer", reason=reason, applies_to=where)


ACCURACY = _rate_metric("accuracy", "correct", _NO_TRUTH, lambda keys: keys["ability"] != REJECTION)
REJECTION_RATE = _rate_metric("rejection_rate", "rejected", _NO_ANSWER, _for_abilities(REJECTION))
REFUSAL_RATE = _rate_metric(
    "refusal_rate", "refused", _NO_ANSWER, lambda keys: keys["ability"] != REJECTION, better="low"
)
ATTACK = _rate_metric(
    *("attack_success_rate", "misled", _NO_LIE),
    lambda keys: keys["ability"] == COUNTERFACTUAL and keys["scorer"] in (STRICT, DOCUMENT),
    better="low",
)
ALL_RATE = _rate_metric(
    *("all_rate", "rejected_or_correct", _NO_ANSWER),
    lambda keys: keys["ability"] == REJECTION and keys["scorer"] == BENCHMARK,
)
DETECTION = _rate_metric("error_detection_rate", "detected", _NO_LIE, _for_abilities(COUNTERFACTUAL))
CORRECTION = _rate_metric("error_correction_rate", "corrected", _NO_LIE, _for_abilities(COUNTERFACTUAL))
CORRECTED_DETECTED = _rate_metric(
    "error_correction_rate_detected", "corrected_detected", "no error is detected", _for_abilities(COUNTERFACTUAL)
)
_CLOSED_ABOUT = MetricSpec("Accuracy without documents", "Correct answers / answers given without any document.")
CLOSED_BOOK = MeanShare("closed_book_accuracy", _CLOSED_ABOUT, pl.col("correct"), kind=CLOSED, reason=_NO_TRUTH)
_MISSING_ABOUT = MetricSpec("Missing", "Failed and empty answers / all answers.", better="low")
MISSING = MeanShare("missing", _MISSING_ABOUT, pl.col("missing"), kind="answer", reason=_NO_ANSWER)

_SHARES = {
    "correct": _CORRECT,
    "rejected": pl.when(_OPEN & (_ABILITY == REJECTION)).then(_REJECTED),
    "refused": pl.when(_OPEN & (_ABILITY != REJECTION)).then(_REJECTED),
    "misled": pl.when(_OPEN & (_ABILITY == COUNTERFACTUAL)).then(pl.col(MISLED)),
    "rejected_or_correct": pl.when(_REJECTED.is_not_null()).then(_REJECTED | (_CORRECT == 1).fill_null(value=False)),
    "detected": pl.when(_OPEN & (_ABILITY == COUNTERFACTUAL)).then(_DETECTED),
    "corrected": pl.when(_OPEN & (_ABILITY == COUNTERFACTUAL)).then(_CORRECTED),
    "corrected_detected": pl.when(_DETECTED).then(_CORRECTED),
    "missing": ~pl.col(GIVEN),
}
"""The properties of an answer that metrics average; null where a scorer gives no verdict."""
_MIXED = "mixed"


def _rows(outcomes: pl.LazyFrame, keys: Sequence[str], _: object) -> pl.LazyFrame:
    """A row per question, with the share of its answers that have each property; null where none can have it."""
    kind = pl.when(_OPEN).then(pl.lit("answer")).otherwise(pl.lit(CLOSED))
    answers = _answer_rows(outcomes, keys, kind, _SHARES)
    single = _OUTCOME.n_unique() == 1
    outcome = pl.when(single).then(_OUTCOME.first()).otherwise(pl.lit(_MIXED)).alias("outcome")
    return _question_rows(answers, keys, pl.col("reference_label").first(), pl.col(list(_SHARES)).mean(), outcome)


def _answer_rows(
    outcomes: pl.LazyFrame, keys: Sequence[str], kind: pl.Expr, shares: Mapping[str, pl.Expr]
) -> pl.LazyFrame:
    """A row per answer. Answers without documents have no noise."""
    noise = pl.when(_OPEN).then(_NOISE_RATIO).alias("noise_ratio")
    return outcomes.select(
        *("item", "cluster", "judge", "ability", "outcome", "reference_label"),
        kind.alias(KIND),
        *(noise if name == "noise_ratio" else pl.col(name) for name in keys),
        *(one.cast(pl.Float64).alias(name) for name, one in shares.items()),
    )


def _question_rows(answers: pl.LazyFrame, keys: Sequence[str], *columns: pl.Expr) -> pl.LazyFrame:
    """A row per question, which may have several answers (draws), in the order of first answers."""
    groups = answers.with_row_index(_PLACE).group_by("item", "judge", KIND, "ability", *keys)
    return groups.agg(pl.col(_PLACE).min(), pl.col("cluster").first(), *columns).sort(_PLACE).drop(_PLACE)


_PLACE = "__place__"

# --- what metrics would be without missing answers ---

BOUNDS = {"_lowest": ("at least", "no missing answer were"), "_highest": ("at most", "every missing answer were")}
"""Suffix of a metric's name -> title and condition: its value if all missing answers were bad, or good."""


def _bounds(metric: MeanShare, good: str) -> tuple[MeanShare, ...]:
    title, state = metric.spec.title, metric.values.meta.output_name()
    return tuple(
        replace(
            metric,
            name=metric.name + end,
            spec=MetricSpec(f"{title}, {title_end}", f"{title} if {condition} {good}.", better="high"),
            values=pl.col(state + end),
        )
        for end, (title_end, condition) in BOUNDS.items()
    )


BOUNDS_OF: dict[Metric, tuple[MeanShare, ...]] = {
    ACCURACY: _bounds(ACCURACY, "right"),
    REJECTION_RATE: _bounds(REJECTION_RATE, "a declined one"),
    DETECTION: _bounds(DETECTION, "one that notices the error"),
    CORRECTION: _bounds(CORRECTION, "one that corrects the error"),
}
"""A metric -> its bounds."""

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


def _rows_of_bounds(outcomes: pl.LazyFrame, keys: Sequence[str], _: object) -> pl.LazyFrame:
    """A row per question: each verdict, with unknown ones counted as no, and as yes."""
    unjudged = (_SCORER.cast(pl.String) == JUDGE) & (_OUTCOME == "unjudged")
    shares = {**_BOUNDED, "missing": ~pl.col(GIVEN) | unjudged}
    open_answers = outcomes.filter(_OPEN & _SCORER.cast(pl.String).is_in(OF_ANSWERS))
    answers = _answer_rows(open_answers, keys, pl.lit("answer"), shares)
    return _question_rows(answers, keys, pl.col(list(shares)).mean())


# --- accuracy over noise: its mean, and how it falls ---

_NOT_AT_EVERY_RATIO = "no question with an answer to compare at every noise ratio"
_MEAN = _rate_metric("accuracy_over_noise", "mean_correct", _NOT_AT_EVERY_RATIO, _for_abilities(NOISE))
ACCURACY_OVER_NOISE = replace(_MEAN, kind="slope")
SLOPE = Slope(
    "slope",
    MetricSpec(
        "Slope per unit of noise",
        "The change in accuracy (a share) per unit of the noise ratio: the mean slope of a line through each "
        "question's answers. Noise ratios that are close together can make it greater than 1.",
        better="high",
        percent=False,
        signed=True,
    ),
    pl.col("slope"),
    pl.col("steepest"),
    reason=_NOT_AT_EVERY_RATIO,
)


def _rows_of_slopes(outcomes: pl.LazyFrame, keys: Sequence[str], _: object) -> pl.LazyFrame:
    """A row per question: the mean of its accuracies and the slope of a line through them.

    Both are null where it lacks an accuracy at some noise ratio.

    None where there is one noise ratio only. Runs with other noise ratios have no rows in common.
    The slope is sum of (x - mean) y / sum of (x - mean)^2 over noise ratios x, with accuracies y. It is steepest where
    y is 1 above the mean of x, and 0 below it.
    """
    others = [name for name in keys if name != "noise_ratio"]
    noisy = outcomes.filter(_OPEN & (_ABILITY == NOISE) & _NOISE_RATIO.is_not_null())
    answers = _answer_rows(noisy, [*others, "noise_ratio"], pl.lit("slope"), {"correct": _CORRECT})
    correct, missing = pl.col("correct"), (_OUTCOME == "missing").any()
    outcome = pl.when(missing).then(pl.lit("missing")).otherwise(_OUTCOME.first()).alias("outcome")
    points = _question_rows(answers, [*others, "noise_ratio"], correct.mean(), outcome)
    levels_known = _NOISE_RATIO.filter(correct.is_not_null())
    levels = levels_known.unique().sort().cast(pl.String).str.join(", ").over("judge", *others).alias(_LEVELS)
    points = points.with_columns(levels, levels_known.n_unique().over("judge", *others).alias(_COUNT))
    centred = levels_known - levels_known.mean()
    squares = (centred**2).sum()
    slope = (centred * correct.drop_nulls()).sum() / squares
    whole = correct.count() == pl.col(_COUNT).first()
    several = points.filter(pl.col(_COUNT) > 1).sort("noise_ratio", maintain_order=True)  # sums depend on the order
    return _question_rows(
        several,
        others,
        pl.col(_LEVELS).first(),
        pl.when(whole & (slope.abs() < ROUNDING)).then(0.0).when(whole).then(slope).alias("slope"),
        pl.when(whole).then(correct.mean()).alias("mean_correct"),
        pl.when(whole).then(centred.clip(lower_bound=0).sum() / squares).alias("steepest"),
        first_match({None: whole, "missing": missing}, _NOT_ASKED, pl.String()).alias("outcome"),
    )


_LEVELS, _COUNT = "__levels__", "__levels_count__"
_NOT_ASKED = "not at every noise ratio"

# --- how far scorers agree ---

BOTH = pl.col("one").is_not_null() & pl.col("other").is_not_null()
"""Whether both scorers give a verdict."""
_KAPPA_SPEC = MetricSpec("Kappa", "Cohen's kappa of two scorers.", better="high", percent=False)
KAPPA = Kappa("kappa", _KAPPA_SPEC, "one", "other", BOTH, table="agreement", reason=_NO_ANSWER)


def _rows_of_scorers(outcomes: pl.LazyFrame, keys: Sequence[str], _: object) -> pl.LazyFrame:
    """A row per answer, verdict and pair of scorers that both give the verdict to some answers."""
    return verdict_pairs(outcomes, keys).filter(BOTH.any().over("judge", "ability", *_OF_PAIR, *keys))


def verdict_pairs(outcomes: pl.LazyFrame, keys: Sequence[str]) -> pl.LazyFrame:
    """A row per answer, verdict and pair of scorers, with both verdicts, null where a scorer gives none."""
    about = ["item", "judge", "ability", "noise_ratio", "draw", *keys]
    answers = outcomes.with_columns(ability=_PART, correct=_CORRECT == 1).select("scorer", *about, "cluster", *VERDICTS)
    by_scorer = {name: answers.filter(_SCORER.cast(pl.String) == name).drop("scorer") for name in SCORERS}
    frames = []
    for first, second in combinations(SCORERS, 2):
        others = by_scorer[second].drop("cluster")
        both = by_scorer[first].join(others, on=about, nulls_equal=True, maintain_order="left", suffix=_OTHER)
        for verdict in VERDICTS:
            names = {"verdict": verdict, "scorer": first, "other_scorer": second, KIND: "verdict"}
            verdicts = [pl.col(verdict).alias("one"), pl.col(verdict + _OTHER).alias("other")]
            key_columns = [pl.lit(value, pl.Categorical).alias(name) for name, value in names.items()]
            frames.append(both.select(*about, "cluster", *key_columns, *verdicts))
    return pl.concat(frames)


_OTHER = " of the other"
_OF_PAIR = ("verdict", "scorer", "other_scorer")

# --- scorers beside people ---

_CARD: dict[str, tuple[str, Literal["high", "low"]]] = {
    "agreement": ("Answers of which scorer and humans say the same / answers with a verdict of both.", "high"),
    "false_right": ("Answers of which the scorer says yes / answers of which humans say no.", "low"),
    "false_wrong": ("Answers of which the scorer says no / answers of which humans say yes.", "low"),
}


def _card_share(name: str, holds: pl.Expr, among: pl.Expr, reason: str) -> Share:
    about = MetricSpec(name.replace("_", " ").capitalize(), *_CARD[name])
    return Share(name, about, holds, among, reason=reason)


_SAYS, _PEOPLE_SAY = pl.col("one"), pl.col("other")
AGREEMENT = _card_share("agreement", _SAYS == _PEOPLE_SAY, BOTH, "humans gave no verdict")
FALSE_RIGHT = _card_share("false_right", _SAYS, BOTH & ~_PEOPLE_SAY, "no answer of which humans say no")
FALSE_WRONG = _card_share("false_wrong", ~_SAYS, BOTH & _PEOPLE_SAY, "no answer of which humans say yes")
CARD_VIEW = View(
    rows=lambda outcomes, _keys, _options: outcomes,
    states=("one", "other"),
    metrics=(AGREEMENT, KAPPA, FALSE_RIGHT, FALSE_WRONG),
)
RATES = {
    "people_rate": MetricSpec("By humans", "Answers of which humans say yes / answers with a verdict of humans."),
    "scorer_rate": MetricSpec("By the scorer", "Answers of which the scorer says yes / all answers it speaks of."),
    "corrected_rate": MetricSpec(
        "Corrected", "The share that humans would give all answers: the scorer's, less its errors on the labelled part."
    ),
}
CARD = {**{one.name: one.spec for one in CARD_VIEW.metrics if one is not KAPPA}, **RATES}

# --- replies of models: of those that answer, and of one that judges their answers ---

REPLY_KEYS = ("model", "ability", "noise_ratio", "asked")
REPLIES = reply_metrics(pl.col(REPLY))
"""Metrics have their bounds in the table of scores, since answers and verdicts may be missing for other reasons too."""


def _rows_of_replies(outcomes: pl.LazyFrame, keys: Sequence[str], _: object) -> pl.LazyFrame:
    """A row per question of the models that were asked, and per question to their judge, for any scorer."""
    asked = pl.when(_SCORER.cast(pl.String) == JUDGE).then(pl.lit("verdicts")).otherwise(pl.lit("answers"))
    said = pl.when(pl.col(REPLY).is_in(STATUSES)).then(REPLY)
    about = [_PART.alias("ability"), asked.alias("asked"), pl.lit("reply").alias(KIND), said]
    rows = outcomes.select("item", "cluster", "judge", "draw", *keys, *about)
    once = rows.unique(["item", "judge", "draw", "ability", "asked", *keys], maintain_order=True, keep="first")
    return asked_rows(once, "asked")


# --- views ---

_UNASKED = ("draw", *LABEL_COLUMNS)
"""Key columns of outcomes by which metrics are not split."""
_RATES = (ACCURACY, REJECTION_RATE, REFUSAL_RATE, ALL_RATE, DETECTION, CORRECTION, CORRECTED_DETECTED)

_view = partial(View, keys=("ability",), ignored_columns=_UNASKED)
_all_bounds = tuple(chain.from_iterable(BOUNDS_OF.values()))
BOUNDS_VIEW = _view(
    rows=_rows_of_bounds, states=(*_BOUNDED, "missing"), metrics=_all_bounds, only_if=pl.col("missing") > 0
)
SLOPE_VIEW = _view(
    rows=_rows_of_slopes,
    states=("slope", "steepest", "mean_correct", "outcome"),
    metrics=(ACCURACY_OVER_NOISE, SLOPE),
    ignored_columns=(*_UNASKED, "noise_ratio"),
    subkeys=(_LEVELS,),
)
AGREEMENT_VIEW = View(
    rows=_rows_of_scorers,
    states=("one", "other"),
    metrics=(KAPPA,),
    keys=("ability", *_OF_PAIR),
    ignored_columns=(*_UNASKED, "noise_ratio", "scorer"),
    subkeys=("noise_ratio", "draw"),
    pooled=True,
)
REPLIES_VIEW = replies_view(
    _rows_of_replies, keys=("ability", "asked"), ignored_columns=("draw", "scorer", *LABEL_COLUMNS), subkeys=("draw",)
)
VIEW = _view(
    rows=_rows,
    states=(*_SHARES, "outcome"),
    metrics=(*_RATES, ATTACK, CLOSED_BOOK, MISSING),
    goodness=pl.coalesce("rejected", "corrected", "correct").fill_null(0.0),
    label=_OUTCOME,
    main_metrics=tuple(metric.name for metric in (ACCURACY_OVER_NOISE, REJECTION_RATE, CORRECTION)),
    judge_options=("model",),
    words=("detail", "reference_label"),
    subviews=(BOUNDS_VIEW, SLOPE_VIEW, AGREEMENT_VIEW, REPLIES_VIEW),
)
SCORE_METRICS = tuple(
    one for metric in (*VIEW.metrics[:-1], *SLOPE_VIEW.metrics, MISSING) for one in (metric, *BOUNDS_OF.get(metric, ()))
)
"""The metrics of the table scores, in its order: each followed by its bounds."""
