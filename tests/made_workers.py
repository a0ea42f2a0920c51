"""Work for other processes, in a module that takes no time to load."""

import os
import pickle
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from adjudge.errors import DataError


class Posted:
    """A runner in this process that gets and gives everything as other processes do."""

    def map(self, work: Callable[[Any], Any], parts: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        for place, part in enumerate(parts):
            sent, what = posted((work, part))
            try:
                yield place, posted(sent(what))
            except DataError as error:
                yield place, error

    def close(self) -> None:
        """Nothing stays."""


def posted(thing: Any) -> Any:
    """The same on the other side."""
    return pickle.loads(pickle.dumps(thing))  # noqa: S301 - it was made here


def dies(folder: Path, often: int, part: int) -> int:
    """A square; the process that makes that of 3 is killed, as by a system without memory, some times."""
    tries = len(list(folder.iterdir()))
    if part == 3 and tries < often:
        (folder / str(tries)).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return part * part


def slow(part: int) -> int:
    """A square that takes a while."""
    time.sleep(0.5)
    return part * part
