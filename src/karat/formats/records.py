"""Rows of any flat or JSON table as columns of text, with a count of what was not text in the file."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import polars as pl

from karat.errors import DataError
from karat.formats.documents import plain_text, text_frame
from karat.formats.messages import json_text
from karat.formats.objects import Objects, as_json, plain_objects
from karat.formats.source import Source
from karat.formats.tables import ROW, as_text, collect, is_flat, not_text, scan

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
        elif self.is_flat(column):
            series = self.holder[column]
            if series.dtype == pl.String:
                return series, 0
            return self.holder.select(as_text(pl.col(column), series.dtype)).to_series(), series.count()
        elif self.holder.schema[column].is_nested():
            values = list(map(as_json, self.holder[column].to_list()))
        else:
            raise DataError(not_text(self.name, column, self.holder.schema[column]))
        others = sum(type(value) is not str and value is not None for value in values)
        return text_frame({column: [_cell(value, nested) for value in values]}, self.name)[column], others

    def is_flat(self, column: str) -> bool:
        """Whether a column holds neither lists nor objects nor bytes."""
        if isinstance(self.holder, list):
            return not any(isinstance(record.get(column), list | dict) for record in self.holder)
        return is_flat(self.holder.schema[column])


def _cell(value: object, nested: Nested) -> str | None:
    if isinstance(value, list):
        return nested(value)
    return json_text(value) if isinstance(value, dict) else plain_text(value)


def records_of(objects: Objects) -> Records:
    """Flat JSON objects as a table. Raises DataError for values that are no objects."""
    records = plain_objects(objects)
    names = dict.fromkeys(chain.from_iterable(records))
    return Records(objects.name, objects.unit, tuple(names), pl.Series(objects.numbers), records)


def read_records(source: Source) -> Records:
    """The rows of a flat table that is no JSON, or from Python. Raises DataError where there is none."""
    frame = collect(source, scan(source, rows=True))
    if frame.is_empty():
        raise DataError(f"{source.name}: expected at least one row; got none")
    rows = frame.drop_in_place(ROW)
    return Records(source.name, "row", tuple(frame.columns), rows, frame)
