"""Options that every `score` has, and how their texts become arguments."""

import re
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from karat.errors import OptionError


class Format(StrEnum):
    """How a report is printed."""

    table = "table"
    json = "json"
    csv = "csv"
    markdown = "markdown"


class OnInvalid(StrEnum):
    """What becomes of invalid rows."""

    error = "error"
    drop = "drop"


class Bound(StrEnum):
    """What gates read."""

    estimate = "estimate"
    low = "low"


def _option(flag: str, text: str, metavar: str | None = None) -> typer.models.OptionInfo:
    found: typer.models.OptionInfo = typer.Option(flag, help=text, metavar=metavar)
    return found


Columns = Annotated[
    list[str] | None,
    _option("--columns", "Karat's column = the file's, such as item=orig_id,annotator=worker.", "NAME=COLUMN,..."),
]
By = Annotated[list[str] | None, _option("--by", "Give every figure per group of this column. Repeatable.", "COLUMN")]
Cluster = Annotated[
    str | None,
    _option("--cluster", "Column that names what is not independent (a document, a prompt).", "COLUMN"),
]
Confidence = Annotated[float, _option("--confidence", "Nominal coverage of the intervals, between 0 and 1.")]
Seed = Annotated[int, _option("--seed", "Seed of everything random.")]
Invalid = Annotated[OnInvalid, _option("--on-invalid", "Refuse a file with invalid rows, or drop them and count them.")]
InputFormat = Annotated[str | None, _option("--input-format", "The files' format; found out by default.", "FORMAT")]
Examples = Annotated[int, _option("--examples", "How many items of each outcome to show in the report.", "N")]
Items = Annotated[
    Path | None,
    _option("--items", "Write every outcome to this .parquet file, a row per item, judge and part.", "FILE"),
]
FailUnder = Annotated[
    list[str] | None,
    _option(
        "--fail-under",
        "Exit with status 3 if a figure is undefined or below this value. Repeatable. "
        'A key\'s value that holds a comma or a bracket stands in double quotes: kappa[annotator="a,b"]=0.4.',
        "METRIC[KEY=VALUE,...]=VALUE",
    ),
]
FailBound = Annotated[
    Bound,
    _option("--bound", "Whether --fail-under reads the estimate, or the lower limit of its interval."),
]
FailIfWorse = Annotated[
    list[str] | None,
    _option(
        "--fail-if-worse",
        "Exit with status 3 if a run is surely worse than the one before: the whole interval of the difference lies "
        "on the bad side, beyond MARGIN (0 by default). Repeatable.",
        "METRIC[KEY=VALUE,...][:MARGIN]",
    ),
]
Printed = Annotated[Format, _option("--format", "How to print the result.")]
Table = Annotated[str | None, _option("--table", "The table to print as csv; the main one by default.", "NAME")]
Output = Annotated[
    list[Path] | None,
    _option(
        "--output",
        "Also write a file: .html .json .md .csv .parquet .png .svg; .xml for what gates found. Repeatable.",
        "FILE",
    ),
]


def listed(texts: Sequence[str] | None) -> list[str]:
    r"""Values given with commas, by repeating the option, or both. A comma after a backslash is part of a value.

    >>> listed(["a, b", r"yes\, sir"])
    ['a', 'b', 'yes, sir']
    """
    return [_plain(part) for text in texts or () for part in re.split(r"\s*(?<!\\),\s*", text)]


def _plain(text: str) -> str:
    return text.replace("\\,", ",")


def pairs(flag: str, texts: Sequence[str] | None) -> list[tuple[str, str]]:
    r"""Pairs name=value given with commas, by repeating the option, or both.

    A value may hold a comma, which needs a backslash before it only where it stands before another name=.

    >>> pairs("--columns", [r"item=my id, really, label=x", r"flag=a\,b=c"])
    [('item', 'my id, really'), ('label', 'x'), ('flag', 'a,b=c')]
    """
    found = []
    for part in (part for text in texts or () for part in re.split(r"\s*(?<!\\),\s*(?=\w+=)", text)):
        name, equals, value = part.partition("=")
        if not (name and equals and value):
            raise OptionError(f'{flag}: expected name=value; got "{part}"')
        found.append((name.strip(), _plain(value)))
    return found


def numbers(flag: str, texts: Sequence[str] | None) -> dict[str, float]:
    """Pairs name=number.

    >>> numbers("--std-weights", ["overlap=0.4,rule=0.6"])
    {'overlap': 0.4, 'rule': 0.6}
    """
    found = {}
    for name, value in pairs(flag, texts):
        try:
            found[name] = float(value)
        except ValueError:
            raise OptionError(f'{flag}: expected a number for {name}; got "{value:.60}"') from None
    return found


def grouped(flag: str, texts: Sequence[str] | None) -> dict[str, list[str]]:
    """Pairs name=value where a name may stand several times.

    >>> grouped("--flag-values", ["flagged=NSFW,flagged=bad,clean=OK"])
    {'flagged': ['NSFW', 'bad'], 'clean': ['OK']}
    """
    found: dict[str, list[str]] = {}
    for name, value in pairs(flag, texts):
        found.setdefault(name, []).append(value)
    return found
