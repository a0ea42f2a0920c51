"""What a file is: its format, how many rows it has, and what its columns hold."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace

import polars as pl

from adjudge.errors import AdjudgeError, DataError
from adjudge.profiling.column_profile import Table, table_of_frame, table_of_nested
from adjudge.readers.formats import container, formats
from adjudge.readers.io.decompress import check_width
from adjudge.readers.io.delimited import DELIMITED, separator_of, separator_word
from adjudge.readers.io.encodings import encoding_of
from adjudge.readers.io.json_documents import Objects, as_objects, line_batches, read_document
from adjudge.readers.io.markdown_tables import is_markdown_table
from adjudge.readers.io.plain_files import is_workbook
from adjudge.readers.io.source import Format, Source
from adjudge.readers.parsed_input import Options, format_of, opened
from adjudge.readers.tables import collect, scan, schema_of

LOOKED_AT = 10_000
"""The rows whose values are looked at."""

TABLE = "table"
"""What holds a table from Python, and what it is called."""
_MOST = 1 << 28
"""The bytes up to which a JSON document, which cannot be read in part, is looked into."""


@dataclass(frozen=True)
class Seen:
    """What a file is. container: the flat table, or the JSON, that it looks like. size: in bytes; None of a table.

    rows: how many records there are, None where they are not known. table: the first of them. wrong: why it cannot be
    read as what it looks like, if it cannot.
    """

    source: Source
    container: str
    size: int | None
    rows: int | None
    table: Table
    wrong: str = ""

    @property
    def is_table(self) -> bool:
        """Whether it came from Python, without a file."""
        return self.container == TABLE

    @property
    def about(self) -> str:
        """What the file is, in words: its encoding, what stands between columns."""
        if _is_folder(self.source):
            packed = self.source.given is not None and self.source.given.is_file()
            return f"{'an archive' if packed else 'a folder'} in the format {self.container}"
        source = replace(self.source, format=self.container)
        if source.given and is_workbook(source.given):
            return "a sheet of Excel"
        if source.given and is_markdown_table(source.given, source.held):
            return "a Markdown table"
        if self.container in DELIMITED:
            said = f"text with {separator_word(separator_of(source))} between columns"
        else:
            said = _WORDS.get(self.container, self.container)
        encoding = encoding_of(source.given or source.file) if self.container in _TEXT else None
        return f"{said}, {encoding}" if encoding not in (None, "utf-8") else said


def _is_folder(source: Source) -> bool:
    return source.path is not None and source.path.is_dir()


_TEXT = {"csv", "tsv", "json", "jsonl"}
_WORDS = {"json": "JSON", "jsonl": "JSON lines", "parquet": "Parquet", TABLE: "a table"}


def seen(source: Source) -> Seen:
    """What a file is. It is never refused: what is wrong with its content is said."""
    if _is_folder(source):
        return Seen(source, source.format, None, None, Table({}))
    form = TABLE if source.path is None else container(source.start())
    size = None if source.path is None else source.path.stat().st_size
    try:
        rows, table = _READERS.get(form, _frame)(source, form)
        check_width(source.name, len(table.columns))
    except AdjudgeError as error:
        return Seen(source, form, size, None, Table({}), "\n".join(error.frame()))
    none = f"{source.name}: expected rows below the names of columns; got none" if rows == 0 else ""
    return Seen(source, form, size, rows, table, none)


def _frame(source: Source, form: str) -> tuple[int, Table]:
    flat = replace(source, format=form)
    frame = scan(flat)
    schema_of(flat, frame)
    first = collect(flat, frame.head(LOOKED_AT))
    rows = first.height if first.height < LOOKED_AT else collect(flat, frame.select(pl.len())).item()
    return rows, table_of_frame(first)


def _lines(source: Source, _: str) -> tuple[int, Table]:
    first = next(line_batches(source, LOOKED_AT))
    rows = len(first.values)
    if rows == LOOKED_AT:
        with source.file.open("rb") as file:
            rows = sum(bool(line.strip()) for line in file)
    return rows, _of_records(first)


def _document(source: Source, _: str) -> tuple[int | None, Table]:
    if source.file.stat().st_size > _MOST:
        return None, Table({})
    objects = as_objects(source, read_document(source))
    first = replace(objects, numbers=objects.numbers[:LOOKED_AT], values=objects.values[:LOOKED_AT])
    return len(objects.values), _of_records(first)


def _of_records(records: Objects) -> Table:
    """The table of those that are objects. Raises DataError where none says anything."""
    table = table_of_nested([one for one in records.values if isinstance(one, dict)])
    if not table.columns:
        records.plain()  # tells of those that are none, as readers do
        raise DataError(f"{records.name}: expected objects with names and values; got an empty object")
    return table


_READERS: dict[str, Callable[[Source, str], tuple[int | None, Table]]] = {"jsonl": _lines, "json": _document}


def recognised(evaluation: str, source: Source, options: Options) -> Format | None:
    """The evaluation's own format that a file is in; None for a flat table, and for what cannot be read."""
    if _is_folder(source):
        return next((form for form in formats(evaluation) if form.name == source.format), None)
    with suppress(AdjudgeError):
        return format_of(evaluation, opened(source, options))
    return None
