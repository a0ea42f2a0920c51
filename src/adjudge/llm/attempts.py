"""Attempts at calls: which are repeated and when, why they failed, and texts without the keys that servers repeat."""

import os
import random
import re
from contextvars import ContextVar
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Any

from adjudge.llm.options import AskingOptions
from adjudge.llm.replies import without_thoughts
from adjudge.llm.reply_forms import encoded

if TYPE_CHECKING:
    from inspect_ai.model import Model
    from inspect_ai.model._model import RetryDecision
    from tenacity import RetryCallState

_FIRST_WAIT, _LONGEST_WAIT = 1.0, 60.0
_UNREACHABLE = 2
"""Further attempts where no server answers: about 2 s of waits."""
_TOO_MANY = 429
_WHOLE = {"stop", "end_turn", "unknown"}
"""How an answer ends that the model thinks complete."""

_REASON = 500
REJECTED = (400, 413, 422)
"""What a server says of a request that it will not take: bad, too large, of wrong content."""
UNREACHABLE = "no connection to the server"
"""How the reason of a call without a connection begins."""
_NO_CONNECTION = re.compile(r"Connect|APIConnection|ClientConnect")
"""How the errors of clients begin that found no server."""
_SECRET = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD)$")
_SECRET_LENGTH = 8
HIDDEN: set[str] = set()
"""Values that no text of errors and logs may hold, besides keys in the environment."""


SCHEMA_WORDS = ("response_format", "json_schema", "guided", "structured", "grammar")
"""What servers call a JSON schema that they refuse."""


@dataclass(slots=True)
class _Spent:
    """What a call's attempts have come to. failed: those that no rate limit caused. limited: since when one has."""

    failed: int = 0
    limited: float | None = None
    retry_after: float | None = None
    is_limited: bool = False


class Attempts:
    """The attempts at the calls to one model, instead of those of Inspect and of its provider's library.

    A call that fails is repeated `retries` times, after waits that double; where no server answers, twice. A rate limit
    uses none of these: a call waits for it up to `max_wait` seconds, all together so long if the server answers none of
    them. What a server asks for (Retry-After) holds for all calls.
    """

    def __init__(self, model: "Model", options: AskingOptions) -> None:
        self.retries, self.max_wait = options.retries, options.max_wait
        self._resume = 0.0
        self._limited: float | None = None
        self._is_unreachable = False
        self._spent: ContextVar[_Spent] = ContextVar("spent")
        self._generate, self._api_decision = model.api.generate, model.api.should_retry
        self._decision = model.should_retry
        client = getattr(model.api, "client", None)
        if client is not None and hasattr(client, "max_retries"):
            client.max_retries = 0  # else each attempt would be several of the library's
        model.api.generate = self._guarded  # type: ignore[method-assign]
        model.api.should_retry = self._classified  # type: ignore[method-assign]
        model.api.retry_wait = lambda: self._wait  # type: ignore[method-assign]
        model.should_retry = self._is_repeated  # type: ignore[method-assign]

    def begin(self) -> None:
        """Begin a call: none of its attempts has failed."""
        self._spent.set(_Spent())

    async def _guarded(self, *given: Any, **named: Any) -> Any:  # noqa: ANN401 - as the provider's own
        """An attempt, of which no key that a server repeats comes into a log. Raises Garbled for what is no answer."""
        import anyio

        await anyio.sleep(max(0, self._resume - monotonic()))
        try:
            found = await self._generate(*given, **named)
        except (ValueError, IndexError, AttributeError, TypeError) as error:
            raise Garbled(clean(f"the response is no completion ({error})")) from None
        except Exception as error:
            scrub(error)
            raise
        self._limited, self._is_unreachable = None, False
        many = found if isinstance(found, tuple) else (found,)
        for part in many:
            scrub(part)
        if not isinstance(many[0], Exception):
            if not many[0].choices:
                raise Garbled("the response holds no choice")
            if many[0].stop_reason in {*_WHOLE, "tool_calls"} and not without_thoughts(many[0].completion):
                parts = many[0].choices[0].message.content
                if not (isinstance(parts, list) and any(getattr(part, "refusal", None) for part in parts)):
                    raise Garbled("the answer is empty")
        return found

    def _classified(self, ex: BaseException) -> "bool | RetryDecision":
        """Whether an error may pass, as the provider says, which also says whether it is a rate limit."""
        decision = isinstance(ex, Garbled) or (isinstance(ex, Exception) and self._api_decision(ex))
        spent = self._spent.get()
        spent.is_limited = getattr(decision, "kind", "") == "rate_limit" or (
            isinstance(ex, Exception) and status_of(ex) == _TOO_MANY
        )
        spent.retry_after = getattr(decision, "retry_after", None)
        return decision

    def _is_repeated(self, ex: BaseException) -> bool:
        """Whether a call is attempted again after an error."""
        spent = self._spent.get()
        spent.is_limited, spent.retry_after = False, None
        if not self._decision(ex):
            return False
        if not spent.is_limited:
            spent.failed += 1
            if not is_unreachable(ex):
                return spent.failed <= self.retries
            self._is_unreachable = self._is_unreachable or spent.failed > min(_UNREACHABLE, self.retries)
            return not self._is_unreachable
        now = monotonic()
        spent.limited, self._limited = spent.limited or now, self._limited or now
        if spent.retry_after:
            self._resume = max(self._resume, now + min(spent.retry_after, self.max_wait))
        return now - min(spent.limited, self._limited) < self.max_wait

    def _wait(self, state: "RetryCallState") -> float:
        """How long to wait before another attempt: as the server asks, else twice as long each time, with jitter."""
        jitter = random.uniform(0.5, 1.5)  # noqa: S311 - no secret
        spent = self._spent.get()
        if spent.is_limited and spent.retry_after is not None:
            return max(self._resume - monotonic(), spent.retry_after) + random.random()  # noqa: S311
        if state.outcome is not None and (error := state.outcome.exception()) and is_unreachable(error):
            return jitter * _FIRST_WAIT
        return jitter * min(_LONGEST_WAIT, _FIRST_WAIT * 2.0 ** (state.attempt_number - 1))


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
    return clean(f"{cause}" if isinstance(cause, Garbled) else f"{type(cause).__name__}: {cause}")[:_REASON]


def is_unreachable(error: BaseException) -> bool:
    """Whether no server answered."""
    return bool(_NO_CONNECTION.match(type(_cause(error)).__name__))


def clean(text: str) -> str:
    """A text without keys, and in characters that can be written."""
    for secret in _secrets():
        text = text.replace(secret, "[key]")
    return encoded(text)


def _secrets() -> list[str]:
    found = [*HIDDEN, *(value for name, value in os.environ.items() if _SECRET.search(name))]
    return [value for value in found if len(value) >= _SECRET_LENGTH]


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
