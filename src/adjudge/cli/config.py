"""Options from files and from the environment: adjudge.toml or [tool.adjudge] in pyproject.toml, and ADJUDGE_OPTION.

An option on the command line counts before the environment, that before a file in the working folder, and that before
the user's own file. A file in the working folder may come from someone else: it sets no option that reads, writes or
reaches a network. Python functions read none of these.
"""

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any

from adjudge.cli import QUESTIONS, print_message
from adjudge.errors import OptionError, closest
from adjudge.options.declaration import FILE_RULE, Argument
from adjudge.version import NAME

_FILES = {f"{NAME}.toml": (), "pyproject.toml": ("tool", NAME)}
"""Files that may hold options -> the table in which they stand."""
_PREFIX = "ADJUDGE_"
_NO_OPTION = "ADJUDGE_TRACEBACK"
"""A variable of Adjudge that stands for no option."""
_FLAGS = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}
"""Values that the environment may give an option without a value."""


def defaults_of(
    command: str, known: Mapping[str, Argument], all_options: Callable[[], AbstractSet[str]]
) -> tuple[dict[str, Any], dict[str, str]]:
    """Options from the user's own file, from one in the working folder, and from the environment.

    Options at the top of a file are for all commands that have them, those in [rag] for `rag` and its further commands,
    those in [rag.prepare] for that one. known: the options of the command, by their names in files. all_options: gives
    those of all commands. Returns the values as click takes them, and the file or variable of each. Prints one line
    that says what was taken from a file in the working folder.

    Raises OptionError for a file that is no TOML, for names that no command has, and for impossible values.
    """
    values, places = dict[str, Any](), dict[str, str]()
    home = os.environ.get("APPDATA" if sys.platform == "win32" else "XDG_CONFIG_HOME", "")
    folder = home if Path(home).is_absolute() else os.path.expanduser("~/.config")  # noqa: PTH111 - never raises
    user_file = Path("/", folder, NAME, f"{NAME}.toml")

    def add(name: str, value: object, place: str) -> None:
        values[known[name].name] = _as_given(value, known[name], f"{place}: {name}")
        places[known[name].name] = place

    for path, table in _tables(user_file):
        options = sorted(_options_in(table, str(path), all_options()) if table else (), key=lambda one: len(one[0]))
        found = {name: value for words, name, value in options if f"{command} ".startswith(words) and name in known}
        ignored = [name for name in found if path != user_file and not known[name].file_may_set]
        taken = [name for name in found if name not in ignored]
        for name in taken:
            add(name, found[name], str(path))
        if found and path != user_file:
            line = f"options from {path.name}: {', '.join(taken) or 'none'}"
            if ignored:
                elsewhere = f"--{ignored[0]}, {_variable(ignored[0])} or in {user_file}"
                line += f"; ignored: {', '.join(ignored)}. {FILE_RULE} Give them as {elsewhere}"
            print_message(f"{line} ({path})")
    for variable in sorted(os.environ):
        name = variable.removeprefix(_PREFIX).lower().replace("_", "-")
        if variable.startswith(_PREFIX) and variable != _NO_OPTION:
            if name not in all_options():
                near = closest(name, all_options())
                raise OptionError(f"{variable}: no command has an option --{name}", fix=near and _variable(near))
            if name in known:
                add(name, os.environ[variable], variable)
    return values, places


def _variable(name: str) -> str:
    return _PREFIX + name.upper().replace("-", "_")


def _tables(user_file: Path) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """The user's own file, and the first of the working folder that holds options, with their tables."""
    from adjudge.text.toml_files import toml_in

    if os.path.isfile(user_file):  # noqa: PTH113 - False, too, for a folder that may not be read
        yield user_file, toml_in(user_file, "TOML")
    for name, keys in _FILES.items():
        path = Path.cwd() / name
        if path.is_file() and path != user_file:
            table: Any = toml_in(path, "TOML")
            for key in keys:
                table = table.get(key, {}) if isinstance(table, dict) else {}
            if not isinstance(table, dict):
                raise OptionError(f'{path}: expected a table [{".".join(keys)}]; got "{table!s:.60}"')
            if table or not keys:
                yield path, table
                return


def _options_in(
    table: Mapping[str, Any], place: str, known: AbstractSet[str], words: str = ""
) -> Iterator[tuple[str, str, Any]]:
    """The options of a table and of those in it: the words of their commands, their names and values.

    Raises OptionError for keys that are neither options nor commands.
    """
    below = {name.removeprefix(words).partition(" ")[0] for name in QUESTIONS if name.startswith(words)}
    for key, value in table.items():
        name = key.replace("_", "-")
        if key in below and isinstance(value, dict):
            yield from _options_in(value, place, known, f"{words}{key} ")
        elif name in known:
            yield words, name, value
        elif key in below:
            raise OptionError(f'{place}: {key}: expected a table with its options; got "{value!s:.60}"', fix=f"[{key}]")
        else:
            near = closest(name, [*known, *below])
            raise OptionError(f'{place}: no option or command "{key}"', fix=f"[{near}]" if near in below else near)


def _as_given(value: Any, argument: Argument, place: str) -> Any:  # noqa: ANN401 - of TOML
    """A value as the command line gives it: texts, of which an option may take several; or a flag.

    Raises OptionError for a flag that is neither true nor false.
    """
    if isinstance(argument.default, bool):
        if str(value).lower() not in _FLAGS:
            raise OptionError(f'{place}: expected true or false; got "{value!s:.60}"')
        return _FLAGS[str(value).lower()]
    pairs = [f"{name}={_text(one)}" for name, one in value.items()] if isinstance(value, dict) else value
    texts = [_text(one) for one in (pairs if isinstance(pairs, list) else [pairs])]
    return texts if argument.kind.several else ",".join(texts)


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
