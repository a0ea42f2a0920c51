"""Asking: each question once, with a journal of the answers, so that nothing is asked twice whatever stops the work.

The journal has a line for each reply as it comes: {"key", "status", "value", "reason", "tokens_in", "tokens_out"}. What
was sent and what came back stands beside these in "about", "prompt" and "text". A line that was cut off when the work
was killed, or that does not hold an answer in the form of its question, is no answer.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Protocol

import msgspec

from adjudge.errors import OptionError, OutputError, flag_name
from adjudge.llm.calls import Call, Reply, Status, Tally
from adjudge.llm.options import AskingOptions
from adjudge.llm.replies import fits

_NAME = "answers.jsonl"

Watch = Callable[[Tally], None]
"""Called with the counts so far whenever a question has been answered, or found not to be."""

Keep = Callable[[str, Call, Reply], None]

Calls = Callable[[], Iterable[Call]]
"""Gives calls, the same each time."""

Ask = Callable[[Calls], Iterator[tuple[Call, Reply]]]
"""From calls to each call with its reply, in order."""


def unanswered(calls: Iterable[Call], options: AskingOptions) -> Iterator[Call]:
    """The calls whose answers the journal does not know; where there is no journal, none is made."""
    if not (options.folder / _NAME).exists():
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
                if (
                    key in journal and journal[key].value is not None and fits(call.form, journal[key].value)
                ):  # which somebody may have edited
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


class Journal:
    """The answers in a folder. Lines are found by their place in the file, so that they need not be held."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / _NAME
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = self.path.open("a+b")
        except OSError as error:
            problem = f"{folder}: expected a folder in which answers can be kept; {error.strerror or error}"
            raise OptionError(problem, fix=f"{flag_name('logs')} FOLDER") from None
        with suppress(ImportError):  # Windows has no such locks
            import fcntl

            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                self._file.close()
                problem = f"{folder}: another run is at work here; wait for it"
                raise OptionError(problem, fix=f"{flag_name('logs')} FOLDER") from None
        self._places: dict[str, int] = {}
        self._file.seek(0)
        place, line = 0, b"\n"
        for line in self._file:
            if (reply := _answer(line)).status == Status.ANSWERED:
                self._places[reply.key] = place
            place += len(line)
        if not line.endswith(b"\n"):  # it was cut off, and the next one begins anew
            self._file.write(b"\n")

    def __contains__(self, key: str) -> bool:
        return key in self._places

    def __getitem__(self, key: str) -> Reply:
        self._file.seek(self._places[key])
        return replace(_answer(self._file.readline()), known=True)

    def add(self, key: str, call: Call, reply: Reply) -> None:
        """Save what a model replied; a call whose reply is no answer is asked again all the same.

        Raises OutputError where it cannot be written.
        """
        if reply.status != Status.ANSWERED and not reply.text:
            return
        record = {**asdict(reply), "key": key, "about": call.about, "prompt": call.messages("...")[1]}
        line = json.dumps(record, ensure_ascii=False, default=str).encode("utf-8", "replace") + b"\n"
        try:
            place = self._file.seek(0, os.SEEK_END)
            self._file.write(line)
            self._file.flush()
        except OSError as error:
            raise OutputError(f"{self.path}: cannot be written: {error.strerror or error}") from None
        if reply.status == Status.ANSWERED:
            self._places[key] = place

    def close(self) -> None:
        """Close the file, which lets others work in the folder."""
        with suppress(OSError):  # of a line that could not be written, which `add` has said
            self._file.close()


def _answer(line: bytes) -> Reply:
    """The answer in a line; a failed one where it lacks what an answer has."""
    try:
        return msgspec.json.decode(line, type=Reply)
    except (msgspec.MsgspecError, RecursionError):
        return Reply(Status.FAILED)
