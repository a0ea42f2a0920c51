"""Processes of this machine: each has its own interpreter, so that Python code runs in parallel."""

import os
import pickle
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing.context import SpawnContext, SpawnProcess
from types import ModuleType
from typing import Any, ClassVar

from adjudge.runners.runner import (
    MOST_TRIES,
    ONE_THREAD,
    Done,
    Load,
    LostError,
    Work,
    handed_out,
    processors,
    with_loaded,
)


class Processes:
    """A process per processor. A process that dies breaks its pool, and a new one replaces it.

    The part that killed it is unknown. All running parts are repeated one by one to find it, so that the others
    succeed.
    """

    def __init__(self) -> None:
        self._pool: ProcessPoolExecutor | None = None

    def map(self, work: Work, parts: Sequence[Any]) -> Iterator[Done]:
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

    def map_loaded(self, load: Load, parts: Sequence[Any]) -> Iterator[Done]:
        """See `Runner`. A model in each process."""
        return self.map(partial(with_loaded, pickle.dumps(load)), parts)

    def close(self) -> None:
        """End the processes."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None

    def _pooled(self, work: Work, parts: dict[int, Any]) -> Iterator[Done]:
        """The results of parts until a process dies; then also of the running ones."""
        self._pool = self._pool or ProcessPoolExecutor(
            processors(), mp_context=_Apart(), initializer=_alone_on_a_processor
        )
        try:
            yield from handed_out(self._pool, work, iter(parts.items()), processors())
        except BrokenProcessPool:  # the pool accepts no more parts
            self.close()

    def _run_alone(self, work: Work, part: Any) -> Any:  # noqa: ANN401 - any result
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
