"""Violations as a file has them, before what it says is checked: what every reader of them hands over."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from karat.errors import DataError, OptionError, nearest
from karat.formats.documents import Number, Repeated, decode, kind, parse, scalar_text, text_frame
from karat.formats.findings import Findings
from karat.formats.source import Source, detect_format
from karat.schemas.violations import ID, TEXT, TEXT_PARTS

LINE = "line"
"""Column of a table of spans: the row of its line in the table of lines, from 0."""

NUMBER = "number"
"""Column of both tables: the line, row, record or task of the file, as messages count it."""

NTH = "nth"
"""Column of a table of spans: which of its line's violations it is, from 1; null where a row holds but one."""

FURTHER = "further:"
"""What stands before Karat's names of further columns."""

LINE_COLUMNS = (ID, TEXT, "annotator", "checker")
SPAN_COLUMNS = ("start", "end", "context", "position", *TEXT_PARTS)

_START = 1 << 16


@dataclass(frozen=True, slots=True)
class Names:
    """What the file calls things. columns, further: Karat's name -> the file's; see `violations.Options`."""

    columns: Mapping[str, str] = field(default_factory=dict)
    further: Mapping[str, str] = field(default_factory=dict)

    def theirs(self, name: str) -> str:
        """The file's name for one of Karat's."""
        return self.columns.get(name, name)

    def id_parts(self, found: Sequence[str] | Mapping[str, object]) -> list[str]:
        """The columns that make up the id: several with + between them, unless one of those found is called so."""
        theirs = self.theirs(ID)
        return [theirs] if theirs in found or "+" not in theirs else theirs.split("+")

    def check_further(self, name: str, found: Sequence[str]) -> None:
        """Raises OptionError for a further column that the file `name` lacks."""
        for theirs in self.further.values():
            if theirs not in found:
                listed = ", ".join(found)
                raise OptionError(f"{name}: no column {theirs}{nearest(theirs, found)}; it holds {listed:.300}")


@dataclass(frozen=True, slots=True)
class Problems:
    """What is wrong with whole lines, and with single violations."""

    lines: Findings = field(default_factory=Findings)
    spans: Findings = field(default_factory=Findings)

    def line(self, message: str, count: int = 1) -> None:
        """One message about a line that is left out."""
        self.lines.add(message, count)
        self.lines.rows += count

    def span(self, message: str, count: int = 1) -> None:
        """One message about a violation that is left out."""
        self.spans.add(message, count)
        self.spans.rows += count

    def settle(self, *, drop: bool, unit: str) -> list[str]:
        """Raise DataError where anything is wrong; with `drop`, warnings that count what was left out."""
        total = self.lines.total + self.spans.total
        if total and not drop:
            raise DataError((*self.lines.messages, *self.spans.messages), total)
        return [*self.lines.settle(drop=drop, unit=unit), *self.spans.settle(drop=drop, unit="violation")]


@dataclass(frozen=True, slots=True)
class Raw:
    """A file's lines and spans.

    name: of the file. unit: what NUMBER counts. lines: NUMBER, LINE_COLUMNS and further columns. spans: LINE, NUMBER,
    NTH and SPAN_COLUMNS; all but the first three are text. rows: read from the file. whole: whether a line holds all
    that is marked in a text, so that there must not be a second. based: whether offsets may count from 1.
    """

    name: str
    unit: str
    lines: pl.DataFrame
    spans: pl.DataFrame
    rows: int
    problems: Problems
    warnings: tuple[str, ...] = ()
    whole: bool = True
    based: bool = True


@dataclass(frozen=True, slots=True)
class Objects:
    """The values of a file of JSON, one per text. unit: "line" or "record". numbers: where each stands, from 1."""

    name: str
    unit: str
    numbers: Sequence[int]
    values: Sequence[object]


def path_of(source: Source) -> Path:
    """The file behind a source. Raises DataError for a table, which has none."""
    if source.path is None:
        raise DataError(f"{source.name}: expected a file; got a table")
    return source.path


def read_objects(source: Source, number: Callable[[str], str] = str) -> Objects:
    """JSON lines, a JSON array, or one JSON object, told apart by how the file starts.

    number: makes of a number's text what stands for it; see `documents.parse`.
    """
    path = path_of(source)
    with path.open("rb") as file:
        lines = detect_format(file.read(_START), path.suffix) == "jsonl"
    return read_lines(source, number=number) if lines else as_objects(source, read_numbered(source))


def read_numbered(source: Source) -> Any:  # noqa: ANN401 - JSON holds anything
    """The document in a JSON file, with numbers as `Number`, so that they can be told from text."""
    return parse(decode(path_of(source).read_bytes(), source.name), source.name, number=Number)


def as_objects(source: Source, document: object) -> Objects:
    """The records of a JSON document: an array of them, or a single one."""
    values = document if isinstance(document, list) else [document]
    if not values:
        raise DataError(f"{source.name}: expected at least one record; got an empty list")
    return Objects(source.name, "record", range(1, len(values) + 1), values)


def read_lines(source: Source, most: int | None = None, number: Callable[[str], str] = str) -> Objects:
    """The values of JSON lines, or the first `most` of them; blank lines are none."""
    numbers, values = [], []
    with path_of(source).open("rb") as file:
        for place, line in enumerate(file, 1):
            text = decode(line, source.name, place).strip()
            if text:
                numbers.append(place)
                values.append(parse(text, source.name, place, number=number))
                if len(values) == most:
                    break
    if not values:
        raise DataError(f"{source.name}: expected at least one record; got none")
    return Objects(source.name, "line", numbers, values)


def not_plain(value: object) -> str | None:
    """What is wrong with a value that should be a JSON object, in words for a message; None for an object."""
    if type(value) is dict:
        return None
    if isinstance(value, Repeated):
        return f"expected each name once; {', '.join(value.repeated):.60} stands twice"
    return f"expected an object; got {kind(value)}"


def join_id(parts: Sequence[str | None]) -> str | None:
    """The parts of an id with + between them; none where one of them is missing or empty."""
    return None if not all(parts) else "+".join(part or "" for part in parts)


def texts_of(holders: Sequence[Mapping[str, object]], key: str) -> tuple[list[str | None], dict[int, str]]:
    """A key of JSON objects as text, and what stands where a list or an object does: index -> words."""
    values: list[Any] = [holder.get(key) for holder in holders]
    if set(map(type, values)) <= {str, Number, type(None)}:
        return values, {}
    wrong = {index: kind(value) for index, value in enumerate(values) if isinstance(value, list | dict)}
    return [None if index in wrong else scalar_text(value) for index, value in enumerate(values)], wrong


def lines_frame(name: str, numbers: Sequence[int], columns: Mapping[str, Sequence[str | None]]) -> pl.DataFrame:
    """A table of lines; columns that are not given are null, and empty text but for TEXT is missing."""
    frame = text_frame(columns, name)
    lacking = [pl.lit(None, pl.String).alias(column) for column in LINE_COLUMNS if column not in columns]
    empty = [_filled(column) for column in columns if column != TEXT]
    return frame.with_columns(*lacking, *empty, pl.Series(NUMBER, numbers, pl.UInt32))


def _filled(column: str) -> pl.Expr:
    """A column whose empty texts are missing."""
    return pl.when(pl.col(column) != "").then(pl.col(column)).alias(column)


def spans_frame(
    objects: Objects,
    lists: Sequence[Sequence[object]],
    columns: Mapping[str, str],
    problems: Problems,
) -> tuple[pl.DataFrame, list[dict[str, object]]]:
    """A table of spans from the violations of each line, and those of them that are objects.

    objects: the lines; lists: of each of them. columns: Karat's name for a part -> the file's. A violation that is no
    object, or one part of which is a list or an object, is a problem, and left out of the table.
    """
    counts = np.fromiter(map(len, lists), np.int64, len(lists))
    flat = list(chain.from_iterable(lists))
    at = np.repeat(np.arange(len(lists)), counts)
    nth = np.arange(len(flat)) - np.repeat(np.cumsum(counts) - counts, counts) + 1
    numbers = np.asarray(objects.numbers, np.int64)[at] if flat else at
    plain: list[dict[str, object]] = [value if type(value) is dict else {} for value in flat]
    wrong: dict[int, str] = {}
    if set(map(type, flat)) - {dict}:
        wrong = {index: f": {said}" for index, value in enumerate(flat) if (said := not_plain(value))}
    texts: dict[str, list[str | None]] = {}
    for part in SPAN_COLUMNS:
        key = columns.get(part)
        texts[part], bad = ([None] * len(flat), {}) if key is None else texts_of(plain, key)
        for index, got in bad.items():
            wrong.setdefault(index, f", {key}: expected text or a number; got {got}")
    for index, said in sorted(wrong.items()):
        problems.span(f"{objects.name}, {objects.unit} {numbers[index]}, violation {nth[index]}{said}")
    frame = text_frame(texts, objects.name).select(
        pl.Series(LINE, at, pl.UInt32),
        pl.Series(NUMBER, numbers, pl.UInt32),
        pl.Series(NTH, nth, pl.UInt32),
        *map(_filled, SPAN_COLUMNS),
    )
    if wrong:
        frame = frame.filter(~pl.int_range(pl.len()).is_in(list(wrong)))
    return frame, plain
