"""A table with a row per span: id, start and end or context, and what else is known; texts without spans too.

A row whose start and end are empty, with no context, or both -1, says that its annotator found nothing in the text.
"""

import polars as pl

from karat.errors import DataError, nearest
from karat.formats.findings import Findings
from karat.formats.marked import FURTHER, LINE, LINE_COLUMNS, NUMBER, SPAN_COLUMNS, Raw
from karat.formats.opened import Opened
from karat.formats.source import Format, Source
from karat.formats.tables import ROW, collect, missing_column, schema_of, select_text
from karat.formats.violations import Options
from karat.schemas.columns import check_there
from karat.schemas.violations import ID, INVENTED

_PART = "id:"


def read_span_table(found: Opened[Options]) -> Raw:
    """The rows of a table. Raises DataError for columns that are missing, OptionError for further ones."""
    source, names = found.source, found.options
    wanted = [names.theirs(name) for name in (*LINE_COLUMNS, *SPAN_COLUMNS)]
    wanted += [*names.theirs(ID).split("+"), *names.further.values()]
    frame = found.rows(wanted)
    columns = [name for name in schema_of(source, frame).names() if name != ROW]
    check_there(source.name, names.asked(), columns)
    parts = {f"{_PART}{number}": part for number, part in enumerate(names.id_parts(columns))}
    own = {name: names.theirs(name) for name in (*LINE_COLUMNS, *SPAN_COLUMNS) if name != ID}
    further = {FURTHER + name: theirs for name, theirs in names.further.items()}
    _check_columns(source, columns, own, [*parts.values()])
    optional = [name for name in own if name not in names.columns]
    rows = collect(source, select_text(source, frame, {ROW: ROW, **parts, **own, **further}, optional=optional))
    lacking = [pl.lit(None, pl.String).alias(name) for name in own if name not in rows.columns]
    rows = rows.with_columns(
        pl.concat_str(list(parts), separator="+").alias(ID), pl.col(ROW).cast(pl.UInt32).alias(NUMBER), *lacking
    )
    spans = rows.with_row_index(LINE).select(LINE, NUMBER, *SPAN_COLUMNS).filter(~_nothing())
    lines = rows.select(NUMBER, *LINE_COLUMNS, *further)
    unit = "record" if source.format == "json" else "row"
    return Raw(source.name, unit, lines, spans, rows.height, Findings(unit), Findings("violation"), whole=False)


def _check_columns(source: Source, found: list[str], own: dict[str, str], parts: list[str]) -> None:
    """Raises DataError where there are neither offsets nor quotes, or no ids."""
    start, end, context = own["start"], own["end"], own["context"]
    listed = ", ".join(found)
    if not (context in found or (start in found and end in found)):
        missing = start if start not in found else end
        beside, named = ("", "") if set(parts) <= set(found) else (f"{', '.join(parts)}, and ", "id=...,")
        raise DataError(
            f"{source.name}: expected columns {beside}{start} and {end}, or {context}{nearest(missing, found)}; got "
            f"{listed:.300}. Say which columns hold them with --columns {named}start=...,end=..."
        )
    for part in parts:
        if part not in found:
            raise DataError(missing_column(source.name, "id", part, found))


def _nothing() -> pl.Expr:
    """Whether a row says that there is no span."""
    start, end, context = (pl.col(name) for name in ("start", "end", "context"))
    empty = start.is_null() & end.is_null() & context.is_null()
    minus = r"^\s*-1(\.0+)?\s*$"
    unplaced = empty | (start.str.contains(minus) & end.str.contains(minus)).fill_null(value=False)
    return unplaced & pl.col(INVENTED).is_null()


def _looks_like(found: Opened[Options]) -> bool:
    """Any table, and JSON whose first objects hold offsets or quotes."""
    places = {found.theirs(name) for name in ("start", "end", "context")}
    return not found.is_json or any(not places.isdisjoint(one) for one in found.first)


FORMAT = Format("spans", "violations", read_span_table, _looks_like, -2)
