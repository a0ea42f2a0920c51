"""Violations as a file has them, before what it says is checked: what every reader of them hands over."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from adjudge.errors import DataError, OptionError, named
from adjudge.readers.io.json_documents import Objects, kind, not_plain, plain_text, read_each, text_frame
from adjudge.readers.problems import Findings
from adjudge.schemas.columns import RequestedColumns, check_column_exists
from adjudge.schemas.violations import ID, INVENTED, SEVERITY, TEXT, TEXT_PARTS

LINE = "line"
"""Column of a table of spans: the row of its line in the table of lines, from 0."""

NUMBER = "number"
"""Column of both tables: the line, row, record or task of the file, as messages count it."""

_NTH = "nth"
"""Column of a table of spans: which of its line's violations it is, from 1; missing where a row holds but one."""

FURTHER = "further:"
"""What stands before Adjudge's names of further columns."""

_AT = "__at__"

LINE_COLUMNS = (ID, TEXT, "annotator", "checker")
SPAN_COLUMNS = ("start", "end", "context", "position", *TEXT_PARTS, INVENTED, SEVERITY)
OWN_PARTS = {part: part for part in SPAN_COLUMNS}
"""Parts of violations under Adjudge's own names, for readers that make the violations themselves."""


class Record(NamedTuple):
    """What is marked in a text: by one annotator, or by all of whom the file says nothing.

    number: where it stands in the file. holder: id, text, annotator, checker and whatever options may name, under the
    file's names. marks: the violations, each a JSON object whose offsets are text or numbers.
    """

    number: int
    holder: Mapping[str, Any]
    marks: Sequence[object]


@dataclass(frozen=True, slots=True)
class Names:
    """What the file calls things: Adjudge's name -> the file's.

    columns: of Adjudge's own; the id may be several columns with + between them. further: of others.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    further: Mapping[str, str] = field(default_factory=dict)

    def theirs(self, name: str) -> str:
        """The file's name for one of Adjudge's."""
        return self.columns.get(name, name)

    def id_parts(self, found: Sequence[str] | Mapping[str, object]) -> list[str]:
        """The columns that make up the id: several with + between them, unless one of those found is called so."""
        theirs = self.theirs(ID)
        return [theirs] if theirs in found or "+" not in theirs else theirs.split("+")

    def check(self, name: str, holders: Iterable[Iterable[str]], allowed: Iterable[str]) -> None:
        """Raises OptionError for a column that options name and the file `name` lacks.

        holders: objects of the file, by their keys. allowed: the columns to look for.
        """
        found = list(dict.fromkeys(chain.from_iterable(holders)))
        for own in allowed if found else ():
            for part in self.id_parts(found) if own == ID else [self.theirs(own)]:
                if own in self.columns:
                    check_column_exists(name, [(f"columns.{own}", part)], found)
        check_column_exists(name, self.further_columns() if found else (), found)

    def further_columns(self) -> RequestedColumns:
        """The further columns, each with the option that names it."""
        return [("cluster" if own == "cluster" else "by", theirs) for own, theirs in self.further.items()]

    def check_unused(self, name: str, what: str) -> None:
        """Raises OptionError for any column that options name, in a file of a format that has none."""
        if asked := [*self.columns.values(), *self.further.values()]:
            raise OptionError(f"{name}: {what} has no columns", found=f"{', '.join(asked):.300}", fix="leave them out")

    def check_mapped(self, what: str, allowed: Sequence[str]) -> None:
        """Raises OptionError for a column that may not be mapped in a format."""
        own = sorted(set(self.columns).difference(allowed))
        if own:
            listed = " and ".join((", ".join(allowed[:-1]), allowed[-1]))
            raise OptionError(f"of {what}, {listed} may be mapped; got {', '.join(own)}", option="columns")


@dataclass(frozen=True, slots=True)
class Raw:
    """A file's lines and spans.

    name: of the file. unit: what NUMBER counts. lines: NUMBER, LINE_COLUMNS and further columns. spans: LINE, NUMBER,
    _NTH and SPAN_COLUMNS; all but the first three are text. rows: read from the file. bad_lines, bad_spans: what is
    wrong with whole lines, and with single violations. whole: whether a line holds all that is marked in a text, so
    that there must not be a second. based: whether offsets may count from 1. marks: what messages call a line's
    violations, if not by number. voters: whose violations options may ask for, where lines do not hold them all apart.
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
    voters: tuple[str, ...] = ()

    def place(self, row: Mapping[str, Any]) -> str:
        """Where a violation stands, as messages name it."""
        mark = f", {_mark(row[_NTH], self.marks)}" if _NTH in row else ""
        return f"{self.name}, {self.unit} {row[NUMBER]}{mark}"

    def checker_name(self, checker: str | None = None) -> str:
        """What a checker is called that the file does not name: as given, else as the file."""
        return checker if checker is not None else Path(self.name).stem or self.name

    def apart(self, spans: pl.DataFrame) -> "Raw":
        """Some of its spans, with nothing found yet that is wrong with them."""
        return replace(self, spans=spans, bad_spans=Findings(self.bad_spans.unit))

    def warned(self, warnings: Iterable[str]) -> "Raw":
        """A copy with further warnings."""
        return replace(self, warnings=(*self.warnings, *warnings))

    def settle(self, *, drop: bool | None = None) -> list[str]:
        """Raise DataError where anything is wrong; with `drop`, warnings that count what was left out."""
        if not drop:
            self.bad_lines.join(self.bad_spans)
        return [*self.bad_lines.settle(drop=drop), *self.bad_spans.settle(drop=drop)]


def _mark(nth: int, marks: Sequence[str]) -> str:
    return marks[nth - 1] if marks else f"violation {nth}"


def raw_of(
    name: str,
    unit: str,
    records: Sequence[Record],
    names: Names,
    bad_lines: Findings,
    rows: int,
    parts: Mapping[str, str] = OWN_PARTS,
    marks: Sequence[str] = (),
) -> Raw:
    """A file's records as lines and spans: the one way by which all formats of records become what is checked.

    unit: what numbers of records count. rows: read from the file. parts: Adjudge's name for a part of a violation ->
    the file's. marks: see Raw. A record that holds a list where text belongs is a problem, and left out; so is a
    violation that is no object.
    """
    place, holders = f"{name}, {unit} ", [record.holder for record in records]
    ids = {ID + part: part for part in names.id_parts(dict.fromkeys(chain.from_iterable(holders)))}
    others = {own: names.theirs(own) for own in LINE_COLUMNS if own != ID}
    others |= {FURTHER + own: theirs for own, theirs in names.further.items()}
    table = _texts(name, holders, {**ids, **others}, bad_lines, lambda at: f"{place}{records[at].number}")
    kept = [records[at].marks for at in table[_AT]]
    numbers = pl.Series(NUMBER, [record.number for record in records], pl.UInt32).gather(table[_AT])
    filled = [TEXT if own == TEXT else _unless_empty(own) for own in others]
    frame = table.select(pl.concat_str(map(_unless_empty, ids), separator="+").alias(ID), *filled, numbers)

    counts = np.fromiter(map(len, kept), np.int64, len(kept))
    line = np.repeat(np.arange(len(kept)), counts)
    nth = np.arange(len(line)) - np.repeat(np.cumsum(counts) - counts, counts) + 1
    bad_spans, number = Findings("violation"), numbers.gather(line)
    flat = list(chain.from_iterable(kept))
    keys = {part: parts.get(part) for part in SPAN_COLUMNS}
    said = _texts(name, flat, keys, bad_spans, lambda at: f"{place}{number[at]}, {_mark(nth[at], marks)}")
    places = pl.DataFrame({LINE: line, NUMBER: number, _NTH: nth}).cast(pl.UInt32)[said[_AT]]
    spans = places.hstack(said.select(map(_unless_empty, SPAN_COLUMNS)))
    return Raw(name, unit, frame, spans, rows, bad_lines, bad_spans, marks=marks)


def _texts(
    name: str, values: Sequence[Any], keys: Mapping[str, str | None], findings: Findings, place: Callable[[int], str]
) -> pl.DataFrame:
    """Keys of JSON objects as columns of text, and in _AT the place of each among the values.

    keys: name of the column -> key; of one without a key, all is missing. An object in which a key holds no text is a
    problem, as is a value that is no object. place: where a value stands, in words.
    """
    wrong = {at: f": {not_plain(value)}" for at, value in enumerate(values) if type(value) is not dict}
    plain = [{} if at in wrong else value for at, value in enumerate(values)] if wrong else values
    held = set(chain.from_iterable(plain))
    columns: dict[str, Sequence[str | None]] = {}
    for column, key in keys.items():
        if key in held:
            found = [value.get(key) for value in plain]
            if not set(map(type, found)) <= {str, type(None)}:
                for at, value in enumerate(found):
                    if isinstance(value, list | dict):
                        wrong.setdefault(at, f", {key}: expected text or a number; got {kind(value)}")
                found = list(map(plain_text, found))
            columns[column] = found
    for at, problem in sorted(wrong.items()):
        findings.add(f"{place(at)}{problem}", dropped=1)
    table = pl.DataFrame(
        {_AT: pl.int_range(len(values), dtype=pl.UInt32, eager=True), **text_frame(columns, name).to_dict()}
    )
    table = table.with_columns(pl.lit(None, pl.String).alias(column) for column in keys if column not in columns)
    return table.filter(~pl.col(_AT).is_in(list(wrong))) if wrong else table


def _unless_empty(column: str) -> pl.Expr:
    """A column whose empty texts are missing."""
    return pl.when(pl.col(column) != "").then(pl.col(column)).alias(column)


Holder = dict[str, Any]
"""A JSON object, under the file's own names."""

MAPPED = (ID, TEXT, "annotator")
"""The columns that may be mapped where a format says itself where its violations stand."""

Marked = Iterable[tuple[Holder, Sequence[Any]]]
"""What says whose text it is, under the file's names, and the violations in it."""


def only_text(holder: Mapping[str, Any], where: str) -> str:
    """The name of the one text among some fields. Raises DataError where there are several, or none."""
    texts = [name for name, one in holder.items() if type(one) is str]
    if len(texts) == 1:
        return texts[0]
    got = f"several, {', '.join(texts):.100}" if texts else "none"
    raise DataError(f"{where}: expected one text; got {got}", fix=f"{named('columns')} text={(texts or ['COLUMN'])[0]}")


def raw_of_objects(
    objects: Objects,
    names: Names,
    read: Callable[[Holder], Marked],
    parts: Mapping[str, str] = OWN_PARTS,
    lists: Sequence[str] = (),
) -> Raw:
    """A file's objects as lines and spans.

    read: what an object says; see `read_each`. lists: what names may call the lists of violations; without any, the
    number of an object is its id where none has one. Raises OptionError for a name that no object has.
    """
    findings = Findings(objects.unit)
    records = [
        Record(number, holder, marks)
        for number, marked in read_each(objects, lambda value: list(read(value)), findings)
        for holder, marks in marked
    ]
    if not lists and names.theirs(ID) == ID and not any(ID in record.holder for record in records):
        records = [record._replace(holder={**record.holder, ID: str(record.number)}) for record in records]
    names.check(objects.name, (record.holder for record in records), (*LINE_COLUMNS, *lists))
    return raw_of(objects.name, objects.unit, records, names, findings, len(objects.values), parts)
