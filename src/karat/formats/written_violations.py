"""Violations of several files as Karat's own JSON lines: a line for each text and each who looked at it."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

import polars as pl

from karat.errors import DataError
from karat.formats.findings import Findings, cut, listed
from karat.formats.marked import FURTHER, LINE
from karat.formats.marked_lines import every_line
from karat.formats.marked_spans import check_spans
from karat.formats.source import Source
from karat.formats.violations import VIOLATIONS, Options, read_raw
from karat.schemas.replies import OUTCOME, UNANSWERED
from karat.schemas.violations import ID, INVENTED, TEXT, TEXT_PARTS

Line = dict[str, Any]
_WHO = ("annotator", "checker")
_PARTS = ("start", "end", *TEXT_PARTS, INVENTED)


def read_lines(source: Source, options: Options) -> tuple[list[Line], list[str]]:
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
    return list(_joined(frame, spans, texts)), [*raw.warnings, *dropped, *warnings]


def _joined(frame: pl.DataFrame, spans: pl.DataFrame, texts: pl.DataFrame) -> Iterator[Line]:
    """A line for each text and each who looked at it, also where the file has a row per violation."""
    marks: dict[int, list[Line]] = {}
    for span in spans.select(LINE, *_PARTS).iter_rows(named=True):
        marks.setdefault(span.pop(LINE), []).append(_filled(span))
    known = dict(texts.select(ID, TEXT).iter_rows())
    made: dict[tuple[str | None, ...], Line] = {}
    for row in frame.iter_rows(named=True):
        said = {ID: row[ID], TEXT: known[row[ID]], **{name: row[name] for name in _WHO}}
        said[OUTCOME] = row.get(FURTHER + OUTCOME)
        line = made.setdefault(_key(row), {**_filled(said), VIOLATIONS: []})
        line[VIOLATIONS] += marks.get(row[LINE], [])
    for line in made.values():
        yield {**line, VIOLATIONS: None} if line.get(OUTCOME) in UNANSWERED else line


def _filled(row: Line) -> Line:
    return {name: value for name, value in row.items() if value is not None}


def _key(line: Line) -> tuple[str | None, ...]:
    return tuple(line.get(name) for name in (ID, *_WHO))


def merged_lines(files: Sequence[Sequence[Line]], names: Sequence[str], *, drop: bool) -> tuple[list[Line], list[str]]:
    """The lines of several files as those of one, and warnings. names: of the files, for messages.

    drop: leave out texts that clash. Raises DataError for all clashes: an id with another text, and a text at which
    one annotator looked in two files; and where some lines say whose they are and others do not.
    """
    _check_named(files, names)
    findings, wrong = Findings("text"), set()
    texts: dict[str, tuple[str, str]] = {}
    seen: dict[tuple[str | None, ...], str] = {}
    for lines, name in zip(files, names, strict=True):
        for line in lines:
            said = _clash(line, texts.setdefault(line[ID], (line[TEXT], name)), name) if TEXT in line else None
            first = seen.setdefault(_key(line), name)
            if said is None and first != name:
                whose = " and ".join(f"{one} {cut(line[one])}" for one in _WHO if one in line)
                of = f" of {whose}" if whose else ""
                said = f"id {cut(line[ID])}: expected one line{of}; there is one in {first} and one in {name}"
            if said is not None:
                findings.add(said, dropped=line[ID] not in wrong)
                wrong.add(line[ID])
    warnings = findings.settle(drop=drop)
    kept = [line for line in chain.from_iterable(files) if line[ID] not in wrong]
    if not kept:
        raise DataError(f"{', '.join(names)}: no text is left after dropping")
    return kept, warnings


def _clash(line: Line, known: tuple[str, str], name: str) -> str | None:
    """What is wrong with a line whose text is not the one that is known for its id."""
    text, first = known
    if line[TEXT] == text:
        return None
    return f'id {cut(line[ID])}: expected one text; got "{cut(text)}" in {first}, "{cut(line[TEXT])}" in {name}'


def _check_named(files: Sequence[Sequence[Line]], names: Sequence[str]) -> None:
    """Raises DataError where the files do not all say, in the same way, whose lines theirs are."""
    said = [next((one for one in _WHO if any(one in line for line in lines)), None) for lines in files]
    if len(set(said)) > 1:
        found = listed(f"{one or 'neither'} in {name}" for one, name in zip(said, names, strict=True))
        raise DataError(
            f"expected files that all name annotators, or all name checkers, or none; got {found}. "
            "Convert each alone, with --set annotator=NAME where one person's file lacks it"
        )
