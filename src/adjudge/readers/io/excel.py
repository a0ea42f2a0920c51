"""Sheets of Excel (.xlsx, .xls), converted to CSV: cells as their text without formats."""

import zipfile
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from re import fullmatch
from typing import IO
from xml.parsers import expat

from adjudge.errors import DataError, OptionError, closest
from adjudge.readers.io.decompress import FETCH_AGAIN, check_size, checked_archive
from adjudge.readers.io.paths import scratch_file
from adjudge.readers.io.source import Source
from adjudge.readers.problems import listed
from adjudge.text.local_models import extra

_CELL = 32
"""Bytes of memory per cell, even an empty one, before it becomes text."""


def sheet_as_csv(source: Source, wanted: str | None) -> Source:
    """A sheet as a file of CSV without empty columns, with a warning if the workbook has others.

    wanted: its name, by default the only one with a table, or else the first.
    Raises MissingError if the package that reads sheets is not installed, DataError for an unreadable or too large
    workbook, OptionError for a missing sheet, and if several are possible.
    """
    path, name = source.file, source.name
    with extra("excel", f"{name}: reading Excel"):
        import fastexcel
    if zipfile.is_zipfile(path):
        _check_cells(path, name, source.how.most)
    try:
        workbook = fastexcel.read_excel(str(path))
        names, read = workbook.sheet_names, partial(workbook.load_sheet, header_row=None, dtypes="string")
        sheets = {sheet: read(sheet).to_polars() for sheet in names if wanted in (None, sheet)}
    except fastexcel.FastExcelError:
        raise DataError(f"{name}: cannot be read as Excel: it is no workbook, or damaged", fix=FETCH_AGAIN) from None
    tables = [sheet for sheet, rows in sheets.items() if min(rows.shape) > 1]
    if len(tables) > 1 and not wanted:
        fix = f"'{name}#{tables[0]}', or several sheets named like this"
        raise OptionError(f"{name}: several sheets hold tables", found=listed(tables), fix=fix)
    chosen = wanted or next(iter((*tables, *names)), "")
    if chosen not in sheets:
        near = closest(chosen, names)
        raise OptionError(f"{name}: no sheet {chosen} in it", found=listed(names), fix=near and f"{path}#{near}")
    target, rows = scratch_file(".csv"), sheets[chosen]
    rows.select(column for column in rows if column.count()).write_csv(target, include_header=False)
    how, others = replace(source.how, separator=","), [one for one in names if one != chosen]
    if wanted:
        return replace(source, path=target, how=how, held=f"{path.stem}/{wanted}{path.suffix}")
    plain = replace(source, path=target, how=how)
    if not others:
        return plain
    told = f"{name}: of {len(names)} sheets {chosen} is read, and not {listed(others)}"
    return plain.with_warnings(f"{told}; {path.name}#{others[0]} reads another")


def _check_cells(path: Path, name: str, most: int) -> None:
    """Raises DataError for a damaged workbook, and for one that needs more than `most` bytes.

    A sheet needs memory for each cell up to its last row and column, whatever size it declares.
    """
    with checked_archive(path, name, most) as archive:
        for one in archive.namelist():
            try:
                with archive.open(one) as file:
                    check_size(f"{name}, {one} up to its last cell", _CELL * _area(file), most)
            except expat.ExpatError as error:
                if b"sheetData" in archive.read(one):
                    raise zipfile.BadZipFile(f"{one}: {error}") from None


def _area(file: IO[bytes]) -> int:
    """Number of a sheet's cells up to its last non-empty row and column; 0 for any other XML."""
    row = column = rows = columns = 0

    def start(tag: str, attributes: Mapping[str, str]) -> None:
        nonlocal row, column, rows, columns
        kind = tag.rpartition(":")[2]
        if kind == "row":
            row, column = int(attributes.get("r", row + 1)), 0
        elif kind == "c":
            column += 1
            if place := fullmatch(r"([A-Za-z]{1,9})(\d{1,9})", attributes.get("r", "")):
                row, column = int(place[2]), sum((ord(one) & 31) * 26**at for at, one in enumerate(place[1][::-1]))
        elif kind in ("v", "is"):
            rows, columns = max(rows, row), max(columns, column)

    parser = expat.ParserCreate()
    parser.StartElementHandler = start
    parser.ParseFile(file)
    return rows * columns
