"""The interface of runners, the distribution of work in bounded memory, and the runner with threads."""

import os
import pickle
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from functools import lru_cache
from itertools import islice
from typing import Any, Protocol

Work = Callable[[Any], Any]
Load = Callable[[], Work]
"""Loads a model, and returns the work that uses it."""
Done = tuple[int, Any]
"""The position of a part, and its result or exception."""

MOST_TRIES = 3
"""Maximum number of tries of a part that kills workers."""


ONE_THREAD = dict.fromkeys(("POLARS_MAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
"""Environment variables of a worker with one processor."""


class Runner(Protocol):
    """Runs work until it is closed."""

    def map(self, work: Work, parts: Sequence[Any]) -> Iterator[Done]:
        """The result of each part as soon as it is known, in any order.

        work: a function of a module, perhaps with arguments bound by `partial`. A dead worker is replaced, and its part
        tried again; a part that kills MOST_TRIES workers becomes a LostError.
        """

    def map_loaded(self, load: Load, parts: Sequence[Any]) -> Iterator[Done]:
        """Map parts with what `load` returns, such as a model: each worker calls `load` once."""

    def close(self) -> None:
        """End all workers."""


class LostError(Exception):
    """Every try of this part killed its worker."""

    def __init__(self) -> None:
        super().__init__(f"the process that read it died {MOST_TRIES} times, as for want of memory")


def with_loaded(load: bytes, part: Any) -> Any:  # noqa: ANN401
    """The result of a part in a process that loads a model for the first part and keeps it for the others.

    load: pickled, since two unpickled copies are not equal.
    """
    return _loaded(load)(part)


@lru_cache(maxsize=1)
def _loaded(load: bytes) -> Work:
    found: Work = pickle.loads(load)()  # noqa: S301 - sent by the process that was started
    return found


def processors() -> int:
    """Number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def handed_out(pool: Executor, work: Work, parts: Iterator[tuple[int, Any]], most: int) -> Iterator[Done]:
    """A pool's results of parts with their positions, of which at most so many run at a time."""
    running: dict[Future[Any], int] = {}
    while True:
        running |= {pool.submit(work, part): place for place, part in islice(parts, most - len(running))}
        if not running:
            return
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            yield running.pop(future), future.exception() or future.result()


class Threads:
    """A thread of this process per processor: polars and numpy run in parallel in them."""

    def map(self, work: Work, parts: Sequence[Any]) -> Iterator[Done]:
        """See `Runner`."""
        with ThreadPoolExecutor(processors()) as pool:
            yield from handed_out(pool, work, enumerate(parts), processors())

    def map_loaded(self, load: Load, parts: Sequence[Any]) -> Iterator[Done]:
        """See `Runner`. One part at a time, since a model uses all processors itself."""
        with ThreadPoolExecutor(1) as pool:
            yield from handed_out(pool, load(), enumerate(parts), 1)

    def close(self) -> None:
        """Nothing to end."""
