"""Any file that a user has, as a plain one: unpacked, and text in UTF-8.

Compressed files are unpacked, sheets become CSV, Arrow becomes Parquet, JSON of columns becomes a list of records, text
becomes UTF-8 with line feeds. What is plain already stays where it is.
"""

from dataclasses import replace
from pathlib import Path

import polars as pl

from adjudge.errors import DataError
from adjudge.readers.io.decompress import FETCH_AGAIN, PACKED, ZIP, begins, check_size, kind_in_words, unpacked
from adjudge.readers.io.encodings import as_utf8, encoding_of
from adjudge.readers.io.excel import sheet_as_csv
from adjudge.readers.io.json_parts import as_records, part_of
from adjudge.readers.io.markdown_tables import is_markdown_table, markdown_table_as_csv
from adjudge.readers.io.parquet import check_pages, check_rows
from adjudge.readers.io.paths import scratch_file
from adjudge.readers.io.source import How, Source

_XLS = b"\xd0\xcf\x11\xe0"
_ARROW = b"ARROW1"
_ARROW_STREAM = b"\xff\xff\xff\xff"
_PARQUET = b"PAR1"
_BINARY = {".parquet", ".arrow", ".feather", ".ipc", ".xlsx", ".xlsm", ".xls", ".spacy", ".eval", ".zip", *PACKED}
"""How the names of files end that are no text."""


def as_plain(given: Path, name: str, part: str | None, how: How) -> Source:
    """A file as a plain one, whose format is yet to be found out.

    name: as messages call it. part: which sheet of a workbook, file of an archive, or list in JSON. Raises DataError
    for a file that holds more than it may, or is damaged.
    """
    most = how.most
    path, held = unpacked(given, name, part, most)
    start, comma = begins(path), replace(how, separator=",", no_header=False)
    plain = Source(name, "", path, how=how, given=given, held=held)
    if start.startswith((ZIP, _XLS)):
        table, warnings = sheet_as_csv(path, name, part, most, no_header=how.no_header)
        return replace(plain, path=table, how=comma, warnings=warnings)
    if start.startswith((_ARROW, _ARROW_STREAM)):
        check_size(name, path.stat().st_size, most)
        path = _arrow_as_parquet(path, name)
        start = _PARQUET
    if start.startswith(_PARQUET):
        check_pages(path, name)
        check_rows(path, name, most)
    if kind_in_words(start):
        return replace(plain, path=path)
    if how.encoding is None:
        check_called(path, held, name)
    text, warnings = as_utf8(path, name, how.encoding)
    plain = replace(plain, path=text, warnings=warnings)
    if part is not None and not begins(given).startswith(ZIP):
        return part_of(plain, part)
    if how.jq:
        return plain
    if is_markdown_table(text, held):
        return replace(plain, path=markdown_table_as_csv(text, name), how=comma)
    return as_records(plain)


def check_called(path: Path, held: str, name: str) -> None:
    """Raises DataError for a file that is called as those of a binary format are, and is neither that nor text.

    held: its name, without what says how it was packed.
    """
    ending = Path(held).suffix.lower()
    if ending in _BINARY and not begins(path).startswith(ZIP) and encoding_of(path) is None:
        said = f"it begins with the bytes {begins(path)[:4].hex(' ')}, and is no text either"
        raise DataError(f"{name}: this is not a file of the kind {ending}: {said}", fix=FETCH_AGAIN)


def is_workbook(path: Path) -> bool:
    """Whether a file is a workbook of Excel, as its name and its beginning say."""
    return path.suffix.lower() in {".xlsx", ".xlsm", ".xls"} and begins(path).startswith((ZIP, _XLS))


def is_parquet(path: Path) -> bool:
    """Whether a file begins as those of Parquet do."""
    return begins(path).startswith(_PARQUET)


def without_signs(path: Path) -> Path:
    """The file by a name without signs that a reader takes for a pattern of names: files beside it are not meant."""
    if not set("*?[") & set(str(path)):
        return path
    link = scratch_file(path.suffix)
    link.symlink_to(path.resolve())
    return link


def _arrow_as_parquet(path: Path, name: str) -> Path:
    target = scratch_file(".parquet")
    try:
        if begins(path).startswith(_ARROW):
            pl.scan_ipc(path, glob=False).sink_parquet(target, compression="lz4")
        else:
            pl.read_ipc_stream(path).write_parquet(target, compression="lz4")
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        said = str(error).strip().split("\n")[0]
        raise DataError(f"{name}: cannot be read as Arrow: {said:.200}", fix=FETCH_AGAIN) from None
    return target
