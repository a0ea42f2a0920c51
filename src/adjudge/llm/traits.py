"""Traits that responses are compared by: a list of 40 in a file that users copy and edit."""

from collections.abc import Mapping
from pathlib import Path

from adjudge.errors import OptionError
from adjudge.text.toml_files import packaged, toml_in


def traits(path: str | Path | None = None) -> dict[str, str]:
    """The traits in a TOML file, or those that come with Adjudge: a name and what "more of it" means.

    Raises OptionError for a file that is none.
    """
    wanted = 'traits as TOML, such as polite = "is more polite"'
    found = (packaged(__package__, "traits.toml") if path is None else toml_in(Path(path), wanted)).get("traits")
    if not isinstance(found, Mapping) or not found:
        raise OptionError(f"{path}: expected a table [traits] with a line per trait")
    for name, said in found.items():
        if not isinstance(said, str) or not said.strip():
            raise OptionError(f"{path}, {name}: expected what more of the trait means, as text; got {said!r:.60}")
    return dict(found)
