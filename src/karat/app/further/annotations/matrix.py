"""Everyone beside everyone, as a table whose colours show who votes alike."""

from collections.abc import Mapping
from functools import partial
from math import isnan

import polars as pl
import streamlit as st

from karat.app import downloads, items, words
from karat.app.further.annotations.who import OF_TWO_LABELS, groups_of, keys_of, names_of, of_two_labels
from karat.app.grids import choosing, grid
from karat.app.lists import one_of
from karat.app.looks import colours
from karat.app.results import Result, result_of
from karat.evaluations.annotations.data_sets import MOST_COMPARED
from karat.names import distinct
from karat.render.kit.style import SHARES
from karat.render.numbers import MINUS, metric_of
from karat.render.palette import faded

_ROW, _HEAD, _MOST = 35, 37, 900
"""Heights in pixels: of a row, of the names above, and of the table at most."""
_NAMES = 160
"""Width in pixels."""
_FAINT = 0.1
"""Figures up to here are faint, even where all are small."""


def matrix(result: Result) -> Result:
    """How each annotator votes beside each other one as the reference; a cell leads to its pairs."""
    if result.read is not None:
        result = result_of(result.function, {**result.given, "matrix": True})
    if "matrix" not in result.report.tables:
        words.say(_why_none(result))
        return result
    frame = result.report["matrix"]
    metrics = {metric_of(result.report.about.metrics, name).title: name for name in OF_TWO_LABELS}
    groups = groups_of(result, frame, keys_of(result.report))
    left, right = st.columns(2)
    with left:
        title = st.selectbox("Figure", list(metrics), key="matrix-figure", bind="query-params")
    group = next(iter(groups))
    if len(groups) > 1:
        with right:
            chosen = one_of("Group", list(groups.values()), "matrix-group")
        group = next(key for key, one in groups.items() if one == chosen)
    keys = dict(zip(keys_of(result.report), group, strict=True))
    own = [pl.col(name).eq_missing(pl.lit(value, pl.String)) for name, value in keys.items()]
    _table(result, frame.filter(pl.col("metric") == metrics[title], *own), keys)
    downloads.of_frame("matrix", result.report["matrix"])
    return result


def _why_none(result: Result) -> str:
    """Why there is no matrix."""
    if result.report.options["labels"] != "valid":
        return f"There is no matrix. {of_two_labels('Its figures, strength and kappa, are')}."
    if result.read is None and not result.report.options["matrix"]:
        return "The report was saved without a matrix."
    return f"There is no matrix of more than {MOST_COMPARED} annotators: choose some of them in the option Annotator."


def _table(result: Result, frame: pl.DataFrame, keys: Mapping[str, str | None]) -> None:
    """Annotators in rows, references in columns. keys: of the group that it is about."""
    import pandas as pd  # takes a second to load; it alone colours cells

    ids = list(frame["annotator"].unique(maintain_order=True))
    names = names_of(result)
    shown = distinct(names.get(one, one) for one in ids)
    values = {(row["annotator"], row["reference"]): row["value"] for row in frame.iter_rows(named=True)}
    cells = [[None if one == other else values.get((one, other)) for other in ids] for one in ids]
    table = pd.DataFrame(cells, index=pd.Index(shown, name="Annotator ↓ / ref. →"), columns=shown, dtype=float)
    most = max([_FAINT, *(abs(value) for row in cells for value in row if value is not None)])
    shade = partial(_shade, colours())

    def chosen(row: int, column: str) -> None:
        items.lead_to(result, {**keys, "annotator": ids[row], "reference": ids[shown.index(column)]})

    grid(
        table.style.map(lambda value: shade(value / most)).format(lambda value: f"{value:z.2f}".replace("-", MINUS)),
        "matrix-cells",
        columns=shown,
        rows=len(ids),
        items=result.report.about.items,
        said=lambda row, column: [f"{shown[row]} beside {column}"],
        lead=chosen,
        placeholder="",
        width="content",
        column_config={"_index": st.column_config.Column(width=_NAMES)},
        alt="Everyone beside everyone",
        height=min(_MOST, _HEAD + _ROW * len(ids)),
    )
    words.remark(
        "The annotator of each row, compared with the reference of each column: blue where they vote alike, orange "
        "where they vote against each other. A figure may depend on which of the two is the reference. "
        f"{choosing('pairs')}"
    )


def _shade(theme: Mapping[str, str], tone: float) -> str:
    """The background of a cell, from -1 to 1: fainter the nearer it is to 0; none without a figure."""
    if isnan(tone):
        return ""
    return f"background-color: {faded(theme['accent' if tone > 0 else 'second'], SHARES[1] * abs(tone))}"
