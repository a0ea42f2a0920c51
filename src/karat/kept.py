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
        if name not in self._last or self._last[name][0] != depends:
            self._last[name] = (depends, make())
        found: T = self._last[name][1]
        return found
