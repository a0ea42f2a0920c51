"""Violations as Adjudge's own lines: one for each text and each who looked at it, with what they marked."""

from dataclasses import replace

import polars as pl

from adjudge.errors import DataError
from adjudge.readers.io.source import Source
from adjudge.readers.spans.span_lines import every_line
from adjudge.readers.spans.span_offsets import check_spans
from adjudge.readers.spans.span_records import FURTHER, LINE
from adjudge.readers.spans.violations import KNOWN_COLUMNS, VIOLATIONS, Options, read_raw
from adjudge.schemas.columns import constant_columns, mapped_columns
from adjudge.schemas.outcomes import OUTCOME, UNANSWERED
from adjudge.schemas.violations import ID, INVENTED, SEVERITY, TEXT, TEXT_PARTS
from adjudge.writers.options import ConvertOptions
from adjudge.writers.tables import Writable, further_columns, writable

_KEYS = (ID, "annotator", "checker")
_PARTS = ("start", "end", *TEXT_PARTS, INVENTED, SEVERITY)
_FIRST = "__first__"
_TABLES = (VIOLATIONS, "spans")
"""Formats that may hold further columns."""


def violations_to_write(source: Source, options: ConvertOptions) -> Writable:
    """The violations of a file. Offsets count from 0, and stand in the place of quotes.

    Raises DataError with all that is wrong with it.
    """
    drop = options.on_invalid == "drop"
    columns = mapped_columns(options.columns, KNOWN_COLUMNS, constants=constant_columns(options))
    how = Options(columns, offset_base=options.offset_base, drop=drop, predictions=True)
    raw = read_raw(source, how)
    frame, lines, texts = every_line(raw)
    predicted = raw.lines["checker"].count() + raw.spans[INVENTED].count() > 0
    spans, warnings = check_spans(raw, lines, texts, replace(how, predictions=predicted))
    dropped = raw.settle(drop=drop)
    written = _lines(frame, spans, texts)
    if not written[ID].count():
        raise DataError(f"{source.name}: no text is left after dropping")
    said = [name for name in written.columns if name == VIOLATIONS or written[name].count()]
    _, left = further_columns(source, how, "violations", (*KNOWN_COLUMNS, OUTCOME), _TABLES)
    told = (*raw.warnings, *dropped, *warnings, *left)
    return writable(written.height, written.lazy().select(said), told, always=(VIOLATIONS,))


def _lines(frame: pl.DataFrame, spans: pl.DataFrame, texts: pl.DataFrame) -> pl.DataFrame:
    """A line for each text and each who looked at it, also where the file has a row per violation."""
    told = pl.col(FURTHER + OUTCOME) if FURTHER + OUTCOME in frame.columns else pl.lit(None, pl.String)
    rows = frame.select(LINE, *_KEYS, told.alias(OUTCOME)).with_columns(pl.col(LINE).first().over(_KEYS).alias(_FIRST))
    marks = spans.join(rows.select(LINE, _FIRST), on=LINE, how="left", maintain_order="left")
    marked = marks.group_by(_FIRST, maintain_order=True).agg(pl.struct(_PARTS).alias(VIOLATIONS))
    lines = rows.filter(pl.col(LINE) == pl.col(_FIRST)).join(marked, on=_FIRST, how="left", maintain_order="left")
    lines = lines.join(texts.select(ID, TEXT), on=ID, how="left", maintain_order="left")
    found = pl.col(VIOLATIONS).fill_null(pl.lit([], marked.schema[VIOLATIONS]))
    answered = pl.col(OUTCOME).is_in(UNANSWERED).fill_null(value=False).not_()
    return lines.select(ID, TEXT, "annotator", "checker", OUTCOME, pl.when(answered).then(found))
