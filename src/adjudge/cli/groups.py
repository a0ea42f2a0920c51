"""Commands and groups of them, made when they are called: to make all of them takes longer than most take to run."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from inspect import cleandoc
from textwrap import wrap
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from adjudge.api.calls import documented_as
from adjudge.cli.command import command, help_of
from adjudge.cli.commands import COMMANDS, SCORED_ALONE, Declared, commands_of
from adjudge.evaluations import NAMES
from adjudge.version import NAME

Command = Any
"""A command or a group of typer's, whose types are not public."""


@dataclass(frozen=True, slots=True)
class _Maker:
    """What makes a command, and its help, which is known before."""

    make: Callable[[], Command]
    help: Callable[[], str]


class _Commands(Mapping[str, Command]):
    """Commands by name, each made when it is first asked for."""

    def __init__(self, makers: Mapping[str, _Maker]) -> None:
        self.makers = makers
        self._made: dict[str, Command] = {}

    def __getitem__(self, name: str) -> Command:
        if name not in self._made:
            self._made[name] = self.makers[name].make()
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.makers)

    def __len__(self) -> int:
        return len(self.makers)


class _AsGiven:
    """What typer makes of the value of an option: nothing, since all are texts or flags of which its kind knows more.

    For that nothing typer would load pydantic, which takes longer than all else that comes before a command's work.
    """

    @staticmethod
    def coerce(value: Any, param: Any, ctx: Any) -> Any:  # noqa: ANN401, ARG004 - of typer's
        several = param.multiple or param.nargs == -1
        return () if value is None and several else value


class _Plain:
    """Of a command whose options typer takes as they are given."""

    def get_params(self, ctx: Any) -> Any:  # noqa: ANN401 - of typer's
        found = super().get_params(ctx)  # type: ignore[misc]
        for one in found:
            one._runtime_param = _AsGiven  # noqa: SLF001 - there is no public way; without it, commands start slower
        return found

    def sections(self, ctx: Any) -> dict[str, list[tuple[str, str]]]:  # noqa: ANN401 - of typer's
        """Arguments and options as they are typed, with the help of each."""
        rows: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for one in self.get_params(ctx):
            name, said = one.get_help_record(ctx)
            if one.param_type_name == "argument":
                rows["Arguments"].append((_by_place(one), said))
            else:
                rows["Options"].append((name, said))
        return {title: found for title, found in rows.items() if found}


class _Command(_Plain, TyperCommand):
    """A command. What its help gives to run, paragraphs that begin with adjudge, can be copied though it takes lines.

    What is given by place is shown as it is typed, without a type of Python's.
    """

    def collect_usage_pieces(self, ctx: Any) -> list[str]:  # noqa: ANN401 - of typer's
        by_place = [one for one in self.get_params(ctx) if one.param_type_name == "argument"]
        return ["[OPTIONS]", *(_by_place(one) if one.required else f"[{_by_place(one)}]" for one in by_place)]

    def format_options(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - of typer's
        for title, rows in self.sections(ctx).items():
            with formatter.section(title):
                formatter.write_dl(rows)

    def format_help_text(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401, ARG002 - of typer's
        said = cleandoc(self.help or "").split("\n\n")
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(
                "\n\n".join(
                    f"\b\n{in_lines(one, formatter.width - 6)}" if one.startswith(f"{NAME} ") else one for one in said
                )
            )


def _by_place(argument: Any) -> str:  # noqa: ANN401 - of typer's
    return f"{argument.metavar}{'' if argument.nargs == 1 else '...'}"


def in_lines(line: str, width: int) -> str:
    """A command in lines that go on behind a backslash with an option."""
    whole = re.sub(r"(--\S+) (?!-)", "\\1\0", " ".join(line.split()))
    lines = wrap(whole, width, break_long_words=False, break_on_hyphens=False)
    return " \\\n  ".join(lines).replace("\0", " ")


class _Group(_Plain, TyperGroup):
    """A group whose help lists its commands with the whole sentence that each help begins with."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401, ARG002 - of typer's
        commands: Any = self.commands
        with formatter.section("Commands"):
            formatter.write_dl([(name, one.help().partition("\n")[0]) for name, one in commands.makers.items()])


class _Scoring(_Group):
    """A group whose `score` may be left out: what is no command is what is scored."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - of typer's
        first = args[0] if args else ""
        own = {*self.commands, *(one for param in self.get_params(ctx) for one in param.opts)}
        said = ["score", *args] if first and first not in own else args
        found: list[str] = super().parse_args(ctx, said)
        return found


class Adjudge(_Group):
    """The group of all commands."""

    def __init__(self, **given: Any) -> None:  # noqa: ANN401 - what typer knows of it
        groups = {name: _Maker(partial(_group, name), partial(_about, name)) for name in NAMES}
        super().__init__(**{**given, "commands": _Commands({**_makers(COMMANDS), **groups})})


def _makers(declared: Mapping[str, Declared]) -> dict[str, _Maker]:
    return {name: _Maker(partial(_made, name, *one), partial(help_of, *one)) for name, one in declared.items()}


def _made(name: str, shown: Callable[..., None], called: str) -> Command:
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    alone.command(name, cls=_Command)(command(shown, called))
    return get_command(alone)


def _group(evaluation: str) -> Command:
    commands: Any = _Commands(_makers(commands_of(evaluation)))
    help_ = _about(evaluation)
    said: dict[str, Any] = {"help": help_, "no_args_is_help": True, "rich_markup_mode": None, "commands": commands}
    if evaluation in SCORED_ALONE:
        return _Scoring(name=evaluation, subcommand_metavar="{DATA [OPTIONS] | COMMAND [ARGS]...}", **said)
    return _Group(name=evaluation, **said)


def _about(evaluation: str) -> str:
    return (documented_as(evaluation).function.__doc__ or "").partition("\n")[0]
