"""What some reports open with besides what their figures answer, and what they then advise."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from karat.about import Opening
from karat.render.card import card_sentences, card_steps
from karat.render.crowd import crowd_sentences, crowd_steps
from karat.render.worth import worth_sentences
from karat.report import Report


@dataclass(frozen=True, slots=True)
class Words:
    """The words of an opening.

    sentences: those of a report. steps: what to do next; by default what follows from the facts that it concludes.
    instead: whether the sentences stand in the place of what its figures answer, or else behind all others.
    """

    sentences: Callable[[Report], Sequence[str]]
    steps: Callable[[Report], tuple[str, ...]] | None = None
    instead: bool = False


_NONE = Words(lambda _: ())
_WORDS: Mapping[Opening, Words] = {
    "judges": Words(card_sentences, card_steps, instead=True),
    "corrected": Words(worth_sentences, instead=True),
    "annotators": Words(crowd_sentences, crowd_steps),
}


def opening_of(report: Report) -> Words:
    """The words with which a report opens; none where it lacks its main table."""
    return _WORDS.get(report.about.opening, _NONE) if report.about.main in report.tables else _NONE
