"""`karat show` and `demo`."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from karat.api.kinds import File
from karat.api.options import Option
from karat.cli.options import Form
from karat.cli.output import show_report

Saved = Annotated[str, Option("A report saved as JSON.", "REPORT.json")]
Folder = Annotated[File, Option("Where the data and report.html go.", "FOLDER")]
Seed = Annotated[int, Option("Seed of the simulation.")]


def show(report: Saved, *, form: Form) -> None:
    """Print a saved report again, or turn it into another form."""
    from karat.report import Report

    show_report(partial(Report.load, report), form, inputs=[Path(report)])


def demo(*, folder: Folder = "karat-demo", seed: Seed = 0) -> None:
    """Simulate judges of known skill, evaluate them, and show the estimates beside the truth."""
    from karat import demo as simulated
    from karat.render.terminal import report_text

    place, shown = Path(folder or "."), ("overall", "annotators", "overview", "agreement", "truth")
    for report in simulated.demo(place, seed):
        typer.echo(report_text(report, tables=shown), nl=False)
        typer.echo()
    typer.echo(f"The report, with pictures: {place / 'report.html'}")
