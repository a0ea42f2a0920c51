"""A file opened for recognition and reading; each view of it is made once, on first use."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any, Generic, TypeVar

import polars as pl

from adjudge.errors import DataError
from adjudge.readers.formats import formats, with_container
from adjudge.readers.io.json_documents import Objects, keys_of, read_objects
from adjudge.readers.io.source import Format, How, Source, Start
from adjudge.readers.tables import ROW, as_text, collect, is_flat, objects_in_rows, scan, schema_of

_LOOKED_AT = 100


ReaderOptions = TypeVar("ReaderOptions", bound=How)


@dataclass(frozen=True)
class Opened(Generic[ReaderOptions]):
    """An input of an evaluation, and the options of its reader.

    given: the input with the format that the user names, or the detected one. source: the same input with the detected
    format.
    """

    given: str
    source: Source
    options: ReaderOptions

    @cached_property
    def start(self) -> Start:
        """The beginning of the file."""
        return self.source.start()

    @property
    def is_json(self) -> bool:
        """Whether it is a file of JSON, or of JSON lines."""
        return self.source.format in {"json", "jsonl"}

    @property
    def is_text(self) -> bool:
        """Whether it is a file of text other than JSON."""
        return self.source.path is not None and not self.is_json and self.source.format != "parquet"

    @cached_property
    def schema(self) -> pl.Schema:
        """The columns of a table that is no JSON, and their types."""
        return schema_of(self.source, scan(self.source))

    @cached_property
    def is_nested(self) -> bool:
        """Whether it is a table, of Parquet or from Python, with columns of lists or objects."""
        return not (self.is_json or self.is_text) and any(dtype.is_nested() for dtype in self.schema.values())

    @cached_property
    def document(self) -> Any:  # noqa: ANN401 - JSON holds anything
        """The document in a file of JSON."""
        return read_objects(self.source).document

    @cached_property
    def objects(self) -> Objects:
        """The values of JSON, decoded on access, or the rows of a table as in JSON."""
        return objects_in_rows(self.source)

    @cached_property
    def records(self) -> pl.DataFrame:
        """The rows of a flat table, numbered in ROW: its texts and lists. Raises DataError if there is none."""
        frame = collect(self.source, self.rows())
        if frame.is_empty():
            raise DataError(f"{self.source.name}: no rows found")
        types = {name: dtype for name, dtype in frame.schema.items() if name != ROW and dtype != pl.String}
        texts = {name: as_text(pl.col(name), dtype) for name, dtype in types.items() if is_flat(dtype)}
        others = [name for name, dtype in types.items() if name not in texts and dtype != pl.List]
        return frame.with_columns(**texts).drop(others)

    @cached_property
    def first(self) -> list[dict[str, Any]]:
        """The objects among the first values of JSON, or the first rows of a table with lists; else empty."""
        values = objects_in_rows(self.source, _LOOKED_AT).values if self.is_json or self.is_nested else ()
        return [value for value in islice(values, _LOOKED_AT) if isinstance(value, dict)]

    @cached_property
    def names(self) -> list[str]:
        """The columns of a flat table, without reading rows; for JSON, the keys of the first objects."""
        return list(keys_of(self.first)) if self.is_json else self.schema.names()

    def rows(self) -> pl.LazyFrame:
        """The rows of a flat table, numbered in ROW; see `tables.scan`."""
        return scan(self.source, rows=True)

    def file_column(self, name: str) -> str:
        """The file's name for a column of Adjudge's."""
        return self.options.column_of(name)


def opened(source: Source, options: ReaderOptions) -> Opened[ReaderOptions]:
    """A source, opened for an evaluation's reader."""
    return Opened(source.format, with_container(source), options)


def format_of(evaluation: str, opened: Opened[ReaderOptions]) -> Format | None:
    """The evaluation's format that the user names, else the first that recognises the file; None for any flat table."""
    own = formats(evaluation)
    named = (form for form in own if form.name == opened.given)
    others = (form for form in own if not (form.nested and opened.is_text) and form.recognise(opened))
    return next(named, None) or next(others, None)


def with_columns(*needed: str) -> Callable[[Opened[Any]], bool]:
    """Recognises a flat table that has some columns, under Adjudge's names or as the user maps them."""
    return lambda opened: all(opened.file_column(name) in opened.names for name in needed)
