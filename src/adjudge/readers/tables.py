"""Flat tables: delimited text, JSON lines, JSON records, Parquet, and tables from Python."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import lru_cache
from shlex import quote
from typing import Any

import polars as pl

from adjudge.errors import DataError, closest, flag_name
from adjudge.options.shared import Names
from adjudge.readers.formats import format_named, names
from adjudge.readers.io import json_documents as documents
from adjudge.readers.io.decompress import FETCH_AGAIN, begins, check_width
from adjudge.readers.io.delimited import DELIMITED, first_fault
from adjudge.readers.io.json_documents import Objects, json_text, json_value, read_objects
from adjudge.readers.io.source import Format, Source
from adjudge.schemas.preferences import LABEL

ROW = "__row__"
"""Name of the column with a row's number in its file, counted from 1 after the header."""

BESIDE = "__beside__"
"""Prefix of a file's columns without a name in Adjudge."""

_BROKEN = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)
_PARQUET = b"PAR1"


def scan(source: Source, *, rows: bool = False) -> pl.LazyFrame:
    """The table of a source, with the file's own column names; text files as unchanged text.

    rows: add the column ROW. Blank lines of CSV are no rows, but count in ROW.
    Raises DataError if the file does not have that format.
    """
    if source.table is not None:
        frame = source.table.lazy()
    elif source.format in names(None):
        frame = format_named(None, source.format).read(source)
    else:
        raise DataError(f"{source.name}: expected a flat table; got {source.format}")
    if rows:
        frame = frame.with_row_index(ROW, offset=1)
    if source.format in DELIMITED:
        schema_of(source, frame)
        # polars takes minutes to move a filter of thousands of columns into the file
        frame = frame.map_batches(
            lambda table: table.filter(pl.any_horizontal(pl.exclude(ROW).is_not_null())),
            predicate_pushdown=False,
            projection_pushdown=False,
            slice_pushdown=False,
            streamable=True,
        )
    return frame


@contextmanager
def damage_of(source: Source) -> Iterator[None]:
    """Polars's errors about a broken file in the block become a DataError."""
    try:
        yield
    except _BROKEN as error:
        if source.format in DELIMITED:  # the place of the fault in text, else polars's message
            if "utf-8" in str(error).lower():
                source.text()
            if fault := first_fault(source):
                raise fault from None
        message = f"{source.name}: cannot be read as {source.format}: {str(error).strip().splitlines()[0]:.300}"
        raise DataError(message, fix=FETCH_AGAIN if source.format == "parquet" else "") from None


def collect(source: Source, frame: pl.LazyFrame) -> pl.DataFrame:
    """Run a query over a source. Raises DataError if its file is broken."""
    with damage_of(source):
        return frame.collect(engine="streaming")


def schema_of(source: Source, frame: pl.LazyFrame) -> pl.Schema:
    """The columns of a table and their types. Raises DataError for a broken file, or too many columns."""
    with damage_of(source):
        schema = frame.collect_schema()
    check_width(source.name, len(schema))
    return schema


@contextmanager
def damage_named(sources: Iterable[Source]) -> Iterator[None]:
    """For queries that run long after their files were opened: errors about a damaged file become a DataError.

    If a query in the block fails, the Parquet files, the only ones read late, are read again completely. If that
    succeeds, they are not at fault, and the error stays unchanged.
    """
    try:
        yield
    except _BROKEN:
        for source in sources:
            if source.path is not None and begins(source.path).startswith(_PARQUET):
                with damage_of(replace(source, format="parquet")):
                    deque(batches(pl.scan_parquet(source.path, glob=False)), maxlen=0)
        raise


def batches(frame: pl.LazyFrame, size: int | None = None) -> Iterator[pl.DataFrame]:
    """A query's rows in batches, in their order.

    Raises ComputeError, which `damage_named` explains, if rows are missing: polars silently ends early if a file is
    damaged in a way that its reader did not expect.
    """
    expected, count = frame.select(pl.len()).collect().item(), 0
    for batch in frame.collect_batches(chunk_size=size, maintain_order=True):
        count += batch.height
        yield batch
    if count != expected:
        raise pl.exceptions.ComputeError(f"{count:,} of {expected:,} rows can be read")


def height_of(frame: pl.LazyFrame) -> int:
    """The number of rows of a query, without keeping them."""
    return int(frame.select(pl.len()).collect(engine="streaming").item())


def select_text(
    source: Source, frame: pl.LazyFrame, names: Mapping[str, str], *, optional: Sequence[str] = (), beside: bool = False
) -> pl.LazyFrame:
    """Chosen columns of a table as text, under Adjudge's names; empty text is missing.

    names: Adjudge's name -> the file's. optional: Adjudge's names that the file may lack.
    beside: keep ROW and the file's other text columns too, the latter with the prefix BESIDE.
    Whole numbers stored as decimals (1.0) read as 1, since tables with gaps store them so.
    Raises DataError for a missing column (with the nearest), and for one with lists or the like.
    """
    schema = schema_of(source, frame)
    if lacking := [name for name, theirs in names.items() if theirs not in schema and name not in optional]:
        raise missing_columns(source.name, {name: names[name] for name in lacking}, schema, names)
    present = {name: theirs for name, theirs in names.items() if theirs in schema}
    if odd := [name for name in present.values() if not is_flat(schema[name])]:
        raise DataError(not_text(source.name, name, schema[name]) for name in odd)
    chosen = [as_text(pl.col(theirs), schema[theirs]).alias(name) for name, theirs in present.items()]
    if beside:
        others = [name for name, dtype in schema.items() if dtype == pl.String and name not in names.values()]
        chosen += [pl.col(name).replace("", None).alias(BESIDE + name) for name in others] + [pl.col(ROW)]
    return frame.select(chosen)


def missing_columns(place: str, lacking: Names, found: Iterable[str], given: Names) -> DataError:
    """The error of a file that lacks columns, with all renamed ones in its fix.

    lacking: Adjudge's name -> the expected name there. given: the same of columns that it has.
    """
    shown = [one for one in found if one != ROW]
    has = {name: theirs for name, theirs in given.items() if name != theirs in shown and theirs[:2] != "__"}
    free = [one for one in shown if one not in has.values()]
    near = {name: closest(theirs, free) or "COLUMN" for name, theirs in lacking.items()}
    criteria = [one.removesuffix(LABEL) for one in near.values() if one.endswith(LABEL)]
    pairs = ",".join(f"{name}={one}".replace(",", "\\,") for name, one in {**has, **near}.items())
    problem = f"{place}: missing column{'s' * (len(lacking) > 1)} {', '.join(lacking.values())}"
    fix = f"{flag_name('criteria')} {','.join(criteria)}" if criteria else f"{flag_name('columns')} {quote(pairs)}"
    error = DataError(problem, found=f"{', '.join(shown) or 'none':.300}", fix=fix)
    error.columns = near
    return error


def read_texts(source: Source, columns: Mapping[str, str], optional: Sequence[str] = ()) -> pl.DataFrame:
    """Chosen columns of a flat table as text, with ROW; see `select_text`. Absent optional ones are null.

    Also raises DataError for a table without rows.
    """
    table = collect(source, select_text(source, scan(source, rows=True), {ROW: ROW, **columns}, optional=optional))
    if table.is_empty():
        raise DataError(f"{source.name}: no rows found")
    return table.with_columns(pl.lit(None, pl.String).alias(name) for name in optional if name not in table.columns)


def is_flat(dtype: pl.DataType) -> bool:
    """Whether a column of that type holds texts, numbers, truth values or dates."""
    return not (dtype.is_nested() or dtype in (pl.Binary, pl.Object, pl.Duration))


def not_text(place: str, column: str, dtype: pl.DataType) -> str:
    """The error about a nested column instead of text."""
    return f"{place}, column {column}: expected text, numbers or true/false; got {dtype}"


def as_text(value: pl.Expr, dtype: pl.DataType) -> pl.Expr:
    """A flat column, or one of lists, as text. Whole numbers stored as decimals (1.0) are 1, as tables with gaps do."""
    if dtype == pl.String:
        return pl.when(value != "").then(value)
    if dtype.is_float():
        return pl.when(value.is_not_nan()).then(value.cast(pl.String).str.strip_suffix(".0"))
    if dtype == pl.List:
        return value.map_elements(lambda cell: json_text(documents.as_json(cell.to_list())), pl.String)
    return value.cast(pl.String)


def _parquet(source: Source) -> pl.LazyFrame:
    return with_class_names(pl.scan_parquet(source.file, glob=False), features_of(source))


def features_of(source: Source) -> dict[str, Any]:
    """The types of columns that Hugging Face writes into Parquet; empty for that of other programs."""
    with suppress(KeyError, TypeError), damage_of(source):
        return json_value(pl.read_parquet_metadata(source.file)["huggingface"])["info"]["features"] or {}
    return {}


def with_class_names(frame: pl.LazyFrame, features: Mapping[str, Any]) -> pl.LazyFrame:
    """A table of Hugging Face with the names of classes instead of their numbers; -1 is no label.

    features: the types of columns, as JSON.
    """
    columns = list[pl.Expr]()
    for name, feature in features.items():
        alone = "names" in feature
        if classes := (feature if alone else feature.get("feature", feature)).get("names"):
            meanings = {"-1": None, **{str(number): one for number, one in enumerate(classes)}}
            value = (pl.col(name) if alone else pl.element()).cast(pl.String).replace(meanings)
            columns.append(value if alone else pl.col(name).list.eval(value))
    return frame.with_columns(columns)


def _records(source: Source) -> pl.LazyFrame:
    """Objects of JSON as columns of text; lists in them as JSON. Columns with objects are empty structs."""
    objects = read_objects(source)
    if objects.alone:
        pairs = document.items() if isinstance(document := objects.document, dict) else ()
        lists = [key for key, value in pairs if isinstance(value, list) and {*map(type, value)} == {dict}]
        fix = f"{flag_name('jq')} '.{json_text(lists[0])}[]'" if lists else documents.BY_PROGRAM
        raise DataError(f"{source.name}: expected a list of records; got {documents.kind(document)}", fix=fix)
    return _texts_of(objects).lazy()


@lru_cache(1)
def _texts_of(objects: Objects) -> pl.DataFrame:
    """The keys of objects as columns of text, or of empty structs if a value is an object.

    It is cached for the records of a file, which some evaluations use several times.
    """
    tables, nested, every = list[pl.DataFrame](), set[str](), dict[str, None]()
    for batch in objects.batches():
        records = batch.checked_values()
        names = documents.keys_of(records)
        every |= names
        check_width(objects.name, len(every))
        columns = {name: [record.get(name) for record in records] for name in names}
        nested |= {name for name, values in columns.items() if dict in map(type, values)}
        columns |= dict.fromkeys(nested, [None] * len(records))
        tables.append(documents.text_frame(columns, objects.name, documents.cell_text))
    return pl.concat(tables, how="diagonal").with_columns(pl.lit(None, pl.Struct({})).alias(name) for name in nested)


def objects_in_rows(source: Source, most: int | None = None) -> Objects:
    """The values of JSON, decoded on access, or the rows of a table as in JSON.

    most: maximum rows of a table; by default all.
    """
    if source.format in ("json", "jsonl"):
        return read_objects(source)
    table = collect(source, scan(source, rows=True).select(pl.exclude(pl.Object)).slice(0, most))
    return documents.objects_of(table, source.name, table.drop_in_place(ROW).to_list())


_LIST = "JSON: a list of flat objects."
FORMAT = (
    Format("parquet", None, _parquet, lambda start: start.content.startswith(_PARQUET), 2, (".parquet",), "Parquet."),
    Format("jsonl", None, _records, documents.is_lines, 2, (".jsonl", ".ndjson"), "JSON lines: an object a line."),
    Format("json", None, _records, lambda start: start.content[:1] in (b"[", b"{"), 1, (".json",), _LIST),
)
