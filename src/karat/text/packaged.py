"""Phrases and other content that lies beside the code, as TOML."""

import tomllib
from functools import cache
from importlib import resources
from typing import Any


@cache
def packaged(package: str, name: str) -> dict[str, Any]:
    """The content of a TOML file of a package, read once."""
    return tomllib.loads(resources.files(package).joinpath(name).read_text("utf-8"))


def several(names: str | list[str]) -> tuple[str, ...]:
    """Names of which such a file may hold one alone.

    >>> several("id"), several(["id", "key"])
    (('id',), ('id', 'key'))
    """
    return (names,) if isinstance(names, str) else tuple(names)
