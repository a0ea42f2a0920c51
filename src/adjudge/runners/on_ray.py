"""Ray: the hosts of a cluster, or this machine as a cluster of one.

A task counts a file, and an actor holds a model; what they found comes back.
"""

import os
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

from adjudge.errors import MissingError, OptionError
from adjudge.runners.runner import MOST_TRIES, ONE_THREAD, Done, Load, LostError, Work
from adjudge.version import NAME

_PATIENCE = 10
"""Seconds that a cluster may take to answer."""


class OnRay:
    """Tasks on a Ray cluster; what a dead worker or host was at is done again elsewhere.

    address: of a cluster that runs, as ray.init takes it; None starts one on this machine for as long as it is needed.
    All hosts must see the files under the same names, and have the same version of Adjudge.
    """

    def __init__(self, address: str | None) -> None:
        try:
            import ray
        except ImportError:
            raise MissingError("the runner ray needs an extra", fix=f'pip install "{NAME}[ray]"') from None
        self._ray: Any = ray
        self._own = not self._ray.is_initialized()
        if self._own:
            self._join(address)

    def _join(self, address: str | None) -> None:
        """Join a cluster, or start one whose processes find the same modules as this one."""
        of_workers = dict(ONE_THREAD)
        how: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
        if address is None:
            of_workers["PYTHONPATH"] = os.pathsep.join(one for one in sys.path if one)
            how["include_dashboard"] = False
        # Where nothing listens at an address, Ray itself waits for minutes.
        host, _, port = (address or "").rpartition("://")[2].rpartition(":")
        try:
            if host and port.isdecimal():
                socket.create_connection((host, int(port)), timeout=_PATIENCE).close()
            self._ray.init(address, **how, runtime_env={"env_vars": of_workers})
        except (OSError, ValueError, RuntimeError) as error:
            said = getattr(error, "strerror", None) or error
            raise OptionError(f"no cluster can be reached at {address}: {said!s:.200}", option="ray_address") from None

    def map(self, work: Work, parts: Sequence[Any]) -> Iterator[Done]:
        """See `Runner`. Two parts are under way or waiting for each processor of the cluster."""
        task = self._ray.remote(num_cpus=1, max_retries=MOST_TRIES - 1)(_run)
        shared = self._ray.put(work)

        def capacity() -> int:
            return max(2, 2 * int(self._ray.cluster_resources().get("CPU", 1)))

        return self._results(parts, lambda part, _: task.remote(shared, part), capacity)

    def map_loaded(self, load: Load, parts: Sequence[Any]) -> Iterator[Done]:
        """See `Runner`. Actors hold a model: one for each GPU of the cluster, else for each processor.

        Each has one part at a time, so that the part under which it dies is known. It is started again for the others.
        """
        there = self._ray.cluster_resources()
        kind = "GPU" if there.get("GPU", 0) >= 1 else "CPU"
        needed = {"num_cpus": 1, "num_gpus": 1 if kind == "GPU" else 0}
        actor = self._ray.remote(**needed, max_restarts=-1, max_task_retries=MOST_TRIES - 1)(_Holder)
        holders = [actor.remote(load) for _ in range(min(len(parts), int(there.get(kind, 1))))]
        return self._results(parts, lambda part, slot: holders[slot].run.remote(part), lambda: len(holders))

    def _results(
        self, parts: Sequence[Any], start: Callable[[Any, int], Any], most: Callable[[], int]
    ) -> Iterator[Done]:
        """What becomes of parts, of which `most()` are under way at a time, each in a slot of its own.

        start: begins with a part in a slot.
        """
        waiting, running = iter(enumerate(parts)), dict[Any, tuple[int, int]]()
        while True:
            taken = {slot for _, slot in running.values()}
            free = [slot for slot in range(most()) if slot not in taken]
            running |= {start(part, slot): (place, slot) for slot, (place, part) in zip(free, waiting, strict=False)}
            if not running:
                return
            for done in self._ray.wait(list(running))[0]:
                yield running.pop(done)[0], _outcome(self._ray, done)

    def close(self) -> None:
        """Leave the cluster, and end it where it was started here."""
        if self._own:
            self._ray.shutdown()


class _Holder:
    """Loads a model for its first part, and holds it."""

    def __init__(self, load: Load) -> None:
        self._load = cache(load)

    def run(self, part: Any) -> Any:  # noqa: ANN401
        return self._load()(part)


def _run(work: Work, part: Any) -> Any:  # noqa: ANN401
    return work(part)


def _outcome(ray: Any, one: Any) -> Any:  # noqa: ANN401
    """The result of a task, or what it ended with."""
    errors = ray.exceptions
    try:
        return ray.get(one)
    except errors.RayTaskError as error:
        return error.cause
    except (
        errors.WorkerCrashedError,
        errors.RayActorError,
        errors.NodeDiedError,
        errors.OutOfMemoryError,
        errors.ObjectLostError,
    ):
        return LostError()
