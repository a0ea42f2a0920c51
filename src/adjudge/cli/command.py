"""Commands made of functions: their options and help are those of the signatures."""

import inspect
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from glob import glob
from pathlib import Path
from typing import Annotated, Any

import typer

from adjudge.api.calls import NO_DEFAULT, Argument, Call, argument_of, documented_as
from adjudge.api.kinds import words_of
from adjudge.cli.output import Form, Gates, progress, show_report
from adjudge.errors import DataError, OptionError, encodable
from adjudge.version import NAME


def command(shown: Callable[..., None], called: str = "") -> Callable[..., None]:
    """The command that `shown` is, with the options of its signature.

    called: the documented function whose options the command has too; `shown` then takes the Call first. A parameter
    `form` stands for the options of Form.
    """
    known = documented_as(called) if called else None
    said = dict(inspect.signature(shown).parameters)
    form = [argument_of(one) for one in inspect.signature(Form).parameters.values()] if said.pop("form", None) else []
    own = [*(argument_of(one) for name, one in said.items() if name != "call"), *form]
    theirs = [one for one in known.arguments.values() if one.kind.role != "called"] if known else []

    def run(**given: Any) -> None:  # noqa: ANN401 - what typer parsed
        try:
            further = {one.name: one.checked(one.parsed(given[one.name])) for one in own}
            if form:
                further["form"] = Form(**{one.name: further.pop(one.name) for one in form})
            values = {one.name: one.parsed(given[one.name]) for one in theirs}
            shown(*([Call(known.function, values)] if known else []), **further)
        except OptionError as error:
            error.args = (_with_flag(str(error), [*theirs, *own]),)
            _hint(error, given, theirs, called)
            raise
        except DataError as error:
            _hint(error, given, theirs, called)
            raise

    made = sorted(map(_parameter, [*theirs, *own]), key=_place)
    run.__signature__ = inspect.Signature(made)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in made}
    run.__doc__ = help_of(shown, called)
    run.file_may_set = {one.name for one in (*theirs, *own) if one.file_may_set}  # type: ignore[attr-defined]
    return run


def help_of(shown: Callable[..., None], called: str) -> str:
    """The help of the command: that of `shown`, or else what the function's docstring says of its command."""
    return shown.__doc__ or documented_as(called).help


def made(call: Call, *, verbose: bool = False, quiet: bool = False) -> Any:  # noqa: ANN401 - what the function gives
    """What the call gives; a bar, or a line for each step, shows its progress."""
    with progress(verbose=verbose, quiet=quiet) as step:
        called = {"progress": step} if "progress" in documented_as(call.function.__name__).arguments else {}
        return call.function(**call, **called)


def show_made(call: Call, form: Form, gates: Gates = None) -> None:
    """Make the report that a call asks for and show it; see `show_report`."""
    show_report(
        partial(made, call, verbose=form.verbose, quiet=form.quiet),
        form,
        inputs=call.files("read"),
        targets=call.files("written"),
        gates=gates,
    )


def _with_flag(message: str, arguments: list[Argument]) -> str:
    """A message that begins with the name of an argument, with its flag instead."""
    name, colon, rest = message.partition(":")
    flags = {one.name: one.flag for one in arguments if not one.positional}
    return f"{flags.get(name, name)}{colon}{rest}"


def _hint(error: Exception, given: Mapping[str, Any], arguments: list[Argument], called: str) -> None:
    """Note what to do about an input that was refused: look at it. Of several, the one that the message names.

    Where it is in a format that another evaluation reads, that is said.

    Nothing where it names a file of another option, such as verdicts, which stands beside the inputs.
    """
    if "input_format" not in {one.name for one in arguments}:
        return
    read = [given[one.name] for one in arguments if one.positional and one.kind.role == "read"]
    paths = [path for one in read for path in (one if isinstance(one, list) else [one]) if path and encodable(path)]
    files = {path: called for one in paths for path, called in _there(one, error)}
    named = [path for path, called in files.items() if _names(str(error), called)]
    beside = [given[one.name] for one in arguments if not one.positional and one.kind.role == "read"]
    others = any(str(path) in str(error) for path in beside if path)
    refused = named or ([*files] if isinstance(error, DataError) and not others and len(files) == 1 else [])
    if refused:
        from adjudge.api._guessed import read_elsewhere

        if Path(refused[0]).exists() and (elsewhere := read_elsewhere(called, refused[0])):
            error.add_note(elsewhere)
        error.add_note(f"What it is, and how to read it: {shlex.join([NAME, 'look', refused[0]])}")


def _there(given: str, error: Exception) -> Iterator[tuple[str, str]]:
    """The files that something given stands for, as a user types them, each with what messages call it.

    What comes from elsewhere is one where data were read from it.
    """
    from adjudge.readers.io.paths import is_address
    from adjudge.readers.io.remote import PIPED, STANDARD_INPUT, shown

    if given == STANDARD_INPUT or is_address(given):
        if isinstance(error, DataError):
            yield (given, PIPED) if given == STANDARD_INPUT else (shown(given), shown(given))
        return
    for path in [given] if Path(given).exists() else sorted(glob(given, recursive=True)):  # noqa: PTH207 - takes any path
        if Path(path).is_file() or Path(path).is_dir():
            yield path, path


def _names(message: str, called: str) -> bool:
    """Whether a message is about a file."""
    return re.search(rf"(?<![\w./-]){re.escape(called)}(?![\w-]|[./]\w)", message) is not None


def _place(parameter: inspect.Parameter) -> tuple[bool, bool]:
    """Arguments by place first, then options that must be given."""
    by_place = isinstance(parameter.annotation.__metadata__[0], typer.models.ArgumentInfo)
    return parameter.default is not NO_DEFAULT or not by_place, parameter.default is not NO_DEFAULT


def _parameter(argument: Argument) -> inspect.Parameter:
    """A parameter as typer reads it: a text, several or a flag, since its kind says what becomes of it."""
    option, words = argument.option, words_of(argument.type)
    metavar = option.metavar or argument.kind.metavar
    required = option.required or argument.default is NO_DEFAULT
    typed, default = _typed(argument)
    if argument.positional:
        shown = typer.Argument(metavar=metavar, help=argument.help, show_default=required)
    else:
        flag = f"{argument.flag}/--no-{argument.flag[2:]}" if default is True else argument.flag
        completion = (lambda: list(words)) if words else None
        flags = (flag, option.short) if option.short else (flag,)
        shown = typer.Option(*flags, metavar=metavar, help=argument.help, autocompletion=completion)
    return inspect.Parameter(
        argument.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=NO_DEFAULT if required else default,
        annotation=Annotated[typed, shown],
    )


def _typed(argument: Argument) -> tuple[Any, Any]:
    """The type by which typer reads an option, and its default."""
    if isinstance(argument.default, bool):
        return bool, argument.default
    if argument.kind.several:
        return list[str] | None, None
    return str | None, None if argument.default is None else str(argument.default)
