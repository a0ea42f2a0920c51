"""What benchmarks share: work in a process of its own, and what a command takes."""

import multiprocessing
import os
import subprocess
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple


def apart(make: Callable[..., object], *given: Any) -> None:  # noqa: ANN401
    """Call a function in a process of its own, and wait: a child's peak memory starts at its parent's."""
    process = multiprocessing.get_context("spawn").Process(target=make, args=given)
    process.start()
    process.join()
    if process.exitcode:
        raise SystemExit(f"{make.__name__} failed with status {process.exitcode}")


class Ran(NamedTuple):
    """What a command took: seconds by the clock and of all cores, peak memory in GB; and what it printed."""

    seconds: float
    cores: float
    memory: float
    output: str


def ran(command: Sequence[str]) -> Ran:
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        output = process.stdout.read() if process.stdout else ""
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command} failed with status {process.returncode}")
    return Ran(time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1e6, output)
