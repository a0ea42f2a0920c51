"""A question to a model, and what became of it."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from hashlib import sha256
from typing import Any

from adjudge.llm.prompts import Template, texts_in
from adjudge.llm.replies import Form, Unparseable, verdict, without_thoughts
from adjudge.readers.problems import counted

_SHOWN, _REASONS = 500, 3
_CUT = {"max_tokens", "model_length", "length"}


class Status(StrEnum):
    """What became of a question; only what was answered becomes a label."""

    ANSWERED = "answered"
    REFUSED = "refused"
    UNPARSEABLE = "unparseable"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Call:
    """A question to a model.

    given: values for the template. judged: texts that are data, which are fenced. about: what the answer is an answer
    to (item, criterion, order ...). draw: from 1; the same question may be asked several times.
    """

    template: Template
    form: Form
    judged: Mapping[str, Any]
    given: Mapping[str, object] = field(default_factory=dict)
    about: Mapping[str, Any] = field(default_factory=dict)
    draw: int = 1

    def messages(self, marker: str) -> tuple[str, str]:
        """System message and prompt, with the fence's marker."""
        return self.template.filled({**self.given, "form": self.form.words}, self.judged, marker)

    def key(self, asker: str) -> str:
        """What tells this question from all others: the hash of all that an answer depends on.

        asker: the model and its settings. The server's address is not part of it, nor is the random marker.
        """
        said = [asker, self.template.system, self.template.prompt, self.form.schema, self.form.words]
        text = json.dumps([*said, self.given, self.judged, self.draw], ensure_ascii=False, default=str, sort_keys=True)
        return sha256(text.encode("utf-8", "replace")).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Reply:
    """What became of a question.

    value: of an answer, what its form gives. reason: what the model said beside it, or why there is no answer.
    tokens_in, tokens_out: as the server counted them. known: whether it was known from before.
    """

    status: Status
    value: Any = None
    reason: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    known: bool = False

    def record(self) -> dict[str, Any]:
        """As the journal keeps it."""
        return {name: value for name, value in asdict(self).items() if name != "known"}


@dataclass(slots=True)
class Tally:
    """How many questions became what.

    questions: all of them; asked: those that differ. why: how often each reason was given for there being no answer.
    """

    questions: int = 0
    asked: int = 0
    known: int = 0
    answered: int = 0
    refused: int = 0
    unparseable: int = 0
    failed: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    why: dict[str, int] = field(default_factory=dict)

    def add(self, reply: Reply) -> None:
        """Count a reply."""
        self.asked += 1
        self.known += reply.known
        setattr(self, reply.status.value, getattr(self, reply.status.value) + 1)
        if reply.status != Status.ANSWERED:
            self.why[reply.reason] = self.why.get(reply.reason, 0) + 1
        if not reply.known:
            self.tokens_in += reply.tokens_in
            self.tokens_out += reply.tokens_out

    def __str__(self) -> str:
        questions = "" if self.questions == self.asked else f"{self.questions:,} questions, "
        calls = counted(self.asked, "call", "calls")
        return (
            f"{questions}{calls}: {self.answered:,} answered ({self.known:,} known from before), {self.refused:,} "
            f"refused, {self.unparseable:,} unparseable, {self.failed:,} failed; {self.tokens_in:,} tokens read, "
            f"{self.tokens_out:,} written"
        )

    def unanswered(self) -> tuple[str, ...]:
        """Remarks on calls without an answer."""
        hint = "unanswered calls give no label; the same command asks them again"
        return () if self.answered == self.asked else (f"not answered: {self.reasons()}", hint)

    def reasons(self) -> str:
        """The commonest reasons why there was no answer, each with its count."""
        common = sorted(self.why.items(), key=lambda one: -one[1])
        shown = [f"{count:,} x {reason}" for reason, count in common[:_REASONS]]
        left = sum(count for _, count in common[_REASONS:])
        return "; ".join([*shown, *([f"{left:,} x other reasons"] if left else [])])


def became(call: Call, text: str, stopped: str, tokens: tuple[int, int], *, refused: bool) -> Reply:
    """What became of a call that a server answered. stopped: why the model stopped, in the server's word."""
    if refused or stopped == "content_filter":
        return Reply(Status.REFUSED, None, text[:_SHOWN] or "content filter", *tokens)
    if stopped in _CUT:
        status = Status.FAILED if call.form.schema is None else Status.UNPARSEABLE
        return Reply(status, None, f"the answer was cut off ({stopped})", *tokens)
    if not without_thoughts(text):
        return Reply(Status.FAILED, None, "the answer is empty", *tokens)
    try:
        said = verdict(text, call.form, tuple(texts_in(call.judged)))
    except Unparseable as error:
        return Reply(Status.UNPARSEABLE, None, str(error), *tokens)
    return Reply(Status.ANSWERED, said.value, said.reason, *tokens)
