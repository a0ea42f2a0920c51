"""What goes wrong where a model of Inspect is asked, in words, without the keys that errors and replies may repeat."""

import os
import re
from collections.abc import Iterable
from typing import Any

from adjudge.llm.options import AskingOptions
from adjudge.llm.reply_forms import encoded

_REASON = 500
REJECTED = (400, 413, 422)
"""What a server says of a request that it will not take: bad, too large, of wrong content."""
UNREACHABLE = "no connection to the server"
"""How the reason of a call without a connection begins."""
_NO_CONNECTION = re.compile(r"Connect|APIConnection|ClientConnect")
"""How the errors of clients begin that found no server."""
_SECRET = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD)$")
_SECRET_LENGTH = 8
_HIDDEN: set[str] = set()


SCHEMA_WORDS = ("response_format", "json_schema", "guided", "structured", "grammar")
"""What servers call a JSON schema that they refuse."""


def refuses(error: Exception, *words: str) -> bool:
    """Whether a server refuses an option of a request: the request was bad, and one of the words says why."""
    text = str(_cause(error)).lower()
    return status_of(error) in REJECTED and any(word in text for word in words)


def _cause(error: BaseException) -> BaseException:
    """The provider's own error."""
    attempt = getattr(error, "last_attempt", None)
    inner = attempt.exception() if attempt is not None else error.__cause__
    return _cause(inner) if inner is not None else error


def status_of(error: Exception) -> int | None:
    """The status of the HTTP response that an error stands for."""
    found = getattr(_cause(error), "status_code", None)
    return found if isinstance(found, int) else None


def why_of(error: Exception, options: AskingOptions) -> str:
    """Why a call failed, for the user."""
    cause = _cause(error)
    if type(cause).__name__ == "AttemptTimeoutError":
        return f"no answer within {options.timeout} s, in {options.retries + 1} attempts"
    if is_unreachable(error):
        return f"{UNREACHABLE} {options.base_url or 'of the provider'}"
    return clean(f"{type(cause).__name__}: {cause}")[:_REASON]


def is_unreachable(error: BaseException) -> bool:
    """Whether no server answered."""
    return bool(_NO_CONNECTION.match(type(_cause(error)).__name__))


def clean(text: str) -> str:
    """A text without keys, and in characters that can be written."""
    for secret in _secrets():
        text = text.replace(secret, "[key]")
    return encoded(text)


def hide(values: Iterable[str]) -> None:
    """Let no text of errors and logs hold these values."""
    _HIDDEN.update(value for value in values if len(value) >= _SECRET_LENGTH)


def _secrets() -> list[str]:
    found = [value for name, value in os.environ.items() if _SECRET.search(name) and len(value) >= _SECRET_LENGTH]
    return [*found, *_HIDDEN]


class Garbled(Exception):  # noqa: N818 - seen by the retries alone
    """A response that is no completion: another attempt may bring one."""


def scrub(one: Any) -> None:  # noqa: ANN401 - an error, or a model of pydantic's
    """Take keys out of an error, or of a response."""
    if isinstance(one, Exception):
        one.args = tuple(clean(part) if isinstance(part, str) else part for part in one.args)
        for name in ("message", "body"):
            value = getattr(one, name, None)
            if value is not None and any(secret in str(value) for secret in _secrets()):
                setattr(one, name, clean(str(value)))
    elif one is not None and any(secret in one.model_dump_json() for secret in _secrets()):
        fresh = type(one).model_validate_json(clean(one.model_dump_json()))
        for name in type(one).model_fields:
            setattr(one, name, getattr(fresh, name))
