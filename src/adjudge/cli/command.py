"""A command made from the options of a public function: its flags, its help in groups, and what it runs."""

import re
import shlex
from collections.abc import Iterator
from functools import cache
from inspect import cleandoc
from pathlib import Path
from textwrap import wrap
from typing import Any

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from adjudge.api.functions import options_class
from adjudge.cli import CONTEXT, FUNCTIONS, QUESTIONS, verbs_of
from adjudge.cli.commands import ACTIONS
from adjudge.cli.config import defaults_of
from adjudge.errors import AdjudgeError, DataError, closest, encodable, flag_of
from adjudge.options.declaration import GROUPS, Argument, arguments
from adjudge.options.kinds import parsed_list
from adjudge.version import NAME

_HELP = ["-h", "--help", "--help-all"]
_WIDTH = 26
"""The most columns that options take in help."""


def complete_words(_: click.Context, param: Any, incomplete: str) -> list[CompletionItem]:  # noqa: ANN401
    """The words that an option accepts, or files."""
    words = [CompletionItem(one) for one in param.argument.kind.words if one.startswith(incomplete)]
    return words or [CompletionItem(incomplete, type="file")]


class Flag(click.Option):
    """An option of the command line. Click splits the command line; the argument says what a text becomes."""

    def __init__(self, argument: Argument) -> None:
        self.argument = argument
        flag = flag_of(argument.name)
        flag = f"{flag}/--no-{flag[2:]}" if argument.default is True else flag
        is_flag, plain = isinstance(argument.default, bool), isinstance(argument.default, bool | int | float | str)
        default = argument.default if plain else None
        given: dict[str, Any] = {} if argument.required else {"default": default}  # None would be a value to click
        super().__init__(
            [flag, argument.name, *filter(None, [argument.help.short])],
            help=argument.help.text,
            metavar=None if is_flag else argument.metavar or "TEXT",
            **given,
            show_default=bool(default),
            multiple=argument.kind.several,
            is_flag=is_flag or None,  # False would let values be left out
            required=argument.required,
            type=None if is_flag else click.UNPROCESSED,
            shell_complete=complete_words,
        )


class InputArgument(click.Argument):
    """What a command is given by its place: files."""

    def __init__(self, argument: Argument) -> None:
        self.argument = argument
        shown = argument.metavar + "..." * argument.kind.several
        super().__init__(
            [argument.name],
            nargs=-1 if argument.kind.several else 1,
            required=argument.required,
            metavar=shown if argument.required else f"[{shown}]",
            type=click.UNPROCESSED,
            shell_complete=complete_words,
        )


class Command(click.Command):
    """A command with the options of a public function, and those that its action takes besides.

    function: the public function, or the empty text. action: takes the function, if there is one, and an object of each
    class of options.
    """

    def __init__(self, name: str) -> None:
        self.function = FUNCTIONS[name]
        self.action, classes = ACTIONS[name]
        self.classes = [options_class(self.function), *classes] if self.function else classes
        declared = [one for each in self.classes for one in arguments(each).values() if one.help.group in GROUPS]
        inputs = [InputArgument(one) for one in declared if one.positional]
        flags = [Flag(one) for one in declared if not one.positional]
        paragraphs = [" ".join(one.split()) for one in cleandoc(self.classes[0].__doc__ or "").split("\n\n")]
        self.examples = [one for one in paragraphs if one.startswith(f"{NAME} ")]
        super().__init__(
            name,
            params=[*inputs, *flags],
            help="\n\n".join(one for one in paragraphs if one not in self.examples),
            short_help=QUESTIONS[name],
            no_args_is_help=any(one.required for one in inputs),
            context_settings={**CONTEXT, "help_option_names": _HELP},
        )

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - as click has it
        """Inputs before options."""
        return [*(str(one.metavar) for one in self.params if isinstance(one, InputArgument)), "[OPTIONS]"]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """What click makes of the command line; its errors know the command."""
        with click.core.augment_usage_errors(ctx):
            return super().parse_args(ctx, args)

    def sections(self, *, every: bool) -> Iterator[tuple[str, list[Flag]]]:
        """The options by group. every: whether those of the last group, too."""
        flags = [one for one in self.params if isinstance(one, Flag)]
        for group in GROUPS if every else GROUPS[:-1]:
            if own := [one for one in flags if one.argument.help.group == group]:
                yield group, own

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options by group; those of the last group only with --help-all."""
        for group, flags in self.sections(every=self.every):
            rows = [record for one in flags if (record := one.get_help_record(ctx))]
            with formatter.section(group):
                formatter.write_dl([(f"{term:<{_WIDTH}}", text) for term, text in rows], col_max=_WIDTH)
        hidden = [one for group, flags in self.sections(every=True) if group == GROUPS[-1] for one in flags]
        if hidden and not self.every:
            more = f"{len(hidden)} more option{'s' * (len(hidden) > 1)}"
            formatter.write(f"\n{more}: {ctx.command_path} --help-all\n")

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Examples, and the other commands of an evaluation."""
        if self.examples:
            with formatter.section("Examples"):
                for one in self.examples:
                    formatter.write(f"{'':>{formatter.current_indent}}{in_lines(one, 72)}\n")
        if others := verbs_of(self.name or "")[1:]:
            formatter.write(f"\nSee also: {ctx.command_path} {', '.join(others)}\n")

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> click.Context:  # noqa: ANN401
        """The context of a call, with the options that files and the environment set."""
        self.places, self.every = dict[str, str](), _HELP[-1] in args
        if not ({*_HELP} & {*args} or extra.get("resilient_parsing")):
            known = {flag_of(one.argument.name)[2:]: one.argument for one in self.params if isinstance(one, Flag)}
            extra["default_map"], self.places = defaults_of(self.name or "", known, _all_options)
        return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> object:
        """Make the options and hand them to the action."""
        try:
            made = []
            for each in self.classes:
                known, given = arguments(each), ctx.params
                made.append(each.of({name: known[name].parsed(given[name]) for name in given if name in known}))
            return self.action(*([self.function] if self.function else []), *made)
        except AdjudgeError as error:
            self._advise(error, ctx)
            raise

    def _advise(self, error: AdjudgeError, ctx: click.Context) -> None:
        """Add where a refused option was set, or the command that looks at a refused input."""
        param = next((one for one in self.params if one.name == error.option), None)
        if isinstance(param, InputArgument):
            _name_place(error, param.argument.metavar)
        elif ctx.get_parameter_source(error.option) == ParameterSource.DEFAULT_MAP:
            _name_place(error, self.places[error.option])
        elif isinstance(param, Flag) and param.argument.kind.several and error.fix:
            error.fix = _among(error.fix, parsed_list("", ctx.params[error.option]))
            if not error.fix:
                _name_place(error, param.opts[0])
                error.fix = f"remove {param.opts[0]}: the column already has that name"
        to_look = error.hint.startswith(f"{NAME} look ") if error.hint else isinstance(error, DataError)
        to_look = to_look and not error.fix.endswith("again")  # it cannot be read
        if to_look and "input_format" in arguments(self.classes[0]):
            text = "\n".join(error.lines)
            paths, others = (self._files_read(ctx, kind) for kind in (InputArgument, Flag))
            named, beside = ([path for path in each if encodable(path) and path in text] for each in (paths, others))
            files = [path for path in named or paths if Path(path).is_file()]
            if files and (named or (len(paths) == 1 and not beside)):
                error.hint = shlex.join([NAME, "look", files[0]])

    def _files_read(self, ctx: click.Context, kind: type[InputArgument | Flag]) -> list[str]:
        """The files to read that are given by place, or by options."""
        params = [one for one in self.params if isinstance(one, kind) and one.argument.kind.role == "read"]
        given = [ctx.params[one.argument.name] for one in params]
        return [path for one in given for path in (one if isinstance(one, tuple) else [one]) if path]


def _among(fix: str, values: list[str]) -> str:
    """All values of an option, with the right one in the place of the wrong one, but for name=name.

    >>> _among("ben", ["ana", "bem"]), _among("label=label", ["item=id", "lable=label"])
    ('ana,ben', 'item=id')
    """
    wrong = closest(fix, values)
    right = [fix if one == wrong else one for one in values] if wrong else [fix]
    return ",".join(one for one in right if one.partition("=")[0] != one.partition("=")[2])


def _name_place(error: AdjudgeError, place: str) -> None:
    """Say in the error of an option that a file or a variable of the environment sets it, and fix it there."""
    name, in_file = flag_of(error.option)[2:], place.endswith(".toml")
    error.args = (f"{place}: {f'{name}: ' * in_file}{error.args[0]}",)
    error.fix = error.fix and (f"{name} = {error.fix}" if in_file else f"{place}={error.fix}")
    error.option = ""


def in_lines(line: str, width: int) -> str:
    """A command in lines that go on behind a backslash with an option."""
    whole = re.sub(r"(--\S+) (?!-)", "\\1\0", line)
    lines = wrap(whole, width, break_long_words=False, break_on_hyphens=False)
    return " \\\n      ".join(lines).replace("\0", " ")


@cache
def _all_options() -> frozenset[str]:
    """The names that the options of all commands have in files and variables."""
    flags = (one for name in QUESTIONS for one in Command(name).params if isinstance(one, Flag))
    return frozenset(flag_of(one.argument.name)[2:] for one in flags)
