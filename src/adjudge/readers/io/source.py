"""One input: a file whose format is known by its content, or a table from Python."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from sys import modules
from typing import Any

import polars as pl

from adjudge.errors import DataError, flag_name
from adjudge.options.declaration import Options
from adjudge.readers.io.decompress import UNITS, begins, kind_in_words
from adjudge.readers.io.paths import scratch_file
from adjudge.readers.io.remote import STANDARD_INPUT
from adjudge.report import path_size, sha256_of

MARK = b"\xef\xbb\xbf"
"""The byte-order mark with which a text file may begin."""

SNIFFED = 1 << 16
"""How many bytes of a file are looked at to see what it is."""

_FIRST = 20
"""Records that show how JSON in memory begins."""
_MOST = "8GB"
_ROWS_HASHED = 1 << 16


@dataclass(frozen=True, slots=True)
class Format:
    """A file format.

    name: as `--input-format` takes it. evaluation: whose input it holds; None for flat tables, which any evaluation may
    read. read: of a flat table, takes the Source and the columns to look for in every record, and gives a lazy frame;
    of others, takes what was `Opened`, and gives what the evaluation's reader works on. recognise: whether a file is of
    this format, from its `Start` (flat tables) or from what was `Opened`. precedence: where several recognise a file,
    the one with the highest has it. endings: how names of such files usually end. said: what it is, unless the first
    line of the module's docstring says so, or, of several formats in a module, that of what reads each. folder: what
    the files are called in a folder that is one such input. own: what stands near the beginning of such files alone.
    """

    name: str
    evaluation: str | None
    read: Callable[..., Any]
    recognise: Callable[[Any], bool]
    precedence: int = 0
    endings: tuple[str, ...] = ()
    said: str = ""
    folder: str = ""
    own: tuple[bytes, ...] = ()

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
    """How a file begins: its first bytes without byte-order mark and white space, and the ending of its name."""

    content: bytes
    ending: str


@dataclass(frozen=True, slots=True)
class How:
    """How inputs are read: options that evaluations have, of `adjudge.Reading` and of tables.

    input_format: the files' format. encoding, separator: of text. All three are found out by default. no_header:
    whether the first row of text, or of a sheet, is data. max_size: the most that an input may hold once it is
    unpacked, such as 500MB; 8GB by default. jq: a program that makes rows of JSON, or the file that holds it. constant:
    a column -> the value that all rows have in it. map_values: Adjudge's column, or the input's -> value -> what it
    means. columns: Adjudge's column -> the input's. annotator_columns: of a wide table. item_columns: of one with a row
    per annotator. by, cluster, run_column: further columns. exact_labels: whether values that differ by spaces or case
    differ in meaning.
    """

    input_format: str | None = None
    encoding: str | None = None
    separator: str | None = None
    no_header: bool = False
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

    @property
    def most(self) -> int:
        """The bytes that an input may hold."""
        text = self.max_size or _MOST
        unit = next(unit for unit in UNITS if text.endswith(unit))
        return int(float(text.removesuffix(unit)) * UNITS[unit])

    @property
    def sign(self) -> str:
        """The separator that is given; empty where it is found out."""
        return {"tab": "\t"}.get(self.separator or "", self.separator or "")


AS_FOUND = How()
"""All is found out."""


def how_of(options: Options) -> How:
    """How inputs are read by some options, which may lack some of these."""
    values = options.values()
    return How(**{one.name: values[one.name] for one in fields(How) if one.name in values})


@dataclass(frozen=True, slots=True)
class Source:
    """One input: a plain file in UTF-8 (path) or a table (table).

    name: as messages call it. format: the name of a Format, as the user gives it, or else of the flat table that the
    file looks like; or "table". how: how it is read. given: the file as the user gave it, where `path` is what became
    of it. held: the file's name, without what says how it was packed. warnings: what was done to read it. hashed: the
    hash of a table as the user gave it, where `table` is what became of it. seen: a column whose values mean others, as
    the user says -> the values that it holds. rows: the first row, from 0, and how many of them this is, where it is a
    range of a file of Adjudge's columnar form; `hashed` is then the hash of that file. piped: whether it came through
    standard input. records: the `Objects` that became of JSON, where that is something else than `path` holds.
    """

    name: str
    format: str
    path: Path | None = None
    table: pl.DataFrame | None = None
    how: How = AS_FOUND
    given: Path | None = None
    held: str = ""
    warnings: tuple[str, ...] = ()
    hashed: str = ""
    seen: Mapping[str, frozenset[str]] = field(default_factory=dict, hash=False)
    damage: DataError | None = None
    rows: tuple[int, int] | None = None
    piped: bool = False
    records: Any = None

    @property
    def file(self) -> Path:
        """The file; of JSON in memory a temporary one, for what reads bytes.

        Raises DataError for a table, which has none, and for a file that cannot be opened.
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
        """Raises DataError where it cannot be opened."""
        if self.damage:
            raise self.damage

    @property
    def typed(self) -> str:
        """What names it on the command line."""
        return STANDARD_INPUT if self.piped else self.name

    @property
    def stem(self) -> str:
        """The name of a file or of an address, without folder and ending; a table's name."""
        return Path(self.held or self.name).stem if self.path else self.name

    def with_warnings(self, *warnings: str, **values: Any) -> "Source":  # noqa: ANN401 - of any field
        """The same input with other values, and with warnings that say what was done."""
        return replace(self, warnings=(*self.warnings, *warnings), **values)

    def text(self) -> str:
        """All that the file says; see `decode`."""
        return decode(self.file.read_bytes(), self.name)

    def start(self) -> Start:
        """How the file begins; of a table or a folder, nothing."""
        if self.path is None or self.path.is_dir():
            return Start(b"", "")
        if self.records is not None:
            return Start(self.records.text(_FIRST).encode(errors="backslashreplace"), self.path.suffix)
        return Start(begins(self.path, SNIFFED).removeprefix(MARK).lstrip(), self.path.suffix)

    @property
    def size(self) -> int | None:
        """The bytes of the file that was given; None of a table."""
        file = self.given or self.path
        return None if file is None else path_size(file)

    def sha256(self) -> str:
        """Hash of the bytes of the file that was given; of the table's CSV text where the data came from Python.

        What CSV cannot say (lists, structs, bytes, durations) goes into that text as Python writes it. Columns of
        Python objects, which no figure depends on, are left out.
        """
        if self.hashed:
            return self.hashed
        if (file := self.given or self.path) is not None:
            return sha256_of(file)
        table = pl.DataFrame() if self.table is None else self.table.select(pl.exclude(pl.Object))
        odd = [name for name, kind in table.schema.items() if kind.is_nested() or kind in (pl.Binary, pl.Duration)]
        table = table.with_columns(pl.Series(name, map(repr, table[name].to_list()), pl.String) for name in odd)
        digest = hashlib.sha256(table.clear().write_csv().encode())
        for part in table.iter_slices(_ROWS_HASHED):
            digest.update(part.write_csv(include_header=False).encode())
        return digest.hexdigest()


def decode(data: bytes, name: str, first_line: int = 1) -> str:
    """Bytes as UTF-8 text, without the byte-order mark. Raises DataError that names the first wrong byte."""
    data = data.removeprefix(MARK)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        if found := kind_in_words(data):
            raise DataError(f"{name}: expected text; got {found}", fix=EXPORT) from None
        line = data.count(b"\n", 0, error.start) + first_line
        raise DataError(
            f"{name}, line {line}: expected UTF-8 text; got the byte 0x{data[error.start]:02X}",
            fix=f"{flag_name('encoding')} NAME, such as cp1252, or a file in UTF-8",
        ) from None


EXPORT = "an export as text, Parquet or .xlsx"
"""What to read instead of a file that holds neither text nor a table."""


def parted(sources: Sequence[Source]) -> tuple[list[Source], list[Source]]:
    """Those that can be opened, and those that cannot."""
    return [one for one in sources if not one.damage], [one for one in sources if one.damage]
