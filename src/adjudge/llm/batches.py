"""Batches: questions as an OpenAI batch file, for those who run models elsewhere, and its results read back."""

import json
import re
import secrets
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TextIO

from adjudge.errors import DataError, OptionError, missing_file
from adjudge.llm.asking import Keep
from adjudge.llm.calls import Call, Reply, Status, became
from adjudge.llm.options import AskingOptions
from adjudge.llm.reply_forms import encoded, reply_schema

_OK = 200
_MOST_LINES, _MOST_BYTES = 50_000, 200_000_000
"""What OpenAI takes in one batch file."""
_REASONING = re.compile(r"(?:o\d|gpt-5)")
"""How the names of OpenAI's models begin that reason: they take no temperature, and another name for max_tokens."""


class BatchWriter:
    """An asker that writes its questions down, as lines {custom_id, method, url, body}; no reply comes.

    A custom_id is the question's key and the marker of its line of verdict: KEY-MARKER.
    """

    def __init__(self, file: TextIO, options: AskingOptions) -> None:
        self.file = file
        self.options = options
        self.keys: set[str] = set()
        self.size = 0

    def ask(self, calls: Iterable[tuple[str, Call]], keep: Keep) -> None:
        """Write each call, once."""
        unanswered = Reply(Status.FAILED, reason="written to the batch file")
        for key, call in calls:
            keep(key, call, unanswered)
            if key in self.keys:
                continue
            marker = secrets.token_hex(4)
            about = {"custom_id": f"{key}-{marker}", "method": "POST", "url": "/v1/chat/completions"}
            line = json.dumps({**about, "body": body(call, self.options, marker)}, ensure_ascii=False) + "\n"
            self.file.write(line)
            self.size += len(line.encode())
            self.keys.add(key)

    def remarks(self) -> tuple[str, ...]:
        """How many calls were written, and whether OpenAI takes so many in one file."""
        count = len(self.keys)
        calls = f"{count:,} calls to be answered"
        if count <= _MOST_LINES and self.size <= _MOST_BYTES:
            return (calls,)
        size = f"{count:,} lines, {self.size / 1e6:,.0f} MB"
        return (calls, f"OpenAI takes 50,000 lines and 200 MB in a file, and this one has {size}: split it by lines")


class BatchResults:
    """An asker that reads replies from the results of a batch."""

    def __init__(self, path: Path) -> None:
        self.found = _results(path)

    def ask(self, calls: Iterable[tuple[str, Call]], keep: Keep) -> None:
        """Give each call's result."""
        unanswered = Reply(Status.FAILED, reason="not among the results of the batch")
        for key, call in calls:
            keep(key, call, _reply(*self.found[key], call) if key in self.found else unanswered)


def body(call: Call, options: AskingOptions, marker: str) -> dict[str, Any]:
    """A question as the OpenAI chat protocol has it."""
    system, prompt = call.messages(marker)
    messages = [{"role": role, "content": text} for role, text in (("system", system), ("user", prompt)) if text]
    model = options.model.split("/", 2 if options.model.startswith("openai-api/") else 1)[-1]
    parameters: dict[str, Any] = {"temperature": options.temperature, "max_tokens": options.max_tokens}
    if _REASONING.match(model):
        parameters = {"max_completion_tokens": options.max_tokens}
    parameters |= {name: value for name, value in options.settings.items() if name != "extra_body"}
    parameters |= options.settings.get("extra_body") or {}
    made = {"model": model, "messages": messages} | {name: one for name, one in parameters.items() if one is not None}
    schema = reply_schema(call.form)
    if schema is not None:
        named = {"name": "verdict", "strict": True, "schema": schema}
        made["response_format"] = {"type": "json_schema", "json_schema": named}
    return made


def _results(path: Path) -> dict[str, tuple[dict[str, Any], str]]:
    """Each question's line in a file of results, and its marker. Raises DataError for what is none, or contradicts."""
    found: dict[str, tuple[dict[str, Any], str]] = {}
    try:
        opened = path.open(encoding="utf-8-sig", errors="replace")
    except FileNotFoundError:
        raise missing_file(path) from None
    except OSError as error:
        raise OptionError(f"{path}: cannot be read: {error.strerror or error}") from None
    with opened as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                record = json.loads(line)
                key, _, marker = str(record["custom_id"]).partition("-")
            except (ValueError, KeyError, TypeError):
                raise DataError(
                    f'{path}, line {number}: expected a result of a batch, {{"custom_id", "response"}}; got {line:.60}'
                ) from None
            if key in found and _answer_of(found[key][0]) != _answer_of(record):
                raise DataError(f"{path}, line {number}: expected each custom_id once; {record['custom_id']} differs")
            found[key] = record, marker
    return found


def _answer_of(record: Mapping[str, Any]) -> tuple[object, object]:
    """What a line of results answers, without what differs between two copies of it."""
    return record.get("error"), _object(_object(record.get("response")).get("body")).get("choices")


def _reply(record: Mapping[str, Any], marker: str, call: Call) -> Reply:
    response = _object(record.get("response"))
    answer = _object(response.get("body"))
    if record.get("error") or response.get("status_code", _OK) != _OK:
        said = record.get("error") or answer.get("error") or f"status {response.get('status_code')}"
        return Reply(Status.FAILED, reason=f"{said}"[:500])
    choices = answer.get("choices")
    choice = _object(choices[0] if isinstance(choices, list) and choices else None)
    message, used = _object(choice.get("message")), _object(answer.get("usage"))
    counts = (used.get("prompt_tokens"), used.get("completion_tokens"))
    tokens_in, tokens_out = (count if isinstance(count, int) else 0 for count in counts)
    text = message.get("refusal") or message.get("content")
    if isinstance(text, list):  # of parts
        text = "".join(str(part.get("text", "")) for part in map(_object, text))
    said, stopped = encoded(text) if isinstance(text, str) else "", str(choice.get("finish_reason"))
    return became(call, said, stopped, (tokens_in, tokens_out), marker, refused=bool(message.get("refusal")))


def _object(value: object) -> Mapping[str, Any]:
    """An object of JSON; an empty one in the place of anything else."""
    return value if isinstance(value, Mapping) else {}
