"""Flat tables: delimited text, JSON lines, JSON records, Parquet, and tables from Python."""

import io
import json
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import chain
from mmap import ACCESS_READ, mmap
from pathlib import Path

import polars as pl

from adjudge.errors import AdjudgeError, DataError, closest, named
from adjudge.readers.formats import format_named, names
from adjudge.readers.io.decompress import FETCH_AGAIN, begins, check_width
from adjudge.readers.io.delimited import DELIMITED, first_fault
from adjudge.readers.io.json_documents import (
    Objects,
    as_objects,
    kind,
    line_batches,
    objects_of,
    plain_text,
    read_document,
    read_objects,
    text_frame,
)
from adjudge.readers.io.json_lines import check_lines
from adjudge.readers.io.source import MARK, Format, Source, Start
from adjudge.readers.problems import Findings

ROW = "__row__"
"""Name of the column with a row's number in its file, counted from 1 after the header."""

BESIDE = "__beside__"
"""What stands before the names of a file's columns that Adjudge has no name for."""

_BROKEN = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)
_LINES_SEEN = 1000
_BATCH = 50_000
"""JSON lines that are held as Python objects at a time."""
_PARQUET = b"PAR1"
_COLUMNS_LOOKED_AT = 60


def scan(source: Source, *, wanted: Sequence[str] = (), rows: bool = False) -> pl.LazyFrame:
    """The table behind a source, under the file's own column names; text files as text, untouched.

    wanted: columns to look for in every record of JSON, where records may differ.
    rows: add the column ROW. Blank lines of CSV are no rows, but count in ROW.
    Raises DataError where the file is not of that format.
    """
    if source.table is not None:
        frame = source.table.lazy()
    elif source.format in names(None):
        frame = format_named(None, source.format).read(source, wanted)
    else:
        raise DataError(f"{source.name}: expected a flat table; got {source.format}")
    if rows:
        frame = frame.with_row_index(ROW, offset=1)
    if source.format in DELIMITED:
        frame = frame.filter(_not_blank(schema_of(source, frame).names(), wanted))
    return frame


def _not_blank(names: Sequence[str], wanted: Sequence[str]) -> pl.Expr:
    """Whether a row of a table holds anything; of very wide tables only some columns are looked at."""
    order = sorted((name for name in names if name != ROW), key=lambda name: name not in wanted)
    return pl.any_horizontal(pl.col(order[:_COLUMNS_LOOKED_AT]).is_not_null())


@contextmanager
def damage_of(source: Source) -> Iterator[None]:
    """What polars says of a broken file, in the block, becomes a DataError."""
    try:
        yield
    except _BROKEN as error:
        raise _data_error(source, error) from None


def collect(source: Source, frame: pl.LazyFrame) -> pl.DataFrame:
    """Run a query over a source. Raises DataError where its file is broken."""
    with damage_of(source):
        return frame.collect(engine="streaming")


def schema_of(source: Source, frame: pl.LazyFrame) -> pl.Schema:
    """The columns of a table and their types. Raises DataError where its file is broken, or they are too many."""
    with damage_of(source):
        schema = frame.collect_schema()
    check_width(source.name, len(schema))
    return schema


@contextmanager
def damage_named(sources: Iterable[Source]) -> Iterator[None]:
    """For queries that run long after their files were opened: what they say of a damaged file becomes a DataError.

    Where a query in the block fails, the Parquet files, which alone are read late, are read once more, to their ends.
    If that succeeds, the fault is not theirs, and the error stays what it is.
    """
    try:
        yield
    except AdjudgeError:
        raise
    except _BROKEN:
        for source in sources:
            if source.path is not None and begins(source.path).startswith(_PARQUET):
                with damage_of(replace(source, format="parquet")):
                    deque(batches(pl.scan_parquet(source.path, glob=False)), maxlen=0)
        raise


def batches(frame: pl.LazyFrame, size: int | None = None) -> Iterator[pl.DataFrame]:
    """A query's rows, so many at a time, in their order.

    Raises ComputeError, which `damage_named` explains, where fewer rows came than there are: polars ends early, without
    a word, where a file is damaged in a way that its reader did not expect.
    """
    expected, found = frame.select(pl.len()).collect().item(), 0
    for batch in frame.collect_batches(chunk_size=size, maintain_order=True):
        found += batch.height
        yield batch
    if found != expected:
        raise pl.exceptions.ComputeError(f"{found:,} of {expected:,} rows can be read")


def height_of(frame: pl.LazyFrame) -> int:
    """How many rows a query gives; it holds none of them."""
    return int(frame.select(pl.len()).collect(engine="streaming").item())


def select_text(
    source: Source,
    frame: pl.LazyFrame,
    columns: Mapping[str, str],
    *,
    optional: Sequence[str] = (),
    beside: bool = False,
) -> pl.LazyFrame:
    """Chosen columns of a table as text, under Adjudge's names; empty text is missing.

    columns: Adjudge's name -> the file's. optional: Adjudge's names that the file may lack.
    beside: keep ROW and the file's other text columns too, the latter with BESIDE before their names.
    Whole numbers stored as decimals (1.0) read as 1, since tables with gaps store them so.
    Raises DataError for a column that is missing (with the nearest) or holds lists or the like.
    """
    schema = schema_of(source, frame)
    known = schema.names()
    if lacking := [name for name, theirs in columns.items() if theirs not in known and name not in optional]:
        raise missing_columns(source.name, {name: columns[name] for name in lacking}, known)
    held = {name: theirs for name, theirs in columns.items() if theirs in schema}
    if odd := [name for name in held.values() if not is_flat(schema[name])]:
        raise DataError(not_text(source.name, name, schema[name]) for name in odd)
    chosen = [as_text(pl.col(theirs), schema[theirs]).alias(name) for name, theirs in held.items()]
    if beside:
        others = [name for name, dtype in schema.items() if dtype == pl.String and name not in columns.values()]
        chosen += [pl.col(name).alias(BESIDE + name) for name in others] + [pl.col(ROW)]
    return frame.select(chosen)


def missing_columns(place: str, lacking: Mapping[str, str], found: Iterable[str]) -> DataError:
    """The error of a file that lacks columns. lacking: Adjudge's name -> what it should be called there."""
    shown = [one for one in found if one != ROW]
    pairs = ",".join(f"{name}={closest(theirs, shown) or 'COLUMN'}" for name, theirs in lacking.items())
    error = DataError(
        f"{place}: missing column{'s' * (len(lacking) > 1)} {', '.join(lacking.values())}",
        found=f"{', '.join(shown) or 'none':.300}",
        fix=f"{named('columns')} {pairs}",
    )
    error.columns = tuple(lacking)
    return error


def read_texts(
    source: Source, columns: Mapping[str, str], optional: Sequence[str] = (), *, fill: bool = True
) -> pl.DataFrame:
    """Chosen columns of a flat table as text, with ROW; see `select_text`. fill: absent optional ones are null.

    Raises DataError for a table without rows, too.
    """
    frame = scan(source, wanted=list(columns.values()), rows=True)
    table = collect(source, select_text(source, frame, {ROW: ROW, **columns}, optional=optional))
    if table.is_empty():
        raise DataError(f"{source.name}: expected at least one row; got none")
    lacking = [name for name in optional if fill and name not in table.columns]
    return table.with_columns(pl.lit(None, pl.String).alias(name) for name in lacking)


def is_flat(dtype: pl.DataType) -> bool:
    """Whether a column of that type holds neither lists nor objects nor bytes."""
    return not (dtype.is_nested() or dtype in (pl.Binary, pl.Object))


def not_text(place: str, column: str, dtype: pl.DataType) -> str:
    """What is wrong with a column that is not flat where text belongs."""
    return f"{place}, column {column}: expected text, numbers or true/false; got {dtype}"


def as_text(value: pl.Expr, dtype: pl.DataType) -> pl.Expr:
    """A flat column as text. Whole numbers stored as decimals (1.0) read as 1, since tables with gaps store them so."""
    if dtype == pl.String:
        return pl.when(value != "").then(value)
    if dtype.is_float():
        return pl.when(value.is_not_nan()).then(value.cast(pl.String).str.strip_suffix(".0"))
    if dtype == pl.Duration:
        return value.dt.to_string("iso")
    return value.cast(pl.String)


def _parquet(source: Source, _: Sequence[str]) -> pl.LazyFrame:
    return pl.scan_parquet(source.file, glob=False)


def _lines(source: Source, wanted: Sequence[str]) -> pl.LazyFrame:
    """JSON lines. Columns are the names in the first lines, and those wanted that come up further down."""
    path = source.file
    names = dict.fromkeys(chain.from_iterable(read_objects(source, most=_LINES_SEEN).plain()))
    check_width(source.name, len(names))
    check_lines(source)
    late = _occurring(path, [name for name in wanted if name not in names])
    content = io.BytesIO(path.read_bytes()[len(MARK) :]) if begins(path).startswith(MARK) else path
    if late:
        found = collect(source, pl.scan_ndjson(content, schema=dict.fromkeys(late, pl.String)).select(pl.all().count()))
        names |= dict.fromkeys(name for name in late if found[name].item())
    return pl.scan_ndjson(content, schema=dict.fromkeys(names, pl.String))


def _occurring(path: Path, names: Sequence[str]) -> list[str]:
    """Those names that may be keys somewhere in a file of JSON."""

    def spellings(name: str) -> set[bytes]:
        return {json.dumps(name).encode(), json.dumps(name, ensure_ascii=False).encode(errors="replace")}

    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        return [name for name in names if any(content.find(one) >= 0 for one in spellings(name))]


def _records(source: Source, wanted: Sequence[str]) -> pl.LazyFrame:
    return records_frame(read_document(source), source, wanted).lazy()


def records_frame(document: object, source: Source, wanted: Sequence[str]) -> pl.DataFrame:
    """An array of flat JSON objects as columns of text. Nested values are an error where wanted, else missing."""
    if not isinstance(document, list) or not document:
        raise DataError(f"{source.name}: expected a list of records; got {kind(document)}")
    objects = as_objects(source, document)
    records = objects.plain()
    findings = Findings()
    for place, record in objects.places():
        for name in wanted:
            if isinstance(record.get(name), list | dict):
                findings.add(f"{place}, {name}: expected text, a number or true/false; got {kind(record[name])}")
    findings.settle()
    names = dict.fromkeys(chain.from_iterable(records))
    check_width(source.name, len(names))
    return text_frame({name: [plain_text(record.get(name)) for record in records] for name in names}, source.name)


def plain_batches(source: Source) -> Iterator[Objects]:
    """The records of a flat table; of JSON lines so many at a time that memory stays bounded."""
    if source.format == "jsonl":
        yield from line_batches(source, _BATCH)
    elif source.format == "json":
        yield read_objects(source)
    else:
        table = collect(source, scan(source, rows=True))
        yield objects_of(table, source.name, table.drop_in_place(ROW).to_list())


def _data_error(source: Source, error: BaseException) -> DataError:
    """What is wrong with a file that polars could not read: where in text the fault is, else what polars says."""
    if source.format == "jsonl":
        for lines in line_batches(source, _LINES_SEEN):
            lines.plain()
    if source.format in DELIMITED:
        if "utf-8" in str(error).lower():
            source.text()
        if fault := first_fault(source):
            return fault
    said = str(error).strip().split("\n")[0].removeprefix("parquet: ")
    fix = FETCH_AGAIN if source.format == "parquet" else ""
    return DataError(f"{source.name}: cannot be read as {source.format}: {said:.300}", fix=fix)


def _is_lines(start: Start) -> bool:
    """JSON lines begin with an object on a line of its own. One alone may be either kind; then the ending decides."""
    line, _, rest = start.content.partition(b"\n")
    several = False
    if rest.strip():
        with suppress(ValueError, RecursionError):
            several = isinstance(json.loads(line), dict)
    return line.startswith(b"{") and (several or start.ending in {".jsonl", ".ndjson"})


def _is_json(start: Start) -> bool:
    return start.content.startswith((b"[", b"{"))


FORMAT = (
    Format("parquet", None, _parquet, lambda start: start.content.startswith(_PARQUET), 2, (".parquet",), "Parquet."),
    Format("jsonl", None, _lines, _is_lines, 2, (".jsonl", ".ndjson"), "JSON lines: an object a line."),
    Format("json", None, _records, _is_json, 1, (".json",), "JSON: a list of flat objects."),
)
