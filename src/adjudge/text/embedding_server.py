"""Embeddings from an OpenAI-compatible server."""

import os
import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from adjudge.errors import MissingError, OptionError
from adjudge.text.local_models import extra

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

OPENAI = "https://api.openai.com/v1"
BATCH = 32
"""Texts per request: the default maximum of Text Embeddings Inference."""
TIMEOUT = 60.0
"""Seconds to wait for data from the server."""
TRIES = 4
_SHOWN = 200
"""The most characters of an error in a message."""


def embed_by_server(texts: list[str], *, model: str, base_url: str) -> "NDArray[np.float32]":
    """Vectors of unit length, one for each text, from a server.

    Uses the client of the package openai, BATCH texts at a time. The environment's OPENAI_API_KEY is
    sent as bearer token. A request without connection, without an answer for TIMEOUT seconds, or with the status 408,
    409, 429 or 5xx is tried TRIES times in all, with growing pauses, or the server's (Retry-After). Redirections are
    not followed: they would take texts and key elsewhere.

    texts: one or more distinct ones, not empty strings, for which servers have no vector. model: the
    server's name for it. base_url: a result of `checked_address`.

    Returns an array texts x dimensions, float32. Edge: a vector of zeros stays one.
    Raises MissingError if the package openai is not installed, or the server cannot be reached or does not answer
    as expected, OptionError if OPENAI_API_KEY cannot be sent.

    Source: https://platform.openai.com/docs/api-reference/embeddings.
    """
    import numpy as np

    with extra("models", "The similarity openai"):
        import openai

    key = os.environ.get("OPENAI_API_KEY", "").strip()
    if not (key.isascii() and key.isprintable()):
        raise OptionError("OPENAI_API_KEY: expected printable ASCII characters; got others", fix="set it again")
    headers = {} if key else {"Authorization": openai.omit}
    transport = openai.DefaultHttpxClient(follow_redirects=False)
    rows: list[list[float]] = []
    try:
        with openai.OpenAI(
            api_key=key or "none", base_url=base_url, timeout=TIMEOUT, max_retries=TRIES - 1, http_client=transport
        ) as client:
            for start in range(0, len(texts), BATCH):
                batch = texts[start : start + BATCH]
                answer = client.embeddings.create(
                    model=model, input=batch, encoding_format="float", extra_headers=headers
                )
                found = {row.index: row.embedding for row in answer.data if row.embedding}
                rows += [found[place] for place in range(len(batch))]
        vectors = np.asarray_chkfinite(rows, np.float64)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    except Exception as error:  # noqa: BLE001 - a server may answer anything
        reason = "no answer with a vector for each text"
        if isinstance(error, openai.AuthenticationError | openai.PermissionDeniedError):
            reason = f"status {error.status_code}"  # the reply may repeat some of the key
        elif isinstance(error, openai.OpenAIError):
            reason = re.sub(r"\[Errno -?\d+\] ", "", str(error.__cause__ or error)) or type(error).__name__
        printable = "".join(letter if letter.isprintable() else " " for letter in reason.replace(key or "\0", "***"))
        raise MissingError(
            f'{base_url}/embeddings: expected vectors from an OpenAI-compatible server with the model "{model}"',
            found=" ".join(printable.split())[:_SHOWN],
            fix="the address of such a server as OPENAI_BASE_URL, its model, and its key as OPENAI_API_KEY",
        ) from None
    return (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32)


def checked_address(base_url: str) -> str:
    """An address without the "/" at its end.

    Raises OptionError if it is not http or https, or has more than host, port and path; the message does
    not repeat it, since it may contain a password.

    >>> checked_address("http://localhost:8000/v1/")
    'http://localhost:8000/v1'
    """
    try:
        parts = urlsplit(base_url)
        known = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:
        known = False
    odd = not (base_url.isascii() and base_url.isprintable()) or not set(" @?#\\").isdisjoint(base_url)
    if odd or not known:
        raise OptionError(
            "base URL of the server: expected an address of http or https, such as http://localhost:8000/v1, without "
            "name, password, question mark or other odd characters, since logs keep it",
            hint="keys in the environment, as OPENAI_API_KEY, or LOCAL_API_KEY for openai-api/local/NAME",
        )
    return base_url.rstrip("/")
