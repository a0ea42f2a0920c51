"""Work for other processes, in a module that takes no time to load."""

import os
import signal
import time
from pathlib import Path


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
