"""Spans as marks in their text: the text once for each side, cut where a span begins or ends."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count, pairwise
from typing import Any, Literal

import msgspec

from adjudge.render.numbers import plain_words
from adjudge.report import truncate

SIDES = ("true", "predicted")
SHOWN = 20_000
"""The most characters of a text, if there is room."""
_MOST_ROWS = 60
_PARTS = ("rule", "category", "explanation", "correction")
_UNLISTED = "x"
"""The label of another checker's false positives."""
_FAILED = {"nothing there": "nothing overlaps it", "not in the text": "not in the text", "taken": "matches another"}
"""Why a violation has no match, other than a part of the closest one -> the text for it."""


@dataclass(frozen=True, slots=True)
class SavedMark:
    """A violation in a report (see `adjudge.evaluations.violations.scoring`)."""

    side: Literal["true", "predicted"]
    start: int | None = None
    end: int | None = None
    match: int | None = None
    score: float | None = None
    failed: str | None = None
    rule: str | None = None
    category: str | None = None
    explanation: str | None = None
    correction: str | None = None
    invented: str | None = None

    def fits(self, length: int) -> bool:
        """Whether it is within a text of that length, or quotes text that is not there. length: 0 if unknown."""
        if self.start is None or self.end is None:
            return self.start is self.end and self.invented is not None
        return self.start <= self.end and (not length or self.end <= length)


@dataclass(frozen=True, slots=True)
class Mark:
    """A violation.

    side: one of SIDES. label: the number of a true violation, shared by all its matches, else x. alone: whether
    it has no match.
    start, end: -1 for a quote that is not in the text; equal for an insertion. where: the
    offsets, or that quote.
    """

    side: str
    label: str
    start: int
    end: int
    where: str
    alone: bool
    cells: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """Its outcome in marks and the table: matched, missed or invented."""
        return ("missed" if self.side == "true" else "invented") if self.alone else "matched"


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text under the same spans. classes: its CSS classes. opens: the spans that begin here."""

    text: str
    classes: str = ""
    opens: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A text with the marks of all sides. pieces: per side. columns, rows: the table of violations."""

    pieces: tuple[tuple[str, tuple[Piece, ...]], ...]
    columns: tuple[str, ...]
    rows: tuple[Mark, ...]
    more: int


def marked_text(text: str | None, marks: str, judge: str, room: int = 2 * SHOWN) -> MarkedText | None:
    """The text of an example with its marks (see `adjudge.evaluations.violations.scoring`); None without marks.

    judge: the predictor. room: the most characters in all. Both sides omit the same stretches. Reports are read back
    from files that anyone may have written, so invalid marks are ignored.
    """
    try:
        saved = msgspec.json.decode(marks, type=tuple[SavedMark, ...])
    except (msgspec.MsgspecError, RecursionError):
        return None
    if not all(one.fits(len(text or "")) for one in saved):
        return None
    every = list(_labelled(saved))
    true, predicted = ([one for one in every if one.side == side] for side in SIDES)
    shown = truncate(text or "", room // 2)
    pieces = () if text is None else (("True", _pieces(shown, true)), (judge, _pieces(shown, predicted)))
    parts = [name for name in _PARTS if any(getattr(one, name) for one in saved)]
    failed = any(one.failed for one in saved)
    columns = ("", "side", "offsets", "score", *(["no match because"] if failed else []), *map(plain_words, parts))
    listed = sorted(zip(every, saved, strict=True), key=lambda pair: _listed(pair[0]))[:_MOST_ROWS]
    rows: list[Mark] = []
    for mark, one in listed:
        reason = [_FAILED.get(one.failed, f"{one.failed} differs") if one.failed else ""] if failed else []
        score = "" if one.score is None else f"{one.score:.3f}"
        rows.append(replace(mark, cells=(score, *reason, *(truncate(getattr(one, name) or "") for name in parts))))
    return MarkedText(pieces, columns, tuple(rows), len(every) - len(rows))


def _labelled(saved: Sequence[SavedMark]) -> Iterator[Mark]:
    """The marks with labels: true violations numbered in the order of the text, false positives x1, x2 ...

    So a true violation has the same number in every comparison, shared by its matches.
    """
    order = sorted((one for one in saved if one.side == "true"), key=_place)
    numbers = {id(one): number for number, one in enumerate(order, start=1)}
    matched: dict[int | None, int] = {one.match: numbers[id(one)] for one in order if one.match is not None}
    invented = count(1)
    for one in saved:
        number = numbers.get(id(one)) or matched.get(one.match)
        label = str(number) if number else f"{_UNLISTED}{next(invented)}"
        if one.start is None or one.end is None:
            where = f"not in the text: {truncate(one.invented or '')}"
            yield Mark(one.side, label, -1, -1, where, one.match is None)
        else:
            yield Mark(one.side, label, one.start, one.end, f"{one.start}–{one.end}", one.match is None)


def _place(mark: SavedMark) -> tuple[Any, ...]:
    """A sort key for a violation: its place in the text, then its fields."""
    return (mark.start is None, mark.start or 0, mark.end or 0, *(getattr(mark, name) or "" for name in _PARTS))


def _listed(mark: Mark) -> tuple[bool, int]:
    """A sort key for the table: matches next to each other, false positives last."""
    return mark.label.startswith(_UNLISTED), int(mark.label.removeprefix(_UNLISTED))


def _pieces(text: str, marks: Sequence[Mark]) -> tuple[Piece, ...]:
    """The text in pieces, cut where a mark begins or ends."""
    own = sorted((one for one in marks if 0 <= one.start <= len(text)), key=lambda one: (one.start, -one.end))
    ends = (min(edge, len(text)) for one in own for edge in (one.start, one.end))
    edges = sorted({0, len(text), *ends})
    found = []
    for start, end in pairwise(edges):
        over = [one for one in own if one.start <= start and end <= one.end and one.start < one.end]
        opens = tuple(one for one in own if one.start == start)
        found.append(Piece(text[start:end], " ".join(sorted({one.kind for one in over})), opens))
    last = tuple(one for one in own if one.start == len(text))
    return (*found, Piece("", "", last)) if last else tuple(found)
