"""Asking through Inspect AI: any provider it knows; each question ends in exactly one outcome."""

import json
import os
import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import wait
from dataclasses import replace
from itertools import accumulate
from math import exp
from random import Random
from typing import TYPE_CHECKING, Any

import anyio
from anyio.from_thread import start_blocking_portal

from adjudge.errors import MissingError, OptionError, closest
from adjudge.llm.asking import Keep
from adjudge.llm.attempts import HIDDEN, REJECTED, SCHEMA_WORDS, Attempts, clean, refuses, status_of, why_of
from adjudge.llm.calls import CUT, Call, Reply, Status, became
from adjudge.llm.options import AskingOptions
from adjudge.llm.reply_forms import fold, instruction, reply_schema
from adjudge.version import NAME

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput

_HOPELESS = 10
"""Calls that fail in a row, after which the rest is not asked."""
_HEARD = 0.1
"""Seconds within which Ctrl-C is heard."""
_ALTERNATIVES = 10
"""Alternatives of each token whose probabilities are asked for."""
_REPAIR = "No verdict can be read in your reply. Give it again, and nothing else. "
_MARKER = re.compile(r"(?<=text-|DICT )[0-9a-f]{8}")
_PROVIDERS = ("anthropic", "google", "groq", "mistral", "ollama", "openai", "openrouter", "together", "vllm")
"""The best-known providers of models."""
_MARKUP = re.compile(r"\[/?(?:bold|blue|red)\]")
"""How Inspect's messages say what is bold and what is blue."""


class InspectAsker:
    """A model, asked through Inspect, with our bounds on retries and time, and what has been learnt of its server."""

    def __init__(self, options: AskingOptions, model: "Model | None" = None) -> None:
        self.options = options
        self.structured = self.measured = True
        self.over = ""
        """Why nothing more is asked."""
        self.answered = self.failures = 0
        self._fresh = True
        self._take(model or model_of(options))

    def ask(self, calls: Iterable[tuple[str, Call]], keep: Keep) -> None:
        """Ask calls and give their replies to `keep`, in a window: one that hangs does not hold up the others.

        The event loop has a thread of its own, since a notebook has a loop already.
        """
        from inspect_ai.util._concurrency import init_concurrency

        init_concurrency()  # limits on connections belong to a run's event loop
        self.renew()
        problems: list[Exception] = []

        async def ask_all() -> None:
            window = anyio.Semaphore(self.options.concurrency)

            async def ask_one(key: str, call: Call) -> None:
                try:
                    keep(key, call, (await self.reply(call))[0])
                except Exception as error:  # noqa: BLE001 - raised below, in the thread that asked
                    problems.append(error)
                    group.cancel_scope.cancel()
                finally:
                    window.release()

            async with anyio.create_task_group() as group:
                for key, call in calls:
                    await window.acquire()
                    group.start_soon(ask_one, key, call)
            await self.model.api.aclose()

        with start_blocking_portal() as portal:
            asking = portal.start_task_soon(ask_all)
            while not wait([asking], _HEARD).done:  # a wait without an end would not hear Ctrl-C
                pass
            asking.result()
        if problems:
            raise problems[0]

    def _take(self, model: "Model") -> None:
        self.model = model
        if str(model).startswith("mockllm/") and not model.model_args.get("custom_outputs"):
            vars(model.api)["outputs"] = (
                mock_answers  # which `inspect eval` cannot pass; Inspect's own answers fit no form
            )
        self.attempts = Attempts(model, self.options)

    def renew(self) -> None:
        """Take a new client for each run, since connections end with a run's event loop; a local model stays loaded."""
        if not self._fresh and getattr(self.model.api, "client", None) is not None:
            self._take(model_of(self.options))
        self._fresh = False

    async def reply(self, call: Call) -> "tuple[Reply, ModelOutput | None]":
        """What becomes of a call, and what the model gave; a verdict that cannot be read is asked for again."""
        if self.over:
            return Reply(Status.FAILED, reason=self.over), None
        marker = secrets.token_hex(4)
        messages = _messages(*call.messages(marker))
        try:
            reply, output = await self._answer(call, messages, marker)
            for _ in range(self.options.repair):
                if reply.status != Status.UNPARSEABLE or output.stop_reason in CUT:
                    break
                messages += [output.message, *_messages("", _REPAIR + instruction(call.form, marker))]
                tokens = (reply.tokens_in, reply.tokens_out)
                reply, output = await self._answer(call, messages, marker)
                reply = replace(reply, tokens_in=reply.tokens_in + tokens[0], tokens_out=reply.tokens_out + tokens[1])
        except Exception as error:  # noqa: BLE001 - whatever a provider raises is an outcome of this call alone
            why = why_of(error, self.options)
            if not self.answered or status_of(error) not in REJECTED:  # else the request may be at fault
                self.failures += 1
                if not self.over and self.failures >= max(_HOPELESS, self.options.concurrency):
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


def model_of(options: AskingOptions) -> "Model":
    """The model. How often and how long its calls are attempted is left to Attempts.

    Raises MissingError where Inspect, the provider's library or its key is missing, OptionError where an address is.
    """
    try:
        from inspect_ai.model import GenerateConfig, get_model
        from inspect_ai.util import AdaptiveConcurrency
    except ImportError:
        raise MissingError("asking models needs inspect-ai", fix=f'pip install "{NAME}[models]"') from None
    if unknown := [name for name in options.settings if name not in GenerateConfig.model_fields]:
        raise OptionError(
            f"no setting {unknown[0]}",
            option="model_option",
            fix=f"extra_body='{{\"{unknown[0]}\": {json.dumps(options.settings[unknown[0]])}}}'",
            found=closest(unknown[0], GenerateConfig.model_fields),
        )
    HIDDEN.update(options.header.values())
    sampling: dict[str, Any] = {"temperature": options.temperature, "max_tokens": options.max_tokens}
    if options.header:
        sampling["extra_headers"] = {**(options.settings.get("extra_headers") or {}), **options.header}
    config = GenerateConfig(
        **{**options.settings, **{name: value for name, value in sampling.items() if value is not None}},
        attempt_timeout=options.timeout,
        adaptive_connections=AdaptiveConcurrency(
            min=1, start=options.concurrency, max=options.concurrency, decrease_factor=0.5, cooldown_seconds=2
        ),
    )
    service, key = options.model.removeprefix("openai-api/").split("/")[0].upper().replace("-", "_"), None
    if options.model.startswith("openai-api/"):
        if not options.base_url and not os.environ.get(f"{service}_BASE_URL"):
            raise OptionError(f"is needed for {options.model}", option="base_url", fix="http://localhost:8000/v1")
        key = "none" if options.base_url and not os.environ.get(f"{service}_API_KEY") else None
    try:
        return get_model(options.model, config=config, base_url=options.base_url, api_key=key, memoize=False)
    except Exception as error:  # noqa: BLE001 - whatever a provider raises means that it cannot be used
        why = " ".join(_MARKUP.sub("", clean(str(error))).split()).removeprefix("ERROR: ")
        fix = "--model openai/..., anthropic/... or ollama/...; install its library and set its key"
        if "not recognized" in why:
            provider, _, name = options.model.partition("/")
            near = closest(provider, _PROVIDERS)
            why, fix = f'unknown provider "{provider}"', f"--model {near}/{name}" if near else fix
        if named := re.search(r"[A-Z]+_API_KEY", why):
            why, fix = f"no {named[0]} in the environment", f"export {named[0]}=KEY"
        raise MissingError(f"{options.model}: the model cannot be used", found=why, fix=fix) from None


# --- what came back ---


def _read(output: "ModelOutput", call: Call, marker: str, *, structured: bool) -> Reply:
    """The outcome of a call that the server answered."""
    used = output.usage
    tokens = (used.input_tokens, used.output_tokens) if used else (0, 0)
    choice = output.choices[0]
    parts = choice.message.content if isinstance(choice.message.content, list) else []
    refused = any(getattr(part, "refusal", None) for part in parts)
    text = clean(output.completion)
    reply = became(call, text, choice.stop_reason, tokens, marker, refused=refused, structured=structured)
    if reply.value is None or not call.labels:
        return reply
    label = reply.value["label"] if isinstance(reply.value, Mapping) else reply.value
    return replace(reply, probabilities=label_probabilities(output, f"{label}", call.labels))


def _messages(system: str, prompt: str) -> list[Any]:
    from inspect_ai.model import ChatMessageSystem, ChatMessageUser

    first = [ChatMessageSystem(content=system)] if system else []
    return [*first, ChatMessageUser(content=prompt)]


def label_probabilities(output: "ModelOutput", label: str, labels: Sequence[str]) -> dict[str, float]:
    """The probability of each label, given that one of them was written; empty where the server tells none.

    Taken at the first token of the label's last occurrence: the share of each label among the alternatives that begin
    it and no other label. Labels that begin alike get none.
    """
    logprobs = output.choices[0].logprobs
    tokens: list[Any] = list(logprobs.content) if logprobs else []
    text = "".join(token.token for token in tokens).casefold()
    start, ends = text.rfind(label.casefold()), accumulate(len(token.token) for token in tokens)
    token = next((token for token, end in zip(tokens, ends, strict=True) if end > start >= 0), None)
    if token is None:
        return {}
    weights = dict.fromkeys(labels, 0.0)
    for other in token.top_logprobs or [token]:
        begun = fold(other.token)
        fitting = [name for name in labels if begun and fold(name).startswith(begun)]
        if len(fitting) == 1:
            weights[fitting[0]] += exp(other.logprob)
    total = sum(weights.values())
    return {name: weight / total for name, weight in weights.items()} if weights.get(label) and total else {}


# --- the mock model, so that all can be tried without a key ---


def mock_answers(messages: "list[ChatMessage]", tools: Any, choice: Any, config: "GenerateConfig") -> "ModelOutput":  # noqa: ANN401, ARG001
    """Random replies by the schema; the same for the same prompt, whatever its marker."""
    from inspect_ai.model import ModelOutput, ModelUsage

    schema = config.response_schema
    random = Random(_MARKER.sub("", messages[-1].text))  # noqa: S311 - no secret
    text = "A mock answer."
    if schema is not None:
        text = json.dumps(mock_value(schema.json_schema.model_dump(exclude_none=True), random))
    output = ModelOutput.from_content("mock", text)
    output.usage = ModelUsage()  # else Inspect counts tokens, with a table that it fetches from the network
    return output


def mock_value(schema: Mapping[str, Any], random: Random) -> object:
    """A random value that fits a JSON schema."""
    if schema.get("enum"):
        return random.choice(schema["enum"])
    kind = schema.get("type")
    if kind == "object":
        return {name: mock_value(one, random) for name, one in schema["properties"].items()}
    if kind == "array":
        return [mock_value(schema["items"], random) for _ in range(random.randrange(3))]
    if kind in ("integer", "number"):
        return random.randint(int(schema.get("minimum", 1)), int(schema.get("maximum", 1)))
    return "a mock answer"
