"""Functions that are known by their options, and calls of them.

The function's checks, its command with its help, the signature line and the command that repeats a report, and the
arguments in its docstring follow from what its signature says.
"""

import inspect
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_type_hints

import adjudge
from adjudge.api import kinds
from adjudge.api.options import Option
from adjudge.errors import check_regular, nearest

if TYPE_CHECKING:
    from adjudge.readers.io.source import How

NO_DEFAULT = inspect.Parameter.empty
FILE_RULE = "A file may not set options that read, write or reach a network."
_WIDTH = 116
_F = TypeVar("_F", bound=Callable[..., Any])
_KNOWN: "dict[str, Documented]" = {}


@dataclass(frozen=True, slots=True)
class Argument:
    """An option as a function has it.

    flag: its name on the command line. positional: whether the command line has it by its place instead. type: what it
    is declared as.
    """

    name: str
    option: Option
    kind: kinds.Kind
    flag: str
    default: Any
    positional: bool
    type: Any

    @property
    def file_may_set(self) -> bool:
        """Whether a file that somebody else wrote may set it; see `Kind`."""
        return self.kind.file_may_set and self.kind.role == "setting" and not self.positional

    @property
    def changes_metrics(self) -> bool:
        """Whether metrics may depend on it."""
        return self.kind.role in ("setting", "read") and not self.option.shown

    @property
    def help(self) -> str:
        """Its meaning, with the range of its values."""
        return " ".join(filter(None, (self.option.help, self.kind.limits)))

    def checked(self, value: Any) -> Any:  # noqa: ANN401 - whatever was given
        """A value in one form. Raises OptionError for what it cannot be."""
        left_out = value is None and self.default is None and not self.kind.several
        return None if left_out else self.kind.checked(self.name, value)

    def parsed(self, given: Any) -> Any:  # noqa: ANN401
        """What the command line gives as a value of Python's: the default where it gives nothing."""
        default = None if self.default is NO_DEFAULT else self.default
        return default if given is None else given if isinstance(given, bool) else self.kind.parsed(self.name, given)


@dataclass(frozen=True, slots=True)
class Documented:
    """A function that is known by its options: they stand in the order of its signature. help: of its command."""

    function: Callable[..., Any]
    arguments: Mapping[str, Argument]
    help: str


class Call(dict[str, Any]):
    """The arguments of a call of a documented function, by name."""

    def __init__(self, function: Callable[..., Any], values: Mapping[str, Any]) -> None:
        super().__init__(values)
        self.function = function

    @property
    def settings(self) -> dict[str, Any]:
        """The arguments that a report says: all but its inputs, what is written, and what is called meanwhile."""
        known = arguments_of(self.function)
        said = {("setting", True), ("setting", False), ("read", False)}
        return {name: self[name] for name, one in known.items() if (one.kind.role, one.positional) in said}

    @property
    def reading(self) -> "How":
        """How inputs are read."""
        from adjudge.readers.io.source import how_of

        return how_of(self)

    @property
    def step(self) -> kinds.Progress:
        """What is called with the name of each step."""
        return self["progress"] or nullcontext

    def set_among(self, names: Iterable[str]) -> list[str]:
        """Those of some arguments that have another value than their default."""
        known = arguments_of(self.function)
        defaults = {name: known[name].checked(known[name].default) for name in names}
        return [
            name
            for name, default in defaults.items()
            if self[name] is not default and (default is None or self[name] != default)  # a table is not compared
        ]

    def files(self, role: kinds.Role) -> list[Path]:
        """The files that arguments name, to read or to write."""
        given = [self[name] for name, one in arguments_of(self.function).items() if one.kind.role == role]
        many = [one for value in given for one in (value if isinstance(value, list | tuple) else [value])]
        return [Path(one) for one in many if isinstance(one, str | PathLike)]


def documented_as(name: str) -> Documented:
    """The documented function of that name."""
    getattr(adjudge, name)  # which loads it
    return _KNOWN[name]


def arguments_of(function: Callable[..., Any]) -> Mapping[str, Argument]:
    """The arguments of a documented function, in the order of its signature."""
    return _KNOWN[function.__name__].arguments


def argument_of(parameter: inspect.Parameter) -> Argument:
    """The option that a parameter declares."""
    declared, option = get_args(parameter.annotation)
    return Argument(
        parameter.name,
        option,
        option.kind or kinds.kind_of(declared),
        option.flag or flag_of(parameter.name),
        parameter.default,
        parameter.kind is not parameter.KEYWORD_ONLY and not option.flag,
        declared,
    )


def flag_of(name: str) -> str:
    """What an option of that name is on the command line."""
    return f"--{name.replace('_', '-')}"


def bound(function: Callable[..., Any], given: Mapping[str, Any]) -> Call:
    """The arguments of a call, each checked and in one form. Raises OptionError for what they cannot be.

    That includes a pipe or a device to read, and a file to write that is one to read, or another to write.
    """
    from adjudge.render.files import check_apart

    arguments = arguments_of(function)
    grouped: Mapping[str, Any] = next((given[name] for name in given if name not in arguments), {})
    if unknown := grouped.keys() - arguments.keys():
        name = min(unknown)
        raise TypeError(f"{function.__name__}() got an unexpected keyword argument '{name}'{nearest(name, arguments)}")
    values = {name: one.default for name, one in arguments.items()} | dict(given) | dict(grouped)
    call = Call(function, {name: one.checked(values[name]) for name, one in arguments.items()})
    sources, targets = call.files("read"), call.files("written")
    for path in (*sources, *targets):
        check_regular(path)
    check_apart(targets, sources)
    return call


def further_inputs(function: Callable[..., Any], values: Mapping[str, Any]) -> list[str]:
    """The options that name a file to read beside the inputs; its hash says more than its name."""
    named = [one for one in arguments_of(function).values() if one.kind.role == "read" and not one.positional]
    return [one.name for one in named if values[one.name] is not None]


# --- the docstring ---

_SECTION = re.compile(r"(?<=^Arguments\n---------\n)(?:.+(?:\n|\Z))*", re.MULTILINE)
_COMMAND = re.compile(r"\n+Command\n-------\n(.*)", re.DOTALL)
_ENTRY = re.compile(r"^(\w+): (.*(?:\n    .*)*)", re.MULTILINE)


def documented(function: _F) -> _F:
    """The function, known by its options from now on.

    Its docstring says of each argument what the command line's help says, then what it says itself. The signature that
    `help` shows has the types alone.
    """
    signature = inspect.signature(function)
    parameters = [each for one in signature.parameters.values() for each in _ungrouped(one)]
    arguments = {one.name: argument_of(one) for one in parameters}
    plain = [one.replace(annotation=arguments[one.name].type) for one in parameters]
    function.__signature__ = signature.replace(parameters=plain)  # type: ignore[attr-defined]
    doc = inspect.getdoc(function) or ""
    function.__doc__ = _SECTION.sub(lambda own: _section(arguments, own[0]), _COMMAND.sub("", doc))
    _KNOWN[function.__name__] = Documented(function, arguments, "".join(_COMMAND.findall(doc)))
    return function


def _ungrouped(parameter: inspect.Parameter) -> list[inspect.Parameter]:
    """A parameter; the options of a group, each as a parameter of its own."""
    if parameter.kind is not parameter.VAR_KEYWORD:
        return [parameter]
    (group,) = get_args(parameter.annotation)
    return [
        inspect.Parameter(name, parameter.KEYWORD_ONLY, default=get_args(one)[1].default, annotation=one)
        for name, one in get_type_hints(group, include_extras=True).items()
    ]


def _section(arguments: Mapping[str, Argument], written: str) -> str:
    """What a docstring says of arguments: their help, then what was written of them."""
    own = {name: " ".join(text.split()) for name, text in _ENTRY.findall(written)}
    if not own.keys() <= arguments.keys():
        raise TypeError(f"the docstring speaks of arguments that are none: {sorted(own.keys() - arguments.keys())}")
    return "".join(_described(one, own.get(name, "")) + "\n" for name, one in arguments.items())


def _described(argument: Argument, own: str) -> str:
    said = [argument.help.replace("Repeatable.", "One, or a list."), own]
    words = kinds.words_of(argument.type)
    if words:
        said.append(f"One of {', '.join(map(repr, words))}.")
    if argument.type is Any:
        several = ", or a list of these" * argument.kind.several
        said.append(f"A path, an address or a table (polars, pandas, pyarrow ...){several}.")
    text = re.sub(r"--([a-z][a-z-]+)", lambda flag: flag[1].replace("-", "_"), " ".join(filter(None, said)))
    return textwrap.fill(f"{argument.name}: {text}", _WIDTH, subsequent_indent=" " * 4, break_on_hyphens=False)
