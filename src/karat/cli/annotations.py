"""`karat annotations`."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from karat.cli import options as common
from karat.cli.output import check_outputs, progress, show_report

app = typer.Typer(
    help="Which traits votes on pairs of responses reward, and which traits a model shows.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


class Population(StrEnum):
    """Which pairs count."""

    shared = "shared"
    reference = "reference"


class Labels(StrEnum):
    """Which votes are labels."""

    valid = "valid"
    all = "all"


class LengthTies(StrEnum):
    """Whose the longer text is where both are equally long."""

    none = "none"
    b = "b"


@app.callback()
def _group() -> None:
    """Keeps `score` a command of its own while it is the only one."""


@app.command()
def score(
    inputs: Annotated[list[Path], typer.Argument(metavar="INPUT", help="Data sets of annotated pairs.")],
    reference: Annotated[
        str | None, typer.Option("--reference", metavar="NAME", help="The annotator to compare with.")
    ] = None,
    annotator: Annotated[
        list[str] | None,
        typer.Option("--annotator", metavar="NAME", help="Whom to score; * and ? allowed, model:NAME too. Repeatable."),
    ] = None,
    style: Annotated[bool, typer.Option("--style", help="Score the style rules too: longer, more lists ...")] = False,
    against: Annotated[
        str | None,
        typer.Option("--against", metavar="MODEL", help="The only opponent that counts for model: annotators."),
    ] = None,
    population: Annotated[
        Population,
        typer.Option("--population", help="Pairs that both annotate, or with a valid vote of the reference."),
    ] = Population.shared,
    labels: Annotated[
        Labels, typer.Option("--labels", help="Compare text_a and text_b, or both and neither too.")
    ] = Labels.valid,
    length_ties: Annotated[
        LengthTies, typer.Option("--length-ties", help="Whose the longer text is where both are equally long.")
    ] = LengthTies.none,
    matrix: Annotated[
        bool, typer.Option("--matrix/--no-matrix", help="Compare every two annotators too, if at most 40.")
    ] = True,
    columns: common.Columns = None,
    annotator_columns: Annotated[
        list[str] | None,
        typer.Option("--annotator-columns", metavar="COLUMN,...", help="Columns of a wide table that hold votes."),
    ] = None,
    vote_values: Annotated[
        list[str] | None,
        typer.Option("--vote-values", metavar="VOTE=VALUE,...", help="What votes are called in the file."),
    ] = None,
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
    """Compare annotators of response pairs with a reference: relevance, kappa, strength.

    Several inputs are data sets to compare side by side. A table of your own, for example:

    karat annotations score pairs.csv --columns prompt=instruction,text_a=response1,text_b=response2
    --annotator-columns ann,ben --vote-values text_a=1,text_b=2,both=0 --reference ann --style
    """
    from karat import api
    from karat.evaluations.annotations import EVALUATION
    from karat.gates import gate_results, parse_gates

    gates = parse_gates(
        fail_under or [],
        EVALUATION.metrics,
        keys=["dataset", *(by or ()), "annotator", "name", "reference"],
        bound=bound.value,
    )
    check_outputs(output or [], printed, table, inputs=inputs, items=items, gates={"--fail-under": gates})
    with progress() as step:
        report = api.annotations(
            inputs,
            reference=reference,
            annotator=annotator or (),
            style=style,
            against=against,
            population=population.value,
            labels=labels.value,
            length_ties=length_ties.value,
            matrix=matrix,
            columns=dict(common.pairs("--columns", columns)),
            annotator_columns=common.listed(annotator_columns),
            vote_values=common.grouped("--vote-values", vote_values),
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
