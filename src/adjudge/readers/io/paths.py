"""Paths: patterns and folders that stand for the files that they hold, and temporary files.

Temporary files hold what becomes of inputs that are no plain files. They are removed when Python ends; if it
is killed, by the next process that makes some.
"""

import glob
import re
from collections.abc import Iterator
from functools import cache
from itertools import chain, count
from os import PathLike
from pathlib import Path
from typing import Any

from adjudge.errors import OptionError, check_regular, encodable, missing_file
from adjudge.readers.problems import listed
from adjudge.temporary_folders import temporary_folder
from adjudge.version import NAME

_SIGNS = frozenset("*?[")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


def is_address(data: str | PathLike[str]) -> bool:
    """Whether a text is the address of something elsewhere, and no path."""
    return isinstance(data, str) and bool(_ADDRESS.match(data))


def expanded(data: Any) -> Iterator[Any]:  # noqa: ANN401 - whatever holds a table
    """The inputs that one stands for: the files of a folder, or those that a pattern names, in order of their names.

    A name that a file has is that file's, whatever signs it holds. Anything else stands for itself. Raises OptionError
    for a pattern without files, and for a folder that holds none or several kinds of them.
    """
    if not isinstance(data, str | PathLike) or is_address(data):
        yield data
    elif Path(data).is_dir():
        yield from _held(Path(data))
    elif _SIGNS & set(str(data)) and not Path(data).exists():
        named = glob.glob(str(data), recursive=True)  # noqa: PTH207 - takes any path
        found = sorted(one for one in named if Path(one).is_file())
        if not found:
            raise OptionError(f"{data}: no file has a name like that")
        yield from found
    else:
        yield data


def files_in(folder: Path) -> list[Path]:
    """The files of a folder in the order of their names, but for hidden ones."""
    return sorted(one for one in folder.iterdir() if one.is_file() and not one.name.startswith("."))


def _held(folder: Path) -> list[str]:
    """The files of data in a folder, all of one kind; if it holds none, those of the folders in it."""
    places = [folder, *sorted(place for place in folder.iterdir() if place.is_dir() and place.name[0] != ".")]
    data = [[one for one in files_in(place) if one.name not in files_about(place)] for place in places]
    found = data[0] or list(chain.from_iterable(data))
    kinds = sorted({one.suffix for one in found})
    if not found:
        inside = sorted(one.name for one in folder.iterdir() if one.is_dir())
        raise OptionError(
            f"{folder}: expected a folder of files; it holds none",
            found=f"folders {listed(inside, say=str)}" if inside else "",
            fix=f"'{folder / '*' / '*'}'" if inside else "",
        )
    if len(kinds) > 1:
        endings, pattern = listed(one or "nothing" for one in kinds), folder / f"*{kinds[-1]}"
        raise OptionError(
            f"{folder}: expected a folder of files of one kind; its files end in {endings}", fix=f"'{pattern}'"
        )
    return [*map(str, found)]


_ABOUT = {"dataset_info.json", "dataset_infos.json", "dataset_dict.json", "state.json"}


def files_about(data: Any) -> list[str]:  # noqa: ANN401 - whatever holds a table
    """The names of files that say what a folder of data holds, as Hugging Face puts them there, and of a licence."""
    folder = Path(data) if isinstance(data, str | PathLike) and not is_address(data) else None
    names = [one.name for one in files_in(folder)] if folder and folder.is_dir() else []
    return [one for one in names if one in _ABOUT or Path(one).stem.lower() in {"readme", "license", "licence"}]


def check_place(path: Path, kind: str = "file") -> None:
    """Raises OptionError for what is not there, with the nearest name that is, and for a name that is not UTF-8."""
    if not encodable(str(path)):
        raise OptionError(f"{path}: expected a name in UTF-8", fix="another name")
    if not path.exists():
        raise missing_file(path, kind)


def check_readable(path: Path) -> None:
    """Raises OptionError for what is no regular file that can be read."""
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


@cache
def _folder() -> Path:
    return temporary_folder(f"{NAME}-")
