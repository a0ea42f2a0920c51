"""A pair of responses with everybody's votes, as a piece of a page: what differs between the texts is marked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from adjudge.render.html import fragment
from adjudge.render.numbers import plain
from adjudge.text.word_diff import Pieces, word_diff

_LONGEST = 20_000
"""Characters of a text that are shown."""


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
    pair: Mapping[str, str | None], votes: Mapping[str, Sequence[Voter]], meta: Mapping[str, str], *, marked: bool
) -> Markup:
    """A pair, to stand in a page that sets the colours --adjudge-ink ....

    pair: its pair, prompt, text_a, text_b, model_a and model_b. votes: each vote with those who gave it. meta: what
    else is known of it. marked: whether words that one text alone has are marked.
    """
    texts = [pair[name] or "" for name in ("text_a", "text_b")]
    cut = [text[:_LONGEST] for text in texts]
    pieces = word_diff(*cut) if marked else ([(cut[0], False)], [(cut[1], False)])
    responses = []
    for side, text, own in zip("ab", texts, pieces, strict=True):
        name, more = f"text_{side}", max(0, len(text) - _LONGEST)
        shown = Response(plain(name), pair[f"model_{side}"], len(text), own, more, votes.get(name, ()))
        responses.append(shown)
    others = {plain(vote): voters for vote, voters in votes.items() if vote not in ("text_a", "text_b")}
    prompt = pair["prompt"] or ""
    cut_prompt = {"prompt": prompt[:_LONGEST], "prompt_more": max(0, len(prompt) - _LONGEST)}
    return fragment("pair.html", pair=pair["pair"], responses=responses, others=others, meta=meta, **cut_prompt)
