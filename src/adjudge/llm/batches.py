"""Batches: questions as an OpenAI batch file, for those who run models elsewhere, and its results read back."""

import json
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TextIO

from adjudge.errors import DataError, OptionError, missing_file, named
from adjudge.llm.asking import Keep, Settings
from adjudge.llm.calls import Call, Reply, Status, became
from adjudge.llm.replies import encoded, reply_schema

_OK = 200


class BatchWriter:
    """An asker that writes its questions down, as lines {custom_id, method, url, body}; no reply comes."""

    def __init__(self, file: TextIO, settings: Settings) -> None:
        self.file = file
        self.settings = settings
        self.keys: set[str] = set()

    @property
    def count(self) -> int:
        """How many questions were written."""
        return len(self.keys)

    def ask(self, calls: Mapping[str, Call], keep: Keep) -> None:
        """Write each call, once."""
        for key, call in calls.items():
            keep(key, Reply(Status.FAILED, reason="written to the batch file"))
            if key in self.keys:
                continue
            line = {
                "custom_id": key,
                "method": "POST",
                "url": "/v1/chat/completions",
                "body": body(call, self.settings),
            }
            self.file.write(json.dumps(line, ensure_ascii=False) + "\n")
            self.keys.add(key)


class BatchResults:
    """An asker that reads replies from the results of a batch."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.found = dict(_results(path))
        self.used = False

    def ask(self, calls: Mapping[str, Call], keep: Keep) -> None:
        """Give each call's result."""
        for key, call in calls.items():
            self.used = self.used or key in self.found
            keep(key, _reply(self.found.get(key), call))

    def check_used(self) -> None:
        """Raises OptionError where all results are of other questions than those that were asked."""
        if self.found and not self.used:
            raise OptionError(
                f"{self.path}: its custom_ids are of other questions",
                fix=f"the same input, model and options as for {named('batch_file')}",
            )


def body(call: Call, settings: Settings) -> dict[str, Any]:
    """A question as the OpenAI chat protocol has it."""
    system, prompt = call.messages(secrets.token_hex(4))
    messages = [{"role": role, "content": text} for role, text in (("system", system), ("user", prompt)) if text]
    model = settings.model.split("/", 2 if settings.model.startswith("openai-api/") else 1)[-1]
    options = {name: getattr(settings, name) for name in ("temperature", "max_tokens", "seed")}
    made = {"model": model, "messages": messages} | {name: one for name, one in options.items() if one is not None}
    schema = reply_schema(call.form)
    if schema is not None:
        named = {"name": "verdict", "strict": True, "schema": schema}
        made["response_format"] = {"type": "json_schema", "json_schema": named}
    return made


def _results(path: Path) -> list[tuple[str, dict[str, Any]]]:
    """The lines of a file of results by custom_id. Raises DataError for a line that is none."""
    found = []
    try:
        opened = path.open(encoding="utf-8", errors="replace")
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
                found.append((str(record["custom_id"]), record))
            except (ValueError, KeyError, TypeError):
                raise DataError(
                    f'{path}, line {number}: expected a result of a batch, {{"custom_id", "response"}}; got {line:.60}'
                ) from None
    return found


def _reply(record: Mapping[str, Any] | None, call: Call) -> Reply:
    if record is None:
        return Reply(Status.FAILED, reason="not among the results of the batch")
    response = _object(record.get("response"))
    answer = _object(response.get("body"))
    if record.get("error") or response.get("status_code", _OK) != _OK:
        said = record.get("error") or answer.get("error") or f"status {response.get('status_code')}"
        return Reply(Status.FAILED, reason=f"{said}"[:500])
    choices = answer.get("choices")
    choice = _object(choices[0] if isinstance(choices, list) and choices else None)
    message, used = _object(choice.get("message")), _object(answer.get("usage"))
    tokens = (_count(used.get("prompt_tokens")), _count(used.get("completion_tokens")))
    text = message.get("refusal") or message.get("content")
    said = encoded(text) if isinstance(text, str) else ""
    return became(call, said, str(choice.get("finish_reason")), tokens, refused=bool(message.get("refusal")))


def _object(value: object) -> Mapping[str, Any]:
    """An object of JSON; an empty one in the place of anything else."""
    return value if isinstance(value, Mapping) else {}


def _count(value: object) -> int:
    return value if isinstance(value, int) else 0
