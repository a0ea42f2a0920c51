"""What benchmarks share: work in a process of its own."""

import multiprocessing
from collections.abc import Callable
from typing import Any


def apart(make: Callable[..., object], *given: Any) -> None:  # noqa: ANN401
    """Call a function in a process of its own, and wait: a child's peak memory starts at its parent's."""
    process = multiprocessing.get_context("spawn").Process(target=make, args=given)
    process.start()
    process.join()
    if process.exitcode:
        raise SystemExit(f"{make.__name__} failed with status {process.exitcode}")
