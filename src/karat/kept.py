"""What is made once and used again, while all that it depends on stays the same."""

from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")


class Kept:
    """What was made last of each name."""

    def __init__(self) -> None:
        self._last: dict[str, tuple[object, Any]] = {}

    def __call__(self, name: str, depends: object, make: Callable[[], T]) -> T:
        """What was made last of a name, if it depended on the same; else what is made now."""
        last = self._last.get(name)
        if last is None or last[0] != depends:
            last = self._last[name] = (depends, make())
        result: T = last[1]
        return result
