"""Violations as in files, and checks of their offsets and quotes: shared by all their readers.

A module per tool defines the content of its records, or its files, as a `SpanTool`: a `Line` for each text and
annotator. This module handles the names of columns, the annotators that count, and the units of offsets.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, count, groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from msgspec import Struct

from adjudge.errors import DataError, OptionError, flag_name
from adjudge.readers.io import json_documents as documents
from adjudge.readers.io.source import Format, How
from adjudge.readers.labels.annotation_export import Skipped, left_out
from adjudge.readers.parsed_input import Opened
from adjudge.readers.problems import SUCH_AS, Findings
from adjudge.schemas.columns import check_column_exists
from adjudge.schemas.violations import ID, INVENTED, PLACE, SEVERITY, TEXT, TEXT_PARTS
from adjudge.text.quote_search import locate, nearly

__all__ = ["ID", "TEXT", "Format", "Skipped"]
"""Names of other modules that the module of a tool needs too."""

LINE = "line"
"""Column of a table of spans: the row of its line in the table of lines, from 0."""

NUMBER = "number"
"""Column of both tables: number of the line, row, record or task in the file, for messages."""

_NTH = "nth"
"""Column of a table of spans: number of the violation in its line, from 1."""

FURTHER = "further:"
"""Prefix of Adjudge's names of further columns."""

_AT, _WRONG, _SIZE, _PREDICTED, _HAS_ID = "__at__", "__wrong__", "__size__", "__predicted__", "__has_id__"
_LINE_SCHEMA = {NUMBER: pl.UInt32, _SIZE: pl.UInt32, _PREDICTED: pl.Boolean, _HAS_ID: pl.Boolean}

LINE_COLUMNS = (ID, TEXT, "annotator", "checker")
SPAN_COLUMNS = ("start", "end", "context", "position", *TEXT_PARTS, INVENTED, SEVERITY)
LABELLED = {"start": "start", "end": "end", "rule": "label"}
"""Most tools' names of parts of violations."""

VIOLATIONS = "violations"
"""The key of a line's violations."""

KNOWN_COLUMNS = (ID, TEXT, *SPAN_COLUMNS, "annotator", "checker", VIOLATIONS)
"""The columns, or keys of JSON, that may be mapped; for Label Studio and Prodigy, only those of lines."""

MAPPED = (ID, TEXT, "annotator")
"""The columns that may be mapped in a format that defines the place of violations itself."""

Holder = dict[str, Any]
"""A JSON object with the file's own names."""


class Line(Struct, frozen=True, gc=False):
    """The marks in a text by one annotator, by a model, or by an unknown annotator.

    holder: id, text, annotator, checker and all that options may name, under the file's names. marks: the violations,
    each a JSON object. predicted: whether a model marks them.
    """

    holder: Mapping[str, Any]
    marks: Sequence[Any]
    predicted: bool = False


@dataclass(frozen=True, slots=True)
class SpanReading(How):
    """How to read violations; the arguments of `adjudge.violations` that concern the reading.

    further: columns of the truth to keep, in the form of columns. offset_base: first offset, 0 or 1; ends are exclusive
    either way, and offsets of tokens (M2) always count from 0. annotators: read only their marks. predictions: whether
    the file holds checkers' marks, not the truth.
    """

    further: Mapping[str, str] = field(default_factory=dict)
    offset_base: int = 0
    annotators: Sequence[str] = ()
    predictions: bool = False

    def check(self, name: str, columns: Collection[str], allowed: Sequence[str]) -> None:
        """Raises OptionError for a column that options name and the file `name` lacks.

        columns: of the file, or keys of its violations. allowed: the columns to look for.
        """
        requested = [(f"columns.{own}", self.columns[own]) for own in allowed if own in self.columns]
        requested += [("cluster" if own == "cluster" else "by", theirs) for own, theirs in self.further.items()]
        if requested and columns:
            check_column_exists(name, requested, columns)


Found = Opened[SpanReading]


Held = Line | Skipped
"""Parts of a tool's records, or files."""


@dataclass(frozen=True, slots=True)
class SpanTool:
    """A tool whose records, or files, hold marked texts.

    lines: of a record; raises DataError with a message that follows the record's place. parts: Adjudge's parts of
    violations -> the tool's, by default the same. mapped: the columns that options may map. utf16: whether offsets
    count UTF-16 units, as in JavaScript, unless a quote contradicts. whole: whether a line holds all marks in a text,
    so that a second is invalid. based: whether offsets may count from 1.
    """

    lines: Callable[[Any], Iterable[Held]]
    parts: Mapping[str, str] = field(default_factory=lambda: {part: part for part in SPAN_COLUMNS})
    mapped: Sequence[str] = MAPPED
    utf16: bool = False
    whole: bool = True
    based: bool = True


@dataclass(frozen=True, slots=True)
class Raw:
    """A file's lines and spans.

    name: of the file. tool: that read them. lines: LINE, NUMBER, LINE_COLUMNS and further columns. spans: LINE, NUMBER,
    _NTH and SPAN_COLUMNS; all but the first three are text. rows: read from the file. bad_lines, bad_spans: problems of
    whole lines, and of single violations. voters: annotators that options may choose, if lines do not separate them
    all.
    """

    name: str
    tool: SpanTool
    lines: pl.DataFrame
    spans: pl.DataFrame
    rows: int
    bad_lines: Findings
    bad_spans: Findings
    warnings: tuple[str, ...] = ()
    voters: tuple[str, ...] = ()

    @property
    def unit(self) -> str:
        """The unit of NUMBER."""
        return self.bad_lines.unit

    def place(self, row: Mapping[str, Any]) -> str:
        """The place of a violation in messages."""
        return f"{self.name}, {self.unit} {row[NUMBER]}, violation {row[_NTH]}"

    @property
    def stem(self) -> str:
        """The file's name without folder and ending, for a checker that it does not name."""
        return Path(self.name).stem or self.name

    def warned(self, warnings: Iterable[str]) -> "Raw":
        """A copy with further warnings."""
        return replace(self, warnings=(*self.warnings, *warnings))

    def settle(self, *, drop: bool | None = None) -> list[str]:
        """Raise DataError if there are problems; with `drop`, return warnings that count dropped parts."""
        if not drop:
            self.bad_lines.join(self.bad_spans)
        return [*self.bad_lines.settle(drop=drop), *self.bad_spans.settle(drop=drop)]


def read_lines(opened: Found, tool: SpanTool, objects: documents.Objects) -> Raw:
    """The records of a tool as lines and spans; if none has an id, a record's number is its id.

    Models' predictions count if options name the models as annotators and, in predictions, if no user annotated. Reads
    records in batches, since as objects they need many times their size in the file.
    """
    bad_lines = Findings(objects.unit)
    numbered = documents.read_each(objects, lambda record: list(tool.lines(record)), bad_lines)
    return _raw_of_parts(opened, tool, numbered, bad_lines, len(objects.values))


def raw_of_texts(opened: Found, parts: Iterable[Held]) -> Raw:
    """The parts of a file of text as lines and spans. Their texts have different ids, and are numbered."""
    numbers = defaultdict[Any, int](count(1).__next__)
    numbered = iter([(numbers[one.holder[ID]] if isinstance(one, Line) else 0, [one]) for one in parts])
    raw = _raw_of_parts(opened, SpanTool(iter, mapped=(), based=False), numbered, Findings("text"), len(numbers))
    return replace(raw, voters=())


def _raw_of_parts(
    opened: Found, tool: SpanTool, numbered: Iterator[tuple[int, list[Held]]], bad_lines: Findings, rows: int
) -> Raw:
    """The parts of a file as lines and spans.

    numbered: the parts of each record, with its number. bad_lines: receives their problems. rows: number of records.
    """
    name, names = opened.source.name, opened.options
    if own := sorted(set(names.columns).difference(tool.mapped)):
        may = f"only {', '.join(tool.mapped)}" if tool.mapped else "no column"
        raise OptionError(f"of {name}, {may} may be mapped; got {', '.join(own)}", option="columns")
    columns = {own: names.column_of(own) for own in LINE_COLUMNS}
    columns |= {FURTHER + own: theirs for own, theirs in names.further.items()}
    span_keys = {part: tool.parts.get(part) for part in SPAN_COLUMNS}
    counts, keys = Counter[Skipped](), dict[str, None]()
    line_tables, span_tables = list[pl.DataFrame](), list[pl.DataFrame]()
    for batch in documents.in_batches(numbered, 150 if tool.whole else 500):
        counts.update(one for _, parts in batch for one in parts if type(one) is Skipped)
        every = [(number, one) for number, parts in batch for one in parts if type(one) is Line]
        holders = [line.holder for _, line in every]
        keys |= documents.keys_of(holders if names.columns or names.further else ())
        about = {NUMBER: [number for number, _ in every], _SIZE: [len(line.marks) for _, line in every]}
        about |= {_PREDICTED: [line.predicted for _, line in every], _HAS_ID: [ID in holder for holder in holders]}
        line_tables.append(pl.DataFrame([*pl.DataFrame(about, _LINE_SCHEMA), *_texts(name, holders, columns)]))
        span_tables.append(_texts(name, [mark for _, line in every for mark in line.marks], span_keys))
    names.check(name, keys, (*LINE_COLUMNS, VIOLATIONS))
    lines, spans = _concatenated(line_tables, columns), _concatenated(span_tables, span_keys)
    owners, predicted = lines["annotator"], lines[_PREDICTED]
    people = set(owners.filter(~predicted))
    by_name = bool(people or names.annotators or not names.predictions)
    excluded = predicted & ~owners.is_in([*{*names.annotators} - people]).fill_null(value=False) & by_name
    reason = "predictions are excluded unless their model is named"
    counts.update(Skipped(reason, owner or "unnamed") for owner in owners.filter(excluded))
    if names.column_of(ID) == ID and not lines.filter(~excluded)[_HAS_ID].any():
        lines = lines.with_columns(pl.col(NUMBER).cast(pl.String).alias(ID))
    raw = _raw_of_tables(Raw(name, tool, lines, spans, rows, bad_lines, Findings("violation")), excluded)
    if tool.utf16:
        raw = replace(raw, spans=_at_code_points(raw, names.offset_base, counts))
    return replace(raw, voters=tuple(owners.drop_nulls().unique(maintain_order=True))).warned(left_out(+counts))


# --- tables ---


def _texts(name: str, values: Sequence[Any], keys: Mapping[str, str | None]) -> pl.DataFrame:
    """Keys of JSON objects as columns of text, and in _WRONG a value's problem.

    keys: name of the column -> key; a column without a key is all missing. A key without text is a problem, and so is a
    value that is no object.
    """
    wrong = {at: f": {documents.not_plain(value)}" for at, value in enumerate(values) if type(value) is not dict}
    plain = [{} if at in wrong else value for at, value in enumerate(values)] if wrong else values
    present = documents.keys_of(plain)
    columns = {column: [value.get(key) for value in plain] for column, key in keys.items() if key in present}
    for column, cells in columns.items():
        if not {list, dict}.isdisjoint(map(type, cells)):
            for at, value in enumerate(cells):
                if isinstance(value, list | dict):
                    wrong.setdefault(at, f", {keys[column]}: expected text or a number; got {documents.kind(value)}")
    columns[_WRONG] = [wrong.get(at) for at in range(len(plain))] if wrong else [None] * len(plain)
    return documents.text_frame(columns, name)


def _concatenated(tables: Sequence[pl.DataFrame], columns: Iterable[str]) -> pl.DataFrame:
    """Tables of `_texts` as one with all columns. Empty text is missing, but for TEXT."""
    table = pl.concat(tables, how="diagonal", rechunk=True)
    table = table.with_columns(pl.lit(None, pl.String).alias(one) for one in columns if one not in table.columns)
    return table.with_columns(pl.col(*columns).exclude(TEXT).replace("", None))


def _raw_of_tables(raw: Raw, excluded: pl.Series) -> Raw:
    """A file's tables in the common form of all formats before checks.

    excluded: the lines that do not count. A line with a list instead of text is a problem, and excluded too; so is a
    violation that is no object.
    """
    sizes, numbers = raw.lines[_SIZE].to_numpy().astype(np.int64), raw.lines[NUMBER].to_numpy()
    at = np.repeat(np.arange(len(sizes)), sizes)
    nth = np.arange(1, len(at) + 1) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    lines = raw.lines.filter(~excluded)
    for number, problem in lines.select(NUMBER, _WRONG).drop_nulls().iter_rows():
        raw.bad_lines.add(f"{raw.name}, {raw.unit} {number}{problem}", dropped=1)
    kept = (~excluded & raw.lines[_WRONG].is_null()).to_numpy()
    marked = pl.DataFrame({LINE: (np.cumsum(kept) - 1)[at], NUMBER: numbers[at], _NTH: nth})
    spans = marked.hstack(raw.spans).filter(kept[at]).cast(dict.fromkeys((LINE, NUMBER, _NTH), pl.UInt32))
    for row in spans.drop_nulls(_WRONG).iter_rows(named=True):
        raw.bad_spans.add(f"{raw.place(row)}{row[_WRONG]}", dropped=1)
    lines = lines.filter(pl.col(_WRONG).is_null()).drop(_SIZE, _PREDICTED, _HAS_ID, _WRONG)
    return replace(raw, lines=lines.with_row_index(LINE), spans=spans.filter(pl.col(_WRONG).is_null()).drop(_WRONG))


def only_text(holder: Mapping[str, Any], where: str) -> str:
    """The name of the only text among some fields. Raises DataError if there are several, or none."""
    texts = [name for name, one in holder.items() if type(one) is str]
    if len(texts) == 1:
        return texts[0]
    fix = f"{flag_name('columns')} text={(texts or ['COLUMN'])[0]}"
    raise DataError(f"{where}: expected one text; got {', '.join(texts) or 'none':.100}", fix=fix)


# --- offsets ---

_ASTRAL = "\uffff"


def code_points(text: str) -> dict[int, int]:
    """Offsets in UTF-16 units of a text -> in code points; without those within a character.

    >>> code_points("a\U0001f600b")
    {0: 0, 1: 1, 3: 2, 4: 3}
    """
    units = accumulate((2 if character > _ASTRAL else 1 for character in text), initial=0)
    return {unit: point for point, unit in enumerate(units)}


def _at_code_points(raw: Raw, base: int, counts: Counter[Skipped]) -> pl.DataFrame:
    """Spans with offsets in code points, and with the text's own words for quotes that differ only by white space.

    counts: to which conversions are added.
    """
    texts = raw.lines.select(TEXT, is_wide=pl.col(TEXT).str.len_bytes() > pl.col(TEXT).str.len_chars())
    first, last = (pl.col(name).cast(pl.Int64, strict=False) - base for name in ("start", "end"))
    frame = raw.spans.hstack(texts[raw.spans[LINE]]).with_row_index(_AT)
    differs = pl.col("context") != pl.col(TEXT).str.slice(first, (last - first).clip(0))
    doubtful = frame.filter(first >= 0, last >= 0, pl.coalesce(differs, "is_wide"))
    found = list[tuple[int, str, str, str | None]]()
    for line, marks in groupby(doubtful.select(LINE, _AT, "context", first, last).iter_rows(), itemgetter(0)):
        text: str = raw.lines[TEXT][line]
        points = code_points(text) if max(text, default="") > _ASTRAL else {}
        for _, at, quote, start, end in marks:
            if place := _place_at_code_points(text, points, quote, (start, end)):
                converted = "offsets that count UTF-16 units, as JavaScript does, were converted"
                counts[Skipped(converted)] += place != (start, end)
                found.append((at, *(str(offset + base) for offset in place), quote and text[slice(*place)]))
    schema = {_AT: pl.UInt32, **dict.fromkeys(("start", "end", "context"), pl.String)}
    return frame.update(pl.DataFrame(found, schema, orient="row"), on=_AT).select(raw.spans.columns)


def _place_at_code_points(
    text: str, points: Mapping[int, int], quote: str | None, place: tuple[int, int]
) -> tuple[int, int] | None:
    r"""The start and end of a mark in code points; None if it has none, or needs no conversion.

    points: of `code_points`, empty if they equal UTF-16 units. quote: decides between both units; it may differ from
    the text by white space, or by a literal `\n`.
    """
    start, end = (points.get(offset) for offset in place)
    converted = None if start is None or end is None else (start, end)
    if quote is None:
        return converted
    squeezed = {"".join(one.split()) for one in (quote, quote.replace("\\n", "\n"))} - {""}
    for one in filter(None, (place, converted)):
        if quote == text[slice(*one)] or "".join(text[slice(*one)].split()) in squeezed:
            return one
    return None


# --- places of violations ---

_FROM, _TO, _NEAR = "__from__", "__to__", "__near__"
_NUMBERS = {"start": _FROM, "end": _TO, "position": _NEAR}
_LENGTH, _STANDS, _SAID = "__length__", "__stands__", "__said__"
_HOW, _SEVERAL, _NEARLY, _NOWHERE = "__how__", "several", "nearly", "nowhere"
"""How a quote without offsets was located."""
_SHOWN_TEXT = 60


def check_spans(raw: Raw, lines: pl.DataFrame, texts: pl.DataFrame, how: SpanReading) -> tuple[pl.DataFrame, list[str]]:
    """The valid violations, and warnings: a table with LINE and the columns of SPANS, in the file's order.

    lines: the lines of `raw` that count (LINE), and the row of each one's text in `texts` (PLACE). Predicted violations
    may quote words that are not in the text.
    """
    frame = raw.spans.join(lines.select(LINE, PLACE), on=LINE, how="inner", maintain_order="left")
    base = how.offset_base if raw.tool.based else 0
    frame = _located(frame, texts, base, predictions=how.predictions)
    checks = _checks(base, predictions=how.predictions)
    frame = frame.with_columns(pl.coalesce(pl.when(check).then(message) for check, message in checks).alias(_SAID))
    for row in frame.drop_nulls(_SAID).iter_rows(named=True):
        raw.bad_spans.add(f"{raw.place(row)}, {row[_SAID]}", dropped=1)
    own_words = pl.when(pl.col(_HOW) == _NOWHERE).then("context").otherwise(INVENTED).alias(INVENTED)
    good = frame.filter(pl.col(_SAID).is_null()).with_columns(own_words)
    nearest = "quotes in several places of the text count at the nearest to position, else at the first"
    nearly_there = "quotes in nearly the words of the text count there"
    lacking = "violations that quote words that are not in the text can match nothing"
    warnings = [
        *_such_as(raw, frame.filter(pl.col(_HOW) == _SEVERAL), nearest, "context"),
        *_such_as(raw, good.filter(pl.col(_HOW) == _NEARLY), nearly_there, "context"),
        *_such_as(raw, good.drop_nulls(INVENTED), lacking, INVENTED),
    ]
    return good.select(LINE, PLACE, *TEXT_PARTS, INVENTED, SEVERITY, start=_FROM, end=_TO), warnings


def whole_numbers(texts: pl.Series) -> pl.Series:
    """Text as whole numbers; null for anything else, and for numbers too large to be offsets.

    Outer white space, and zeros after a point, as in tables with gaps, do not matter.
    """
    if texts.str.contains("[^0-9]|[0-9]{16}").any():
        texts = texts.str.strip_chars().str.replace(r"(?s)\.0+$|^[+-]?[0-9]{16}.*", "")
    return texts.cast(pl.Int64, strict=False)


def _located(frame: pl.DataFrame, texts: pl.DataFrame, base: int, *, predictions: bool) -> pl.DataFrame:
    """Spans with the id and the text of each violation, offsets as numbers from 0, and the text there for a quote.

    Locates quotes without offsets; _HOW says how. Matches quotes approximately only in predictions; elsewhere a quote
    that is not in the text is an error.
    """
    known = texts.select(ID, TEXT, pl.col(TEXT).str.len_chars().cast(pl.Int64).alias(_LENGTH))
    offsets = [(whole_numbers(frame[name]) - base).alias(number) for name, number in _NUMBERS.items()]
    nothing = pl.lit(None, pl.String).alias(_HOW)
    frame = frame.hstack(known[frame[PLACE]]).with_columns(*offsets, nothing).with_row_index(_AT)
    sought = frame.filter(pl.col("start", "end").is_null(), pl.col("context", TEXT).is_not_null())
    found = list[tuple[int, int | None, int | None, str | None]]()
    for at, text, quote, near in sought.select(_AT, TEXT, "context", _NEAR).iter_rows():
        if place := locate(text, quote, near):
            found.append((at, place.start, place.end, _SEVERAL if place.several else None))
        elif predictions and (inexact := nearly(text, quote)):
            found.append((at, *inexact, _NEARLY))
        elif predictions and quote.strip():
            found.append((at, None, None, _NOWHERE))
    schema = {name: frame.schema[name] for name in (_AT, _FROM, _TO, _HOW)}
    frame = frame.update(pl.DataFrame(found, schema, orient="row"), on=_AT)
    start, end = pl.col(_FROM), pl.col(_TO)
    both = pl.col("start").is_not_null() & pl.col("context").is_not_null()
    text = pl.when(both, start >= 0, start <= end, end <= pl.col(_LENGTH)).then(TEXT)
    return frame.with_columns(text.str.slice(start, (end - start).clip(0)).alias(_STANDS))


def _checks(base: int, *, predictions: bool) -> list[tuple[pl.Expr, pl.Expr]]:
    """Possible problems of a violation, each with its message in the file's numbers; the first one counts."""
    start, end, first, last, length = map(pl.col, ("start", "end", _FROM, _TO, _LENGTH))
    has = {name: pl.col(name).is_not_null() for name in ("start", "end", "context", "position", INVENTED, TEXT)}
    unplaced, differs = ~has["start"] & ~has[INVENTED], pl.col(_STANDS) != pl.col("context")
    beside = has["start"] | has["end"] | has["context"] | has["position"] | pl.lit(not predictions)
    lost = unplaced & first.is_null() & pl.col(_HOW).ne_missing(_NOWHERE)
    half, shown_id = has["start"] != has["end"], pl.col(ID).str.head(_SHOWN_TEXT)
    numbers: list[tuple[Any, ...]] = [
        (has[name] & pl.col(number).is_null(), f"{name}: expected a whole number; got {{}}", name)
        for name, number in _NUMBERS.items()
    ]
    wrong = [
        (has[INVENTED] & beside, "invented: expected in predictions, without offsets and context; got {}", INVENTED),
        *numbers,
        (half | (unplaced & ~has["context"]), "start: expected start and end, or context"),
        (unplaced & ~has[TEXT], "context: expected start and end, since the text of {} is not known", shown_id),
        (lost, "context: expected a passage of the text; got {}", "context"),
        (first < 0, "start: expected {} or more; got {}", pl.lit(base), start),
        (last < first, "end: expected at least {} (the start); got {}", start, end),
        (last > length, "end: expected at most {} (the end of the text); got {}", length + base, end),
        (differs, "context: expected the text from {} to {}, {}; got {}", start, end, _STANDS, "context"),
    ]
    cut = ((bad, text, [_cut(one) if isinstance(one, str) else one for one in shown]) for bad, text, *shown in wrong)
    return [(check, pl.format(message, *shown)) for check, message, shown in cut]


def _cut(column: str) -> pl.Expr:
    """The text of a column in quotation marks, shortened if necessary."""
    text = pl.col(column)
    more = pl.when(text.str.len_chars() > _SHOWN_TEXT).then(pl.lit("...")).otherwise(pl.lit(""))
    return pl.format('"{}{}"', text.str.head(_SHOWN_TEXT), more)


def _such_as(raw: Raw, rows: pl.DataFrame, what: str, shown: str) -> list[str]:
    """A warning that counts rows and quotes a column of the first; none without rows."""
    firsts = rows.head(1).with_columns(pl.format(f"{shown}: {{}}", _cut(shown)).alias(_SAID)).iter_rows(named=True)
    return [f"{what}: {rows.height:,}{SUCH_AS}{raw.place(row)}, {row[_SAID]}" for row in firsts]
