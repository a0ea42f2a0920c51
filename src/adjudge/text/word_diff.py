"""Word-by-word differences of two texts, for display."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import groupby
from operator import itemgetter

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
