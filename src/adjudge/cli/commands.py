"""What each command does with what its function returns: a report is shown, all else prints itself."""

import shlex
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import adjudge
from adjudge.api.functions import check_files
from adjudge.api.options import DemoOptions, ShowOptions, ViewOptions
from adjudge.cli import ADJUDGE, COMMANDS, QUESTIONS, print_message, print_text, print_warnings
from adjudge.cli.output import Output, progress, show_report
from adjudge.errors import DataError
from adjudge.evaluations import NAMES, declaration_of
from adjudge.gates.options import NO_GATES, NoGates, NonInferiority, Regressions, Thresholds
from adjudge.options.declaration import Options, option
from adjudge.report import Report, contradictions_of
from adjudge.version import NAME

_INTERRUPTED, _INCOMPLETE = 130, 4
"""What shells take for a command that Ctrl-C ended; and the exit status where models answered too few calls."""


def _run(function: str, options: Any, *, verbose: bool = False, quiet: bool = False) -> Any:  # noqa: ANN401
    """What a public function returns; a bar, or a line for each step, shows its progress."""
    with progress(verbose=verbose, quiet=quiet) as step:
        given = replace(options, **({"progress": step} if hasattr(options, "progress") else {}))
        return getattr(adjudge, function).__wrapped__(check_files(given))


def _report(function: str, options: Options, output: Output, gates: NoGates = NO_GATES) -> None:
    """Show a report; gates that no such report can have are refused before the work."""
    make = partial(_run, function, options, verbose=output.verbose, quiet=output.quiet)
    if function in NAMES:
        gates.gates(declaration_of(function).metrics)
    show_report(make, options, output, gates)


def _print(function: str, options: Options) -> Any:  # noqa: ANN401 - what the function returns
    """Print a result, with its remarks on stderr."""
    result = _run(function, options)
    print_message(*getattr(result, "notes", ()))
    print_warnings(getattr(result, "warnings", ()))
    print_text(f"{result}\n")
    return result


def _ask(function: str, options: Options) -> object:
    """As `_print`, for work that a later call takes up again; the exit status says whether too little was answered."""
    try:
        result = _print(function, options)
    except KeyboardInterrupt:
        print_message("interrupted; the same command takes the work up where it stopped")
        return _INTERRUPTED
    return _INCOMPLETE if getattr(result, "is_incomplete", False) else None


def _check(function: str, options: Options) -> None:
    if left := _print(function, options).left:
        raise DataError(left)


class TextForm(Options, group="Output"):
    """How a result without tables is printed."""

    format: Literal["table", "json"] = option("Format to print", default="table")


class LookForm(TextForm, group="Output"):
    """What is done with what was found."""

    run: bool = option("Run the suggested command", default=False, group="Task")


def _text(function: str, options: Options, output: TextForm) -> object:
    result = _run(function, options)
    if isinstance(output, LookForm) and output.run:
        if result.command is None:
            found = "; ".join(result.lacking)
            hint = f"with what is lacking: {result.fit.command}" if result.fit and "fix:" not in found else ""
            raise DataError("no command fits without options", found=found, hint=hint)
        print_message(result.command)
        print_warnings(result.fit.doubts)
        return ADJUDGE.main(shlex.split(result.command)[1:], prog_name=NAME, standalone_mode=False)
    print_text(result.to_json() if output.format == "json" else f"{result}".rstrip("\n") + "\n")
    return None


def _show(options: ShowOptions, output: Output) -> None:
    with contradictions_of(options.report):
        show_report(partial(Report.load, options.report), options, output)


def _demo(options: DemoOptions) -> None:
    from adjudge.demo import brief_screen, demo

    for report in demo(Path(options.folder), options.seed):
        print_text(f"{brief_screen(report)}\n\n")
    print_text(f"The report, with charts: {Path(options.folder) / 'report.html'}\n")


def _view(options: ViewOptions) -> None:
    from adjudge.explorer import serve

    serve(options)


ACTIONS: dict[str, tuple[Callable[..., object], list[type[Options]]]] = {
    **dict.fromkeys(QUESTIONS, (_report, [Output])),
    **dict.fromkeys(NAMES, (_report, [Output, Thresholds])),
    **dict.fromkeys(COMMANDS["Ask models"], (_ask, [])),
    **dict.fromkeys(("convert", "rag audit", "rag prepare", "violations pairs"), (_print, [])),
    "card": (_report, [Output, NonInferiority]),
    "compare": (_report, [Output, Regressions]),
    "demo": (_demo, [DemoOptions]),
    "look": (_text, [LookForm]),
    "plan": (_text, [TextForm]),
    "preferences check": (_check, []),
    "show": (_show, [ShowOptions, Output]),
    "view": (_view, [ViewOptions]),
}
"""Command -> what it does with what its function returns, and its options beside those of the function."""
