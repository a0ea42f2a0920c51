"""Where a quoted passage stands in a text."""

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache

_SINGLE = "‘’‚‛′`´ʼ＇"
_DOUBLE = "“”„‟″«»＂"
_DASHES = "‐‑‒–—―−﹘﹣－"
SIGNS = str.maketrans(dict.fromkeys(_SINGLE, "'") | dict.fromkeys(_DOUBLE, '"') | dict.fromkeys(_DASHES, "-"))
"""Plain quotation marks and dashes for others, one character for one."""
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a quote stands: `[start, end)` in code points. several: whether it stands in other places too."""

    start: int
    end: int
    several: bool


def locate(text: str, quote: str, near: int | None = None) -> Place | None:
    """Where a quote stands in a text; None where it does not.

    As it is; else with each run of white space as one space (none at the ends of the quote), and quotation marks and
    dashes of any kind as ' " and -. Upper and lower case are never the same.
    near: of several places, the one that starts nearest to this offset, or the earlier of two equally near; without
    it, the first.
    An empty quote, and one of white space alone that the text does not hold, stand nowhere.

    >>> locate("He said “no – never”.", '"no - never"')
    Place(start=8, end=20, several=False)
    >>> locate("yes, yes", "yes"), locate("yes, yes", "yes", near=4)
    (Place(start=0, end=3, several=True), Place(start=5, end=8, several=True))
    """
    found = _nearest(_Plain(text, [], [], []), quote, near)
    return found or _nearest(_plain(text), _plain(quote).text.strip(" "), near)


def _nearest(plain: "_Plain", quote: str, near: int | None) -> Place | None:
    """Where a quote stands in a plain text, in offsets of the text as it was, in which `near` counts too."""
    first = plain.text.find(quote) if quote else -1
    if first < 0:
        return None
    start, several = first, plain.text.find(quote, first + 1) >= 0
    if several and near is not None and near > plain.outer(first):
        at = plain.inner(near)
        before = plain.text.rfind(quote, 0, at + len(quote))
        after = plain.text.find(quote, at + 1)
        nearer = after >= 0 and plain.outer(after) - near < near - plain.outer(before)
        start = after if nearer else before
    return Place(plain.outer(start), plain.outer(start + len(quote) - 1, end=True), several)


@dataclass(frozen=True, slots=True)
class _Plain:
    """A text with white space, quotation marks and dashes made plain.

    runs: where in it the one space stands that a run of white space became. befores, afters: where in the text as it
    was each run starts and ends.
    """

    text: str
    runs: list[int]
    befores: list[int]
    afters: list[int]

    def outer(self, position: int, *, end: bool = False) -> int:
        """Where a character of the plain text starts in the text as it was; with `end`, where it ends."""
        index = bisect_right(self.runs, position) - 1
        if index < 0:
            return position + end
        if self.runs[index] == position:
            return self.afters[index] if end else self.befores[index]
        return self.afters[index] + position - self.runs[index] - 1 + end

    def inner(self, position: int) -> int:
        """Which character of the plain text an offset of the text as it was falls on, or comes to."""
        index = bisect_right(self.befores, position) - 1
        if index < 0:
            return position
        return self.runs[index] + max(0, position - self.afters[index] + 1)


@lru_cache(maxsize=4)
def _plain(text: str) -> _Plain:
    pieces, runs, befores, afters = [], [], [], []
    last = length = 0
    for run in _SPACE.finditer(text):
        start, end = run.span()
        pieces.append(text[last:start])
        length += start - last
        if end - start > 1:
            runs.append(length)
            befores.append(start)
            afters.append(end)
        length += 1
        last = end
    pieces.append(text[last:])
    return _Plain(" ".join(pieces).translate(SIGNS), runs, befores, afters)
