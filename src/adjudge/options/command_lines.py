"""The command line for some options: what repeats a report, and what `adjudge look` proposes."""

import re
import shlex
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from adjudge.errors import flag_of
from adjudge.options.declaration import Argument, Options, arguments
from adjudge.version import NAME


def command_of(options: Options, paths: Sequence[str], words: str) -> str:
    """The command that makes a report again. words: those before the files."""
    known = arguments(type(options))
    split = [name for name, one in known.items() if one.kind.split]
    return command_line(words, paths, options.recorded(), {name: one.default for name, one in known.items()}, split)


def holds_value(value: object) -> bool:
    """Whether an option has a value: it is not None, and no empty list or mapping."""
    return not (value is None or (isinstance(value, Sequence | Mapping) and not isinstance(value, str) and not value))


def command_line(
    command: str,
    paths: Sequence[str],
    options: Mapping[str, Any],
    defaults: Mapping[str, Any],
    split: Collection[str] = (),
) -> str:
    """The command that gives the same figures from the same files; options at their defaults are left out.

    command: what stands between adjudge and the files. split: options whose values the command line splits at commas.

    >>> command_line("reliability", ["my votes.csv"], {"seed": 1, "drop": True}, {"seed": 0, "drop": False})
    "adjudge reliability 'my votes.csv' --seed 1 --drop"
    """
    files = (f"./{path}" if path.startswith("-") and path != "-" else path for path in paths)
    words = [NAME, *command.split(), *files]
    for name, value in options.items():
        if value != defaults.get(name) and holds_value(value):
            words += _flag(flag_of(name), value, split=name in split)
    return shlex.join(words)


def _flag(flag: str, value: object, *, split: bool) -> list[str]:
    if isinstance(value, bool):
        return [flag if value else f"--no-{flag.removeprefix('--')}"]
    if isinstance(value, Mapping) and any(isinstance(one, Mapping) for one in value.values()):
        pairs = [(name, *one) for name, meanings in value.items() for one in meanings.items()]
        return [word for name, own, meant in pairs for word in (flag, f"{name}:{_value(own)}={_escaped(meant)}")]
    if isinstance(value, Mapping):
        pairs = [
            (name, one) for name, many in value.items() for one in (many if isinstance(many, list | tuple) else [many])
        ]
        return _joined_values(flag, [f"{name}={_escaped(str(one))}" for name, one in pairs])
    if isinstance(value, list | tuple):
        if split:
            return _joined_values(flag, [_escaped(str(one)) for one in value])
        return [word for one in value for word in (flag, str(one))]
    return [flag, str(value)]


def values_as_given(argument: Argument, value: object) -> list[str]:
    """How the command line gives a value, without its flag."""
    flag = flag_of(argument.name)
    return [one for one in _flag(flag, value, split=argument.kind.split) if one != flag] if value else []


def _joined_values(flag: str, values: Sequence[str]) -> list[str]:
    """Values behind one flag, with commas between them; each behind its own where one would not read back so."""
    if all(re.fullmatch(r"(\w+=)?(?!\s).*[^\s\\]", one, re.DOTALL) for one in values):
        return [flag, ",".join(values)]
    return [word for one in values for word in (flag, one)]


def _value(text: str) -> str:
    """A value that the command line does not take for a column's name, or for two values."""
    return _escaped(text.replace(":", "\\:").replace("=", "\\="))


def _escaped(text: str) -> str:
    """Text whose commas the command line does not take for ends of values."""
    return text.replace(",", "\\,")
