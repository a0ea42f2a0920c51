"""From files of answers to the tables of the report."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

import polars as pl

from adjudge.errors import OptionError, flag_name
from adjudge.evaluations import scoring
from adjudge.evaluations.rag import metrics
from adjudge.evaluations.rag.declaration import EVALUATION
from adjudge.evaluations.rag.options import RagOptions
from adjudge.evaluations.rag.outcomes import ScoredAnswers, outcomes, score_answers
from adjudge.evaluations.rag.strict import score_strict
from adjudge.evaluations.rag.substrings import score_benchmark, score_document
from adjudge.evaluations.rag.tables import card_table, tables_of
from adjudge.evaluations.rag.true_answers import AUTO, sentence_cautions, verdict_cautions
from adjudge.evaluations.scoring import FIRST_ITEMS, Inputs, Step, Texts, examples_of, hard_items, input_of, sample_rows
from adjudge.metrics.partial_counts import LOCAL_WORKERS, Workers
from adjudge.readers.answers import answers as reader
from adjudge.readers.answers.answers import Gold, read_gold
from adjudge.readers.inputs import source_beside
from adjudge.readers.io.source import Source
from adjudge.readers.preferences.score_tables import read_answer_verdicts
from adjudge.report import Input, truncate
from adjudge.schemas.answers import ANSWERS, VERDICTS, Answers
from adjudge.schemas.columns import constant_columns, mapped_columns, requested_column
from adjudge.schemas.outcomes import OUTCOME
from adjudge.spec import HARD_ITEMS

AnswerScorer = Callable[[pl.DataFrame], pl.DataFrame]

SCORERS: dict[str, AnswerScorer] = {
    metrics.STRICT: score_strict,
    metrics.DOCUMENT: score_document,
    metrics.BENCHMARK: score_benchmark,
}
BATCH = 50_000
"""Answers that are scored at once, by each processor."""

TAKEN = frozenset(
    {*ANSWERS, *VERDICTS, metrics.GIVEN, metrics.LIED, metrics.MISLED, "scorer", "verdict", "other_scorer"}
)
"""Names that a `by` column cannot have here, besides those forbidden in all evaluations."""

ITEM = None


def check(options: RagOptions) -> None:
    """Raises OptionError for columns that Adjudge does not know, and for an option of another scorer."""
    reader_options(options)
    if options.exact and options.scorer not in {metrics.DOCUMENT, "all"}:
        raise OptionError(
            f"concerns the scorer {metrics.DOCUMENT}; {flag_name('scorer')} is {options.scorer}", option="exact"
        )


def reader_options(options: RagOptions, gold: Gold | None = None) -> reader.AnswerReading:
    """How answers are read. gold: true answers from elsewhere."""
    columns = mapped_columns(options.columns, reader.KNOWN_COLUMNS, constants=constant_columns(options))
    return reader.AnswerReading.of(options, columns=columns, cluster=requested_column(options.cluster), gold=gold)


def read(inputs: Inputs, options: RagOptions, workers: Workers = LOCAL_WORKERS) -> list[Answers]:
    """The answers in each file that can be read."""
    gold = _side_source(options.gold, options)
    reading = reader_options(options, None if gold is None else read_gold(gold))
    return workers.files("reading files", lambda source, _: reader.read_answers(source, reading), inputs["answers"], {})


def _side_source(given: Any, options: RagOptions) -> Source | None:  # noqa: ANN401 - a path or a table
    """The additional file that an option names, if any."""
    return None if given is None else source_beside(given, options.reading, options.columns)


def texts(read: Sequence[Answers], rows: Sequence[scoring.Row]) -> list[Texts]:
    """The response of each row's model, with question and documents if the file holds them."""
    items = list(dict.fromkeys(row["item"] for row in rows))
    records = list(chain.from_iterable(one.questions_of(items) for one in read if one.questions_of))
    result = _response_texts(read, rows)
    for row, row_texts in zip(rows, result, strict=True):
        wanted = {"id": row["item"], "model": row["judge"], **{name: row.get(name) for name in _TOLD}}
        belongs = (one for one in records if all(_equal_values(one.get(name), value) for name, value in wanted.items()))
        record = next(belongs, dict[str, Any]())
        if record.get("question"):
            row_texts["question"] = truncate(str(record["question"]))
        if record.get(DOCUMENTS):
            documents = [truncate(document, _LONGEST) for document in record[DOCUMENTS][:_MOST]]
            row_texts[DOCUMENTS] = json.dumps(documents, ensure_ascii=False)
    return result


def _response_texts(read: Sequence[Answers], rows: Sequence[scoring.Row]) -> list[Texts]:
    """One response where a row names the draw, else those of all draws."""
    items = pl.col("id").is_in([row["item"] for row in rows])
    answers = reader.combined(read).filter(items & (pl.col("response") != ""))
    result = []
    for row in rows:
        wanted = {"id": row["item"], "model": row["judge"]}
        wanted |= {name: row[name] for name in ("ability", "noise_ratio", *(["draw"] if "draw" in row else []))}
        wanted |= {"closed": row["part"] == metrics.CLOSED} if row.get("part") is not None else {}
        responses = answers.filter(pl.col(name).eq_missing(pl.lit(value)) for name, value in wanted.items())["response"]
        count = len(responses)
        names = ["response"] if count == 1 else [f"response {number}" for number in range(1, count + 1)]
        result.append(dict(zip(names, map(truncate, responses), strict=True)))
    return result


def score(
    read: Sequence[Answers], inputs: Inputs, options: RagOptions, step: Step, workers: Workers = LOCAL_WORKERS
) -> scoring.EvaluationResult:
    """Models against true answers, by each scorer."""
    with step("reading"):
        frame = reader.combined(read)
        read_judgments = partial(read_answer_verdicts, answers=frame)
        judged, judged_inputs, problems = _read_beside(options.verdicts, options, read_judgments)
        people, people_inputs, unseen = _read_beside(options.human, options, read_judgments)
        gold = _side_source(options.gold, options)
        gold_inputs, done = ([], ()) if gold is None else ([input_of(gold, read[0].gold)], gold.warnings)
    names = list(SCORERS) if options.scorer == "all" else [metrics.STRICT if options.scorer == AUTO else options.scorer]
    made: dict[str, AnswerScorer] = {**SCORERS, metrics.DOCUMENT: partial(score_document, exact=options.exact)}
    by_scorer = {name: score_in_batches(frame, made[name], workers) for name in names}
    if judged is not None:
        by_scorer[metrics.JUDGE] = judged.drop(OUTCOME).with_columns(pl.lit(None, pl.Boolean).alias(metrics.MISLED))
    with step("counting"):
        silent = None if judged is None else judged[OUTCOME]
        data = score_answers(frame, by_scorer, options, silent)
        given = _outcomes_of(data, names[0]).filter(~pl.col("outcome").cast(pl.String).is_in(["missing", "unjudged"]))
        declined = (pl.col("outcome") == "rejected") & (pl.col("part") == metrics.REJECTION)
        right = pl.col("outcome").cast(pl.String).is_in(["correct", "corrected"]) | declined
        hard = hard_items(given.with_columns(label="outcome"), [*data.by, "part", "noise_ratio"], right)
        tables = tables_of(data)
        if people is not None:
            tables["card"] = card_table(data, people)
        if not hard.is_empty():
            tables[HARD_ITEMS] = hard.rename({"part": "ability"})
        cautions = sentence_cautions(frame, names, options.scorer, judged=judged is not None)
        cautions += verdict_cautions(frame, by_scorer[names[0]])
    every = outcomes(data)
    rows = every.select(pl.len()).collect().item()
    sample = sample_rows(every, rows, options.seed).filter(pl.col("scorer").cast(pl.String) == names[0])
    of_scorer = partial(_outcomes_of, data, names[0])
    missing, unit = int((~data.answers["given"]).sum()), "clusters of questions" if data.cluster_unit else "questions"
    counts = {
        "answers": frame.height - missing,
        "questions": frame["id"].n_unique(),
        "models": frame["model"].n_unique(),
    }
    several = frame["draw"].drop_nulls().n_unique() > 1
    draws = "; several draws are averaged within a question first" if several else ""
    rows_of = {file.name: file.rows for file in read}
    files = [input_of(source, rows_of.get(source.name, 0)) for source in inputs["answers"]]
    return scoring.EvaluationResult(
        inputs=[*files, *gold_inputs, *judged_inputs, *people_inputs],
        tables=tables,
        outcomes=every,
        first=outcomes(data, FIRST_ITEMS).head(FIRST_ITEMS),
        rows=rows,
        examples=examples_of(sample, EVALUATION, partial(texts, read), of_scorer, partial(_response_texts, read), hard),
        counts=counts | ({"missing answers": missing} if missing else {}),
        warnings=[*(one for file in read for one in file.warnings), *done, *problems, *cautions, *unseen],
        notes=[*(f"The scorer {name} {_NOTES[name]}." for name in by_scorer), f"Intervals are based on {unit}{draws}."],
    )


def _outcomes_of(data: ScoredAnswers, scorer: str, items: Sequence[str] | None = None) -> pl.LazyFrame:
    """All outcomes by one scorer, or those of some items."""
    every = outcomes(replace(data, verdicts={scorer: data.verdicts[scorer]}))
    return every if items is None else every.filter(pl.col("item").cast(pl.String).is_in(items))


def _read_beside(
    given: Any,  # noqa: ANN401 - a path or a table
    options: RagOptions,
    read: Callable[[Source], tuple[pl.DataFrame, int, Sequence[str]]],
) -> tuple[pl.DataFrame | None, list[Input], list[str]]:
    """What a file that an option names holds, the file as an input, and warnings; none of these without a file."""
    if (source := _side_source(given, options)) is None:
        return None, [], []
    table, rows, warnings = read(source)
    return table, [input_of(source, rows)], [*source.warnings, *warnings]


def score_in_batches(answers: pl.DataFrame, scorer: AnswerScorer, workers: Workers = LOCAL_WORKERS) -> pl.DataFrame:
    """The verdicts of a scorer, batch by batch."""
    return pl.concat(workers.pieces("scoring", scorer, list(answers.iter_slices(BATCH))))


_NOTES = {
    metrics.STRICT: "judges the answers that were given; missing ones are counted apart",
    metrics.DOCUMENT: "takes a missing answer for a wrong one",
    metrics.BENCHMARK: "takes a missing answer for a wrong one",
    metrics.JUDGE: "counts the answers that the judge gave a verdict on",
}


DOCUMENTS = "documents"
"""Column of examples: JSON, a list of texts."""

_MOST, _LONGEST = 8, 700
"""Documents that are shown, and characters of each."""
_TOLD = ("ability", "noise_ratio", "draw")
"""What tells an answer from others to the same question by the same model."""


def _equal_values(first: object, second: object) -> bool:
    """Whether two values are the same as numbers or as texts; a missing one matches any."""
    if first is None or second is None:
        return True
    try:
        return float(str(first)) == float(str(second))
    except ValueError:
        return str(first) == str(second)
