"""Questions with documents, and what models answer: what a valid table is.

A true answer is a list of slots, each of which must be answered; a slot is a list of aliases, any of which answers it.
"""

from dataclasses import dataclass

import polars as pl

ABILITIES = (
    "noise_robustness",
    "negative_rejection",
    "information_integration",
    "counterfactual_robustness",
)
"""What is tested: with documents that hold the answer among others, that do not, that hold it in pieces, that lie."""

SLOTS = pl.List(pl.List(pl.String))
"""A true answer: slots, each a list of aliases."""

ANSWERS: dict[str, pl.DataType] = {
    "id": pl.String(),
    "ability": pl.String(),
    "model": pl.String(),
    "noise_ratio": pl.Float64(),
    "draw": pl.String(),
    "response": pl.String(),
    "slots": SLOTS,
    "false": pl.List(pl.String),
    "closed": pl.Boolean(),
    "cluster": pl.String(),
}
"""Columns of a table of answers.

noise_ratio: share of documents without the answer, in [0, 1], or null. draw: which of several draws of documents, or
null. response: null where the model gave none; reasoning is cut off. slots: null where no answer is right. false: what
lying documents say, any of several; null where they do not lie. closed: whether no documents were given at all.
cluster: what the question comes from; null where questions are independent.
"""


def noise_of(noise: pl.Expr) -> pl.Expr:
    """The ratio of noise, from a column of numbers: 1 of negative_rejection where it is missing."""
    silent = (pl.col("ability") == "negative_rejection") & noise.is_null()
    return pl.when(silent).then(1.0).otherwise(noise)


VERDICTS = ("correct", "rejected", "error_detected", "error_corrected")
"""What a scorer says of an answer: true, false, or null where there is nothing to say."""


@dataclass(frozen=True, slots=True)
class Answers:
    """What models answered. frame: see ANSWERS, then the `by` columns. rows: read from the files."""

    name: str
    frame: pl.DataFrame
    rows: int
    warnings: tuple[str, ...] = ()
