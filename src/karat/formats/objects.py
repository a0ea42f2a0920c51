"""The values of a file of JSON, one after the other, and the rows of a table in the same form."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import isfinite
from pathlib import Path
from typing import Any

import polars as pl

from karat.errors import DataError
from karat.formats.documents import Number, decode, not_plain, parse
from karat.formats.source import Source


@dataclass(frozen=True, slots=True)
class Objects:
    """Values, one per text, question or row. unit: "line", "record" or "row". numbers: where each stands, from 1."""

    name: str
    unit: str
    numbers: Sequence[int]
    values: Sequence[Any]

    def places(self) -> Iterator[tuple[str, Any]]:
        """Each value with its place, as messages name it."""
        for number, value in zip(self.numbers, self.values, strict=True):
            yield f"{self.name}, {self.unit} {number}", value


def path_of(source: Source) -> Path:
    """The file behind a source. Raises DataError for a table, which has none."""
    if source.path is None:
        raise DataError(f"{source.name}: expected a file; got a table")
    return source.path


def read_objects(source: Source, what: str = "records", most: int | None = None) -> Objects:
    """JSON lines, a JSON array, a single JSON object, or the rows of a table from Python.

    what: what messages call them. most: how many lines to read, by default all. Raises DataError where there is none,
    where a text is not JSON, and for other files.
    """
    if source.table is not None:
        if source.table.is_empty():
            raise DataError(f"{source.name}: expected at least one row; got none")
        return objects_of(source.table, source.name)
    if source.format == "json":
        return as_objects(source, read_document(source))
    if source.format != "jsonl":
        raise DataError(f"{source.name}: expected JSON lines or a JSON array of {what}; got {source.format}")
    for lines in line_batches(source, most):
        return lines
    raise DataError(f"{source.name}: expected at least one record; got none")


def line_batches(source: Source, size: int | None) -> Iterator[Objects]:
    """The values of JSON lines, so many at a time (None: all at once); blank lines are none."""
    with path_of(source).open("rb") as file:
        texts = ((number, decode(line, source.name, number).strip()) for number, line in enumerate(file, 1))
        numbered = ((number, parse(text, source.name, number)) for number, text in texts if text)
        while batch := dict(islice(numbered, size)):
            yield Objects(source.name, "line", list(batch), list(batch.values()))


def read_document(source: Source) -> Any:  # noqa: ANN401 - JSON holds anything
    """The document in a JSON file; see `documents.parse`."""
    return parse(decode(path_of(source).read_bytes(), source.name), source.name)


def as_objects(source: Source, document: object) -> Objects:
    """The records of a JSON document: an array of them, or a single one."""
    values = document if isinstance(document, list) else [document]
    if not values:
        raise DataError(f"{source.name}: expected at least one record; got an empty list")
    return Objects(source.name, "record", range(1, len(values) + 1), values)


def objects_of(table: pl.DataFrame, name: str, numbers: Sequence[int] = ()) -> Objects:
    """The rows of a table as a JSON file would hold them. numbers: of the rows, by default from 1."""
    values = [{key: as_json(one) for key, one in row.items()} for row in table.iter_rows(named=True)]
    return Objects(name, "row", numbers or range(1, len(values) + 1), values)


def as_json(value: object) -> object:
    """A value of a table as `parse` gives it; tables with gaps hold whole numbers, and none, as decimals."""
    match value:
        case None | bool() | str():
            return value
        case int():
            return Number(value)
        case float():
            return Number(int(value) if value.is_integer() else repr(value)) if isfinite(value) else None
        case list():
            return [as_json(one) for one in value]
        case dict():
            return {name: as_json(one) for name, one in value.items()}
    return str(value)


def plain_objects(objects: Objects) -> list[dict[str, Any]]:
    """The values, all of which must be objects that hold each name once. Raises DataError with those that are not."""
    problems = [f"{place}: {wrong}" for place, value in objects.places() if (wrong := not_plain(value))]
    if problems:
        raise DataError(problems)
    return list(objects.values)
