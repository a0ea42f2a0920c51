"""Options from files and from the environment: adjudge.toml or [tool.adjudge] in pyproject.toml, and ADJUDGE_OPTION.

An option on the command line counts before the environment, that before a file in this folder or above it, and that
before the user's own file. A file in a folder may come from somebody else: it sets no option that reads, writes or
reaches a network. Python functions read none of these.
"""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from adjudge.api.calls import FILE_RULE, flag_of
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
    says it. message: which options the command takes from a folder's file and which it ignores, in a line.
    """

    options: Options = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)
    message: str = ""

    def place_of(self, message: str, arguments: Sequence[str]) -> str:
        """Where the option stands that a message begins with; empty where it is none, or given with the command."""
        flag = message.partition(":")[0]
        given = any(one.partition("=")[0] == flag for one in arguments)
        place = self.places.get(flag.removeprefix("--").replace("-", "_"), "")
        return f"{flag} stands in {place}" if place and not given else ""


def defaults(commands: Any, arguments: Sequence[str]) -> Defaults:  # noqa: ANN401 - a command of typer's
    """Options from the user's own file, from the nearest in this folder or above it, and from the environment.

    Options at the top of a file are for all commands that have them, those in [reliability] for the commands of that
    group, those in [reliability.score] for one. arguments: those of the command line; help needs no options.

    Raises OptionError for a file that is no TOML, for names that no command has, and for what their options cannot be.
    """
    if not arguments or _WITHOUT & set(arguments):
        return Defaults()
    own = user_file()
    mine = _read(own) if os.path.isfile(own) else {}  # noqa: PTH113 - False, too, for a folder that may not be read
    where, said = _nearest_file(Path.cwd(), own)
    if not (mine or said or any(map(_is_option, os.environ))):
        return Defaults()
    tree, free = _tree(commands), _tree(commands, free=True)
    named, found = dict(_environment(tree)), _for_commands(tree, said, str(where), {})
    settable = set(_options(free))
    places = dict.fromkeys(_keys(mine), str(own)) | {name: str(where) for name in _keys(said) if name in settable}
    options = _joined(_for_commands(tree, mine, str(own), {}), _select_known(free, found))
    options = _joined(options, _for_commands(tree, named, _ENVIRONMENT, {}))
    return Defaults(
        options, places | dict.fromkeys(named, _ENVIRONMENT), _describe_options(where, found, free, arguments)
    )


def user_file() -> Path:
    """The file with the user's own options, in the folder that the system has for them."""
    named = os.environ.get("APPDATA" if sys.platform == "win32" else "XDG_CONFIG_HOME", "")
    folder = named if Path(named).is_absolute() else os.path.expanduser("~/.config")  # noqa: PTH111 - never raises
    return Path("/", folder, NAME, f"{NAME}.toml")


def _select_known(tree: Tree, found: Options) -> Options:
    """Those of the options found that a tree of commands has."""
    return {
        name: _select_known(tree[name], one) if isinstance(one, dict) else one
        for name, one in found.items()
        if name in tree
    }


def _describe_options(where: Path, found: Options, free: Tree, arguments: Sequence[str]) -> str:
    """Which options of a file the command takes and which it ignores, in a line; empty if the file sets none."""
    for word in (*arguments[:2], "score"):  # which may be left out
        if isinstance(found.get(word), dict):
            found, free = found[word], free[word]
    names = [name for name, one in found.items() if not isinstance(one, dict)]
    taken, ignored = ([flag_of(one)[2:] for one in names if (one in free) is wanted] for wanted in (True, False))
    line = f"options from {where.name}: {', '.join(taken) or 'none'}"
    if ignored:
        variable = _PREFIX + ignored[0].upper().replace("-", "_")
        places = f"on the command line, in the environment ({variable}) or in {user_file()}"
        line += f"; ignored: {', '.join(ignored)}. {FILE_RULE} Give them {places}"
    return f"{line} ({where})" if names else ""


def _tree(command: Any, *, free: bool = False) -> Tree:  # noqa: ANN401
    """The options of a command, or the commands of a group. free: only options that any file may set."""
    if hasattr(command, "commands"):
        return {name: _tree(one, free=free) for name, one in command.commands.items()}
    known = (one for one in command.params if one.param_type_name == "option")
    return {one.name: one for one in known if not free or one.name in command.callback.file_may_set}


def _nearest_file(folder: Path, own: Path) -> tuple[Path, Mapping[str, Any]]:
    """The file that holds options, unless it is the user's own, and what it says; nothing if there is none."""
    for place in (folder, *folder.parents):
        for name, table in _FILES.items():
            path = place / name
            if path.is_file() and path != own:
                said: Any = _read(path)
                for key in table:
                    said = said.get(key, {}) if isinstance(said, dict) else {}
                if not isinstance(said, dict):
                    raise OptionError(f"{path}: expected a table [{'.'.join(table)}]; got {said!r:.60}")
                if said or not table:
                    return path, said
    return Path(), {}


def _read(path: Path) -> Mapping[str, Any]:
    import tomllib

    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError, OSError) as error:  # a number of thousands of digits is a ValueError too
        raise OptionError(f"{path}: expected TOML; {error!s:.200}") from None


def _keys(said: Mapping[str, Any]) -> Iterator[str]:
    for key, value in said.items():
        yield key.replace("-", "_")
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
