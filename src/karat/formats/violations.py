"""Violations from any file that holds them, as one table of texts and one of spans.

Karat's own JSON lines, exports of Label Studio and Prodigy, tables with a row per span, and M2. What a file is shows
in its content; a format that is named wins.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal

import polars as pl

from karat.errors import OptionError
from karat.formats.documents import Number
from karat.formats.label_studio import looks_like_label_studio, read_label_studio
from karat.formats.m2 import looks_like_m2, read_m2
from karat.formats.marked import (
    LINE,
    SPAN_COLUMNS,
    Names,
    Objects,
    Raw,
    as_objects,
    read_lines,
    read_numbered,
    read_objects,
)
from karat.formats.marked_lines import CHECKER, Lines, checker_name, lines_left, predicted_lines, truth_lines
from karat.formats.marked_spans import Rules, check_spans
from karat.formats.prodigy import looks_like_prodigy, read_prodigy
from karat.formats.source import TABLES, Source
from karat.formats.span_table import read_span_records, read_span_table
from karat.formats.violation_lines import VIOLATIONS, nested_lines, read_violation_lines
from karat.schemas.violations import ID, PLACE, TEXT, Marked, sorted_spans

OWN, LABEL_STUDIO, PRODIGY, M2 = "violations", "label-studio", "prodigy", "m2"
OBJECTS = (OWN, LABEL_STUDIO, PRODIGY)
FORMATS = (*TABLES, *OBJECTS, M2)

KNOWN_COLUMNS = (ID, TEXT, *SPAN_COLUMNS, "annotator", "checker", VIOLATIONS)
"""The columns, or keys of JSON, that may be mapped. Of Label Studio and Prodigy, those of lines may."""

_LOOKED_AT = 100
_TABLE = "table"


@dataclass(frozen=True, slots=True)
class Options:
    """How to read violations; the arguments of `karat.violations` that concern the reading.

    columns: Karat's name -> the file's; the id may be several columns with + between them. further: Karat's name ->
    the file's, columns of the truth to carry along. offset_base: what offsets count from, 0 or 1; ends are exclusive
    either way, and offsets of tokens (M2) always count from 0. quote_mismatch: whether a quote that differs from what
    stands at the offsets is an error, or the offsets win with a warning. drop: leave out violations that are invalid,
    and lines that are, instead of raising. annotators: only what they marked.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    further: Mapping[str, str] = field(default_factory=dict)
    offset_base: int = 0
    quote_mismatch: Literal["error", "warn"] = "error"
    drop: bool = False
    annotators: Sequence[str] = ()


def read_truth(source: Source, options: Options) -> Marked:
    """The texts that one annotator looked at, and the violations marked in them.

    Texts without violations are among them. Raises DataError with all that is wrong, OptionError where the file names
    several annotators and options do not choose one.
    """
    _check(options)
    raw = _read(source, options, predictions=False)
    lines, texts = truth_lines(raw, options.annotators, list(options.further), raw.problems)
    spans, warnings = _spans(raw, lines, texts, options)
    dropped = raw.problems.settle(drop=options.drop, unit=raw.unit)
    lines_left(raw, lines)
    table, twice = _distinct(spans, named=lines.named)
    return Marked(
        source.name, texts, table, raw.rows, (*raw.warnings, *dropped, *warnings, *_textless(texts), *_merged(twice))
    )


def read_predictions(source: Source, options: Options, truth: Marked, checker: str | None) -> list[Marked]:
    """What each checker of a file marks in the texts of the truth, in order of first appearance.

    Where the file names no checkers, its annotators are those; where it names neither, it has one, called `checker`
    or else as the file; so has a table without rows. Warnings about the file stand with the first.
    Raises DataError with all that is wrong, also for ids that the truth does not hold; of annotators, these are left
    out, with a warning.
    """
    _check(options)
    raw = _read(source, options, predictions=True)
    lines, texts = predicted_lines(raw, options.annotators, truth, checker, raw.problems)
    spans, warnings = _spans(raw, lines, texts, options)
    dropped = raw.problems.settle(drop=options.drop, unit=raw.unit)
    if raw.rows:
        lines_left(raw, lines, truth)
    shared = (*raw.warnings, *dropped, *lines.warnings, *warnings)
    owned = spans.join(lines.frame.select(LINE, CHECKER), on=LINE, how="left", maintain_order="left")
    found = []
    for name in lines.frame[CHECKER].unique(maintain_order=True).to_list() or [checker_name(raw, checker)]:
        table, twice = _distinct(owned.filter(pl.col(CHECKER) == name), named=lines.named)
        absent = _absent(name, lines.frame.filter(pl.col(CHECKER) == name), truth)
        found.append(Marked(name, truth.texts, table, raw.rows, (*shared, *absent, *_merged(twice))))
        shared = ()
    return found


def _check(options: Options) -> None:
    if options.offset_base not in (0, 1):
        raise OptionError(f"offset_base: expected 0 or 1; got {options.offset_base}")
    if options.quote_mismatch not in ("error", "warn"):
        raise OptionError(f'quote_mismatch: expected error or warn; got "{options.quote_mismatch}"')
    for name in (ID, TEXT):
        if name in options.further:
            raise OptionError(f"{name}: every table of texts has this column; name another")


def _read(source: Source, options: Options, *, predictions: bool) -> Raw:
    """The file, in the format that it is named to have, or seems to have."""
    names = Names(options.columns, {} if predictions else options.further)
    delimited = source.format in {"csv", "tsv"}
    if source.path is not None and (source.format == M2 or (delimited and looks_like_m2(source))):
        return read_m2(source, names)
    if source.path is None or delimited or source.format == "parquet":
        return _read_table(source, names)
    if source.format == "json":
        document = read_numbered(source)
        kind = _kind(document if isinstance(document, list) else [document], names)
        if kind == _TABLE:
            return read_span_records(source, document, names)
        return _read_objects(kind, as_objects(source, document), names, options, predictions=predictions)
    kind = source.format if source.format in OBJECTS else _kind(read_lines(source, _LOOKED_AT).values, names)
    if kind == _TABLE:
        return read_span_table(source, names)
    objects = read_objects(source, Number if kind == LABEL_STUDIO else str)
    return _read_objects(kind, objects, names, options, predictions=predictions)


def _read_table(source: Source, names: Names) -> Raw:
    """A table with a row per span, or one with a row per text and a column of lists, as Karat's own lines."""
    nested = None if source.format in {"csv", "tsv"} else nested_lines(source, names)
    return read_span_table(source, names) if nested is None else read_violation_lines(nested, names)


def _kind(values: Sequence[object], names: Names) -> str:
    """What the first objects of a file of JSON seem to be."""
    first = [value for value in islice(values, _LOOKED_AT) if isinstance(value, dict)]
    flat = {names.theirs(name) for name in ("start", "end", "context")}
    if any(names.theirs(VIOLATIONS) in value for value in first):
        return OWN
    if any(map(looks_like_label_studio, first)):
        return LABEL_STUDIO
    if any(map(looks_like_prodigy, first)):
        return PRODIGY
    return _TABLE if any(not flat.isdisjoint(value) for value in first) else OWN


def _read_objects(kind: str, objects: Objects, names: Names, options: Options, *, predictions: bool) -> Raw:
    if kind == LABEL_STUDIO:
        return read_label_studio(objects, names, options.annotators, options.offset_base, predictions=predictions)
    if kind == PRODIGY:
        return read_prodigy(objects, names)
    return read_violation_lines(objects, names)


def _spans(raw: Raw, lines: Lines, texts: pl.DataFrame, options: Options) -> tuple[pl.DataFrame, list[str]]:
    rules = Rules(options.offset_base if raw.based else 0, options.quote_mismatch == "warn")
    return check_spans(raw, lines.places(raw.lines.height), texts, rules, raw.problems)


def _distinct(spans: pl.DataFrame, *, named: bool) -> tuple[pl.DataFrame, int]:
    """A table of spans and, where annotators are named, how many of them they marked twice, which count once."""
    table = sorted_spans(spans)
    if not named:
        return table, 0
    once = table.unique([PLACE, "start", "end", "rule"], keep="first", maintain_order=True)
    return once, table.height - once.height


def _merged(count: int) -> list[str]:
    if not count:
        return []
    said = "violation that an annotator marked twice counts" if count == 1 else "violations marked twice count"
    return [f"{count:,} {said} once"]


def _textless(texts: pl.DataFrame) -> list[str]:
    count = texts[TEXT].null_count()
    if not count:
        return []
    return [f"the text of {count:,} of {texts.height:,} ids is not known: offsets are not checked against it"]


def _absent(name: str, lines: pl.DataFrame, truth: Marked) -> list[str]:
    """A warning that counts the texts of the truth about which a checker says nothing."""
    absent = truth.texts.select(ID).join(lines.select(ID), on=ID, how="anti", maintain_order="left")[ID]
    if absent.is_empty():
        return []
    of = f"{len(absent):,} of {truth.texts.height:,} texts"
    return [f"{name} says nothing of {of}, such as {absent[0]:.60}: they count as texts without predictions"]
