"""The command line. It reads options, calls the library, prints what comes back, and computes nothing."""

import codecs
import io
import os
import sys
from typing import Annotated, NoReturn

import typer

from karat.cli import convert, preferences, rag, runs, show, violations
from karat.cli.command import command
from karat.cli.score import group
from karat.errors import DataError, GateError, KaratError, MissingError
from karat.evaluations import NAMES
from karat.version import __version__

app = typer.Typer(
    name="karat",
    help="How far can a judge be trusted? Compare judgments with trusted ones, item by item.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
_FURTHER = {"preferences": preferences.COMMANDS, "rag": rag.COMMANDS, "violations": violations.COMMANDS}
"""What can be done beside `score`, by evaluation."""

for _name in NAMES:
    app.add_typer(group(_name, _FURTHER.get(_name, {})), name=_name)
app.command("compare")(command(runs.compare, "compare"))
app.command("convert")(command(convert.convert, "convert"))
app.command("demo")(command(show.demo))
app.command("history")(command(runs.history, "history"))
app.command("plan")(command(runs.plan, "plan"))
app.command("show")(command(show.show))


def _print_version(wanted: bool) -> None:  # noqa: FBT001 - typer calls it so
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version and stop.", callback=_print_version, is_eager=True),
    ] = False,
) -> None:
    pass


def _exit_status(error: KaratError) -> int:
    """1 bad data, 2 bad usage, 3 a gate failed, 4 a service or an extra is missing."""
    kinds = ((DataError, 1), (GateError, 3), (MissingError, 4))
    return next((status for kind, status in kinds if isinstance(error, kind)), 2)


def _said_otherwise(error: UnicodeError) -> tuple[str, int]:
    """What is printed in the place of a character that the encoding lacks: a minus must not become a question mark."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return {"\u2212": "-", "–": "-"}.get(error.object[error.start], "?"), error.start + 1


def main() -> NoReturn:
    """Run the command line; errors become lines on stderr and an exit status.

    Standard output keeps its encoding; what that cannot say becomes a hyphen or a question mark.
    """
    codecs.register_error("karat", _said_otherwise)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="karat")
    try:
        app()
    except KaratError as error:
        typer.echo(f"karat: {error}", err=True)
        sys.exit(_exit_status(error))
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
    except OSError as error:
        typer.echo(f"karat: {error.filename or 'standard output'}: {error.strerror or error}", err=True)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left unwritten has nowhere to go
        sys.exit(2)
    sys.exit(0)
