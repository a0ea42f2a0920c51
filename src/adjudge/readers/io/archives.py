"""Zip archives of several files, which stand for these as a folder does."""

import zipfile
from collections.abc import Sequence
from contextlib import suppress
from os import PathLike
from pathlib import Path, PurePosixPath

from adjudge.readers.io.decompress import UNOPENED, WORKBOOK, ZIP, begins, check_size, damage, is_data
from adjudge.readers.io.temporary_files import scratch_file


def files_in_archive(data: object) -> Sequence[str]:
    """The names of the files in a zip archive that holds several; none for anything else."""
    if not isinstance(data, str | PathLike) or not Path(data).is_file():
        return ()
    with suppress(OSError, ValueError, *UNOPENED):  # which whoever reads it tells of
        if begins(Path(data)).startswith(ZIP):
            with zipfile.ZipFile(data) as archive:
                every = archive.namelist()
            held = sorted(filter(is_data, every))
            return held if len(held) > 1 and WORKBOOK not in every else ()
    return ()


def folder_of_archive(path: Path, most: int) -> Path:
    """The files in an archive as those of a temporary folder; a folder that holds all of them is that folder.

    most: how many bytes they may hold together.
    """
    target, held = scratch_file(""), files_in_archive(path)
    with damage(str(path)), zipfile.ZipFile(path) as archive:
        check_size(str(path), sum(archive.getinfo(one).file_size for one in held), most)
        archive.extractall(target, held)
    tops = {PurePosixPath(one).parts[0] for one in held}
    inner = target / next(iter(tops))
    return inner if len(tops) == 1 and inner.is_dir() else target
