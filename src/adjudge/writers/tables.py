"""Tables as files: CSV, TSV, JSON lines and Parquet, written some rows at a time."""

import json
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from adjudge.readers.io.source import Source
from adjudge.readers.parsed_input import Options, format_of, opened
from adjudge.readers.problems import listed
from adjudge.readers.tables import batches, height_of, is_flat

FLAT = {f".{form}": form for form in ("csv", "tsv", "jsonl", "parquet")}
"""Ending of a file -> the format of a flat table."""
NESTED = {f".{form}": form for form in ("jsonl", "parquet")}
"""Ending of a file -> the format of a table whose columns may hold lists."""

_BATCH = 20_000


@dataclass(frozen=True)
class Writable:
    """What a file holds, ready to be written.

    rows: how many the file holds. warnings: what to know of it. write: from a path and the ending that its name will
    have to the number of rows written.
    """

    rows: int
    warnings: tuple[str, ...]
    write: Callable[[Path, str], int]


def writable(rows: int, frame: pl.LazyFrame, warnings: Iterable[str], always: Collection[str] = ()) -> Writable:
    """A table of text, or of lists, that is ready to be written in a format of FLAT or NESTED.

    always: the columns that each object of JSON has, also where there is no value.
    """
    return Writable(rows, tuple(warnings), partial(_write, frame, always))


def _write(frame: pl.LazyFrame, always: Collection[str], path: Path, ending: str) -> int:
    if ending == ".parquet":
        frame.sink_parquet(path)
    else:
        with path.open("w", encoding="utf-8", newline="") as file:
            for place, batch in enumerate(batches(frame, _BATCH)):
                if ending == ".jsonl":
                    file.writelines(_lines(batch, always))
                else:  # texts are written as they are: the file is data, not a sheet to open
                    separator = "\t" if ending == ".tsv" else ","
                    file.write(batch.write_csv(include_header=place == 0, separator=separator))
    return height_of(frame)


def _lines(batch: pl.DataFrame, always: Collection[str]) -> Iterator[str]:
    """Each row as an object of JSON."""
    for row in batch.iter_rows(named=True):
        held = {k: _without_nulls(value) for k, value in row.items() if value is not None or k in always}
        yield f"{json.dumps(held, ensure_ascii=False)}\n"


def further_columns(
    source: Source,
    how: Options,
    evaluation: str,
    known: Iterable[str],
    tables: Collection[str] = (),
    reserved: Collection[str] | None = None,
) -> tuple[list[str], list[str]]:
    """The columns that mean nothing to Adjudge: those that are written too, and a warning that names the others.

    They are those of a flat table, or of one of the evaluation's formats in `tables`. known: Adjudge's columns, and
    others that mean something. reserved: names that no such column can have; by default none is written.
    """
    found = opened(source, how)
    if (form := format_of(evaluation, found)) and form.name not in tables:
        return [], []
    used = {part for name in known for part in (name, found.theirs(name), *found.theirs(name).split("+"))}
    others = [name for name in found.names if name not in used]
    nested = {name for record in found.first for name, value in record.items() if isinstance(value, list | dict)}
    nested = nested if found.is_json else {name for name in others if not is_flat(found.schema[name])}
    written = [] if reserved is None else [name for name in others if name not in {*nested, *reserved}]
    left = [name for name in others if name not in written]
    return written, [f"{source.name}: columns that are not written: {listed(left, 8)}"] if left else []


def _without_nulls(value: Any) -> Any:  # noqa: ANN401 - what a cell holds
    """A cell whose objects hold only what they say."""
    if not isinstance(value, list):
        return value
    return [{k: v for k, v in one.items() if v is not None} if isinstance(one, dict) else one for one in value]
