"""Karat's JSON lines of violations, read fast: as columns, where nothing in the file is out of the ordinary.

polars reads JSON strictly, but passes over names that stand twice or are not asked for, and takes lists, objects and
halves of characters for text. Whether a file holds such is counted in its bytes: each name in an object ends in a quote
and a colon, which no text holds without a backslash before them. Where counts do not come out even, the file is read
value by value, which says what is wrong with it, or finds that all is well.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, repeat

import numpy as np
import polars as pl

from karat.formats.documents import read_objects
from karat.formats.findings import Findings, left_out
from karat.formats.json_lines import BROKEN
from karat.formats.marked import FURTHER, LINE, LINE_COLUMNS, NTH, NUMBER, SPAN_COLUMNS, Names, Raw, unless_empty
from karat.formats.source import MARK, Source
from karat.schemas.replies import OUTCOME
from karat.schemas.violations import ID, TEXT

_LOOKED_AT = 1000
_NAME, _QUOTED = b'":', b'\\":'
"""How a name in an object ends, and how the same looks in a text."""
_DOUBTFUL = (b'\\\\":', b'" :', b'"\t:', b": -0", b":-0")
"""What makes counts uncertain: other ways to end a name, and the number -0, of which 0 is made."""
_NULLS = (b'": null', b'":null')
_NESTED = re.compile(rb'(?<!\\)":\s*[\[{]')
_HALF = re.compile(rb"\\u[dD][89abAB]..(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..)\\u[dD][c-fC-F]", re.DOTALL)
_NUMBER, _SHORT = r"^-?\d[\d.]*([eE][+-]?\d+)?$", r"^-?(\d{1,15}|0\.\d{1,4}|[1-9]\d{0,14}\.\d{1,5})$"
"""Numbers, and those of which there is but one spelling."""


@dataclass(frozen=True, slots=True)
class _Keys:
    """The names in a file: that of the violations, the others of its lines, and those of a violation."""

    violations: str
    line: Sequence[str]
    mark: Sequence[str]


def plain_lines(source: Source, names: Names, key: str) -> Raw | None:
    """The lines and spans of JSON lines; None for any other file, and where anything in it is out of the ordinary.

    key: the file's name for the list of violations. Raises DataError where the first lines are no JSON.
    """
    if source.format != "jsonl" or source.path is None:
        return None
    content = source.file.read_bytes()
    keys = _keys_of(read_objects(source, most=_LOOKED_AT).values, content, names, key)
    table = None if keys is None else _table(content, keys)
    if keys is None or table is None or OUTCOME in keys.line:
        return None
    marks = table.filter(pl.col(key).list.len() > 0)[key].explode(empty_as_null=False)
    if marks.null_count():
        return None
    return _raw(source, names, content, table, keys, marks.struct.unnest())


def _raw(
    source: Source, names: Names, content: bytes, table: pl.DataFrame, keys: _Keys, marks: pl.DataFrame
) -> Raw | None:
    """What the tables of lines and of their violations say, unless they do not hold all that the file does."""
    nulls, known = _nulls(content, table, marks), [names.theirs(part) for part in SPAN_COLUMNS]
    warnings = left_out(_unknown(marks, known), known, "keys of violations")
    if nulls is None or (nulls and set(marks.columns) - set(known)) or _has_odd_texts(content, table, marks, keys):
        return None
    counts = table[keys.violations].list.len().to_numpy().astype(np.int64)
    line = np.repeat(np.arange(table.height), counts)
    nth = np.arange(len(line)) - np.repeat(np.cumsum(counts) - counts, counts) + 1
    places = pl.DataFrame({LINE: line, NUMBER: line + 1, NTH: nth}).cast(pl.UInt32)
    spans = places.hstack(marks.select(_part(marks, part, names.theirs(part)) for part in SPAN_COLUMNS))
    findings = Findings("line"), Findings("violation")
    return Raw(source.name, "line", _lines(table, names), spans, table.height, *findings, warnings=tuple(warnings))


def _keys_of(values: Sequence[object], content: bytes, names: Names, key: str) -> _Keys | None:
    """The names in the first lines, and those of Karat's that come up later.

    None where the first lines hold anything out of the ordinary, or lack a column that options name.
    """
    lines = [value for value in values if type(value) is dict and isinstance(value.get(key), list)]
    marks = [mark for value in lines for mark in value[key]]
    plain = [mark for mark in marks if type(mark) is dict]
    in_lines = dict.fromkeys(name for value in lines for name in value if name != key)
    in_marks = dict.fromkeys(chain.from_iterable(plain))
    wanted = [*names.id_parts(in_lines), *(names.theirs(own) for own in LINE_COLUMNS if own != ID)]
    parts = [names.theirs(part) for part in SPAN_COLUMNS]
    asked = {names.theirs(own) for own in names.columns if own != ID} | set(names.further.values()) - {key}
    asked |= set(names.id_parts(in_lines)) if ID in names.columns else set()
    if len(lines) < len(values) or len(plain) < len(marks) or not asked <= {*in_lines, *in_marks, key}:
        return None
    later = {name for name in (*wanted, *parts) if f'"{name}"'.encode() in content}
    found = (in_lines | dict.fromkeys(name for name in wanted if name in later), in_marks)
    return _Keys(key, list(found[0]), list(found[1] | dict.fromkeys(name for name in parts if name in later)))


def _table(content: bytes, keys: _Keys) -> pl.DataFrame | None:
    """The lines as a table; None where one is empty, or no object with a list of objects."""
    marks = pl.List(pl.Struct(dict.fromkeys(keys.mark, pl.String)))
    if not keys.mark or content.startswith(MARK):
        return None
    try:
        table = pl.read_ndjson(content, schema={**dict.fromkeys(keys.line, pl.String), keys.violations: marks})
    except BROKEN:
        return None
    lines = content.count(b"\n") + (not content.endswith(b"\n"))
    return table if lines == table.height and not table[keys.violations].null_count() else None


def _nulls(content: bytes, table: pl.DataFrame, marks: pl.DataFrame) -> int | None:
    """How many values are null; None where the file holds names that the tables do not."""
    if any(sign in content for sign in _DOUBTFUL):
        return None
    held = sum(sum(frame.count().row(0)) for frame in (table, marks))
    more = content.count(_NAME) - content.count(_QUOTED) - held
    if not more:
        return 0
    nulls = sum(content.count(null) - content.count(b"\\" + null) for null in _NULLS)
    return nulls if nulls == more else None


def _unknown(marks: pl.DataFrame, known: Sequence[str]) -> Iterator[str]:
    """The names in violations that mean nothing to Karat, each as often as it stands."""
    for name in marks.columns:
        if name not in known:
            yield from repeat(name, marks[name].count())


def _has_odd_texts(content: bytes, table: pl.DataFrame, marks: pl.DataFrame, keys: _Keys) -> bool:
    """Whether texts may be something else in the file: numbers in another spelling, lists, halves of characters."""
    texts = [table.select(pl.exclude(keys.violations)), marks]
    if _any(texts, pl.all().str.contains(_NUMBER) & ~pl.all().str.contains(_SHORT)):
        return True
    opening = pl.all().str.starts_with("[") | pl.all().str.starts_with("{")
    if _any(texts, opening) and sum(1 for _ in _NESTED.finditer(content)) > table.height:
        return True
    return (b"\\ud" in content or b"\\uD" in content) and bool(_HALF.search(content))


def _any(frames: Sequence[pl.DataFrame], condition: pl.Expr) -> bool:
    """Whether a condition on columns is true of any cell."""
    return any(frame.select(pl.any_horizontal(condition.any())).item() for frame in frames if frame.width)


def _lines(table: pl.DataFrame, names: Names) -> pl.DataFrame:
    """The lines under Karat's names."""
    others = {own: names.theirs(own) for own in LINE_COLUMNS if own != ID}
    others |= {FURTHER + own: theirs for own, theirs in names.further.items()}
    ids = [_part(table, part, part) for part in names.id_parts(table.columns)]
    columns = [
        _part(table, own, theirs) if own != TEXT or theirs not in table.columns else pl.col(theirs).alias(own)
        for own, theirs in others.items()
    ]
    numbers = pl.int_range(1, pl.len() + 1, dtype=pl.UInt32).alias(NUMBER)
    return table.select(pl.concat_str(ids, separator="+").alias(ID), *columns, numbers)


def _part(frame: pl.DataFrame, own: str, theirs: str) -> pl.Expr:
    """A column under Karat's name, whose empty texts are missing, as is all where the file has no such column."""
    return (unless_empty(theirs) if theirs in frame.columns else pl.repeat(None, pl.len(), dtype=pl.String)).alias(own)
