"""What one evaluation alone has in the explorer: a module of its name in `further`, where there is anything.

It has VIEWS. Where it has them, START are options with which one begins, OUTCOMES what outcomes are called, `known`
says whom and what options may name, and `lead_to` leads from a row of a table to its items.
"""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from karat.app.results import Result

Views = Mapping[str, Callable[[Result], Result | None]]
"""The name of a view -> what shows it. It returns the result that it shows where that is another one."""


def views_of(function: str) -> Views:
    """The views of what a function gives, besides those that all have, or in the place of one of these."""
    found: Views = _of(function, "VIEWS", {})
    return found


def start_of(function: str) -> Mapping[str, Any]:
    """The options with which one begins, where that are others than those of the function."""
    found: Mapping[str, Any] = _of(function, "START", {})
    return found


def known_of(function: str) -> Callable[[Result], Mapping[str, Sequence[str]]] | None:
    """What says what may stand for NAME, COLUMN and the like in the options of a function, where more is known."""
    found: Callable[[Result], Mapping[str, Sequence[str]]] | None = _of(function, "known", None)
    return found


def outcomes_of(function: str) -> Mapping[str, str]:
    """What outcomes are called that examples do not name, those first that one looks for first."""
    found: Mapping[str, str] = _of(function, "OUTCOMES", {})
    return found


def leading_of(function: str) -> Callable[[Result, Mapping[str, Any]], None] | None:
    """What leads from a row of a table to the items that it is about."""
    found: Callable[[Result, Mapping[str, Any]], None] | None = _of(function, "lead_to", None)
    return found


def _of(function: str, name: str, otherwise: object) -> Any:  # noqa: ANN401 - whatever the module holds
    module = f"karat.app.further.{function}"
    return getattr(import_module(module), name, otherwise) if find_spec(module) else otherwise
