"""Options of commands that print a report; all others are those of the function that a command calls."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from karat.api.kinds import FILES, Texts
from karat.api.options import Option

Format = Literal["table", "json", "csv", "markdown"]

FailUnder = Annotated[
    Texts,
    Option(
        "Exit with status 3 if a figure is undefined or below this value. Repeatable. "
        'Put the value of a key in double quotes if it holds a comma or a bracket: kappa[annotator="a,b"]=0.4.',
        "METRIC[KEY=VALUE,...]=VALUE",
    ),
]
FailBound = Annotated[
    Literal["estimate", "low"], Option("Whether --fail-under reads the estimate, or the lower limit of its interval.")
]
FailIfWorse = Annotated[
    Texts,
    Option(
        "Exit with status 3 if the second run is significantly worse than the first by more than MARGIN (0 by "
        "default). Several gates are adjusted for one another. Repeatable.",
        "METRIC[KEY=VALUE,...][:MARGIN]",
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """How a report is printed, and the files to write besides: options of every command that has a report."""

    printed: Annotated[Format, Option("How to print the result.", flag="--format")] = "table"
    table: Annotated[str | None, Option("The table to print as csv; by default the main one.", "NAME")] = None
    output: Annotated[
        Sequence[Path],
        Option(
            "Also write a file: .html .json .md .csv .parquet .png .svg; .xml for the results of gates. Repeatable.",
            "FILE",
            FILES,
        ),
    ] = ()
