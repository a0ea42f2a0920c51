"""Threads of this process: polars and numpy count side by side, and nothing has to be started or sent."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from adjudge.runners.runner import Done, Load, Work, handed_out, processors


class Threads:
    """As many as there are processors."""

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
