"""Kinds of options: the checks of Python values, and the parsing of command-line texts.

Each check takes an option's name, for messages, and its value; it returns the normalized value and raises OptionError
for an invalid one.
"""

import codecs
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from functools import partial
from math import inf, isfinite, nan
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from types import NoneType
from typing import Any, Literal, Union, get_args, get_origin

from adjudge.errors import OptionError, closest, encodable
from adjudge.json_records import GREATEST_INTEGER

Progress = Callable[[str], AbstractContextManager[object]]
"""Called with the name of each step; the step runs inside the context it returns."""

Role = Literal["setting", "read", "written", "called"]
"""The role of an option: a setting of estimates, a file to read or to write, or a callback."""

TAB = "tab"
"""The word for a tab separator."""

_SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,15})?) ?(B|[KMGT]B)?", re.IGNORECASE)

_SUREST = 0.9999999
"""The greatest confidence whose intervals can be computed accurately."""


def as_given(_: str, value: Any) -> Any:  # noqa: ANN401 - whatever it is
    """The value itself."""
    return value


@dataclass(frozen=True, slots=True)
class Kind:
    """The valid values of an option.

    checked: from its name and a Python value to the normalized value; parsed: from its name and the command-line
    text to a Python value, or to one that the check rejects. several: whether the command line accepts it
    repeatedly; the check then gets None, which elsewhere stays None if it is the default. metavar: the placeholder of
    the value in help. words: all valid values, if they are few. split: whether the command line splits its texts at
    commas. endings: those of a file to write.
    file_may_set: whether a file by someone else may set the option: none of its values names anything to read,
    to write, to start or to reach.
    """

    checked: Callable[[str, Any], Any]
    parsed: Callable[[str, Any], Any] = as_given
    several: bool = False
    metavar: str | None = None
    words: Sequence[str] = ()
    split: bool = False
    role: Role = "setting"
    endings: Sequence[str] = ()
    file_may_set: bool = False


# --- Python values ---


def _refusal(name: str, expected: str, value: object, fix: str = "") -> OptionError:
    """The error for an invalid value of an option. fix: a valid value."""
    shown = f'"{value:.58}"' if isinstance(value, str) else repr(value).removesuffix(".0")
    got = f"a {type(value).__name__}" if "\n" in shown else f"{shown:.60}"
    return OptionError(f"expected {expected}; got {got}", option=name, fix=fix)


def texts(name: str, value: object) -> tuple[str, ...]:
    """The texts of an option that takes one, several or none."""
    many = [] if value is None else [value] if isinstance(value, str) else value
    if not isinstance(many, Iterable) or isinstance(many, Mapping | AbstractSet | bytes):
        raise _refusal(name, "a text or a list of texts", value)
    return tuple(dict.fromkeys(_text(name, one) for one in many))


def _text(name: str, value: object) -> str:
    """A text in UTF-8."""
    if not isinstance(value, str):
        raise _refusal(name, "a text", value)
    if not encodable(value):
        raise _refusal(name, "text in UTF-8", value)
    return str(value)


def _mapping(of: Callable[[str, Any], Any], name: str, value: object) -> dict[str, Any]:
    """A mapping of names to values, each checked; empty for None."""
    if not isinstance(value, Mapping | None):
        raise _refusal(name, "names and what each stands for, as a dict", value)
    return {_text(name, key): of(name, one) for key, one in (value or {}).items()}


def _that(fits: Callable[[Any], bool], wanted: str, name: str, value: Any) -> Any:  # noqa: ANN401
    if not fits(value):
        raise _refusal(name, wanted, value)
    return value


def _whole_number(least: int, most: int | None, name: str, value: object) -> int:
    """A whole number from `least` to `most`."""
    if not isinstance(value, bool) and isinstance(value, Integral):
        number = int(value)
        if least <= number <= (GREATEST_INTEGER if most is None else most):
            return number
        most = GREATEST_INTEGER if number > GREATEST_INTEGER else most
    wanted = f"a whole number{f' from {least} to {most}' if most is not None else f', {least} or more'}"
    raise _refusal(name, wanted, value)


def number(name: str, value: object, low: float = -inf, high: float = inf, *, inside: bool = False) -> float:
    """A finite number from low to high; with inside one between them."""
    found = nan
    if isinstance(value, Real) and not isinstance(value, bool):
        with suppress(OverflowError):
            found = float(value)
    if isfinite(found) and (low < found < high if inside else low <= found <= high):
        return found
    wanted = "a number"
    if high < inf:
        wanted += f" {'between' if inside else 'from'} {low:g} {'and' if inside else 'to'} {high:g}"
    elif low > -inf:
        wanted += f" above {low:g}" if inside else f", {low:g} or more"
    percent = high <= 1 and 2 <= found < 100  # noqa: PLR2004 - a share
    raise _refusal(name, wanted, value, f"{found / 100:g}" if percent else "")


def _ratios(name: str, value: object) -> list[float] | None:
    """Numbers from 0 to 1, one or several; -0 is 0."""
    if value is None:
        return None
    many = value if isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping) else [value]
    return [number(name, one, 0, 1) + 0.0 for one in many]


def _one_of(known: Sequence[str], name: str, value: object) -> str:
    if not isinstance(value, str) or value not in known:
        raise _refusal(name, f"one of {', '.join(known)}", value, closest(str(value), known))
    return value


def _path(name: str, value: object, ending: str = "") -> str:
    if not isinstance(value, str | PathLike) or isinstance(value, bytes):
        raise _refusal(name, f"the path of a {f'{ending} ' * bool(ending)}file", value)
    return str(value)


def _paths(name: str, value: object) -> list[str]:
    """The paths of several files, or of one."""
    many = [value] if isinstance(value, str | PathLike) else value
    if not isinstance(many, Sequence):
        raise _refusal(name, "the paths of files", value)
    return [_path(name, one) for one in many]


def _encoding(name: str, value: object) -> str:
    """An encoding of text by its Python name."""
    try:
        "".encode(_text(name, value))
    except (LookupError, ValueError):
        near = closest(str(value), ("utf-8", "utf-16", "cp1252", "latin-1"))
        raise _refusal(name, "an encoding, such as utf-8, cp1252 or utf-16", value, near) from None
    return codecs.lookup(str(value)).name


def _separator(name: str, value: object) -> str:
    """One character, or the word for a tab."""
    sign = TAB if value == "\t" else _text(name, value)
    if sign != TAB and (len(sign) != 1 or not sign.isascii() or sign.isalnum() or sign in '"\r\n\0'):
        raise _refusal(name, 'one sign, such as ";", or the word tab', value)
    return sign


def _size(name: str, value: object) -> str:
    """A number of bytes with its unit."""
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    if not isinstance(text, str) or not (found := _SIZE.fullmatch(text.strip())):
        raise _refusal(name, "a size such as 500MB, 8GB or 1.5TB", value)
    return f"{found[1]}{(found[2] or 'B').upper()}"


# --- command-line texts ---


def parsed_list(_: str, given: Sequence[str]) -> list[str]:
    r"""Values separated by commas, repeated, or both. A comma after a backslash is part of a value.

    >>> parsed_list("labels", ["a, b", r"yes\, sir"])
    ['a', 'b', 'yes, sir']
    """
    return [_plain_text(part) for one in given for part in re.split(r"\s*(?<!\\),\s*", one)]


def _plain_text(text: str) -> str:
    return text.replace("\\,", ",")


def parsed_settings(name: str, given: Sequence[str]) -> dict[str, str]:
    """Names with a value each; commas are part of a value. Raises OptionError for a text without an equals sign.

    >>> parsed_settings("model_option", ["top_p=0.9", 'extra_body={"a": 1, "b": 2}'])
    {'top_p': '0.9', 'extra_body': '{"a": 1, "b": 2}'}
    """
    pairs = [one.partition("=") for one in given]
    if wrong := [key for key, sign, _ in pairs if not (key and sign)]:
        raise OptionError(f'expected NAME=VALUE; got "{wrong[0]:.60}"', option=name)
    return {key: value for key, _, value in pairs}


_GATE = re.compile(r'(?:"[^"]*"|\[(?:"[^"]*"|[^\]"])*\]|[^,\["])+')


def parsed_gates(_: str, given: Sequence[str]) -> list[str]:
    """Gates separated by commas, repeated, or both; commas in brackets or quotes are part of a gate.

    >>> parsed_gates("fail_under", ["kappa=0.4,f1[rule=a,part=b]=0.5"])
    ['kappa=0.4', 'f1[rule=a,part=b]=0.5']
    """
    return [part.strip() for one in given for part in _GATE.findall(one) or [one]]


def parsed_values(name: str, given: Sequence[str]) -> dict[str, list[str]]:
    r"""Pairs name=value separated by commas, repeated, or both; a name may have several values.

    A value may contain a comma, which needs a backslash only before another name=.

    >>> parsed_values("flag_values", [r"flagged=NSFW, really, flagged=bad", r"clean=O\,K=1"])
    {'flagged': ['NSFW, really', 'bad'], 'clean': ['O,K=1']}
    """
    found: dict[str, list[str]] = {}
    for part in (part for one in given for part in re.split(r"\s*(?<!\\),\s*(?=\w+=)", one)):
        key, equals, value = part.partition("=")
        if not (key and equals and value):
            what = "COLUMN" if name == "columns" else "VALUE"
            raise _refusal(name, f"NAME={what}", part, f"{part}={what}" if part.isidentifier() else "")
        found.setdefault(key.strip(), []).append(_plain_text(value))
    return found


def parsed_names(name: str, given: Sequence[str]) -> dict[str, str]:
    """Pairs name=value; the last of several for a name counts.

    >>> parsed_names("columns", ["item=my id,label=x", "label=y"])
    {'item': 'my id', 'label': 'y'}
    """
    return {key: many[-1] for key, many in parsed_values(name, given).items()}


def parsed_meanings(name: str, given: Sequence[str]) -> dict[str, dict[str, str]]:
    r"""Pairs column:value=meaning; the column may be omitted if it is that of the previous pair.

    Commas, colons and equals signs of values need a backslash. A meaning may be empty, and after a column
    so may a value, which is that of empty cells.

    >>> parsed_meanings("map_values", [r"label:yes=1,no=0,N/A=", r"week:2\:1=b"])
    {'label': {'yes': '1', 'no': '0', 'N/A': ''}, 'week': {'2:1': 'b'}}
    """
    found: dict[str, dict[str, str]] = {}
    column = ""
    for part in (part for one in given for part in re.split(r"\s*(?<!\\),\s*", one)):
        own, equals, meant = _parted(part, "=")
        named, colon, value = _parted(own, ":")
        column, value = (named.strip(), value) if colon else (column, own)
        if not (column and equals and (value or colon)):
            raise _refusal(name, "COLUMN:OLD=NEW, such as label:yes=1,no=0", part)
        found.setdefault(column, {})[re.sub(r"\\([,:=])", r"\1", value)] = _plain_text(meant)
    return found


def _parted(text: str, sign: str) -> tuple[str, str, str]:
    """The part before the first such sign without a backslash, the sign, and the rest."""
    place = re.search(rf"(?<!\\){sign}", text)
    return (text[: place.start()], sign, text[place.end() :]) if place else (text, "", "")


def _number(kind: type[int | float], _: str, given: str) -> float | str:
    """A number, or the text if it is none, which the check rejects."""
    try:
        return kind(given)
    except ValueError:
        return given


# --- kinds ---

_NUMBER = partial(Kind, parsed=partial(_number, float), metavar="NUMBER", file_may_set=True)

RATIOS = Kind(
    _ratios,
    lambda name, given: [_number(float, name, one) for one in parsed_list(name, given)],
    several=True,
    file_may_set=True,
)
WORD = Kind(_text, file_may_set=True)
"""A text that is a column, a label, a sign or the like."""
SETTINGS = Kind(partial(_mapping, _text), parsed_settings, several=True)
"""KEY=VALUE, whose values may contain commas; no file may set them."""
MODELS = Kind(texts, parsed_list, several=True, split=True)
"""Names of models to ask."""
PROGRAM = Kind(_text)
"""A program, or the file that holds it."""
ENCODING = Kind(_encoding, file_may_set=True)
SEPARATOR = Kind(_separator, file_may_set=True)
SIZE = Kind(_size)
GATES = Kind(texts, parsed_gates, several=True, file_may_set=True)
CALLED = Kind(partial(_that, callable, "a function"), role="called")
ARRAY = Kind(as_given)
"""Values in memory, whose texts name no files."""
INPUT = Kind(as_given, role="read")
INPUTS = Kind(as_given, several=True, role="read")
PATHS = Kind(_paths, several=True, role="read")
RUNS = Kind(as_given, several=True, role="read")
FILES = Kind(lambda name, value: tuple(map(Path, _paths(name, value))), several=True, role="written")


def written_file(*endings: str) -> Kind:
    """A file to write, with one of some endings; without any, the function checks them."""
    return Kind(lambda name, value: Path(_path(name, value, " or ".join(endings))), role="written", endings=endings)


def from_to(least: int, most: int | None = None) -> Kind:
    """A whole number from `least` to `most`."""
    return Kind(partial(_whole_number, least, most), partial(_number, int), metavar="N", file_may_set=True)


WHOLE, SHARE = from_to(0), _NUMBER(partial(number, low=0, high=1))
PROBABILITY = _NUMBER(partial(number, low=0, high=1, inside=True))
CONFIDENCE = _NUMBER(partial(number, low=0, high=_SUREST, inside=True))
POSITIVE = _NUMBER(partial(number, low=0, inside=True))


_OF_TYPE: dict[Any, Kind] = {
    bool: Kind(partial(_that, lambda value: isinstance(value, bool), "True or False"), file_may_set=True),
    int: WHOLE,
    float: _NUMBER(number),
    str: Kind(_text),
    Sequence[str]: Kind(texts, parsed_list, several=True, split=True, file_may_set=True),
    Mapping[str, str]: Kind(partial(_mapping, _text), parsed_names, several=True, file_may_set=True),
    Mapping[str, Sequence[str]]: Kind(partial(_mapping, texts), parsed_values, several=True, file_may_set=True),
    Mapping[str, Mapping[str, str]]: Kind(
        partial(_mapping, partial(_mapping, _text)), parsed_meanings, several=True, file_may_set=True
    ),
    Mapping[str, float]: Kind(
        partial(_mapping, as_given),
        lambda name, given: {key: _number(float, name, one) for key, one in parsed_names(name, given).items()},
        several=True,
        file_may_set=True,
    ),
    str | Path: Kind(_path, role="read"),
}


def kind_of(declared: Any) -> Kind:  # noqa: ANN401 - a type
    """The default kind of an option of a type: one of some words, or the usual one of the type."""
    if isinstance(declared, str):
        return _OF_TYPE[str]
    inner = [one for one in get_args(declared) if one is not NoneType]
    for one in (declared, *inner):
        if get_origin(one) is Literal:
            return Kind(partial(_one_of, get_args(one)), words=get_args(one), file_may_set=True)
    return _OF_TYPE[Union[*inner] if NoneType in get_args(declared) else declared]
