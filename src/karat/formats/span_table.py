"""A table with a row per span: id, start and end or context, and what else is known; texts without spans too.

A row whose start and end are empty, with no context, or both -1, says that its annotator found nothing in the text.
"""

import polars as pl

from karat.errors import DataError, nearest
from karat.formats.marked import (
    FURTHER,
    LINE,
    LINE_COLUMNS,
    NTH,
    NUMBER,
    SPAN_COLUMNS,
    Names,
    Problems,
    Raw,
)
from karat.formats.source import Source
from karat.formats.tables import ROW, collect, records_frame, scan, schema_of, select_text
from karat.schemas.violations import ID

_PART = "id:"


def read_span_table(source: Source, names: Names) -> Raw:
    """The rows of a table. Raises DataError for columns that are missing, OptionError for further ones."""
    return _read(source, scan(source, wanted=_wanted(names), rows=True), names, "row")


def read_span_records(source: Source, document: object, names: Names) -> Raw:
    """The same from a JSON array of flat objects."""
    frame = records_frame(document, source, _wanted(names)).lazy()
    return _read(source, frame.with_row_index(ROW, offset=1), names, "record")


def _wanted(names: Names) -> list[str]:
    """All columns that may be looked for."""
    own = [names.theirs(name) for name in (*LINE_COLUMNS, *SPAN_COLUMNS)]
    return [*own, *names.theirs(ID).split("+"), *names.further.values()]


def _read(source: Source, frame: pl.LazyFrame, names: Names, unit: str) -> Raw:
    found = [name for name in schema_of(source, frame).names() if name != ROW]
    names.check_further(source.name, found)
    parts = {f"{_PART}{number}": part for number, part in enumerate(names.id_parts(found))}
    own = {name: names.theirs(name) for name in (*LINE_COLUMNS, *SPAN_COLUMNS) if name != ID}
    further = {FURTHER + name: theirs for name, theirs in names.further.items()}
    _check_columns(source, found, own, [*parts.values()])
    _check_id(source, found, [*parts.values()])
    optional = [name for name in own if name not in names.columns]
    chosen = select_text(source, frame, {ROW: ROW, **parts, **own, **further}, optional=optional)
    rows = collect(source, chosen)
    lacking = [pl.lit(None, pl.String).alias(name) for name in own if name not in rows.columns]
    rows = rows.with_columns(
        pl.concat_str(list(parts), separator="+").alias(ID), pl.col(ROW).cast(pl.UInt32).alias(NUMBER), *lacking
    )
    spans = rows.select(
        pl.int_range(pl.len(), dtype=pl.UInt32).alias(LINE),
        NUMBER,
        pl.lit(None, pl.UInt32).alias(NTH),
        *SPAN_COLUMNS,
    ).filter(~_nothing())
    lines = rows.select(NUMBER, *LINE_COLUMNS, *further)
    return Raw(source.name, unit, lines, spans, rows.height, Problems(), whole=False)


def _check_columns(source: Source, found: list[str], own: dict[str, str], parts: list[str]) -> None:
    """Raises DataError where there are neither offsets nor quotes, or no ids."""
    start, end, context = own["start"], own["end"], own["context"]
    if context in found or (start in found and end in found):
        return
    missing = start if start not in found else end
    listed = ", ".join(found)
    beside, named = ("", "") if set(parts) <= set(found) else (f"{', '.join(parts)}, and ", "id=...,")
    raise DataError(
        f"{source.name}: expected columns {beside}{start} and {end}, or {context}{nearest(missing, found)}; got "
        f"{listed:.300}. Say which columns hold them with --columns {named}start=...,end=..."
    )


def _check_id(source: Source, found: list[str], parts: list[str]) -> None:
    """Raises DataError where a column that makes up the id is missing."""
    for part in parts:
        if part not in found:
            listed = ", ".join(found)
            raise DataError(
                f"{source.name}: expected a column {part}{nearest(part, found)}; got {listed:.300}. Say which column "
                "holds the id with --columns id=..."
            )


def _nothing() -> pl.Expr:
    """Whether a row says that there is no span."""
    start, end, context = (pl.col(name) for name in ("start", "end", "context"))
    empty = start.is_null() & end.is_null() & context.is_null()
    minus = r"^\s*-1(\.0+)?\s*$"
    return empty | (start.str.contains(minus) & end.str.contains(minus)).fill_null(value=False)
