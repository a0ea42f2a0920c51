"""The command line. It reads options, calls the library, prints what comes back, and computes nothing."""

import codecs
import gc
import io
import os
import re
import shlex
import sys
from collections.abc import Iterable
from typing import Any, NoReturn

import click

from adjudge.errors import AdjudgeError, DataError, GateError, MissingError, OptionError, closest
from adjudge.version import NAME, TITLE, __version__

COMMANDS = {
    "Start": {
        "look": ("look", "Find out what a file holds and which command fits it"),
        "demo": ("", "Simulate judges of known accuracy and evaluate them"),
        "plan": ("plan", "Calculate how many items you need"),
    },
    "Evaluate": {
        "reliability": ("reliability", "Measure annotators' accuracy against a reference"),
        "agreement": ("agreement", "Measure how well annotators agree, without a reference"),
        "card": ("card", "Test whether an LLM judge can replace human annotators"),
        "card correct": ("correct", "Correct a judge's estimates with some human labels"),
        "annotations": ("annotations", "Find traits that win votes or that a model shows"),
        "preferences": ("preferences", "Score systems that predict human preferences"),
        "preferences check": ("check_preferences", "Check predictions before submission"),
        "preferences rank": ("rank_preferences", "Rank systems by published scores"),
        "violations": ("violations", "Score checkers that find rule violations"),
        "violations agreement": ("violation_agreement", "Measure how well annotators agree on violations"),
        "violations pairs": ("violation_pairs", "Sample pairs of violations for annotators to judge"),
        "violations calibrate": ("calibrate_violations", "Fit matching weights to pairs judged by annotators"),
        "rag": ("rag", "Measure how robust RAG answers are to bad documents"),
        "rag audit": ("audit_rag", "Find errors in a file of questions"),
        "rag prepare": ("prepare_rag", "Make prompts from questions and documents"),
    },
    "Ask models": {
        "judge": ("judge", "Label items by your rubric"),
        "annotations label": ("label_annotations", "Label which response shows a trait more strongly"),
        "preferences predict": ("predict_preferences", "Predict which response humans prefer"),
        "preferences judge": ("judge_preferences", "Judge explanations of preferences"),
        "violations check": ("check_violations", "Find passages that break rules"),
        "violations plant": ("plant_violations", "Plant known violations in texts"),
        "rag answer": ("answer_rag", "Answer prompts from documents"),
        "rag judge": ("judge_rag", "Judge answers of RAG systems"),
    },
    "Compare": {
        "compare": ("compare", "Compare two runs on the same items: paired differences"),
        "history": ("history", "Show how metrics changed from run to run"),
    },
    "Files": {
        "convert": ("convert", f"Convert a file to {TITLE}'s own format"),
        "show": ("", "Print a saved report, also in another format"),
        "view": ("", "Explore results and items in the browser"),
    },
}
"""Heading of the help page -> command of one or two words -> the public function that it calls, and its task."""
QUESTIONS = {name: question for group in COMMANDS.values() for name, (_, question) in group.items()}
FUNCTIONS = {name: function for group in COMMANDS.values() for name, (function, _) in group.items()}
SCORE = "score"
"""The word that may stand between the name of an evaluation and its files."""
CONTEXT = {"help_option_names": ["-h", "--help"], "terminal_width": 80}


# --- the terminal: what is printed can be seen, moves no cursor, and is no command to what reads a log ---


def print_text(text: str, *, coloured: bool = False) -> None:
    """Print what is laid out in lines on standard output. coloured: whether it is printable but for its colours."""
    from adjudge.render.visible_text import printable

    try:
        click.echo(_COMMAND.sub(_NO_COMMAND, text if coloured else printable(text)), nl=False)
    except BrokenPipeError:  # nobody reads on; what the command has to do else, it does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def print_message(*lines: str) -> None:
    """Print a message on stderr, each of its lines as one line."""
    from adjudge.render.visible_text import one_line

    for line in lines:
        click.echo(_COMMAND.sub(_NO_COMMAND, one_line(line)), err=True)


_COMMAND = re.compile(r"^[^\S\n]*(?=::|##(?:vso)?\[)", re.MULTILINE)
"""How lines begin that GitHub's and Azure's pipelines obey."""
_NO_COMMAND = "\\g<0>\u2060"
"""What makes them no commands: an invisible character before the sign."""


def print_warnings(warnings: Iterable[str]) -> None:
    """Print warnings where they do not mix with what is printed."""
    print_message(*(f"warning: {warning}" for warning in warnings))


# --- commands ---


def verbs_of(evaluation: str) -> list[str]:
    """The second words of an evaluation's commands."""
    words = [name.partition(" ")[2] for name in QUESTIONS if name.startswith(f"{evaluation} ")]
    return [SCORE, *words] if evaluation in COMMANDS["Evaluate"] else words


class Adjudge(click.Group):
    """All commands by their words, such as "rag" and "rag prepare"; each is made when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - as click has it
        """The first words of all commands."""
        return [name for name in QUESTIONS if " " not in name]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of that name."""
        if cmd_name not in QUESTIONS:
            return None
        from adjudge.cli.command import Command

        return Command(cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """A command of two words or of one, with the arguments after it."""
        both = " ".join(args[:2])
        name, rest = (both, args[2:]) if both in QUESTIONS else (args[0], args[1:])
        command = self.get_command(ctx, name)
        if command is None:
            near = closest(name, [*QUESTIONS])
            fix = near and shlex.join([NAME, *near.split(), *rest])
            if os.path.exists(name):  # noqa: PTH110 - pathlib takes a tenth of the start
                raise OptionError(f"{name}: this is a file, not a command", fix=shlex.join([NAME, "look", name]))
            raise OptionError(f'no command "{name}"', fix=fix, hint=f"{NAME} --help")
        verb, verbs = "".join(rest[:1]), verbs_of(name)
        if verb == SCORE and SCORE in verbs:
            return name, command, rest[1:]
        is_word = verb.replace("-", "").isalpha() and not os.path.exists(verb)  # noqa: PTH110 - no file, pattern or address
        if is_word and verb not in verbs and (near := closest(verb, verbs)):
            fix = shlex.join([NAME, name, *([] if near == SCORE else [near]), *rest[1:]])
            raise OptionError(f'no command "{name} {verb}"', fix=fix, hint=f"{NAME} {name} --help")
        return name, command, rest

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The commands by group."""
        for group, commands in COMMANDS.items():
            with formatter.section(group):
                formatter.write_dl([(name, QUESTIONS[name]) for name in commands])


ADJUDGE = Adjudge(
    NAME,
    help="Evaluate human annotators, LLM judges, preference predictors, rule checkers and RAG systems: metrics with "
    f"95% confidence intervals, and tests of differences. For help on a command: {NAME} COMMAND --help",
    no_args_is_help=True,
    context_settings=CONTEXT,
)
click.version_option(__version__, message="%(version)s", help="Print the version")(ADJUDGE)
click.help_option("-h", "--help", help="Print this help")(ADJUDGE)
_STATUSES = ((DataError, 1), (GateError, 3), (MissingError, 4))
"""Exit statuses: 1 bad data, 3 a gate failed, 4 a service or an extra is missing; 2 bad usage."""


def _usage_lines(error: click.UsageError) -> list[str]:
    """A usage error in the frame of all errors."""
    ctx = error.ctx or click.Context(ADJUDGE, info_name=NAME)
    problem, fix = error.format_message().rstrip(".").replace("Got unexpected extra", "unexpected"), ""
    if isinstance(error, click.NoSuchOption):
        flags = [flag for one in ctx.command.params for flag in one.opts]
        problem, fix = f"no option {error.option_name}", closest(error.option_name, flags)
    elif isinstance(error, click.BadOptionUsage):
        flag, bare = error.option_name, "does not take" in error.message
        metavar = next((one.metavar for one in ctx.command.params if flag in one.opts), None)
        problem, fix = f"{flag} {'takes no' if bare else 'needs a'} value", flag if bare else f"{flag} {metavar}"
    elif isinstance(error, click.MissingParameter) and error.param:
        flag = error.param.opts[0]
        problem = f"{flag if flag.startswith('-') else error.param.metavar} is missing".replace("...", "")
        needed = [one for one in ctx.command.params if isinstance(one, click.Option) and one.required]
        pieces = [*ctx.command.collect_usage_pieces(ctx)[:-1], *(f"{one.opts[0]} {one.metavar}" for one in needed)]
        fix = " ".join([ctx.command_path, *pieces])
    lines = [
        f"error: {ctx.command_path}: {problem}",
        f"  fix:   {fix}" if fix else "",
        f"  hint:  {ctx.command_path} --help",
    ]
    return [line for line in lines if line]


def _replace_character(error: UnicodeError) -> tuple[str, int]:
    """What is printed for a character that the encoding lacks: a minus must not become a question mark."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return {"\u2212": "-", "–": "-"}.get(error.object[error.start], "?"), error.start + 1


_OBJECTS = 300_000
"""New objects after which cycles are looked for: a command makes few, of which most are the modules that it loads."""


def main() -> NoReturn:
    """Run the command line; an error becomes at most four lines on stderr and an exit status.

    Standard output keeps its encoding; what that cannot say becomes a hyphen or a question mark.
    """
    gc.set_threshold(_OBJECTS)
    codecs.register_error(NAME, _replace_character)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors=NAME)
    status: Any = 2
    try:
        status = ADJUDGE.main(prog_name=NAME, standalone_mode=False)
    except AdjudgeError as error:
        first, *more = error.lines if isinstance(error, GateError) else error.frame()
        print_message(f"error: {first}", *(f"  {line}" for line in more), *getattr(error, "__notes__", ()))
        status = next((one for kind, one in _STATUSES if isinstance(error, kind)), 2)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
    except click.UsageError as error:
        print_message(*_usage_lines(error))
    except click.Abort:
        raise KeyboardInterrupt from None
    except OSError as error:
        print_message(f"error: {error.filename or 'standard output'}: {error.strerror or error}")
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left unwritten has nowhere to go
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # polars is not loaded here; no name of its own stands for it
            raise
        print_message(
            f"error: an input cannot be read: {str(error).splitlines()[0]:.200}", "  fix:   it may be damaged"
        )
        status = 1
    sys.exit(status if isinstance(status, int) else 0)
