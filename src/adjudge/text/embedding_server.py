"""Embeddings from an OpenAI-compatible server, each fetched once and cached on disk."""

import os
import re
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import msgspec

from adjudge.errors import MissingError, OptionError, flag_name
from adjudge.text.local_models import extra
from adjudge.version import NAME

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from openai import OpenAI

OPENAI = "https://api.openai.com/v1"

BATCH = 32
"""Texts per request: the default maximum of Text Embeddings Inference."""

TIMEOUT = 60.0
"""Seconds to wait for data from the server."""

TRIES = 4
_AT_LAST = f" at the last of up to {TRIES} tries"

_NO_KEY = "no key"
"""A placeholder for a missing key; it is never sent."""

_SHOWN = 200
"""The most characters of a server's reply in a message."""

_PASSING = {408, 409, 429}
"""Status codes of temporary errors, besides 5xx."""

_TABLE = """
CREATE TABLE IF NOT EXISTS embeddings (
    server TEXT NOT NULL, model TEXT NOT NULL, digest BLOB NOT NULL, vector BLOB NOT NULL,
    PRIMARY KEY (server, model, digest)
)
"""


def embed_by_server(texts: list[str], *, model: str, base_url: str, cache: Path) -> "NDArray[np.float32]":
    """Vectors of unit length, one for each text, from a server; cached ones are not requested.

    Uses the client of the package openai, BATCH texts at a time. The environment's OPENAI_API_KEY is
    sent as bearer token. A request without connection, without an answer for TIMEOUT seconds, or with the status 408,
    409, 429 or 5xx is tried TRIES times in all, with growing pauses, or the server's (Retry-After, up to two
    minutes). Redirections are not followed: they would take texts and key elsewhere.

    texts: not empty strings, for which servers have no vector; duplicates are requested once. model: the
    server's name for it. base_url: a result of `checked_address`. cache: an SQLite file, created if missing;
    it holds vectors as float32 under the address, the model and the SHA-256 of the text, and no text. Each batch is
    written before the next request, so a later failure loses nothing.

    Returns an array texts x dimensions, float32. Edge: a vector of zeros stays one; no text, no request and no
    dimension.
    Raises MissingError if the package openai is not installed, or the server cannot be reached or does not answer
    as expected, OptionError if the cache cannot be used or OPENAI_API_KEY cannot be sent.

    Source: https://platform.openai.com/docs/api-reference/embeddings.
    """
    import numpy as np

    with _open_cache(cache, base_url, model) as store, _client(base_url) as client:
        digests = [sha256(text.encode()).digest() for text in texts]
        known = store.vectors(set(digests))
        missing = [*{digest: text for digest, text in zip(digests, texts, strict=True) if digest not in known}.items()]
        for start in range(0, len(missing), BATCH):
            batch = dict(missing[start : start + BATCH])
            try:
                vectors = _vectors(client, model, [*batch.values()])
                known |= store.save_vectors(dict(zip(batch, vectors, strict=True)))
            except _Failure as failure:
                raise MissingError(
                    f"{base_url}/embeddings: expected a vector for each of {len(batch):,} texts from an "
                    f'OpenAI-compatible server with the model "{model}"; got {failure.what}',
                    found=f"{len(known):,} of {len(set(digests)):,} vectors cached in {cache} (not requested again)",
                    fix=failure.advice,
                ) from None
        return np.array([known[digest] for digest in digests], np.float32).reshape(len(digests), -1 if digests else 0)


def default_address() -> str:
    """The environment's OPENAI_BASE_URL, else the address of OpenAI."""
    return os.environ.get("OPENAI_BASE_URL") or OPENAI


def checked_address(base_url: str) -> str:
    """An address without the "/" at its end.

    Raises OptionError if it is not http or https, or has more than host, port and path; the message does
    not repeat it then, since it may contain a password.

    >>> checked_address("http://localhost:8000/v1/")
    'http://localhost:8000/v1'
    """
    odd = not (base_url.isascii() and base_url.isprintable()) or not set(" @?#\\").isdisjoint(base_url)
    try:
        parts = urlsplit(base_url)
        odd = odd or parts.port == 0
    except ValueError:
        odd = True
    if odd:
        raise _no_address(
            ", without name, password, question mark or other odd characters, since logs keep it",
            "keys in the environment, as OPENAI_API_KEY, or LOCAL_API_KEY for openai-api/local/NAME",
        )
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise _no_address(f'; got "{base_url}"')
    return base_url.rstrip("/")


def _no_address(got: str, hint: str = "") -> OptionError:
    message = f"expected an address of http or https, such as http://localhost:8000/v1{got}"
    return OptionError(message, option="base_url", hint=hint)


def default_cache() -> Path:
    """The file embeddings.sqlite in the folder ADJUDGE_CACHE, else in the user's cache folder.

    Raises OptionError if the user has no home folder.
    """
    chosen, shared = os.environ.get("ADJUDGE_CACHE"), os.environ.get("XDG_CACHE_HOME")
    try:
        folder = Path(chosen) if chosen else Path(shared or "~/.cache") / NAME
        return folder.expanduser() / "embeddings.sqlite"
    except RuntimeError:
        raise OptionError("there is no home folder for a cache of embeddings", fix="ADJUDGE_CACHE=FOLDER") from None


@contextmanager
def _client(base_url: str) -> Iterator["OpenAI"]:
    """A client for the server. Raises OptionError for a key that cannot be sent, without repeating it."""
    key = os.environ.get("OPENAI_API_KEY", "").strip()
    if not (key.isascii() and key.isprintable()):
        raise OptionError("OPENAI_API_KEY: expected printable ASCII characters; got others", fix="set it again")
    with extra("models", "The similarity openai"):
        import openai

    transport = openai.DefaultHttpxClient(follow_redirects=False)  # redirects would take texts and key elsewhere
    try:
        client = openai.OpenAI(
            api_key=key or _NO_KEY, base_url=base_url, timeout=TIMEOUT, max_retries=TRIES - 1, http_client=transport
        )
    except Exception:  # noqa: BLE001 - the package raises foreign errors for an odd address
        raise _no_address(f'; got "{base_url}"') from None
    with client:
        yield client


class _Failure(Exception):  # noqa: N818 - never seen by a user
    """The reply without vectors, and advice for the user."""

    def __init__(self, what: str, advice: str) -> None:
        super().__init__(what)
        self.what, self.advice = what, advice


class _Vector(msgspec.Struct):
    """A vector of an answer, and the index of its text."""

    index: int
    embedding: list[float]


class _Answer(msgspec.Struct):
    """A server's answer."""

    data: list[_Vector]


def _vectors(client: "OpenAI", model: str, texts: list[str]) -> "NDArray[np.float32]":
    """One for each text, of unit length or zero. Raises _Failure."""
    import numpy as np
    import openai

    headers = {"Authorization": openai.omit} if client.api_key == _NO_KEY else {}
    try:
        answer = client.embeddings.with_raw_response.create(
            model=model, input=texts, encoding_format="float", extra_headers=headers
        )
    except openai.APIStatusError as error:
        raise _error_of_status(error.status_code, _redact_reply(error.response.text, client.api_key)) from None
    except (openai.OpenAIError, UnicodeError) as error:
        reason = error.__cause__ or error
        message = re.sub(r"^\[Errno -?\d+\] ", "", _redact_reply(str(reason), client.api_key)) or type(reason).__name__
        advice = f"start the server, or give the address of one with {flag_name('base_url')}"
        raise _Failure(f"no answer{_AT_LAST} ({message})", advice) from None
    try:
        rows = sorted(msgspec.json.decode(answer.content, type=_Answer).data, key=lambda row: row.index)
    except (msgspec.DecodeError, RecursionError):
        what = "something else than its JSON"
    else:
        sizes = {len(row.embedding) for row in rows}
        if [row.index for row in rows] != [*range(len(texts))]:
            what = f"{len(rows):,} vectors, not numbered from 0 to {len(texts) - 1}"
        elif len(sizes) > 1 or 0 in sizes:
            what = f"vectors of {', '.join(map(str, sorted(sizes)))} dimensions"
        else:
            return _unit(np.array([row.embedding for row in rows], np.float64))
    reply = _redact_reply(answer.text, client.api_key)
    raise _Failure(f"{what}: {reply}" if reply else what, f"the address of such a server with {flag_name('base_url')}")


def _error_of_status(status: int, reply: str) -> _Failure:
    """The failure for an error status."""
    if status in {401, 403}:  # the reply may repeat the key, or some of it
        return _Failure(f"the status {status}", "OPENAI_API_KEY=KEY with a key that this server takes")
    passing = status in _PASSING or status >= 500  # noqa: PLR2004 - faults of servers begin here
    what = f"the status {status}{_AT_LAST if passing else ''}{reply and f': {reply}'}"
    if passing:
        advice = f"wait until the server is well, or give the address of another with {flag_name('base_url')}"
        return _Failure(what, advice)
    return _Failure(what, f"another {flag_name('base_url')}, model or texts")


def _redact_reply(text: str, key: str) -> str:
    """The beginning of a server's reply, on one line and without the key, should it repeat it."""
    text = "".join(letter if letter.isprintable() else " " for letter in text.replace(key, "***"))
    return " ".join(text.split())[:_SHOWN]


def _unit(vectors: "NDArray[np.float64]") -> "NDArray[np.float32]":
    """Each divided by its length; zeros stay."""
    import numpy as np

    # First by the largest number, or squares could overflow or underflow.
    largest = abs(vectors).max(axis=1, keepdims=True)
    scaled = vectors / np.where(largest > 0, largest, 1)
    lengths = np.linalg.norm(scaled, axis=1, keepdims=True)
    return (scaled / np.where(lengths > 0, lengths, 1)).astype(np.float32)


@contextmanager
def _open_cache(path: Path, base_url: str, model: str) -> Iterator["_Store"]:
    """The vectors of one model of one server in a cache file; SQLite's errors become OptionErrors."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(path, timeout=TIMEOUT)) as connection:
            connection.execute(_TABLE)
            yield _Store(path, connection, base_url, model)
    except (sqlite3.Error, OSError) as error:
        raise _unusable(path, getattr(error, "strerror", None) or str(error)) from None


def _unusable(path: Path, what: str) -> OptionError:
    return OptionError(
        f"{path}: expected a cache of embeddings that can be read and written; got: {what}",
        fix="remove it, or name another folder in ADJUDGE_CACHE",
    )


@dataclass(frozen=True, slots=True)
class _Store:
    path: Path
    connection: sqlite3.Connection
    base_url: str
    model: str

    def vectors(self, digests: Iterable[bytes]) -> "dict[bytes, NDArray[np.float32]]":
        """The cached vectors. Raises OptionError for a damaged one."""
        import numpy as np

        size, by_digest = self._size(), {}
        query = "SELECT vector FROM embeddings WHERE server = ? AND model = ? AND digest = ?"
        for digest in digests:
            for (vector,) in self.connection.execute(query, (self.base_url, self.model, digest)):
                if not isinstance(vector, bytes) or len(vector) != size or size % 4:
                    raise _unusable(self.path, "vectors of different dimensions")
                by_digest[digest] = np.frombuffer(vector, np.float32)
        if not all(np.isfinite(vector).all() for vector in by_digest.values()):
            raise _unusable(self.path, "vectors of something else than numbers")
        return by_digest

    def save_vectors(self, vectors: "dict[bytes, NDArray[np.float32]]") -> "dict[bytes, NDArray[np.float32]]":
        """Write vectors to the cache, and return them. Raises _Failure if the cached vectors have other dimensions."""
        there, dimensions = self._size() // 4, len(next(iter(vectors.values())))
        if there not in (0, dimensions):
            raise _Failure(
                f"vectors of {dimensions} dimensions, where those in the cache have {there}",
                "name the server's other model otherwise, or remove the cache",
            )
        rows = [(self.base_url, self.model, digest, vector.tobytes()) for digest, vector in vectors.items()]
        with self.connection:
            self.connection.executemany("INSERT OR REPLACE INTO embeddings VALUES (?, ?, ?, ?)", rows)
        return vectors

    def _size(self) -> int:
        """The bytes of a cached vector; 0 without any."""
        query = "SELECT length(vector) FROM embeddings WHERE server = ? AND model = ? LIMIT 1"
        row = self.connection.execute(query, (self.base_url, self.model)).fetchone()
        return int(row[0]) if row else 0
