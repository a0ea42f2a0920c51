"""Answers as Adjudge's own rows: what models said to which question, beside the true answers."""

import polars as pl

from adjudge.readers.answers.answer_rows import response
from adjudge.readers.answers.answers import KNOWN_COLUMNS, Options, read_answers
from adjudge.readers.answers.gold_answers import read_gold
from adjudge.readers.inputs import source_beside
from adjudge.readers.io.source import Source
from adjudge.readers.parsed_input import opened
from adjudge.schemas.columns import constant_columns, mapped_columns
from adjudge.schemas.outcomes import OUTCOME, REPLY
from adjudge.writers.tables import Settings, Writable, further_columns, unwritten, writable

_COLUMNS = {
    "id": "id",
    "ability": "ability",
    "model": "model",
    "noise_ratio": "noise_ratio",
    "draw": "draw",
    "response": "response",
    "answer": "slots",
    "counterfactual": "false",
    OUTCOME: REPLY,
}
"""Key of a row -> column of ANSWERS."""


def answers_to_write(source: Source, values: Settings) -> Writable:
    """The answers of a file. Raises DataError with all that is wrong with it."""
    options = Options(
        mapped_columns(values["columns"], KNOWN_COLUMNS, constants=constant_columns(values)),
        drop=values["on_invalid"] == "drop",
        lists=values["answer_lists"],
        separator=values["answer_separator"],
        gold=None if values["gold"] is None else read_gold(source_beside(values["gold"], values)),
    )
    read = read_answers(source, options)
    left = unwritten(source, further_columns(opened(source, options), "rag", (*KNOWN_COLUMNS, OUTCOME), ()))
    return writable(read.rows, _written(read.frame), (*read.warnings, *left), always=("response",))


def _written(answers: pl.DataFrame) -> pl.LazyFrame:
    """A row per answer, which says what the table says.

    True answers are lists of slots, each a list of aliases, so that nobody has to say which of both a list is.
    """
    said = pl.Series("response", map(_as_read, answers["response"]), pl.String)
    none = pl.when("closed").then(pl.lit([], pl.List(pl.String))).alias("documents")
    columns = [pl.col(theirs).alias(key) for key, theirs in _COLUMNS.items()]
    return answers.with_columns(said).lazy().select(*columns, none)


def _as_read(said: str | None) -> str | None:
    """A response that reads as it is: one in which a tag is left gets empty reasoning, which alone is cut off again."""
    return said if response(said) == said else f"<think></think>{said}"
