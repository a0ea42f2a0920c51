"""Any file that a user has, as a plain one: unpacked, and text in UTF-8.

Compressed files are unpacked, sheets become CSV, Arrow becomes Parquet, JSON of columns becomes a list of records, text
becomes UTF-8 with line feeds. What is plain already stays where it is.
"""

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import polars as pl

from karat.errors import DataError, OptionError, nearest
from karat.formats.encodings import as_utf8, encoding_of
from karat.formats.findings import listed
from karat.formats.parquet import check_rows
from karat.formats.parquet_pages import check_pages
from karat.formats.scratch import scratch_file
from karat.formats.sheets import sheet_as_csv
from karat.formats.unpacking import ZIP, begins, check_size, kind_in_words, unpacked

_XLS = b"\xd0\xcf\x11\xe0"
_ARROW = b"ARROW1"
_ARROW_STREAM = b"\xff\xff\xff\xff"
_PARQUET = b"PAR1"
_OF_COLUMNS = re.compile(rb'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*(?:\[\s*(?:["\d\-\[tfn]|\])|\{\s*"0"\s*:)')
"""How JSON of columns begins: {"a": [1, or, as pandas writes it, {"a": {"0": or {"columns": ["a"."""

_CALLED = {
    ".parquet": "a Parquet file",
    **dict.fromkeys((".arrow", ".feather", ".ipc"), "an Arrow file"),
    **dict.fromkeys((".xlsx", ".xlsm"), "an Excel workbook"),
    ".xls": "an old Excel workbook",
    ".spacy": "a file of spaCy's DocBin",
    ".eval": "a log of Inspect",
    **dict.fromkeys((".gz", ".gzip"), "a file compressed with gzip"),
    **dict.fromkeys((".zst", ".zstd"), "a file compressed with zstd"),
    ".bz2": "a file compressed with bzip2",
    ".xz": "a file compressed with xz",
    ".zip": "a zip archive",
}
"""How the names of files that are no text end -> what such a file is."""


@dataclass(frozen=True, slots=True)
class Plain:
    """A plain file.

    held: its name, without what says how it was packed. separator: what stands between its columns, where that is
    known. warnings: what was done.
    """

    path: Path
    held: str
    separator: str | None = None
    warnings: tuple[str, ...] = ()


def as_plain(given: Path, name: str, part: str | None, encoding: str | None, most: int) -> Plain:
    """A file as a plain one.

    name: as messages call it. part: which sheet of a workbook, file of an archive, or list in JSON. encoding: of text;
    by default what is found out. most: how many bytes it may hold once it is unpacked. Raises DataError for a file that
    holds more, or is damaged.
    """
    path, held = unpacked(given, name, part, most)
    start = begins(path)
    if start.startswith((ZIP, _XLS)):
        table, warnings = sheet_as_csv(path, name, part, most)
        return Plain(table, held, ",", warnings)
    if start.startswith((_ARROW, _ARROW_STREAM)):
        check_size(name, path.stat().st_size, most)
        path = _arrow_as_parquet(path, name)
        start = _PARQUET
    if start.startswith(_PARQUET):
        check_pages(path, name)
        check_rows(path, name, most)
        return Plain(path, held)
    if kind_in_words(start):
        return Plain(path, held)
    if encoding is None:
        check_called(path, held, name)
    text, warnings = as_utf8(path, name, encoding)
    if part is not None and not begins(given).startswith(ZIP):
        return Plain(_list_in(text, name, part), held, None, warnings)
    return Plain(_as_records(text, name), held, None, warnings)


def check_called(path: Path, held: str, name: str) -> None:
    """Raises DataError for a file that is called as those of a binary format are, and is neither that nor text.

    held: its name, without what says how it was packed.
    """
    what = _CALLED.get(Path(held).suffix.lower())
    if what and not begins(path).startswith(ZIP) and encoding_of(path) is None:
        said = f"it begins with the bytes {begins(path)[:4].hex(' ')}, and is no text either"
        raise DataError(f"{name}: this is not {what}: {said}. It may be damaged: fetch it again, or export it anew")


def is_workbook(path: Path) -> bool:
    """Whether a file is a workbook of Excel, as its name and its beginning say."""
    return path.suffix.lower() in {".xlsx", ".xlsm", ".xls"} and begins(path).startswith((ZIP, _XLS))


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
        raise DataError(f"{name}: cannot be read as Arrow: {said:.200}. The file may be damaged") from None
    return target


def _list_in(path: Path, name: str, part: str) -> Path:
    """A list in an object of JSON as a document of its own. Raises OptionError where there is none of that name."""
    from karat.formats.documents import json_text, parse
    from karat.formats.source import decode

    if not begins(path).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        raise OptionError(f"{name}: no part {part}: only workbooks, archives and objects of JSON have parts")
    document = parse(decode(path.read_bytes(), name), name)
    lists = [key for key, value in document.items() if isinstance(value, list)]
    if part not in lists:
        raise OptionError(f"{name}: no list {part} in it{nearest(part, lists)}; it holds {listed(lists) or 'none'}")
    target = scratch_file(".json")
    target.write_text(json_text(document[part]), encoding="utf-8", errors="backslashreplace")
    return target


def _as_records(path: Path, name: str) -> Path:
    """JSON of columns as a list of records; any other file stays."""
    from karat.formats.documents import json_text, parse
    from karat.formats.source import decode

    with path.open("rb") as file:
        if not _OF_COLUMNS.match(file.read(4096).removeprefix(b"\xef\xbb\xbf")) or _are_lines(file):
            return path
    document = parse(decode(path.read_bytes(), name), name)
    columns = _columns(document)
    if columns is None:
        return path
    if len(set(map(len, columns.values()))) > 1:
        lengths = ", ".join(f"{column:.60} {len(values)}" for column, values in columns.items())
        raise DataError(f"{name}: expected columns of one length; got {lengths:.300}")
    target = scratch_file(".json")
    rows = (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))
    target.write_text(f"[{','.join(map(json_text, rows))}]", encoding="utf-8")
    return target


def _split(document: dict[str, Any]) -> list[str] | None:
    """The names of columns where rows stand beside them, as pandas writes it: {"columns": ["a"], "data": [[1]]}."""
    names, rows = document.get("columns"), document.get("data")
    if not (document.keys() <= {"columns", "index", "data"} and isinstance(names, list) and isinstance(rows, list)):
        return None
    whole = all(isinstance(row, list) and len(row) == len(names) for row in rows)
    return names if whole and all(isinstance(name, str) for name in names) else None


def _are_lines(file: BinaryIO) -> bool:
    """Whether a file holds JSON lines: its first line is an object, and others follow."""
    file.seek(0)
    with suppress(ValueError, RecursionError):
        return isinstance(json.loads(file.readline()), dict) and bool(file.readline().strip())
    return False


def _columns(document: Any) -> dict[str, Sequence[Any]] | None:  # noqa: ANN401 - JSON holds anything
    """The columns of a JSON object all of whose values are lists, or all objects with the same keys."""
    if type(document) is not dict or len(document) < 2:  # noqa: PLR2004 - one list alone is a list with a name
        return None
    if (names := _split(document)) is not None:
        return {name: [row[place] for row in document["data"]] for place, name in enumerate(names)}
    values = list(document.values())
    if all(isinstance(one, list) for one in values):
        return document
    same = all(type(one) is dict and list(one) == list(values[0]) for one in values)
    return {name: list(one.values()) for name, one in document.items()} if same else None
