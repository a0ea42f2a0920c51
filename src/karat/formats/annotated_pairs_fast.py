"""Annotations of AnnotatedPairs JSON, read fast: before the text is parsed, each becomes one character.

Nearly all of such a file is annotations, and they are spelt in a handful of ways. So one pass over the text (Aho and
Corasick 1975) replaces every annotation, from its annotator's id to the comma or brace behind it, by a character that
stands for annotator and vote, which makes of a comparison's annotations one short string.

An annotation that was not replaced leaves text that is no JSON. Comparisons in which anything does not fit are read
again from the text as it stands in the file.
"""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from karat.errors import DataError
from karat.formats.annotated_pairs import read_vote
from karat.formats.documents import parse
from karat.schemas.pairs import VOTES

_CODED = "karat:votes"
"""Name, in the text, of a comparison's annotations once each is one character."""

_FIRST, _STEP = 0xF0000, len(VOTES)
"""The character of annotator i and vote v is _FIRST + _STEP i + v, one of those that Unicode leaves to private use."""

_MOST_PATTERNS = 16_000
_OPENING = re.compile(r'("annotations"(\s*:\s*)\{(\s*\})?\s*)')
_ANNOTATION = re.compile(
    r'(?<=")(\s*:\s*(\{\s*"pref"\s*:\s*(?:"\w*"|null)\s*(?:,\s*"no_pref_reason"\s*:\s*(?:"\w*"|null)\s*)?\}|null))'
    r"(\s*,\s*|\s*\})"
)
_SAMPLE = 200_000
"""Characters in which spellings are looked for first."""

Spelt = frozenset[tuple[str, str, str]]


@dataclass(slots=True)
class Coder:
    """Puts characters in the place of annotations. Several threads may share it.

    openings, annotations: how they are spelt in the texts seen so far, as the patterns' groups.
    """

    ids: Sequence[str]
    openings: Spelt = frozenset()
    annotations: Spelt = frozenset()
    patterns: dict[str, str] = field(default_factory=dict)

    def code(self, raw: bytes) -> str | None:
        """Comparisons with coded annotations; None where they are spelt in too many ways, or hold _CODED already."""
        text = pl.Series([raw]).cast(pl.String, strict=False)
        if _CODED.encode() in raw or text[0] is None or not (self.patterns or self._learn(text[0][:_SAMPLE])):
            return None
        coded: str = text.str.replace_many(self.patterns, leftmost=True)[0]
        if '"pref"' in coded and self._learn(coded):
            coded = text.str.replace_many(self.patterns, leftmost=True)[0]
        return coded

    def _learn(self, text: str) -> bool:
        """Add the spellings in a text; False where there are none that are new, or too many."""
        openings = self.openings.union(_OPENING.findall(text))
        annotations = self.annotations.union(_ANNOTATION.findall(text))
        if (openings, annotations) == (self.openings, self.annotations):
            return False
        patterns = _patterns(self.ids, openings, annotations)
        if len(patterns) > _MOST_PATTERNS:
            return False
        self.openings, self.annotations, self.patterns = openings, annotations, patterns
        return True


def _patterns(ids: Iterable[str], openings: Spelt, annotations: Spelt) -> dict[str, str]:
    """What is replaced, and by what; longer ones first."""
    found = {opening: f'"{_CODED}"{colon}"' + ('"' if closed else "") for opening, colon, closed in openings}
    codes = {spelling: read_vote(json.loads(value)) for spelling, value, _ in annotations}
    ends = {end: '"' if "}" in end else "" for *_, end in annotations}
    for place, one in enumerate(ids):
        for name in {json.dumps(one), json.dumps(one, ensure_ascii=False)}:
            for spelling, code in codes.items():
                if isinstance(code, int):
                    letter = chr(_FIRST + _STEP * place + code)
                    found |= {name + spelling + end: letter + quote for end, quote in ends.items()}
    return dict(sorted(found.items(), key=lambda one: -len(one[0])))


def coded_comparisons(text: str, name: str, annotators: int) -> list[Any] | None:
    """Comparisons of which the annotations are a code per annotator; None where anything is unusual."""
    try:
        comparisons: list[Any] = parse(f"[{text}]", name)
    except DataError:
        return None
    coded = [one for one in comparisons if type(one) is dict and _CODED in one and "annotations" not in one]
    votes = _votes([one.pop(_CODED) for one in coded], annotators)
    if votes is None or len(coded) != text.count(_CODED):
        return None
    for comparison, codes in zip(coded, votes, strict=True):
        comparison["annotations"] = codes.tobytes()
    return comparisons


def _votes(coded: Sequence[str], annotators: int) -> NDArray[np.uint8] | None:
    """The codes, a row per comparison; None where a character is no vote, or an annotator stands twice in a row."""
    letters = np.frombuffer("".join(coded).encode("utf-32-le", "surrogatepass"), dtype=np.uint32) - np.uint32(_FIRST)
    place, code = np.divmod(letters, np.uint32(_STEP))
    if place.max(initial=0) >= annotators or code.max(initial=0) >= len(VOTES):
        return None
    unset = len(VOTES)
    votes = np.full((len(coded), annotators), unset, dtype=np.uint8)
    votes[np.repeat(np.arange(len(coded)), [len(one) for one in coded]), place] = code
    if np.count_nonzero(votes != unset) != letters.size:
        return None
    votes[votes == unset] = 0
    return votes
