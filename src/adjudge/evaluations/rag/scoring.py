"""From files of answers to the tables of the report."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import polars as pl

from adjudge.errors import OptionError, named
from adjudge.evaluations import scoring
from adjudge.evaluations.examples import hard_items
from adjudge.evaluations.rag.declaration import EVALUATION
from adjudge.evaluations.rag.metrics import SCORE_METRICS
from adjudge.evaluations.rag.options import RagOptions
from adjudge.evaluations.rag.outcomes import (
    BENCHMARK,
    CLOSED,
    DOCUMENT,
    GIVEN,
    JUDGE,
    LIED,
    MISLED,
    REJECTION,
    STRICT,
    ScoredAnswers,
    outcomes,
    score_answers,
)
from adjudge.evaluations.rag.question_texts import question_texts
from adjudge.evaluations.rag.reference_overlap import SHORT_ANSWER, median_words, overlap_table
from adjudge.evaluations.rag.replies import KEYS, reply_rows
from adjudge.evaluations.rag.scorer_card import card_table
from adjudge.evaluations.rag.scorers.strict import score_strict
from adjudge.evaluations.rag.scorers.substrings import score_benchmark, score_document
from adjudge.evaluations.rag.tables import compare_published, tables_of
from adjudge.evaluations.scoring import FIRST_ITEMS, Inputs, Step, Texts, examples_of, input_of, sample_rows
from adjudge.metrics.partial_counts import LOCAL_WORKERS, PartialCounts, Settings, Workers
from adjudge.metrics.reply_rates import REPLIES_TABLE
from adjudge.readers.answers import answers as reader
from adjudge.readers.answers.gold_answers import Gold, read_gold
from adjudge.readers.inputs import source_beside
from adjudge.readers.io.source import Source
from adjudge.readers.pairs.verdict_tables import read_answer_verdicts, read_published
from adjudge.report import ESTIMATE_COLUMNS, Input, truncate, typed_table
from adjudge.schemas.answers import ANSWERS, VERDICTS, Answers
from adjudge.schemas.columns import constant_columns, mapped_columns, requested_column
from adjudge.schemas.outcomes import OUTCOME
from adjudge.spec import HARD_ITEMS
from adjudge.text.rouge import other_scripts_warning

Scorer = Callable[[pl.DataFrame], pl.DataFrame]

SCORERS: dict[str, Scorer] = {STRICT: score_strict, DOCUMENT: score_document, BENCHMARK: score_benchmark}
AUTO = "auto"
BATCH = 50_000
"""Answers that are scored at once, by each processor."""

METRICS = tuple(figure.name for figure in SCORE_METRICS)
"""The metrics of the table scores."""

TAKEN = frozenset({*ANSWERS, *VERDICTS, GIVEN, LIED, MISLED, "scorer", "verdict", "other_scorer"})
"""Names that a `by` column cannot have here, besides those forbidden in all evaluations."""

ITEM = None
_ABOUT, _ANSWERS = "about", "answers"


def check(options: RagOptions) -> None:
    """Raises OptionError for columns that Adjudge does not know, and for an option of another scorer."""
    reader_options(options)
    if options.exact and options.scorer not in {DOCUMENT, "all"}:
        raise OptionError(f"concerns the scorer {DOCUMENT}; {named('scorer')} is {options.scorer}", option="exact")


def reader_options(options: RagOptions, gold: Gold | None = None) -> reader.Options:
    """How answers are read. gold: true answers from elsewhere."""
    return reader.Options(
        columns=mapped_columns(options.columns, reader.KNOWN_COLUMNS, constants=constant_columns(options)),
        by=options.by,
        cluster=requested_column(options.cluster),
        model=options.model,
        drop=options.on_invalid == "drop",
        lists=options.answer_lists,
        separator=options.answer_separator,
        gold=gold,
    )


def read(inputs: Inputs, options: RagOptions, workers: Workers = LOCAL_WORKERS) -> list[Answers]:
    """The answers in each file that can be read: of several as frames, which a worker can hand over or keep."""
    gold = _side_source(options.gold, options)
    how, sources = reader_options(options, None if gold is None else read_gold(gold)), inputs["answers"]
    if len(sources) == 1 and not workers.separate:
        return [reader.read_answers(sources[0], how)]
    by_name = {source.name: source for source in sources}
    parts = workers.files("reading files", partial(_as_part, how), sources, {})
    return [_from_part(part, by_name) for part in parts]


def _as_part(how: reader.Options, source: Source, _: Settings) -> PartialCounts:
    """The contents of a file of answers as frames."""
    answers = reader.read_answers(source, how)
    facts = {name: getattr(answers, name) for name in ("rows", "warnings", "gold")}
    facts["column_names"] = dict(answers.column_names)
    about = pl.DataFrame({"source": [source.name], "told": [json.dumps(facts)]})
    return PartialCounts(rows={_ABOUT: about, _ANSWERS: answers.frame})


def _from_part(part: PartialCounts, sources: dict[str, Source]) -> Answers:
    """The answers that `_as_part` made frames of."""
    name, text = part.rows[_ABOUT].row(0)
    facts = json.loads(text)
    facts["warnings"] = tuple(facts["warnings"])
    if names := facts["column_names"]:
        facts["questions_of"] = partial(reader.questions_of, sources[name], names)
    return Answers(name, part.rows[_ANSWERS], **facts)


def preview(read: Sequence[Answers], count: int) -> pl.DataFrame:
    """The first answers, with the true ones."""
    first = read[0].frame.head(count)
    return first.select("id", "model", "ability", "response", answer="slots", noise_ratio="noise_ratio")


def _side_source(given: Any, options: RagOptions) -> Source | None:  # noqa: ANN401 - a path or a table
    """The additional file that an option names, if any."""
    return None if given is None else source_beside(given, options.reading)


def texts(read: Sequence[Answers], rows: Sequence[scoring.Row]) -> list[Texts]:
    """The response of each row's model, with question and documents if the file holds them."""
    items = [row["item"] for row in rows]
    frames = (file.frame.filter(pl.col("id").is_in(items)).select("id", "ability", "slots", "false") for file in read)
    phrases_by_question = {
        (answer["id"], answer["ability"]): {
            "answer": [alias for slot in answer["slots"] or () for alias in slot if alias],
            "lie": [lie for lie in answer["false"] or () if lie],
        }
        for frame in frames
        for answer in frame.iter_rows(named=True)
    }
    phrases = [phrases_by_question.get((row["item"], row["ability"]), {}) for row in rows]
    both = zip(_response_texts(read, rows), question_texts(read, rows, phrases), strict=True)
    return [said | asked for said, asked in both]


def _response_texts(read: Sequence[Answers], rows: Sequence[scoring.Row]) -> list[Texts]:
    """One response where a row names the draw, else those of all draws."""
    items = pl.col("id").is_in([row["item"] for row in rows])
    answers = reader.combined(read).filter(items & (pl.col("response") != ""))
    result = []
    for row in rows:
        wanted = {"id": row["item"], "model": row["judge"]}
        wanted |= {name: row[name] for name in ("ability", "noise_ratio", *(["draw"] if "draw" in row else []))}
        wanted |= {"closed": row["part"] == CLOSED} if row.get("part") is not None else {}
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
        judged, silent, judged_inputs, problems = _judge_verdicts(frame, options)
        people, people_inputs, unseen = _read_verdicts(_side_source(options.human, options), frame)
        published, published_inputs, notes = _published_results(options)
        gold = _side_source(options.gold, options)
        gold_inputs, done = ([], ()) if gold is None else ([input_of(gold, read[0].gold)], gold.warnings)
    names = list(SCORERS) if options.scorer == "all" else [STRICT if options.scorer == AUTO else options.scorer]
    made: dict[str, Scorer] = {**SCORERS, DOCUMENT: partial(score_document, exact=options.exact)}
    by_scorer = {name: score_in_batches(frame, made[name], workers) for name in names} | judged
    with step("counting"):
        data = score_answers(frame, by_scorer, by=options.by, confidence=options.ci_level, silent=silent)
        hard = _hard_questions(data, names[0])
        tables = _tables(data, people, published, hard)
        words = median_words(frame)
        if words > SHORT_ANSWER:
            tables["overlap"] = overlap_table(data, frame, options.embedding_model)
            problems += [_caution(words, names, judged, options.scorer), *other_scripts_warning(frame["response"])]
        elif options.embedding_model:
            problems.append(f"embedding_model: not used, since true answers are short ({words:g} words in the median)")
    rows = outcomes(data).select(pl.len()).collect().item()
    sample = sample_rows(outcomes(data), rows, options.seed).filter(pl.col("scorer").cast(pl.String) == names[0])
    of_scorer = partial(_outcomes_of, data, names[0])
    rows_of = {file.name: file.rows for file in read}
    files = [input_of(source, rows_of.get(source.name, 0)) for source in inputs["answers"]]
    return scoring.EvaluationResult(
        inputs=[*files, *gold_inputs, *judged_inputs, *people_inputs, *published_inputs],
        tables=tables,
        outcomes=outcomes(data),
        first=outcomes(data, FIRST_ITEMS).head(FIRST_ITEMS),
        rows=rows,
        examples=examples_of(sample, EVALUATION, partial(texts, read), of_scorer, partial(_response_texts, read), hard),
        counts=counts_of(data),
        warnings=[*(warning for file in read for warning in file.warnings), *done, *problems, *unseen, *notes],
        notes=notes_of(data),
    )


def _caution(words: float, names: Sequence[str], judged: Mapping[str, Any], asked_for: str) -> str:
    """What is said where true answers are sentences."""
    took = f"{AUTO} took {names[0]}, which looks" if asked_for == AUTO else f"{' and '.join(names)} looks"
    judge = "read the judge's figures instead" if judged else "a judge is needed (adjudge rag judge)"
    return (
        f"the true answers are sentences ({words:g} words in the median): the scorer {took} for them in the response, "
        f"so that right answers in other words count as wrong. Do not rely on this accuracy, least of all on 0%: "
        f"{judge}; the table overlap shows how many of their words the answers share"
    )


def _tables(
    data: ScoredAnswers, people: pl.DataFrame | None, published: pl.DataFrame | None, hard: pl.DataFrame
) -> dict[str, pl.DataFrame]:
    """All tables of the report. people, published: human verdicts and published results. hard: see `_hardest`."""
    tables = tables_of(data)
    if replies := [*reply_rows(data)]:
        tables[REPLIES_TABLE] = typed_table(replies, [*data.by, *KEYS, *ESTIMATE_COLUMNS], numbers=["noise_ratio"])
    if people is not None:
        tables["card"] = card_table(data, people)
    if published is not None:
        tables["published"] = compare_published(tables["scores"], published, data.by)
    return tables if hard.is_empty() else {**tables, HARD_ITEMS: hard.rename({"part": "ability"})}


def _hard_questions(data: ScoredAnswers, scorer: str) -> pl.DataFrame:
    """The questions that all models answer wrong, by a scorer."""
    given = _outcomes_of(data, scorer).filter(~pl.col("outcome").cast(pl.String).is_in(["missing", "unjudged"]))
    declined = (pl.col("outcome") == "rejected") & (pl.col("part") == REJECTION)
    right = pl.col("outcome").cast(pl.String).is_in(["correct", "corrected"]) | declined
    return hard_items(given.with_columns(label="outcome"), [*data.by, "part", "noise_ratio"], right)


def _outcomes_of(data: ScoredAnswers, scorer: str, items: Sequence[str] | None = None) -> pl.LazyFrame:
    """All outcomes by one scorer, or those of some items."""
    wanted = pl.lit(value=True) if items is None else pl.col("item").cast(pl.String).is_in(items)
    single = replace(data, verdicts={scorer: data.verdicts[scorer]})
    return outcomes(single).filter(wanted)


def _judge_verdicts(
    answers: pl.DataFrame, options: RagOptions
) -> tuple[dict[str, pl.DataFrame], pl.Series | None, list[Input], list[str]]:
    """A judge's verdicts, the status of its replies, the file that holds them, and warnings."""
    verdict_columns, inputs, warnings = _read_verdicts(_side_source(options.verdicts, options), answers)
    if verdict_columns is None:
        return {}, None, inputs, warnings
    verdicts = verdict_columns.drop(OUTCOME).with_columns(pl.lit(None, pl.Boolean).alias(MISLED))
    return {JUDGE: verdicts}, verdict_columns[OUTCOME], inputs, warnings


def _read_verdicts(source: Source | None, answers: pl.DataFrame) -> tuple[pl.DataFrame | None, list[Input], list[str]]:
    """Verdicts, the file that holds them, and warnings; none of these without a file."""
    if source is None:
        return None, [], []
    verdicts_read, rows, warnings = read_answer_verdicts(source, answers)
    return verdicts_read, [input_of(source, rows)], [*source.warnings, *warnings]


def _published_results(options: RagOptions) -> tuple[pl.DataFrame | None, list[Input], Sequence[str]]:
    """Published results, the file that holds them, and warnings from reading it."""
    source = _side_source(options.published, options)
    if source is None:
        return None, [], ()
    results = read_published(source, METRICS)
    return results, [input_of(source, results.height)], source.warnings


def score_in_batches(answers: pl.DataFrame, scorer: Scorer, workers: Workers = LOCAL_WORKERS) -> pl.DataFrame:
    """The verdicts of a scorer, batch by batch."""
    return pl.concat(workers.pieces("scoring", scorer, list(answers.iter_slices(BATCH))))


def counts_of(data: ScoredAnswers) -> dict[str, int]:
    """Counts for the head of the report."""
    models, questions = data.answers["model"].n_unique(), data.answers["id"].n_unique()
    missing = int((~data.answers["given"]).sum())
    counts = {"answers": data.answers.height - missing, "questions": questions, "models": models}
    return counts | ({"missing answers": missing} if missing else {})


def notes_of(data: ScoredAnswers) -> tuple[str, ...]:
    """How metrics were made, for the foot of the report."""
    several = data.answers["draw"].drop_nulls().n_unique() > 1
    draws = "; several draws are averaged within a question first" if several else ""
    unit = "clusters of questions" if data.cluster_unit else "questions"
    return (*(f"The scorer {name} {_NOTES[name]}." for name in data.verdicts), f"Intervals rest on {unit}{draws}.")


_NOTES = {
    STRICT: "judges the answers that were given; missing ones are counted apart",
    DOCUMENT: "takes a missing answer for a wrong one",
    BENCHMARK: "takes a missing answer for a wrong one",
    JUDGE: "counts the answers that the judge gave a verdict on",
}
