"""`karat history`."""

from pathlib import Path
from typing import Annotated

import typer

from karat.cli import options as common
from karat.cli.output import check_outputs, progress, show_report


def history(
    folder: Annotated[
        list[Path], typer.Argument(metavar="FOLDER", help="Reports saved as JSON: folders that hold them, or files.")
    ],
    metric: Annotated[
        list[str] | None,
        typer.Option("--metric", metavar="METRIC", help="The figure; the evaluation's first by default. Repeatable."),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option("--by", metavar="COLUMN", help="Order by this key column (a week, a version) instead of time."),
    ] = None,
    judge: Annotated[
        list[str] | None,
        typer.Option("--judge", metavar="NAME", help="A judge to show; all by default. Repeatable."),
    ] = None,
    printed: common.Printed = common.Format.table,
    table: common.Table = None,
    output: common.Output = None,
) -> None:
    """Show how figures changed from run to run, with the interval of each: saved reports in the order of their time.

    A run's time is the date in the name of its file or folder (2026-11-20), else when the file was last changed. For
    example:

    karat history runs --metric accuracy --output history.html --output history.png
    """
    from karat import api
    from karat.render.files import check_apart

    outputs = output or []
    check_outputs(outputs, printed, table, inputs=folder)
    with progress() as step:
        report = api.history(folder, metric=metric or (), by=by, judge=judge or (), progress=step)
    check_apart(outputs, [Path(one.path) for one in report.inputs])
    show_report(report, printed, table, outputs)
