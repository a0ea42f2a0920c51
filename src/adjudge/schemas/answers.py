"""Questions with documents, and models' answers: the valid tables.

A true answer is a list of slots, all of which must be answered; a slot is a list of aliases, any of which answers it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl

from adjudge.schemas.outcomes import REPLY

QUESTION_ANSWERING = "question_answering"
"""The ability tested with unknown documents: correct answers to questions."""

ABILITIES = (
    *("noise_robustness", "negative_rejection", "information_integration", "counterfactual_robustness"),
    QUESTION_ANSWERING,
)
"""Tested abilities: with relevant documents among others, without any, with the answer in pieces, with counterfactual
documents; or with a system's own documents."""

SLOTS = pl.List(pl.List(pl.String))
"""A true answer: slots, each a list of aliases."""

ANSWERS: dict[str, pl.DataType] = {
    **dict.fromkeys(("id", "ability", "model"), pl.String()),
    "noise_ratio": pl.Float64(),
    **dict.fromkeys(("draw", "response"), pl.String()),
    "slots": SLOTS,
    "false": pl.List(pl.String),
    "closed": pl.Boolean(),
    **dict.fromkeys(("cluster", REPLY), pl.String()),
}
"""Columns of a table of answers.

noise_ratio: share of irrelevant documents, in [0, 1], or null. draw: which of several draws of documents, or null.
response: null if the model gave none; without reasoning. slots: null if no answer is correct. false: answers of
counterfactual documents; null without such documents. closed: whether the prompt has no documents. cluster: the source
of the question; null if questions are independent. reply: status of the question to the model, null if the file lacks
it.
"""


def fill_noise(noise: pl.Expr) -> pl.Expr:
    """The noise ratio, from a column of numbers: 1 for negative_rejection if missing."""
    silent = (pl.col("ability") == "negative_rejection") & noise.is_null()
    return pl.when(silent).then(1.0).otherwise(noise)


ANSWER_KEYS = ("id", "model", "ability", "noise_ratio", "draw")
"""Columns that identify an answer, if files have them."""

VERDICTS = ("correct", "rejected", "error_detected", "error_corrected")
"""A scorer's verdicts on an answer: true, false, or null if not applicable."""


@dataclass(frozen=True, slots=True)
class Answers:
    """Models' answers. frame: see ANSWERS, then the `by` columns. rows: read from the files.

    gold: number of questions in a file of true answers. questions_of: returns questions with their documents (see
    `adjudge.readers.answers.answers`).
    """

    name: str
    frame: pl.DataFrame
    rows: int
    warnings: tuple[str, ...] = ()
    gold: int = 0
    questions_of: Callable[[Sequence[str]], list[dict[str, Any]]] | None = None


AnswerLists = Literal["aliases", "slots"]
"""Meaning of a flat list as a true answer: aliases of one slot, or slots that must all be answered."""


# --- questions ---


QuestionKind = Literal["base", "int", "fact"]
"""Questions whose relevant documents each hold the answer, hold it in pieces, or have counterfactual copies."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question.

    number: its position in its file, from 1. slots: the true answer, see adjudge.schemas.answers. groups: relevant
    documents; in kind "int" each group holds a piece of the answer, otherwise there is one group. negative: irrelevant
    documents. wrong: counterfactual documents, altered copies of the relevant ones at the same position. false: their
    answers. Documents and lists of them may be empty; questions and answers never are.
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
    """The questions of a file, at least one.

    Ids may repeat; `adjudge.evaluations.rag` handles that.
    """

    name: str
    kind: QuestionKind
    items: tuple[Question, ...]
    warnings: tuple[str, ...] = ()
