"""The interface of runners, and those of this machine: threads, and processes for Python code that runs in parallel."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from multiprocessing.context import SpawnContext, SpawnProcess
from types import ModuleType
from typing import Any, ClassVar, Protocol

Job = Callable[[Any], Any]
Done = tuple[int, Any]
"""The position of a part, and its result or exception."""

MOST_TRIES = 3
"""Maximum number of tries of a part that kills workers."""


ONE_THREAD = dict.fromkeys(("POLARS_MAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
"""Environment variables of a worker with one processor."""


class Runner(Protocol):
    """Runs work until it is closed."""

    def map(self, work: Job, parts: Sequence[Any]) -> Iterator[Done]:
        """The result of each part as soon as it is known, in any order.

        work: a function of a module, perhaps with arguments bound by `partial`. A dead worker is replaced, and its part
        tried again; a part that kills MOST_TRIES workers becomes a LostError.
        """

    def close(self) -> None:
        """End all workers."""


class LostError(Exception):
    """Every try of this part killed its worker."""

    def __init__(self) -> None:
        super().__init__(f"the process that read it died {MOST_TRIES} times, as for want of memory")


def processors() -> int:
    """Number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def handed_out(pool: Executor, work: Job, parts: Iterator[tuple[int, Any]], most: int) -> Iterator[Done]:
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

    def map(self, work: Job, parts: Sequence[Any]) -> Iterator[Done]:
        """See `Runner`."""
        with ThreadPoolExecutor(processors()) as pool:
            yield from handed_out(pool, work, enumerate(parts), processors())

    def close(self) -> None:
        """Nothing to end."""


class Processes:
    """A process per processor. A process that dies breaks its pool, and a new one replaces it.

    The part that killed it is unknown. All running parts are repeated one by one to find it, so that the others
    succeed.
    """

    def __init__(self) -> None:
        self._pool: ProcessPoolExecutor | None = None

    def map(self, work: Job, parts: Sequence[Any]) -> Iterator[Done]:
        """See `Runner`."""
        waiting = dict(enumerate(parts))
        while waiting:
            suspects = []
            for place, result in self._pooled(work, dict(waiting)):
                if isinstance(result, BrokenProcessPool):
                    suspects.append(place)
                else:
                    del waiting[place]
                    yield place, result
            if suspects:
                self.close()
            for place in suspects:
                yield place, self._run_alone(work, waiting.pop(place))

    def close(self) -> None:
        """End the processes."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None

    def _pooled(self, work: Job, parts: dict[int, Any]) -> Iterator[Done]:
        """The results of parts until a process dies; then also of the running ones."""
        self._pool = self._pool or ProcessPoolExecutor(
            processors(), mp_context=_Apart(), initializer=_alone_on_a_processor
        )
        try:
            yield from handed_out(self._pool, work, iter(parts.items()), processors())
        except BrokenProcessPool:  # the pool accepts no more parts
            self.close()

    def _run_alone(self, work: Job, part: Any) -> Any:  # noqa: ANN401 - any result
        """The result of a part alone in a pool."""
        for _ in range(MOST_TRIES - 1):
            ((_, result),) = self._pooled(work, {0: part})
            if not isinstance(result, BrokenProcessPool):
                return result
            self.close()
        return LostError()


class _Process(SpawnProcess):
    """A process that does not rerun the user's script, unlike Python's default: workers do not need it."""

    def start(self) -> None:
        """Start the process as if the script were empty."""
        script = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            super().start()
        finally:
            sys.modules["__main__"] = script


class _Apart(SpawnContext):
    Process: ClassVar[type[SpawnProcess]] = _Process


def _alone_on_a_processor() -> None:
    """Limit a process to one thread, since each processor has one. Runs before polars is loaded."""
    os.environ.update(ONE_THREAD)
