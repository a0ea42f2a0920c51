"""`karat compare`, `history` and `plan`."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from karat.cli.command import Call
from karat.cli.options import FailIfWorse, Output, Printed, Table
from karat.cli.output import check_outputs, show_report


def compare(
    call: Call,
    fail_if_worse: FailIfWorse = None,
    printed: Printed = "table",
    table: Table = None,
    output: Output = None,
) -> None:
    """Tell whether it got better: every figure of two runs on the same items, and the paired difference.

    A run is what --items wrote, or a report that was saved as JSON together with it. For example:

    karat compare before.parquet after.parquet --fail-if-worse accuracy:0.02 --output report.html
    """
    from karat.evaluations import all_metrics
    from karat.gates import parse_worse, worse_results

    outputs, gated = output or [], fail_if_worse or []
    parse_worse(gated, all_metrics() if gated else {})  # what is misspelt is found before the work
    check_outputs(outputs, printed, table, inputs=call.inputs, gates={"--fail-if-worse": gated})
    report = call()
    compared = report["comparison"]
    keys = compared.columns[: compared.columns.index("metric")]
    held = set(compared["metric"])
    known = {name: one for name, one in report.about.metrics.items() if name in held}
    show_report(report, printed, table, outputs, worse_results(report, parse_worse(gated, known, keys)))


def history(call: Call, printed: Printed = "table", table: Table = None, output: Output = None) -> None:
    """Show how figures changed from run to run, with the interval of each: saved reports in chronological order.

    A run's time is the date in the name of its file or folder (2026-11-20), else when the file was last changed. For
    example:

    karat history runs --metric accuracy --output history.html --output history.png
    """
    from karat.render.files import check_apart

    check_outputs(output or [], printed, table, inputs=call.inputs)
    report = call()
    check_apart(output or [], [Path(one.path) for one in report.inputs])
    show_report(report, printed, table, output or [])


def plan(
    call: Call,
    printed: Annotated[Literal["table", "json"], typer.Option("--format", help="How to print the plan.")] = "table",
) -> None:
    """How many items are needed, or what can be seen with the items there are.

    Ask for the width of an interval, for a difference of two judges, or for both; or give the number of items.

    karat plan --metric accuracy --expected 0.8 --width 0.1 --detect 0.03

    karat plan --metric accuracy --expected 0.8 --items 500

    karat plan --metric accuracy[criterion=safety] --detect 0.03 --from monday.parquet --from friday.parquet
    """
    found = call()
    typer.echo(found.to_json() if printed == "json" else f"{found}\n", nl=False)
