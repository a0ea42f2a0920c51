"""A question to a model, and what became of it."""

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256
from typing import Any

from adjudge.llm.prompts import Template, texts_in
from adjudge.llm.replies import verdict, without_thoughts
from adjudge.llm.reply_forms import Form, Unparseable, instruction
from adjudge.readers.problems import count_words

_SHOWN, _REASONS = 500, 3
CUT = {"max_tokens", "model_length", "length"}


_REFUSAL = re.compile(
    r"[\W_]*(?:(?:i(?:['’]?m| am) (?:\w+ )?sorry|i apologi[sz]e|(?:my )?apologies|sorry|unfortunately|as an ai)\b"
    r"[^\n]{0,60}?\b)?i(?: (?:can ?no|can['’]|could ?n[o'’]|won['’]|will no|would no)t| refuse| decline"
    r"| (?:must|have to)(?= decline)| do(?: not|n['’]t) (?:feel comfortable|wish|want|think i (?:can|should))"
    r"|(?:['’]?m| am) (?:not (?:able|comfortable|willing|allowed|going)|un(?:able|comfortable|willing)))\b"
    r"[^\n.;:]{0,40}?\b(?:assist|help|compl[ye]|judg|evaluat|rat(?:e|ing)\b|compar|assess|fulfil|continu|engag|discuss"
    r"|declin|provid)",
    re.IGNORECASE,
)
"""How a reply begins in which a model refuses to judge."""


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
    to (item, criterion, order ...). draw: from 1; the same question may be asked several times. labels: those whose
    probabilities are wanted.
    """

    template: Template
    form: Form
    judged: Mapping[str, Any]
    given: Mapping[str, object] = field(default_factory=dict)
    about: Mapping[str, Any] = field(default_factory=dict)
    draw: int = 1
    labels: tuple[str, ...] = ()

    def messages(self, marker: str) -> tuple[str, str]:
        """System message and prompt. marker: of the texts' fence, and of the line with the verdict."""
        given = {**self.given, "form": instruction(self.form, marker)}
        return self.template.filled(given, self.judged, marker)

    def key(self, asker: str) -> str:
        """What tells this question from all others: the hash of all that an answer depends on.

        asker: the model and its settings. The server's address is not part of it, nor is the random marker.
        """
        said = [asker, self.template.system, self.template.prompt, self.form.schema, instruction(self.form, "<marker>")]
        text = json.dumps([*said, self.given, self.judged, self.draw], ensure_ascii=False, default=str, sort_keys=True)
        return sha256(text.encode("utf-8", "replace")).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Reply:
    """What became of a question.

    value: of an answer, what its form gives. reason: what the model wrote beside it, or why there is no answer.
    left_out: why entries of an answer that is a list were left out. probabilities: of labels, where the server tells
    them. tokens_in, tokens_out: as the server counted them. text: the whole reply. known: whether it was known from
    before. key: of its call, in a journal.
    """

    status: Status
    value: Any = None
    reason: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    left_out: tuple[str, ...] = ()
    probabilities: Mapping[str, float] = field(default_factory=dict)
    text: str = ""
    known: bool = False
    key: str = ""


@dataclass(slots=True)
class Tally:
    """How many questions became what.

    questions: all of them; asked: those that differ. why: how often each reason was given for there being no answer.
    left_out: how many entries of answers had not the form, for which reason.
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
    why: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)

    def add(self, reply: Reply) -> None:
        """Count a reply."""
        self.asked += 1
        self.known += reply.known
        setattr(self, reply.status.value, getattr(self, reply.status.value) + 1)
        self.why.update([reply.reason] * (reply.status != Status.ANSWERED))
        self.left_out.update(reply.left_out)
        if not reply.known:
            self.tokens_in += reply.tokens_in
            self.tokens_out += reply.tokens_out

    def __str__(self) -> str:
        questions = "" if self.questions == self.asked else f"{self.questions:,} questions, "
        calls = count_words(self.asked, "call", "calls")
        return (
            f"{questions}{calls}: {self.answered:,} answered ({self.known:,} known from before), {self.refused:,} "
            f"refused, {self.unparseable:,} unparseable, {self.failed:,} failed; {self.tokens_in:,} tokens read, "
            f"{self.tokens_out:,} written"
        )

    def remarks(self) -> tuple[str, ...]:
        """Remarks on calls without an answer, and on entries that were excluded from answers."""
        hint = "unanswered calls give no label; the same command asks them again"
        entries = count_words(self.left_out.total(), "entry of an answer was", "entries of answers were")
        left_out = (f"{entries} excluded: {_commonest(self.left_out)}",) if self.left_out else ()
        return left_out if self.answered == self.asked else (*left_out, f"not answered: {self.reasons()}", hint)

    def reasons(self) -> str:
        """The commonest reasons why there was no answer, each with its count."""
        return _commonest(self.why)


def _commonest(reasons: Counter[str]) -> str:
    """The commonest reasons, each with its count."""
    shown = [*reasons.most_common(_REASONS), ("other reasons", sum(n for _, n in reasons.most_common()[_REASONS:]))]
    return "; ".join(f"{reason} ({count:,} times)" if count > 1 else reason for reason, count in shown if count)


def became(
    call: Call, text: str, stop: str, tokens: tuple[int, int], marker: str, *, refused: bool, structured: bool = False
) -> Reply:
    """What became of a call that a server answered.

    stop: why the model stopped, in the server's word. marker: that the call was asked with. structured: whether the
    server held the model to a schema.
    """
    if refused or stop == "content_filter":
        return Reply(Status.REFUSED, None, text[:_SHOWN] or "content filter", *tokens, text=text)
    if stop in CUT:
        status = Status.FAILED if call.form.schema is None else Status.UNPARSEABLE
        return Reply(status, None, f"the answer was cut off ({stop})", *tokens, text=text)
    if not without_thoughts(text):
        return Reply(Status.FAILED, None, "the answer is empty", *tokens)
    try:
        found = verdict(text, call.form, tuple(texts_in(call.judged)), marker, structured=structured)
    except Unparseable as error:
        if _REFUSAL.match(without_thoughts(text)):
            return Reply(Status.REFUSED, None, text[:_SHOWN], *tokens, text=text)
        return Reply(Status.UNPARSEABLE, None, str(error), *tokens, text=text)
    return Reply(Status.ANSWERED, found.value, found.reason, *tokens, left_out=found.left_out, text=text)
