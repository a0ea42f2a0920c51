"""`karat violations pairs` and `calibrate`."""

import typer

from karat import api
from karat.cli.command import Call, command
from karat.cli.options import Output, Printed, Table
from karat.cli.output import check_outputs, show_report


def _pairs(call: Call) -> None:
    """Draw pairs of overlapping violations that are worth judging, into a file for people to fill in.

    Half of them score near the threshold, the rest anywhere. Put true or false for "same" and a name for "judge"; a
    file that holds judgments is never replaced. For example:

    karat violations pairs truth.jsonl ours.jsonl --output judged.jsonl --count 200
    """
    found = call()
    for warning in found.warnings:
        typer.echo(f"karat: warning: {warning}", err=True)
    said = f"{len(found.pairs):,} of {found.candidates:,} overlapping pairs to judge"
    typer.echo(f"{call.arguments['output']}: {said}")


def _calibrate(call: Call, printed: Printed = "table", table: Table = None, output: Output = None) -> None:
    """Fit the weights and the threshold of matching to people's judgments, and say how good they are.

    A file holds a pair per line: {"id", "text", "predicted": {...}, "ground_truth": {...}, "same": true or false,
    "judge"}, as karat violations pairs writes them and people fill them in. For example:

    karat violations calibrate judged.jsonl --write-config ours.toml --output calibration.html
    """
    check_outputs(output or [], printed, table, inputs=call.inputs, targets=call.targets)
    show_report(call(), printed, table or "calibration", output or [])


COMMANDS = {
    "pairs": command(api.violation_pairs, _pairs),
    "calibrate": command(api.calibrate_violations, _calibrate),
}
