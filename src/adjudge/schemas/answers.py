"""Questions with documents, and what models answer: what a valid table is.

A true answer is a list of slots, each of which must be answered; a slot is a list of aliases, any of which answers it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import polars as pl

from adjudge.schemas.outcomes import REPLY

QUESTION_ANSWERING = "question_answering"
"""What is tested where nothing is known of the documents: whether questions are answered rightly."""

ABILITIES = (
    *("noise_robustness", "negative_rejection", "information_integration", "counterfactual_robustness"),
    QUESTION_ANSWERING,
)
"""What is tested: with documents that hold the answer among others, that do not, that hold it in pieces, that lie;
or with whatever documents a system found."""

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
    REPLY: pl.String(),
}
"""Columns of a table of answers.

noise_ratio: share of documents without the answer, in [0, 1], or null. draw: which of several draws of documents, or
null. response: null where the model gave none; reasoning is cut off. slots: null where no answer is right. false: what
lying documents say, any of several; null where they do not lie. closed: whether no documents were given at all.
cluster: what the question comes from; null where questions are independent. reply: what became of the question to the
model, null where the file does not say it.
"""


def fill_noise(noise: pl.Expr) -> pl.Expr:
    """The ratio of noise, from a column of numbers: 1 of negative_rejection where it is missing."""
    silent = (pl.col("ability") == "negative_rejection") & noise.is_null()
    return pl.when(silent).then(1.0).otherwise(noise)


ANSWER_KEYS = ("id", "model", "ability", "noise_ratio", "draw")
"""What tells an answer from others, where files name it."""

VERDICTS = ("correct", "rejected", "error_detected", "error_corrected")
"""What a scorer says of an answer: true, false, or null where there is nothing to say."""


@dataclass(frozen=True, slots=True)
class Answers:
    """What models answered. frame: see ANSWERS, then the `by` columns. rows: read from the files.

    gold: how many questions there are in a file of true answers. questions_of: what some questions were, and the
    documents that came with them (see `adjudge.readers.answers.answers`). column_names: Adjudge's column -> the file's,
    if known.
    """

    name: str
    frame: pl.DataFrame
    rows: int
    warnings: tuple[str, ...] = ()
    gold: int = 0
    questions_of: Callable[[Sequence[str]], list[dict[str, Any]]] | None = None
    column_names: Mapping[str, str] = field(default_factory=dict)


AnswerLists = Literal["aliases", "slots"]
"""What the texts of a flat list are, as a true answer: spellings of one, or parts of which each must be said."""


# --- questions ---


QuestionKind = Literal["base", "int", "fact"]
"""Questions whose good documents each hold the answer, hold it in pieces, or come with copies that lie."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question.

    number: where it stands in its file, from 1. slots: the true answer, see adjudge.schemas.answers. groups: documents
    that hold it; of kind "int" each group holds a piece, otherwise there is one group. negative: documents that do not
    hold it. wrong: documents that lie; each is the good one in the same place, altered. false: what they say, any of
    several. Documents may be empty, and lists of them too; texts that are asked for or answered are never empty.
    """

    number: int
    id: str
    query: str
    slots: tuple[tuple[str, ...], ...]
    groups: tuple[tuple[str, ...], ...]
    negative: tuple[str, ...]
    wrong: tuple[str, ...] = ()
    false: tuple[str, ...] = ()

    @property
    def positive(self) -> tuple[str, ...]:
        """The documents of all groups."""
        return tuple(document for group in self.groups for document in group)


@dataclass(frozen=True, slots=True)
class Questions:
    """The questions of a file, at least one. unit: what their numbers count, "line", "record" or "row".

    Ids may stand twice; `adjudge.evaluations.rag` says what comes of that.
    """

    name: str
    unit: str
    kind: QuestionKind
    items: tuple[Question, ...]
    warnings: tuple[str, ...] = ()

    def location(self, question: Question) -> str:
        """The place of a question, as messages name it."""
        return f"{self.name}, {self.unit} {question.number}"
