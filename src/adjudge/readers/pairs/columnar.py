"""Adjudge's columnar form of pairs: what other formats are converted to once, and what big data is kept in.

A Parquet file with a row per pair and the columns of `adjudge.schemas.pairs`: pair, prompt, text_a, text_b,
model_a, model_b (text), length_a, length_b (UInt32, characters), the data set's own metadata columns (text),
and a column `vote:ID` per annotator (UInt8, no nulls; the vote's position in VOTES).

The file's key-value metadata holds, under the key "adjudge", a JSON object: format ("pairs"), version (1),
votes (the list VOTES), name, description, created_at, default (an annotator's id or null), annotators (a
list of id, name, description, type), metadata (the names of the metadata columns), prompts_repeat.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import polars as pl

from adjudge.errors import DataError
from adjudge.readers.io.json_documents import is_string, kind, parse
from adjudge.readers.io.parquet import rows_of_groups
from adjudge.readers.io.source import Format, Source
from adjudge.readers.pairs.pairs import Options, check_fixed
from adjudge.readers.parsed_input import Opened
from adjudge.readers.problems import Findings
from adjudge.readers.tables import collect, damage_of, height_of, schema_of
from adjudge.schemas.pairs import LENGTHS, TEXTS, VOTES, AnnotatedPairs, Annotator
from adjudge.version import NAME, TITLE

KEY = NAME
VERSION = 1
_NEEDED = ("pair", "text_a", "text_b")
_ROWS_AT_ONCE = 500_000
"""The least rows of a range."""


def read_columnar(found: Opened[Options]) -> AnnotatedPairs:
    """A columnar file as a lazy data set. Votes and lengths are checked, unless later on; texts are not read.

    Raises DataError where the dictionary, a column, its type, a code or a null is not as it must be.
    """
    check_fixed(found, f"{TITLE}'s columnar form")
    source, path = found.source, found.source.file
    told = _dictionary(source, path)
    annotators = tuple(_annotator(source, number, one) for number, one in enumerate(told.pop("annotators"), 1))
    texts = {name: told[name] for name in ("default", "description", "created_at", "prompts_repeat")}
    frame = pl.scan_parquet(path, glob=False).slice(*(source.rows or (0, None)))
    metadata = tuple(told["metadata"])
    pairs = AnnotatedPairs(told["name"] or source.stem, frame, annotators, metadata=metadata, **texts)
    _check_annotators(source, pairs)
    _check_columns(source, pairs)
    if not found.options.unread:
        check_codes(source, pairs.frame, [one.column for one in pairs.annotators])
    return pairs


Members = Mapping[str, tuple[str, Callable[[Any], bool]]]
"""A name -> what must stand under it, in words, and whether a value is that."""

_TEXT = ("text or null", lambda value: value is None or is_string(value))
_TOLD: Members = {
    "format": ('"pairs"', lambda value: value == "pairs"),
    "version": (str(VERSION), lambda value: value == str(VERSION)),
    "votes": (", ".join(VOTES), lambda value: value == list(VOTES)),
    "name": _TEXT,
    "description": _TEXT,
    "created_at": _TEXT,
    "default": _TEXT,
    "annotators": ("a list", lambda value: isinstance(value, list)),
    "metadata": ("a list of names", lambda value: isinstance(value, list) and all(map(is_string, value))),
    "prompts_repeat": ("true, false or null", lambda value: isinstance(value, bool | None)),
}
_ANNOTATOR: Members = {"id": ("text", is_string), "name": _TEXT, "description": _TEXT, "type": _TEXT}


def _dictionary(source: Source, path: Path) -> dict[str, Any]:
    """What the file's key-value metadata says."""
    with damage_of(replace(source, format="parquet")):
        text = pl.read_parquet_metadata(path).get(KEY)
    where = _where(source)
    if text is None:
        raise DataError(f"{where}: expected a dictionary of votes and annotators; got nothing", fix="convert it again")
    return _members(where, parse(text, where), _TOLD)


def _where(source: Source) -> str:
    return f"{source.name}, key-value metadata {KEY}"


def _annotator(source: Source, number: int, told: object) -> Annotator:
    texts = _members(f"{_where(source)}, annotator {number}", told, _ANNOTATOR)
    return Annotator(texts["id"], texts["name"], texts["description"], texts["type"] or "unknown")


def _members(where: str, told: object, expected: Members) -> dict[str, Any]:
    """The members of an object, null where it lacks one. Raises DataError for the first that is not as expected."""
    if not isinstance(told, dict):
        raise DataError(f"{where}: expected an object with {', '.join(expected)}; got {kind(told)}")
    for name, (said, holds) in expected.items():
        if not holds(told.setdefault(name)):
            raise DataError(f"{where}, {name}: expected {said}; got {kind(told[name])}")
    return told


def _check_annotators(source: Source, pairs: AnnotatedPairs) -> None:
    ids = [one.id for one in pairs.annotators]
    twice = sorted({one for one in ids if ids.count(one) > 1})
    if twice:
        raise DataError(f'{source.name}: expected each annotator once; "{twice[0]:.60}" stands twice')
    if pairs.default is not None and pairs.default not in ids:
        expected = "expected the default annotator among the annotators"
        raise DataError(f'{source.name}: {expected}; got "{pairs.default:.60}"')


def _check_columns(source: Source, pairs: AnnotatedPairs) -> None:
    """Columns are there and of their type; reads none of them."""
    findings, place = Findings(), f"{source.name}, column"
    votes = [one.column for one in pairs.annotators]
    expected: dict[str, pl.DataType] = {
        **dict.fromkeys((*TEXTS, *pairs.metadata), pl.String()),
        **dict.fromkeys(LENGTHS, pl.UInt32()),
        **dict.fromkeys(votes, pl.UInt8()),
    }
    schema = schema_of(source, pairs.frame)
    for name, dtype in expected.items():
        if schema.get(name) != dtype:
            findings.add(f"{place} {name:.60}: expected {dtype}; got {schema.get(name, 'no such column')}")
    findings.settle()


def check_codes(source: Source, frame: pl.LazyFrame, votes: Sequence[str]) -> None:
    """Raises DataError for nulls among votes and lengths, and for codes beyond the votes; reads these columns only."""
    findings, place = Findings(), f"{source.name}, column"
    full = pl.col(*LENGTHS, *votes)
    checks = full.null_count().name.prefix("nulls:"), full.max().name.prefix("max:")
    told = collect(source, frame.select(*checks)).row(0, named=True)
    for name in (*LENGTHS, *votes):
        if nulls := told[f"nulls:{name}"]:
            findings.add(f"{place} {name:.60}: expected no nulls; got {nulls:,}")
    for name in votes:
        if (most := told[f"max:{name}"] or 0) >= len(VOTES):
            findings.add(f"{place} {name:.60}: expected codes from 0 to {len(VOTES) - 1}; got {most}")
    findings.settle()


def row_ranges(source: Source) -> list[Source]:
    """A large columnar file as ranges of its rows, which end where groups of rows do; any other input as it is."""
    if source.path is None or not _says_so(source.path):
        return [source]
    if height_of(pl.scan_parquet(source.path, glob=False)) < 2 * _ROWS_AT_ONCE:
        return [source]
    ends = [0]
    for end in accumulate(rows_of_groups(source.path)):
        if end - ends[-1] >= _ROWS_AT_ONCE:
            ends.append(end)
    ends[-1], sha = end, source.sha256()
    return [replace(source, rows=(first, last - first), hashed=sha) for first, last in pairwise(ends)]


def dictionary_text(pairs: AnnotatedPairs, *, prompts_repeat: bool) -> str:
    """What a columnar file says of itself, as JSON."""
    names = ("name", "description", "created_at", "default", "annotators", "metadata")
    told = {"format": "pairs", "version": VERSION, "votes": VOTES, **{name: getattr(pairs, name) for name in names}}
    return json.dumps({**told, "prompts_repeat": prompts_repeat}, default=asdict)


def prompts_repeat(frame: pl.LazyFrame) -> bool:
    """Whether any prompt stands on several pairs (compared by hash, so that no prompts are held)."""
    hashes = frame.select(pl.col("prompt").drop_nulls().hash())
    return bool(hashes.select(pl.col("prompt").n_unique() < pl.len()).collect(engine="streaming").item())


def write_columnar(pairs: AnnotatedPairs, path: Path) -> None:
    """Stream a data set into a columnar file."""
    frame = pairs.frame.select(pairs.columns)
    text = dictionary_text(pairs, prompts_repeat=prompts_repeat(frame))
    frame.sink_parquet(path, metadata={KEY: text})


def trusted_in(path: Path) -> str | None:
    """The id of the annotator that a columnar file trusts; None where it trusts nobody, and of any other file."""
    with suppress(pl.exceptions.PolarsError, OSError, DataError):
        told = pl.read_parquet_metadata(path).get(KEY)
        default = told and _members(str(path), parse(told, str(path)), _TOLD)["default"]
        return str(default) if default else None
    return None


def _is_columnar(found: Opened[Options]) -> bool:
    """Whether a Parquet file says of itself that it is of this form."""
    return found.source.format == "parquet" and _says_so(found.source.file)


def _says_so(path: Path) -> bool:
    with suppress(pl.exceptions.PolarsError, OSError):
        return KEY in pl.read_parquet_metadata(path)
    return False


FORMAT = Format(NAME, "annotations", read_columnar, _is_columnar, 2, (".parquet",))
