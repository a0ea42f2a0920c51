"""Profiles of the given files: format, number of rows, columns; reference files first."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Any

import polars as pl

from adjudge.errors import AdjudgeError, DataError
from adjudge.evaluations import NAMES, options_of
from adjudge.evaluations.scoring import scoring
from adjudge.profiling.column_sample import TableSample, sample_of_frame, sample_of_records
from adjudge.readers.column_names import PREDICTED_FILES, TRUSTED_FILES, words
from adjudge.readers.formats import container, formats, names
from adjudge.readers.inputs import each_of, format_of_folder, is_workbook, sources
from adjudge.readers.io.conversions import encoding_of
from adjudge.readers.io.decompress import check_width
from adjudge.readers.io.delimited import DELIMITED, data_in_header, separator_of, separator_word
from adjudge.readers.io.json_documents import read_objects
from adjudge.readers.io.paths import files_in, scratch_file
from adjudge.readers.io.source import Format, How, Source
from adjudge.readers.parsed_input import format_of, opened
from adjudge.readers.problems import listed
from adjudge.readers.tables import collect, scan, schema_of

SAMPLED = 10_000
"""The number of sampled rows."""
TABLE = "table"
"""The format and the name of a table from Python."""
LARGEST = 1 << 28
"""The most bytes of a JSON document, which cannot be read in part, or of a refused file, to sample."""
_DATA = {
    *(".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".parquet", ".arrow", ".feather", ".xlsx", ".xls", ".eval"),
    *(".m2", ".conll", ".bio", ".iob", ".spacy"),
}
"""Endings of the names of data files, among others in their folder."""
UNNAMED = 1
"""The rank of a file whose name indicates neither reference nor predictions."""


@dataclass(frozen=True)
class FileProfile:
    """A file's profile. format: the flat table, or the JSON, that it looks like. size: in bytes; None for a table.

    rows: the number of records, None if unknown. table: the first of them; part: a source of
    only these, if there are more. wrong: why it cannot be read in its format, if so.
    """

    source: Source
    format: str
    size: int | None = None
    rows: int | None = None
    table: TableSample = field(default_factory=lambda: TableSample({}))
    part: Source | None = None
    wrong: str = ""

    @property
    def name(self) -> str:
        """Its name in messages."""
        return self.source.name

    @property
    def is_table(self) -> bool:
        """Whether it came from Python, without a file."""
        return self.format == TABLE

    @property
    def distrust(self) -> int:
        """The rank of its name; lower names are likelier references."""
        called = {*words(self.source.stem)}
        return 0 if TRUSTED_FILES & called else 2 if PREDICTED_FILES & called else UNNAMED

    @property
    def about(self) -> str:
        """The file's format in words: its encoding, its separator."""
        source, given = replace(self.source, format=self.format), self.source.given
        if _is_folder(source):
            return f"a folder in the format {self.format}"
        if given and is_workbook(given):
            return "a sheet of Excel"
        known = {"json": "JSON", "jsonl": "JSON lines", "parquet": "Parquet", TABLE: "a table"}
        about = known.get(self.format, self.format)
        if self.format in DELIMITED:
            about = f"text with {separator_word(separator_of(source))} between columns"
        encoding = encoding_of(given or source.file) if self.format in {*DELIMITED, "json", "jsonl"} else None
        return about if encoding in (None, "ascii", "utf-8") else f"{about}, {encoding}"

    def to_record(self) -> dict[str, Any]:
        """Its JSON form."""
        columns = [
            {"name": column.name, "kind": column.kind, "differ": len(column.distinct), "missing": column.missing}
            | {"examples": column.distinct[:2]}
            for column in self.table.columns.values()
        ]
        named = {name: getattr(self, name) for name in ("name", "format", "about", "size", "rows", "wrong")}
        return {**named, "looked_at": self.table.height, "columns": columns, "warnings": self.source.warnings}


def _is_folder(source: Source) -> bool:
    return source.path is not None and source.path.is_dir()


def profiles_of(data: Any, how: How) -> list[FileProfile]:  # noqa: ANN401 - paths and tables
    """The given inputs, in any evaluation's format: reference files first, in the order of command arguments."""
    whose = next((name for name in NAMES if how.input_format in names(name)), None)
    profiles = [profile for given in each_of(data) for profile in _profiles(given, how, whose)]
    tables = [place for place, profile in enumerate(profiles) if profile.is_table]
    for number, place in enumerate(tables if len(tables) > 1 else (), 1):
        profiles[place] = replace(profiles[place], source=replace(profiles[place].source, name=f"table {number}"))
    return sorted(profiles, key=lambda profile: profile.distrust)


def _profiles(given: object, how: How, evaluation: str | None) -> list[FileProfile]:
    """An input, or those in a folder; one that is refused before reading, with the reason."""
    evaluation = evaluation or next((name for name in NAMES if format_of_folder(given, name)), None)
    many: list[Any] = [given]
    if not evaluation and isinstance(given, str | PathLike) and Path(given).is_dir():
        many = [str(path) for path in files_in(Path(given)) if _DATA.intersection(path.suffixes)] or many
    try:
        return [profile_of(source, how) for source in sources(many, how, evaluation)]
    except DataError as error:
        name, kind = (str(given), "unknown content") if isinstance(given, str | PathLike) else (TABLE, TABLE)
        return [FileProfile(Source(name, ""), kind, wrong="\n".join(error.frame()))]


def profile_of(source: Source, how: How | None = None) -> FileProfile:
    """A file's profile. No file is refused: faults in its content are part of the profile.

    how: options for reading; a first row of data is then read as such.
    """
    if _is_folder(source):
        return FileProfile(source, source.format)
    form = TABLE if source.path is None else container(source.start())
    size = None if source.path is None else source.path.stat().st_size
    if how and source.path and (cells := data_in_header(source)):
        (source,) = sources([source.name], replace(how, no_header=True))
        source = source.with_warnings(f"the first row is data, and no names of columns: {listed(cells)}")
    try:
        rows, table, part = (_of_json if form in ("json", "jsonl") else _of_frame)(source, form)
        check_width(source.name, len(table.columns))
    except AdjudgeError as error:
        return FileProfile(source, form, size, wrong="\n".join(error.frame()))
    none = f"{source.name}: expected rows below the names of columns; got none" if rows == 0 else ""
    return FileProfile(source, form, size, rows, table, part, none)


def _of_frame(source: Source, form: str) -> "_Sample":
    flat = replace(source, format=form)
    frame = scan(flat)
    schema_of(flat, frame)
    first = collect(flat, frame.head(SAMPLED))
    if first.height < SAMPLED:
        return first.height, sample_of_frame(first), None
    rows = collect(flat, frame.select(pl.len())).item()
    return rows, sample_of_frame(first), replace(source, format=TABLE, path=None, table=first)


def _of_json(source: Source, form: str) -> "_Sample":
    if form == "json" and source.path and source.path.stat().st_size > LARGEST:
        return None, TableSample({}), None
    objects = read_objects(replace(source, format=form))
    first = next(objects.batches(SAMPLED))
    table = sample_of_records([record for record in first.values if isinstance(record, dict)])
    if not table.columns:
        first.checked_values()  # reports those that are no objects, as readers do
        raise DataError(f"{first.name}: expected objects with names and values; got an empty object")
    if form == "json" or len(first.values) < SAMPLED:
        return len(objects.values if form == "json" else first.values), table, None
    path = scratch_file(".jsonl")
    with source.file.open("rb") as file, path.open("wb") as part:
        lines = filter(bytes.strip, file)
        part.writelines(islice(lines, SAMPLED))
        rows = SAMPLED + sum(1 for _ in lines)
    return rows, table, replace(source, path=path)


_Sample = tuple[int | None, TableSample, Source | None]


def own_format(evaluation: str, profile: FileProfile) -> Format | None:
    """The evaluation's own format of a file; None for general tables and unreadable files."""
    form, any_table = (_recognised(evaluation, source) for source in (profile.source, _ANY_TABLE))
    return None if form == any_table else form


_ANY_TABLE = Source("a table", "table", table=pl.DataFrame({"": ["x"]}))


def _recognised(evaluation: str, source: Source) -> Format | None:
    if _is_folder(source):
        return next((form for form in formats(evaluation) if form.name == source.format), None)
    with suppress(AdjudgeError):
        return format_of(evaluation, opened(source, scoring(evaluation).reader_options(options_of(evaluation).of({}))))
    return None


def lists_in(files: Sequence[FileProfile]) -> list[str]:
    """The lists of objects in a JSON document, as names to append to its path."""
    first = files[0]
    if len(files) > 1 or first.format != "json" or first.rows != 1 or not read_objects(first.source).alone:
        return []
    return [
        f"{first.name}#{name}"
        for name, column in first.table.columns.items()
        if any(isinstance(value, list) and value and isinstance(value[0], dict) for value in column.values)
    ]
