"""Violations as Karat's own lines: one for each text and each who looked at it, with what they marked."""

from collections.abc import Collection, Sequence
from typing import Any

import polars as pl

from karat.errors import DataError
from karat.formats.conversion import Conversion, Settings
from karat.formats.findings import Findings, keys_said, listed
from karat.formats.marked import FURTHER, LINE
from karat.formats.marked_lines import every_line
from karat.formats.marked_spans import check_spans
from karat.formats.merged_tables import FILE, agreeing, stacked
from karat.formats.opened import opened
from karat.formats.source import Source
from karat.formats.violations import KNOWN_COLUMNS, VIOLATIONS, Options, read_raw
from karat.formats.written_tables import NESTED, Table, further_columns, unwritten
from karat.schemas.columns import constants_of, mapped_columns
from karat.schemas.replies import OUTCOME, UNANSWERED
from karat.schemas.violations import ID, INVENTED, SEVERITY, TEXT, TEXT_PARTS

_WHO = ("annotator", "checker")
_KEYS = (ID, *_WHO)
_PARTS = ("start", "end", *TEXT_PARTS, INVENTED, SEVERITY)
_FIRST = "__first__"
_TABLES = (VIOLATIONS, "spans")
"""Formats that may hold further columns."""


def _read(sources: Sequence[Source], values: Settings) -> Table:
    """The violations of all files. Raises DataError with all that is wrong with one of them, and for all clashes."""
    drop = values["on_invalid"] == "drop"
    columns = mapped_columns(values["columns"], KNOWN_COLUMNS, constants=constants_of(values))
    options = Options(columns, offset_base=values["offset_base"], drop=drop, predictions=True)
    read = [_file(one, options) for one in sources]
    names, findings = [one.name for one in sources], Findings("line")
    frame = read[0][0] if len(read) == 1 else _merged([one for one, _ in read], names, findings)
    settled = findings.settle(drop=drop)
    if frame.is_empty():
        raise DataError(f"{listed(names)}: no text is left after dropping")
    left = [said for one in sources for said in _left_out(one, options)]
    told = (*(said for _, warnings in read for said in warnings), *settled, *left)
    lines = {name: one.height for name, (one, _) in zip(names, read, strict=True)}
    said = [name for name in frame.columns if name == VIOLATIONS or frame[name].count()]
    who = tuple(name for name in said if name == "annotator")
    always = frozenset((VIOLATIONS,))
    return Table(lines, frame.lazy().select(said), (VIOLATIONS,), told, who, always, spread=VIOLATIONS)


def _file(source: Source, options: Options) -> tuple[pl.DataFrame, list[str]]:
    """The lines that say what a file says, and warnings. Offsets count from 0, and stand in the place of quotes.

    Raises DataError with all that is wrong.
    """
    raw = read_raw(source, options)
    frame, lines, texts = every_line(raw)
    predicted = raw.lines["checker"].count() + raw.spans[INVENTED].count() > 0
    base = options.offset_base if raw.based else 0
    spans, warnings = check_spans(raw, lines, texts, base=base, predictions=predicted)
    dropped = raw.settle(drop=options.drop)
    if frame.is_empty():
        raise DataError(f"{source.name}: expected at least one text; none is left")
    return _lines(frame, spans, texts), [*raw.warnings, *dropped, *warnings]


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
    return lines.select(ID, TEXT, *_WHO, OUTCOME, pl.when(answered).then(found))


def _merged(files: Sequence[pl.DataFrame], names: Sequence[str], findings: Findings) -> pl.DataFrame:
    """The lines of several files as those of one; texts at which anything clashes are findings, and left out.

    Raises DataError where some files say whose lines theirs are, and others do not.
    """
    _check_named(files, names)
    every = stacked(files)
    kept = agreeing(every, [ID], [TEXT], names, findings)
    twice = kept.filter(pl.struct(_KEYS).is_duplicated()).group_by(_KEYS, maintain_order=True).agg(FILE)
    wrong = kept.join(twice, on=ID, how="semi").height

    def say(row: dict[str, Any]) -> str:
        first, second = (names[place] for place in row[FILE][:2])
        return f"{keys_said(row, _KEYS)}: expected one line; there is one in {first} and one in {second}"

    findings.add_each(twice, say, dropped=wrong)
    return kept.join(twice, on=ID, how="anti", maintain_order="left").drop(FILE)


def _check_named(files: Sequence[pl.DataFrame], names: Sequence[str]) -> None:
    """Raises DataError where the files do not all say, in the same way, whose lines theirs are."""
    said = [next((one for one in _WHO if lines[one].count()), None) for lines in files]
    if len(set(said)) > 1:
        found = listed(f"{one or 'neither'} in {name}" for one, name in zip(said, names, strict=True))
        raise DataError(
            f"expected files that all name annotators, or all name checkers, or none; got {found}. "
            "Convert each alone, with --set annotator=NAME where one person's file lacks it"
        )


def _left_out(source: Source, options: Options) -> list[str]:
    """A warning that names the columns that are not written."""
    return unwritten(source, further_columns(opened(source, options), "violations", (*KNOWN_COLUMNS, OUTCOME), _TABLES))


def _holds(columns: Collection[str]) -> bool:
    return "id" in columns and ({"start", "end"} <= {*columns} or "context" in columns)


CONVERSION = Conversion(
    "violations",
    "line",
    {**NESTED, ".csv": "csv", ".tsv": "tsv"},
    ("pseudonyms", "offset_base"),
    lambda _: KNOWN_COLUMNS,
    _holds,
    _read,
)
