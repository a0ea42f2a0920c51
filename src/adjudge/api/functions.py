"""Public functions made of options: their keywords are the fields of a class of options, for type checkers too."""

import textwrap
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import MISSING, fields
from functools import wraps
from inspect import Parameter, Signature, cleandoc
from typing import Any, ParamSpec, TypeVar

import adjudge
from adjudge.errors import check_regular, closest
from adjudge.options.declaration import Options, arguments, default_of, own_fields
from adjudge.options.kinds import Progress

P = ParamSpec("P")
Chosen = TypeVar("Chosen", bound=Options)
R = TypeVar("R")

_WIDTH = 116


def takes(options: Callable[P, Chosen]) -> Callable[[Callable[[Chosen], R]], Callable[P, R]]:
    """Let a function of options take their fields as arguments.

    Type checkers copy the parameters from the constructor of `options`; `help` and completion read the signature that
    is set here, and the docstring gains a section with the help of each option.
    """

    def decorate(function: Callable[[Chosen], R]) -> Callable[P, R]:
        declared: Any = options

        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            _check_names(function.__name__, declared, kwargs)
            try:
                given = options(*args, **kwargs)
            except TypeError as error:  # a missing or an extra input
                raise TypeError(str(error).replace(declared.__name__, function.__name__)) from None
            return function(check_files(given))

        parameters = []
        for one in own_fields(declared):
            default = Parameter.empty if default_of(one) is MISSING else default_of(one)
            kind = Parameter.KEYWORD_ONLY if one.kw_only else Parameter.POSITIONAL_OR_KEYWORD
            parameters.append(Parameter(one.name, kind, default=default, annotation=one.type))
        call.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
        call.__doc__ = f"{cleandoc(function.__doc__ or '')}\n\nOptions\n-------\n{_section(declared)}"
        call.options = declared  # type: ignore[attr-defined]
        return call

    return decorate


def options_class(function: str) -> type[Options]:
    """The options of a public function."""
    found: type[Options] = getattr(adjudge, function).options
    return found


def call_with(function: str, options: Options) -> Any:  # noqa: ANN401 - what the function returns
    """The result of a public function for an options object."""
    return getattr(adjudge, function).__wrapped__(check_files(options))


def check_files(options: Chosen) -> Chosen:
    """The options, if their files can be read and written.

    Raises OptionError for a pipe or a device to read, for a file that cannot be written, and for one to write that is
    an input or is written twice.
    """
    from adjudge.render.files import check_apart, check_target

    values = options.values()
    for name, one in arguments(type(options)).items():
        if one.kind.endings and values[name] is not None:
            check_target(values[name], endings=one.kind.endings)
    sources, targets = list(options.paths("read")), list(options.paths("written"))
    for path in (*sources, *targets):
        check_regular(path)
    check_apart(targets, sources)
    return options


def step_of(options: Any) -> Progress:  # noqa: ANN401 - options that have a progress
    """The function that is called with the name of each step."""
    return options.progress or nullcontext


def _check_names(function: str, options: type[Options], given: Iterable[str]) -> None:
    """Raises TypeError, with the nearest name, for a keyword that a function does not have."""
    known = [one.name for one in fields(options)]
    for name in given:
        if name not in known:
            held, near = arguments(options).get(name), closest(name, known)
            fix = (
                f"; give {held.holder}=adjudge.{held.holder.capitalize()}({name}=...)"
                if held
                else near and f"; did you mean {near}?"
            )
            raise TypeError(f"{function}() got an unexpected keyword argument '{name}'{fix}")


def _section(options: type[Options]) -> str:
    """The docstring's section on options."""
    known = arguments(options)
    lines = []
    for one in own_fields(options):
        if one.name not in known:
            summary, *_ = (one.type.__doc__ or "").splitlines() or [""]
            lines.append(f"{one.name}: {summary}")
            continue
        argument = known[one.name]
        parts = [f"{one.name}: {argument.help.text}.", argument.help.more]
        if argument.type is Any:
            several = ", or a list of these" * argument.kind.several
            parts.append(f"A path, an address or a table (polars, pandas, pyarrow ...){several}.")
        elif argument.words:
            parts.append(f"One of {', '.join(map(repr, argument.words))}.")
        if argument.default not in (MISSING, None, (), {}, False):
            parts.append(f"Default: {argument.default!r}.")
        lines.append(" ".join(filter(None, parts)))
    return "\n".join(textwrap.fill(one, _WIDTH, subsequent_indent="    ", break_on_hyphens=False) for one in lines)
