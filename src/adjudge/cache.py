"""A cache of the last result of each name."""

from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")


class LastResults:
    """Keeps the last result of each name, as long as what it depends on stays the same."""

    def __init__(self) -> None:
        self._last: dict[str, tuple[object, Any]] = {}

    def __call__(self, name: str, depends: object, make: Callable[[], T]) -> T:
        """The last result of a name if `depends` is unchanged; else `make()`, which is kept."""
        last = self._last.get(name)
        if last is None or last[0] != depends:
            last = self._last[name] = (depends, make())
        result: T = last[1]
        return result
