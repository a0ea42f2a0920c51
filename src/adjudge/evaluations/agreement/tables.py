"""The tables of the report."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from adjudge.estimate import Estimate
from adjudge.evaluations.agreement.annotator_pairs import FIRST, SECOND, pair_rows
from adjudge.evaluations.agreement.metrics import (
    INTRACLASS_VIEW,
    ITEM,
    ITEMS,
    LABEL,
    LABELS_GIVEN,
    NUMERIC,
    VIEW,
    WITH_OTHERS,
    group_metrics,
    scale_of,
)
from adjudge.evaluations.agreement.outcomes import EVERYONE
from adjudge.evaluations.agreement.panels import Panel, panels
from adjudge.metrics.tables import Keys, cells_by, estimate_row, score
from adjudge.report import ESTIMATE_COLUMNS, typed_table
from adjudge.schemas.outcomes import categories_as_text
from adjudge.statistics.two_way import alpha_without_each, two_way_estimate

OVER = "over"
"""The key column of what intervals are about: other items, or other items and other annotators."""
ITEMS_ALONE, BOTH = "items", "items and annotators"
DISPUTED = "disputed_items"
MOST = 50

RowsByJudge = dict[tuple[Any, ...], list[Keys]]
"""The values of the `by` columns, and who is judged -> rows of metrics."""


def tables_of(
    judgments: pl.DataFrame, outcomes: pl.LazyFrame, by: Sequence[str], confidence: float, options: Mapping[str, Any]
) -> dict[str, pl.DataFrame]:
    """All tables of the report. judgments, outcomes: of the same labels. options: of the run."""
    scale = scale_of(options)
    rows_of = _metric_rows(outcomes, by, confidence, options, clustered="cluster" in judgments.columns)
    of_all, by_one = [], []
    for panel in panels(judgments, scale, by):
        group = tuple(panel.keys.values())
        of_all += [row | {OVER: ITEMS_ALONE} for row in rows_of[*group, EVERYONE]]
        counted = [row for row in rows_of[*group, EVERYONE] if row["metric"] == ITEMS.name]
        of_all += [row | {OVER: BOTH} for row in (*_two_way_rows(panel, confidence), *counted)]
        single = [[*rows_of[*group, name], last] for name, last in _alpha_without_rows(panel, confidence)]
        single.sort(key=lambda rows: (rows[0]["value"] is None, rows[0]["value"]))  # who agrees least stands first
        by_one += [row for rows in single for row in rows]
    tables = {
        "agreement": typed_table(
            [row | {"annotators": row["judge"]} for row in of_all], [*by, "annotators", OVER, *ESTIMATE_COLUMNS]
        ),
        "annotators": typed_table(
            [row | {"annotator": row["judge"]} for row in by_one], [*by, "annotator", *ESTIMATE_COLUMNS]
        ),
        "pairs": typed_table(
            list(pair_rows(judgments, scale, by, confidence)), [*by, FIRST, SECOND, *ESTIMATE_COLUMNS]
        ),
        DISPUTED: disputed_items(outcomes, by),
    }
    if scale.level in NUMERIC:
        rated = _intraclass_rows(outcomes, by, confidence, options, clustered="cluster" in judgments.columns)
        tables["intraclass"] = typed_table(list(rated), [*by, "annotators", *ESTIMATE_COLUMNS])
    return tables


def _metric_rows(
    outcomes: pl.LazyFrame, by: Sequence[str], confidence: float, options: Mapping[str, Any], *, clustered: bool
) -> RowsByJudge:
    """The metrics that rest on outcomes: of all annotators, and of each."""
    unit, rows_by_judge = "cluster" if clustered else None, RowsByJudge()
    view = replace(VIEW, metrics=(*group_metrics(scale_of(options).level), WITH_OTHERS, ITEMS, LABELS_GIVEN))
    for keys, cells in cells_by(VIEW.rows(outcomes, by, options), VIEW, [*by, "judge"], unit):
        kind = ITEM if keys["judge"] == EVERYONE else LABEL
        rows = (row for row in score(view, cells, keys, confidence) if row.metric.kind == kind)
        rows_by_judge[tuple(keys.values())] = [estimate_row(keys, row.metric.name, row.estimate) for row in rows]
    return rows_by_judge


def _intraclass_rows(
    outcomes: pl.LazyFrame, by: Sequence[str], confidence: float, options: Mapping[str, Any], *, clustered: bool
) -> Iterator[Keys]:
    """Intraclass correlations."""
    view, unit = INTRACLASS_VIEW, "cluster" if clustered else None
    for keys, cells in cells_by(view.rows(outcomes, by, options), view, by, unit):
        for row in score(view, cells, keys, confidence):
            yield estimate_row({**keys, "annotators": EVERYONE}, row.metric.name, row.estimate)


def _two_way_rows(panel: Panel, confidence: float) -> Iterator[Keys]:
    """The metrics of all annotators, with intervals for other items and other annotators."""
    for figure in group_metrics(panel.level):
        estimate = two_way_estimate(figure.coefficient, panel.two_way_labels, panel.level, panel.clusters, confidence)
        yield estimate_row({**panel.keys, "judge": EVERYONE}, figure.name, estimate)


def _alpha_without_rows(panel: Panel, confidence: float) -> Iterator[tuple[str, Keys]]:
    """Krippendorff's alpha without the labels of each annotator."""
    values = alpha_without_each(panel.two_way_labels, panel.level)
    n = len(panel.labels) - np.bincount(panel.annotators, minlength=len(values))
    for name, value, labels in zip(panel.names, values.tolist(), n.tolist(), strict=True):
        if np.isfinite(value):
            estimate = Estimate(value, n=labels, confidence=confidence)
        else:
            estimate = Estimate.undefined("undefined for the others", n=labels, confidence=confidence)
        yield name, estimate_row({**panel.keys, "judge": name}, "alpha_without", estimate)


def disputed_items(outcomes: pl.LazyFrame, by: Sequence[str]) -> pl.DataFrame:
    """Items by how far their labels disagree, the worst first; of equal ones those with more labels."""
    everyone = pl.col("judge") == EVERYONE
    counts = (
        categories_as_text(outcomes)
        .filter(~everyone, pl.col("label").is_not_null())
        .group_by("item", *by)
        .len("annotators")
    )
    of_items = categories_as_text(outcomes).filter(everyone, pl.col("value") < 1)
    items = of_items.select("item", *by, said="label", disagreement=1 - pl.col("value")).join(
        counts.with_columns(pl.col("annotators").cast(pl.Int64)), on=["item", *by], how="left", nulls_equal=True
    )
    order = {"disagreement": True, "annotators": True, "item": False}
    return items.sort(*order, descending=[*order.values()], maintain_order=True).head(MOST).collect()
