"""Many inputs on all cores until the time is over; what is found is kept, hangs and deaths too."""

import json
import multiprocessing as several
import os
import queue
import re
import signal
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

CORPUS = Path(__file__).parent / "corpus"
HANGS = 5.0
"""Seconds of processor time after which an input is said to hang."""
_REPORTED, _TOLD = 200, 10_000


@dataclass
class Found:
    """What became of all inputs. kinds: what is wrong -> how often, each kept once."""

    outcomes: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)

    def wrong(self, number: int, said: str, find: Mapping[str, str]) -> None:
        """Count what is wrong with an input, and keep the first of its kind."""
        kind = _kind(said)
        self.kinds[kind] += 1
        if self.kinds[kind] == 1:
            print(f"\n{number}: {find.get('sample', '')}\n{said[-1500:]}", flush=True)
            if "content" in find:
                name = re.sub(r"\W+", "-", f"{find['sample']}-{number}").strip("-")
                day = datetime.now(UTC).date().isoformat()
                held = {**find, "wrong": said.strip().splitlines()[-1][:200], "date": day}
                CORPUS.mkdir(exist_ok=True)
                (CORPUS / f"{name}.json").write_text(json.dumps(held, indent=1) + "\n", encoding="utf-8")


def _kind(said: str) -> str:
    """The last line of what is wrong, without its numbers, and where it arose."""
    places = re.findall(r'File ".*/([\w/]+\.py)", line (\d+)', said)
    last = (said.strip().splitlines() or [""])[-1]
    return f"{re.sub(r'[0-9]+', '0', last)[:80]} {places[-1] if places else ''}"


def work(seed: int, place: int, step: int, first: int, at: Any, results: Any) -> None:
    """Try every `step`-th input from the first on."""
    os.environ.setdefault("POLARS_MAX_THREADS", "1")
    os.environ["RUST_BACKTRACE"] = "0"  # damaged Parquet files make polars panic, which is refused in words
    from fuzz.trying import tried

    outcomes: Counter[str] = Counter()
    for number in count(first + place, step):
        at.value = number
        signal.setitimer(signal.ITIMER_PROF, HANGS)  # ends the process
        found = tried(seed, number)
        outcomes[found.outcome] += 1
        if found.outcome == "wrong":
            find = {"sample": str(found.sample), "content": found.content.decode("latin-1")}
            results.put(("wrong", number, found.said, find))
        if outcomes.total() == _REPORTED:
            results.put(("tried", outcomes))
            outcomes = Counter()


def fuzz(seconds: float, seed: int, first: int, workers: int) -> Found:
    """Try inputs for some time, or until Ctrl-C; says now and then how many were tried."""
    context, found = several.get_context("spawn"), Found()
    results = context.Queue()

    def start(place: int, first: int) -> tuple[Any, Any]:
        """A process, and the number of the input that it is trying."""
        at = context.Value("q", -1)
        process = context.Process(target=work, args=(seed, place, workers, first, at, results), daemon=True)
        process.start()
        return process, at

    crew = [start(place, first) for place in range(workers)]
    end, told = time.monotonic() + seconds, 0
    with suppress(KeyboardInterrupt):
        while time.monotonic() < end:
            _take(results, found)
            for place, (process, at) in enumerate(crew):
                if not process.is_alive():
                    hangs = process.exitcode == -signal.SIGPROF
                    said = f"hangs: over {HANGS:g} s" if hangs else f"the process died with {process.exitcode}"
                    found.wrong(at.value, said, {"sample": f"seed {seed}"})
                    crew[place] = start(place, at.value - place + workers)
            if found.outcomes.total() - told >= _TOLD:
                told = found.outcomes.total()
                last = max(at.value for _, at in crew)
                print(f"{told:,} inputs from {first:,} to {last:,}, {len(found.kinds)} kinds of faults", flush=True)
    for process, _ in crew:
        process.kill()
    _take(results, found)
    return found


def _take(results: Any, found: Found) -> None:
    """Take over what workers have to say, for a second."""
    end = time.monotonic() + 1
    with suppress(queue.Empty):
        while (left := end - time.monotonic()) > 0:
            kind, *rest = results.get(timeout=left)
            if kind == "tried":
                found.outcomes.update(rest[0])
            else:
                found.wrong(*rest)
