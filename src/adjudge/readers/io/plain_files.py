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
from adjudge.readers.io.parquet import check_parquet
from adjudge.readers.io.paths import scratch_file
from adjudge.readers.io.source import How, Source

_XLS = b"\xd0\xcf\x11\xe0"
_ARROW = b"ARROW1"
_ARROW_STREAM = b"\xff\xff\xff\xff"
PARQUET = b"PAR1"
SHEETS = {".xlsx", ".xlsm", ".xls"}
"""How the names of workbooks end."""
_BINARY = {".parquet", ".arrow", ".feather", ".ipc", ".spacy", ".eval", ".zip", *SHEETS, *PACKED}
"""How the names of files end that are no text."""


def as_plain(given: Path, name: str, part: str | None, how: How) -> Source:
    """A file as a plain one, whose format is yet to be found out.

    name: as messages call it. part: which sheet of a workbook, file of an archive, or list in JSON. Raises DataError
    for a file that holds more than it may, or is damaged.
    """
    path, held = unpacked(given, name, part, how.most)
    plain, start = Source(name, "", path, how=how, given=given, held=held), begins(path)
    if start.startswith((ZIP, _XLS)):
        table, told = sheet_as_csv(path, name, part, how.most)
        return replace(plain, path=table, how=replace(how, separator=","), warnings=tuple(told))
    if start.startswith((_ARROW, _ARROW_STREAM)):
        check_size(name, path.stat().st_size, how.most)
        path, start = _arrow_as_parquet(path, name), PARQUET
    if start.startswith(PARQUET):
        check_parquet(path, name, how.most)
    if kind_in_words(start):
        return replace(plain, path=path)
    if how.encoding is None:
        check_called(path, held, name)
    path, told = as_utf8(path, name, how.encoding)
    further: tuple[str, ...] = ()
    if part is not None and not begins(given).startswith(ZIP):
        path, further = part_of(path, name, part)
    elif not how.jq:
        path, further = as_records(path, name)
    return replace(plain, path=path, warnings=(*told, *further))


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
    return path.suffix.lower() in SHEETS and begins(path).startswith((ZIP, _XLS))


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
        is_file = begins(path).startswith(_ARROW)
        frame = pl.scan_ipc(path, glob=False) if is_file else pl.read_ipc_stream(path).lazy()
        frame.sink_parquet(target, compression="lz4")
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        said = str(error).strip().split("\n")[0]
        raise DataError(f"{name}: cannot be read as Arrow: {said:.200}", fix=FETCH_AGAIN) from None
    return target
