"""Violations as marks in their text: the text once for each side, cut into pieces where a span begins or ends."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

from karat.render.numbers import plain
from karat.report import cut

SIDES = ("true", "predicted")
LANES = 4
"""Spans over one character that are told apart; more share the last line."""

_LONGEST = 20_000
"""Characters of a text that are shown."""
_QUIET = 300
"""An unmarked stretch longer than this is left out but for its ends."""
_ENDS = 100
_MOST_ROWS = 60
_PARTS = ("rule", "category", "explanation", "correction")
_NUMBERS = ("score", "short")
_FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Mark:
    """A violation. label: its number; both sides of a match have the same. alone: whether it matches nothing.

    start, end: -1 where it quotes what the text does not hold. where: the offsets, or that quote.
    """

    side: str
    label: str
    start: int
    end: int
    where: str
    alone: bool
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text under the same spans. classes: how it is marked. opens: labels of spans that begin here."""

    text: str
    classes: str = ""
    opens: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A text with the marks of both sides. pieces: per side. columns, rows: what each violation says."""

    pieces: tuple[tuple[str, tuple[Piece, ...]], ...]
    columns: tuple[str, ...]
    rows: tuple[Mark, ...]
    more: int


def marked_text(text: str | None, marks: str) -> MarkedText | None:
    """The text of an example with its marks (see `karat.evaluations.violations.examples`); None where they are none.

    Reports are read back from files that anyone may have written, so whatever does not fit is no mark.
    """
    try:
        said = json.loads(marks)
    except (ValueError, RecursionError):
        return None
    if not isinstance(said, list) or not all(_fits(one, len(text or "")) for one in said):
        return None
    held = ["score", *(name for name in (_FAILED, "short", *_PARTS) if any(one.get(name) for one in said))]
    every = _labelled(said, held)
    pieces = () if text is None else tuple((side, _cut(_pieces(text, every, side))) for side in SIDES)
    columns = ("", "in", "offsets", *map(plain, held))
    return MarkedText(pieces, columns, tuple(every[:_MOST_ROWS]), max(0, len(every) - _MOST_ROWS))


def _fits(mark: object, length: int) -> bool:
    if not isinstance(mark, dict) or mark.get("side") not in SIDES:
        return False
    start, end = mark.get("start"), mark.get("end")
    if start is None and end is None and isinstance(mark.get("invented"), str):
        start = end = 0
    if type(start) is not int or type(end) is not int or not 0 <= start <= end or (length and end > length):
        return False
    texts = all(isinstance(mark.get(name), str | None) for name in (_FAILED, *_PARTS))
    numbers = all(isinstance(mark.get(name), float | None) for name in _NUMBERS)
    return texts and numbers and isinstance(mark.get("match"), int | None)


def _labelled(said: Sequence[Mapping[str, Any]], shown: Sequence[str]) -> list[Mark]:
    """The marks with labels: matches by their number, then what is missed (m1 ...) and invented (x1 ...)."""
    counts = dict.fromkeys(SIDES, 0)
    found = []
    for one in said:
        alone = one.get("match") is None
        counts[one["side"]] += alone
        label = f"{'m' if one['side'] == 'true' else 'x'}{counts[one['side']]}" if alone else str(one["match"])
        values = [one.get(name) for name in shown]
        cells = tuple(
            "" if value is None else f"{value:.3f}" if isinstance(value, float) else cut(value) for value in values
        )
        start, end, where = one["start"], one["end"], f"{one['start']}–{one['end']}"
        if start is None:
            start, end, where = -1, -1, f"not in the text: {cut(one['invented'])}"
        found.append(Mark(one["side"], label, start, end, where, alone, cells))
    return found


def _pieces(text: str, marks: Sequence[Mark], side: str) -> tuple[Piece, ...]:
    own = sorted(
        (one for one in marks if one.side == side and 0 <= one.start <= len(text)),
        key=lambda one: (one.start, -one.end),
    )
    lanes = _lanes(own)
    edges = sorted({0, len(text), *(min(edge, len(text)) for one in own for edge in (one.start, one.end))})
    found = []
    for start, end in pairwise(edges):
        over = [one for one in own if one.start <= start and end <= one.end and one.start < one.end]
        classes = sorted({f"l{lanes[id(one)]}{'a' if one.alone else 'm'}" for one in over})
        opens = tuple(one for one in own if one.start == start)
        piece = text[start:end]
        if not over and len(piece) > _QUIET:
            piece = f"{piece[:_ENDS]} … {piece[-_ENDS:]}"  # nothing is marked there
        found.append(Piece(piece, " ".join(classes), opens))
    last = tuple(one for one in own if one.start == len(text))
    return (*found, Piece("", "", last)) if last else tuple(found)


def _cut(pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
    """Pieces up to _LONGEST characters; the last says how many spans begin behind it."""
    ends = list(accumulate(len(piece.text) for piece in pieces))
    kept = sum(end <= _LONGEST for end in ends)
    if kept == len(pieces):
        return pieces
    left = sum(len(piece.opens) for piece in pieces[kept:])
    return (*pieces[:kept], Piece(f" … the text goes on; {left:,} spans begin behind this place"))


def _lanes(marks: Sequence[Mark]) -> dict[int, int]:
    """A line for each span, so that spans over one character have lines of their own. marks: sorted by start."""
    free = [0] * LANES
    found = {}
    for one in marks:
        lane = next((number for number, end in enumerate(free) if end <= one.start), LANES - 1)
        free[lane] = max(free[lane], one.end)
        found[id(one)] = lane
    return found
