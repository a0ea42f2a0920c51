"""Violations as in files, and checks of their offsets and quotes: shared by all their readers.

A module per tool defines the content of its records, or its files, as a `SpanTool`: a `Line` for each text and
annotator. This module handles the names of columns, the annotators that count, and the units of offsets.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, chain, compress, groupby
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

_AT = "__at__"

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


class Line(Struct, gc=False):
    """The marks in a text by one annotator, by a model, or by an unknown annotator.

    holder: id, text, annotator, checker and all that options may name, under the file's names. marks: the violations,
    each a JSON object. predicted: whether a model marks them. number: the line's position in the file.
    """

    holder: Mapping[str, Any]
    marks: Sequence[Any]
    predicted: bool = False
    number: int = 0


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

    def check(self, name: str, holders: Iterable[Iterable[str]], allowed: Sequence[str]) -> None:
        """Raises OptionError for a column that options name and the file `name` lacks.

        holders: objects of the file, by their keys. allowed: the columns to look for.
        """
        requested = [(f"columns.{own}", self.columns[own]) for own in allowed if own in self.columns]
        requested += [("cluster" if own == "cluster" else "by", theirs) for own, theirs in self.further.items()]
        if requested and (columns := list(dict.fromkeys(chain.from_iterable(holders)))):
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

    Models' predictions count if options name the models as annotators and, in predictions, if no user annotated.
    """
    bad_lines, parts = Findings(objects.unit), list[Held]()
    for number, made in documents.read_each(objects, lambda record: list(tool.lines(record)), bad_lines):
        for one in made:
            if isinstance(one, Line):
                one.number = number
        parts += made
    return _raw_of_parts(opened, tool, parts, bad_lines, len(objects.values))


def raw_of_texts(opened: Found, parts: Iterable[Held]) -> Raw:
    """The parts of a file of text as lines and spans. Their texts have different ids, and are numbered."""
    held, numbers = list(parts), dict[Any, int]()
    for line in held:
        if isinstance(line, Line):
            line.number = numbers.setdefault(line.holder[ID], len(numbers) + 1)
    raw = _raw_of_parts(opened, SpanTool(iter, mapped=(), based=False), held, Findings("text"), len(numbers))
    return replace(raw, voters=())


def _raw_of_parts(opened: Found, tool: SpanTool, parts: Sequence[Held], bad_lines: Findings, rows: int) -> Raw:
    """The parts of a file as lines and spans. bad_lines: its problems so far. rows: read from the file."""
    name, names, who = opened.source.name, opened.options, opened.options.column_of("annotator")
    if own := sorted(set(names.columns).difference(tool.mapped)):
        may = f"only {', '.join(tool.mapped)}" if tool.mapped else "no column"
        raise OptionError(f"of {name}, {may} may be mapped; got {', '.join(own)}", option="columns")
    every = [one for one in parts if isinstance(one, Line)]
    counts = Counter(one for one in parts if isinstance(one, Skipped))
    owners = [documents.text_in(one.holder, who) for one in every]
    people = {owner for owner, one in zip(owners, every, strict=True) if not one.predicted}
    models, lines = set(names.annotators) - people, every
    if people or names.annotators or not names.predictions:
        left = [one.predicted and owner not in models for owner, one in zip(owners, every, strict=True)]
        reason = "predictions are excluded unless their model is named"
        counts.update(Skipped(reason, owner or "unnamed") for owner in compress(owners, left))
        lines = [one for one, is_left in zip(every, left, strict=True) if not is_left]
    names.check(name, (one.holder for one in every), (*LINE_COLUMNS, VIOLATIONS))
    if names.column_of(ID) == ID and not any(ID in one.holder for one in lines):
        for line in lines:
            line.holder = {**line.holder, ID: str(line.number)}
    raw = _raw_of_lines(name, lines, tool, names, bad_lines, rows)
    if tool.utf16:
        raw = replace(raw, spans=_at_code_points(raw, names.offset_base, counts))
    return replace(raw, voters=tuple(dict.fromkeys(filter(None, owners)))).warned(left_out(+counts))


# --- tables ---


def _raw_of_lines(name: str, lines: Sequence[Line], tool: SpanTool, how: SpanReading, bad: Findings, rows: int) -> Raw:
    """A file's lines as tables, the common form of all formats before checks.

    bad: problems of lines so far; its unit is that of their numbers. rows: read from the file. A line with a list
    instead of text is a problem, and excluded; so is a violation that is no object.
    """
    place, holders = f"{name}, {bad.unit} ", [line.holder for line in lines]
    columns = {own: how.column_of(own) for own in LINE_COLUMNS}
    columns |= {FURTHER + own: theirs for own, theirs in how.further.items()}
    table = _texts(name, holders, columns, bad, lambda at: f"{place}{lines[at].number}")
    kept = [lines[at] for at in table[_AT]]
    numbers = pl.Series(NUMBER, [line.number for line in kept], pl.UInt32)
    frame = table.select(pl.col(TEXT) if own == TEXT else pl.col(own).replace("", None) for own in columns)
    flat, bad_spans = list(chain.from_iterable(line.marks for line in kept)), Findings("violation")
    sizes = np.array([len(line.marks) for line in kept], dtype=np.int64)
    at = np.repeat(np.arange(len(kept)), sizes)
    nth = np.arange(1, len(at) + 1) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    marked = pl.DataFrame({LINE: at, NUMBER: numbers.to_numpy()[at], _NTH: nth}).cast(pl.UInt32)
    keys = {part: tool.parts.get(part) for part in SPAN_COLUMNS}
    texts = _texts(name, flat, keys, bad_spans, lambda at: f"{place}{marked[NUMBER][at]}, violation {marked[_NTH][at]}")
    spans = marked[texts[_AT]].hstack(texts.select(pl.col(SPAN_COLUMNS).replace("", None)))
    return Raw(name, tool, frame.with_row_index(LINE).with_columns(numbers), spans, rows, bad, bad_spans)


def _texts(
    name: str, values: Sequence[Any], keys: Mapping[str, str | None], findings: Findings, place: Callable[[int], str]
) -> pl.DataFrame:
    """Keys of JSON objects as columns of text, and in _AT the index of each among the values.

    keys: name of the column -> key; a column without a key is all missing. A key without text is a problem, and so is a
    value that is no object. place: the place of a value in messages.
    """
    odd = [at for at, value in enumerate(values) if type(value) is not dict] if {*map(type, values)} - {dict} else []
    wrong = {at: f": {documents.not_plain(values[at])}" for at in odd}
    plain = [{} if at in wrong else value for at, value in enumerate(values)] if wrong else values
    present = set[str]().union(*plain)
    columns = {column: [value.get(key) for value in plain] for column, key in keys.items() if key in present}
    for column, cells in columns.items():
        if not {list, dict}.isdisjoint(map(type, cells)):
            for at, value in enumerate(cells):
                if isinstance(value, list | dict):
                    wrong.setdefault(at, f", {keys[column]}: expected text or a number; got {documents.kind(value)}")
    for at, problem in sorted(wrong.items()):
        findings.add(f"{place(at)}{problem}", dropped=1)
    table = pl.select(pl.int_range(len(plain), dtype=pl.UInt32).alias(_AT)).hstack(documents.text_frame(columns, name))
    table = table.with_columns(pl.lit(None, pl.String).alias(one) for one in keys if one not in columns)
    return table.filter(~pl.col(_AT).is_in(list(wrong))) if wrong else table


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
