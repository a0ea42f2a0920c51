"""Conversions of files to plain ones: unpacked, text as UTF-8, sheets of Excel as CSV, Arrow as Parquet.

UTF-8 stays unchanged. A byte-order mark identifies UTF-16. Other text may be Western European (cp1252, which includes
Latin-1), if its letters are between ASCII letters. The user must name any other encoding, since its bytes are
ambiguous.
"""

import codecs
import re
import zipfile
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import dropwhile
from pathlib import Path

import polars as pl

from adjudge.errors import DataError, OptionError, closest, flag_name
from adjudge.readers.io.decompress import FETCH_AGAIN, ZIP, begins, checked_archive, damage, is_binary, unpacked
from adjudge.readers.io.json_documents import BY_PROGRAM
from adjudge.readers.io.paths import CHUNK, check_size, scratch_file
from adjudge.readers.io.source import How, Source
from adjudge.readers.problems import count_words, listed
from adjudge.text.local_models import extra

XLS, _ARROW, _ARROW_STREAM = b"\xd0\xcf\x11\xe0", b"ARROW1", b"\xff\xff\xff\xff"
"""How files begin."""
_SEPARATOR = re.compile(rb"(?:\xef\xbb\xbf)?sep=(.)\r?(?=\n)")
"""The first line that Excel writes to name the separator; an empty one replaces it."""
_LETTERS = re.compile("[^\x00-\x7f]+")


_CELL = 32
"""Bytes of memory per cell, even an empty one, before it becomes text."""
_FILLED_CELL = re.compile(rb'<(?:\w+:)?c\b[^<>]*?\br="([A-Z]+)(\d+)"[^<>]*(?<!/)>\s*<(?!/)')
"""A cell with content in the XML of a sheet, its column and its row."""
_STYLED = re.compile(rb'<c (r="[A-Z]+\d+") s="(\d+)"(?: t="n")?>(?:<f[^>]*/>|<f.*?</f>)?<v>([-+.\deE]+)</v></c>')
"""A number in the XML of a sheet, its place and the index of its format."""
_PERCENT, _PERCENTS = re.compile(rb'<numFmt numFmtId="(\d+)" formatCode="(?:[^"&\\]|&(?!quot;))*%'), {b"9", b"10"}
"""A format of percentages, and the numbers of those that need no definition."""


def plain_file(given: Path, name: str, part: str | None, how: How) -> Source:
    """A file as a plain one: unpacked, and text in UTF-8.

    Sheets become CSV, Arrow becomes Parquet. part: sheet of a workbook, or file of an archive.
    """
    path, held = unpacked(given, name, part, how.most)
    plain, start = Source(name, "", path, how=how, given=given, held=held), begins(path)
    if start.startswith((ZIP, XLS)):
        return _sheet_as_csv(plain, part)
    if start.startswith((_ARROW, _ARROW_STREAM)):
        target, read = scratch_file(".parquet"), pl.read_ipc if start.startswith(_ARROW) else pl.read_ipc_stream
        with damage(name), path.open("rb") as file:
            read(file).write_parquet(target, compression="lz4")
        return replace(plain, path=target)
    if start.startswith(b"PAR1"):
        return plain
    if part is not None and not begins(given).startswith(ZIP):
        raise OptionError(f"{name}: only workbooks and archives have parts; got the part {part}", fix=BY_PROGRAM)
    plain = _as_utf8(plain)
    if separator := _SEPARATOR.match(begins(plain.file)):
        path, content = scratch_file(plain.file.suffix), plain.file.read_bytes()
        path.write_bytes(content[separator.end() :])
        plain = replace(plain, path=path, how=replace(plain.how, separator=separator[1].decode()))
    return plain


# --- encodings ---


def _as_utf8(source: Source) -> Source:
    """The file, or a temporary one with its text in UTF-8, with warnings about changes.

    A given encoding applies only to files that are neither UTF-8 nor UTF-16, which other files may be.
    A file without text or detectable encoding stays unchanged; its reader reports it. Raises DataError for a byte
    invalid in the given encoding.
    """
    path, name, given = source.file, source.name, source.how.encoding
    found = encoding_of(path)
    certain = found in ("utf-8", "utf-16")
    used = found if certain else given or found
    if certain and given and not given.startswith(str(used)):
        source = source.with_warnings(f"{name}: read as {str(used).upper()}, which it is, and not as {given}")
    if used in (None, "ascii", "utf-8", "utf-8-sig"):
        return source
    plain = scratch_file(path.suffix)
    try:
        plain.write_text(path.read_bytes().decode(used), encoding="utf-8", newline="")
    except UnicodeError:
        fix = f"{flag_name('encoding')} NAME, such as utf-8 or cp1252"
        raise DataError(f"{name}: expected text in {used}; got other bytes", fix=fix) from None
    told = f"{name}: read as {used}; if its letters look wrong, name its encoding with --encoding"
    return source.with_warnings(*[told] * (not given), path=plain)


def encoding_of(path: Path) -> str | None:
    """The detected encoding of a file of text; None for any other file, or if undetected.

    It is cp1252, unless it lacks some bytes, or most non-ASCII letters but "ß" are in runs, as in other languages.
    """
    start = begins(path, CHUNK)
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if is_binary(start):
        return None
    with path.open("rb") as file, suppress(UnicodeDecodeError):
        # chunks of ASCII need no decoding; the rest is decoded to its end, for any invalid byte
        rest = dropwhile(bytes.isascii, iter(partial(file.read, CHUNK), b""))
        return "utf-8" if list(map(len, codecs.iterdecode(rest, "utf-8"))) else "ascii"
    with suppress(UnicodeDecodeError):
        runs = _LETTERS.findall(path.read_bytes().decode("cp1252").replace("ß", ""))
        return None if 2 * sum(len(run) > 1 for run in runs) > len(runs) else "cp1252"
    return None


# --- Excel ---


def _sheet_as_csv(source: Source, wanted: str | None) -> Source:
    """A sheet as a file of CSV without empty columns: cells as their text, without formats but for percentages.

    wanted: its name, by default the only one with a table, or else the first; a warning names the others.
    Raises MissingError if the package that reads sheets is not installed, DataError for an unreadable or too large
    workbook, OptionError for a missing sheet, and if several are possible.
    """
    path, name = source.file, source.name
    with extra("excel", f"{name}: reading Excel"):
        import fastexcel
    if zipfile.is_zipfile(path):
        _check_cells(path, name, source.how.most)
        path, count = _with_percentages(path)
        some = f"{name}: {count_words(count, 'cell', 'cells')} in percent read as shown in Excel, such as 35% for 0.35"
        source = source.with_warnings(*[some] * bool(count))
    try:
        workbook = fastexcel.read_excel(str(path))
        names, read = workbook.sheet_names, partial(workbook.load_sheet, header_row=None, dtypes="string")
        sheets = {sheet: read(sheet).to_polars() for sheet in names if wanted in (None, sheet)}
    except fastexcel.FastExcelError:
        raise DataError(f"{name}: damaged, or not an Excel workbook", fix=FETCH_AGAIN) from None
    tables = [sheet for sheet, rows in sheets.items() if min(rows.shape) > 1]
    chosen = wanted or next(iter((*tables, *names)), "")
    if chosen not in sheets or (len(tables) > 1 and not wanted):
        near = closest(chosen, names)
        message = f"{name}: expected the name of one of its sheets behind its own"
        raise OptionError(message, found=listed(names), fix=near and f"'{path}#{near}'")
    target = scratch_file(".csv")
    rows = sheets[chosen].with_columns(pl.all().str.replace("^([-0-9]{10}) 00:00:00$", "$1"))  # dates are days
    rows.select(column for column in rows if column.count()).write_csv(target, include_header=False)
    plain, others = replace(source, path=target, how=replace(source.how, separator=",")), {*names} - {chosen}
    if wanted:
        return replace(plain, held=f"{wanted}{path.suffix}")
    told = f"{name}: of {len(names)} sheets {chosen} is read; another is {path.name}#{next(iter(others), '')}"
    return plain.with_warnings(*[told] * bool(others))


def _check_cells(path: Path, name: str, most: int) -> None:
    """Raises DataError for a damaged workbook, and for one that needs more than `most` bytes.

    A sheet needs memory for each cell up to its last row and column with content.
    """
    with checked_archive(path, name, most) as archive:
        for one in archive.namelist():
            columns, rows = {b"A"}, 0
            for cell in _FILLED_CELL.finditer(archive.read(one)):
                columns.add(cell[1])
                rows = max(rows, int(cell[2]))
            width = max(sum((letter - 64) * 26**at for at, letter in enumerate(column[::-1])) for column in columns)
            check_size(f"{name}, {one} up to its last cell", _CELL * width * rows, most)


def _with_percentages(path: Path) -> tuple[Path, int]:
    """A workbook whose cells in percent hold text such as 12.5%, with all digits, and their number."""
    count, target = 0, scratch_file(".xlsx")
    with zipfile.ZipFile(path) as archive, zipfile.ZipFile(target, "w") as written:
        styles = archive.read("xl/styles.xml") if "xl/styles.xml" in archive.namelist() else b""
        used = re.findall(rb'<xf [^>]*?numFmtId="(\d+)"', styles.partition(b"<cellXfs")[2].partition(b"</cellXfs>")[0])
        percents = {b"%d" % at for at, one in enumerate(used) if one in {*_PERCENTS, *_PERCENT.findall(styles)}}

        def as_shown(cell: re.Match[bytes]) -> bytes:
            shown = b'<c %s t="str"><v>%s%%</v></c>' % (cell[1], f"{float(cell[3]) * 100:.12g}".encode())
            return shown if cell[2] in percents else cell[0]

        for one in archive.namelist() if percents else ():
            content = archive.read(one)
            changed = _STYLED.sub(as_shown, content) if one.startswith("xl/worksheets/") else content
            count += changed.count(b"%</v></c>") - content.count(b"%</v></c>")
            written.writestr(one, changed)
    return (target, count) if count else (path, 0)
