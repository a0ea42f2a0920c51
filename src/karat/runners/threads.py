"""Threads of this process: polars and numpy count side by side, and nothing has to be started or sent."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from karat.runners.runner import Done, Work, handed_out, processors


class Threads:
    """As many as there are processors."""

    def map(self, work: Work, parts: Sequence[Any]) -> Iterator[Done]:
        """See `Runner`."""
        with ThreadPoolExecutor(processors()) as pool:
            yield from handed_out(pool, work, enumerate(parts), processors())

    def close(self) -> None:
        """Nothing stays."""
