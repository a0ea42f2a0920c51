"""Answers as Karat's own JSON lines."""

from collections.abc import Iterator
from typing import Any

import polars as pl

from karat.formats.answer_rows import response
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
"""Key of a line -> column of ANSWERS."""


def answer_lines(answers: pl.DataFrame) -> Iterator[dict[str, Any]]:
    """A line per answer, which says what the table says.

    True answers are lists of slots, each a list of aliases, so that nobody has to say which of both a list is.
    """
    for row in answers.iter_rows(named=True):
        held = {key: row[column] for key, column in _COLUMNS.items()}
        held["response"] = _as_read(held["response"])
        line = {key: value for key, value in held.items() if value is not None or key == "response"}
        yield {**line, "documents": []} if row["closed"] else line


def _as_read(said: str | None) -> str | None:
    """A response that reads as it is: one in which a tag is left gets empty reasoning, which alone is cut off again."""
    return said if response(said) == said else f"<think></think>{said}"
