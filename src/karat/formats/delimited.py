"""Text with commas or tabs between columns: the names of columns in the first line, then a row a line."""

import csv
import io
import sys
from collections.abc import Sequence
from typing import TextIO

import polars as pl

from karat.errors import DataError
from karat.formats.registry import Format, Start
from karat.formats.source import Source, decode

SEPARATORS = {"csv": ",", "tsv": "\t"}
"""What stands between columns, by format."""

_WORDS = {",": "commas", ";": "semicolons", "\t": "tabs"}
_HEADER_BYTES = 1 << 20
_FIRST_PRINTED = " "
"""Of the characters before it, text holds only tabs and the ends of lines."""


def _read(source: Source, _: Sequence[str]) -> pl.LazyFrame:
    _check_header(source)
    return pl.scan_csv(source.file, separator=SEPARATORS[source.format], infer_schema=False)


def _check_header(source: Source) -> None:
    """Raises DataError where the first line holds no names of columns."""
    place = f"{source.name}, line 1"
    with source.file.open("rb") as file:
        start = file.readline(_HEADER_BYTES)
    text = decode(start, source.name) if start.endswith(b"\n") else start.decode("utf-8-sig", errors="replace")
    odd = next((sign for sign in text.rstrip("\r\n") if sign < _FIRST_PRINTED and sign != "\t"), None)
    if odd is not None:
        hint = "End its lines with line feeds" if odd == "\r" else "It may be compressed or binary: export it as text"
        raise DataError(f"{place}: expected the names of columns; got the control character 0x{ord(odd):02X}. {hint}")
    try:
        names = next(csv.reader(io.StringIO(text, newline=""), delimiter=SEPARATORS[source.format]), [])
    except csv.Error as error:
        raise DataError(f"{place}: expected the names of columns; {error}") from None
    if len(names) == 1:
        raise DataError(f"{place}: expected the names of columns, {_not_separated(source, names[0])}")
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise DataError(f'{place}: the column "{twice[0]:.60}" stands twice. Rename one of them')


def _not_separated(source: Source, name: str) -> str:
    """What is wrong with a header of one column: no data fits there, so something else must stand in its place."""
    expected = f"with {_WORDS[SEPARATORS[source.format]]} between them"
    other = next((word for sign, word in _WORDS.items() if sign in name), None)
    if other is not None:
        return f"{expected}; it looks separated by {other}. Save it with commas as .csv, or tabs as .tsv"
    return (
        f'{expected}; got one, "{name:.60}". Remove the lines above the names, if there are any, or say with '
        "--input-format what the file is"
    )


def first_fault(source: Source) -> DataError | None:
    """What is wrong with the first row that has more cells than the header, or a quoted cell that does not end."""
    limit = csv.field_size_limit(sys.maxsize)
    try:
        with source.file.open(encoding="utf-8-sig", errors="replace", newline="") as file:
            return _fault(file, source)
    finally:
        csv.field_size_limit(limit)


def _fault(file: TextIO, source: Source) -> DataError | None:
    separator = SEPARATORS[source.format]
    rows = csv.reader(file, delimiter=separator, strict=True)
    expected, line = 0, 1
    try:
        for row in rows:
            expected = expected or len(row)
            if len(row) > expected:
                return DataError(
                    f"{source.name}, line {line}: expected {expected} cells, as in line 1; got {len(row)}. Put cells "
                    f"that hold {_WORDS[separator]} in quotes, or say with --input-format what stands between cells "
                    "(csv: commas, tsv: tabs)"
                )
            line = rows.line_num + 1
    except csv.Error:
        return DataError(
            f"{source.name}, line {line}: expected a closing quote at the end of each quoted cell; here one has none, "
            'or text after it. Write a quote within a quoted cell as two ("")'
        )
    return None


def _has_tabs(start: Start) -> bool:
    line = start.content.partition(b"\n")[0]
    return line.count(b"\t") > line.count(b",")


FORMAT = (
    Format("tsv", None, _read, _has_tabs, -1, (".tsv",), "Text with tabs between columns."),
    Format("csv", None, _read, lambda _: True, -2, (".csv",), "Text with commas between columns."),
)
