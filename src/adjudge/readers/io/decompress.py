"""Unpacking of compressed files and archives; detection of binary files."""

import gzip
import re
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import polars as pl

from adjudge.errors import AdjudgeError, DataError, closest
from adjudge.readers.io.paths import check_size, copied, scratch_file
from adjudge.readers.problems import listed
from adjudge.text.local_models import extra

ZIP = b"PK\x03\x04"

_MOST_COLUMNS = 20_000
"""More than a sheet of Excel can have (16,384)."""
_NO_DATA = re.compile(r"/$|^__MACOSX/|(^|/)(\.[^/]*|Thumbs\.db)$")
"""Folders and system files in an archive."""
FETCH_AGAIN = "download or export the file again"
"""What to do about a damaged file."""

_CONTROL = bytes({*range(32)} - {*b"\t\n\v\f\r\x1b"})


def is_binary(start: bytes) -> bool:
    """Whether a file is no text, by control characters among its first bytes."""
    return len(start.translate(None, _CONTROL)) < len(start)


def begins(path: Path, size: int = 512) -> bytes:
    """The first bytes of a file."""
    with path.open("rb") as file:
        return file.read(size)


def unpacked(path: Path, name: str, wanted: str | None, most: int) -> tuple[Path, str]:
    """The content of a compressed file as a temporary file, and its name; or the file itself.

    wanted: which file of a zip archive with several. most: its maximum bytes. Raises DataError if it holds more, is
    damaged or encrypted, or holds several files; MissingError if zstd needs a package.
    """
    start = begins(path)
    if start.startswith(ZIP):
        return _member(path, name, wanted, most)
    opener = next((opened for mark, opened in _OPENERS.items() if start.startswith(mark)), None)
    if opener is None:
        return path, path.name
    held = path.stem if path.suffix.lower() in {".gz", ".gzip", ".zst", ".zstd"} else path.name
    with damage(name), opener(path) as packed:
        return copied(packed, scratch_file(Path(held).suffix), name, most), held


def _member(path: Path, name: str, wanted: str | None, most: int) -> tuple[Path, str]:
    """The only or wanted file in a zip archive, and its name; a workbook unchanged."""
    with damage(name), zipfile.ZipFile(path) as archive:
        files = [one for one in archive.namelist() if not _NO_DATA.search(one)]
        if "xl/workbook.xml" in files:
            return path, path.name
        chosen = wanted or (files[0] if len(files) == 1 else "")
        if chosen not in files:
            near = closest(chosen, files) or next(iter(files), "")
            message = f"{name}: expected the name of a file in the archive behind its own"
            raise DataError(message, found=listed(files, say=str) or "no files", fix=near and f"{path}#{near}")
        with archive.open(chosen) as packed:
            return copied(packed, scratch_file(Path(chosen).suffix), name, most), Path(chosen).name


def check_width(name: str, columns: int) -> None:
    """Raises DataError for a table with too many columns: memory and time grow with each."""
    if columns > _MOST_COLUMNS:
        raise DataError(f"{name}: expected at most {_MOST_COLUMNS:,} columns; got {columns:,}", fix="fewer columns")


@contextmanager
def damage(name: str) -> Iterator[None]:
    """Errors about a damaged file in the block become a DataError."""
    try:
        yield
    except AdjudgeError:
        raise
    except (Exception, pl.exceptions.PanicException):  # noqa: BLE001 - each kind has its own errors
        raise DataError(f"{name}: cannot be decompressed: damaged or cut off", fix=FETCH_AGAIN) from None


@contextmanager
def checked_archive(path: Path, name: str, most: int) -> Iterator[zipfile.ZipFile]:
    """A zip archive without damaged files, for readers that do not check.

    Raises DataError for a damaged archive, one above `most` bytes, and damage that shows in the block.
    """
    with damage(name), zipfile.ZipFile(path) as archive:
        check_size(name, sum(one.file_size for one in archive.infolist()), most)
        if damaged := archive.testzip():
            raise zipfile.BadZipFile(f"{damaged} is damaged")
        yield archive


def _zstd(path: Path) -> IO[bytes]:
    with extra("zstd", f"{path}: unpacking zstd"):
        import zstandard
    reader = zstandard.ZstdDecompressor().stream_reader
    stream: IO[bytes] = reader(path.open("rb"), closefd=True, read_across_frames=True)
    return stream


_OPENERS: dict[bytes, Callable[[Path], Any]] = {b"\x1f\x8b": gzip.GzipFile, b"\x28\xb5\x2f\xfd": _zstd}
"""First bytes of compressed files -> the function that opens them."""
