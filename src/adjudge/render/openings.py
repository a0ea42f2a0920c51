"""What some reports open with besides what their figures answer, and what they then advise."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import polars as pl

from adjudge.render.card import as_told, card_sentences, card_steps, data_sentences
from adjudge.render.checkers import checker_sentences
from adjudge.render.crowd import crowd_sentences, crowd_steps, held_sentences
from adjudge.render.worth import worth_sentences
from adjudge.report import Report
from adjudge.spec import Opening


@dataclass(frozen=True, slots=True)
class Words:
    """The words of an opening.

    sentences: those of a report. steps: what to do next; by default what follows from the facts that it concludes.
    of_data: those of the sentences that are about the data; by default none.
    place: whether the sentences stand before or behind all others, or instead of what its figures answer. ordered: a
    table with its rows in the order of the sentences; by default as it is.
    """

    sentences: Callable[[Report], Sequence[str]]
    steps: Callable[[Report], tuple[str, ...]] | None = None
    of_data: Callable[[Report], Iterable[str]] | None = None
    place: Literal["before", "instead", "behind"] = "behind"
    ordered: Callable[[Report, pl.DataFrame], pl.DataFrame] = lambda _, frame: frame


_NONE = Words(lambda _: ())
_WORDS: Mapping[Opening, Words] = {
    "judges": Words(card_sentences, card_steps, data_sentences, place="instead", ordered=as_told),
    "corrected": Words(worth_sentences, place="instead"),
    "checkers": Words(checker_sentences, place="before"),
    "annotators": Words(crowd_sentences, crowd_steps, held_sentences),
}


def opening_of(report: Report) -> Words:
    """The words with which a report opens; none where it lacks its main table."""
    return _WORDS.get(report.about.opening, _NONE) if report.about.main in report.tables else _NONE
