"""Against the ceiling: each judge's agreement with people beside that of people with one another."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from karat.about import Metric
from karat.evaluations.card.figures import AGREEMENT, DISTANCE, NOMINAL, ORDERED, views_of
from karat.evaluations.card.outcomes import of_people, outcomes
from karat.evaluations.card.reading import Read
from karat.evaluations.card.section import Made
from karat.figures.figure import Figure, metrics_of
from karat.figures.tables import Keys, Row, cells_by, figure_row, score
from karat.report import FIGURE, typed_table

OTHERS: dict[Figure, str] = {AGREEMENT: "agreement_with_others", DISTANCE: "distance_from_others"}
"""Figures of a judge -> what they are called where people stand beside it, each compared with the others."""
METRICS = {
    **metrics_of(NOMINAL, ORDERED),
    "agreement_with_others": Metric(
        "Agreement with others",
        "Mean over items of the share of the other people who give the same label.",
        "high",
        of_shares=True,
        between=(0.0, 1.0),
    ),
    "distance_from_others": Metric(
        "Distance from others",
        "Mean over items of how far the other people's labels are.",
        "low",
        percent=False,
        between=(0.0, None),
    ),
}
TABLES = {
    "judges": "How far each judge agrees with people, on items that people labelled too; how far people agree with one "
    "another, on those that two or more labelled; and the difference, on those too.",
    "everyone": "Judges among people: each compared with the other people, on whatever items both labelled.",
}


def made_of(read: Read, options: Mapping[str, Any]) -> Made:
    """The main table, and judges among people; a note where the ceiling is unknown."""
    by, confidence = options["by"], options["confidence"]
    judges, people = outcomes(read, by), of_people(read, by)
    rows = [
        figure_row({name: row.keys[name] for name in [*by, "judge"]}, row.figure.name, row.estimate)
        for row in _rows(read, judges, by, confidence)
    ]
    everyone = [
        figure_row(_named(row.keys, by, side), OTHERS[row.figure], row.estimate)
        for side, frame in (("judge", judges), ("person", people))
        for row in _rows(read, frame, by, confidence)
        if row.figure in OTHERS
    ]
    tables = {"judges": typed_table(rows, [*by, "judge", *FIGURE])}
    if len(read.people) > 1:
        tables["everyone"] = typed_table(everyone, [*by, "annotator", "side", *FIGURE])
    return Made(tables, tuple(_notes(read, judges)))


def _rows(read: Read, frame: pl.LazyFrame, by: Sequence[str], confidence: float) -> Iterator[Row]:
    """The figures of everybody in outcomes."""
    unit = "cluster" if read.clustered else None
    for view in views_of(read.level):
        for keys, cells in cells_by(view.rows(frame, by, {}), view, [*by, "judge"], unit):
            yield from score(view, cells, keys, confidence)


def _named(keys: Keys, by: Sequence[str], side: str) -> Keys:
    return {name: keys[name] for name in by} | {"annotator": keys["judge"], "side": side}


def _notes(read: Read, found: pl.LazyFrame) -> list[str]:
    several = found.select(pl.col("ceiling").is_not_null().any()).collect().item()
    if not several:
        why = "there is one trusted label per item" if read.gold else "no item of a judge is labelled by two people"
        return [f"The ceiling is unknown: {why}, so nothing says how often people would agree with one another."]
    return ["Intervals say what other items would give with the same people, not what other people would."]
