"""TOML: phrases and other content that lies beside the code, and what users write instead."""

import tomllib
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from adjudge.errors import OptionError


@cache
def packaged(package: str, name: str) -> dict[str, Any]:
    """The content of a TOML file of a package, read once."""
    return tomllib.loads(resources.files(package).joinpath(name).read_text("utf-8"))


def toml_in(path: Path, expected: str) -> dict[str, Any]:
    """The content of a user's TOML file. expected: in words. Raises OptionError for a file that is none."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise OptionError(f"{path}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise OptionError(f"{path}: expected {expected}; it is no text in UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise OptionError(f"{path}: expected {expected}; it is no TOML: {toml_fault(error)}") from None


def toml_fault(error: Exception) -> str:
    """Where a text is no TOML, and what is wrong there.

    >>> try:
    ...     tomllib.loads("seed = one")
    ... except ValueError as error:
    ...     toml_fault(error)
    'line 1, column 8: invalid value'
    """
    what, _, place = str(error).removesuffix(")").partition(" (at ")
    return f"{place}: {what[:1].lower()}{what[1:]}" if place else "it holds what TOML does not have"


def as_names(names: str | list[str]) -> tuple[str, ...]:
    """Names of which such a file may hold one alone.

    >>> as_names("id"), as_names(["id", "key"])
    (('id',), ('id', 'key'))
    """
    return (names,) if isinstance(names, str) else tuple(names)
