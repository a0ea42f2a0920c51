"""The only way to a terminal: what is printed can be seen, moves no cursor, and is no command to what reads a log."""

import os
import re
import sys
from collections.abc import Iterable

import click


def print_text(text: str, *, coloured: bool = False) -> None:
    """Print what is laid out in lines on standard output. coloured: whether it is printable but for its colours."""
    from adjudge.render.visible_text import printable

    try:
        click.echo(_no_command(text if coloured else printable(text)), nl=False)
    except BrokenPipeError:  # nobody reads on; what the command has to do else, it does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def print_message(*lines: str) -> None:
    """Print a message on stderr, each of its lines as one line."""
    from adjudge.render.visible_text import one_line

    for line in lines:
        click.echo(_no_command(one_line(line)), err=True)


_COMMAND = re.compile(r"^[^\S\n]*(?=::|##(?:vso)?\[)", re.MULTILINE)
"""How lines begin that GitHub's and Azure's pipelines obey."""
_UNSEEN = "\u2060"


def _no_command(text: str) -> str:
    """A text in which an invisible character stands before what would read as a workflow command."""
    return _COMMAND.sub(rf"\g<0>{_UNSEEN}", text)


def print_warnings(warnings: Iterable[str]) -> None:
    """Print warnings where they do not mix with what is printed."""
    print_message(*(f"warning: {warning}" for warning in warnings))
