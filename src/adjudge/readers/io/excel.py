"""Sheets of Excel (.xlsx, .xls), converted to CSV: cells as their text without formats."""

import re
import zipfile
from dataclasses import replace
from functools import partial
from pathlib import Path

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
    likely = tables or names
    chosen = wanted or ("" if tables[1:] else likely[0])
    if chosen not in sheets:
        message = f"{name}: expected the name of a sheet behind the file's, or several such inputs"
        raise OptionError(message, found=listed(likely), fix=f"'{path}#{closest(chosen, names) or likely[0]}'")
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


_PLACE = re.compile(rb"""\sr\s*=\s*["']([A-Z]{1,3})(\d{1,9})["']""")
"""The column and the row of a cell; cells without them follow one another."""


def _check_cells(path: Path, name: str, most: int) -> None:
    """Raises DataError for a damaged workbook, and for one that needs more than `most` bytes.

    A sheet needs memory for each cell up to its last row and column, whatever size it declares.
    """
    with checked_archive(path, name, most) as archive:
        for one in archive.namelist():
            content = archive.read(one)
            rows = columns = content.count(b"<c>")
            for letters, row in map(re.Match.groups, _PLACE.finditer(content)):
                column = sum((sign & 31) * 26**at for at, sign in enumerate(letters[::-1]))
                rows, columns = max(rows, int(row)), max(columns, column)
            check_size(f"{name}, {one} up to its last cell", _CELL * rows * columns, most)
