"""Sheets of Excel (.xlsx, .xls), turned into CSV: cells as the text that they show without formats."""

import zipfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from re import fullmatch
from typing import IO
from xml.parsers import expat

import polars as pl

from adjudge.errors import DataError, MissingError, OptionError, closest
from adjudge.readers.io.decompress import FETCH_AGAIN, check_size, checked_archive, damage
from adjudge.readers.io.header import Heading, are_totals, heading_of, left_out, numbered_names
from adjudge.readers.io.paths import scratch_file
from adjudge.readers.problems import listed
from adjudge.version import NAME

ENDING = ".csv"
_HEAD = 20
"""The rows among which the names of columns are looked for."""
_FEWEST = 2
_CELL = 32
"""The bytes that a cell takes in memory, even an empty one, before it becomes text."""


def sheet_as_csv(
    path: Path, name: str, wanted: str | None, most: int, *, no_header: bool = False
) -> tuple[Path, tuple[str, ...]]:
    """A sheet as a file of CSV, and a warning where the workbook has others.

    wanted: its name, by default the one that holds a table, or else the first.
    Its first row of several cells holds the names of columns, and what stands above is told, as are totals below a
    blank row, which are left out; columns without name and without values are left out too.
    Raises MissingError where the package that reads sheets is not installed, DataError for a workbook that cannot be
    read, one that holds more than `most` bytes and a sheet without rows, OptionError for a sheet that is not there,
    and where several may be meant.
    """
    try:
        import fastexcel
    except ImportError:
        raise MissingError(f"{name}: reading Excel needs an extra", fix=f'pip install "{NAME}[excel]"') from None
    if zipfile.is_zipfile(path):
        _check_cells(path, name, most)
    try:
        workbook = fastexcel.read_excel(str(path))
        names = workbook.sheet_names
        sheets = {
            sheet: workbook.load_sheet(sheet, header_row=None, dtypes="string").to_polars()
            for sheet in ([wanted] if wanted in names else [] if wanted else names)
        }
    except fastexcel.FastExcelError:
        raise DataError(f"{name}: cannot be read as Excel: it is no workbook, or damaged", fix=FETCH_AGAIN) from None
    chosen = wanted or _with_table(sheets, name)
    if chosen not in sheets:
        near = closest(chosen, names)
        raise OptionError(f"{name}: no sheet {chosen} in it", found=listed(names), fix=near and f"{path}#{near}")
    target, rows = scratch_file(ENDING), sheets[chosen]
    has_cells = (
        rows.select(pl.any_horizontal(pl.all().is_not_null())).to_series()
        if rows.width
        else pl.Series([], dtype=pl.Boolean)
    )
    filled = rows.filter(has_cells) if rows.width else rows
    heading = heading_of(filled.head(_HEAD).rows()) if filled.height else Heading(0, 1, ())
    told = list(heading.told)
    blank = has_cells.not_().arg_true()
    if len(blank) and are_totals(rows[: blank[-1]].rows(), below := rows[blank[-1] + 1 :].rows()):
        filled, told = filled[: -len(below)], [*told, left_out(below)]
    if no_header:
        heading = Heading(0, 0, tuple(numbered_names(filled.width)))
    place = f"{name}, sheet {chosen}"
    held = filled[heading.above + heading.rows :]
    _table(heading.names, held, place).write_csv(target)
    others = [one for one in names if one != chosen]
    hint = f"name another behind the file, as in {path.name}#{others[0]}" if others else ""
    read = f"{name}: of {len(names)} sheets {chosen} is read, and not {listed(others)}; {hint}"
    return target, (*([read] if others and not wanted else []), *(f"{place}: {one}" for one in told))


def _with_table(sheets: Mapping[str, pl.DataFrame], name: str) -> str:
    """The sheet that holds a table of three columns and two rows, or else of two columns, or else the first.

    Raises OptionError where several do.
    """
    for width in (3, 2, 0):
        tables = [sheet for sheet, rows in sheets.items() if _columns_filled(rows) >= width]
        if len(tables) > 1 and width:
            known = listed(tables)
            raise OptionError(f"{name}: several sheets hold tables", found=known, fix=f"'{name}#{tables[0]}'")
        if tables:
            return tables[0]
    return ""


def _columns_filled(rows: pl.DataFrame) -> int:
    """How many columns of a sheet have a name and two cells at least."""
    return sum(column.count() > _FEWEST for column in rows)


def _check_cells(path: Path, name: str, most: int) -> None:
    """Raises DataError for a damaged workbook, and for one that takes more than `most` bytes.

    A sheet takes memory for each cell up to its last row and column, whatever it says of its size.
    """
    with damage(name), checked_archive(path, name, most) as archive:
        for one in archive.namelist():
            try:
                with archive.open(one) as file:
                    check_size(f"{name}, {one} up to its last cell", _CELL * _area(file), most)
            except expat.ExpatError as error:
                if b"sheetData" in archive.read(one):
                    raise zipfile.BadZipFile(f"{one}: {error}") from None


def _area(file: IO[bytes]) -> int:
    """How many cells a sheet has up to the last row and column that hold something; 0 for any other XML."""
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


def _table(names: Sequence[str | None], held: pl.DataFrame, place: str) -> pl.DataFrame:
    """Rows under their names. Raises DataError for names that stand twice, and for values without one."""
    if not names:
        raise DataError(f"{place}: expected names of columns in its first row; it is empty")
    named = [place for place, name in enumerate(names) if name is not None or held.to_series(place).count()]
    if nameless := [number + 1 for number in named if names[number] is None]:
        raise DataError(f"{place}, column {nameless[0]}: expected a name in its first row; it has values and no name")
    twice = [name for name, count in Counter(names[one] for one in named).items() if count > 1]
    if twice:
        raise DataError(f'{place}: the column "{twice[0]:.60}" stands twice', fix="another name for one of them")
    return held.select(held.to_series(one).alias(names[one] or "") for one in named)
