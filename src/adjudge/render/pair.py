"""A pair of responses with everybody's votes, as a piece of a page: what differs between the texts is marked."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from markupsafe import Markup

from adjudge.render.html import fragment
from adjudge.render.numbers import plain

_LONGEST = 20_000
"""Characters of a text that are shown."""
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|\w+|[^\w\s]")
"""A word, a sign, or a character of a script that is written without spaces."""
_MOST = 10_000
"""Words of a text that are compared: the work may grow with their square."""
Pieces = list[tuple[str, bool]]
"""A text in pieces, each with whether the other text lacks it there."""


@dataclass(frozen=True, slots=True)
class Voter:
    """Who voted. meant: whether it is one of the two whose votes one looks at."""

    name: str
    meant: bool = False


@dataclass(frozen=True, slots=True)
class Response:
    """A response as it is shown. more: how many characters of it are left out. voters: who voted for it."""

    name: str
    model: str | None
    length: int
    pieces: Pieces
    more: int
    voters: Sequence[Voter]


def pair_fragment(
    pair: Mapping[str, str | None],
    votes: Mapping[str, Sequence[Voter]],
    meta: Mapping[str, str],
    *,
    marked: bool,
) -> Markup:
    """A pair, to stand in a page that sets the colours --adjudge-ink ....

    pair: its pair, prompt, text_a, text_b, model_a and model_b. votes: each vote with those who gave it. meta: what
    else is known of it. marked: whether words that one text alone has are marked.
    """
    texts = [pair[name] or "" for name in ("text_a", "text_b")]
    cut = [text[:_LONGEST] for text in texts]
    pieces = word_diff(*cut) if marked else ([(cut[0], False)], [(cut[1], False)])
    responses = [
        Response(
            plain(f"text_{side}"),
            pair[f"model_{side}"],
            len(text),
            own,
            max(0, len(text) - _LONGEST),
            votes.get(f"text_{side}", ()),
        )
        for side, text, own in zip("ab", texts, pieces, strict=True)
    ]
    others = {plain(vote): voters for vote, voters in votes.items() if vote not in ("text_a", "text_b")}
    prompt = pair["prompt"] or ""
    return fragment(
        "pair.html",
        pair=pair["pair"],
        prompt=prompt[:_LONGEST],
        prompt_more=max(0, len(prompt) - _LONGEST),
        responses=responses,
        others=others,
        meta=meta,
    )


def word_diff(first: str, second: str) -> tuple[Pieces, Pieces]:
    """Two texts in pieces, which together are the whole of each. White space does not count.

    Words beyond the first 10,000 of a text are taken for different.

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
    """The text cut where words that the other text lacks begin or end; white space between two of these is one too."""
    cuts: Pieces = []
    done = 0
    for place, (start, end) in enumerate(words):
        differs = place not in same
        between = text[done:start]
        if between:
            cuts.append((between, differs and bool(cuts) and cuts[-1][1]))
        cuts.append((text[start:end], differs))
        done = end
    return _merge_neighbours([*cuts, (text[done:], False)])


def _merge_neighbours(pieces: Pieces) -> Pieces:
    """Neighbours of one kind as one piece, without empty ones."""
    found: Pieces = []
    for text, differs in pieces:
        if found and found[-1][1] == differs:
            found[-1] = (found[-1][0] + text, differs)
        elif text:
            found.append((text, differs))
    return found
