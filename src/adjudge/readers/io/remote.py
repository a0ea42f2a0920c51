"""Remote inputs: addresses, and standard input. They become temporary files before they are read.

Python itself fetches http:// and https://, and files on Hugging Face (hf://); fsspec fetches s3://, gs:// and the like
if their package is installed. Credentials in an address (user:password@, and all after ?) are used to fetch it and
never printed.
"""

import base64
import os
import re
import sys
from pathlib import Path, PurePosixPath
from typing import IO, Any
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from adjudge.errors import AdjudgeError, DataError, MissingError, OptionError
from adjudge.readers.io.decompress import copied
from adjudge.readers.io.paths import is_address, named_file

STANDARD_INPUT, PIPED = "-", "standard input"
"""Standard input as users type it, and its name in messages."""
_HUB_FORM = re.compile(r"(datasets|spaces)/([^/@]+/[^/@]+)(?:@([^/]+))?/([^*]+)")
_TIMEOUT = 60
_PACKAGES = {"s3": "s3fs", "s3a": "s3fs", "gs": "gcsfs", "gcs": "gcsfs", "az": "adlfs", "abfs": "adlfs"}
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

    Raises DataError if it is larger than `most` bytes, MissingError if it cannot be fetched.
    """
    name, parts = shown_address(address), urlsplit(address)
    try:
        with _open_address(address) as stream:
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
        secrets = (parts.password, unquote(parts.password or ""), parts.username, parts.query)
        message = (
            "the library's message includes a secret" if any(one and one in message for one in secrets) else message
        )
    raise MissingError(f"{name}: cannot be fetched: {message:.200}", fix="check the address and the network")


def _open_address(address: str) -> IO[bytes]:
    parts = urlsplit(address)
    user, _, host = parts.netloc.rpartition("@")
    if parts.scheme == "hf":
        return _ask_host(_on_the_hub(address), _hub_token())
    if parts.scheme in ("http", "https"):
        who = f"Basic {base64.b64encode(unquote(user).encode()).decode()}" if user else ""
        return _ask_host(urlunsplit((parts.scheme, host, parts.path, parts.query, "")), who)
    import fsspec

    given = {}
    if user and _PACKAGES.get(parts.scheme) == "s3fs":  # urllib ignores it in an address
        address = address.replace(f"{user}@", "", 1)
        given = {"key": unquote(parts.username or ""), "secret": unquote(parts.password or "")}
    stream: IO[bytes] = fsspec.open(address, "rb", **given).open()
    return stream


def _ask_host(place: str, who: str) -> IO[bytes]:
    """A host's answer. who: credentials, sent to that host only, also after redirects within it."""
    from urllib.request import HTTPRedirectHandler, Request, build_opener

    class Handler(HTTPRedirectHandler):
        def redirect_request(self, req: Request, *further: Any) -> Request | None:  # noqa: ANN401 - as urllib calls it
            new = super().redirect_request(req, *further)
            if new and who and urlsplit(new.full_url)[:2] == urlsplit(place)[:2]:
                new.add_unredirected_header("Authorization", who)
            return new

    request = Request(place)  # noqa: S310 - http alone
    if who:
        request.add_unredirected_header("Authorization", who)
    answer: Any = build_opener(Handler).open(request, timeout=_TIMEOUT)
    return answer  # type: ignore[no-any-return]


def _on_the_hub(address: str) -> str:
    """The URL of a data set's file on Hugging Face, or at HF_ENDPOINT; a revision may follow @."""
    found = _HUB_FORM.fullmatch(address.partition("://")[2])
    if not found:
        fix = "hf://datasets/OWNER/NAME/FILE or hf://datasets/OWNER/NAME@REVISION/FILE"
        raise OptionError(f"{shown_address(address)}: expected the address of one file", fix=fix)
    kind, repository, revision, file = found.groups()
    # ~parquet means refs/convert/parquet, Hugging Face's conversions
    branch = "refs/convert/parquet" if revision == "~parquet" else unquote(revision or "main")
    endpoint = os.environ.get("HF_ENDPOINT", "https://huggingface.co").rstrip("/")
    return f"{endpoint}/{kind}/{repository}/resolve/{quote(branch, safe='')}/{quote(unquote(file))}"


def _hub_token() -> str:
    """The credentials for Hugging Face, as saved by its own programs; empty without a login."""
    kept = Path(os.environ.get("HF_HOME", "~/.cache/huggingface"), "token").expanduser()
    token = os.environ.get("HF_TOKEN") or (kept.read_text(encoding="utf-8") if kept.is_file() else "")
    return f"Bearer {token.strip()}" if token.strip() else ""


def from_standard_input(most: int) -> Path:
    """Standard input as a file. Raises OptionError if it is empty."""
    if sys.stdin is None or sys.stdin.isatty():
        raise OptionError(f"{PIPED}: expected what another program writes; it is a terminal", fix="the name of a file")
    path = copied(sys.stdin.buffer, named_file(PIPED), PIPED, most)
    if not path.stat().st_size:
        raise DataError(f"{PIPED}: it is empty, or was read already: it can be only one input")
    return path
