"""Options from files and from the environment: adjudge.toml or [tool.adjudge] in pyproject.toml, and ADJUDGE_OPTION.

An option on the command line counts before the environment, and that before the file. Python functions read neither.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from adjudge.api.calls import flag_of
from adjudge.errors import OptionError, nearest
from adjudge.version import NAME

_FILES = {f"{NAME}.toml": (), "pyproject.toml": ("tool", NAME)}
"""Files that may hold options -> the table in which they stand."""
_PREFIX = "ADJUDGE_"
_NO_OPTION = frozenset({"ADJUDGE_CACHE", "ADJUDGE_TRACEBACK"})
"""Variables of Adjudge that stand for no option."""
_ENVIRONMENT = "the environment"
_FLAGS = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}
"""What the environment may say of an option without a value."""
_WITHOUT = frozenset({"-h", "--help", "--version"})
"""What is answered whatever a file says, however broken it is."""

Options = dict[str, Any]
Tree = dict[str, Any]
"""Commands by name: a group of them, or the options of one."""


@dataclass(frozen=True, slots=True)
class Defaults:
    """What commands take in the place of their own defaults.

    options: by the names of groups and commands, then of options. places: option -> the file, or the environment, that
    says it.
    """

    options: Options = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)

    def place_of(self, message: str, arguments: Sequence[str]) -> str:
        """Where the option stands that a message begins with; empty where it is none, or given with the command."""
        flag = message.partition(":")[0]
        given = any(one.partition("=")[0] == flag for one in arguments)
        place = self.places.get(flag.removeprefix("--").replace("-", "_"), "")
        return f"{flag} stands in {place}" if place and not given else ""


def defaults(commands: Any, arguments: Sequence[str]) -> Defaults:  # noqa: ANN401 - a command of typer's
    """Options from the nearest adjudge.toml or pyproject.toml, in this folder or above it, and from the environment.

    Options at the top of a file are for all commands that have them, those in [reliability] for the commands of that
    group, those in [reliability.score] for one. arguments: those of the command line; help needs no options.

    Raises OptionError for a file that is no TOML, for names that no command has, and for what their options cannot be.
    """
    if not arguments or _WITHOUT & set(arguments):
        return Defaults()
    where, said = _nearest_file(Path.cwd())
    if not said and not any(map(_is_option, os.environ)):
        return Defaults()
    tree = _tree(commands)
    places = dict.fromkeys((key.replace("-", "_") for key in _keys(said)), where)
    found = _for_commands(tree, said, where, {})
    named = dict(_environment(tree))
    places |= dict.fromkeys(named, _ENVIRONMENT)
    return Defaults(_joined(found, _for_commands(tree, named, _ENVIRONMENT, {})), places)


def _tree(command: Any) -> Tree:  # noqa: ANN401
    """The options of a command, or the commands of a group."""
    if hasattr(command, "commands"):
        return {name: _tree(one) for name, one in command.commands.items()}
    return {one.name: one for one in command.params if one.param_type_name == "option"}


def _nearest_file(folder: Path) -> tuple[str, Mapping[str, Any]]:
    """The name of the file that holds options, and what it says; nothing where there is none."""
    for place in (folder, *folder.parents):
        for name, table in _FILES.items():
            path = place / name
            if path.is_file():
                said: Any = _read(path)
                for key in table:
                    said = said.get(key, {}) if isinstance(said, dict) else {}
                if not isinstance(said, dict):
                    raise OptionError(f"{path}: expected a table [{'.'.join(table)}]; got {said!r:.60}")
                if said or not table:
                    return str(path), said
    return "", {}


def _read(path: Path) -> Mapping[str, Any]:
    import tomllib

    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError, OSError) as error:  # a number of thousands of digits is a ValueError too
        raise OptionError(f"{path}: expected TOML; {error!s:.200}") from None


def _keys(said: Mapping[str, Any]) -> Iterator[str]:
    for key, value in said.items():
        yield key
        yield from _keys(value) if isinstance(value, dict) else ()


def _environment(tree: Tree) -> Iterator[tuple[str, str]]:
    """Options that the environment sets. Raises OptionError for one that no command has."""
    known = set(_options(tree))
    for name, value in sorted(os.environ.items()):
        if _is_option(name):
            option = name.removeprefix(_PREFIX).lower()
            if option not in known:
                raise OptionError(f"{name}: no command has an option {flag_of(option)}{nearest(option, known)}")
            yield option, value


def _is_option(variable: str) -> bool:
    return variable.startswith(_PREFIX) and variable not in _NO_OPTION


def _options(tree: Tree) -> Iterator[str]:
    for name, inner in tree.items():
        yield from _options(inner) if isinstance(inner, dict) else [name]


def _for_commands(tree: Tree, said: Mapping[str, Any], where: str, above: Options) -> Options:
    """What is said, for each command that has it. above: what is said for all commands of a group."""
    groups = {name: inner for name, inner in tree.items() if isinstance(inner, dict)}
    known = set(_options(tree))
    own = dict(above)
    for key, value in said.items():
        name = key.replace("-", "_")
        if name in known and not (key in groups and isinstance(value, dict)):
            own[name] = value
        elif key not in groups:
            raise OptionError(f"{where}: no option or command {key}{nearest(name, [*known, *groups])}")
        elif not isinstance(value, dict):
            raise OptionError(f"{where}: {key}: expected a table with its options, [{key}]; got {value!r:.60}")
    if not groups:
        return {
            name: _given(value, tree[name], f"{where}: {flag_of(name)[2:]}")
            for name, value in own.items()
            if name in tree
        }
    return {name: _for_commands(inner, said.get(name, {}), where, own) for name, inner in groups.items()}


def _given(value: Any, option: Any, place: str) -> Any:  # noqa: ANN401 - of TOML
    """A value as the command line gives it: texts, of which an option may take several, or one with commas; a flag.

    Raises OptionError for a flag that is neither true nor false.
    """
    if option.is_flag:
        value = _FLAGS.get(value.lower(), value) if isinstance(value, str) else value
        if not isinstance(value, bool):
            raise OptionError(f"{place}: expected true or false; got {value!r:.60}")
        return value
    several = [f"{name}={_text(one)}" for name, one in value.items()] if isinstance(value, dict) else value
    texts = [_text(one) for one in (several if isinstance(several, list) else [several])]
    return texts if option.multiple else ",".join(texts)


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _joined(first: Options, second: Options) -> Options:
    """Both, the second before the first."""
    both = {**first, **second}
    return {
        name: _joined(first[name], value) if isinstance(value, dict) and isinstance(first.get(name), dict) else value
        for name, value in both.items()
    }
