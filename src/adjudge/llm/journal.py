"""The journal: a line for each reply as it comes, so that nothing is asked twice whatever stops the work.

A line is {"key", "status", "value", "reason", "tokens_in", "tokens_out"}. What was sent and what came back stands
beside these in "about", "prompt" and "text". A line that was cut off when the work was killed, or that lacks one of the
first six, is no answer.
"""

import json
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

from adjudge.errors import OptionError, OutputError, flag_name
from adjudge.llm.calls import Call, Reply, Status

NAME = "answers.jsonl"
_KEY = re.compile(r"[0-9a-f]{32}")
_KEPT = {"value": object, "reason": str, "tokens_in": int, "tokens_out": int}


class Journal:
    """The answers in a folder. Lines are found by their place in the file, so that they need not be held."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / NAME
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = self.path.open("a+b")
        except OSError as error:
            problem = f"{folder}: expected a folder in which answers can be kept; {error.strerror or error}"
            raise OptionError(problem, fix=f"{flag_name('logs')} FOLDER") from None
        self._lock()
        self._places: dict[bytes, int] = {}
        self._read()

    def __contains__(self, key: str) -> bool:
        return bytes.fromhex(key) in self._places

    def __getitem__(self, key: str) -> Reply:
        self._file.seek(self._places[bytes.fromhex(key)])
        found = _answer(self._file.readline())
        return Reply(
            Status.ANSWERED,
            known=True,
            **{name: found[name] for name in _KEPT},
            left_out=tuple(found.get("left_out") or ()),
            probabilities=found.get("probabilities") or {},
        )

    def add(self, key: str, call: Call, reply: Reply) -> None:
        """Save what a model replied; a call whose reply is no answer is asked again all the same.

        Raises OutputError where it cannot be written.
        """
        if reply.status != Status.ANSWERED and not reply.text:
            return
        record = {"key": key, **reply.record(), "about": call.about, "prompt": call.messages("...")[1]}
        line = json.dumps(record, ensure_ascii=False, default=str).encode("utf-8", "replace") + b"\n"
        try:
            place = self._file.seek(0, os.SEEK_END)
            self._file.write(line)
            self._file.flush()
        except OSError as error:
            raise OutputError(f"{self.path}: cannot be written: {error.strerror or error}") from None
        if reply.status == Status.ANSWERED:
            self._places[bytes.fromhex(key)] = place

    def close(self) -> None:
        """Close the file, which lets others work in the folder."""
        with suppress(OSError):  # of a line that could not be written, which `add` has said
            self._file.close()

    def _lock(self) -> None:
        """Raises OptionError where another process works in the folder."""
        with suppress(ImportError):  # Windows has no such locks
            import fcntl

            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                self._file.close()
                raise OptionError(
                    f"{self.path.parent}: another run is at work here; wait for it", fix=f"{flag_name('logs')} FOLDER"
                ) from None

    def _read(self) -> None:
        """Learn where each answer is, and end a line that was cut off, so that the next one begins anew."""
        self._file.seek(0)
        place, line = 0, b"\n"
        for line in self._file:
            if record := _answer(line):
                self._places[bytes.fromhex(record["key"])] = place
            place += len(line)
        if not line.endswith(b"\n"):
            self._file.write(b"\n")


def _answer(line: bytes) -> dict[str, Any]:
    """The record in a line; an empty one where it lacks what an answer has."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(record, dict) or record.get("status") != Status.ANSWERED:
        return {}
    whole = all(name in record and isinstance(record[name], kind) for name, kind in _KEPT.items())
    key = record.get("key")
    return record if whole and isinstance(key, str) and _KEY.fullmatch(key) else {}
