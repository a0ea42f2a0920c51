"""Writes docs/commands.md from the help texts of the command line."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from textwrap import indent
from typing import Any

import typer
from typer.main import get_command

from adjudge.cli import app
from adjudge.cli.groups import in_lines

_TYPED = r'--?[a-z][\w-]*|\.[a-z]+|\{".*\}|[^\s({]*(?:[_*=<>\[\]|+]|[a-z]\.[a-z])\S*?'
"""Options, endings of files, JSON, and words with a sign that Markdown would take for its own."""
_CODE = re.compile(rf"(?<![^\s(])({_TYPED})(?=[.,;:)]*(?:\s|$))")


def commands_page() -> str:
    """The help of every command as Markdown."""
    about = "What `adjudge --help` and the help of each command say. Every command also takes `--help` (`-h`)."
    return "\n\n".join(["# Commands", about, *_command(get_command(app), None)]) + "\n"


def _command(command: Any, above: Any) -> Iterator[str]:  # noqa: ANN401 - of typer's
    context = typer.Context(command, info_name=command.name, parent=above)
    path = context.command_path
    yield f"## {path}"
    yield f"Usage: `{' '.join([path, *command.collect_usage_pieces(context)])}`"
    yield from (_to_run(one) if one.startswith("adjudge ") else _text(one) for one in command.help.split("\n\n"))
    for title, rows in command.sections(context).items():
        if own := [(f"`{name}`", _option(said)) for name, said in rows if not name.endswith("--help")]:
            yield f"{title}:"
            yield _listed(own)
    inner = getattr(command, "commands", {})
    if inner:
        yield "Commands:"
        yield _listed((_link(f"{path} {name}"), _text(one.help.partition("\n")[0])) for name, one in inner.items())
    for one in inner.values():
        yield from _command(one, context)


def _to_run(line: str) -> str:
    return indent(in_lines(line, 110), "    ")


def _option(said: str) -> str:
    """A help text whose default is a sentence of its own; usage says what is required."""
    text, _, default = said.removesuffix("  [required]").removesuffix("]").partition("  [default: ")
    return f"{_text(text)} Default: `{default}`." if default else _text(said.removesuffix("  [required]"))


def _text(said: str) -> str:
    return _CODE.sub(r"`\1`", said.replace("\n", " "))


def _link(command: str) -> str:
    return f"[`{command}`](#{command.replace(' ', '-')})"


def _listed(rows: Iterable[tuple[str, str]]) -> str:
    return "\n".join(f"- {name}: {said}" for name, said in rows)


if __name__ == "__main__":
    (Path(__file__).parent / "commands.md").write_text(commands_page(), encoding="utf-8")
