"""Paths: patterns and folders, which represent their files, and temporary files.

Temporary files hold converted inputs. They are removed when Python ends.
"""

import atexit
import glob
import re
from functools import cache
from itertools import count
from os import PathLike
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any

from adjudge.errors import OptionError, check_regular, encodable, missing_file
from adjudge.readers.problems import listed
from adjudge.version import NAME

_SIGNS = frozenset("*?[")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


def is_address(data: str | PathLike[str]) -> bool:
    """Whether a text is a remote address, and no path."""
    return isinstance(data, str) and bool(_ADDRESS.match(data))


def expanded(data: Any) -> tuple[list[Any], list[str]]:  # noqa: ANN401 - whatever holds a table
    """The inputs of an argument: the files of a folder, or those that match a pattern, in order of their names.

    The name of an existing file is that file, whatever characters it has. Anything else is its own only input. Also
    returns messages about a folder. Raises OptionError for a pattern without files, and for a folder with no files or
    several kinds.
    """
    if not isinstance(data, str | PathLike) or is_address(data):
        return [data], []
    if Path(data).is_dir():
        return _files_of_folder(Path(data))
    if not _SIGNS & set(str(data)) or Path(data).exists():
        return [data], []
    named = sorted(glob.glob(str(data), recursive=True))  # noqa: PTH207 - takes any path
    if files := [one for one in named if Path(one).is_file()]:
        return files, []
    raise OptionError(f"{data}: no file has a name like that")


def files_in(folder: Path) -> list[Path]:
    """The files of a folder in the order of their names, without hidden ones."""
    return sorted(one for one in folder.iterdir() if one.is_file() and not one.name.startswith("."))


_ABOUT = re.compile(r"dataset_infos?\.json|dataset_dict\.json|state\.json|(?i:readme|licen[cs]e)(\.[^.]*)?")
"""Names of files that describe a folder of data, as on Hugging Face, and of licences."""


def _files_of_folder(folder: Path) -> tuple[list[str], list[str]]:
    """The files of data in a folder, all of one kind; if it has none, those of its folders. And messages about them.

    Messages name the excluded files that describe the folder, and files of its folders.
    """
    every = files_in(folder)
    about = [file.name for file in every if _ABOUT.fullmatch(file.name)]
    files = [file for file in every if file.name not in about]
    messages = [f"{folder}: files that describe it are excluded: {listed(about)}"] if about else []
    if not files:
        inner = sorted(place for place in folder.iterdir() if place.is_dir() and place.name[0] != ".")
        files = [file for place in inner for file in files_in(place) if not _ABOUT.fullmatch(file.name)]
        names = listed((file.relative_to(folder) for file in files), say=str)
        messages.append(f"{folder}: files of folders in it are read together: {names}")
    kinds = sorted({file.suffix for file in files})
    if len(kinds) != 1:
        found = listed(one or "nothing" for one in kinds) or "nothing"
        message = f"{folder}: expected a folder of files of one kind, or of folders of such files; found {found}"
        raise OptionError(message, fix=f"'{folder / f'*{kinds[-1]}'}'" if kinds else "")
    return list(map(str, files)), messages


def check_place(path: Path, kind: str = "file") -> None:
    """Raises OptionError for a missing path, with the nearest existing name, and for a name that is not UTF-8."""
    if not encodable(str(path)):
        raise OptionError(f"{path}: expected a name in UTF-8", fix="another name")
    if not path.exists():
        raise missing_file(path, kind)


def check_readable(path: Path) -> None:
    """Raises OptionError for anything but a readable regular file."""
    try:
        check_place(path)
        check_regular(path)
        path.open("rb").close()
    except OSError as error:
        raise OptionError(f"{path}: cannot be read: {error.strerror}") from None


_NUMBERS = count(1)


def scratch_file(ending: str) -> Path:
    """The path of a new temporary file, in the folder that TMPDIR names."""
    return _folder() / f"{next(_NUMBERS)}{ending}"


def named_file(name: str) -> Path:
    """The path of a new temporary file with a name."""
    folder = scratch_file("")
    folder.mkdir()
    return folder / name


def temporary_folder(prefix: str) -> Path:
    """A new folder in that of TMPDIR, which is removed when Python ends."""
    made = Path(mkdtemp(prefix=prefix))
    atexit.register(rmtree, made, ignore_errors=True)
    return made


@cache
def _folder() -> Path:
    return temporary_folder(f"{NAME}-")
