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
from adjudge.options.declaration import Options, arguments
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

        parameters, section = [], []
        for one in declared.own_fields:
            argument = arguments(declared).get(one.name)
            default = argument.default if argument else one.default
            kind = Parameter.KEYWORD_ONLY if one.kw_only else Parameter.POSITIONAL_OR_KEYWORD
            given = Parameter.empty if default is MISSING else default
            parameters.append(Parameter(one.name, kind, default=given, annotation=one.type))
            if argument is None:
                section.append(f"{one.name}: " + (one.type.__doc__ or "").partition("\n")[0])
                continue
            parts = [f"{one.name}: {argument.help.text}.", argument.help.more]
            if argument.type is Any:
                several = ", or a list of these" * argument.kind.several
                parts.append(f"A path, an address or a table (polars, pandas, pyarrow ...){several}.")
            elif argument.kind.words:
                parts.append(f"One of {', '.join(map(repr, argument.kind.words))}.")
            if default not in (MISSING, None, (), {}, False):
                parts.append(f"Default: {default!r}.")
            section.append(" ".join(filter(None, parts)))
        lines = [textwrap.fill(one, _WIDTH, subsequent_indent="    ", break_on_hyphens=False) for one in section]
        call.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
        call.__doc__ = "\n".join([f"{cleandoc(function.__doc__ or '')}\n\nOptions\n-------", *lines])
        call.options = declared  # type: ignore[attr-defined]
        return call

    return decorate


def options_class(function: str) -> type[Options]:
    """The options of a public function."""
    found: type[Options] = getattr(adjudge, function).options
    return found


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
            fix = near and f"; did you mean {near}?"
            if held:
                fix = f"; give {held.holder}=adjudge.{held.holder.capitalize()}({name}=...)"
            raise TypeError(f"{function}() got an unexpected keyword argument '{name}'{fix}")
