"""Rows of any flat or JSON table as columns of text, with a count of what was not text in the file."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import polars as pl

from karat.errors import DataError
from karat.formats.documents import Number, decode, kind, parse, scalar_text, text_frame
from karat.formats.messages import json_text
from karat.formats.source import Source
from karat.formats.tables import ROW, collect, scan

Nested = Callable[[Sequence[object]], str]
"""Makes text of a list in a cell."""


@dataclass(frozen=True, slots=True)
class Records:
    """A table whose columns are taken out as text.

    unit: what a row's number counts, "row", "record" or "line". rows: those numbers, from 1.
    holder: a frame with the file's own types, or the JSON objects themselves.
    """

    name: str
    unit: str
    columns: tuple[str, ...]
    rows: pl.Series
    holder: pl.DataFrame | list[dict[str, Any]]

    def text(self, column: str, nested: Nested = json_text) -> tuple[pl.Series, int]:
        """A column as text, and how many of its values were not text in the file (numbers, true, lists)."""
        if isinstance(self.holder, list):
            values = [record.get(column) for record in self.holder]
            others = sum(type(value) is not str and value is not None for value in values)
            return text_frame({column: [_cell(value, nested) for value in values]}, self.name)[column], others
        series = self.holder[column]
        texts = _series_text(series, nested, self.name)
        return texts, 0 if series.dtype == pl.String else len(texts) - texts.null_count()

    def is_flat(self, column: str) -> bool:
        """Whether a column holds neither lists nor objects nor bytes."""
        if isinstance(self.holder, list):
            return not any(isinstance(record.get(column), list | dict) for record in self.holder)
        dtype = self.holder.schema[column]
        return not (dtype.is_nested() or dtype in (pl.Binary, pl.Object))


def _cell(value: object, nested: Nested) -> str | None:
    if isinstance(value, list):
        return nested(value)
    return json_text(value) if isinstance(value, dict) else scalar_text(value)


def _series_text(series: pl.Series, nested: Nested, name: str) -> pl.Series:
    dtype = series.dtype
    if dtype == pl.String:
        return series
    if dtype in (pl.Binary, pl.Object):
        raise DataError(f"{name}, column {series.name}: expected text, numbers or true/false; got {dtype}")
    if dtype.is_nested():
        texts = [_cell(_plain(value), nested) for value in series.to_list()]
        return text_frame({series.name: texts}, name)[series.name]
    if dtype.is_float():
        return series.fill_nan(None).cast(pl.String).str.strip_suffix(".0")
    return series.cast(pl.String)


def _plain(value: object) -> Any:  # noqa: ANN401 - what JSON can say
    return json.loads(json.dumps(value, default=str))


def read_records(source: Source) -> Records:
    """The rows of a table in CSV, TSV, Parquet, JSON records, JSON lines, or from Python.

    Raises DataError where the file is not of that format, or holds no row.
    """
    if source.format == "json":
        records = _document(source)
        rows = pl.int_range(1, len(records) + 1, eager=True)
        return Records(source.name, "record", tuple(_names(records)), rows, records)
    if source.format == "jsonl":
        numbered = _lines(source)
        records = list(numbered.values())
        return Records(source.name, "line", tuple(_names(records)), pl.Series(list(numbered)), records)
    frame = collect(source, scan(source, rows=True))
    if frame.is_empty():
        raise DataError(f"{source.name}: expected at least one row; got none")
    rows = frame.drop_in_place(ROW)
    return Records(source.name, "row", tuple(frame.columns), rows, frame)


def record_batches(source: Source, size: int) -> Iterator[Records]:
    """The rows of a table as `read_records` gives them; of JSON lines so many at a time, so that memory stays bounded.

    The columns of each batch are its own.
    """
    if source.format != "jsonl":
        yield read_records(source)
        return
    numbered = _numbered(source)
    while batch := dict(islice(numbered, size)):
        records = list(batch.values())
        yield Records(source.name, "line", tuple(_names(records)), pl.Series(list(batch)), records)


def _names(records: Sequence[Mapping[str, Any]]) -> list[str]:
    names: Counter[str] = Counter()
    for record in records:
        names.update(record.keys())
    return list(names)


def _document(source: Source) -> list[dict[str, Any]]:
    if source.path is None:
        raise DataError(f"{source.name}: expected a file with a JSON document; got a table")
    document = parse(decode(source.path.read_bytes(), source.name), source.name, number=Number)
    if not isinstance(document, list) or not document:
        raise DataError(f"{source.name}: expected a list of records; got {kind(document)}")
    problems = [
        f"{source.name}, record {number}: expected an object; got {kind(record)}"
        for number, record in enumerate(document, 1)
        if not isinstance(record, dict)
    ]
    if problems:
        raise DataError(problems)
    return document


def _lines(source: Source) -> dict[int, dict[str, Any]]:
    """Line number -> record; blank lines are none."""
    found = dict(_numbered(source))
    if not found:
        raise DataError(f"{source.name}: expected at least one record; got none")
    return found


def _numbered(source: Source) -> Iterator[tuple[int, dict[str, Any]]]:
    if source.path is None:
        raise DataError(f"{source.name}: expected a file with JSON lines; got a table")
    with source.path.open("rb") as file:
        for number, line in enumerate(file, 1):
            text = decode(line, source.name, number).strip()
            if text:
                yield number, _record(parse(text, source.name, number, number=Number), source.name, number)


def _record(value: object, name: str, number: int) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise DataError(f"{name}, line {number}: expected a JSON object; got {kind(value)}")
    return value
