"""What is wrong with how a command was called, in Adjudge's words."""

from typing import Any

import typer

from adjudge.errors import nearest
from adjudge.version import NAME

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
