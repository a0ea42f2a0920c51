"""What each command does with what its function returns: a report is shown, all else prints itself."""

import shlex
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

from adjudge.api.functions import call_with
from adjudge.api.options import DemoOptions, ShowOptions, ViewOptions
from adjudge.cli.output import Output, progress, show_report
from adjudge.cli.streams import print_line, print_message, print_text, print_warnings
from adjudge.errors import DataError
from adjudge.gates.options import NO_GATES, NoGates, NonInferiority, Regressions, Thresholds
from adjudge.options.declaration import Options, option
from adjudge.version import NAME

_INTERRUPTED = 130
"""What shells take for a command that Ctrl-C ended."""


@dataclass(frozen=True, slots=True)
class Job:
    """A call of a public function: its name, and its options."""

    function: str
    options: Any

    def run(self, *, verbose: bool = False, quiet: bool = False) -> Any:  # noqa: ANN401 - what the function returns
        """Call the function; a bar, or a line for each step, shows its progress."""
        with progress(verbose=verbose, quiet=quiet) as step:
            own = {"progress": step} if hasattr(self.options, "progress") else {}
            return call_with(self.function, replace(self.options, **own))


def _report(job: Job, output: Output, gates: NoGates = NO_GATES) -> None:
    show_report(
        partial(job.run, verbose=output.verbose, quiet=output.quiet),
        output,
        inputs=[*job.options.paths("read")],
        targets=[*job.options.paths("written")],
        gates=gates,
        checks=gates.checks(job.function, job.options),
    )


def _print(job: Job) -> object:
    """Print a result, with its remarks on stderr."""
    result = job.run()
    for note in getattr(result, "notes", ()):
        print_message(note)
    print_warnings(getattr(result, "warnings", ()))
    print_text(f"{result}\n")
    return result


def _ask(job: Job) -> object:
    """As `_print`, for work that a later call takes up again."""
    try:
        return _print(job)
    except KeyboardInterrupt:
        print_message("interrupted; the same command takes the work up where it stopped")
        return _INTERRUPTED


def _check(job: Job) -> None:
    checked: Any = _print(job)
    if checked.left:
        raise DataError(checked.left)


class TextForm(Options, group="Output"):
    """How a result without tables is printed."""

    format: Literal["table", "json"] = option("Form of the result", default="table")


class LookForm(TextForm, group="Output"):
    """What is done with what was found."""

    run: bool = option("Run the command that was found", default=False, group="Task")


def _text(job: Job, output: TextForm) -> object:
    result = job.run()
    if isinstance(output, LookForm) and output.run:
        if result.command is None:
            raise DataError("no command fits without more options", hint="the same command without --run")
        from adjudge.cli import ADJUDGE

        print_message(result.command)
        return ADJUDGE.main(shlex.split(result.command)[1:], prog_name=NAME, standalone_mode=False)
    print_text(result.to_json() if output.format == "json" else f"{result}".rstrip("\n") + "\n")
    return None


def _show(options: ShowOptions, output: Output) -> None:
    from adjudge.report import Report, contradictions_of

    with contradictions_of(options.report):
        show_report(partial(Report.load, options.report), output, inputs=[Path(options.report)])


def _demo(options: DemoOptions) -> None:
    from adjudge.demo import brief_screen, demo

    for report in demo(Path(options.folder), options.seed):
        print_text(f"{brief_screen(report)}\n\n")
    print_line(f"The report, with charts: {Path(options.folder) / 'report.html'}")


def _view(options: ViewOptions) -> None:
    from adjudge.explorer import serve

    serve(options)


ACTIONS: dict[str, tuple[str, Callable[..., object], list[type[Options]]]] = {
    "agreement": ("agreement", _report, [Output, Thresholds]),
    "annotations": ("annotations", _report, [Output, Thresholds]),
    "annotations label": ("label_annotations", _ask, []),
    "card": ("card", _report, [Output, NonInferiority]),
    "card correct": ("correct", _report, [Output]),
    "compare": ("compare", _report, [Output, Regressions]),
    "convert": ("convert", _print, []),
    "demo": ("", _demo, [DemoOptions]),
    "history": ("history", _report, [Output]),
    "look": ("look", _text, [LookForm]),
    "plan": ("plan", _text, [TextForm]),
    "preferences": ("preferences", _report, [Output, Thresholds]),
    "preferences check": ("check_preferences", _check, []),
    "preferences judge": ("judge_preferences", _ask, []),
    "preferences predict": ("predict_preferences", _ask, []),
    "preferences rank": ("rank_preferences", _report, [Output]),
    "rag": ("rag", _report, [Output, Thresholds]),
    "rag answer": ("answer_rag", _ask, []),
    "rag audit": ("audit_rag", _print, []),
    "rag judge": ("judge_rag", _ask, []),
    "rag prepare": ("prepare_rag", _print, []),
    "reliability": ("reliability", _report, [Output, Thresholds]),
    "show": ("", _show, [ShowOptions, Output]),
    "view": ("", _view, [ViewOptions]),
    "violations": ("violations", _report, [Output, Thresholds]),
    "violations agreement": ("violation_agreement", _report, [Output]),
    "violations calibrate": ("calibrate_violations", _report, [Output]),
    "violations check": ("check_violations", _ask, []),
    "violations pairs": ("violation_pairs", _print, []),
    "violations plant": ("plant_violations", _ask, []),
}
"""Command -> the public function that it calls, what it does with the result, and its options beside the function's."""
