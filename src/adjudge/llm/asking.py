"""Asking: each question once, answers kept as they come, in parts so that memory does not grow with the work."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

from adjudge.llm.calls import Call, Reply, Tally
from adjudge.llm.journal import NAME, Journal
from adjudge.llm.reply_forms import Unparseable

PART = 5_000
"""Questions in a part: as many as a log holds, and as are held at a time."""

Watch = Callable[[Tally], None]
"""Called with the counts so far whenever a question has been answered, or found not to be."""

Keep = Callable[[str, Reply], None]

Ask = Callable[[Iterable[Call]], Iterator[tuple[Call, Reply]]]
"""From calls to each call with its reply, in order."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How a model is asked.

    model: as Inspect names it (provider/model). base_url: of a server that speaks the OpenAI protocol. retries: of a
    question, after the first attempt. timeout: of an attempt, in seconds. max_wait: seconds for which a question waits
    for a server that limits its rate. repair: how often a model is asked again for a verdict that cannot be read.
    options: further settings of the model, as Inspect's GenerateConfig names them. headers: of each request. logs: the
    folder of the journal and of Inspect's logs.
    """

    model: str
    logs: Path
    base_url: str | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    concurrency: int = 10
    retries: int = 5
    timeout: int = 120
    max_wait: float = 600
    repair: int = 1
    options: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def asker(self) -> str:
        """What of these an answer depends on; neither the server's address nor a key."""
        temperature = None if self.temperature is None else float(self.temperature)  # 0 asks what 0.0 asks
        more = f"|{json.dumps(self.options, sort_keys=True)}" if self.options else ""
        return f"{self.model}|temperature={temperature}|max_tokens={self.max_tokens}|seed={self.seed}{more}"


def unanswered(calls: Iterable[Call], settings: Settings) -> Iterator[Call]:
    """The calls whose answers the journal does not know; where there is no journal, none is made."""
    if not (settings.logs / NAME).exists():
        yield from calls
        return
    with closing(Journal(settings.logs)) as journal:
        yield from (call for call in calls if call.key(settings.asker) not in journal)


class Asker(Protocol):
    """What gets replies: a model, or the results of a batch."""

    def ask(self, calls: Mapping[str, Call], keep: Keep) -> None:
        """Give the reply to each call, by its key, to `keep` as soon as it is there."""


def replies(
    calls: Iterable[Call], asker: Asker, settings: Settings, watch: Watch | None = None, tally: Tally | None = None
) -> Iterator[tuple[Call, Reply]]:
    """Each call with its reply, in order. What the journal knows is not asked again; equal calls are asked once."""
    counts, rest = tally if tally is not None else Tally(), iter(calls)
    with closing(Journal(settings.logs)) as journal:
        while part := [(call.key(settings.asker), call) for call in islice(rest, PART)]:
            yield from _part(part, asker, journal, counts, watch)


def _part(
    part: list[tuple[str, Call]], asker: Asker, journal: Journal, counts: Tally, watch: Watch | None
) -> Iterator[tuple[Call, Reply]]:
    asked, result = dict(part), dict[str, Reply]()
    counts.questions += len(part)
    for key, call in asked.items():
        if key in journal and _fits(journal[key], call):
            result[key] = journal[key]
            counts.add(result[key])

    def keep(key: str, reply: Reply) -> None:
        journal.add(key, reply)
        result[key] = reply
        counts.add(reply)
        if watch:
            watch(counts)

    if watch:
        watch(counts)
    if missing := {key: call for key, call in asked.items() if key not in result}:
        asker.ask(missing, keep)
    yield from ((call, result[key]) for key, call in part)


def _fits(reply: Reply, call: Call) -> bool:
    """Whether a reply from the journal, which somebody may have edited, has the form that the call asks for."""
    try:
        call.form.checked(reply.value)
    except Unparseable:
        return False
    return True
