"""Questions with documents to answer them from, good and bad: what a model is asked in `karat rag`."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["base", "int", "fact"]
"""Questions whose good documents each hold the answer, hold it in pieces, or come with copies that lie."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question.

    number: where it stands in its file, from 1. slots: the true answer, see karat.schemas.answers. groups: documents
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

    Ids may stand twice; `karat.evaluations.rag` says what comes of that.
    """

    name: str
    unit: str
    kind: Kind
    items: tuple[Question, ...]
    warnings: tuple[str, ...] = ()

    def where(self, question: Question) -> str:
        """The place of a question, as messages name it."""
        return f"{self.name}, {self.unit} {question.number}"
