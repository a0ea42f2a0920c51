"""Violations as a file has them, before what it says is checked: what every reader of them hands over."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

import numpy as np
import polars as pl

from karat.errors import OptionError
from karat.formats.documents import Number, kind, not_plain, plain_text, text_frame
from karat.formats.findings import Findings
from karat.formats.objects import Objects
from karat.schemas.columns import Asked, check_there
from karat.schemas.violations import ID, TEXT, TEXT_PARTS

LINE = "line"
"""Column of a table of spans: the row of its line in the table of lines, from 0."""

NUMBER = "number"
"""Column of both tables: the line, row, record or task of the file, as messages count it."""

NTH = "nth"
"""Column of a table of spans: which of its line's violations it is, from 1; missing where a row holds but one."""

FURTHER = "further:"
"""What stands before Karat's names of further columns."""

LINE_COLUMNS = (ID, TEXT, "annotator", "checker")
SPAN_COLUMNS = ("start", "end", "context", "position", *TEXT_PARTS)


@dataclass(frozen=True, slots=True)
class Names:
    """What the file calls things: Karat's name -> the file's.

    columns: of Karat's own; the id may be several columns with + between them. further: of others.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    further: Mapping[str, str] = field(default_factory=dict)

    def theirs(self, name: str) -> str:
        """The file's name for one of Karat's."""
        return self.columns.get(name, name)

    def id_parts(self, found: Sequence[str] | Mapping[str, object]) -> list[str]:
        """The columns that make up the id: several with + between them, unless one of those found is called so."""
        theirs = self.theirs(ID)
        return [theirs] if theirs in found or "+" not in theirs else theirs.split("+")

    def check(self, name: str, found: Sequence[str], allowed: Iterable[str]) -> None:
        """Raises OptionError for a column that options name and the file `name` lacks. allowed: those to look for."""
        for own in allowed if found else ():
            for part in self.id_parts(found) if own == ID else [self.theirs(own)]:
                if own in self.columns:
                    check_there(name, [("columns", part)], found)
        check_there(name, self.asked() if found else (), found)

    def asked(self) -> Asked:
        """The further columns, each with the option that names it."""
        return [("cluster" if own == "cluster" else "by", theirs) for own, theirs in self.further.items()]

    def check_mapped(self, what: str, allowed: Sequence[str]) -> None:
        """Raises OptionError for a column that may not be mapped in a format."""
        own = sorted(set(self.columns).difference(allowed))
        if own:
            listed = " and ".join((", ".join(allowed[:-1]), allowed[-1]))
            raise OptionError(f"columns: of {what}, {listed} may be mapped; got {', '.join(own)}")


@dataclass(frozen=True, slots=True)
class Raw:
    """A file's lines and spans.

    name: of the file. unit: what NUMBER counts. lines: NUMBER, LINE_COLUMNS and further columns. spans: LINE, NUMBER,
    NTH and SPAN_COLUMNS; all but the first three are text. rows: read from the file. bad_lines, bad_spans: what is
    wrong with whole lines, and with single violations. whole: whether a line holds all that is marked in a text, so
    that there must not be a second. based: whether offsets may count from 1. marks: what messages call a line's
    violations, if not by number.
    """

    name: str
    unit: str
    lines: pl.DataFrame
    spans: pl.DataFrame
    rows: int
    bad_lines: Findings
    bad_spans: Findings
    warnings: tuple[str, ...] = ()
    whole: bool = True
    based: bool = True
    marks: Sequence[str] = ()

    def place(self, row: Mapping[str, Any]) -> str:
        """Where a violation stands, as messages name it."""
        mark = f", {_mark(row[NTH], self.marks)}" if NTH in row else ""
        return f"{self.name}, {self.unit} {row[NUMBER]}{mark}"

    def warned(self, warnings: Iterable[str]) -> "Raw":
        """The same with more warnings."""
        return replace(self, warnings=(*self.warnings, *warnings))

    def settle(self, *, drop: bool) -> list[str]:
        """Raise DataError where anything is wrong; with `drop`, warnings that count what was left out."""
        if not drop:
            self.bad_lines.join(self.bad_spans)
        return [*self.bad_lines.settle(drop=drop), *self.bad_spans.settle(drop=drop)]


def _mark(nth: int, marks: Sequence[str]) -> str:
    return marks[nth - 1] if marks else f"violation {nth}"


def sound(objects: Objects, wrong: Callable[[Any], str | None], findings: Findings) -> Objects:
    """The objects with which nothing is wrong; what `wrong` says of others, behind their place, is a problem."""
    kept = []
    for index, (place, value) in enumerate(objects.places()):
        if said := wrong(value):
            findings.add(f"{place}{said}", dropped=1)
        else:
            kept.append(index)
    return replace(
        objects, numbers=[objects.numbers[one] for one in kept], values=[objects.values[one] for one in kept]
    )


def join_id(parts: Sequence[str | None]) -> str | None:
    """The parts of an id with + between them; none where one of them is missing or empty."""
    return None if not all(parts) else "+".join(part or "" for part in parts)


def raw_of(
    lines: Objects,
    lists: Sequence[Sequence[object]],
    names: Names,
    parts: Mapping[str, str],
    bad_lines: Findings,
    rows: int,
    marks: Sequence[str] = (),
) -> tuple[Raw, list[dict[str, object]]]:
    """A file of JSON as lines and spans, and those of its violations that are objects.

    lines: the objects that hold what is said of a text. lists: the violations of each. parts: Karat's name for a part
    of a violation -> the file's. marks: see Raw. An object that holds a list where text belongs is a problem, and left
    out.
    """
    holders = lines.values
    own = names.id_parts(dict.fromkeys(chain.from_iterable(holders)))
    keys = {name: names.theirs(name) for name in LINE_COLUMNS if name != ID}
    further = {FURTHER + name: theirs for name, theirs in names.further.items()}
    texts, wrong = _columns(holders, {**keys, **{ID + part: part for part in own}, **further})
    ids = [texts.pop(ID + part) for part in own]
    texts[ID] = ids[0] if len(ids) == 1 else [join_id(row) for row in zip(*ids, strict=True)]
    for index, said in sorted(wrong.items()):
        bad_lines.add(f"{lines.name}, {lines.unit} {lines.numbers[index]}, {said}", dropped=1)
    good = [index for index in range(len(holders)) if index not in wrong]
    kept = Objects(lines.name, lines.unit, [lines.numbers[index] for index in good], [])
    bad_spans = Findings("violation")
    spans, plain = _spans_frame(kept, [lists[index] for index in good], parts, bad_spans, marks)
    chosen = {name: [column[index] for index in good] for name, column in texts.items()}
    frame = _lines_frame(lines.name, kept.numbers, chosen)
    return Raw(lines.name, lines.unit, frame, spans, rows, bad_lines, bad_spans, marks=marks), plain


def _columns(
    holders: Sequence[Mapping[str, object]], keys: Mapping[str, str | None]
) -> tuple[dict[str, list[str | None]], dict[int, str]]:
    """Keys of JSON objects as columns of text, and what is wrong first with an object: index -> words.

    keys: name of the column -> key; of one without a key, all is missing.
    """
    columns: dict[str, list[str | None]] = {}
    wrong: dict[int, str] = {}
    for name, key in keys.items():
        values: list[Any] = [None] * len(holders) if key is None else [holder.get(key) for holder in holders]
        if not set(map(type, values)) <= {str, Number, type(None)}:
            for index, value in enumerate(values):
                if isinstance(value, list | dict):
                    wrong.setdefault(index, f"{key}: expected text or a number; got {kind(value)}")
            values = list(map(plain_text, values))
        columns[name] = values
    return columns, wrong


def _lines_frame(name: str, numbers: Sequence[int], columns: Mapping[str, Sequence[str | None]]) -> pl.DataFrame:
    """A table of lines; empty text but for TEXT is missing."""
    empty = [_filled(column) for column in columns if column != TEXT]
    return text_frame(columns, name).with_columns(*empty, pl.Series(NUMBER, numbers, pl.UInt32))


def _filled(column: str) -> pl.Expr:
    """A column whose empty texts are missing."""
    return pl.when(pl.col(column) != "").then(pl.col(column)).alias(column)


def _spans_frame(
    objects: Objects,
    lists: Sequence[Sequence[object]],
    columns: Mapping[str, str],
    findings: Findings,
    marks: Sequence[str],
) -> tuple[pl.DataFrame, list[dict[str, object]]]:
    """A table of spans from the violations of each line, and those of them that are objects.

    objects: the lines. columns: Karat's name for a part -> the file's. A violation that is no object, or one part of
    which is a list or an object, is a problem, and left out of the table.
    """
    counts = np.fromiter(map(len, lists), np.int64, len(lists))
    flat = list(chain.from_iterable(lists))
    at = np.repeat(np.arange(len(lists)), counts)
    nth = np.arange(len(flat)) - np.repeat(np.cumsum(counts) - counts, counts) + 1
    numbers = np.asarray(objects.numbers, np.int64)[at] if flat else at
    plain: list[dict[str, object]] = [value if type(value) is dict else {} for value in flat]
    texts, bad = _columns(plain, {part: columns.get(part) for part in SPAN_COLUMNS})
    wrong = {index: f", {said}" for index, said in bad.items()}
    if set(map(type, flat)) - {dict}:
        wrong |= {index: f": {said}" for index, value in enumerate(flat) if (said := not_plain(value))}
    for index, said in sorted(wrong.items()):
        place = f"{objects.name}, {objects.unit} {numbers[index]}, {_mark(nth[index], marks)}"
        findings.add(f"{place}{said}", dropped=1)
    frame = text_frame(texts, objects.name).select(
        pl.Series(LINE, at, pl.UInt32),
        pl.Series(NUMBER, numbers, pl.UInt32),
        pl.Series(NTH, nth, pl.UInt32),
        *map(_filled, SPAN_COLUMNS),
    )
    if wrong:
        frame = frame.filter(~pl.int_range(pl.len()).is_in(list(wrong)))
    return frame, plain
