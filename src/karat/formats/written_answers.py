"""Answers as Karat's own rows: what models said to which question, beside the true answers."""

from collections.abc import Collection, Sequence
from itertools import chain

import polars as pl

from karat.formats.answer_rows import response
from karat.formats.answers import KNOWN_COLUMNS, Options, read_answers, together
from karat.formats.conversion import Conversion, Settings
from karat.formats.gold_answers import read_gold
from karat.formats.inputs import source_beside
from karat.formats.opened import opened
from karat.formats.source import Source
from karat.formats.written_tables import NESTED, Table, further_columns, unwritten
from karat.schemas.columns import constants_of, mapped_columns
from karat.schemas.replies import OUTCOME, REPLY

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


def _read(sources: Sequence[Source], values: Settings) -> Table:
    """The answers of all files. Raises DataError with all that is wrong with one of them, and for two to the same."""
    options = Options(
        mapped_columns(values["columns"], KNOWN_COLUMNS, constants=constants_of(values)),
        drop=values["on_invalid"] == "drop",
        lists=values["answer_lists"],
        separator=values["answer_separator"],
        gold=None if values["gold"] is None else read_gold(source_beside(values["gold"], values)),
    )
    read = [read_answers(one, options) for one in sources]
    known = (*KNOWN_COLUMNS, OUTCOME)
    left = [unwritten(one, further_columns(opened(one, options), "rag", known, ())) for one in sources]
    told = tuple(chain(*(one.warnings for one in read), *left))
    rows = {one.name: one.rows for one in read}
    return Table(rows, _written(together(read)), ("response",), told, always=frozenset(("response",)))


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


def _holds(columns: Collection[str]) -> bool:
    return {"id", "ability", "response"} <= {*columns}


CONVERSION = Conversion(
    "answers", "answer", NESTED, ("gold", "answer_lists", "answer_separator"), lambda _: KNOWN_COLUMNS, _holds, _read
)
