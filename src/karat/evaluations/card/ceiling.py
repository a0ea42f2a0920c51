"""Against the ceiling: each judge's agreement with people beside that of people with one another."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from karat.evaluations.card.figures import NOMINAL, ORDERED, views_of
from karat.evaluations.card.outcomes import outcomes
from karat.evaluations.card.reading import Read
from karat.evaluations.card.section import Made
from karat.figures.figure import metrics_of
from karat.figures.tables import cells_by, figure_row, score
from karat.report import FIGURE, typed_table

METRICS = metrics_of(NOMINAL, ORDERED)
TABLES = {
    "judges": "Each judge's agreement with people beside that of people with one another, on the same items: each is "
    "compared with the others, and the judge with all of them."
}


def made_of(read: Read, options: Mapping[str, Any]) -> Made:
    """The main table; a note where the ceiling is unknown."""
    by = options["by"]
    found, unit = outcomes(read, by), "cluster" if read.clustered else None
    rows = [
        figure_row({name: keys[name] for name in [*by, "judge"]}, row.figure.name, row.estimate)
        for view in views_of(read.level)
        for keys, cells in cells_by(view.rows(found, by, options), view, [*by, "judge"], unit)
        for row in score(view, cells, keys, options["confidence"])
    ]
    table = typed_table(rows, [*by, "judge", *FIGURE])
    return Made({"judges": table}, tuple(_notes(read, found)))


def _notes(read: Read, found: pl.LazyFrame) -> list[str]:
    several = found.select(pl.col("ceiling").is_not_null().any()).collect().item()
    if not several:
        why = "there is one trusted label per item" if read.gold else "no item is labelled by two people"
        return [f"The ceiling is unknown: {why}, so nothing says how often people would agree with one another."]
    return ["Intervals say what other items would give with the same people, not what other people would."]
