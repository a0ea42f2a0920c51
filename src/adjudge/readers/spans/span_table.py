"""A table with a row per span: id, start and end or context, and what else is known; texts without spans too.

A row whose start and end are empty, with no context, or both -1, says that its annotator found nothing in the text.
"""

from collections.abc import Mapping, Sequence

import polars as pl

from adjudge.readers.io.source import Format, Source
from adjudge.readers.problems import Findings
from adjudge.readers.spans.span_records import FURTHER, LINE, LINE_COLUMNS, NUMBER, SPAN_COLUMNS, Found, Options, Raw
from adjudge.readers.tables import ROW, collect, missing_columns, schema_of, select_text
from adjudge.schemas.columns import check_column_exists
from adjudge.schemas.violations import ID, INVENTED

_PART = "id:"
_PLACES = ("start", "end", "context")


def read_span_table(found: Found) -> Raw:
    """The rows of a table. Raises DataError for columns that are missing, OptionError for further ones."""
    source, names = found.source, found.options
    wanted = [names.theirs(name) for name in (*LINE_COLUMNS, *SPAN_COLUMNS)]
    wanted += [*names.theirs(ID).split("+"), *names.further.values()]
    frame = found.rows(wanted)
    columns = [name for name in schema_of(source, frame).names() if name != ROW]
    check_column_exists(source.name, names.further_columns(), columns)
    parts = {f"{_PART}{number}": part for number, part in enumerate(names.id_parts(columns))}
    own = {name: names.theirs(name) for name in (*LINE_COLUMNS, *SPAN_COLUMNS) if name != ID}
    further = {FURTHER + name: theirs for name, theirs in names.further.items()}
    _check_columns(source, columns, own, names)
    optional = [name for name in own if name not in names.columns]
    rows = collect(source, select_text(source, frame, {ROW: ROW, **parts, **own, **further}, optional=optional))
    lacking = [pl.lit(None, pl.String).alias(name) for name in own if name not in rows.columns]
    own_id, number = pl.concat_str(list(parts), separator="+"), pl.col(ROW).cast(pl.UInt32)
    rows = rows.with_columns(own_id.alias(ID), number.alias(NUMBER), *lacking)
    spans = rows.with_row_index(LINE).select(LINE, NUMBER, *SPAN_COLUMNS).filter(~_nothing())
    lines = rows.select(NUMBER, *LINE_COLUMNS, *further)
    unit = "record" if source.format == "json" else "row"
    return Raw(source.name, unit, lines, spans, rows.height, Findings(unit), Findings("violation"), whole=False)


def _check_columns(source: Source, found: Sequence[str], own: Mapping[str, str], names: Options) -> None:
    """Raises DataError with all that is lacking: ids, offsets or quotes, and columns that options name."""
    ids = [part for part in names.id_parts(found) if part not in found]
    lacking = {name: theirs for name, theirs in own.items() if name in names.columns and theirs not in found}
    lacking = {**({"id": ", ".join(ids)} if ids else {}), **lacking}
    start, end, context = (own[name] for name in _PLACES)
    if not (context in found or (start in found and end in found)):
        lacking = {name: theirs for name, theirs in lacking.items() if name not in _PLACES}
        places = {name: own[name] for name in ("start", "end") if own[name] not in found}
        error = missing_columns(source.name, lacking | places, found)
        error.fix += f"; {context} may stand for {start} and {end}"
        raise error
    if lacking:
        raise missing_columns(source.name, lacking, found)


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
