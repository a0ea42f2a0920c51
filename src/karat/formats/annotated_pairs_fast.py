"""Comparisons of AnnotatedPairs JSON as columns, fast, where nothing is unusual about them.

Nearly all of such a file is annotations, and they are spelt in a handful of ways. So one pass over the text
(Aho and Corasick 1975) replaces every annotation, from its annotator's id to the comma or brace behind it, by
one character that stands for the annotator and the vote, which makes of a comparison's annotations one short
string. Then polars reads the JSON that is left into columns.

An annotation that was not replaced leaves text that is no JSON. What polars would pass over in silence (names
that stand twice, names that nobody declared, numbers for text ...) is excluded by counting. Where anything does
not fit, the comparisons are left to `karat.formats.annotated_pairs`, which says what is wrong.
"""

import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from karat.formats.annotated_pairs import Head, read_vote
from karat.schemas.pairs import TEXTS, VOTES, with_lengths

_CODED = "karat:votes"
"""Name, in the text, of a comparison's annotations once each is one character."""

_NULL = "karat:null"
"""Text in place of null."""

_FIRST = 0x80
_STEP = 8
_LAST = 0xD7FF
"""The character of annotator i and vote v is _FIRST + _STEP i + v, at most _LAST."""

_MOST_PATTERNS = 40_000
_OPENING = re.compile(r'"annotations"(\s*:\s*)\{(\s*\})?\s*')
_ANNOTATION = re.compile(
    r'(\s*:\s*(\{\s*"pref"\s*:\s*(?:"[a-z_]*"|null)\s*(?:,\s*"no_pref_reason"\s*:\s*(?:"[a-z_]*"|null)\s*)?\}|null))'
    r"(\s*,\s*|\s*\})"
)
_LEFT = '"pref"'
_SAMPLE = 200_000
"""Characters of a span in which spellings are looked for first."""

_NAME = r'"(?:[^"\\]|\\.)*"\s*:\s*n?'
"""A name with its colon, and the first letter of null where that is its value."""

_SURROGATES = re.compile(rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}")
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_SCALAR = r"^(true|false|-?\d[0-9.eE+-]*)$"
_ODD = r"^(-0$|-?\d{30,})"
"""Numbers that polars might write otherwise than `karat.formats.annotated_pairs`."""

_LONGEST_NUMBER = 400
"""In bytes; more digits do not fit a number that polars reads."""

_BROKEN = (pl.exceptions.PolarsError, pl.exceptions.PanicException)


@dataclass(frozen=True, slots=True)
class _Spellings:
    """How annotations are spelt.

    openings: what stands before a comparison's annotations -> what it becomes. annotations: from the colon
    behind an annotator's id to the closing brace -> code of the vote. ends: what stands behind that.
    """

    openings: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, int] = field(default_factory=dict)
    ends: frozenset[str] = frozenset()

    def more(self, text: str) -> "_Spellings":
        """These and those in a text."""
        openings = {found[0]: f'"{_CODED}"{found[1]}"' + ('"' if found[2] else "") for found in _OPENING.finditer(text)}
        annotations, ends = {}, set()
        for spelling, value, end in set(_ANNOTATION.findall(text)):
            code = read_vote(json.loads(value))
            if isinstance(code, int):
                annotations[spelling] = code
                ends.add(end)
        return replace(
            self,
            openings={**self.openings, **openings},
            annotations={**self.annotations, **annotations},
            ends=self.ends | ends,
        )

    def patterns(self, ids: Iterable[str]) -> dict[str, str]:
        """What is replaced, and by what; longer ones first."""
        found = dict(sorted(self.openings.items(), key=lambda one: -len(one[0])))
        ends = sorted(self.ends, key=len, reverse=True)
        for place, one in enumerate(ids):
            for name in {json.dumps(one), json.dumps(one, ensure_ascii=False)}:
                for spelling, code in self.annotations.items():
                    letter = chr(_FIRST + _STEP * place + code)
                    found |= {name + spelling + end: letter + ('"' if "}" in end else "") for end in ends}
        return found


@dataclass(slots=True)
class FastReader:
    """Reads spans of comparisons into frames. old: whether texts stand at the top of a comparison (1.0)."""

    head: Head
    old: bool
    places: dict[str, tuple[str, str]] = field(init=False)
    schema: pl.Schema = field(init=False)
    spellings: _Spellings = field(default_factory=_Spellings)
    patterns: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.places = self.head.places | ({name: ("", name) for name in ("text_a", "text_b")} if self.old else {})
        self.schema = _schema(self.places.values())

    def frame(self, raw: bytes) -> pl.DataFrame | None:
        """The comparisons in a span as columns (TEXTS, further, votes, LENGTHS), or None where anything is unusual."""
        if any(word.encode() in raw for word in (_CODED, _NULL)):
            return None
        if len(self.head.annotators) > (_LAST - _FIRST) // _STEP:
            return None
        try:
            compact = self._compact(raw)
            return None if compact is None else self._read(compact)
        except _BROKEN:
            return None

    def _read(self, compact: str) -> pl.DataFrame | None:
        names = _names(compact)
        nulls = [name for name, (_, count) in names.items() if count]
        if nulls:
            compact = _with_nulls_as_text(compact, nulls)
            names = _names(compact)
        content = compact.encode()
        nested = pl.read_json(io.BytesIO(b"[%b]" % content), schema=self.schema)
        if not self._names_fit(nested, names) or _has_half_characters(content):
            return None
        return self._columns(nested, content)

    def _compact(self, raw: bytes) -> str | None:
        """The span with a character for each annotation; None where they are spelt in too many ways."""
        text = pl.Series([raw]).cast(pl.String)
        if not self.patterns and not self._learn(text[0][:_SAMPLE]):
            return None
        for _ in range(2):
            compact: str = text.str.replace_many(self.patterns, leftmost=True)[0]
            if _LEFT not in compact or not self._learn(compact):
                break
        return compact

    def _learn(self, text: str) -> bool:
        """Add the spellings in a text; False where there are none, or too many."""
        spellings = self.spellings.more(text)
        count = len(spellings.annotations) * len(spellings.ends) * len(self.head.annotators)
        if spellings == self.spellings or count > _MOST_PATTERNS:
            return False
        self.patterns = spellings.patterns(one.id for one in self.head.annotators)
        self.spellings = spellings
        return True

    def _names_fit(self, nested: pl.DataFrame, names: Mapping[str, tuple[int, int]]) -> bool:
        """Whether the text holds as many of each name as the columns hold values, so that none was overwritten."""
        values = _values(nested)
        for name, (count, nulls) in names.items():
            if name not in values and name in self.head.unread:
                continue
            if nulls or count != values.get(name, 0):
                return False
        return True

    def _columns(self, nested: pl.DataFrame, compact: bytes) -> pl.DataFrame | None:
        votes = _votes(nested[_CODED], len(self.head.annotators))
        if votes is None:
            return None
        texts = nested.select(_text(name, *place) for name, place in self.places.items())
        frame = texts.with_columns(pl.all().replace(_NULL, None)).with_columns(
            pl.Series(one.column, codes) for one, codes in zip(self.head.annotators, votes, strict=True)
        )
        lacking = frame.select(pl.sum_horizontal(pl.col("pair", "text_a", "text_b").null_count())).item()
        if lacking or _any_short(frame, _ODD, (*TEXTS, *self.head.further)):
            return None
        if _any_short(frame, _SCALAR, ("text_a", "text_b")) and not self._all_texts(compact, frame.height):
            return None
        return with_lengths(frame.lazy()).collect()

    def _all_texts(self, compact: bytes, rows: int) -> bool:
        """Whether all responses are surely text: behind every name stands a quote."""
        names = (b'"text_a"', b'"text_b"') if self.old else (b'"text"',)
        return sum(compact.count(name + space + b'"') for name in names for space in (b":", b": ")) == 2 * rows


def _schema(places: Iterable[tuple[str, str]]) -> pl.Schema:
    """The columns of comparisons with these places and coded annotations. Metadata is looked at in any case."""
    holders: dict[str, dict[str, pl.DataType]] = {"": {_CODED: pl.String()}, "metadata": {}}
    for holder, key in places:
        holders.setdefault(holder, {})[key] = pl.String()
    top = holders.pop("")
    return pl.Schema(top | {name: pl.Struct(keys or {"": pl.String()}) for name, keys in holders.items()})


def _names(compact: str) -> dict[str, tuple[int, int]]:
    """Each name in the text -> how often it stands there, and how often with null.

    No text within quotes is taken for a name: in there, a quote stands behind a backslash.
    """
    found = pl.Series("name", [compact]).str.extract_all(_NAME).explode()
    names: dict[str, tuple[int, int]] = {}
    for spelt, count in found.value_counts().iter_rows():
        name = json.loads(spelt[: spelt.rindex('"') + 1])
        total, nulls = names.get(name, (0, 0))
        names[name] = (total + count, nulls + count * spelt.endswith("n"))
    return names


def _with_nulls_as_text(compact: str, names: Iterable[str]) -> str:
    """The text with _NULL for each null behind a name, so that a null is a value like others and can be counted."""
    spelt = "|".join({re.escape(json.dumps(name, ensure_ascii=plain)) for name in names for plain in (True, False)})
    replaced: str = pl.Series([compact]).str.replace_all(rf"((?:{spelt})\s*:\s*)null", f'${{1}}"{_NULL}"')[0]
    return replaced


def _values(nested: pl.DataFrame) -> dict[str, int]:
    """Each name that was looked for -> how many values that are not null the columns hold."""
    values: dict[str, int] = {}
    for column in _unnested(nested):
        values[column.name] = values.get(column.name, 0) + column.len() - column.null_count()
    return values


def _unnested(nested: pl.DataFrame) -> Iterator[pl.Series]:
    for column in nested:
        yield column
        if isinstance(column.dtype, pl.Struct):
            yield from column.struct.unnest()


def _votes(coded: pl.Series, annotators: int) -> list[np.ndarray] | None:
    """An array of codes per annotator; None where a character is no vote, or an annotator stands twice in a row."""
    text = coded.fill_null("")
    letters = np.frombuffer(text.str.join()[0].encode("utf-32-le"), dtype=np.uint32)
    if letters.size and (letters.min() < _FIRST or letters.max() >= _FIRST + _STEP * annotators):
        return None
    place, code = np.divmod(letters - np.uint32(_FIRST), np.uint32(_STEP))
    if letters.size and code.max() >= len(VOTES):
        return None
    row = np.repeat(np.arange(len(text), dtype=np.uint32), text.str.len_chars())
    unset = len(VOTES)
    votes = np.full((annotators, len(text)), unset, dtype=np.uint8)
    votes[place, row] = code
    if np.count_nonzero(votes != unset) != letters.size:
        return None
    votes[votes == unset] = 0
    return list(votes)


def _text(column: str, holder: str, key: str) -> pl.Expr:
    return (pl.col(holder).struct.field(key) if holder else pl.col(key)).alias(column)


def _any_short(frame: pl.DataFrame, pattern: str, names: Iterable[str]) -> bool:
    """Whether a text that is short enough to be a number matches a pattern."""
    head = [pl.col(name).str.slice(0, _LONGEST_NUMBER).str.contains(pattern).any() for name in names]
    return bool(frame.select(pl.any_horizontal(head)).item())


def _has_half_characters(raw: bytes) -> bool:
    """Whether there may be a lone half of a surrogate pair, which polars reads as another character."""
    if b"\\" not in raw or not _SURROGATE.search(raw):
        return False
    return _SURROGATE.search(_SURROGATES.sub(b"", raw)) is not None
