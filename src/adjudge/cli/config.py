"""Options from files and from the environment: adjudge.toml or [tool.adjudge] in pyproject.toml, and ADJUDGE_OPTION.

An option on the command line counts before the environment, that before a file in the working folder, and that before
the user's own file. A file in the working folder may come from someone else: it sets no option that reads, writes or
reaches a network. Python functions read none of these.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
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


@dataclass(frozen=True, slots=True)
class ConfiguredDefaults:
    """Defaults of a command. options: by name, as click takes them. places: option -> the file or variable."""

    options: dict[str, Any] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)

    def add(self, argument: Argument, value: object, place: str) -> None:
        """Set an option, in the place of an earlier value."""
        self.options[argument.name] = _as_given(value, argument, f"{place}: {flag_of(argument.name)[2:]}")
        self.places[argument.name] = place


def defaults_of(command: str, params: Iterable[Any], all_options: Callable[[], AbstractSet[str]]) -> ConfiguredDefaults:
    """Options from the user's own file, from one in the working folder, and from the environment.

    Options at the top of a file are for all commands that have them, those in [rag] for `rag` and its further commands,
    those in [rag.prepare] for that one. params: those of the command. all_options: gives the names that the options of
    all commands have here. Prints one line that says what was taken from a file in the working folder.

    Raises OptionError for a file that is no TOML, for names that no command has, and for impossible values.
    """
    own, settings = user_file(), ConfiguredDefaults()
    arguments = [one.argument for one in params if hasattr(one, "argument")]
    known = {setting_of(one.name): one for one in arguments if not one.positional}
    if os.path.isfile(own):  # noqa: PTH113 - False, too, for a folder that may not be read
        for name, value in _for_command(_read(own), command, str(own), all_options):
            if name in known:
                settings.add(known[name], value, str(own))
    path, table = _folder_file(own)
    found = [(name, value) for name, value in _for_command(table, command, str(path), all_options) if name in known]
    for name, value in found:
        if known[name].file_may_set:
            settings.add(known[name], value, str(path))
    if found:
        print_message(_describe(path, {name: known[name] for name, _ in found}))
    for name, variable in _variables(all_options):
        if name in known:
            settings.add(known[name], os.environ[variable], variable)
    return settings


def setting_of(option: str) -> str:
    """An option's name in files and variables: its flag, with _ or - between words.

    >>> setting_of("save_items"), setting_of("pilot")
    ('save_items', 'from')
    """
    return flag_of(option)[2:].replace("-", "_")


def _variables(all_options: Callable[[], AbstractSet[str]]) -> Iterator[tuple[str, str]]:
    """Options that the environment sets, and their variables. Raises OptionError for one that no command has."""
    for variable in sorted(os.environ):
        if variable.startswith(_PREFIX) and variable not in _NO_OPTION:
            name = variable.removeprefix(_PREFIX).lower()
            if name not in all_options():
                near = closest(name, all_options())
                raise OptionError(f"{variable}: no command has an option {flag_of(name)}", fix=near and _variable(near))
            yield name, variable


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


def _for_command(
    table: Mapping[str, Any], command: str, place: str, all_options: Callable[[], AbstractSet[str]]
) -> Iterator[tuple[str, Any]]:
    """The options that a table sets for a command, the most general first. Raises OptionError for unknown keys."""
    if table:
        words = {name.partition(" ")[0] for name in QUESTIONS}
        yield from _own_options(table, command.split(" "), [], words, place, all_options())


def _own_options(
    table: Mapping[str, Any],
    path: Sequence[str],
    above: Sequence[str],
    inner: AbstractSet[str],
    place: str,
    known: AbstractSet[str],
) -> Iterator[tuple[str, Any]]:
    below = []
    for key, value in table.items():
        name = key.replace("-", "_")
        if key in inner and (isinstance(value, dict) or name not in known):
            if not isinstance(value, dict):
                raise OptionError(
                    f"{place}: {key}: expected a table with its options; got {value!r:.60}", fix=f"[{key}]"
                )
            below.append((key, value))
        elif name in known:
            if not above or above == path[: len(above)]:
                yield name, value
        else:
            near = closest(name, [*known, *inner])
            fix = f"[{near}]" if near in inner else near.replace("_", "-")
            raise OptionError(f"{place}: no option or command {key}", fix=fix)
    for key, value in below:
        here = [*above, key]
        words = {name.split(" ")[-1] for name in QUESTIONS if name.startswith(f"{key} ")} if not above else set()
        found = list(_own_options(value, path, here, words, place, known))
        if here == list(path[: len(here)]):
            yield from found


def _describe(path: Path, found: Mapping[str, Argument]) -> str:
    """Which options of a file the command takes and which it ignores, in a line."""
    taken = [flag_of(name)[2:] for name, one in found.items() if one.file_may_set]
    ignored = [name for name, one in found.items() if not one.file_may_set]
    line = f"options from {path.name}: {', '.join(taken) or 'none'}"
    if ignored:
        names = ", ".join(flag_of(name)[2:] for name in ignored)
        places = f"{flag_of(ignored[0])}, {_variable(ignored[0])} or in {user_file()}"
        line += f"; ignored: {names}. {FILE_RULE} Give them as {places}"
    return f"{line} ({path})"


def _variable(option: str) -> str:
    return _PREFIX + option.upper()


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
