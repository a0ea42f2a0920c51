"""Adjudge's columnar form of pairs: other formats are converted to it once, and large data are kept in it.

A Parquet file with a row per pair and the columns of `adjudge.schemas.pairs`: pair, prompt, text_a, text_b,
model_a, model_b (text), length_a, length_b (UInt32, characters), the data set's own metadata columns (text),
and a column `vote:ID` per annotator (UInt8, no nulls; the vote's position in VOTES).

The file's key-value metadata holds, under the key "adjudge", a JSON object: format ("pairs"), version (1),
votes (the list VOTES), name, description, created_at, default (an annotator's id or null), annotators (a
list of id, name, description, type), metadata (the names of the metadata columns), prompts_repeat.
"""

import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Literal

import msgspec
import polars as pl

from adjudge.errors import DataError
from adjudge.readers.io.parquet import rows_of_groups
from adjudge.readers.io.source import Format, Source
from adjudge.readers.pairs.pairs import PairReading, check_fixed
from adjudge.readers.parsed_input import Opened
from adjudge.readers.problems import listed
from adjudge.readers.tables import collect, damage_of, height_of, schema_of
from adjudge.schemas.pairs import LENGTHS, TEXTS, VOTES, AnnotatedPairs, Annotator
from adjudge.version import NAME, TITLE

KEY = NAME
VERSION = 1
_ROWS_AT_ONCE = 500_000
"""Minimum rows of a range."""


class _Dictionary(msgspec.Struct):
    """The metadata of a columnar file."""

    format: Literal["pairs"]
    version: Literal[1]
    votes: list[str]
    annotators: tuple[Annotator, ...]
    metadata: tuple[str, ...]
    name: str | None = None
    default: str | None = None
    description: str | None = None
    created_at: str | None = None
    prompts_repeat: bool | None = None


def read_columnar(opened: Opened[PairReading]) -> AnnotatedPairs:
    """A columnar file as a lazy data set. Checks votes and lengths, unless the caller does; does not read texts.

    Raises DataError for an invalid dictionary, column, column type or code, or an invalid null.
    """
    check_fixed(opened, f"{TITLE}'s columnar form")
    source = opened.source
    meta = _dictionary(source)
    frame = pl.scan_parquet(source.file, glob=False).slice(*(source.rows or (0, None)))
    schema, votes = schema_of(source, frame), [one.column for one in meta.annotators]
    expected: dict[str, pl.DataType] = dict.fromkeys((*TEXTS, *meta.metadata), pl.String())
    expected |= dict.fromkeys(LENGTHS, pl.UInt32()) | dict.fromkeys(votes, pl.UInt8())
    _check_columns(source, {name: dtype for name, dtype in expected.items() if schema.get(name) != dtype})
    if not opened.options.unread:
        check_codes(source, frame, votes)
    texts = meta.description, meta.created_at, meta.prompts_repeat
    return AnnotatedPairs(meta.name or source.stem, frame, meta.annotators, meta.default, meta.metadata, *texts)


def _dictionary(source: Source) -> _Dictionary:
    """The file's key-value metadata. Raises DataError if it is invalid."""
    where = f"{source.name}, key-value metadata {KEY}"
    with damage_of(replace(source, format="parquet")):
        text = pl.read_parquet_metadata(source.file).get(KEY, "")
    try:
        dictionary = msgspec.json.decode(text, type=_Dictionary)
    except (msgspec.DecodeError, RecursionError) as error:
        raise DataError(f"{where}: expected what convert writes; {error}", fix="convert it again") from None
    ids = [annotator.id for annotator in dictionary.annotators]
    if dictionary.votes != list(VOTES) or len({*ids}) < len(ids) or dictionary.default not in {None, *ids}:
        message = f"{where}: expected votes {', '.join(VOTES)}, each annotator once, and the default one among them"
        raise DataError(message, fix="convert it again")
    return dictionary


def check_codes(source: Source, frame: pl.LazyFrame, votes: Sequence[str]) -> None:
    """Raises DataError for nulls in votes and lengths and for unknown vote codes; reads only these columns."""
    columns = (pl.col(LENGTHS).is_null(), pl.col(votes).is_null() | (pl.col(votes) >= len(VOTES)))
    wrong = collect(source, frame.select(one.any() for one in columns)).row(0, named=True)
    _check_columns(source, [name for name, is_wrong in wrong.items() if is_wrong])


def _check_columns(source: Source, wrong: Iterable[str]) -> None:
    """Raises DataError if any column is wrong."""
    if names := list(wrong):
        expected = f"expected votes as codes from 0 to {len(VOTES) - 1}, lengths, and texts"
        raise DataError(f"{source.name}, column {listed(names)}: {expected}", fix="convert it again")


def row_ranges(source: Source) -> list[Source]:
    """A large columnar file as ranges of rows that end at row groups; any other input unchanged."""
    is_columnar = source.path is not None and _metadata_of(source.path)
    if not is_columnar or height_of(pl.scan_parquet(source.file, glob=False)) < 2 * _ROWS_AT_ONCE:
        return [source]
    ends = [0]
    for end in accumulate(rows_of_groups(source.file)):
        if end - ends[-1] >= _ROWS_AT_ONCE:
            ends.append(end)
    ends[-1], sha = end, source.sha256()
    return [replace(source, rows=(first, last - first), hashed=sha) for first, last in pairwise(ends)]


def dictionary_text(pairs: AnnotatedPairs, *, prompts_repeat: bool) -> str:
    """The metadata of a columnar file as JSON."""
    names = ("name", "description", "created_at", "default", "annotators", "metadata")
    record = {"format": "pairs", "version": VERSION, "votes": VOTES, **{name: getattr(pairs, name) for name in names}}
    return json.dumps({**record, "prompts_repeat": prompts_repeat}, default=asdict)


def prompts_repeat(frame: pl.LazyFrame) -> bool:
    """Whether several pairs share a prompt (compared by hash, to keep no prompts in memory)."""
    hashes = frame.select(pl.col("prompt").drop_nulls().hash())
    return bool(hashes.select(pl.col("prompt").n_unique() < pl.len()).collect(engine="streaming").item())


def write_columnar(pairs: AnnotatedPairs, path: Path) -> None:
    """Stream a data set into a columnar file."""
    frame = pairs.frame.select(pairs.columns)
    text = dictionary_text(pairs, prompts_repeat=prompts_repeat(frame))
    frame.sink_parquet(path, metadata={KEY: text})


def _metadata_of(path: Path) -> str:
    """The file's metadata; empty if it is no columnar file."""
    with suppress(pl.exceptions.PolarsError, OSError):
        return pl.read_parquet_metadata(path).get(KEY, "")
    return ""


def _is_columnar(opened: Opened[PairReading]) -> bool:
    """Whether the metadata of a Parquet file declare this form."""
    return opened.source.format == "parquet" and bool(_metadata_of(opened.source.file))


FORMAT = Format(NAME, "annotations", read_columnar, _is_columnar, 2, (".parquet",))
