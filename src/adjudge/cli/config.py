"""Options from files and from the environment: adjudge.toml or [tool.adjudge] in pyproject.toml, and ADJUDGE_OPTION.

An option on the command line counts before the environment, that before a file in the working folder, and that before
the user's own file. A file in the working folder may come from someone else: it sets no option that reads, writes or
reaches a network. Python functions read none of these.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any

from adjudge.cli import QUESTIONS
from adjudge.cli.streams import print_message
from adjudge.errors import OptionError, closest, flag_of
from adjudge.options.declaration import FILE_RULE, Argument
from adjudge.version import NAME

_FILES = {f"{NAME}.toml": (), "pyproject.toml": ("tool", NAME)}
"""Files that may hold options -> the table in which they stand."""
_PREFIX = "ADJUDGE_"
_NO_OPTION = frozenset({"ADJUDGE_CACHE", "ADJUDGE_TRACEBACK"})
"""Variables of Adjudge that stand for no option."""
_FLAGS = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}
"""Values that the environment may give an option without a value."""


def defaults_of(
    command: str, known: Mapping[str, Argument], all_options: Callable[[], AbstractSet[str]]
) -> tuple[dict[str, Any], dict[str, str]]:
    """Options from the user's own file, from one in the working folder, and from the environment.

    Options at the top of a file are for all commands that have them, those in [rag] for `rag` and its further commands,
    those in [rag.prepare] for that one. known: the options of the command, by their names in files and variables; an
    option of the environment is written in capitals. all_options: gives those of all commands. Returns the values as
    click takes them, and the file or variable of each. Prints one line that says what was taken from a file in the
    working folder.

    Raises OptionError for a file that is no TOML, for names that no command has, and for impossible values.
    """
    values, places, own = dict[str, Any](), dict[str, str](), user_file()

    def add(name: str, value: object, place: str) -> None:
        values[known[name].name] = _as_given(value, known[name], f"{place}: {name.replace('_', '-')}")
        places[known[name].name] = place

    tables = {own: _read(own) if os.path.isfile(own) else {}}  # noqa: PTH113 - False for a folder that may not be read
    path, table = _folder_file(own)
    for place, held in (*tables.items(), (path, table)):
        options = sorted(_options_in(held, str(place), all_options()) if held else (), key=lambda one: len(one[0]))
        found = [(name, value) for words, name, value in options if f"{command} ".startswith(words) and name in known]
        ignored = [name for name, _ in found if place == path and not known[name].file_may_set]
        for name, value in found:
            if name not in ignored:
                add(name, value, str(place))
        if found and place == path:
            _print_taken(path, dict.fromkeys(name for name, _ in found if name not in ignored), dict.fromkeys(ignored))
    for variable in sorted(os.environ):
        name = variable.removeprefix(_PREFIX).lower()
        if variable.startswith(_PREFIX) and variable not in _NO_OPTION:
            if name not in all_options():
                near = closest(name, all_options())
                fix = near and _PREFIX + near.upper()
                raise OptionError(f"{variable}: no command has an option {flag_of(name)}", fix=fix)
            if name in known:
                add(name, os.environ[variable], variable)
    return values, places


def user_file() -> Path:
    """The file with the user's own options, in the folder that the system has for them."""
    variable = os.environ.get("APPDATA" if sys.platform == "win32" else "XDG_CONFIG_HOME", "")
    folder = variable if Path(variable).is_absolute() else os.path.expanduser("~/.config")  # noqa: PTH111 - never raises
    return Path("/", folder, NAME, f"{NAME}.toml")


def _folder_file(own: Path) -> tuple[Path, Mapping[str, Any]]:
    """The file of the working folder that holds options, unless it is the user's own, and its table."""
    for name, keys in _FILES.items():
        path = Path.cwd() / name
        if path.is_file() and path != own:
            table: Any = _read(path)
            for key in keys:
                table = table.get(key, {}) if isinstance(table, dict) else {}
            if not isinstance(table, dict):
                raise OptionError(f"{path}: expected a table [{'.'.join(keys)}]; got {table!r:.60}")
            if table or not keys:
                return path, table
    return Path(), {}


def _read(path: Path) -> Mapping[str, Any]:
    import tomllib

    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise OptionError(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits is a ValueError too
        from adjudge.text.toml_files import toml_fault

        raise OptionError(f"{path}: expected TOML; {toml_fault(error)}") from None


def _options_in(
    table: Mapping[str, Any], place: str, known: AbstractSet[str], words: str = ""
) -> Iterator[tuple[str, str, Any]]:
    """The options of a table and of those in it: the words of their commands, their names and values.

    Raises OptionError for keys that are neither options nor commands.
    """
    below = {name.removeprefix(words).partition(" ")[0] for name in QUESTIONS if name.startswith(words)}
    for key, value in table.items():
        name = key.replace("-", "_")
        if key in below and isinstance(value, dict):
            yield from _options_in(value, place, known, f"{words}{key} ")
        elif name in known:
            yield words, name, value
        elif key in below:
            raise OptionError(f"{place}: {key}: expected a table with its options; got {value!r:.60}", fix=f"[{key}]")
        else:
            near = closest(name, [*known, *below])
            fix = f"[{near}]" if near in below else near.replace("_", "-")
            raise OptionError(f"{place}: no option or command {key}", fix=fix)


def _print_taken(path: Path, taken: Iterable[str], ignored: Iterable[str]) -> None:
    """Print which options of a file the command takes and which it ignores."""
    names, left = (", ".join(many).replace("_", "-") for many in (taken, ignored))
    line = f"options from {path.name}: {names or 'none'}"
    if left:
        first = next(iter(ignored))
        places = f"{flag_of(first)}, {_PREFIX}{first.upper()} or in {user_file()}"
        line += f"; ignored: {left}. {FILE_RULE} Give them as {places}"
    print_message(f"{line} ({path})")


def _as_given(value: Any, argument: Argument, place: str) -> Any:  # noqa: ANN401 - of TOML
    """A value as the command line gives it: texts, of which an option may take several; or a flag.

    Raises OptionError for a flag that is neither true nor false.
    """
    if isinstance(argument.default, bool):
        value = _FLAGS.get(value.lower(), value) if isinstance(value, str) else value
        if not isinstance(value, bool):
            raise OptionError(f"{place}: expected true or false; got {value!r:.60}")
        return value
    pairs = [f"{name}={_text(one)}" for name, one in value.items()] if isinstance(value, dict) else value
    texts = [_text(one) for one in (pairs if isinstance(pairs, list) else [pairs])]
    return texts if argument.kind.several else ",".join(texts)


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
