"""Options from files and from the environment: karat.toml or [tool.karat] in pyproject.toml, and KARAT_OPTION.

An option on the command line counts before the environment, and that before the file. Python functions read neither.
"""

import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from karat.errors import OptionError, nearest

_FILES = {"karat.toml": (), "pyproject.toml": ("tool", "karat")}
"""Files that may hold options -> the table in which they stand."""
_PREFIX = "KARAT_"
_NO_OPTION = frozenset({"KARAT_CACHE"})
"""Variables of Karat that stand for no option."""

Options = dict[str, Any]
Tree = dict[str, Any]
"""Commands by name: a group of them, or a set of the options of one."""


def defaults(commands: Any) -> Options:  # noqa: ANN401 - a command of typer's
    """What commands take in the place of their own defaults: by the names of groups and commands, then of options.

    The nearest karat.toml or pyproject.toml counts, in this folder or one above it. Options at its top are for all
    commands that have them, those in [reliability] for the commands of that group, those in [reliability.score] for
    one.

    Raises OptionError for a file that is no TOML, and for names that no command has.
    """
    tree = _tree(commands)
    where, said = _nearest_file(Path.cwd())
    found = _for_commands(tree, said, where, {})
    return _joined(found, _for_commands(tree, dict(_environment(tree)), "environment", {}))


def _tree(command: Any) -> Tree:  # noqa: ANN401
    """The options of a command, or the commands of a group."""
    if hasattr(command, "commands"):
        return {name: _tree(one) for name, one in command.commands.items()}
    return {one.name: None for one in command.params if one.param_type_name == "option"}


def _nearest_file(folder: Path) -> tuple[str, Mapping[str, Any]]:
    """The name of the file that holds options, and what it says; nothing where there is none."""
    for place in (folder, *folder.parents):
        for name, table in _FILES.items():
            path = place / name
            if path.is_file():
                said: Any = _read(path)
                for key in table:
                    said = said.get(key, {}) if isinstance(said, dict) else {}
                if said or not table:
                    return str(path), said
    return "", {}


def _read(path: Path) -> Mapping[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise OptionError(f"{path}: expected TOML; {error}") from None


def _environment(tree: Tree) -> Iterator[tuple[str, str]]:
    """Options that the environment sets. Raises OptionError for one that no command has."""
    known = set(_options(tree))
    for name, value in sorted(os.environ.items()):
        if name.startswith(_PREFIX) and name not in _NO_OPTION:
            option = name.removeprefix(_PREFIX).lower()
            if option not in known:
                raise OptionError(f"{name}: no command has an option {_flag(option)}{nearest(option, known)}")
            yield option, value


def _options(tree: Tree) -> Iterator[str]:
    for name, inner in tree.items():
        yield from [name] if inner is None else _options(inner)


def _for_commands(tree: Tree, said: Mapping[str, Any], where: str, above: Options) -> Options:
    """What is said, for each command that has it. above: what is said for all commands of a group."""
    groups = {name: inner for name, inner in tree.items() if inner is not None}
    known = set(_options(tree))
    own = dict(above)
    for key, value in said.items():
        name = key.replace("-", "_")
        if name in known and not (key in groups and isinstance(value, dict)):
            own[name] = _given(value)
        elif key not in groups or not isinstance(value, dict):
            raise OptionError(f"{where}: no option or command {key}{nearest(name, [*known, *groups])}")
    if not groups:
        return {name: value for name, value in own.items() if name in tree}
    return {name: _for_commands(inner, said.get(name, {}), where, own) for name, inner in groups.items()}


def _given(value: Any) -> Any:  # noqa: ANN401 - of TOML
    """A value as the command line gives it: texts, of which an option may take several; a flag."""
    match value:
        case bool():
            return value
        case list():
            return [str(one) for one in value]
        case dict():
            return [f"{name}={one}" for name, one in value.items()]
    return str(value)


def _joined(first: Options, second: Options) -> Options:
    """Both, the second before the first."""
    both = {**first, **second}
    return {
        name: _joined(first[name], value) if isinstance(value, dict) and isinstance(first.get(name), dict) else value
        for name, value in both.items()
    }


def _flag(option: str) -> str:
    return f"--{option.replace('_', '-')}"
