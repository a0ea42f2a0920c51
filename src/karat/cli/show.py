"""`karat show` and `demo`."""

from pathlib import Path
from typing import Annotated

import typer

from karat.cli.options import Output, Printed, Table
from karat.cli.output import check_outputs, show_report


def show(
    report: Annotated[Path, typer.Argument(metavar="REPORT.json", help="A report saved as JSON.")],
    printed: Printed = "table",
    table: Table = None,
    output: Output = None,
) -> None:
    """Print a saved report again, or turn it into another form."""
    from karat.report import Report

    check_outputs(output or [], printed, table, inputs=[report])
    show_report(Report.load(report), printed, table, output or [])


def demo(
    folder: Annotated[Path, typer.Option("--folder", help="Where the data and report.html go.")] = Path("karat-demo"),
    seed: Annotated[int, typer.Option("--seed", help="Seed of the simulation.", min=0)] = 0,
) -> None:
    """Simulate judges of known skill, evaluate them, and show the estimates beside the truth."""
    from karat import demo as simulated
    from karat.render.terminal import report_text

    shown = ("overall", "annotators", "overview", "agreement", "truth")
    for report in simulated.demo(folder, seed):
        typer.echo(report_text(report, tables=shown), nl=False)
        typer.echo()
    typer.echo(f"The report, with pictures: {folder / 'report.html'}")
