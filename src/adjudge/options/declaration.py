"""Options, declared once: signatures, checks, commands, help, documentation and signature lines derive from them.

A subclass of `Options` is a frozen dataclass of a function's arguments. A field has its type and default as in any
dataclass, and by `option` its help:

    class ReliabilityOptions(Statistics, Labels):
        data: Any = option("Win-tie-loss JSON, or long or wide tables", metavar="INPUT", kind=INPUTS, kw_only=False)
        reference: Sequence[str] = option("Annotator to trust", default=(), metavar="NAME")
        reading: Reading = Reading()

A field without an option, such as `reading`, holds further options in its own object. The command line and
reports show them with the others.
"""

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields, replace
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Self, TypeVar, dataclass_transform

from adjudge.errors import flag_of
from adjudge.options.kinds import Kind, Role, kind_of
from adjudge.version import NAME

T = TypeVar("T")
GROUPS = ("Task", "Input", "Statistics", "Output", "CI", "Advanced")
"""The headings of help; only --help-all shows the last."""
REQUIRED: Any = MISSING
FILE_RULE = "A file may not set options that read, write or reach a network."


@dataclass(frozen=True, slots=True)
class Help:
    """An option's properties besides its type and default.

    text: a fragment that starts with what the option takes. more: sentences for the documentation. metavar: the
    placeholder of the value. kind: the check of values, by default that of the type. group: a heading of the help page.
    short: a letter. shown: whether it affects only the
    display of a report, and no estimate. required: whether the command line requires it.
    """

    text: str
    more: str = ""
    metavar: str = ""
    kind: Kind | None = None
    group: str = ""
    short: str = ""
    shown: bool = False
    required: bool = False


def option(text: str, *, default: T = REQUIRED, kw_only: bool = True, **about: Any) -> T:  # noqa: ANN401
    """A field of `Options` with the fields of Help. Without a default it is required; kw_only=False: positional."""
    value: Any = {"default_factory": dict} if default == {} else {"default": default}
    declared: T = field(**value, kw_only=kw_only, metadata={"help": Help(text, **about)})
    return declared


@dataclass(frozen=True, slots=True)
class Argument:
    """An option of a class.

    required: whether the command line requires it. metavar: the placeholder of its value in help. positional: whether
    it is positional. holder: the field whose object has it; empty if the class itself does.
    """

    name: str
    type: Any
    default: Any
    help: Help
    kind: Kind
    required: bool
    metavar: str
    positional: bool
    holder: str = ""

    @property
    def file_may_set(self) -> bool:
        """Whether a file by someone else may set it; see `Kind`."""
        return self.kind.file_may_set and self.kind.role == "setting" and not self.positional

    @property
    def changes_metrics(self) -> bool:
        """Whether metrics may depend on it."""
        return self.kind.role in ("setting", "read") and not self.help.shown

    def checked(self, value: Any) -> Any:  # noqa: ANN401 - whatever was given
        """A value in its normal form. Raises OptionError for an invalid one."""
        left_out = value is None and self.default is None and not self.kind.several
        return None if left_out else self.kind.checked(self.name, value)

    def parsed(self, given: Any) -> Any:  # noqa: ANN401
        """The Python value for a value of the command line: the default if there is none."""
        if given is None or given == ():
            return None if self.default is MISSING else self.default
        return given if isinstance(given, bool) else self.kind.parsed(self.name, given)


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(option,))
class Options:
    """Base of all options. A class sets the default heading of its options with `group=`.

    Each value is checked and normalized when the object is made: a text counts as a list of one.
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    own_fields: ClassVar[Sequence[Any]] = ()
    """The fields of a class: inputs, then its own, then those of its bases."""

    def __init_subclass__(cls, group: str = "Task") -> None:
        for one in vars(cls).values():
            if isinstance(one, Field) and (about := one.metadata.get("help")):
                one.metadata = MappingProxyType({"help": replace(about, group=about.group or group)})
        dataclass(init=False, repr=False, eq=False, kw_only=True)(cls)  # generated methods take 1 ms per class
        names = dict.fromkeys(name for each in cls.__mro__ for name in vars(each).get("__annotations__", {}))
        declared = {one.name: one for one in fields(cls)}
        cls.own_fields = sorted((declared[name] for name in names if name in declared), key=lambda one: one.kw_only)

    def __init__(self, *inputs: Any, **given: Any) -> None:  # noqa: ANN401
        declared, known = self.own_fields, arguments(type(self))
        places = [one.name for one in declared if not one.kw_only]
        name = type(self).__name__
        if len(inputs) > len(places):
            raise TypeError(
                f"{name}() takes {len(places)} arguments by place; got {len(inputs)}; pass a list for several"
            )
        given |= dict(zip(places, inputs, strict=False))
        for one in declared:
            argument = known.get(one.name)
            value = given.pop(one.name, argument.default if argument else one.default)
            if value is MISSING:
                raise TypeError(f"{name}() is missing the argument '{one.name}'")
            object.__setattr__(self, one.name, argument.checked(value) if argument else value)
        if given:
            raise TypeError(f"{name}() got an unexpected keyword argument '{min(given)}'")

    def __setattr__(self, name: str, value: object) -> None:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(other) == vars(self)

    def __hash__(self) -> int:
        return hash((type(self), repr(self)))

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={self.values()[name]!r}" for name in self.given_names())
        return f"{type(self).__name__}({given})"

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """Options from values by name, including those of nested objects.

        Other names are ignored; missing inputs are empty.
        """
        own: dict[str, Any] = {
            one.name: () for one in arguments(cls).values() if one.positional and one.default is MISSING
        }
        nested: dict[str, dict[str, Any]] = {}
        for name, one in arguments(cls).items():
            if name in values:
                (nested.setdefault(one.holder, {}) if one.holder else own)[name] = values[name]
        own |= {one.name: one.type(**nested[one.name]) for one in cls.own_fields if one.name in nested}
        return cls(**own)

    def values(self) -> dict[str, Any]:
        """All options by name, including those of nested objects."""
        found = (
            (name, getattr(self, one.holder) if one.holder else self) for name, one in arguments(type(self)).items()
        )
        return {name: getattr(holder, name) for name, holder in found}

    def recorded(self) -> dict[str, Any]:
        """The options that a report records: all but its inputs, outputs and callbacks."""
        values, known = self.values(), arguments(type(self))
        return {
            name: values[name]
            for name, one in known.items()
            if one.kind.role == "setting" or (one.kind.role == "read" and not one.positional)
        }

    def given_names(self, names: Iterable[str] | None = None) -> list[str]:
        """The options, or those of some names, that differ from their defaults."""
        known, values = arguments(type(self)), self.values()
        return [name for name in (known if names is None else names) if _differs(values[name], known[name])]

    def paths(self, role: Role) -> Iterator[Path]:
        """The files that options name, to read or to write."""
        values = self.values()
        for name, one in arguments(type(self)).items():
            if one.kind.role == role:
                many = values[name] if isinstance(values[name], list | tuple) else [values[name]]
                yield from (Path(path) for path in many if isinstance(path, str | PathLike))

    def further_inputs(self) -> list[str]:
        """The options that name a file to read besides the inputs; its hash identifies it better than its name."""
        values, known = self.values(), arguments(type(self)).values()
        beside = [one.name for one in known if one.kind.role == "read" and not one.positional]
        return [name for name in beside if values[name] is not None]


def _differs(value: Any, argument: Argument) -> bool:  # noqa: ANN401
    """Whether a value differs from the default; a table always does, and is not compared."""
    if argument.default is MISSING:
        return True
    default = argument.checked(argument.default)
    return value is not default and (default is None or type(value) is not type(default) or value != default)


_ARGUMENTS: dict[type[Options], Mapping[str, Argument]] = {}


def arguments(options: type[Options]) -> Mapping[str, Argument]:
    """The options of a class by name: inputs, then its own, then those of its bases and nested objects."""
    if options in _ARGUMENTS:
        return _ARGUMENTS[options]
    found: list[Argument] = []
    for one in options.own_fields:
        if about := one.metadata.get("help"):
            default = one.default if one.default_factory is MISSING else one.default_factory()
            kind, required = about.kind or kind_of(one.type), about.required or default is MISSING
            metavar = about.metavar or kind.metavar or "|".join(kind.words)
            found.append(Argument(one.name, one.type, default, about, kind, required, metavar, not one.kw_only))
        elif isinstance(one.type, type) and issubclass(one.type, Options):
            found += [replace(each, holder=one.name) for each in arguments(one.type).values()]
    return _ARGUMENTS.setdefault(options, MappingProxyType({one.name: one for one in found}))


def holds_value(value: object) -> bool:
    """Whether an option has a value: it is not None, and no empty list or mapping."""
    return not (value is None or (isinstance(value, Sequence | Mapping) and not isinstance(value, str) and not value))


def command_of(options: Options, paths: Sequence[str], words: str) -> str:
    """The command that gives the same estimates from the same files, without options at their defaults.

    words: those before the files.
    """
    files = (f"./{path}" if path.startswith("-") and path != "-" else path for path in paths)
    command, known = [NAME, *words.split(), *files], arguments(type(options))
    for name, value in options.recorded().items():
        if value != known[name].default and holds_value(value):
            command += _flag(flag_of(name), value, split=known[name].kind.split)
    return shlex.join(command)


def _flag(flag: str, value: object, *, split: bool) -> list[str]:
    if isinstance(value, bool):
        return [flag if value else f"--no-{flag.removeprefix('--')}"]
    if isinstance(value, Mapping) and any(isinstance(one, Mapping) for one in value.values()):
        words = list[str]()
        for name, meanings in value.items():
            for own, meant in meanings.items():
                escaped = re.sub(r"([,:=])", r"\\\1", own)
                words += [flag, f"{name}:{escaped}={_escaped(meant)}"]
        return words
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
    """The command-line form of a value, without its flag."""
    flag = flag_of(argument.name)
    return [one for one in _flag(flag, value, split=argument.kind.split) if one != flag] if value else []


def _joined_values(flag: str, values: Sequence[str]) -> list[str]:
    """Comma-separated values after one flag; separate flags if a value would not be parsed back."""
    if all(re.fullmatch(r"(\w+=)?(?!\s).*[^\s\\]", one, re.DOTALL) for one in values):
        return [flag, ",".join(values)]
    return [word for one in values for word in (flag, one)]


def _escaped(text: str) -> str:
    """Text whose commas the command line does not treat as separators."""
    return text.replace(",", "\\,")
