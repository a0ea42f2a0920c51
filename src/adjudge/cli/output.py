"""What every command that has a report does with it: check where it goes, print it, save it, judge its gates."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Literal, TypeAlias

from adjudge.cli.streams import print_message, print_text, print_warnings
from adjudge.errors import OptionError
from adjudge.options.declaration import Options, option
from adjudge.options.kinds import FILES, WORD

if TYPE_CHECKING:
    from adjudge.options.kinds import Progress
    from adjudge.report import GateResult, Report


_TEX = ".tex"


class Output(Options, group="Output"):
    """How a report is printed, and the files to write besides."""

    output: Sequence[str | Path] = option(
        "Report as .html .json .md .csv .parquet .xlsx .tex, chart as .png .svg .pdf, gates as .xml",
        default=(),
        metavar="FILE",
        short="-o",
        kind=FILES,
    )
    format: Literal["table", "json", "csv", "markdown"] = option("Form of what is printed", default="table")
    table: str | None = option("Table to print as csv or to write as .tex", default=None, metavar="NAME", kind=WORD)
    quiet: bool = option("Only print errors and skipped files", default=False, short="-q")
    verbose: bool = option("Print the time of each step", default=False, short="-v", group="Advanced")
    details: bool = option("Print all tables", default=False)

    @property
    def files(self) -> list[Path]:
        """The files to write."""
        return [Path(one) for one in self.output]


Gates: TypeAlias = "Mapping[str, Callable[[Report], Iterable[GateResult]] | None] | None"


def show_report(
    make: "Callable[[], Report]",
    form: Output,
    *,
    inputs: Sequence[Path],
    targets: Sequence[Path] = (),
    gates: Gates = None,
) -> None:
    """Make a report, print it on standard output, which then holds nothing else, save it where asked, judge its gates.

    inputs: the files that it is made of; targets: those that are written meanwhile. gates: the option for gates, if the
    command has one, with what finds their results, if any are given; they are asked for last, so that the report is
    there whatever comes of them, with their results.
    Raises OptionError for what cannot be written or printed, before any work is done, and GateError where a gate fails.
    """
    from adjudge.gates.results import raise_failed
    from adjudge.render.files import TESTS, check_apart, write_text

    check_apart([*form.files, *targets], inputs)
    _check(form, gates)
    report = make()
    check_apart(form.files, [Path(one.path) for one in report.inputs])
    results, wrong = _judged(report, gates)
    report = replace(report, gates=tuple(results))
    text = _text(report, form)
    latex = report.to_latex(form.table) if any(path.suffix == _TEX for path in form.files) else ""
    for path in form.files:
        if path.suffix == _TEX:
            write_text(latex, path)
        elif path.suffix != TESTS:
            report.save(path)
    if not form.quiet:
        print_text(text, coloured=form.format == "table")
    _print_saved(form, tests=False)
    print_warnings(_to_be_seen(report, form))
    if wrong is not None:
        raise wrong
    for path in form.files:
        if path.suffix == TESTS:
            from adjudge.render.junit import save_junit

            save_junit(report, results, path)
    _print_saved(form, tests=True)
    raise_failed(results)


def _print_saved(form: Output, *, tests: bool) -> None:
    """Name the files that were written: test reports, or all others."""
    from adjudge.render.files import TESTS

    for path in form.files:
        if (path.suffix == TESTS) is tests and not form.quiet:
            print_message(f"Saved {path}")


def _to_be_seen(report: "Report", form: Output) -> Sequence[str]:
    """Warnings that stand beside what is printed; without that, those about files that were left out."""
    if form.quiet:
        table = report.tables.get("files_left_out")
        return () if table is None else [f"left out: {reason}" for reason in table["reason"]]
    return report.warnings if form.format != "table" else ()


def _judged(report: "Report", gates: Gates) -> "tuple[list[GateResult], OptionError | None]":
    """The results of all gates, up to one that no row of the report answers, and what is said of that one."""
    found: list[GateResult] = []
    asked = [find(report) for find in (gates or {}).values() if find]
    try:
        for results in asked:
            found += results
    except OptionError as error:
        return found, error
    return found, None


def _check(form: Output, gates: Gates) -> None:
    from adjudge.render.files import ENDINGS, FOLDERS, TESTS, check_target

    for path in form.files:
        check_target(path, (*ENDINGS, TESTS) if gates else ENDINGS, folder=path.suffix in FOLDERS)
        if path.suffix == TESTS and gates and not any(gates.values()):
            raise OptionError(f"{path}: a test report without a test says nothing", fix=f"{' or '.join(gates)} too")


def _text(report: "Report", form: Output) -> str:
    if form.format == "json":
        return report.to_json()
    if form.format == "csv":
        import polars as pl

        from adjudge.render.files import table_csv
        from adjudge.render.signs import ENDS_OF_LINES

        main = report.about.main if report.about.main in report.tables else next(iter(report))
        return table_csv(report[form.table or main].with_columns(pl.col(pl.String).str.replace_many(ENDS_OF_LINES)))
    if form.format == "markdown":
        from adjudge.render.markdown import report_markdown

        return report_markdown(report)
    from adjudge.render.terminal import report_text

    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    latex = any(path.suffix == _TEX for path in form.files)
    return report_text(report, colour=colour, details=form.details, table=None if latex else form.table)


@contextmanager
def _timed(name: str) -> Iterator[object]:
    """A step whose time is said on stderr once it is over."""
    start = perf_counter()
    yield lambda *_: None
    print_message(f"{name}: {perf_counter() - start:.2f} s")


@contextmanager
def progress(*, verbose: bool = False, quiet: bool = False) -> "Iterator[Progress]":
    """A bar on stderr that names the step under way; silent where stderr is no terminal.

    verbose: a line for each step in its place, with the time that it took. quiet: no bar.
    """
    if verbose:
        yield _timed
        return
    if quiet or not sys.stderr.isatty():
        yield nullcontext
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:

        @contextmanager
        def step(name: str) -> Iterator[object]:
            task = bar.add_task(name, total=None)

            def show(done: int, total: int, said: str) -> None:
                bar.update(task, description=f"{name}: {said}", completed=done, total=max(done, total))

            yield show
            bar.update(task, total=1, completed=1)

        yield step
