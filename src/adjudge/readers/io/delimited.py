"""Delimited text: a row a line, with commas, semicolons, bars or tabs between columns."""

import csv
import io
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from mmap import ACCESS_READ, mmap

import polars as pl

from adjudge.errors import DataError, named
from adjudge.readers.io.decompress import check_width, kind_in_words
from adjudge.readers.io.header import SEPARATORS, first_rows, looks_like_data, separator_in
from adjudge.readers.io.source import EXPORT, SNIFFED, Format, Source, Start, decode

DELIMITED = ("csv", "tsv")
"""The formats of delimited text."""

_ROW_NAMES = "row.names"
"""The name of a first column without one, as pandas and R write it for rows."""

_HEADER_BYTES = 1 << 20
_ROWS_COMPARED = 100
_TWO_QUOTES = 'two quotes ("") for a quote within quotes'
_QUOTED_CELL = re.compile(rb'(?m)(?:^(?:\xef\xbb\xbf)?|\t) *("(?:[^"\t\n]|"")*") *(?=\t|\r?$)')
_MISQUOTED = re.compile(rb'(?:^|[\t\n])"(?:[^"\n]|"")*"[^"\t\r\n]')
"""A cell in quotes, in text with tabs between columns; and one with text behind its last quote."""


@contextmanager
def mapped(source: Source) -> Iterator[mmap]:
    """The bytes of a file, which are read as they are looked at."""
    with source.file.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        yield content


def separator_of(source: Source) -> str:
    """What stands between the columns of delimited text: what the user says, else what its first rows show."""
    return source.how.sign or ("\t" if source.format == "tsv" else separator_in(_first_lines(source), ",;|"))


def _first_lines(source: Source) -> str:
    with mapped(source) as content:
        start = content[:SNIFFED]
    text = start.decode("utf-8-sig", errors="replace")
    return text if len(start) < SNIFFED else text[: text.rfind("\n") + 1]


def separator_word(separator: str) -> str:
    """What stands between columns, in words."""
    return SEPARATORS.get(separator, f'"{separator}"')


def _delimited(source: Source, _: Sequence[str]) -> pl.LazyFrame:
    names, lines = _header(source)
    frame = pl.scan_csv(
        source.file,
        separator=separator_of(source),
        quote_char=None if quotes_are_letters(source) else '"',
        infer_schema=False,
        glob=False,
        has_header=False,
        skip_lines=lines,
        schema=dict.fromkeys(names, pl.String()),
        missing_columns="insert",
    )
    last = [name for name in names if name.startswith(_NAMELESS)]
    with suppress(pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):  # whoever collects it tells
        if last and frame.select(pl.any_horizontal(pl.col(last) != "").any()).collect().item():
            raise _twice(source, "")
    return frame.drop(last)


_NAMELESS = "__nameless__"


def _twice(source: Source, name: str) -> DataError:
    message = f'{source.name}, line 1: the column "{name:.60}" stands twice'
    return DataError(message, fix="another name for one of them")


def quotes_are_letters(source: Source) -> bool:
    """Whether quotes in a file with tabs between columns enclose nothing, as tools write it that escape nothing.

    So it is where no reading with quoted cells is possible, and each line has as many cells as the header without it.
    Raises DataError where other cells of such a file are quoted: their quotes would become part of the labels.
    """
    if source.format != "tsv" or separator_of(source) != "\t":
        return False
    with mapped(source) as content:
        if content.find(b'"') < 0:
            return False
        signs = {(line.count(b"\t"), line.count(b'"') % 2) for line in iter(content.readline, b"") if line.strip()}
        odd = any(lone for _, lone in signs) or _MISQUOTED.search(content)
        if len({tabs for tabs, _ in signs}) > 1 or not odd:
            return False
        fault, quoted = first_fault(source), _QUOTED_CELL.search(content)
        if fault and quoted:
            line = content[: quoted.start(1)].count(b"\n") + 1
            shown = f"{quoted[1].decode(errors='replace'):.60} of line {line}"
            raise DataError(
                fault.messages,
                found=f"quotes as ordinary characters, perhaps, as in {shown}",
                fix="a file of JSON lines or Parquet, which put no cell in quotes",
            )
    return fault is not None


def _header(source: Source) -> tuple[list[str], int]:
    """The names of columns, and on how many lines they stand; several of the last may begin with _NAMELESS.

    Raises DataError where the first line holds none.
    """
    place, sign = f"{source.name}, line 1", separator_of(source)
    with mapped(source) as content:
        begin = content[:_HEADER_BYTES]
    if kind := kind_in_words(begin):
        raise DataError(f"{source.name}: expected a table; got {kind}", fix=EXPORT)
    start, end, _ = begin.partition(b"\n")
    text = decode(start, source.name) if end else start.decode("utf-8-sig", errors="replace")
    if odd := next((sign for sign in text.rstrip("\r\n") if sign < " " and sign != "\t"), ""):
        message = f"{place}: expected the names of columns; got the control character 0x{ord(odd):02X}"
        raise DataError(message, fix=EXPORT)
    try:
        whole = io.StringIO(begin.decode("utf-8-sig", errors="replace"), newline="")
        rows = csv.reader(whole, delimiter=sign, strict=True)
        names, lines = next(filter(None, rows), []), rows.line_num
    except csv.Error:
        expected = "expected the names of columns; a quote in it has no closing one, or text behind that"
        raise DataError(f"{place}: {expected}", fix=_TWO_QUOTES) from None
    check_width(source.name, len(names))
    second = first_rows(_first_lines(source), sign, 2)[1:]
    if sign == "|" and second and not "".join(second[0][1]).strip("-: "):
        raise DataError(f"{source.name}, line 2: expected a row of a table; got dashes, as in Markdown", fix=EXPORT)
    if source.how.no_header:
        return [f"column_{number}" for number in range(1, len(names) + 1)], 0
    if len(names) == 1:
        raise _not_separated(source, sign, names[0])
    if not names[0].strip() and _ROW_NAMES not in names:
        names[0] = _ROW_NAMES
    width = max(place for place, name in enumerate(names, 1) if name)
    if len(names) - width > 1:
        names[width:] = [f"{_NAMELESS}{place}" for place in range(width, len(names))]
    if twice := sorted(name for name, count in Counter(names).items() if count > 1):
        raise _twice(source, twice[0])
    return names, lines


def _not_separated(source: Source, sign: str, name: str) -> DataError:
    """The error of a header of one column."""
    expected = f"expected the names of columns, with {separator_word(sign)} between them"
    got, fix = f'got one, "{name:.60}"', f"a file without lines above the names, or {named('input_format')}"
    given = next((one for one in ("separator", "input_format") if getattr(source.how, one)), None)
    if given and (other := next((word for sign, word in SEPARATORS.items() if sign in name), "")):
        got, fix = f"it looks separated by {other}", f"leave {named(given)} out"
    return DataError(f"{source.name}, line 1: {expected}; {got}", fix=fix)


def data_in_header(source: Source) -> list[str]:
    """The cells of a first row that looks like data, and is read as names of columns; none of any other table."""
    if source.how.no_header or source.format not in DELIMITED:
        return []
    rows = [cells for _, cells in first_rows(_first_lines(source), separator_of(source), _ROWS_COMPARED)]
    return rows[0] if rows and looks_like_data(rows[0], rows[1:]) else []


def first_fault(source: Source) -> DataError | None:
    """What is wrong with the first row that has more cells than the header, or a quote that has no other."""
    lines = io.StringIO(source.file.read_bytes().decode("utf-8-sig", errors="replace"), newline="").readlines()
    separator, limit = separator_of(source), csv.field_size_limit(sys.maxsize)
    rows = csv.reader(lines, delimiter=separator, strict=True)
    width = end = 0
    try:
        for row in rows:
            place, text, end = f"{source.name}, line {end + 1}", "".join(lines[end : rows.line_num]), rows.line_num
            width = width or len(row)
            if len(row) > width:
                return DataError(
                    f"{place}: expected {width} cells, as in line 1; got {len(row)}",
                    fix=f"quotes around cells that hold {separator_word(separator)}, or {named('separator')}",
                )
            if text.count('"') % 2:
                cell = next((cell for cell in row if cell.count('"') % 2), text)
                said = "a cell that holds a quote to stand in quotes, and the quote to be written as two"
                fix = '"{}"'.format(cell.replace('"', '""'))[:60]
                return DataError(f"{place}: expected {said}; got {cell:.60}", fix=fix)
    except csv.Error:
        said = "a closing quote at the end of each quoted cell; here one has none, or text after it"
        return DataError(f"{source.name}, line {end + 1}: expected {said}", fix=_TWO_QUOTES)
    finally:
        csv.field_size_limit(limit)
    return None


def _has_tabs(start: Start) -> bool:
    return separator_in(start.content.decode(errors="replace")) == "\t"


_TABS, _SIGNS = "Text with tabs between columns.", "Text with commas, semicolons or bars between columns."
FORMAT = (
    Format("tsv", None, _delimited, _has_tabs, -1, (".tsv",), _TABS),
    Format("csv", None, _delimited, lambda _: True, -2, (".csv",), _SIGNS),
)
