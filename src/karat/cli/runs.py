"""`karat compare`, `history` and `plan`."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from karat.api.options import Call, Option
from karat.cli.command import made, show_made
from karat.cli.options import FailIfWorse, Form

if TYPE_CHECKING:
    from karat.gates import GateResult
    from karat.report import Report


def compare(call: Call, *, fail_if_worse: FailIfWorse = (), form: Form) -> None:
    """Tell whether it got better: every figure of two runs on the same items, and the paired difference.

    A run is what --items wrote, or a report that was saved as JSON together with it. For example:

    karat compare before.parquet after.parquet --fail-if-worse accuracy:0.02 --output report.html
    """
    gated = fail_if_worse or ()
    if gated:
        _check_gates(gated, call["runs"][0])
    show_made(call, form, {"--fail-if-worse": partial(_results, gated=gated) if gated else None})


def _check_gates(gated: Sequence[str], run: str) -> None:
    """Raises OptionError for what is misspelt, before the work."""
    from karat.evaluations import evaluation
    from karat.formats.saved_runs import read_runs
    from karat.gates import parse_worse

    parse_worse(gated, evaluation(read_runs([run])[0].evaluation).metrics)


def _results(report: "Report", gated: Sequence[str]) -> "Iterator[GateResult]":
    from karat.figures.answering import keys_of
    from karat.gates import parse_worse, worse_results

    compared = report["comparison"]
    known = {name: report.about.metrics[name] for name in compared["metric"].unique(maintain_order=True)}
    return worse_results(report, parse_worse(gated, known, keys_of(compared.columns)))


def history(call: Call, *, form: Form) -> None:
    """Show how figures changed from run to run, with the interval of each: saved reports in chronological order.

    A run's time is the date in the name of its file or folder (2026-11-20), else when the file was last changed. For
    example:

    karat history runs --metric accuracy --output history.html --output history.png
    """
    show_made(call, form)


PlanFormat = Annotated[Literal["table", "json"], Option("How to print the plan.", flag="--format")]


def plan(call: Call, *, printed: PlanFormat = "table") -> None:
    """How many items are needed, or what can be seen with the items there are.

    Ask for the width of an interval, for a difference of two judges, or for both; or give the number of items.

    karat plan --metric accuracy --expected 0.8 --width 0.1 --detect 0.03

    karat plan --metric accuracy --expected 0.8 --items 500

    karat plan --metric accuracy[criterion=safety] --detect 0.03 --from monday.parquet --from friday.parquet
    """
    found = made(call)
    typer.echo(found.to_json() if printed == "json" else f"{found}\n", nl=False)
