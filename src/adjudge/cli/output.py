"""What every command that has a report does with it: check where it goes, print it, save it, judge its gates."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from adjudge.api.kinds import FILES, WORD
from adjudge.api.options import Option
from adjudge.cli.saying import show, tell, warn
from adjudge.errors import OptionError
from adjudge.version import NAME

if TYPE_CHECKING:
    from adjudge.api.kinds import Progress
    from adjudge.report import GateResult, Report


_TEX = ".tex"


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """How a report is printed, and the files to write besides: options of every command that has a report."""

    printed: Annotated[
        Literal["table", "json", "csv", "markdown"], Option("How to print the result.", flag="--format")
    ] = "table"
    table: Annotated[
        str | None, Option("The table to print, or to write as .tex; by default the main one.", "NAME", WORD)
    ] = None
    details: Annotated[bool, Option("Print all tables, too.")] = False
    output: Annotated[
        Sequence[Path],
        Option(
            "Also write a file: .html .json .md .csv .parquet .xlsx .tex .png .svg .pdf; .xml for the results of "
            "gates, where the command has any. Repeatable.",
            "FILE",
            FILES,
        ),
    ] = ()
    quiet: Annotated[bool, Option("Print nothing but errors, and which files were left out.", short="-q")] = False
    verbose: Annotated[bool, Option("Say on stderr how long each step took.", short="-v")] = False


Gates: TypeAlias = "Mapping[str, Callable[[Report], Iterable[GateResult]] | None] | None"


def show_report(
    make: "Callable[[], Report]",
    form: Form,
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

    _check(form, gates)
    check_apart([*form.output, *targets], inputs)
    report = make()
    check_apart(form.output, [Path(one.path) for one in report.inputs])
    results, wrong = _judged(report, gates)
    report = replace(report, gates=tuple(results))
    text = _text(report, form)
    latex = report.to_latex(form.table) if any(path.suffix == _TEX for path in form.output) else ""
    for path in form.output:
        if path.suffix == _TEX:
            write_text(latex, path)
        elif path.suffix != TESTS:
            report.save(path)
    if not form.quiet:
        show(text, coloured=form.printed == "table")
    _tell_saved(form, tests=False)
    warn(_to_be_seen(report, form))
    if wrong is not None:
        raise wrong
    for path in form.output:
        if path.suffix == TESTS:
            from adjudge.render.junit import save_junit

            save_junit(report, results, path)
    _tell_saved(form, tests=True)
    raise_failed(results)


def _tell_saved(form: Form, *, tests: bool) -> None:
    """Name the files that were written: test reports, or all others."""
    from adjudge.render.files import TESTS

    for path in form.output:
        if (path.suffix == TESTS) is tests and not form.quiet:
            tell(f"Saved {path}")


def _to_be_seen(report: "Report", form: Form) -> Sequence[str]:
    """Warnings that stand beside what is printed; without that, those about files that were left out."""
    if form.quiet:
        table = report.tables.get("files_left_out")
        return () if table is None else [f"left out: {reason}" for reason in table["reason"]]
    return report.warnings if form.printed != "table" else ()


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


def _check(form: Form, gates: Gates) -> None:
    from adjudge.render.files import ENDINGS, FOLDERS, TESTS, check_target

    for path in form.output:
        check_target(path, (*ENDINGS, TESTS) if gates else ENDINGS, folder=path.suffix in FOLDERS)
        if path.suffix == TESTS and gates and not any(gates.values()):
            raise OptionError(f"{path}: a test report without a test says nothing; give {' or '.join(gates)} too")


def _text(report: "Report", form: Form) -> str:
    if form.printed == "json":
        return report.to_json()
    if form.printed == "csv":
        import polars as pl

        from adjudge.render.files import table_csv
        from adjudge.render.signs import ENDS_OF_LINES

        main = report.about.main if report.about.main in report.tables else next(iter(report))
        return table_csv(report[form.table or main].with_columns(pl.col(pl.String).str.replace_many(ENDS_OF_LINES)))
    if form.printed == "markdown":
        from adjudge.render.markdown import report_markdown

        return report_markdown(report)
    from adjudge.render.terminal import report_text

    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    latex = any(path.suffix == _TEX for path in form.output)
    return report_text(report, colour=colour, details=form.details, table=None if latex else form.table)


@contextmanager
def _timed(name: str) -> Iterator[object]:
    """A step whose time is said on stderr once it is over."""
    start = perf_counter()
    yield lambda *_: None
    tell(f"{NAME}: {name}: {perf_counter() - start:.2f} s")


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

            def tell(done: int, total: int, said: str) -> None:
                bar.update(task, description=f"{name}: {said}", completed=done, total=max(done, total))

            yield tell
            bar.update(task, total=1, completed=1)

        yield step
