"""Kinds of options: how a value from Python is checked, and how the text of a command line becomes one.

Each check takes an option's name, for messages, and its value; it returns the value in one form and raises OptionError
for what it cannot be.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from math import inf, isfinite, nan
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from karat.errors import OptionError, encodable, nearest

Text = str | None
Texts = str | Sequence[str] | None
Names = Mapping[str, str] | None
Values = Mapping[str, str | Sequence[str]] | None
Weights = Mapping[str, float] | None
Number = float | None
File = str | Path | None
Progress = Callable[[str], AbstractContextManager[object]]
"""Called with the name of each step; the step runs inside the context it returns."""

Role = Literal["setting", "read", "written", "called"]
"""What an option is for: it says how figures are made, names a file to read or to write, or is called meanwhile."""

_SUREST = 0.9999999
"""The greatest confidence whose intervals can be computed accurately."""


def as_given(_: str, value: Any) -> Any:  # noqa: ANN401 - whatever it is
    """The value itself."""
    return value


@dataclass(frozen=True, slots=True)
class Kind:
    """What an option can be.

    checked: from its name and a value of Python's to the value in one form. typed: the type that typer parses; least,
    most: the numbers it takes. parsed: from the flag and what typer gives to a value of Python's. split: whether the
    command line splits its texts at commas.
    """

    checked: Callable[[str, Any], Any]
    typed: Any
    parsed: Callable[[str, Any], Any] = as_given
    split: bool = False
    least: int | None = None
    most: int | None = None
    role: Role = "setting"


# --- values of Python's ---


def texts(name: str, value: object) -> list[str]:
    """The texts of an option that takes one, several or none."""
    many = [] if value is None else [value] if isinstance(value, str) else value
    if not isinstance(many, Iterable) or isinstance(many, Mapping | AbstractSet | bytes):
        raise OptionError(f"{name}: expected a text or a list of texts; got {value!r:.60}")
    return list(dict.fromkeys(text(name, one) for one in many))


def text(name: str, value: object) -> str:
    """A text in UTF-8."""
    if not isinstance(value, str):
        raise OptionError(f"{name}: expected a text; got {value!r:.60}")
    if not encodable(value):
        raise OptionError(f"{name}: expected text in UTF-8; got {value!r:.60}")
    return str(value)


def _optional(check: Callable[[str, Any], Any], name: str, value: object) -> Any:  # noqa: ANN401 - what the check gives
    return None if value is None else check(name, value)


def mapping(name: str, value: object) -> dict[str, Any]:
    """A mapping of names to values; empty for None."""
    if not isinstance(value, Mapping | None):
        raise OptionError(f"{name}: expected names and what each stands for, as a dict; got {value!r:.60}")
    return {text(name, key): one for key, one in (value or {}).items()}


def _names(name: str, value: object) -> dict[str, str]:
    return {key: text(name, one) for key, one in mapping(name, value).items()}


def values(name: str, value: object) -> dict[str, list[str]]:
    """Names and one or several texts for each."""
    return {key: texts(name, many) for key, many in mapping(name, value).items()}


def _boolean(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise OptionError(f"{name}: expected True or False; got {value!r:.60}")
    return value


def whole_number(name: str, value: object, least: int = 0, most: int | None = None) -> int:
    """A whole number from `least` to `most`."""
    if not isinstance(value, bool) and isinstance(value, Integral):
        number = int(value)
        if number >= least and (most is None or number <= most):
            return number
    wanted = f"a whole number from {least}" + ("" if most is None else f" to {most}")
    raise OptionError(f"{name}: expected {wanted}; got {value!r:.60}")


def number(name: str, value: object, low: float = -inf, high: float = inf, *, inside: bool = False) -> float:
    """A finite number from low to high; with inside one between them."""
    found = float(value) if isinstance(value, Real) and not isinstance(value, bool) else nan
    if isfinite(found) and (low < found < high if inside else low <= found <= high):
        return found
    wanted = "a number"
    if high < inf:
        wanted += f" {'between' if inside else 'from'} {low:g} {'and' if inside else 'to'} {high:g}"
    elif low > -inf:
        wanted += f" {'above' if inside else 'from'} {low:g}"
    raise OptionError(f"{name}: expected {wanted}; got {value!r:.60}")


def _confidence(name: str, value: object) -> float:
    number = float(value) if isinstance(value, Real) and not isinstance(value, bool) else nan
    if not 0 < number < 1:
        raise OptionError(f"{name}: expected a number between 0 and 1, such as 0.95; got {value!r:.60}")
    if number > _SUREST:
        raise OptionError(f"{name}: expected at most {_SUREST}; got {value!r:.60}")
    return number


def _one_of(known: Sequence[str], name: str, value: object) -> str:
    if not isinstance(value, str) or value not in known:
        raise OptionError(f'{name}: expected one of {", ".join(known)}; got "{value}"{nearest(str(value), known)}')
    return value


def _path(name: str, value: object, ending: str = "") -> str:
    if not isinstance(value, str | PathLike) or isinstance(value, bytes):
        raise OptionError(f"{name}: expected the path of a {f'{ending} ' * bool(ending)}file; got {value!r:.60}")
    return str(value)


def _target(ending: str, name: str, value: object) -> Path | None:
    """The file to write, if any. Raises OptionError where it cannot be written."""
    from karat.render.files import check_target

    if value is None:
        return None
    path = Path(_path(name, value, ending))
    check_target(path, endings=(ending,))
    return path


def _callable(name: str, value: object) -> object:
    if value is not None and not callable(value):
        raise OptionError(f"{name}: expected a function; got {value!r:.60}")
    return value


# --- texts of the command line ---


def parsed_list(_: str, given: Sequence[str] | None) -> list[str]:
    r"""Values given with commas, by repeating the option, or both. A comma after a backslash is part of a value.

    >>> parsed_list("--labels", ["a, b", r"yes\, sir"])
    ['a', 'b', 'yes, sir']
    """
    return [_plain(part) for one in given or () for part in re.split(r"\s*(?<!\\),\s*", one)]


def _plain(said: str) -> str:
    return said.replace("\\,", ",")


def parsed_values(flag: str, given: Sequence[str] | None) -> dict[str, list[str]]:
    r"""Pairs name=value given with commas, by repeating the option, or both; a name may have several values.

    A value may hold a comma, which needs a backslash before it only where it stands before another name=.

    >>> parsed_values("--flag-values", [r"flagged=NSFW, really, flagged=bad", r"clean=O\,K=1"])
    {'flagged': ['NSFW, really', 'bad'], 'clean': ['O,K=1']}
    """
    found: dict[str, list[str]] = {}
    for part in (part for one in given or () for part in re.split(r"\s*(?<!\\),\s*(?=\w+=)", one)):
        name, equals, value = part.partition("=")
        if not (name and equals and value):
            raise OptionError(f'{flag}: expected name=value; got "{part}"')
        found.setdefault(name.strip(), []).append(_plain(value))
    return found


def parsed_names(flag: str, given: Sequence[str] | None) -> dict[str, str]:
    """Pairs name=value, of several for a name the last.

    >>> parsed_names("--columns", ["item=my id,label=x", "label=y"])
    {'item': 'my id', 'label': 'y'}
    """
    return {name: many[-1] for name, many in parsed_values(flag, given).items()}


def parsed_weights(flag: str, given: Sequence[str] | None) -> dict[str, float]:
    """Pairs name=number.

    >>> parsed_weights("--std-weights", ["overlap=0.4,rule=0.6"])
    {'overlap': 0.4, 'rule': 0.6}
    """
    return {name: _number(flag, f"a number for {name}", value) for name, value in parsed_names(flag, given).items()}


def parsed_ratios(flag: str, given: Sequence[str] | None) -> list[float] | None:
    """Numbers with commas; None where none are given."""
    wanted = "ratios from 0 to 1, such as 0,0.2"
    return [_number(flag, wanted, one) for one in parsed_list(flag, given)] if given else None


def _number(flag: str, wanted: str, given: str) -> float:
    try:
        return float(given)
    except ValueError:
        raise OptionError(f'{flag}: expected {wanted}; got "{given:.60}"') from None


# --- kinds ---

FLAG = Kind(_boolean, bool)
TEXT = Kind(text, str)
OPTIONAL_TEXT = Kind(partial(_optional, text), Text)
REPEATED = Kind(texts, list[str] | None)
LISTED = Kind(texts, list[str] | None, parsed_list, split=True)
NAMES = Kind(_names, list[str] | None, parsed_names)
VALUES = Kind(values, list[str] | None, parsed_values)
WEIGHTS = Kind(mapping, list[str] | None, parsed_weights)
RATIOS = Kind(as_given, list[str] | None, parsed_ratios)
WHOLE = Kind(whole_number, int)
OPTIONAL_WHOLE = Kind(partial(_optional, whole_number), int | None)
NUMBER = Kind(as_given, float | None)
PROBABILITY = Kind(partial(number, low=0, high=1, inside=True), float)
CONFIDENCE = Kind(_confidence, float)
CALLED = Kind(_callable, None, role="called")

INPUT, INPUTS = (Kind(as_given, typed, role="read") for typed in (Path, list[Path]))
SOME_INPUTS = Kind(as_given, list[Path] | None, lambda _, given: given or (), role="read")
TABLE, TABLES = (Kind(as_given, typed, role="read") for typed in (str, list[str]))
OPTIONAL_TABLE = Kind(as_given, str | None, role="read")
READ = Kind(partial(_optional, _path), Path | None, role="read")


def written(ending: str) -> Kind:
    """A file to write, if any."""
    return Kind(partial(_target, ending), Path | None, role="written")


def from_to(least: int, most: int | None = None) -> Kind:
    """A whole number from `least` to `most`."""
    return Kind(partial(whole_number, least=least, most=most), int, least=least, most=most)


def within(low: float, high: float = inf, *, inside: bool = False) -> Kind:
    """A number from `low` to `high`, or with inside between them; none if it is not given."""
    return Kind(partial(_optional, partial(number, low=low, high=high, inside=inside)), float | None)


_OF_TYPE: dict[Any, Kind] = {
    bool: FLAG,
    int: WHOLE,
    int | None: OPTIONAL_WHOLE,
    str: TEXT,
    Text: OPTIONAL_TEXT,
    Texts: REPEATED,
    Names: NAMES,
    Values: VALUES,
    Weights: WEIGHTS,
    Number: NUMBER,
    File: READ,
}


def words_of(declared: Any) -> tuple[str, ...]:  # noqa: ANN401 - a type
    """The words that an option of this type accepts, if its type lists them."""
    literals = [one for one in (declared, *get_args(declared)) if get_origin(one) is Literal]
    return get_args(literals[0]) if literals else ()


def kind_of(declared: Any) -> Kind:  # noqa: ANN401
    """The kind of an option of a type, unless it says another: one of some words, or as most of its type are."""
    words = words_of(declared)
    if not words:
        return _OF_TYPE[declared]
    check = partial(_one_of, words)
    return Kind(partial(_optional, check) if type(None) in get_args(declared) else check, declared)
