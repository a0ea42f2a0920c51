"""The command line. It reads options, calls the library, prints what comes back, and computes nothing."""

import codecs
import gc
import io
import os
import sys
from typing import Annotated, Any, NoReturn

import typer
from typer.main import get_command

from adjudge.cli.config import Defaults, defaults
from adjudge.cli.groups import Adjudge
from adjudge.cli.saying import say, tell
from adjudge.errors import AdjudgeError, DataError, GateError, MissingError, nearest
from adjudge.version import NAME, __version__

app = typer.Typer(
    name=NAME,
    cls=Adjudge,
    help="How far can a judge be trusted? Compare judgments with trusted ones, item by item.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:  # noqa: FBT001 - typer calls it so
    if wanted:
        say(__version__)
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version and stop.", callback=_print_version, is_eager=True),
    ] = False,
) -> None:
    pass


def _exit_status(error: AdjudgeError) -> int:
    """1 bad data, 2 bad usage, 3 a gate failed, 4 a service or an extra is missing."""
    kinds = ((DataError, 1), (GateError, 3), (MissingError, 4))
    return next((status for kind, status in kinds if isinstance(error, kind)), 2)


def _said_otherwise(error: UnicodeError) -> tuple[str, int]:
    """What is printed in the place of a character that the encoding lacks: a minus must not become a question mark."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return {"\u2212": "-", "–": "-"}.get(error.object[error.start], "?"), error.start + 1


UsageError: type[Exception] = typer.BadParameter.__mro__[1]
"""What typer raises for options and commands that are not there; typer itself exports only kinds of it."""


def usage_text(error: Any) -> str:  # noqa: ANN401 - typer's errors have no public type
    """The line about a usage error; the help where a group of commands was called by itself."""
    context = error.ctx
    if context is None:
        return f"{NAME}: {_wrong(error)}"
    if type(error).__name__ == "NoArgsIsHelpError":
        return str(context.get_help())
    return f"{context.command_path}: {_wrong(error)}. {context.command_path} --help lists what there is"


def _wrong(error: Any) -> str:  # noqa: ANN401
    commands = getattr(error.ctx and error.ctx.command, "commands", {})
    if hasattr(error, "possibilities") and hasattr(error, "option_name"):  # click has possibilities of commands too
        flags = [flag for one in error.ctx.command.params for flag in one.opts]
        return f"no option {error.option_name}{nearest(error.option_name, flags)}"
    if getattr(error, "param", None) is not None and not error.message:
        name, metavar = error.param.opts[0], error.param.metavar or ""
        return f"{f'{name} {metavar}'.rstrip() if name.startswith('-') else metavar or name} is missing"
    if getattr(error, "option_name", None):
        return f"{error.option_name}: expected a value; got none"
    if commands:
        asked = error.message.split("'")[1] if "'" in error.message else ""
        return f'expected one of {", ".join(commands)}; got "{asked}"{nearest(asked, commands)}'
    return str(error.message).rstrip(".")


_OBJECTS = 300_000
"""New objects after which cycles are looked for: a command makes few, of which most are the modules that it loads."""


def main() -> NoReturn:
    """Run the command line; errors become lines on stderr and an exit status.

    Standard output keeps its encoding; what that cannot say becomes a hyphen or a question mark.
    """
    gc.set_threshold(_OBJECTS)
    codecs.register_error(NAME, _said_otherwise)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors=NAME)
    said = Defaults()
    try:
        commands = get_command(app)
        said = defaults(commands, sys.argv[1:])
        if said.message:
            tell(f"{NAME}: {said.message}")
        status = commands(standalone_mode=False, prog_name=NAME, default_map=said.options)
    except AdjudgeError as error:
        place = said.place_of(str(error), sys.argv[1:])
        notes = [*getattr(error, "__notes__", ()), *([place] if place else [])]
        first, *more = error.lines
        tell(f"{NAME}: {first}", *more, *notes)
        sys.exit(_exit_status(error))
    except UsageError as error:
        tell(*usage_text(error).splitlines())
        sys.exit(2)
    except typer.Abort:
        raise KeyboardInterrupt from None
    except OSError as error:
        tell(f"{NAME}: {error.filename or 'standard output'}: {error.strerror or error}")
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left unwritten has nowhere to go
        sys.exit(2)
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # polars is not loaded here; no name of its own stands for it
            raise
        tell(f"{NAME}: an input cannot be read: {str(error).splitlines()[0]:.200}. It may be damaged")
        sys.exit(1)
    sys.exit(status if isinstance(status, int) else 0)
