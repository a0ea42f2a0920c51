"""Asking: each question once, with answers saved as they come."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from adjudge.llm.calls import Call, Reply, Status, Tally
from adjudge.llm.journal import NAME, Journal
from adjudge.llm.replies import fits

Watch = Callable[[Tally], None]
"""Called with the counts so far whenever a question has been answered, or found not to be."""

Keep = Callable[[str, Call, Reply], None]

Ask = Callable[[Callable[[], Iterable[Call]]], Iterator[tuple[Call, Reply]]]
"""From what gives calls, the same each time, to each call with its reply, in order."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How a model is asked.

    model: as Inspect names it (provider/model). base_url: of a server that speaks the OpenAI protocol. retries: of a
    question, after the first attempt. timeout: of an attempt, in seconds. max_wait: seconds for which a question waits
    for a server that limits its rate. repair: how often a model is asked again for a verdict that cannot be read.
    options: further settings of the model, as Inspect's GenerateConfig names them. headers: of each request. logs: the
    folder of the journal.
    """

    model: str
    logs: Path
    base_url: str | None = None
    temperature: float | None = None
    max_tokens: int | None = None
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
        return f"{self.model}|temperature={temperature}|max_tokens={self.max_tokens}|seed=None{more}"


def unanswered(calls: Iterable[Call], settings: Settings) -> Iterator[Call]:
    """The calls whose answers the journal does not know; where there is no journal, none is made."""
    if not (settings.logs / NAME).exists():
        yield from calls
        return
    with closing(Journal(settings.logs)) as journal:
        yield from (call for call in calls if call.key(settings.asker) not in journal)


class Asker(Protocol):
    """What gets replies: a model, or the results of a batch."""

    def ask(self, calls: Iterator[tuple[str, Call]], keep: Keep) -> None:
        """Give the reply to each call, with its key, to `keep` as soon as it is there."""


def replies(
    calls: Callable[[], Iterable[Call]],
    asker: Asker,
    settings: Settings,
    watch: Watch | None = None,
    tally: Tally | None = None,
) -> Iterator[tuple[Call, Reply]]:
    """Each call with its reply, in order. What the journal knows is not asked again; equal calls are asked once.

    Calls are made twice, to ask them and to give their replies, so that neither they nor answers need to be held.
    """
    counts, unanswered_calls = tally if tally is not None else Tally(), dict[str, Reply]()
    with closing(Journal(settings.logs)) as journal:

        def missing() -> Iterator[tuple[str, Call]]:
            asked = set[str]()
            for call in calls():
                key = call.key(settings.asker)
                counts.questions += 1
                if key in asked:
                    continue
                asked.add(key)
                if key in journal and fits(call.form, journal[key].value):  # which somebody may have edited
                    counts.add(journal[key])
                else:
                    yield key, call

        def keep(key: str, call: Call, reply: Reply) -> None:
            journal.add(key, call, reply)
            if reply.status != Status.ANSWERED:
                unanswered_calls[key] = reply
            counts.add(reply)
            if watch:
                watch(counts)

        asker.ask(missing(), keep)
        for call in calls():
            key = call.key(settings.asker)
            yield call, unanswered_calls.get(key) or journal[key]
