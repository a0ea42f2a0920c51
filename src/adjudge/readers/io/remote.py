"""Remote inputs: addresses, and standard input. They become temporary files before they are read.

Python itself fetches http:// and https://; fsspec fetches s3://, gs://, hf:// and the like if their package is
installed. All after ? in an address may be secret: it is never printed.
"""

import sys
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit, urlunsplit

from adjudge.errors import AdjudgeError, DataError, MissingError, OptionError
from adjudge.readers.io.decompress import copied
from adjudge.readers.io.paths import is_address, named_file

STANDARD_INPUT, PIPED = "-", "standard input"
"""Standard input as users type it, and its name in messages."""
_TIMEOUT = 60
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
        message = f"{address.partition(':')[0]}://...: expected an address; its host is none"
        raise OptionError(message, fix="%2F for / in a password") from None
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def fetched(address: str, most: int) -> Path:
    """The content of an address as a file of the same name.

    Raises DataError if it is larger than `most` bytes, MissingError if it cannot be fetched, OptionError for a user or
    a password in it.
    """
    name, parts = shown_address(address), urlsplit(address)
    if "@" in parts.netloc:
        raise OptionError(f"{name}: expected an address without user and password", fix="a file fetched by other means")
    try:
        if parts.scheme in ("http", "https"):
            from urllib.request import urlopen

            opened = urlopen(address, timeout=_TIMEOUT)  # noqa: S310 - http alone
        else:
            import fsspec

            opened = fsspec.open(address, "rb")
        with opened as stream:
            target = named_file(PurePosixPath(unquote(parts.path)).name or "input")
            return copied(stream, target, name, most)
    except AdjudgeError:
        raise
    except ImportError:
        package = _PACKAGES.get(parts.scheme, "fsspec")
        raise MissingError(f"{name}: such an address needs {package}", fix=f"pip install {package}") from None
    except Exception as error:  # noqa: BLE001 - each of fsspec's packages has its own errors
        why = getattr(error, "reason", None) or error
        message = f"{getattr(error, 'code', '')} {getattr(why, 'strerror', None) or why}".strip()
        if name != address and not isinstance(error, OSError):  # it may repeat the address
            message = "the address is invalid"
    raise MissingError(f"{name}: cannot be fetched: {message:.200}", fix="check the address and the network")


def from_standard_input(most: int) -> Path:
    """Standard input as a file. Raises OptionError if it is empty."""
    if sys.stdin is None or sys.stdin.isatty():
        raise OptionError(f"{PIPED}: expected what another program writes; it is a terminal", fix="the name of a file")
    path = copied(sys.stdin.buffer, named_file(PIPED), PIPED, most)
    if not path.stat().st_size:
        raise DataError(f"{PIPED}: it is empty, or was read already: it can be only one input")
    return path
