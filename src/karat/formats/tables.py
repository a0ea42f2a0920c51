"""Flat tables: CSV, TSV, JSON lines, JSON arrays of records, Parquet, and tables from Python."""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

import polars as pl

from karat.errors import DataError, KaratError, OptionError, nearest
from karat.formats.documents import Repeated, decode, kind, parse, read_document, scalar_text, text_frame
from karat.formats.source import Source

ROW = "__row__"
"""Name of the column with a row's number in its file, counted from 1 after the header."""

BESIDE = "__beside__"
"""What stands before the names of a file's columns that Karat has no name for."""

_BROKEN = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)
_HEADER_BYTES = 1 << 20
_WORDS = {",": "commas", ";": "semicolons", "\t": "tabs"}
"""What may stand between columns, in words."""
_LINES_SEEN = 1000
_PARQUET = b"PAR1"
_COLUMNS_LOOKED_AT = 60


def scan(source: Source, *, wanted: Sequence[str] = (), rows: bool = False) -> pl.LazyFrame:
    """The table behind a source, under the file's own column names; text files as text, untouched.

    wanted: columns to look for in every record of JSON, where records may differ.
    rows: add the column ROW. Blank lines of CSV are no rows, but count in ROW.
    Raises DataError where the file is not of that format.
    """
    frame = source.table.lazy() if source.table is not None else _READERS[source.format](source, wanted)
    if rows:
        frame = frame.with_row_index(ROW, offset=1)
    if source.format in _SEPARATORS:
        frame = frame.filter(_not_blank(schema_of(source, frame).names(), wanted))
    return frame


def _not_blank(names: Sequence[str], wanted: Sequence[str]) -> pl.Expr:
    """Whether a row of a table holds anything; of very wide tables only some columns are looked at."""
    order = sorted((name for name in names if name != ROW), key=lambda name: name not in wanted)
    return pl.any_horizontal(pl.col(order[:_COLUMNS_LOOKED_AT]).is_not_null())


def collect(source: Source, frame: pl.LazyFrame) -> pl.DataFrame:
    """Run a query over a source. What polars says of a broken file becomes a DataError."""
    try:
        return frame.collect(engine="streaming")
    except _BROKEN as error:
        raise _data_error(source, error) from None


@contextmanager
def damage_named(paths: Sequence[Path]) -> Iterator[None]:
    """For queries that run long after their files were opened: what they say of a damaged file becomes a DataError.

    Where a query in the block fails, the files are read once more, to their ends. If that succeeds, the fault is
    not theirs, and the error stays what it is.
    """
    try:
        yield
    except KaratError:
        raise
    except _BROKEN:
        for path in paths:
            _check_whole(path)
        raise


def _check_whole(path: Path) -> None:
    """Raises DataError for a Parquet file that cannot be read to its end; only those are read late."""
    with path.open("rb") as file:
        if file.read(len(_PARQUET)) != _PARQUET:
            return
    try:
        for _ in pl.scan_parquet(path).collect_batches():
            pass
    except _BROKEN as error:
        raise _data_error(Source(str(path), "parquet", path=path), error) from None


def schema_of(source: Source, frame: pl.LazyFrame) -> pl.Schema:
    """The columns of a table and their types."""
    try:
        return frame.collect_schema()
    except _BROKEN as error:
        raise _data_error(source, error) from None


def select_text(
    source: Source,
    frame: pl.LazyFrame,
    columns: Mapping[str, str],
    *,
    optional: Sequence[str] = (),
    beside: bool = False,
) -> pl.LazyFrame:
    """Chosen columns of a table as text, under Karat's names; empty text is missing.

    columns: Karat's name -> the file's. optional: Karat's names that the file may lack.
    beside: keep ROW and the file's other text columns too, the latter with BESIDE before their names.
    Whole numbers stored as decimals (1.0) read as 1, since tables with gaps store them so.
    Raises DataError for a column that is missing (with the nearest) or holds lists or the like.
    """
    schema = schema_of(source, frame)
    chosen, problems = [], []
    for name, theirs in columns.items():
        if theirs not in schema:
            if name not in optional:
                problems.append(_missing_column(source, name, theirs, schema.names()))
        elif schema[theirs].is_nested() or schema[theirs] in (pl.Binary, pl.Object):
            problems.append(
                f"{source.name}, column {theirs}: expected text, numbers or true/false; got {schema[theirs]}"
            )
        else:
            chosen.append(_as_text(pl.col(theirs), schema[theirs]).alias(name))
    if problems:
        raise DataError(problems)
    if beside:
        others = [name for name, dtype in schema.items() if dtype == pl.String and name not in columns.values()]
        chosen += [pl.col(name).alias(BESIDE + name) for name in others] + [pl.col(ROW)]
    return frame.select(chosen)


def _missing_column(source: Source, name: str, theirs: str, found: list[str]) -> str:
    shown = [one for one in found if one != ROW]
    return (
        f"{source.name}: expected a column {theirs}{nearest(theirs, shown)}; got {', '.join(shown):.300}. "
        f"Say which column holds it with --columns {name}=..."
    )


def _as_text(value: pl.Expr, dtype: pl.DataType) -> pl.Expr:
    if dtype == pl.String:
        return pl.when(value != "").then(value)
    if dtype.is_float():
        return pl.when(value.is_not_nan()).then(value.cast(pl.String).str.strip_suffix(".0"))
    return value.cast(pl.String)


def _path(source: Source) -> Path:
    if source.path is None:
        raise OptionError(f"{source.name}: a table has no format to read; got {source.format}")
    return source.path


def _parquet(source: Source, _: Sequence[str]) -> pl.LazyFrame:
    return pl.scan_parquet(_path(source))


def _delimited(source: Source, _: Sequence[str]) -> pl.LazyFrame:
    _check_header(source)
    return pl.scan_csv(_path(source), separator=_SEPARATORS[source.format], infer_schema=False)


def _check_header(source: Source) -> None:
    with _path(source).open("rb") as file:
        start = file.readline(_HEADER_BYTES)
    text = decode(start, source.name) if start.endswith(b"\n") else start.decode("utf-8-sig", errors="replace")
    try:
        names = next(csv.reader(io.StringIO(text, newline=""), delimiter=_SEPARATORS[source.format]), [])
    except csv.Error as error:
        raise DataError(f"{source.name}, line 1: expected the names of columns; {error}") from None
    _check_separator(source, names)
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise DataError(f'{source.name}, line 1: the column "{twice[0]:.60}" stands twice. Rename one of them')


def _check_separator(source: Source, names: Sequence[str]) -> None:
    """Raises DataError for a header of one column: no data fits there, so something else must stand in its place."""
    if len(names) != 1:
        return
    own = _WORDS[_SEPARATORS[source.format]]
    expected = f"{source.name}, line 1: expected the names of columns, with {own} between them"
    for sign, word in _WORDS.items():
        if sign in names[0]:
            raise DataError(f"{expected}; it looks separated by {word}. Save it with commas as .csv, or tabs as .tsv")
    raise DataError(f'{expected}; got one, "{names[0]:.60}". Remove the lines above the names, if there are any')


def _lines(source: Source, wanted: Sequence[str]) -> pl.LazyFrame:
    """JSON lines. Columns are the names in the first lines, and those wanted that come up further down."""
    path = _path(source)
    with path.open("rb") as file:
        first = [_record(line, number, source) for number, line in enumerate(islice(file, _LINES_SEEN), 1)]
        more = bool(file.read(1))
    names = dict.fromkeys(chain.from_iterable(first))
    late = [name for name in wanted if name not in names and _occurs(path, name)] if more else []
    content = _without_mark(path)
    if late:
        found = collect(source, pl.scan_ndjson(content, schema=dict.fromkeys(late, pl.String)).select(pl.all().count()))
        names |= dict.fromkeys(name for name in late if found[name].item())
    return pl.scan_ndjson(content, schema=dict.fromkeys(names, pl.String))


def _occurs(path: Path, name: str) -> bool:
    """Whether a name may be a key somewhere in a file of JSON."""
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        return content.find(json.dumps(name).encode()) >= 0


def _without_mark(path: Path) -> Path | io.BytesIO:
    """The file, or its bytes without the byte-order mark where it has one."""
    with path.open("rb") as file:
        marked = file.read(3) == b"\xef\xbb\xbf"
    return io.BytesIO(path.read_bytes()[3:]) if marked else path


def _record(line: bytes, number: int, source: Source) -> dict[str, Any]:
    """One line of JSON lines; a blank one holds nothing. Raises DataError that names the line."""
    text = decode(line, source.name, number).strip()
    record = parse(text, source.name, number) if text else {}
    if not isinstance(record, dict):
        raise DataError(f"{source.name}, line {number}: expected a JSON object; got {kind(record)}")
    if isinstance(record, Repeated):
        twice = ", ".join(record.repeated)
        raise DataError(f"{source.name}, line {number}: expected each name once; {twice} stands twice")
    return record


def _records(source: Source, wanted: Sequence[str]) -> pl.LazyFrame:
    return records_frame(read_document(source), source, wanted).lazy()


def records_frame(document: object, source: Source, wanted: Sequence[str]) -> pl.DataFrame:
    """An array of flat JSON objects as columns of text. Nested values are an error where wanted, else missing."""
    if not isinstance(document, list) or not document:
        raise DataError(f"{source.name}: expected a list of records; got {kind(document)}")
    problems = [
        f"{source.name}, record {number}: expected an object; got {kind(record)}"
        for number, record in enumerate(document, 1)
        if not isinstance(record, dict)
    ]
    problems = problems or [
        f"{source.name}, record {number}, {name}: expected text, a number or true/false; got {kind(record[name])}"
        for number, record in enumerate(document, 1)
        for name in wanted
        if isinstance(record.get(name), list | dict)
    ]
    if problems:
        raise DataError(problems)
    problems = [
        f"{source.name}, record {number}: expected each name once; {', '.join(record.repeated)} stands twice"
        for number, record in enumerate(document, 1)
        if isinstance(record, Repeated)
    ]
    if problems:
        raise DataError(problems)
    names = dict.fromkeys(chain.from_iterable(document))
    return text_frame({name: [_scalar(record.get(name)) for record in document] for name in names}, source.name)


def _scalar(value: object) -> str | None:
    return None if isinstance(value, list | dict) else scalar_text(value)


def _data_error(source: Source, error: BaseException) -> DataError:
    """What is wrong with a file that polars could not read: of JSON lines the very line, else what polars says."""
    if source.format == "jsonl":
        with _path(source).open("rb") as file:
            for number, line in enumerate(file, 1):
                try:
                    _record(line, number, source)
                except DataError as found:
                    return found
    if source.format != "parquet" and "utf-8" in str(error).lower():
        decode(_path(source).read_bytes(), source.name)
    said = str(error).strip().split("\n")[0].removeprefix("parquet: ")
    hint = _WIDE_ROW if "found more fields" in said else _HINTS.get(source.format, "")
    return DataError(f"{source.name}: cannot be read as {source.format}: {said:.300}{hint}")


_WIDE_ROW = (
    ". A row has more cells than the first: put cells that hold the separator in quotes, "
    "or say with --input-format what stands between cells (csv: commas, tsv: tabs)"
)
_HINTS = {"parquet": ". The file may be damaged: fetch or make it again"}
_SEPARATORS = {"csv": ",", "tsv": "\t"}
_READERS = {"csv": _delimited, "tsv": _delimited, "jsonl": _lines, "json": _records, "parquet": _parquet}
