"""`karat reliability`."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from karat.cli import options as common
from karat.cli.output import check_outputs, progress, show_report

app = typer.Typer(
    help="How far each annotator agrees with a trusted one: flags first, then the choice.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


class ReferenceRule(StrEnum):
    """How several trusted judges of an item become one."""

    first = "first"
    majority = "majority"
    unanimous = "unanimous"


@app.callback()
def _group() -> None:
    """Keeps `score` a command of its own while it is the only one."""


@app.command()
def score(
    inputs: Annotated[list[Path], typer.Argument(metavar="INPUT", help="Win-tie-loss JSON, or long tables.")],
    reference: Annotated[
        list[str] | None,
        typer.Option("--reference", metavar="NAME", help="An annotator to trust. Repeatable."),
    ] = None,
    reference_rule: Annotated[
        ReferenceRule,
        typer.Option("--reference-rule", help="How several trusted judges of an item become one."),
    ] = ReferenceRule.unanimous,
    exclude_no_consensus: Annotated[
        bool,
        typer.Option("--exclude-no-consensus", help="Deduct items whose annotators have no unique favourite."),
    ] = False,
    flag_values: Annotated[
        list[str] | None,
        typer.Option("--flag-values", metavar="flagged=...,clean=...", help="The values that mean it."),
    ] = None,
    labels: Annotated[
        list[str] | None,
        typer.Option("--labels", metavar="LABEL,...", help="The only labels allowed; any label is, by default."),
    ] = None,
    columns: common.Columns = None,
    by: common.By = None,
    cluster: common.Cluster = None,
    confidence: common.Confidence = 0.95,
    seed: common.Seed = 0,
    on_invalid: common.Invalid = common.OnInvalid.error,
    input_format: common.InputFormat = None,
    examples: common.Examples = 5,
    items: common.Items = None,
    fail_under: common.FailUnder = None,
    bound: common.FailBound = common.Bound.estimate,
    printed: common.Printed = common.Format.table,
    table: common.Table = None,
    output: common.Output = None,
) -> None:
    """Compare annotators with a trusted reference: reliability, flag mismatch, kappa.

    Long tables need the columns item, annotator, label and a reference: a column, or --reference NAME.
    They may have flag, skipped, cluster, reference_flag, reference_skipped. For example:

    karat reliability score votes.csv --columns item=id,annotator=worker,label=answer,reference=gold
    """
    from karat import api
    from karat.evaluations.reliability import EVALUATION
    from karat.gates import gate_results, parse_gates

    gates = parse_gates(fail_under or [], EVALUATION.metrics, keys=[*(by or ()), "annotator"], bound=bound.value)
    check_outputs(output or [], printed, table, inputs=inputs, items=items, gates={"--fail-under": gates})
    with progress() as step:
        report = api.reliability(
            inputs,
            reference=reference or (),
            reference_rule=reference_rule.value,
            exclude_no_consensus=exclude_no_consensus,
            flag_values=common.grouped("--flag-values", flag_values),
            labels=common.listed(labels),
            columns=dict(common.pairs("--columns", columns)),
            by=by or (),
            cluster=cluster,
            confidence=confidence,
            seed=seed,
            on_invalid=on_invalid.value,
            input_format=input_format,
            examples=examples,
            items=items,
            progress=step,
        )
    show_report(report, printed, table, output or [], gate_results(report, gates, bound.value))
