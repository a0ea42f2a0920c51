"""Delimited text: a row a line, with commas, semicolons, bars or tabs between columns."""

import csv
import io
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from itertools import islice
from mmap import ACCESS_READ, mmap

import polars as pl

from adjudge.errors import DataError, named
from adjudge.readers.io.decompress import check_width, kind_in_words
from adjudge.readers.io.header import first_rows, looks_like_data, numbered_names
from adjudge.readers.io.source import EXPORT, MARK, SNIFFED, Format, Source, decode

DELIMITED = ("csv", "tsv")
"""The formats of delimited text."""

_ROW_NAMES = "row.names"
"""The name of a first column without one, as pandas and R write it for rows."""

_SEPARATORS = {"csv": ",;|", "tsv": "\t"}
"""What may stand between columns, by format; the likeliest first."""

_WORDS = {",": "commas", ";": "semicolons", "|": "bars", "\t": "tabs"}
_HEADER_BYTES = 1 << 20
_FIRST_PRINTED = " "
"""Of the characters before it, text holds only tabs and the ends of lines."""
_ROWS_TRIED, _ROWS_COMPARED = 20, 100


def separator_of(source: Source) -> str:
    """What stands between the columns of delimited text: what the user says, else what its first rows show."""
    if source.how.separator:
        return {"tab": "\t"}.get(source.how.separator, source.how.separator)
    with source.file.open("rb") as file:
        return separator_in(file.read(SNIFFED), _SEPARATORS[source.format])


def separator_in(start: bytes, known: str = ",;\t|") -> str:
    """The sign that gives the most rows as many cells as the header has; of several the one that gives more cells."""
    lines = _whole_lines(start)
    return max(known, key=lambda sign: _fit(lines, sign))


def _whole_lines(start: bytes) -> str:
    text = start.decode("utf-8-sig", errors="replace")
    return text if len(start) < SNIFFED else text[: text.rfind("\n") + 1]


def separator_word(separator: str) -> str:
    """What stands between columns, in words."""
    return _WORDS.get(separator, f'"{separator}"')


def _fit(text: str, separator: str) -> tuple[float, int]:
    """The share of the first rows that have as many cells as the header, and how many these are."""
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        cells = [len(row) for row in islice(rows, _ROWS_TRIED) if row]
    except csv.Error:
        return 0.0, 0
    return (cells.count(cells[0]) / len(cells), cells[0]) if cells and cells[0] > 1 else (0.0, 0)


def _delimited(source: Source, _: Sequence[str]) -> pl.LazyFrame:
    names, lines, last = _header(source)
    quote = None if quotes_are_letters(source) else '"'
    nameless = bool(names) and bool(lines) and not names[0].strip() and _ROW_NAMES not in names
    names = [_ROW_NAMES, *names[1:]] if nameless else names
    misread = quote is not None and any('"' in name for name in names)  # by polars
    ours = bool(last) or nameless or misread or not lines
    frame = pl.scan_csv(
        source.file,
        separator=separator_of(source),
        quote_char=quote,
        infer_schema=False,
        glob=False,
        has_header=not ours,
        skip_lines=lines if ours else 0,
        schema=dict.fromkeys(names, pl.String()) if ours else None,
    )
    with suppress(*_BROKEN):  # which whoever collects it tells of
        if last and frame.select(pl.any_horizontal(pl.col(last) != "").any()).collect().item():
            raise _twice(source, "")
    return frame.drop(last)


_BROKEN = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)


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
    with source.file.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        if content.find(b'"') < 0:
            return False
        lines = [(number, line) for number, line in enumerate(iter(content.readline, b""), 1) if line.strip()]
    odd = any(b'"' in line and not _is_quoted_well(line) for _, line in lines)
    if len({line.count(b"\t") for _, line in lines}) > 1 or not odd:
        return False
    fault = first_fault(source)
    cells = ((number, one.strip()) for number, line in lines for one in line.removeprefix(MARK).split(b"\t"))
    quoted = ((number, one) for number, one in cells if one[:1] == one[-1:] == b'"' and one.count(b'"') % 2 == 0)
    if fault is not None and (first := next(quoted, None)):
        shown = f"{first[1].decode(errors='replace'):.60} of line {first[0]}"
        raise DataError(
            fault.messages,
            found=f"quotes as ordinary characters, perhaps, as in {shown}",
            fix="a file of JSON lines or Parquet, which put no cell in quotes",
        )
    return fault is not None


def _is_quoted_well(line: bytes) -> bool:
    if line.count(b'"') % 2:
        return False
    with suppress(csv.Error):
        next(csv.reader([line.decode(errors="replace")], delimiter="\t", strict=True))
        return True
    return False


def _header(source: Source) -> tuple[list[str], int, list[str]]:
    """The names of columns, on how many lines they stand, and made names of the last columns if several have none.

    Raises DataError where the first line holds none.
    """
    place = f"{source.name}, line 1"
    with source.file.open("rb") as file:
        begin = file.read(_HEADER_BYTES)
    if found := kind_in_words(begin):
        raise DataError(f"{source.name}: expected a table; got {found}", fix=EXPORT)
    start, end, _ = begin.partition(b"\n")
    text = decode(start, source.name) if end else start.decode("utf-8-sig", errors="replace")
    odd = next((sign for sign in text.rstrip("\r\n") if sign < _FIRST_PRINTED and sign != "\t"), None)
    if odd is not None:
        raise DataError(
            f"{place}: expected the names of columns; got the control character 0x{ord(odd):02X}",
            fix="a file with line feeds at the ends of lines" if odd == "\r" else EXPORT,
        )
    try:
        whole = io.StringIO(begin.decode("utf-8-sig", errors="replace"), newline="")
        rows = csv.reader(whole, delimiter=separator_of(source), strict=True)
        names = next(rows, [])
    except csv.Error:
        raise DataError(
            f"{place}: expected the names of columns; a quote in it has no closing one, or text behind that",
            fix=_TWO_QUOTES,
        ) from None
    if len(names) == 1 and not source.how.no_header:
        wrong, fix = _not_separated(source, names[0])
        raise DataError(f"{place}: expected the names of columns, {wrong}", fix=fix)
    check_width(source.name, len(names))
    if source.how.no_header:
        return numbered_names(len(names)), 0, []
    width = max((place for place, name in enumerate(names, 1) if name), default=0)
    last = [f"__{place}__" for place in range(width, len(names))] if len(names) - width > 1 else []
    names = [*names[: len(names) - len(last)], *last]
    if twice := sorted(name for name, count in Counter(names).items() if count > 1):
        raise _twice(source, twice[0])
    return names, rows.line_num, last


_TWO_QUOTES = 'two quotes ("") for a quote within quotes'


def _not_separated(source: Source, name: str) -> tuple[str, str]:
    """What is wrong with a header of one column, where something else than a table must stand, and how to fix it."""
    if name.lstrip().startswith("<"):
        page = "<html" in name.lower() or "<!doctype html" in name.lower()
        if page:
            return "not a web page", "the file to which the page leads"
        return "not XML", "an export as JSON or CSV; of INCEpTION as WebAnno TSV"
    expected = f"with {separator_word(separator_of(source))} between them"
    sign, other = next(((sign, word) for sign, word in _WORDS.items() if sign in name), ("", ""))
    if other:
        given = next((one for one in ("separator", "input_format") if getattr(source.how, one)), None)
        value = "tab" if sign == "\t" else f"'{sign}'"
        fix = f"leave {named(given)} out" if given else f"{named('separator')} {value}"
        return f"{expected}; it looks separated by {other}", fix
    return f'{expected}; got one, "{name:.60}"', f"a file without lines above the names, or {named('input_format')}"


def data_in_header(source: Source) -> list[str]:
    """The cells of a first row that looks like data, and is read as names of columns; none of any other table."""
    if source.how.no_header or source.format not in DELIMITED:
        return []
    with source.file.open("rb") as file:
        rows = [
            cells for _, cells in first_rows(_whole_lines(file.read(SNIFFED)), separator_of(source), _ROWS_COMPARED)
        ]
    return rows[0] if rows and looks_like_data(rows[0], rows[1:]) else []


def first_fault(source: Source) -> DataError | None:
    """What is wrong with the first row that has more cells than the header, or a quote that has no other."""
    text = source.file.read_bytes().decode("utf-8-sig", errors="replace")
    lines = io.StringIO(text, newline="").readlines()
    limit = csv.field_size_limit(sys.maxsize)
    try:
        return _fault(lines, separator_of(source), source.name)
    finally:
        csv.field_size_limit(limit)


def _fault(lines: Sequence[str], separator: str, name: str) -> DataError | None:
    rows = csv.reader(lines, delimiter=separator, strict=True)
    expected, end = 0, 0
    try:
        for row in rows:
            place, text, end = f"{name}, line {end + 1}", "".join(lines[end : rows.line_num]), rows.line_num
            expected = expected or len(row)
            if len(row) > expected:
                return DataError(
                    f"{place}: expected {expected} cells, as in line 1; got {len(row)}",
                    fix=f"quotes around cells that hold {separator_word(separator)}, or {named('separator')}",
                )
            if text.count('"') % 2:
                bare = separator + text.rstrip("\r\n") + separator
                odd = (cell for cell in row if cell.count('"') % 2 and separator + cell + separator in bare)
                cell = next(odd, text)
                return DataError(
                    f"{place}: expected a cell that holds a quote to stand in quotes, and the quote to be written as "
                    f"two; got {cell:.60}",
                    fix='"{}"'.format(cell.replace('"', '""'))[:60],
                )
    except csv.Error:
        return DataError(
            f"{name}, line {end + 1}: expected a closing quote at the end of each quoted cell; here one has none, or "
            "text after it",
            fix=_TWO_QUOTES,
        )
    return None


_TABS, _SIGNS = "Text with tabs between columns.", "Text with commas, semicolons or bars between columns."
FORMAT = (
    Format("tsv", None, _delimited, lambda start: separator_in(start.content) == "\t", -1, (".tsv",), _TABS),
    Format("csv", None, _delimited, lambda _: True, -2, (".csv",), _SIGNS),
)
