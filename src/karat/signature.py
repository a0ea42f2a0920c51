"""The settings that figures depend on, as one line, and the command that repeats them. Derived, never listed."""

import json
import shlex
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from karat.report import Input

_HASH_SHOWN = 12


def signature(version: str, evaluation: str, options: Mapping[str, Any], inputs: Sequence[Input]) -> str:
    """One line of text that differs whenever an option, an input's bytes or the version does.

    Options that are None or empty say nothing and are left out.

    >>> signature("0.1.0", "reliability", {"seed": 0, "by": [], "labels": ["a", "b"]}, [Input("x", "abcdef", 2)])
    'karat=0.1.0|evaluation=reliability|seed=0|labels=["a","b"]|inputs=abcdef'
    """
    said = {name: value for name, value in options.items() if _says(value)}
    parts = {"karat": version, "evaluation": evaluation, **said}
    hashes = ",".join(one.sha256[:_HASH_SHOWN] for one in inputs)
    return "|".join([*(f"{name}={_text(value)}" for name, value in parts.items()), f"inputs={hashes}"])


def _says(value: object) -> bool:
    return not (value is None or (isinstance(value, Sequence | Mapping) and not isinstance(value, str) and not value))


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def command_line(
    command: str,
    paths: Sequence[str],
    options: Mapping[str, Any],
    defaults: Mapping[str, Any],
    split: Collection[str] = (),
) -> str:
    """The command that gives the same figures from the same files; options at their defaults are left out.

    command: what stands between karat and the files. split: options whose values the command line splits at commas.

    >>> command_line("reliability score", ["my votes.csv"], {"seed": 1, "drop": True}, {"seed": 0, "drop": False})
    "karat reliability score 'my votes.csv' --seed 1 --drop"
    """
    words = ["karat", *command.split(), *(f"./{path}" if path.startswith("-") else path for path in paths)]
    for name, value in options.items():
        if value != defaults.get(name) and _says(value):
            words += _flag("--" + name.replace("_", "-"), value, split=name in split)
    return shlex.join(words)


def _flag(flag: str, value: object, *, split: bool) -> list[str]:
    if isinstance(value, bool):
        return [flag if value else f"--no-{flag.removeprefix('--')}"]
    if isinstance(value, Mapping):
        pairs = [(name, one) for name, many in value.items() for one in (many if isinstance(many, list) else [many])]
        return [word for name, one in pairs for word in (flag, f"{name}={_escaped(str(one))}")]
    if isinstance(value, list | tuple):
        return [word for one in value for word in (flag, _escaped(str(one)) if split else str(one))]
    return [flag, str(value)]


def _escaped(text: str) -> str:
    """Text whose commas the command line does not take for ends of values."""
    return text.replace(",", "\\,")
