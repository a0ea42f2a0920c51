"""Commands made of the functions that they call: their options and help are those of the function's signature."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from karat.api.options import Argument, arguments_of, files_of
from karat.cli.output import progress

_EMPTY = inspect.Parameter.empty


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a function as the command line asks for it. Calling it shows the progress."""

    function: Callable[..., Any]
    arguments: Mapping[str, Any]

    @property
    def inputs(self) -> list[Path]:
        """The files that it reads."""
        return files_of(self.function, self.arguments, "read")

    @property
    def targets(self) -> list[Path]:
        """The files that it writes."""
        return files_of(self.function, self.arguments, "written")

    def __call__(self) -> Any:  # noqa: ANN401 - what the function gives
        """Call the function; a bar shows its progress."""
        with progress() as step:
            return self.function(**self.arguments, **self._called(step))

    def _called(self, step: object) -> dict[str, object]:
        return {name: step for name, one in arguments_of(self.function).items() if one.kind.role == "called"}


def command(function: Callable[..., Any], shown: Callable[..., None]) -> Callable[..., None]:
    """The command that calls `function` and shows what comes of it; `shown` says its help and further options.

    shown: takes the Call, and further options as typer knows them by their annotations.
    """
    arguments = {name: one for name, one in arguments_of(function).items() if one.kind.role != "called"}
    further = list(inspect.signature(shown).parameters.values())[1:]

    def run(**given: Any) -> None:  # noqa: ANN401 - what typer parsed
        values = {name: one.kind.parsed(one.flag, given[name]) for name, one in arguments.items()}
        shown(Call(function, values), **{one.name: given[one.name] for one in further})

    made = sorted((_parameter(name, one) for name, one in arguments.items()), key=_place)
    made += [one.replace(kind=one.KEYWORD_ONLY) for one in further]
    run.__signature__ = inspect.Signature(made)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in made}
    run.__doc__ = shown.__doc__
    return run


def _place(parameter: inspect.Parameter) -> tuple[bool, bool]:
    """Arguments by place first, then options that must be given."""
    return parameter.default is not _EMPTY or not _by_place(parameter), parameter.default is not _EMPTY


def _by_place(parameter: inspect.Parameter) -> bool:
    return isinstance(parameter.annotation.__metadata__[0], typer.models.ArgumentInfo)


def _parameter(name: str, argument: Argument) -> inspect.Parameter:
    """A parameter as typer reads it."""
    option, required = argument.option, argument.option.required or argument.default is _EMPTY
    default = _EMPTY if required else None if argument.default == () else argument.default
    if argument.positional:
        shown = typer.Argument(metavar=option.metavar, help=option.help, show_default=required)
    else:
        flag = f"{argument.flag}/--no-{argument.flag[2:]}" if default is True else argument.flag
        least, most = argument.kind.least, argument.kind.most
        shown = typer.Option(flag, metavar=option.metavar, help=option.help, min=least, max=most)
    annotation: Any = Annotated[argument.kind.typed, shown]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
