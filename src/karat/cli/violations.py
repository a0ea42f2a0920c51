"""`karat violations pairs` and `calibrate`."""

import typer

from karat.api.options import Call
from karat.cli.command import command, made, show_made
from karat.cli.options import Form


def _pairs(call: Call) -> None:
    """Draw pairs of overlapping violations that are worth judging, into a file for people to fill in.

    Half of them score near the threshold, the rest anywhere. Put true or false for "same" and a name for "judge"; a
    file that holds judgments is never replaced. For example:

    karat violations pairs truth.jsonl ours.jsonl --output judged.jsonl --count 200
    """
    found = made(call)
    for warning in found.warnings:
        typer.echo(f"karat: warning: {warning}", err=True)
    said = f"{len(found.pairs):,} of {found.candidates:,} overlapping pairs to judge"
    typer.echo(f"{call['output']}: {said}")


def _calibrate(call: Call, *, form: Form) -> None:
    """Fit the weights and the threshold of matching to people's judgments, and say how good they are.

    A file holds a pair per line: {"id", "text", "predicted": {...}, "ground_truth": {...}, "same": true or false,
    "judge"}, as karat violations pairs writes them and people fill them in. For example:

    karat violations calibrate judged.jsonl --write-config ours.toml --output calibration.html
    """
    show_made(call, form)


COMMANDS = {
    "pairs": command(_pairs, "violation_pairs"),
    "calibrate": command(_calibrate, "calibrate_violations"),
}
