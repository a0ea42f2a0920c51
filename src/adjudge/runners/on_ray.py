"""Ray: the hosts of a cluster, or this machine as a cluster of one.

A task counts a file, and an actor holds a model; both return their results.
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
"""Timeout in seconds for a cluster to answer."""


class OnRay:
    """Tasks on a Ray cluster; the work of a dead worker or host is repeated elsewhere.

    address: of a running cluster, as ray.init takes it; None starts a temporary one on this machine.
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
        # Ray itself waits for minutes if nothing listens at the address.
        host, _, port = (address or "").rpartition("://")[2].rpartition(":")
        try:
            if host and port.isdecimal():
                socket.create_connection((host, int(port)), timeout=_PATIENCE).close()
            self._ray.init(address, **how, runtime_env={"env_vars": of_workers})
        except (OSError, ValueError, RuntimeError) as error:
            message = f"no cluster can be reached at {address}: {error!s:.200}"
            raise OptionError(message, option="ray_address") from None

    def map(self, work: Work, parts: Sequence[Any]) -> Iterator[Done]:
        """See `Runner`. Each processor of the cluster has two parts running or waiting."""
        task = self._ray.remote(num_cpus=1, max_retries=MOST_TRIES - 1)(_run)
        shared = self._ray.put(work)

        most = lambda: max(2, 2 * int(self._ray.cluster_resources().get("CPU", 1)))  # noqa: E731 - a cluster may grow
        return self._results(parts, lambda part, _: task.remote(shared, part), most)

    def map_loaded(self, load: Load, parts: Sequence[Any]) -> Iterator[Done]:
        """See `Runner`. Actors hold a model: one for each GPU of the cluster, else for each processor.

        Each has one part at a time, so that the part that kills it is known. It restarts for the others.
        """
        resources = self._ray.cluster_resources()
        kind = "GPU" if resources.get("GPU", 0) >= 1 else "CPU"
        needed = {"num_cpus": 1, "num_gpus": 1 if kind == "GPU" else 0}
        actor = self._ray.remote(**needed, max_restarts=-1, max_task_retries=MOST_TRIES - 1)(_Holder)
        holders = [actor.remote(load) for _ in range(min(len(parts), int(resources.get(kind, 1))))]
        return self._results(parts, lambda part, slot: holders[slot].run.remote(part), lambda: len(holders))

    def _results(
        self, parts: Sequence[Any], start: Callable[[Any, int], Any], most: Callable[[], int]
    ) -> Iterator[Done]:
        """The results of parts, of which at most `most()` run at a time, each in its own slot.

        start: starts a part in a slot.
        """
        waiting, running = iter(enumerate(parts)), dict[Any, tuple[int, int]]()
        while True:
            used = {slot for _, slot in running.values()}
            free = [slot for slot in range(most()) if slot not in used]
            running |= {start(part, slot): (place, slot) for slot, (place, part) in zip(free, waiting, strict=False)}
            if not running:
                return
            for done in self._ray.wait(list(running))[0]:
                yield running.pop(done)[0], _outcome(self._ray, done)

    def close(self) -> None:
        """Leave the cluster, and end it if it was started here."""
        if self._own:
            self._ray.shutdown()


class _Holder:
    """Loads a model for its first part, and keeps it."""

    def __init__(self, load: Load) -> None:
        self._load = cache(load)

    def run(self, part: Any) -> Any:  # noqa: ANN401
        return self._load()(part)


def _run(work: Work, part: Any) -> Any:  # noqa: ANN401
    return work(part)


def _outcome(ray: Any, one: Any) -> Any:  # noqa: ANN401
    """The result of a task, or its exception."""
    try:
        return ray.get(one)
    except ray.exceptions.RayTaskError as error:
        return error.cause
    except ray.exceptions.RayError:
        return LostError()
