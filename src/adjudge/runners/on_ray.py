"""Ray: the hosts of a cluster, or this machine as a cluster of one."""

import os
import socket
import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from adjudge.errors import MissingError, OptionError, flag_name
from adjudge.runners.runner import MOST_TRIES, ONE_THREAD, Done, Job, LostError
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
            raise MissingError(f"{flag_name('runner')} ray needs Ray", fix=f'pip install "{NAME}[ray]"') from None
        self._ray: Any = ray
        self._own = not self._ray.is_initialized()
        if not self._own:
            return
        of_workers = dict(ONE_THREAD)
        how: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
        if address is None:
            # Its processes find the same modules as this one.
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

    def map(self, work: Job, parts: Sequence[Any]) -> Iterator[Done]:
        """See `Runner`. Each processor of the cluster has two parts running or waiting."""
        task = self._ray.remote(num_cpus=1, max_retries=MOST_TRIES - 1)(lambda work, part: work(part))
        shared = self._ray.put(work)
        waiting, running = iter(enumerate(parts)), dict[Any, int]()
        while True:
            room = max(2, 2 * int(self._ray.cluster_resources().get("CPU", 1))) - len(running)  # a cluster may grow
            running |= {task.remote(shared, part): place for place, part in islice(waiting, max(room, 0))}
            if not running:
                return
            for done in self._ray.wait(list(running))[0]:
                try:
                    result = self._ray.get(done)
                except self._ray.exceptions.RayTaskError as error:
                    result = error.cause
                except self._ray.exceptions.RayError:
                    result = LostError()
                yield running.pop(done), result

    def close(self) -> None:
        """Leave the cluster, and end it if it was started here."""
        if self._own:
            self._ray.shutdown()
