"""`karat rag`."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from karat.cli import options as common
from karat.cli.output import check_outputs, progress, show_report
from karat.cli.rag_prompts import audit, prepare

app = typer.Typer(
    help="How models answer from documents that are noisy, silent, scattered or false.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


class Scorer(StrEnum):
    """The rules by which answers are judged."""

    strict = "strict"
    document = "document"
    benchmark = "benchmark"
    all = "all"


@app.command()
def score(
    answers: Annotated[
        list[Path], typer.Argument(metavar="ANSWERS...", help="What models answered: JSON lines or tables.")
    ],
    scorer: Annotated[Scorer, typer.Option("--scorer", help="The rules by which answers are judged.")] = Scorer.strict,
    exact: Annotated[
        bool, typer.Option("--exact", help="The scorer document takes equal texts alone for correct.")
    ] = False,
    verdicts: Annotated[
        Path | None, typer.Option("--verdicts", metavar="FILE", help="A judge's verdicts on the answers.")
    ] = None,
    published: Annotated[
        Path | None, typer.Option("--published", metavar="FILE", help="Published results to set beside the figures.")
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", metavar="NAME", help="The model of files that name none.")
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
    """Score saved answers: accuracy by noise, refusals, errors in documents that are noticed and corrected.

    Answers need id, ability and response, and answer where one is right. For example:

    karat rag score answers.jsonl --scorer all --output report.html
    """
    from karat import api
    from karat.evaluations.rag import EVALUATION
    from karat.gates import gate_results, parse_gates

    gates = parse_gates(
        fail_under or [],
        EVALUATION.metrics,
        keys=[*(by or ()), "model", "ability", "noise_ratio", "scorer"],
        bound=bound.value,
    )
    read = [*answers, *(path for path in (verdicts, published) if path)]
    check_outputs(output or [], printed, table, inputs=read, items=items, gates={"--fail-under": gates})
    with progress() as step:
        report = api.rag(
            answers,
            scorer=scorer.value,
            exact=exact,
            verdicts=verdicts,
            published=published,
            model=model,
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


app.command()(prepare)
app.command()(audit)
