"""Processes of this machine: each has an interpreter of its own, so that work in Python runs side by side too."""

import os
import pickle
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing.context import SpawnContext, SpawnProcess
from threading import Lock
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
    """As many as there are processors. A process that dies takes its pool with it: another takes its place.

    Nothing says which part it died of. Those that were under way are tried again one by one, so that the part under
    which processes die is known, and others do not suffer for it.
    """

    def __init__(self) -> None:
        self._pool: ProcessPoolExecutor | None = None

    def map(self, work: Work, parts: Sequence[Any]) -> Iterator[Done]:
        """See `Runner`."""
        left = dict(enumerate(parts))
        while left:
            suspects = []
            for place, found in self._pooled(work, dict(left)):
                if isinstance(found, BrokenProcessPool):
                    suspects.append(place)
                else:
                    del left[place]
                    yield place, found
            for place in suspects:
                yield place, self._run_alone(work, left.pop(place))

    def map_loaded(self, load: Load, parts: Sequence[Any]) -> Iterator[Done]:
        """See `Runner`. A model in each process."""
        return self.map(partial(with_loaded, pickle.dumps(load)), parts)

    def close(self) -> None:
        """End the processes."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None

    def _pooled(self, work: Work, parts: dict[int, Any]) -> Iterator[Done]:
        """What becomes of parts until a process dies; then also of those that were under way."""
        self._pool = self._pool or ProcessPoolExecutor(
            processors(), mp_context=_Apart(), initializer=_alone_on_a_processor
        )
        broken = False
        try:
            for place, found in handed_out(self._pool, work, iter(parts.items()), processors()):
                broken |= isinstance(found, BrokenProcessPool)
                yield place, found
        except BrokenProcessPool:  # no part can be handed out any more
            broken = True
        if broken:
            self.close()

    def _run_alone(self, work: Work, part: Any) -> Any:  # noqa: ANN401 - whatever it is
        """What becomes of a part that is alone in a pool."""
        for _ in range(MOST_TRIES - 1):
            ((_, found),) = self._pooled(work, {0: part})
            if not isinstance(found, BrokenProcessPool):
                return found
        return LostError()


class _Process(SpawnProcess):
    """A process that does not run the user's script again, as Python would have it: workers need nothing of it."""

    _one_at_a_time = Lock()

    def start(self) -> None:
        """Start it, as if the script were empty."""
        with self._one_at_a_time:
            script = sys.modules["__main__"]
            sys.modules["__main__"] = ModuleType("__main__")
            try:
                super().start()
            finally:
                sys.modules["__main__"] = script


class _Apart(SpawnContext):
    Process: ClassVar[type[SpawnProcess]] = _Process


def _alone_on_a_processor() -> None:
    """There is a process for each processor, so that none needs threads for counting. Runs before polars is loaded."""
    os.environ.update(ONE_THREAD)
