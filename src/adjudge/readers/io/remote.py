"""Inputs that lie elsewhere: addresses, and standard input. They become temporary files before they are read.

http:// and https:// are fetched by Python itself, and so are files on Hugging Face (hf://); s3://, gs:// and the
like by fsspec, where the package for them is installed. What an address says of who asks (user:password@, and all
behind ?) is used to fetch it and never told.
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
"""What a user types for it, and what it is called."""
_HUB_FORM = re.compile(r"(datasets|spaces)/([^/@]+/[^/@]+)(?:@([^/]+))?/([^*]+)")
_TIMEOUT = 60
_PACKAGES = {"s3": "s3fs", "s3a": "s3fs", "gs": "gcsfs", "gcs": "gcsfs", "az": "adlfs", "abfs": "adlfs"}
"""What fsspec needs for an address, by how it begins."""


def shown_address(address: str) -> str:
    """An address without what it says of who asks.

    >>> shown_address("https://ann:secret@example.org/votes.csv?token=abc"), shown_address("votes.csv")
    ('https://example.org/votes.csv', 'votes.csv')
    """
    if not is_address(address):
        return address
    try:
        parts = urlsplit(address)
        parts.port  # noqa: B018 - part of a password where that holds a slash, and then no number
    except ValueError:
        message = f"{address.partition(':')[0]}://...: expected an address; its host is none"
        raise OptionError(message, fix="%2F for / in a password") from None
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def fetched(address: str, most: int) -> Path:
    """What stands at an address, as a file of the same name.

    Raises DataError where it is larger than `most` bytes, MissingError where it cannot be had.
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
    except Exception as error:  # noqa: BLE001 - each of fsspec's packages has errors of its own
        why = getattr(error, "reason", None) or error
        said = f"{getattr(error, 'code', '')} {getattr(why, 'strerror', None) or why}".strip()
        secrets = (parts.password, unquote(parts.password or ""), parts.username, parts.query)
        said = "a secret is part of what the library says" if any(one and one in said for one in secrets) else said
    raise MissingError(f"{name}: cannot be fetched: {said:.200}", fix="check the address and the network")


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
    if user and _PACKAGES.get(parts.scheme) == "s3fs":  # which does not find it in an address by itself
        address = address.replace(f"{user}@", "", 1)
        given = {"key": unquote(parts.username or ""), "secret": unquote(parts.password or "")}
    stream: IO[bytes] = fsspec.open(address, "rb", **given).open()
    return stream


def _ask_host(place: str, who: str) -> IO[bytes]:
    """What a host answers. who: says who asks, to that host alone, also where it sends elsewhere on itself."""
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
    """Where a file of a data set on Hugging Face, or at HF_ENDPOINT, is fetched; a revision may stand behind @."""
    found = _HUB_FORM.fullmatch(address.partition("://")[2])
    if not found:
        fix = "hf://datasets/OWNER/NAME/FILE or hf://datasets/OWNER/NAME@REVISION/FILE"
        raise OptionError(f"{shown_address(address)}: expected the address of one file", fix=fix)
    kind, repository, revision, file = found.groups()
    # refs/convert/parquet, which holds what Hugging Face converts, is written ~parquet
    branch = "refs/convert/parquet" if revision == "~parquet" else unquote(revision or "main")
    endpoint = os.environ.get("HF_ENDPOINT", "https://huggingface.co").rstrip("/")
    return f"{endpoint}/{kind}/{repository}/resolve/{quote(branch, safe='')}/{quote(unquote(file))}"


def _hub_token() -> str:
    """What says who asks Hugging Face, as its own programs keep it; empty where nobody is logged in."""
    kept = Path(os.environ.get("HF_HOME", "~/.cache/huggingface"), "token").expanduser()
    token = os.environ.get("HF_TOKEN") or (kept.read_text(encoding="utf-8") if kept.is_file() else "")
    return f"Bearer {token.strip()}" if token.strip() else ""


def from_standard_input(most: int) -> Path:
    """What comes through standard input, as a file. Raises OptionError where nobody sends anything."""
    if sys.stdin is None or sys.stdin.isatty():
        raise OptionError(f"{PIPED}: expected what another program writes; it is a terminal", fix="the name of a file")
    path = copied(sys.stdin.buffer, named_file(PIPED), PIPED, most)
    if not path.stat().st_size:
        raise DataError(f"{PIPED}: it is empty, or was read already: it can stand for one input alone")
    return path
