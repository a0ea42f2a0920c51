"""TOML: phrases and other content stored beside the code, and users' replacements."""

import re
import tomllib
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from adjudge.errors import OptionError, file_bytes


@cache
def packaged(package: str, name: str) -> dict[str, Any]:
    """The content of a TOML file of a package, read once."""
    return tomllib.loads(resources.files(package).joinpath(name).read_text("utf-8"))


def toml_in(path: Path, expected: str) -> dict[str, Any]:
    """The content of a user's TOML file. expected: in words. Raises OptionError for an invalid file."""
    content = file_bytes(path)
    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:  # a number of thousands of digits is a ValueError too
        at = "".join(re.findall(r", line \d+, column \d+", str(error).replace(" (at", ",")))
        fix = 'correct the line; quote texts, such as key = "text"'
        raise OptionError(f"{path}{at}: expected {expected}; the syntax is invalid", fix=fix) from None


def as_names(names: str | list[str]) -> tuple[str, ...]:
    """Names, of which such a file may have just one.

    >>> as_names("id"), as_names(["id", "key"])
    (('id',), ('id', 'key'))
    """
    return (names,) if isinstance(names, str) else tuple(names)
