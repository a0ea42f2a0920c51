"""Rows of any flat or JSON table as columns of text, with a count of what was not text in the file."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

import polars as pl

from karat.errors import DataError
from karat.formats.documents import kind, scalar_text, text_frame
from karat.formats.messages import json_text
from karat.formats.objects import Objects, as_objects, numbered_lines, plain_objects, read_document, read_objects
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
    """The rows of a flat table in any format, or from Python.

    Raises DataError where the file is not of that format, or holds no row.
    """
    if source.format == "json":
        document = read_document(source)
        if not isinstance(document, list) or not document:
            raise DataError(f"{source.name}: expected a list of records; got {kind(document)}")
        return records_of(as_objects(source, document))
    if source.format == "jsonl":
        return records_of(read_objects(source))
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
    numbered = numbered_lines(source)
    while batch := dict(islice(numbered, size)):
        yield records_of(Objects(source.name, "line", list(batch), list(batch.values())))


def records_of(objects: Objects) -> Records:
    """Flat JSON objects as a table. Raises DataError for values that are no objects."""
    records = plain_objects(objects)
    names = dict.fromkeys(chain.from_iterable(records))
    return Records(objects.name, objects.unit, tuple(names), pl.Series(objects.numbers), records)
