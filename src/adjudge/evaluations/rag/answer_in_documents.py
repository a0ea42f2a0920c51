"""Whether documents hold an answer, and which words of them do."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

import polars as pl

from adjudge.evaluations.rag.scorers.strict import score_strict
from adjudge.schemas.answers import SLOTS
from adjudge.text.quote_search import SIGNS

_UNSPACED = "\u1100-\u11ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
_UNSPACED += "\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
_LETTER = rf"[^\W{_UNSPACED}]"
SPACES = re.compile(r"\s+")
_SPACE_BESIDE = re.compile(rf"(?<=[{_UNSPACED}]) | (?=[{_UNSPACED}])")
_SENTENCE = re.compile(r"[^.!?。！？\n]*(?:[.!?](?!\s)[^.!?。！？\n]*)*[.!?。！？\n]?")

Pair = tuple[str, tuple[str, ...]]
"""A document and the aliases of an answer."""


def find_held(pairs: Iterable[Pair]) -> set[Pair]:
    """The pairs whose document holds an alias: literally (`holds`), or in another form by the scorer strict."""
    ordered = sorted(set(pairs))
    strict_pairs = {pair for pair, right in zip(ordered, _strict_verdicts(ordered), strict=True) if right}
    return strict_pairs | {
        (text, aliases) for text, aliases in ordered if any(contains_answer(text, alias) for alias in aliases)
    }


def _strict_verdicts(pairs: Sequence[Pair]) -> list[bool]:
    """Whether each document asserts one of the aliases, by the scorer strict."""
    texts, slots = [text for text, _ in pairs], [[list(aliases)] for _, aliases in pairs]
    frame = pl.DataFrame({"response": texts, "slots": slots}, schema={"response": pl.String(), "slots": SLOTS})
    scored = score_strict(frame.with_columns(false=pl.lit(None, pl.List(pl.String))))
    return scored["correct"].fill_null(value=False).to_list()


def find_excerpts(pairs: Sequence[Pair], most: int) -> list[str]:
    """An excerpt of each document around an alias, of `most` characters at most.

    Where it stands in another form, that is its sentence; where it stands nowhere, the beginning of the document.
    """
    places: list[tuple[int, int] | None] = []
    for text, aliases in pairs:
        whole = (rf"(?<!\w){re.escape(alias)}(?!\w)" for alias in aliases if alias.strip())
        matches = (re.search(pattern, text, re.IGNORECASE) for pattern in whole)
        places.append(next((match.span() for match in matches if match), None))
    sentences = [
        (number, match.span(), (match[0], pairs[number][1]))
        for number, place in enumerate(places)
        if place is None
        for match in _SENTENCE.finditer(pairs[number][0])
        if match[0].strip()
    ]
    asserted = _strict_verdicts([pair for *_, pair in sentences])
    for (number, span, _), right in zip(sentences, asserted, strict=True):
        if right and places[number] is None:
            places[number] = span
    return [_excerpt(text, place or (0, 0), most) for (text, _), place in zip(pairs, places, strict=True)]


def _excerpt(text: str, place: tuple[int, int], most: int) -> str:
    """A place in a text with as much around it as there is room for."""
    first, last = place
    begin = max(min(first, (first + last - most) // 2), 0)
    cut = text[begin : begin + most]
    return f"{'…' if begin else ''}{cut}{'…' if begin + most < len(text) else ''}"


def contains_answer(text: str, alias: str) -> bool:
    """Whether a text holds an answer: as whole words; where they are not spaced (Chinese ...), as a part of it.

    Case, forms of one character (Unicode NFKC), kinds of quotes and dashes, runs of white space, and any space beside
    Chinese make no difference. A number is no part of a longer one, such as 5 of 2.5 or of 5,000. Other spellings of a
    date or a name are not found: they are what aliases are for. What has no letter, digit or sign is never held.

    >>> contains_answer("It is in New  York.", "new york"), contains_answer("It is in Newark", "new")
    (True, False)
    >>> contains_answer("共有70个议席", "70")
    True
    """
    pattern = _alias_pattern(alias)
    return pattern is not None and pattern.search(normalise(text)) is not None


@lru_cache(maxsize=4096)
def _alias_pattern(alias: str) -> re.Pattern[str] | None:
    plain = normalise(alias)
    if not plain:
        return None
    before = rf"(?<!{_LETTER})" if re.match(_LETTER, plain[0]) else ""
    after = rf"(?!{_LETTER})" if re.match(_LETTER, plain[-1]) else ""
    before += r"(?<!\d[.,])" if plain[0].isdecimal() else ""
    after += r"(?![.,]\d)" if plain[-1].isdecimal() else ""
    return re.compile(f"{before}{re.escape(plain)}{after}")


@lru_cache(maxsize=4096)
def normalise(text: str) -> str:
    """A text as another is compared with it: case, forms of characters, signs and white space folded."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text.translate(SIGNS)).casefold())
    return _SPACE_BESIDE.sub("", SPACES.sub(" ", folded)).strip()
