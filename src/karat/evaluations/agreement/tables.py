"""The tables of the report."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from karat.evaluations.agreement.figures import ITEM, LABEL, VIEW
from karat.evaluations.agreement.outcomes import EVERYONE
from karat.figures.tables import CellsByKind, Keys, cells_by, figure_row, score
from karat.report import FIGURE, typed_table

OVER = "over"
"""The key column of what intervals are about: other items, or other items and other annotators."""
ITEMS_ALONE = "items"


def tables_of(
    outcomes: pl.LazyFrame, by: Sequence[str], confidence: float, options: Mapping[str, Any], *, clustered: bool
) -> dict[str, pl.DataFrame]:
    """All tables of figures. options: of the run, for views. clustered: whether the outcomes name clusters."""
    unit = "cluster" if clustered else None
    judges = list(cells_by(VIEW.rows(outcomes, by, options), VIEW, [*by, "judge"], unit))
    return {
        "agreement": typed_table(list(_group(judges, confidence)), [*by, "annotators", OVER, *FIGURE]),
        "annotators": typed_table(list(_annotators(judges, confidence)), [*by, "annotator", *FIGURE]),
    }


def _group(judges: Sequence[tuple[Keys, CellsByKind]], confidence: float) -> Iterator[Keys]:
    for keys, cells in judges:
        if ITEM not in cells:
            continue
        named = {name: value for name, value in keys.items() if name != "judge"}
        for row in score(VIEW, cells, keys, confidence):
            if row.figure.kind == ITEM:
                named = {**named, "annotators": EVERYONE, OVER: ITEMS_ALONE}
                yield figure_row(named, row.figure.name, row.estimate)


def _annotators(judges: Sequence[tuple[Keys, CellsByKind]], confidence: float) -> Iterator[Keys]:
    for keys, cells in judges:
        if ITEM in cells:
            continue
        named = {name: value for name, value in keys.items() if name != "judge"}
        for row in score(VIEW, cells, keys, confidence):
            if row.figure.kind == LABEL:
                yield figure_row({**named, "annotator": keys["judge"]}, row.figure.name, row.estimate)
