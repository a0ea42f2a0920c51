"""Views that one evaluation alone has: a module for each that has any, of its name, with VIEWS."""

from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec

from karat.app.results import Result

Views = Mapping[str, Callable[[Result], None]]
"""The name of a view -> what shows it."""


def views_of(function: str) -> Views:
    """The views of what a function gives, besides those that all have."""
    name = f"{__name__}.{function}"
    found: Views = import_module(name).VIEWS if find_spec(name) else {}
    return found
