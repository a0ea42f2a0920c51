"""Comparisons of AnnotatedPairs JSON as columns, fast, where nothing is unusual about them.

Nearly all of such a file is annotations, and they are spelt in a handful of ways, so each spelling is first
replaced by a number, its token. Then polars reads the JSON into columns. What polars would pass over in
silence (names that stand twice, undeclared annotators, numbers for text ...) is excluded by counting; where a
count does not fit, the comparisons are left to `karat.formats.annotated_pairs`, which says what is wrong.
"""

import io
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

import polars as pl

from karat.formats.annotated_pairs import SIDES, Head, vote_code
from karat.schemas.pairs import TEXTS, VOTE, VOTES, with_lengths

_TOKEN = 240
"""The token of a spelling is this plus the vote's code: no number that anyone writes for a vote."""

_MOST_SPELLINGS = 60
_SPELLING = re.compile(
    rb'\{\s*"pref"\s*:\s*(?:"[a-z_]*"|null)\s*(?:,\s*"no_pref_reason"\s*:\s*(?:"[a-z_]*"|null)\s*)?\}'
)
_SURROGATES = re.compile(rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}")
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_SCALAR = r"^(true|false|-?\d[0-9.eE+-]*)$"
_ODD = r"^(-0$|-?\d{30,})"
"""Numbers that polars might write otherwise than `karat.formats.annotated_pairs`."""

_LONGEST_NUMBER = 400
"""In bytes; more digits do not fit a number that polars reads."""

_BROKEN = (pl.exceptions.PolarsError, pl.exceptions.PanicException)


@dataclass(slots=True)
class FastReader:
    """Reads spans of comparisons into frames. old: whether texts stand at the top of a comparison (1.0)."""

    head: Head
    old: bool
    schema: pl.Schema = field(init=False)
    spellings: dict[bytes, bytes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.schema = _schema(self.head, old=self.old)

    def frame(self, raw: bytes) -> pl.DataFrame | None:
        """The comparisons in a span as columns (TEXTS, further, votes, LENGTHS), or None where anything is unusual."""
        compact, replaced = self._compact(raw)
        if b'"pref"' in compact and self._learn(compact):
            compact, replaced = self._compact(raw)
        nested = _read(compact, self.schema) if b'"pref"' not in compact else None
        if nested is None or not self._is_usual(nested, compact, replaced):
            return None
        return self._columns(nested, compact)

    def _compact(self, raw: bytes) -> tuple[bytes, int]:
        """The span with tokens for annotations, and how many there are."""
        replaced = 0
        for spelling, token in self.spellings.items():
            shorter = raw.replace(spelling, token)
            replaced += (len(raw) - len(shorter)) // (len(spelling) - len(token))
            raw = shorter
        return raw, replaced

    def _learn(self, compact: bytes) -> bool:
        """Add the spellings in a span that have no token yet; False if there are none or too many."""
        found = set(_SPELLING.findall(compact))
        codes = {spelling: vote_code(json.loads(spelling)) for spelling in found}
        if not found or None in codes.values() or len(found) + len(self.spellings) > _MOST_SPELLINGS:
            return False
        new = {spelling: b"%d" % (_TOKEN + code) for spelling, code in codes.items() if code is not None}
        self.spellings = {**self.spellings, **new}
        return True

    def _is_usual(self, nested: pl.DataFrame, compact: bytes, replaced: int) -> bool:
        """Whether every name stands once, and every annotation was read."""
        rows = nested.height
        once = (b'"id"', b'"prompt"', b'"annotations"', *((b'"text_a"', b'"text_b"') if self.old else ()))
        if any(compact.count(name) > rows for name in once):
            return False
        if not self.old and compact.count(b'"text"') != 2 * rows:
            return False
        votes = nested.select(_votes(self.head))
        found = votes.select(
            pl.sum_horizontal(pl.all().count()).alias("count"),
            pl.min_horizontal(pl.all().min()).alias("low"),
            pl.max_horizontal(pl.all().max()).alias("high"),
        ).row(0)
        in_range = found[1] is None or (found[1] >= _TOKEN and found[2] < _TOKEN + len(VOTES))
        return bool(in_range and found[0] == replaced) and not _has_half_characters(compact)

    def _columns(self, nested: pl.DataFrame, compact: bytes) -> pl.DataFrame | None:
        texts = _texts(self.head, old=self.old)
        votes = [vote.fill_null(_TOKEN) - _TOKEN for vote in _votes(self.head)]
        frame = nested.select(*texts, *votes)
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


def _schema(head: Head, *, old: bool) -> pl.Schema:
    keys = {
        holder: dict.fromkeys(key for one, key in head.further.values() if one == holder)
        for holder in (*SIDES, "metadata")
    }
    columns: dict[str, pl.DataType] = {"id": pl.String(), "prompt": pl.String()}
    for side in SIDES:
        if old:
            columns[f"text_{side[-1]}"] = pl.String()
        else:
            columns[side] = pl.Struct(dict.fromkeys(("text", "model", *keys[side]), pl.String()))
    columns["annotations"] = pl.Struct({one.id: pl.UInt8() for one in head.annotators})
    columns["metadata"] = pl.Struct(dict.fromkeys(keys["metadata"] or [""], pl.String()))
    return pl.Schema(columns)


def _read(compact: bytes, schema: pl.Schema) -> pl.DataFrame | None:
    try:
        return pl.read_json(io.BytesIO(b"[%b]" % compact), schema=schema)
    except _BROKEN:
        return None


def _votes(head: Head) -> list[pl.Expr]:
    holder = pl.col("annotations").struct
    return [holder.field(one.id).alias(VOTE + one.id) for one in head.annotators]


def _texts(head: Head, *, old: bool) -> Iterable[pl.Expr]:
    yield pl.col("id").alias("pair")
    yield pl.col("prompt")
    for name in ("text", "model"):
        for side in SIDES:
            column = f"{name}_{side[-1]}"
            if old:
                yield pl.col(column) if name == "text" else pl.lit(None, pl.String).alias(column)
            else:
                yield pl.col(side).struct.field(name).alias(column)
    for column, (holder, key) in head.further.items():
        yield pl.col(holder).struct.field(key).alias(column)


def _any_short(frame: pl.DataFrame, pattern: str, names: Iterable[str]) -> bool:
    """Whether a text that is short enough to be a number matches a pattern."""
    columns = (frame[name] for name in names)
    return any(one.filter(one.str.len_bytes() <= _LONGEST_NUMBER).str.contains(pattern).any() for one in columns)


def _has_half_characters(raw: bytes) -> bool:
    """Whether there may be a lone half of a surrogate pair, which polars reads as another character."""
    if b"\\" not in raw or not _SURROGATE.search(raw):
        return False
    return _SURROGATE.search(_SURROGATES.sub(b"", raw)) is not None
