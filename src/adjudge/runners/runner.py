"""The interface of runners, how work is handed out without holding more than is under way, and threads that do it."""

import os
import pickle
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from functools import lru_cache
from itertools import islice
from typing import Any, Protocol

Work = Callable[[Any], Any]
Load = Callable[[], Work]
"""Loads a model, and gives what works with it."""
Done = tuple[int, Any]
"""The place of a part, and what became of it: the result, or the exception that the work ended with."""

MOST_TRIES = 3
"""How often a part is tried under which workers die."""


ONE_THREAD = dict.fromkeys(("POLARS_MAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
"""Variables of the environment of a worker that has a processor to itself."""


class Runner(Protocol):
    """Where work runs, until it is closed."""

    def map(self, work: Work, parts: Sequence[Any]) -> Iterator[Done]:
        """What becomes of each part, as soon as it is known, in any order.

        work: a function of a module, perhaps with arguments bound by `partial`. A worker that dies is replaced, and its
        part tried again; a part under which workers die MOST_TRIES times becomes a LostError.
        """

    def map_loaded(self, load: Load, parts: Sequence[Any]) -> Iterator[Done]:
        """Map parts with what `load` returns, such as a model: each worker calls `load` once."""

    def close(self) -> None:
        """End what was started for it."""


class LostError(Exception):
    """Workers died each time that they were at this part."""

    def __init__(self) -> None:
        super().__init__(f"the process that read it died {MOST_TRIES} times, as for want of memory")


def with_loaded(load: bytes, part: Any) -> Any:  # noqa: ANN401
    """What becomes of a part in a process that loads a model for the first of them, and holds it for the others.

    load: pickled, since what was sent twice is not equal to itself.
    """
    return _loaded(load)(part)


@lru_cache(maxsize=1)
def _loaded(load: bytes) -> Work:
    found: Work = pickle.loads(load)()  # noqa: S301 - sent by the process that was started
    return found


def processors() -> int:
    """How many of the machine's processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def handed_out(pool: Executor, work: Work, parts: Iterator[tuple[int, Any]], most: int) -> Iterator[Done]:
    """What a pool makes of parts with their places, of which at most so many are under way."""
    running: dict[Future[Any], int] = {}
    while True:
        running |= {pool.submit(work, part): place for place, part in islice(parts, most - len(running))}
        if not running:
            return
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            yield running.pop(future), future.exception() or future.result()


class Threads:
    """As many threads of this process as there are processors: polars and numpy count side by side in them."""

    def map(self, work: Work, parts: Sequence[Any]) -> Iterator[Done]:
        """See `Runner`."""
        with ThreadPoolExecutor(processors()) as pool:
            yield from handed_out(pool, work, enumerate(parts), processors())

    def map_loaded(self, load: Load, parts: Sequence[Any]) -> Iterator[Done]:
        """See `Runner`. One part after the other, since a model uses all processors itself."""
        with ThreadPoolExecutor(1) as pool:
            yield from handed_out(pool, load(), enumerate(parts), 1)

    def close(self) -> None:
        """Nothing stays."""
