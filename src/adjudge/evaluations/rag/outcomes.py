"""The outcome of each answer: a row per answer and scorer.

label: the verdicts that hold, in words. value: 1 where the answer is correct, 0 where it is not. detail: the phrase
that decided. part: the ability, or `closed_book` where no documents were given. Then come the ability itself, given
(whether there is a response at all), lied (whether documents say something false) and the verdicts rejected,
error_detected and error_corrected, and misled (whether what documents say falsely is given); a verdict is null where
the scorer has nothing to say.
"""

from dataclasses import dataclass

import polars as pl

from adjudge.evaluations.rag.metrics import CLOSED, COUNTERFACTUAL, GIVEN, JUDGE, LABEL_COLUMNS, LIED, REJECTION
from adjudge.evaluations.rag.options import RagOptions
from adjudge.schemas.answers import VERDICTS
from adjudge.schemas.outcomes import REPLY, outcomes_frame
from adjudge.text.folding import fold


@dataclass(frozen=True, eq=False)
class ScoredAnswers:
    """All that tables rest on.

    answers: id, ability, model, noise_ratio, draw, response, closed, cluster, `by` columns, given (whether there is a
    response), truth (the true answer, in words) and lied (whether documents say something false).
    verdicts: scorer -> its verdicts, row by row. judge_replies: what became of the questions to a judge, if any.
    """

    answers: pl.DataFrame
    verdicts: dict[str, pl.DataFrame]
    by: tuple[str, ...]
    confidence: float
    judge_replies: pl.Series | None = None

    @property
    def cluster_unit(self) -> str | None:
        """The column of clusters of questions; None where the data name none."""
        return "cluster" if self.answers["cluster"].null_count() < self.answers.height else None


def score_answers(
    frame: pl.DataFrame, verdicts: dict[str, pl.DataFrame], options: RagOptions, silent: pl.Series | None
) -> ScoredAnswers:
    """Answers with the verdicts of all scorers. frame: see adjudge.schemas.answers. silent: of a judge."""
    aliases = pl.element().list.join(" or ")
    truth = pl.col("slots").list.eval(aliases).list.join("; ")
    texts = frame["response"].fill_null("")
    wordless = ~texts.str.contains(r"[\p{L}\p{N}]")  # white space and Markdown marks alone count as no response
    given = (~wordless).scatter(wordless.arg_true(), fold(texts.filter(wordless)) != "")
    answers = frame.with_columns(
        given.alias(GIVEN),
        truth.alias("truth"),
        pl.col("false").is_not_null().alias(LIED),
        pl.when(pl.col("cluster").str.strip_chars() != "").then("cluster").alias("cluster"),
    ).drop("slots", "false")
    return ScoredAnswers(answers, verdicts, tuple(options.by), options.ci_level, silent)


def outcomes(data: ScoredAnswers, first: int | None = None) -> pl.LazyFrame:
    """The outcomes of all answers by every scorer, or of the first answers.

    A judge has none in an ability on none of whose answers it was asked or gave a verdict.
    """
    frames = [
        pl.concat([data.answers, verdicts], how="horizontal")
        .with_columns(
            pl.lit(data.judge_replies if scorer == JUDGE else data.answers[REPLY]).cast(pl.String).alias(REPLY),
            scorer=pl.lit(scorer),
        )
        .filter(_JUDGED if scorer == JUDGE else True)
        for scorer, verdicts in data.verdicts.items()
    ]
    rows = pl.concat([frame[:first] for frame in frames])
    columns = {
        "item": pl.col("id"),
        "cluster": pl.col("cluster"),
        "judge": pl.col("model"),
        "reference": pl.lit("truth"),
        "part": pl.when(pl.col("closed").fill_null(value=False)).then(pl.lit(CLOSED)).otherwise("ability"),
        "label": _verdict_words(),
        "reference_label": pl.col("truth"),
        "outcome": _outcome_word(),
        "value": pl.col("correct").cast(pl.Float64),
        "detail": pl.col("detail"),
    }
    return outcomes_frame(columns, rows.lazy(), [*data.by, "noise_ratio", "draw", "scorer", *LABEL_COLUMNS])


def _outcome_word() -> pl.Expr:
    """The outcome of an answer in a word: the first that holds of missing, corrected, detected, rejected ..."""
    counterfactual = pl.col("ability") == COUNTERFACTUAL
    return (
        pl.when(~pl.col(GIVEN)).then(pl.lit("missing"))
        .when(pl.all_horizontal(pl.col(name).is_null() for name in VERDICTS)).then(pl.lit("unjudged"))
        .when(counterfactual & pl.col("error_corrected") & pl.col("error_detected")).then(pl.lit("corrected"))
        .when(counterfactual & pl.col("error_corrected")).then(pl.lit("correct"))
        .when(counterfactual & pl.col("error_detected")).then(pl.lit("detected"))
        .when("rejected").then(pl.lit("rejected"))
        .when(pl.col("ability") == REJECTION).then(pl.lit("answered"))
        .when("correct").then(pl.lit("correct"))
        .otherwise(pl.lit("incorrect"))
    )  # fmt: skip


_JUDGED = pl.any_horizontal(pl.col(*VERDICTS, REPLY).is_not_null()).any().over("ability")
_WORDS = dict(zip(VERDICTS, ("correct", "rejected", "detected", "corrected"), strict=True))


def _verdict_words() -> pl.Expr:
    """The verdicts that hold, in words; null without an answer."""
    words = [pl.when(name).then(pl.lit(word)) for name, word in _WORDS.items()]
    words_joined = pl.concat_str(words, separator=", ", ignore_nulls=True)
    none_word = pl.when(~pl.col("correct")).then(pl.lit("not correct")).otherwise(pl.lit("none"))
    return pl.when(GIVEN).then(pl.when(words_joined == "").then(none_word).otherwise(words_joined))
