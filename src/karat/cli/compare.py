"""`karat compare`."""

from pathlib import Path
from typing import Annotated

import typer

from karat.cli import options as common
from karat.cli.output import check_outputs, progress, show_report


def compare(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN RUN...", help="Saved runs: items files, or reports in JSON that name theirs."),
    ],
    judge: Annotated[
        list[str] | None,
        typer.Option("--judge", metavar="[RUN=]NAME", help="Whom to compare, in all runs or in this one. Repeatable."),
    ] = None,
    all_pairs: Annotated[
        bool, typer.Option("--all-pairs", help="Compare every two runs, not all with the first.")
    ] = False,
    confidence: common.Confidence = 0.95,
    examples: Annotated[
        int, typer.Option("--examples", metavar="N", help="How many changed items to list, of each kind of change.")
    ] = 10,
    fail_if_worse: common.FailIfWorse = None,
    printed: common.Printed = common.Format.table,
    table: common.Table = None,
    output: common.Output = None,
) -> None:
    """Tell whether it got better: every figure of two runs on the same items, and the paired difference.

    A run is what --items wrote, or a report that was saved as JSON together with it. For example:

    karat compare before.parquet after.parquet --fail-if-worse accuracy:0.02 --output report.html
    """
    from karat import api
    from karat.gates_worse import parse_worse, worse_results

    outputs = output or []
    check_outputs(outputs, printed, table, inputs=runs, gates={"--fail-if-worse": fail_if_worse or []})
    with progress() as step:
        report = api.compare(
            runs, judge=judge or (), all_pairs=all_pairs, confidence=confidence, examples=examples, progress=step
        )
    compared = report["comparison"]
    keys = compared.columns[: compared.columns.index("metric")]
    held = set(compared["metric"])
    known = {name: one for name, one in report.about.metrics.items() if name in held}
    gates = parse_worse(fail_if_worse or [], known, keys)
    show_report(report, printed, table, outputs, worse_results(report, gates))
