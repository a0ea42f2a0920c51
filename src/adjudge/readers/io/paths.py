"""Paths, patterns, folders, addresses and standard input, as the files that they represent; and temporary files.

Addresses and standard input become temporary files before they are read. Python itself fetches http:// and https://;
fsspec fetches s3://, gs://, hf:// and the like if their package is installed. All after ? in an address may be secret:
it is never printed. Temporary files also hold converted inputs. They are removed when Python ends.
"""

import atexit
import glob
import re
import sys
from functools import cache, partial
from itertools import count
from os import PathLike
from pathlib import Path, PurePosixPath
from shutil import rmtree
from tempfile import mkdtemp
from typing import IO, Any
from urllib.parse import unquote, urlsplit, urlunsplit

from adjudge import errors
from adjudge.readers.problems import listed
from adjudge.version import NAME

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_NO_DATA = re.compile(r"\..*|dataset_(infos?|dict)\.json|state\.json|(?i:readme|licen[cs]e)(\.[^.]*)?")
"""Names of files in a folder that are hidden, or describe it, as on Hugging Face."""


def is_address(data: str | PathLike[str]) -> bool:
    """Whether a text is a remote address, and no path."""
    return isinstance(data, str) and bool(_ADDRESS.match(data))


def expanded(data: Any) -> list[Any]:  # noqa: ANN401 - whatever holds a table
    """The inputs of an argument: the files of a folder, or those that match a pattern, in order of their names.

    Files of a folder that are hidden or describe it do not count. The name of an existing file is that file, whatever
    characters it has. Anything else is its own only input. Raises OptionError for a pattern without files, and for a
    folder with no files or several kinds.
    """
    if not isinstance(data, str | PathLike) or is_address(data):
        return [data]
    if (folder := Path(data)).is_dir():
        files = sorted(one for one in folder.iterdir() if one.is_file() and not _NO_DATA.fullmatch(one.name))
        kinds = sorted({file.suffix for file in files})
        if len(kinds) != 1:
            found = listed(one or "nothing" for one in kinds) or "nothing"
            fix = " or ".join(f"'{folder / f'*{kind}'}'" for kind in kinds or ["*/*"])
            raise errors.OptionError(f"{folder}: expected a folder of files of one kind; found {found}", fix=fix)
        return list(map(str, files))
    if not glob.has_magic(str(data)) or Path(data).exists():
        return [data]
    named = sorted(glob.glob(str(data), recursive=True))  # noqa: PTH207 - takes any path
    if matching := [one for one in named if Path(one).is_file()]:
        return matching
    raise errors.OptionError(f"{data}: no file has a name like that")


def check_place(path: Path, kind: str = "file") -> None:
    """Raises OptionError for a missing path, with the nearest existing name, and for a name that is not UTF-8."""
    if not errors.encodable(str(path)):
        raise errors.OptionError(f"{path}: expected a name in UTF-8", fix="another name")
    if not path.exists():
        raise errors.missing_file(path, kind)


def check_readable(path: Path) -> None:
    """Raises OptionError for anything but a readable regular file."""
    try:
        check_place(path)
        errors.check_regular(path)
        path.open("rb").close()
    except OSError as error:
        raise errors.OptionError(f"{path}: cannot be read: {error.strerror}") from None


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


_folder = cache(partial(temporary_folder, f"{NAME}-"))


# --- addresses and standard input ---

STANDARD_INPUT, PIPED = "-", "standard input"
"""Standard input as users type it, and its name in messages."""
_PACKAGES = {"s3": "s3fs", "gs": "gcsfs", "az": "adlfs", "hf": "huggingface_hub"}
"""Prefix of an address -> the package that fsspec needs."""


def shown_address(address: str) -> str:
    """An address without credentials.

    >>> shown_address("https://ann:secret@example.org/votes.csv?token=abc"), shown_address("votes.csv")
    ('https://example.org/votes.csv', 'votes.csv')
    """
    if not is_address(address):
        return address
    try:
        parts = urlsplit(address)
        parts.port  # noqa: B018 - no number if a password with a slash splits it
    except ValueError:
        kind = address.partition(":")[0]
        raise errors.OptionError(f"{kind}://...: expected an address", fix="%2F for / in a password") from None
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def fetched(address: str, most: int) -> Path:
    """The content of an address as a file of the same name.

    Raises DataError if it is larger than `most` bytes, MissingError if it cannot be fetched, OptionError for a user or
    a password in it.
    """
    name, parts = shown_address(address), urlsplit(address)
    if "@" in parts.netloc:
        raise errors.OptionError(f"{name}: expected an address without user and password", fix="a local file")
    try:
        if parts.scheme in ("http", "https"):
            from urllib.request import urlopen

            opened = urlopen(address, timeout=60)  # noqa: S310 - http alone
        else:
            import fsspec

            opened = fsspec.open(address, "rb")
        with opened as stream:
            return copied(stream, named_file(PurePosixPath(unquote(parts.path)).name or "input"), name, most)
    except errors.AdjudgeError:
        raise
    except ImportError:
        package = _PACKAGES.get(parts.scheme, "fsspec")
        raise errors.MissingError(f"{name}: this address needs {package}", fix=f"pip install {package}") from None
    except Exception as error:  # noqa: BLE001 - each of fsspec's packages has its own errors
        reason = getattr(error, "reason", error)
        why = getattr(reason, "strerror", None) or reason
        message = str(why) if isinstance(error, OSError) else "the address is invalid"  # others may repeat it
    raise errors.MissingError(f"{name}: cannot be fetched: {message:.200}", fix="check the address and the network")


def from_standard_input(most: int) -> Path:
    """Standard input as a file. Raises OptionError if it is empty."""
    path = copied(sys.stdin.buffer, named_file(PIPED), PIPED, most)
    if not path.stat().st_size:
        raise errors.DataError(f"{PIPED}: it is empty, or was read already: it can be only one input")
    return path


# --- copies of a limited size ---

UNITS = {"TB": 10**12, "GB": 10**9, "MB": 10**6, "KB": 10**3, "B": 1}
CHUNK = 1 << 20


def copied(stream: IO[bytes], target: Path, name: str, most: int) -> Path:
    """A stream's content in a file. Raises DataError for more than `most` bytes."""
    size = 0
    with target.open("wb") as file:
        while chunk := stream.read(CHUNK):
            size += len(chunk)
            if size > most:
                target.unlink()
            check_size(name, size, most)
            file.write(chunk)
    return target


def check_size(name: str, size: int, most: int) -> None:
    """Raises DataError for an input above the maximum size."""
    if size > most:
        fix = f"{errors.flag_name('max_size')} {in_words(10 * most)}, if you trust the file"
        raise errors.DataError(f"{name}: unpacked size exceeds {in_words(most)}", fix=fix)


def in_words(size: int) -> str:
    """A number of bytes as --max-size takes it.

    >>> in_words(8_000_000_000), in_words(1_500_000), in_words(12)
    ('8GB', '1.5MB', '12B')
    """
    unit = next((unit for unit, least in UNITS.items() if size >= least), "B")
    return f"{size / UNITS[unit]:.3g}{unit}"
