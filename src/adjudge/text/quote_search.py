"""Search for quoted passages in a text, and words in which two texts differ."""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import groupby
from math import ceil
from operator import itemgetter
from typing import NamedTuple

_ALIKE = {"'": "‘’‚‛′`´ʼ＇", '"': "“”„‟″«»＂", "-": "‐‑‒–—―−﹘﹣－"}
SIGNS = str.maketrans({sign: plain for plain, signs in _ALIKE.items() for sign in signs})
"""Plain quotation marks and dashes for others, character by character."""
_CLASSES = {sign: f"[{signs}{re.escape(plain)}]" for plain, signs in _ALIKE.items() for sign in (plain, *signs)}
_DRESS = re.compile(r"\A(?:[\s*_`~>#•\"'“”‘’«»-]|\.{3}|…|\(?\d{1,3}[.)](?=\s))+|(?:[\s*_`~\"'“”‘’«»]|\.{3}|…)+\Z")
"""Decoration that models put around a quote."""
_OMISSION = re.compile(r"\[?(?:\.{3}|…)\]?")

NEARLY = 90
"""The least similarity of two passages that are nearly the same, in percent."""


class Place(NamedTuple):
    """The place of a quote: `[start, end)` in code points. several: whether it occurs in other places too."""

    start: int
    end: int
    several: bool


def locate(text: str, quote: str, near: int | None = None) -> Place | None:
    """The place of a quote in a text; None if it does not occur.

    First exactly; then with each run of white space as one space (none at the ends of the quote), and quotation marks
    and dashes of any kind as ' " and -. Upper and lower case always differ.
    near: among several places, the one that starts nearest to this offset, or the earlier of two equally near; without
    it, the first.
    An empty quote never occurs, nor does one of white space that is not in the text.

    >>> locate("He said “no – never”.", '"no - never"')
    Place(start=8, end=20, several=False)
    >>> locate("yes, yes", "yes"), locate("yes, yes", "yes", near=4)
    (Place(start=0, end=3, several=True), Place(start=5, end=8, several=True))
    """
    spans = places(text, quote)
    if not spans:
        return None
    start, end = spans[0] if near is None else min(spans, key=lambda place: (abs(place[0] - near), place))
    return Place(start, end, len(spans) > 1)


def nearly(text: str, quote: str) -> tuple[int, int] | None:
    """The place of nearly the words of a quote in a text, `[start, end)`; None if there is none.

    The stretch of the text, as long as the quote or shorter at an end of the text, with the highest share of characters
    in common (2 x the longest common subsequence / both lengths), if that is NEARLY or more, ignoring
    case. One of ten characters may differ; in fewer, none. A stretch that begins or ends within a word
    is extended to the word's end if that is near, too.

    >>> nearly("It cures all headaches.", "cure all headache"), nearly("It cures all.", "cures cancer")
    ((3, 22), None)
    """
    from rapidfuzz.fuzz import partial_ratio_alignment

    if len(quote) > len(text):
        return None
    ours, theirs = quote.lower(), text.lower()
    if len(theirs) != len(text):  # some letters have two in lower case, which moves all that follow
        ours, theirs = quote, text
    match = partial_ratio_alignment(ours, theirs, score_cutoff=NEARLY)
    if match is None:
        return None
    most = ceil(len(quote) * (100 - NEARLY) / 100)
    start, end = match.dest_start, match.dest_end
    before = _rest_of_word(text[:start][::-1], text[start], most)
    return start - before, end + _rest_of_word(text[end:], text[end - 1], most)


def _rest_of_word(after: str, last: str, most: int) -> int:
    """The remaining characters of a word after its `last` one; 0 if there are more than `most`."""
    count = next((at for at, sign in enumerate(after) if not sign.isalnum()), len(after))
    return count if last.isalnum() and count <= most else 0


def loose_place(text: str, quote: str) -> tuple[int, int] | None:
    """The place of a quote as models write it, `[start, end)`; None if there is none.

    Ignores case, Markdown, quotation marks, ellipses and a list number around the quote, and marks at its ends that
    the text lacks, and allows up to 200 characters for an omission; else `nearly`.

    >>> loose_place("It cures all headaches.", '3. **"cures ALL"** ...'), loose_place("It cures all.", "cures cancer")
    ((3, 12), None)
    """
    bare = _DRESS.sub("", quote)
    for inner in (bare, _DRESS.sub("", bare.strip(".,;:!?()[]"))):
        if spans := [*_find_loosely(text, inner, re.IGNORECASE)]:
            return spans[0]
    parts = [re.escape(part.strip()) for part in _OMISSION.split(bare) if part.strip()]
    if len(parts) > 1 and (match := re.search(".{1,200}?".join(parts), text, re.IGNORECASE | re.DOTALL)):
        return match.span()
    place = nearly(text, bare)
    if place is None:
        return None
    found = text[slice(*place)]
    return place[0] + len(found) - len(found.lstrip()), place[1] - len(found) + len(found.rstrip())


def places(text: str, quote: str) -> list[tuple[int, int]]:
    """All places of a quote in the order of the text: exact ones, else those with other marks or white space."""
    return [*_exact(text, quote)] or [*_find_loosely(text, quote)]


def _exact(text: str, quote: str) -> Iterator[tuple[int, int]]:
    """All exact places of the quote, which may overlap."""
    start = text.find(quote) if quote else -1
    while start >= 0:
        yield start, start + len(quote)
        start = text.find(quote, start + 1)


def _find_loosely(text: str, quote: str, flags: re.RegexFlag = re.NOFLAG) -> Iterator[tuple[int, int]]:
    """All places of the quote, with any quotation marks and dashes, and any white space between its words."""
    words = ["".join(_CLASSES.get(sign) or re.escape(sign) for sign in word) for word in quote.split()]
    pattern = re.compile(r"\s+".join(words), flags)
    match = pattern.search(text) if words else None
    while match:
        yield match.span()
        match = pattern.search(text, match.start() + 1)


# --- differences ---


_WORD = re.compile(r"\s*(?:[\u3040-\u30ff\u3400-\u9fff]|\w+|[^\w\s])\s*|\s+")
"""A word, a sign, or a character of a script without spaces between words, with the white space around it."""

_MOST = 10_000
"""The most words of a text to compare: time may grow with their square."""

Pieces = list[tuple[str, bool]]
"""A text in pieces, each with whether the other text lacks it there."""


def word_diff(first: str, second: str) -> tuple[Pieces, Pieces]:
    """Two texts in pieces, which together are the whole of each. White space does not count.

    Words beyond the first 10,000 of a text count as different.

    >>> word_diff("It is big.", "It was big")
    ([('It ', False), ('is ', True), ('big', False), ('.', True)], [('It ', False), ('was ', True), ('big', False)])
    """
    words = [_WORD.findall(text) for text in (first, second)]
    ours, theirs = ([word.strip() for word in own[:_MOST]] for own in words)
    same: tuple[set[int], set[int]] = set(), set()
    for block in SequenceMatcher(None, ours, theirs).get_matching_blocks():
        same[0].update(range(block.a, block.a + block.size))
        same[1].update(range(block.b, block.b + block.size))
    return _pieces(words[0], same[0]), _pieces(words[1], same[1])


def _pieces(words: Sequence[str], same: set[int]) -> Pieces:
    marked = ((word, place not in same) for place, word in enumerate(words))
    return [("".join(word for word, _ in run), differs) for differs, run in groupby(marked, key=itemgetter(1))]
