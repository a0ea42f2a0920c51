"""One input: a file whose content determines its format, or a table from Python."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from sys import modules
from typing import Any, Self

import polars as pl

from adjudge.errors import DataError, flag_name
from adjudge.options.declaration import Options
from adjudge.readers.io.decompress import begins
from adjudge.readers.io.paths import PIPED, STANDARD_INPUT, UNITS, scratch_file
from adjudge.report import path_size, sha256_of

MARK = b"\xef\xbb\xbf"
"""The byte-order mark with which a text file may begin."""

OR = "/"
"""Separator between the names of a column in different files."""

SNIFFED = 1 << 16
"""Number of bytes of a file that are read to recognise it."""


@dataclass(frozen=True, slots=True)
class Format:
    """A file format.

    name: as `--input-format` takes it. evaluation: that reads it; None for flat tables, which any evaluation may read.
    read: for a flat table, takes the Source, and returns a lazy frame; for others, takes an `Opened` input, and returns
    the input of the evaluation's reader. recognise: whether a file has this format, from its `Start` (flat tables) or
    the `Opened` input. precedence: the highest wins if several recognise a file. endings: usual endings of such files.
    said: its description; by default the first line of the module's docstring or, with several formats in a module,
    that of `read`. folder: pattern of the files in a folder that is one such input. nested: whether only objects of
    JSON and rows with lists can have this format, so that text is not asked.
    """

    name: str
    evaluation: str | None
    read: Callable[..., Any]
    recognise: Callable[[Any], bool]
    precedence: int = 0
    endings: tuple[str, ...] = ()
    said: str = ""
    folder: str = ""
    nested: bool = False

    @property
    def about(self) -> str:
        """What it is, as docs/reference/formats.md lists it."""
        if self.said:
            return self.said
        module = modules[self.read.__module__]
        holder = self.read if isinstance(vars(module)["FORMAT"], tuple) else module
        return (holder.__doc__ or "").partition("\n")[0]


@dataclass(frozen=True, slots=True)
class Start:
    """The beginning of a file: its first bytes without byte-order mark and white space, and its name's ending."""

    content: bytes
    ending: str


@dataclass(frozen=True, slots=True)
class How:
    """How to read inputs: options of evaluations, of `adjudge.Reading` and of tables. Readers of records add their own.

    input_format: the files' format. encoding, separator: of text. All three are detected by default. no_header:
    whether the first row of text, or of a sheet, is data. header_rows: the rows that hold column names instead.
    max_size: maximum size of an unpacked input, such as 500MB; 8GB by default. jq: a program that makes rows of
    JSON, or a file with it. constant: a column -> its value in all rows. map_values: Adjudge's column, or the
    input's -> value -> its meaning. columns: Adjudge's column -> the input's. annotator_columns: of a wide table.
    item_columns: of a table with a row per annotator. by, cluster, run_column: further columns. exact_labels:
    whether values that differ by spaces or case differ in meaning. drop: whether to exclude invalid records instead
    of raising.
    """

    input_format: str | None = None
    encoding: str | None = None
    separator: str | None = None
    no_header: bool = False
    header_rows: Sequence[str] = field(default=(), hash=False)
    max_size: str | None = None
    jq: str | None = None
    constant: Mapping[str, str] = field(default_factory=dict, hash=False)
    map_values: Mapping[str, Mapping[str, str]] = field(default_factory=dict, hash=False)
    columns: Mapping[str, str] = field(default_factory=dict, hash=False)
    annotator_columns: Sequence[str] = field(default=(), hash=False)
    item_columns: Sequence[str] = field(default=(), hash=False)
    by: Sequence[str] = field(default=(), hash=False)
    cluster: str | None = None
    run_column: str | None = None
    exact_labels: bool = False
    drop: bool = False

    @classmethod
    def of(cls, options: Options, **own: Any) -> Self:  # noqa: ANN401 - of any field
        """The fields of some options, which may lack some of them. own: fields with other values than the options."""
        given = options.values()
        values = given | {"drop": given.get("on_invalid") == "drop"} | own
        return cls(**{one.name: values[one.name] for one in fields(cls) if one.name in values})

    def column_of(self, name: str) -> str:
        """The input's name for one of Adjudge's columns."""
        return self.columns.get(name, name)

    @property
    def named_columns(self) -> set[str]:
        """The file's columns that options name, which are not read under their own names too."""
        return {part for name in self.columns.values() for part in (name, *name.split(OR))}

    @property
    def most(self) -> int:
        """The maximum bytes of an input."""
        text = self.max_size or "8GB"
        unit = next(unit for unit in UNITS if text.endswith(unit))
        return int(float(text.removesuffix(unit)) * UNITS[unit])


@dataclass(frozen=True, slots=True)
class Source:
    """One input: a plain file in UTF-8 (path) or a table (table).

    name: in messages. format: the name of a Format, as the user gives it, or else of the flat table that the file looks
    like; or "table". how: how to open and transform it; readers of records have a copy of columns and exact_labels in
    the options of their evaluation (`parsed_input.Opened.options`). given: the user's file, if `path` is a conversion
    of it. held: the file's name without endings of compression. warnings: about changes made to read it. hashed: the
    hash of the user's table, if `table` is a conversion of it. seen: a column with mapped values -> its values.
    records: the `Objects` converted from JSON, if they differ from `path`.
    """

    name: str
    format: str
    path: Path | None = None
    table: pl.DataFrame | None = None
    how: How = field(default_factory=How)
    given: Path | None = None
    held: str = ""
    warnings: tuple[str, ...] = ()
    hashed: str = ""
    seen: Mapping[str, frozenset[str]] = field(default_factory=dict, hash=False)
    damage: DataError | None = None
    records: Any = None

    @property
    def file(self) -> Path:
        """The file; for JSON in memory a temporary one, for readers of bytes.

        Raises DataError for a table, and for a file that cannot be opened.
        """
        self.check_sound()
        if self.path is None:
            raise DataError(f"{self.name}: expected a file; got a table")
        if self.records is not None:
            path = scratch_file(".json")
            path.write_text(self.records.text(), encoding="utf-8", errors="backslashreplace")
            return path
        return self.path

    def check_sound(self) -> None:
        """Raises DataError if it cannot be opened."""
        if self.damage:
            raise self.damage

    @property
    def typed(self) -> str:
        """Its name on the command line."""
        return STANDARD_INPUT if self.name == PIPED else self.name

    @property
    def stem(self) -> str:
        """The name of a file or of an address, without folder and ending; a table's name."""
        return Path(self.held or self.name).stem if self.path else self.name

    def with_warnings(self, *warnings: str, **values: Any) -> "Source":  # noqa: ANN401 - of any field
        """The same input with other values, and with warnings about the changes."""
        return replace(self, warnings=(*self.warnings, *warnings), **values)

    def text(self) -> str:
        """The file's text; see `decode`."""
        return decode(self.file.read_bytes(), self.name)

    def start(self) -> Start:
        """The beginning of the file; empty for a table or a folder."""
        if self.path is None or self.path.is_dir():
            return Start(b"", "")
        if self.records is not None:
            return Start(self.records.text(20).encode(errors="backslashreplace"), self.path.suffix)
        return Start(begins(self.path, SNIFFED).removeprefix(MARK).lstrip(), self.path.suffix)

    @property
    def size(self) -> int | None:
        """The size of the given file in bytes; None for a table."""
        file = self.given or self.path
        return None if file is None else path_size(file)

    def sha256(self) -> str:
        """Hash of the given file's bytes; for data from Python, of the table's CSV text.

        Values without a CSV form (lists, structs, bytes, durations) go into that text as Python writes them. Columns of
        Python objects, which no metric depends on, are excluded.
        """
        if self.hashed:
            return self.hashed
        if (file := self.given or self.path) is not None:
            return sha256_of(file)
        table = pl.DataFrame() if self.table is None else self.table.select(pl.exclude(pl.Object))
        odd = [name for name, kind in table.schema.items() if kind.is_nested() or kind in (pl.Binary, pl.Duration)]
        table = table.with_columns(pl.Series(name, map(repr, table[name].to_list()), pl.String) for name in odd)
        return hashlib.sha256(table.write_csv().encode()).hexdigest()


def decode(data: bytes, name: str, first_line: int = 1) -> str:
    """Bytes as UTF-8 text, without the byte-order mark. Raises DataError that names the first wrong byte."""
    data = data.removeprefix(MARK)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + first_line
        fix = f"{flag_name('encoding')} NAME, such as cp1252, or {EXPORT}"
        got = f"got the byte 0x{data[error.start]:02X}"
        raise DataError(f"{name}, line {line}: expected UTF-8 text; {got}", fix=fix) from None


EXPORT = "export the file as text, Parquet or .xlsx"
"""Alternatives to a file without text or a table."""
