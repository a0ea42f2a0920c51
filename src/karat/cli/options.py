"""Options of commands that print a report; all others are those of the function that a command calls."""

from pathlib import Path
from typing import Annotated, Literal

import typer


def _option(flag: str, text: str, metavar: str | None = None) -> typer.models.OptionInfo:
    found: typer.models.OptionInfo = typer.Option(flag, help=text, metavar=metavar)
    return found


Format = Literal["table", "json", "csv", "markdown"]

FailUnder = Annotated[
    list[str] | None,
    _option(
        "--fail-under",
        "Exit with status 3 if a figure is undefined or below this value. Repeatable. "
        'Put the value of a key in double quotes if it holds a comma or a bracket: kappa[annotator="a,b"]=0.4.',
        "METRIC[KEY=VALUE,...]=VALUE",
    ),
]
FailBound = Annotated[
    Literal["estimate", "low"],
    _option("--bound", "Whether --fail-under reads the estimate, or the lower limit of its interval."),
]
FailIfWorse = Annotated[
    list[str] | None,
    _option(
        "--fail-if-worse",
        "Exit with status 3 if the second run is significantly worse than the first by more than MARGIN (0 by "
        "default). Several gates are adjusted for one another. Repeatable.",
        "METRIC[KEY=VALUE,...][:MARGIN]",
    ),
]
Printed = Annotated[Format, _option("--format", "How to print the result.")]
Table = Annotated[str | None, _option("--table", "The table to print as csv; by default the main one.", "NAME")]
Output = Annotated[
    list[Path] | None,
    _option(
        "--output",
        "Also write a file: .html .json .md .csv .parquet .png .svg; .xml for the results of gates. Repeatable.",
        "FILE",
    ),
]
