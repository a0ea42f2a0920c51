"""Asking through Inspect AI: any provider it knows, with its logs; each question ends in exactly one outcome."""

import errno
import json
import logging
import os
import re
import secrets
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import anyio

from adjudge.errors import MissingError, OptionError, OutputError, closest
from adjudge.llm.asking import Ask, Keep, Settings
from adjudge.llm.attempts import Attempts
from adjudge.llm.calls import CUT, Call, Reply, Status, became
from adjudge.llm.failures import REJECTED, SCHEMA_WORDS, clean, hide, refuses, status_of, why_of
from adjudge.llm.label_probabilities import label_probabilities
from adjudge.llm.mock import answers
from adjudge.llm.reply_forms import MARKER, reply_schema
from adjudge.version import NAME

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog
    from inspect_ai.model import Model, ModelOutput
    from inspect_ai.scorer import Score, Target
    from inspect_ai.solver import Generate, Solver, TaskState

_HOPELESS = 10
"""Calls that fail in a row, after which the rest is not asked."""
_ALTERNATIVES = 10
"""Alternatives of each token whose probabilities are asked for."""
_REPAIR = "No verdict can be read in your reply. Give it again, and nothing else. "
_MARKUP = re.compile(r"\[/?(?:bold|blue|red)\]")
"""How Inspect's messages say what is bold and what is blue."""
_PROBLEMS = (
    (r"pip install [\w.-]+", "the library of its provider is not installed", "{}"),
    (r"\w+_API_KEY", "no key for its provider", "export {}=..."),
    (r"^Model API .* not recognized", "no such provider", "--model openai/..., anthropic/... or ollama/..."),
)
"""What libraries say of a model that cannot be used, what that means, and how to fix it."""
_OF_THE_SYSTEM = re.compile(r"\w*Error\((\d+), (['\"])(.+?)\2")
"""An error of the operating system as Inspect quotes it: its number, and what it says."""
_UNWRITTEN = {
    getattr(errno, name, None) for name in ("EACCES", "EDQUOT", "EFBIG", "EIO", "ENOENT", "ENOSPC", "EPERM", "EROFS")
}
"""Those that end a run since its log cannot be written; whatever else is wrong is an outcome of the call alone."""


Rows = Iterable[dict[str, Any]]


class InspectAsker:
    """A model, asked through Inspect: a log for each part of the work, in the folder `settings.logs`."""

    def __init__(self, settings: Settings, task: str) -> None:
        self.settings = settings
        self.task = task
        self.asking = Asking(settings)

    def ask(self, calls: Mapping[str, Call], keep: Keep) -> None:
        """Ask each call and give its reply to `keep`.

        Raises KeyboardInterrupt where a user stopped the work, OutputError where it cannot be logged.
        """
        self.asking.renew()
        kept: set[str] = set()
        problems: list[Exception] = []

        async def reply_to(state: "TaskState") -> None:
            key = str(state.sample_id)
            reply, output = await self.asking.reply(calls[key])
            if output is not None and output.choices:
                state.output = output
                state.messages.append(output.message)
            state.store.set(NAME, reply.record())
            try:
                keep(key, reply)
            except Exception as error:
                problems.append(error)  # Inspect would take it for an error of this sample alone
                self.asking.over = f"not asked, since answers cannot be kept: {error}"
                raise
            kept.add(key)
            if len(kept) == len(calls):
                await self.asking.model.api.aclose()

        logs = self._run(calls, _solver("asks", reply_to))
        if problems:
            raise problems[0]
        if not logs or logs[0].status == "cancelled":  # stopped early, it has no log at all
            raise KeyboardInterrupt
        error = logs[0].error
        why = error.message if error else "no answer came"
        if (found := _OF_THE_SYSTEM.match(why)) and int(found[1]) in _UNWRITTEN:
            raise OutputError(f"{self.settings.logs}: the log cannot be written: {found[3]}")
        for key in calls.keys() - kept:
            keep(key, Reply(Status.FAILED, reason=clean(why)))

    def _run(self, calls: Mapping[str, Call], solver: "Solver") -> "list[EvalLog]":
        """Run a task of Inspect, with a sample for each call; its logs, none where it was stopped early."""
        from inspect_ai import Task
        from inspect_ai import eval as run
        from inspect_ai.dataset import MemoryDataset, Sample

        samples = [
            Sample(id=key, input=call.messages("...")[1], metadata={**call.about, "draw": call.draw})
            for key, call in calls.items()
        ]
        dataset = MemoryDataset(samples, name=self.task)
        with _unlogged_errors():
            return run(
                Task(name=self.task, dataset=dataset, solver=solver, scorer=outcome()),
                model=self.asking.model,
                log_dir=str(self.settings.logs),
                log_level="error",
                display="none",
                fail_on_error=False,
                max_samples=self.settings.concurrency,
                ctl_server=False,
                log_realtime=False,
            )


@contextmanager
def _unlogged_errors() -> Iterator[None]:
    """No page of tracebacks from `logging` where Inspect's trace of its work cannot be written, as on a full disk.

    Python knows one such switch for all handlers of a process: those of a program that calls Adjudge are silent too.
    """
    before = logging.raiseExceptions
    logging.raiseExceptions = False
    try:
        yield
    finally:
        logging.raiseExceptions = before


class Asking:
    """A model with our bounds on retries and time, and what has been learnt of its server."""

    def __init__(self, settings: Settings, model: "Model | None" = None) -> None:
        self.settings = settings
        self.structured = self.measured = True
        self.over = ""
        """Why nothing more is asked."""
        self.answered = self.failures = 0
        self._fresh = True
        self._take(model or model_of(settings))

    def _take(self, model: "Model") -> None:
        self.model = model
        if str(model).startswith("mockllm/") and not model.model_args.get("custom_outputs"):
            vars(model.api)["outputs"] = answers  # which `inspect eval` cannot pass; Inspect's own answers fit no form
        self.attempts = Attempts(model, self.settings)

    def renew(self) -> None:
        """Take a new client for each run, since connections end with a run's event loop; a local model stays loaded."""
        if not self._fresh and getattr(self.model.api, "client", None) is not None:
            self._take(model_of(self.settings))
        self._fresh = False

    async def reply(self, call: Call) -> "tuple[Reply, ModelOutput | None]":
        """What becomes of a call, and what the model gave; a verdict that cannot be read is asked for again."""
        if self.over:
            return Reply(Status.FAILED, reason=self.over), None
        marker = secrets.token_hex(4)
        messages = _messages(*call.messages(marker))
        try:
            reply, output = await self._answer(call, messages, marker)
            for _ in range(self.settings.repair):
                if reply.status != Status.UNPARSEABLE or output.stop_reason in CUT:
                    break
                messages += [output.message, *_messages("", _REPAIR + call.form.words.replace(MARKER, marker))]
                tokens = (reply.tokens_in, reply.tokens_out)
                reply, output = await self._answer(call, messages, marker)
                reply = replace(reply, tokens_in=reply.tokens_in + tokens[0], tokens_out=reply.tokens_out + tokens[1])
        except Exception as error:  # noqa: BLE001 - whatever a provider raises is an outcome of this call alone
            why = why_of(error, self.settings)
            if not self.answered or status_of(error) not in REJECTED:  # else the request may be at fault
                self.failures += 1
                if not self.over and self.failures >= max(_HOPELESS, self.settings.concurrency):
                    self.over = f"not asked, since {self.failures} calls in a row failed, the last with {why}"
            return Reply(Status.FAILED, reason=why), None
        self.answered += 1
        self.failures = 0
        return reply, output

    async def _answer(self, call: Call, messages: list[Any], marker: str) -> "tuple[Reply, ModelOutput]":
        """The model's output: as JSON by a schema where the server can, else as plain text; and what it says."""
        from inspect_ai.model import GenerateConfig, ResponseSchema
        from inspect_ai.util import JSONSchema

        while True:
            schema = reply_schema(call.form) if self.structured else None
            measured = bool(call.labels) and self.measured
            given: dict[str, Any] = {"logprobs": True, "top_logprobs": _ALTERNATIVES} if measured else {}
            if schema is not None:
                json_schema = JSONSchema.model_validate(schema)
                given["response_schema"] = ResponseSchema(name="verdict", json_schema=json_schema, strict=True)
            self.attempts.begin()
            try:
                output = await self.model.generate(messages, config=GenerateConfig(**given))
                break
            except Exception as error:
                if measured and refuses(error, "logprobs"):
                    self.measured = False
                elif schema is not None and refuses(error, *SCHEMA_WORDS):
                    self.structured = False
                else:
                    raise
        return _read(output, call, marker, structured=schema is not None), output


def _solver(name: str, work: "Callable[[TaskState], Awaitable[None]]") -> "Solver":
    """A solver that does some work on each sample, which changes it."""
    from inspect_ai.solver import solver

    @solver(name=f"{NAME}/{name}")
    def made() -> "Solver":
        async def solve(state: "TaskState", generate: "Generate") -> "TaskState":  # noqa: ARG001 - our own is used
            await work(state)
            return state

        return solve

    return made()


def works(asking_of: "Callable[[], Asking]", work_of: "Callable[[TaskState], Callable[[Ask], Rows]]") -> "Solver":
    """A solver for a sample that takes several calls: asks them and keeps the rows that come of them in the store.

    Beside the rows stand how many calls were answered, and why others were not.

    work_of: from a sample to what makes rows of the answers, which asks calls as often as it likes.
    """

    async def work(state: "TaskState") -> None:
        asking, replies = asking_of(), list[Reply]()

        async def replies_to(calls: list[Call]) -> list[Reply]:
            by_place: dict[int, Reply] = {}

            async def reply_to(place: int) -> None:
                by_place[place], output = await asking.reply(calls[place])
                if output is not None and output.choices:
                    state.output = output

            async with anyio.create_task_group() as group:
                for place in range(len(calls)):
                    group.start_soon(reply_to, place)
            return [by_place[place] for place in range(len(calls))]

        def ask(calls: Iterable[Call]) -> Iterator[tuple[Call, Reply]]:
            asked = [*calls]
            answers_to_these = anyio.from_thread.run(replies_to, asked)
            replies.extend(answers_to_these)
            yield from zip(asked, answers_to_these, strict=True)

        rows = await anyio.to_thread.run_sync(lambda: list(work_of(state)(ask)))
        lost = [reply for reply in replies if reply.status != Status.ANSWERED]
        reasons = dict.fromkeys(f"{reply.status.value}: {reply.reason}" for reply in lost)
        state.store.set(NAME, {"rows": rows, "answered": len(replies) - len(lost), "reasons": [*reasons]})

    return _solver("works", work)


def outcome() -> Any:  # noqa: ANN401 - a scorer of Inspect's
    """A scorer that shows what became of each question."""
    from inspect_ai.scorer import Score, scorer

    @scorer(metrics=[], name=f"{NAME}/outcome")
    def made() -> Any:  # noqa: ANN401
        async def score(state: "TaskState", target: "Target") -> "Score":  # noqa: ARG001 - there is none
            found = state.store.get(NAME)
            return Score(value=found["status"], answer=str(found["value"]), explanation=found["reason"])

        return score

    return made()


def model_of(settings: Settings) -> "Model":
    """The model. How often and how long its calls are attempted is left to Attempts.

    Raises MissingError where Inspect, the provider's library or its key is missing, OptionError where an address is.
    """
    try:
        from inspect_ai.model import GenerateConfig, get_model
        from inspect_ai.util import AdaptiveConcurrency
    except ImportError:
        raise MissingError("asking models needs an extra", fix=f'pip install "{NAME}[models]"') from None
    if unknown := [name for name in settings.options if name not in GenerateConfig.model_fields]:
        raise OptionError(
            f"no setting {unknown[0]}",
            option="model_option",
            fix=f"extra_body='{{\"{unknown[0]}\": {json.dumps(settings.options[unknown[0]])}}}'",
            found=closest(unknown[0], GenerateConfig.model_fields),
        )
    hide(settings.headers.values())
    sampling = {name: getattr(settings, name) for name in ("temperature", "max_tokens", "seed")}
    config = GenerateConfig(
        **{**settings.options, **{name: value for name, value in sampling.items() if value is not None}},
        attempt_timeout=settings.timeout,
        adaptive_connections=AdaptiveConcurrency(
            min=1, start=settings.concurrency, max=settings.concurrency, decrease_factor=0.5, cooldown_seconds=2
        ),
    )
    service, key = settings.model.removeprefix("openai-api/").split("/")[0].upper().replace("-", "_"), None
    if settings.model.startswith("openai-api/"):
        if not settings.base_url and not os.environ.get(f"{service}_BASE_URL"):
            raise OptionError(f"is needed for {settings.model}", option="base_url", fix="http://localhost:8000/v1")
        key = "none" if settings.base_url and not os.environ.get(f"{service}_API_KEY") else None
    try:
        return get_model(settings.model, config=config, base_url=settings.base_url, api_key=key, memoize=False)
    except Exception as error:  # noqa: BLE001 - whatever a provider raises means that it cannot be used
        raise _unusable(settings.model, " ".join(_MARKUP.sub("", clean(str(error))).split())) from None


def _unusable(model: str, text: str) -> MissingError:
    """The error of a model that cannot be used. text: what its provider's library says."""
    for pattern, problem, fix in _PROBLEMS:
        if found := re.search(pattern, text):
            return MissingError(f"{model}: {problem}", fix=fix.format(found[0]))
    return MissingError(f"{model}: the model cannot be used", found=text)


# --- what came back ---


def _read(output: "ModelOutput", call: Call, marker: str, *, structured: bool) -> Reply:
    """The outcome of a call that the server answered."""
    used = output.usage
    tokens = (used.input_tokens, used.output_tokens) if used else (0, 0)
    choice = output.choices[0]
    parts = choice.message.content if isinstance(choice.message.content, list) else []
    refused = any(getattr(part, "refusal", None) for part in parts)
    text = clean(output.completion)
    reply = became(call, text, choice.stop_reason, tokens, refused=refused, marker=marker, structured=structured)
    if reply.value is None or not call.labels:
        return reply
    label = reply.value["label"] if isinstance(reply.value, Mapping) else reply.value
    return replace(reply, probabilities=label_probabilities(output, f"{label}", call.labels))


def _messages(system: str, prompt: str) -> list[Any]:
    from inspect_ai.model import ChatMessageSystem, ChatMessageUser

    first = [ChatMessageSystem(content=system)] if system else []
    return [*first, ChatMessageUser(content=prompt)]
