"""Writes the tables of formats and of caveats in docs/reference from what the code declares."""

from collections.abc import Iterator
from pathlib import Path

from adjudge.estimate import Caveat
from adjudge.readers.formats import formats
from adjudge.writers.conversions import FLAT

COMMANDS = {
    None: "all",
    "reliability": "`reliability`, `agreement`, `card`",
    "annotations": "`annotations`",
    "preferences": "`preferences`",
    "violations": "`violations`",
    "rag": "`rag`",
}
"""Evaluation that a format belongs to -> commands that read it."""
WRITTEN = {"adjudge", "annotated-pairs", "violations", *(ending.removeprefix(".") for ending in FLAT)}
"""Formats that `adjudge convert` writes."""
FORMATS = """# Supported file formats

Which tools' files does Adjudge read, and with which command? The format of a file is detected from its content;
`--input-format NAME` overrides that. To find the command for a file, run:

    adjudge look examples/reliability/labels.csv

[Input columns and values](../input.md) explains the columns of each evaluation. `adjudge convert` writes the formats
that the last column marks. Formats with the same name belong to different commands."""
CAVEATS = """# Caveats

What does a caveat beside an estimate mean? An estimate carries one if its confidence interval may cover the true value
less often than it claims, or if it has no interval. The terminal marks such estimates with `!`, but for four minor
caveats that it leaves to `--details`: approximate, fewer than 100 clusters, skewed and conservative. If all estimates
of a column have a caveat, it says so once. JSON and Python hold the code (`adjudge.estimate.Caveat`). If several
apply, the first in this table is given."""


def formats_page() -> str:
    """The table of formats: name, commands, what it is, endings, and whether it is written."""
    return "\n".join([FORMATS, "", *_formats(), ""])


def _formats() -> Iterator[str]:
    yield "| format | commands | what is read | usual endings | written |"
    yield "|---|---|---|---|---|"
    for evaluation, commands in COMMANDS.items():
        for one in sorted(formats(evaluation), key=lambda form: form.name):
            written = "yes" if one.name in WRITTEN else ""
            yield f"| `{one.name}` | {commands} | {one.about} | {' '.join(one.endings)} | {written} |"


def caveats_page() -> str:
    """The table of caveats, the gravest first."""
    rows = [f"| {one.title} | `{one}` | {one.meaning} {one.consequence} |" for one in Caveat]
    return "\n".join([CAVEATS, "", "| caveat | code | meaning |", "|---|---|---|", *rows, ""])


PAGES = {"formats.md": formats_page, "caveats.md": caveats_page}

if __name__ == "__main__":
    for name, page in PAGES.items():
        (Path(__file__).parent / "reference" / name).write_text(page(), encoding="utf-8")
