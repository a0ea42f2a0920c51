"""Traits that responses are compared by: a list of 40 in a file that users copy and edit."""

import tomllib
from collections.abc import Mapping
from importlib import resources
from pathlib import Path

from karat.errors import OptionError


def traits(path: str | Path | None = None) -> dict[str, str]:
    """The traits in a TOML file, or those that come with Karat: a name and what "more of it" means.

    Raises OptionError for a file that is none.
    """
    place = resources.files("karat.models") / "traits.toml" if path is None else Path(path)
    try:
        found = tomllib.loads(place.read_text(encoding="utf-8")).get("traits")
    except OSError as error:
        raise OptionError(f"{path}: {error.strerror or error}") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise OptionError(f'{path}: expected traits as TOML, such as polite = "is more polite"; {error}') from None
    if not isinstance(found, Mapping) or not found:
        raise OptionError(f"{path}: expected a table [traits] with a line per trait")
    for name, said in found.items():
        if not isinstance(said, str) or not said.strip():
            raise OptionError(f"{path}, {name}: expected what more of the trait means, as text; got {said!r:.60}")
    return dict(found)
