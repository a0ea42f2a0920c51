"""What every command that has a report does with it: check where it goes, print it, save it, judge its gates."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Literal

from adjudge.cli import print_message, print_text, print_warnings
from adjudge.errors import OptionError, flag_of
from adjudge.gates.options import NO_GATES, NoGates
from adjudge.options.declaration import Options, option
from adjudge.options.kinds import FILES, WORD

if TYPE_CHECKING:
    from adjudge.options.kinds import Progress
    from adjudge.report import Report


_ENDINGS = {"json": ".json", "csv": ".csv", "markdown": ".md"}


class Output(Options, group="Output"):
    """How a report is printed, and the files to write besides."""

    output: Sequence[str | Path] = option(
        "Report as .html, .json, .md, .csv, .parquet, .xlsx or .tex; chart as .png, .svg, .pdf; gates as .xml",
        default=(),
        metavar="FILE",
        short="-o",
        kind=FILES,
    )
    format: Literal["table", "json", "csv", "markdown"] = option("Format to print", default="table")
    table: str | None = option("Table to print as csv or to write as .tex", default=None, metavar="NAME", kind=WORD)
    quiet: bool = option("Only print errors and skipped files", default=False, short="-q")
    verbose: bool = option("Print the time of each step", default=False, short="-v", group="Advanced")
    details: bool = option("Print all tables", default=False)


def show_report(make: "Callable[[], Report]", options: Options, form: Output, gates: NoGates = NO_GATES) -> None:
    """Make a report, print it on standard output, which then holds nothing else, save it where asked, judge its gates.

    options: those that name the files that it is made of, and those that are written meanwhile. The results of the
    gates are printed and saved whatever comes of them.
    Raises OptionError for what cannot be written or printed, before any work is done, and GateError where a gate fails.
    """
    from adjudge.gates.gate import judge
    from adjudge.render.files import TESTS, check_apart, check_target, rendered_text, save

    files, names = [Path(one) for one in form.output], gates.names()
    check_apart([*files, *options.paths("written")], [*options.paths("read")])
    for path in files:
        check_target(path, gated=bool(names))
        if path.suffix == TESTS and not gates.given_names(names):
            raise OptionError(f"{path}: a test report needs a gate", fix=" or ".join(map(flag_of, names)))
    report = make()
    check_apart(files, [Path(one.path) for one in report.inputs])
    required = gates.gates(report.about.metrics)
    report, error = judge(report, required) if required else (replace(report, gates=()), None)
    if isinstance(error, OptionError):
        files = [path for path in files if path.suffix != TESTS]
    if form.format != "table" or form.table not in (None, *report.tables):  # a table that is not there is refused
        text = rendered_text(report, _ENDINGS.get(form.format, ".csv"), form.table)
    else:
        from adjudge.render.terminal import report_text

        colour = sys.stdout is not None and sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        latex = any(path.suffix == ".tex" for path in files)
        text = report_text(report, colour=colour, details=form.details, table=None if latex else form.table)
    for path in files:
        save(report, path, form.table)
    if form.quiet:
        print_warnings(f"left out: {why}" for why in report.tables.get("files_left_out", {"reason": ()})["reason"])
    else:
        print_text(text, coloured=form.format == "table")
        print_message(*(f"Saved {path}" for path in files))
        if form.format != "table":
            print_warnings(report.warnings)
    if error is not None:
        raise error


@contextmanager
def _timed(name: str) -> Iterator[object]:
    """A step whose time is printed on stderr once it is over."""
    start = perf_counter()
    yield lambda *_: None
    print_message(f"{name}: {perf_counter() - start:.2f} s")


@contextmanager
def progress(*, verbose: bool = False, quiet: bool = False) -> "Iterator[Progress]":
    """A bar on stderr that names the step under way; silent where stderr is no terminal.

    verbose: a line for each step in its place, with the time that it took. quiet: no bar.
    """
    if verbose or quiet or not sys.stderr.isatty():
        yield _timed if verbose else nullcontext
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.table import Column

    text = TextColumn("{task.description}", table_column=Column(ratio=1, no_wrap=True))  # cut before the times are
    columns = (text, BarColumn(10), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, expand=True) as bar:

        @contextmanager
        def step(name: str) -> Iterator[object]:
            task = bar.add_task(name, total=None)
            yield lambda done, total, state: bar.update(
                task, description=f"{name}: {state}", completed=done, total=max(done, total)
            )
            bar.update(task, total=1, completed=1)

        yield step
