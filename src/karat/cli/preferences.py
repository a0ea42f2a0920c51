"""`karat preferences`."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from karat.cli import options as common
from karat.cli.output import check_outputs, progress, show_report

app = typer.Typer(
    help="How well systems predict which of two responses people prefer, and why.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


class Unparsed(StrEnum):
    """What a verdict that is null counts as."""

    yes = "yes"
    no = "no"
    missing = "missing"


Criteria = Annotated[
    list[str] | None,
    typer.Option("--criteria", metavar="CRITERION,...", help="What is judged; by default the five of the lab's task."),
]
Labels = Annotated[
    list[str] | None,
    typer.Option("--labels", metavar="LABEL,...", help="The labels allowed; by default A,B,both_good,both_bad."),
]


@app.command()
def score(
    gold: Annotated[str, typer.Argument(metavar="GOLD", help="Items with people's labels: any table, or hf://...")],
    predictions: Annotated[list[str], typer.Argument(metavar="PREDICTIONS", help="A file for each system.")],
    system: Annotated[
        list[str] | None,
        typer.Option("--system", metavar="NAME", help="A system's name, in the files' order; the file's by default."),
    ] = None,
    criteria: Criteria = None,
    labels: Labels = None,
    explanations: Annotated[
        bool, typer.Option("--explanations", help="Score explanations too, by ROUGE-L and what else is given.")
    ] = False,
    stem: Annotated[bool, typer.Option("--stem", help="Compare stems of words in ROUGE-L.")] = False,
    embedding_model: Annotated[
        str | None,
        typer.Option("--embedding-model", metavar="MODEL", help="Name or folder of a model for BERTScore."),
    ] = None,
    layer: Annotated[int | None, typer.Option("--layer", help="The model's layer whose vectors count.", min=0)] = None,
    verdicts: Annotated[
        Path | None,
        typer.Option("--verdicts", metavar="FILE", help="A judge's verdicts on explanations."),
    ] = None,
    unparsed: Annotated[
        Unparsed, typer.Option("--unparsed", help="What a verdict that is null counts as.")
    ] = Unparsed.missing,
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
    printed: common.Printed = common.Format.table,
    table: common.Table = None,
    output: common.Output = None,
) -> None:
    """Compare predicted preferences with people's: accuracy and more on each criterion, explanations, ranks.

    Tables need the columns id and CRITERION_preference, and CRITERION_explanation with --explanations. For example:

    karat preferences score gold.jsonl ours.tsv theirs.tsv --explanations --output report.html
    """
    from karat import api
    from karat.evaluations.preferences import EVALUATION
    from karat.gates import check_gates, parse_gates

    gates = parse_gates(fail_under or [], EVALUATION.metrics, keys=[*(by or ()), "system", "criterion"])
    read = [*map(Path, (gold, *predictions)), *([verdicts] if verdicts else [])]
    check_outputs(output or [], printed, table, inputs=read, items=items)
    with progress() as step:
        report = api.preferences(
            gold,
            predictions,
            system=system or (),
            criteria=common.listed(criteria),
            labels=common.listed(labels),
            explanations=explanations,
            stem=stem,
            embedding_model=embedding_model,
            layer=layer,
            verdicts=verdicts,
            unparsed=unparsed.value,
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
    show_report(report, printed, table, output or [])
    check_gates(report, gates)


@app.command()
def check(
    submission: Annotated[str, typer.Argument(metavar="SUBMISSION", help="The predictions to be submitted.")],
    gold: Annotated[str, typer.Option("--gold", metavar="ITEMS", help="The items, with or without labels.")],
    explanations: Annotated[bool, typer.Option("--explanations", help="Explanations are part of the task.")] = False,
    criteria: Criteria = None,
    labels: Labels = None,
    columns: common.Columns = None,
    input_format: common.InputFormat = None,
) -> None:
    """Check a file of predictions before it is submitted; exit with status 1 where anything is wrong.

    What is wrong: ids that are missing, extra or double; labels outside the list; empty labels and explanations;
    columns that are missing; another separator.
    """
    from karat import api

    rows = api.check_preferences(
        submission,
        gold,
        criteria=common.listed(criteria),
        labels=common.listed(labels),
        explanations=explanations,
        columns=dict(common.pairs("--columns", columns)),
        input_format=input_format,
    )
    typer.echo(f"{submission}: {rows:,} rows, nothing is wrong")


@app.command()
def rank(
    scores: Annotated[str, typer.Argument(metavar="SCORES", help="A table of system, criterion, metric, value.")],
    columns: common.Columns = None,
    input_format: common.InputFormat = None,
    printed: common.Printed = common.Format.table,
    output: common.Output = None,
) -> None:
    """Rank systems by published scores: Borda points and mean ranks over all figures."""
    from karat import api

    check_outputs(output or [], printed, None, inputs=[Path(scores)])
    report = api.rank_preferences(scores, columns=dict(common.pairs("--columns", columns)), input_format=input_format)
    show_report(report, printed, "ranks", output or [])
