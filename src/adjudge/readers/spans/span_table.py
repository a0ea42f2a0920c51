"""A table with a row per span: id, start and end or context, and what else is known; texts without spans too.

A row whose start and end are empty, with no context, or both -1, says that its annotator found nothing in the text.
"""

import polars as pl

from adjudge.readers.io.source import Format
from adjudge.readers.problems import Findings
from adjudge.readers.spans.span_records import FURTHER, LINE, LINE_COLUMNS, NUMBER, SPAN_COLUMNS, Found, Raw
from adjudge.readers.tables import ROW, collect, schema_of, select_text
from adjudge.schemas.columns import check_column_exists
from adjudge.schemas.violations import ID, INVENTED

_PLACES = ("start", "end", "context")


def read_span_table(found: Found) -> Raw:
    """The rows of a table. Raises DataError for columns that are missing, OptionError for further ones."""
    source, names = found.source, found.options
    own = {name: names.theirs(name) for name in (*LINE_COLUMNS, *SPAN_COLUMNS) if name != ID}
    further = {FURTHER + name: theirs for name, theirs in names.further.items()}
    frame = found.rows([*own.values(), *further.values(), names.theirs(ID), *names.theirs(ID).split("+")])
    columns = [name for name in schema_of(source, frame).names() if name != ROW]
    check_column_exists(source.name, names.further_columns(), columns)
    parts = {f"{ID}{nth or ''}": part for nth, part in enumerate(names.id_parts(columns))}
    needed = () if own["context"] in columns else _PLACES[:2]
    optional = [name for name in own if name not in names.columns and name not in needed]
    rows = collect(source, select_text(source, frame, {ROW: ROW, **parts, **own, **further}, optional=optional))
    lacking = [pl.lit(None, pl.String).alias(name) for name in own if name not in rows.columns]
    own_id, number = pl.concat_str(list(parts), separator="+"), pl.col(ROW).cast(pl.UInt32)
    rows = rows.with_columns(own_id.alias(ID), number.alias(NUMBER), *lacking)
    spans = rows.with_row_index(LINE).select(LINE, NUMBER, *SPAN_COLUMNS).filter(~_nothing())
    unit = "record" if source.format == "json" else "row"
    lines = rows.select(NUMBER, *LINE_COLUMNS, *further)
    return Raw(source.name, unit, lines, spans, rows.height, Findings(unit), Findings("violation"), whole=False)


def _nothing() -> pl.Expr:
    """Whether a row says that there is no span."""
    start, end, context = map(pl.col, _PLACES)
    empty = start.is_null() & end.is_null() & context.is_null()
    minus = r"^\s*-1(\.0+)?\s*$"
    unplaced = empty | (start.str.contains(minus) & end.str.contains(minus)).fill_null(value=False)
    return unplaced & pl.col(INVENTED).is_null()


def _looks_like(found: Found) -> bool:
    """Any table, and JSON whose first objects hold offsets or quotes."""
    places = {found.theirs(name) for name in _PLACES}
    return not found.is_json or any(not places.isdisjoint(one) for one in found.first)


FORMAT = Format("spans", "violations", read_span_table, _looks_like, -2)
