"""Asking: each question once, with answers saved as they come."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from typing import Protocol

from adjudge.llm.calls import Call, Reply, Status, Tally
from adjudge.llm.journal import NAME, Journal
from adjudge.llm.options import AskingOptions
from adjudge.llm.replies import fits

Watch = Callable[[Tally], None]
"""Called with the counts so far whenever a question has been answered, or found not to be."""

Keep = Callable[[str, Call, Reply], None]

Calls = Callable[[], Iterable[Call]]
"""Gives calls, the same each time."""

Ask = Callable[[Calls], Iterator[tuple[Call, Reply]]]
"""From calls to each call with its reply, in order."""


def unanswered(calls: Iterable[Call], options: AskingOptions) -> Iterator[Call]:
    """The calls whose answers the journal does not know; where there is no journal, none is made."""
    if not (options.folder / NAME).exists():
        yield from calls
        return
    with closing(Journal(options.folder)) as journal:
        yield from (call for call in calls if call.key(options.asker) not in journal)


class Asker(Protocol):
    """What gets replies: a model, or the results of a batch."""

    def ask(self, calls: Iterator[tuple[str, Call]], keep: Keep) -> None:
        """Give the reply to each call, with its key, to `keep` as soon as it is there."""


def replies(
    calls: Calls, asker: Asker, options: AskingOptions, watch: Watch | None = None, tally: Tally | None = None
) -> Iterator[tuple[Call, Reply]]:
    """Each call with its reply, in order. What the journal knows is not asked again; equal calls are asked once.

    Calls are made twice, to ask them and to give their replies, so that neither they nor answers need to be held.
    """
    counts, unanswered_calls = tally if tally is not None else Tally(), dict[str, Reply]()
    show = watch or (lambda _: None)
    with closing(Journal(options.folder)) as journal:

        def missing() -> Iterator[tuple[str, Call]]:
            asked = set[str]()
            for call in calls():
                key = call.key(options.asker)
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
            show(counts)

        show(counts)
        asker.ask(missing(), keep)
        show(counts)
        for call in calls():
            key = call.key(options.asker)
            yield call, unanswered_calls.get(key) or journal[key]
