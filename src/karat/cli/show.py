"""`karat show`."""

from pathlib import Path
from typing import Annotated

import typer

from karat.cli import options as common
from karat.cli.output import check_outputs, show_report


def show(
    report: Annotated[Path, typer.Argument(metavar="REPORT.json", help="A report saved as JSON.")],
    printed: common.Printed = common.Format.table,
    table: common.Table = None,
    output: common.Output = None,
) -> None:
    """Print a saved report again, or turn it into another form."""
    from karat.report import Report

    check_outputs(output or [], printed, table, inputs=[report])
    show_report(Report.load(report), printed, table, output or [])
