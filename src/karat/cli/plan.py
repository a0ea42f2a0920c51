"""`karat plan`."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from karat.cli import options as common


class PlanFormat(StrEnum):
    """How a plan is printed."""

    table = "table"
    json = "json"


def plan(
    metric: Annotated[
        str, typer.Option("--metric", metavar="NAME", help="A figure of any evaluation, such as accuracy or f1.")
    ] = "accuracy",
    expected: Annotated[
        float | None, typer.Option("--expected", help="Its value. Of all shares 0.5 needs the most items.")
    ] = None,
    width: Annotated[
        float | None, typer.Option("--width", help="The greatest width of the interval: its upper less its lower end.")
    ] = None,
    detect: Annotated[
        float | None,
        typer.Option("--detect", help="The difference of two judges on the same items that is to be seen."),
    ] = None,
    power: Annotated[float, typer.Option("--power", help="How probably it is to be seen, between 0 and 1.")] = 0.8,
    items: Annotated[
        int | None, typer.Option("--items", metavar="N", help="How many items there are, to learn what they show.")
    ] = None,
    discordant: Annotated[
        float | None, typer.Option("--discordant", help="Share of items on which only one of the two judges is right.")
    ] = None,
    sd: Annotated[
        float | None,
        typer.Option("--sd", help="For figures that are no shares: the standard deviation of single items."),
    ] = None,
    cluster_size: Annotated[
        float | None, typer.Option("--cluster-size", help="Items per cluster (a document, a prompt), with --icc.")
    ] = None,
    icc: Annotated[
        float | None, typer.Option("--icc", help="How alike items of one cluster are, 0 to 1: intraclass correlation.")
    ] = None,
    pilot: Annotated[
        list[Path] | None,
        typer.Option(
            "--from",
            metavar="RUN",
            help="A saved run to take the value, variances and clusters from; a second one on the same items also "
            "tells how often two judges differ. --metric then picks its row: accuracy[criterion=safety].",
        ),
    ] = None,
    confidence: common.Confidence = 0.95,
    printed: Annotated[PlanFormat, typer.Option("--format", help="How to print the plan.")] = PlanFormat.table,
) -> None:
    """How many items are needed, or what can be seen with the items there are.

    Ask for the width of an interval, for a difference of two judges, or for both; or give the number of items.

    karat plan --metric accuracy --expected 0.8 --width 0.1 --detect 0.03

    karat plan --metric accuracy --expected 0.8 --items 500

    karat plan --metric accuracy[criterion=safety] --detect 0.03 --from monday.parquet --from friday.parquet
    """
    from karat import api

    found = api.plan(
        metric,
        expected=expected,
        width=width,
        detect=detect,
        power=power,
        items=items,
        discordant=discordant,
        sd=sd,
        cluster_size=cluster_size,
        icc=icc,
        confidence=confidence,
        pilot=pilot,
    )
    typer.echo(found.to_json() if printed is PlanFormat.json else f"{found}\n", nl=False)
