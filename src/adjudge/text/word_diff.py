"""Word-by-word differences of two texts, for display."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import groupby
from operator import itemgetter

_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|\w+|[^\w\s]")
"""A word, a sign, or a character of a script without spaces between words."""

_MOST = 10_000
"""The most words of a text to compare: time may grow with their square."""

Pieces = list[tuple[str, bool]]
"""A text in pieces, each with whether the other text lacks it there."""


def word_diff(first: str, second: str) -> tuple[Pieces, Pieces]:
    """Two texts in pieces, which together are the whole of each. White space does not count.

    Words beyond the first 10,000 of a text count as different.

    >>> word_diff("It is big.", "It was big")
    ([('It ', False), ('is', True), (' big', False), ('.', True)], [('It ', False), ('was', True), (' big', False)])
    """
    places = [[(found.start(), found.end()) for found in _WORD.finditer(text)] for text in (first, second)]
    ours, theirs = (
        [text[start:end] for start, end in own[:_MOST]] for text, own in zip((first, second), places, strict=True)
    )
    same: tuple[set[int], set[int]] = set(), set()
    for block in SequenceMatcher(None, ours, theirs).get_matching_blocks():
        same[0].update(range(block.a, block.a + block.size))
        same[1].update(range(block.b, block.b + block.size))
    return _pieces(first, places[0], same[0]), _pieces(second, places[1], same[1])


def _pieces(text: str, words: Sequence[tuple[int, int]], same: set[int]) -> Pieces:
    """The text cut at words that the other text lacks, including white space between two of these."""
    cuts: Pieces = []
    done = 0
    for place, (start, end) in enumerate(words):
        differs = place not in same
        between = text[done:start]
        if between:
            cuts.append((between, differs and bool(cuts) and cuts[-1][1]))
        cuts.append((text[start:end], differs))
        done = end
    whole = (cut for cut in (*cuts, (text[done:], False)) if cut[0])
    return [("".join(part for part, _ in same), differs) for differs, same in groupby(whole, key=itemgetter(1))]
