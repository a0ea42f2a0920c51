"""Writes docs/reference/commands.md from the options of every command."""

import re
from collections.abc import Iterator
from pathlib import Path
from textwrap import indent

import click

from adjudge.cli import COMMANDS
from adjudge.cli.command import Command, Flag, InputArgument, in_lines

_TYPED = r'--?[a-z][\w-]*|\.[a-z]+|\{".*\}|[^\s({]*(?:[_*=<>\[\]|+]|[a-z]\.[a-z])\S*?'
"""Options, endings of files, JSON, and words with a sign that Markdown would take for its own."""
_CODE = re.compile(rf"(?<![^\s(])({_TYPED})(?=[.,;:)]*(?:\s|$))")


def commands_page() -> str:
    """The help of every command as Markdown."""
    about = (
        "What the help of each command lists, with what `--help-all` adds. In Python, an option is the keyword of that "
        "name; those marked Reading are fields of `adjudge.Reading(...)`, the value of the keyword `reading`."
    )
    names = {
        group: [f"- [`adjudge {one}`](#adjudge-{one.replace(' ', '-')}): {text}" for one, (_, text) in each.items()]
        for group, each in COMMANDS.items()
    }
    index = [part for group, lines in names.items() for part in (f"{group}:", "\n".join(lines))]
    commands = [part for each in COMMANDS.values() for name in each for part in _command(Command(name))]
    return "\n\n".join(["# Commands", about, *index, *commands]) + "\n"


def _command(command: Command) -> Iterator[str]:
    context = click.Context(command, info_name=f"adjudge {command.name}")
    yield f"## adjudge {command.name}"
    yield f"Usage: `{' '.join([context.command_path, *command.collect_usage_pieces(context)])}`"
    yield from (_text(one) for one in (command.help or "").split("\n\n"))
    yield from (indent(in_lines(one, 110), "    ") for one in command.examples)
    if inputs := [one for one in command.params if isinstance(one, InputArgument)]:
        yield "Inputs:"
        yield "\n".join(f"- `{one.argument.metavar}`: {_help(one)}" for one in inputs)
    for group, flags in command.sections(every=True):
        yield f"{group}:"
        yield "\n".join(f"- `{_shown(one, context)}`: {_help(one)}" for one in flags)


def _shown(flag: Flag, context: click.Context) -> str:
    record = flag.get_help_record(context)
    return record[0] if record else flag.argument.flag


def _help(param: Flag | InputArgument) -> str:
    argument = param.argument
    default = argument.default
    parts = [f"{argument.help.text}.", argument.help.more]
    if isinstance(default, int | float | str) and default not in (False, ""):
        parts.append(f"Default: `{str(default).lower() if default is True else default}`.")
    parts.append("Required." * (argument.required and isinstance(param, Flag)))
    parts.append("Reading." * (argument.holder == "reading"))
    return _text(" ".join(filter(None, parts)))


def _text(text: str) -> str:
    return _CODE.sub(lambda found: found[1] if "`" in found[1] else f"`{found[1]}`", text.replace("\n", " "))


if __name__ == "__main__":
    (Path(__file__).parent / "reference" / "commands.md").write_text(commands_page(), encoding="utf-8")
