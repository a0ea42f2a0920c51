"""`karat preferences`."""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from karat.cli import options as common
from karat.cli.output import check_outputs, progress, show_report

_INTERRUPTED = 130
"""What shells take for a command that Ctrl-C ended."""

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
    bound: common.FailBound = common.Bound.estimate,
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
    from karat.gates import gate_results, parse_gates

    gates = parse_gates(
        fail_under or [], EVALUATION.metrics, keys=[*(by or ()), "system", "criterion"], bound=bound.value
    )
    read = [*map(Path, (gold, *predictions)), *([verdicts] if verdicts else [])]
    check_outputs(output or [], printed, table, inputs=read, items=items, gates={"--fail-under": gates})
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
    show_report(report, printed, table, output or [], gate_results(report, gates, bound.value))


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


class Predictor(StrEnum):
    """What predicts."""

    neighbours = "neighbours"
    majority = "majority"
    longer = "longer"
    random = "random"


@app.command()
def predict(
    items: Annotated[str, typer.Argument(metavar="ITEMS", help="id, instruction, output_a, output_b.")],
    output: Annotated[Path, typer.Option("--output", metavar="FILE", help="The .tsv to write.")],
    predictor: Annotated[Predictor, typer.Option("--predictor", help="What predicts.")] = Predictor.neighbours,
    train: Annotated[str | None, typer.Option("--train", metavar="GOLD", help="Labelled items to learn from.")] = None,
    model: Annotated[
        Path | None, typer.Option("--model", metavar="FILE", help="A model saved before, instead of --train.")
    ] = None,
    save_model: Annotated[
        Path | None, typer.Option("--save-model", metavar="FILE", help="Save the trained model (.skops).")
    ] = None,
    embedding_model: Annotated[
        str | None,
        typer.Option("--embedding-model", metavar="MODEL", help="Name or folder of a sentence encoder to use."),
    ] = None,
    criteria: Criteria = None,
    labels: Labels = None,
    columns: common.Columns = None,
    seed: common.Seed = 0,
    on_invalid: common.Invalid = common.OnInvalid.error,
    input_format: common.InputFormat = None,
) -> None:
    """Predict which of two responses people prefer, without a language model.

    Trained models are cross-validated, with all items of one instruction in one fold, and the scores printed. If the
    work is interrupted, the same command takes it up again. For example:

    karat preferences predict items.jsonl --train gold.jsonl --output ours.tsv
    """
    from karat import api
    from karat.render.files import check_apart

    read = [Path(one) for one in (items, train, model) if one is not None]
    check_apart([output, *([save_model] if save_model else [])], read)
    with _told_how_to_go_on(), progress() as step:
        found = api.predict_preferences(
            items,
            predictor=predictor.value,
            train=train,
            model=model,
            save_model=save_model,
            embedding_model=embedding_model,
            criteria=common.listed(criteria),
            labels=common.listed(labels),
            columns=dict(common.pairs("--columns", columns)),
            seed=seed,
            on_invalid=on_invalid.value,
            input_format=input_format,
            output=output,
            progress=step,
        )
    if found.scores is not None and model is None:
        typer.echo("Cross-validated, all items of one instruction in one fold:")
        for row in found.scores.to_dicts():
            typer.echo(_line(row, "system", "criterion", "metric"))
        typer.echo("Differences on the same items:")
        for row in found.differences.to_dicts() if found.differences is not None else ():
            p = "" if row["p"] is None else f" p={row['p']:.3g}"
            typer.echo(f"{_line(row, 'first', 'second', 'criterion', 'metric')}{p}")
    for note in found.notes:
        typer.echo(f"karat: {note}", err=True)
    typer.echo(f"{output}: {found.frame.height:,} items predicted")


@contextmanager
def _told_how_to_go_on() -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        typer.echo("karat: interrupted; the same command takes the work up where it stopped", err=True)
        raise typer.Exit(_INTERRUPTED) from None


def _line(row: dict[str, Any], *keys: str) -> str:
    """A row of a table of figures: its keys, then the figure."""
    from karat.estimate import Estimate

    return "  ".join([*(f"{row[key]:<20}" for key in keys), str(Estimate.of_row(row))])
