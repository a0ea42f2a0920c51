"""Annotations of AnnotatedPairs JSON, read fast: they are cut out of the text before it is parsed.

Nearly all of such a file is annotations, and they are spelt in a handful of ways. So the annotations of a comparison
are cut where one ends and the next begins, and each piece, an annotator's id and vote, is looked up among those that
were met before; a new one is parsed. A name with null is left in their place in the text.

Pieces that are each a member of a JSON object are one together, wherever they were cut. Annotations with a piece
that is none, or no vote, stay in the text and are read from there; where anything else is unusual, all are.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from adjudge.errors import DataError
from adjudge.readers.io.json_documents import parse
from adjudge.readers.pairs.annotated_pairs import Place, read_vote
from adjudge.readers.pairs.annotated_pairs_layout import values_of
from adjudge.schemas.pairs import CODE
from adjudge.version import NAME

_CODED = f"{NAME}:votes"
"""Name, in the text, of annotations that were cut out."""

_MOST_PIECES = 64
"""How many spellings are remembered, per annotator."""

_SPACE = rb"[ \t\n\r]*"
_OPENING = re.compile(rb'"annotations"%b:%b\{%b"' % (_SPACE, _SPACE, _SPACE))
_BETWEEN = re.compile(rb'\}%b,%b"' % (_SPACE, _SPACE))
_CLOSING = re.compile(rb'(\}%b\})(%b(?:,%b"[^"\\]*"|\}))' % (_SPACE, _SPACE, _SPACE))
_SAMPLE = 200_000
"""Bytes in which the first annotations are looked for."""

_STAND_IN = f'"{_CODED}": null'
_UNSET = np.uint8(0xFF)


class _Layout(NamedTuple):
    """How annotations are set apart. after: what follows the closing braces, which makes them faster to find."""

    opening: str
    between: str
    closing: str
    after: str


@dataclass(frozen=True, slots=True)
class _Known:
    """Pieces that were met before, each with the place of the annotator and the code of the vote."""

    pieces: pl.Enum
    places: NDArray[np.int64]
    codes: NDArray[np.uint8]

    def numbers(self, pieces: pl.Series) -> pl.Series:
        """The number of each piece; null where it is not known."""
        return pieces.cast(self.pieces, strict=False).to_physical()

    def with_more(self, votes: Mapping[str, tuple[int, int]]) -> "_Known":
        """These pieces and further ones, with place and code."""
        places, codes = np.array(list(votes.values())).T
        pieces = pl.Enum([*self.pieces.categories, *votes])
        return _Known(pieces, np.append(self.places, places), np.append(self.codes, codes.astype(np.uint8)))


_NOTHING = _Known(pl.Enum([]), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.uint8))


class Coded(NamedTuple):
    """Comparisons as text, and the votes that were cut out of it: a row for each _CODED, a column per annotator.

    values: all else that they say, where they are laid out alike.
    """

    text: str
    votes: NDArray[np.uint8]
    values: Mapping[Place, pl.Series] | None


@dataclass(slots=True)
class Coder:
    """Cuts annotations out of texts. Several threads may share it: at worst, two find out the same.

    places: annotator's id -> column. alike: whether all comparisons were laid out alike so far; it is not tried again
    where they were not.
    """

    places: Mapping[str, int]
    known: _Known = _NOTHING
    alike: bool = True

    def code(self, raw: bytes) -> Coded | None:
        """Comparisons without the annotations that are votes as usual; None where none are, or this is no UTF-8."""
        text = pl.Series([raw]).cast(pl.String, strict=False)
        layout = None if text.null_count() else _layout(raw)
        if layout is None:
            return None
        parts = text.str.split(layout.closing + layout.after).explode()
        frame = parts[:-1].str.splitn(layout.opening, 2).struct.unnest().with_columns(part=parts[:-1])
        votes, right = self._votes(frame["field_1"], layout.between)
        cut = pl.concat_str("field_0", pl.lit(_STAND_IN + layout.after))
        uncut = pl.concat_str("part", pl.lit(layout.closing + layout.after))
        rest = frame.select(pl.when(pl.Series(right)).then(cut).otherwise(uncut).str.join())
        whole, votes = rest.item() + parts[-1], votes[right]
        values = _values(whole, len(votes)) if self.alike else None
        if values is None:
            self.alike = False
        return Coded(whole, votes, values)

    def _votes(self, sections: pl.Series, between: str) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
        """The votes in each section, and whether all that stands there are votes, one per annotator."""
        split = (sections.fill_null("") if sections.null_count() else sections).str.split(between)
        lengths = split.list.len().to_numpy()
        pieces, rows = split.explode(), np.repeat(np.arange(len(sections)), lengths)
        known, numbers = self._numbered(pieces)
        if numbers.null_count():
            numbers, rows = numbers.drop_nulls(), rows[numbers.is_not_null().to_numpy()]
        votes = np.full((len(sections), len(self.places)), _UNSET)
        votes[rows, known.places[numbers]] = known.codes[numbers]
        is_set = votes != _UNSET
        votes[~is_set] = CODE["missing"]
        return votes, is_set.sum(axis=1) == lengths

    def _numbered(self, pieces: pl.Series) -> tuple[_Known, pl.Series]:
        """The numbers of pieces among those that are known; new ones are learned as long as there is room."""
        known = self.known
        numbers = known.numbers(pieces)
        room = _MOST_PIECES * len(self.places) - len(known.places)
        new = pieces.filter(numbers.is_null()).unique()[: max(room, 0)] if numbers.null_count() else ()
        votes = {piece: vote for piece in new if (vote := self._vote(piece))}
        if votes:
            known = self.known = known.with_more(votes)
            numbers = known.numbers(pieces)
        return known, numbers

    def _vote(self, piece: str) -> tuple[int, int] | None:
        """The place of the annotator and the code of the vote, if the piece is one member of an object, and sound."""
        try:
            found = parse(f'{{"{piece}}}}}', "")
        except DataError:
            return None
        if type(found) is not dict or len(found) != 1:
            return None
        ((one, annotation),) = found.items()
        code = read_vote(annotation)
        return (self.places[one], code) if one in self.places and isinstance(code, int) else None


def _values(text: str, coded: int) -> Mapping[Place, pl.Series] | None:
    """What comparisons say, of which so many are coded; None where that is not all, or they are not laid out alike."""
    values = values_of(text)
    held = values.pop(("", _CODED), None) if values else None
    return values if held is not None and len(held) == coded else None


def _layout(raw: bytes) -> _Layout | None:
    """How the first annotations are set apart that are not empty, near the beginning of a text."""
    opens = _OPENING.search(raw, 0, _SAMPLE)
    closes = opens and _CLOSING.search(raw, opens.end())
    if not opens or not closes:
        return None
    between = _BETWEEN.search(raw, opens.end())
    found = opens[0], between[0] if between else b'}, "', closes[1], closes[2]
    return _Layout(*(one.decode() for one in found))


def coded_comparisons(coded: Coded, name: str) -> list[Any] | None:
    """The comparisons, those that are coded with annotations as bytes; None where anything is unusual."""
    try:
        comparisons: list[Any] = parse(f"[{coded.text}]", name)
    except DataError:
        return None
    held = [one for one in comparisons if type(one) is dict and _CODED in one and "annotations" not in one]
    if not len(held) == len(coded.votes) == coded.text.count(_CODED):
        return None
    for comparison, votes in zip(held, coded.votes, strict=True):
        del comparison[_CODED]
        comparison["annotations"] = votes.tobytes()
    return comparisons
