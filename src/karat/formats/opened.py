"""A file opened to see what it holds; each view of it is read once, when a format first asks for it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Generic, Protocol, TypeVar

import polars as pl

from karat.formats.objects import Objects, as_objects, read_document, read_objects
from karat.formats.records import Records, read_records, records_of
from karat.formats.registry import Format, Start, container, formats, names
from karat.formats.source import Source
from karat.formats.tables import ROW, records_frame, scan

_LOOKED_AT = 100


class Options(Protocol):
    """What all evaluations' options of reading have."""

    @property
    def columns(self) -> Mapping[str, str]:
        """Karat's column -> the file's."""


Reading = TypeVar("Reading", bound=Options)


@dataclass(frozen=True)
class Opened(Generic[Reading]):
    """An input of an evaluation, and the options of its reader.

    given: the format that the user names, or what the file looks like. source: the same input, whose format is what
    the file looks like.
    """

    given: str
    source: Source
    options: Reading

    @cached_property
    def start(self) -> Start:
        """How the file begins."""
        return self.source.start()

    @property
    def is_json(self) -> bool:
        """Whether it is a file of JSON, or of JSON lines."""
        return self.source.format in {"json", "jsonl"}

    @cached_property
    def document(self) -> Any:  # noqa: ANN401 - JSON holds anything
        """The document in a file of JSON."""
        return read_document(self.source)

    @cached_property
    def objects(self) -> Objects:
        """The values of a file of JSON or JSON lines, or the rows of a table."""
        return as_objects(self.source, self.document) if self.source.format == "json" else read_objects(self.source)

    @cached_property
    def records(self) -> Records:
        """The rows of a flat table."""
        return records_of(self.objects) if self.is_json else read_records(self.source)

    @cached_property
    def first(self) -> list[dict[str, Any]]:
        """The objects among the first values of a file of JSON or JSON lines; none of other files."""
        if not self.is_json:
            return []
        lines = self.source.format == "jsonl"
        values = (read_objects(self.source, most=_LOOKED_AT) if lines else self.objects).values
        return [value for value in values[:_LOOKED_AT] if isinstance(value, dict)]

    def rows(self, wanted: Sequence[str]) -> pl.LazyFrame:
        """The rows of a flat table, numbered in ROW; see `tables.scan`."""
        if self.source.format != "json":
            return scan(self.source, wanted=wanted, rows=True)
        return records_frame(self.document, self.source, wanted).lazy().with_row_index(ROW, offset=1)

    @property
    def stem(self) -> str:
        """The file's name without ending; a table's name."""
        return self.source.path.stem if self.source.path is not None else self.source.name

    def theirs(self, name: str) -> str:
        """The file's name for a column of Karat's."""
        return self.options.columns.get(name, name)


def opened(source: Source, options: Reading) -> Opened[Reading]:
    """A source, opened for an evaluation's reader."""
    if source.path is None or source.format in names(None):
        return Opened(source.format, source, options)
    return Opened(source.format, replace(source, format=container(source.start())), options)


def format_of(evaluation: str, found: Opened[Reading]) -> Format | None:
    """The evaluation's format that the user names, else the first that recognises the file; None for any flat table."""
    own = formats(evaluation)
    named = (form for form in own if form.name == found.given)
    return next(named, None) or next((form for form in own if form.recognise(found)), None)


def with_columns(*needed: str) -> Callable[[Opened[Any]], bool]:
    """Recognises a flat table that has some columns, under Karat's names or as the user maps them."""
    return lambda found: all(found.theirs(name) in found.records.columns for name in needed)
