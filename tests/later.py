"""Modules that take seconds to import, loaded by the first test that uses them and not by every process that lists tests."""

from importlib import import_module
from typing import Any


class Later:
    """The module of this name, imported when something of it is asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        return getattr(import_module(self._name), attribute)
