"""The tables of the report: of all annotators, of each, of every two of them, and of disputed items."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from adjudge.estimate import Estimate
from adjudge.evaluations.agreement import metrics
from adjudge.evaluations.agreement.consensus import LabelCodes
from adjudge.evaluations.agreement.options import AgreementOptions
from adjudge.evaluations.agreement.outcomes import EVERYONE, HAS_LABEL, KEY, Scale
from adjudge.metrics.cells import Floats
from adjudge.metrics.labels import Kappa, weighted_kappas
from adjudge.metrics.metric import KIND, View
from adjudge.metrics.ratios import Count, Share
from adjudge.metrics.tables import Keys, cells_by, estimate_row, estimate_table, score, view_rows
from adjudge.report import ESTIMATE_COLUMNS, typed_table
from adjudge.schemas.outcomes import categories_as_text
from adjudge.spec import MetricSpec
from adjudge.statistics.raters import GivenLabels, LabelRatings, alpha_without_each, two_way_estimate

MOST_IN_PAIRS = 40
"""The most annotators in the table of pairs: those with the most labels."""
FIRST, SECOND = "annotator", "other"
_BOTH = pl.lit(value=True)
_RIGHT = "_right"

_SAME_SPEC = MetricSpec("Same label", "Items to which both give the same label / items that both label.", "high")
_KAPPA_SPEC = MetricSpec("Cohen's kappa", "Agreement of the two beyond chance: 1 is perfect.", "high", percent=False)
SAME = Share("same_label", _SAME_SPEC, pl.col(KEY) == pl.col(KEY + _RIGHT), _BOTH)
KAPPA = Kappa("cohen_kappa", _KAPPA_SPEC, KEY, KEY + _RIGHT, _BOTH)
COMMON = Count("common_items", MetricSpec("Items", "Items that both label.", percent=False, decimals=0), _BOTH)
PLAIN = (SAME, KAPPA, COMMON)
WEIGHTED = weighted_kappas(KEY, KEY + _RIGHT, _BOTH)
"""Metrics of labels that are no names."""


def pair_rows(judgments: pl.DataFrame, scale: Scale, by: Sequence[str], confidence: float) -> Iterator[Keys]:
    """The rows of the table of pairs. judgments: as `outcomes` takes them."""
    names, clustered = scale.level == "nominal", "cluster" in judgments.columns
    key = scale.label_key(pl.col("label"))
    labels = judgments.filter(HAS_LABEL).select(
        "item",
        pl.col("annotator").cast(pl.String).alias("judge"),
        pl.col("cluster") if clustered else pl.lit(None, pl.Categorical()).alias("cluster"),
        pl.lit("pair").alias(KIND),
        *by,
        key.cast(pl.Categorical() if names else pl.Float64).alias(KEY),
    )
    often = labels.group_by("judge").len().sort(-pl.col("len").cast(pl.Int64), "judge").head(MOST_IN_PAIRS)
    kept = labels.join(often, on="judge", how="semi").with_columns(pl.col("judge").cast(pl.Enum(often["judge"].sort())))
    lazy = kept.lazy()
    both = lazy.join(lazy.select("item", "judge", *by, KEY), on=["item", *by], nulls_equal=True, suffix=_RIGHT)
    view = View(
        rows=lambda rows, _, __: rows,
        states=(KEY, KEY + _RIGHT),
        metrics=PLAIN if names else (*PLAIN[:2], *WEIGHTED, *PLAIN[2:]),
    )
    two = both.filter(pl.col("judge") < pl.col("judge" + _RIGHT))
    for keys, cells in cells_by(two, view, [*by, "judge", "judge" + _RIGHT], "cluster" if clustered else None):
        row_keys = {name: keys[name] for name in by} | {FIRST: keys["judge"], SECOND: keys["judge" + _RIGHT]}
        for row in score(view, cells, keys, confidence):
            yield estimate_row(row_keys, row.metric.name, row.estimate)


def two_way_labels(coded: LabelCodes, scale: Scale) -> GivenLabels:
    """The labels of a group as statistics take them."""
    label = pl.Series("label", coded.label_names, pl.String)
    keys = label.to_frame().select(scale.label_key(pl.col("label"))).to_series()
    names = scale.label_names(keys.unique())
    labels = keys.cast(pl.Enum(names)).to_physical().cast(pl.Int64).to_numpy()[coded.labels]
    width, times = len(names), np.ones(len(coded.item_names))
    cells, rows, counts = np.unique(coded.items * width + labels, return_inverse=True, return_counts=True)
    places, declared = scale.positions(names), scale.declared_labels is not None
    ratings = LabelRatings(cells // width, cells % width, counts.astype(np.float64), times, places, declared)
    return GivenLabels(ratings, rows, coded.annotators)


OVER = "over"
"""The key column of what intervals are about: other items, or other items and other annotators."""
ITEMS_ALONE, BOTH = "items", "items and annotators"
DISPUTED = "disputed_items"
MOST_DISPUTED = 50


def tables_of(
    judgments: pl.DataFrame,
    groups: Sequence[LabelCodes],
    outcomes: pl.LazyFrame,
    options: AgreementOptions,
    *,
    anonymous: bool = False,
) -> dict[str, pl.DataFrame]:
    """All tables of the report. judgments, groups, outcomes: of the same labels. anonymous: without annotators."""
    by, confidence, scale = options.by, options.ci_level, metrics.scale_of(options)
    unit = "cluster" if "cluster" in judgments.columns else None
    group_metrics, rows_of = metrics.group_metrics(scale.level), dict[tuple[Any, ...], list[Keys]]()
    view = replace(metrics.VIEW, metrics=(*group_metrics, metrics.WITH_OTHERS, metrics.ITEMS, metrics.LABELS_GIVEN))
    for keys, cells in cells_by(view.rows(outcomes, by, options), view, [*by, "judge"], unit):
        kind = metrics.ITEM if keys["judge"] == EVERYONE else metrics.LABEL
        rows = (row for row in score(view, cells, keys, confidence) if row.metric.kind == kind)
        rows_of[tuple(keys.values())] = [estimate_row(keys, row.metric.name, row.estimate) for row in rows]
    of_all, by_one = [], []
    for coded in groups:
        group, everyone = tuple(coded.keys.values()), {"annotators": EVERYONE}
        shared = [row | everyone for row in rows_of[*group, EVERYONE]]
        of_all += [row | {OVER: ITEMS_ALONE} for row in shared]
        if anonymous:
            continue
        given = two_way_labels(coded, scale)
        for metric in group_metrics:
            two_way = two_way_estimate(metric.coefficient, given, scale.level, coded.clusters, confidence)
            of_all.append(estimate_row({**coded.keys, **everyone, OVER: BOTH}, metric.name, two_way))
        of_all += [row | {OVER: BOTH} for row in shared if row["metric"] == metrics.ITEMS.name]
        without = _alpha_without_rows(coded, alpha_without_each(given, scale.level), confidence)
        single = [[*rows_of[*group, name], last] for name, last in without]
        single.sort(key=lambda rows: (rows[0]["value"] is None, rows[0]["value"]))  # who agrees least stands first
        by_one += [row | {"annotator": row["judge"]} for rows in single for row in rows]
    tables = {"agreement": (of_all, ["annotators", OVER])}
    if not anonymous:
        tables["annotators"] = by_one, ["annotator"]
        tables["pairs"] = list(pair_rows(judgments, scale, by, confidence)), [FIRST, SECOND]
    frames = {name: typed_table(rows, [*by, *keys, *ESTIMATE_COLUMNS]) for name, (rows, keys) in tables.items()}
    frames[DISPUTED] = disputed_items(outcomes, by)
    if scale.level in metrics.NUMERIC and not anonymous:
        rated = metrics.INTRACLASS_VIEW
        for_all = view_rows(rated.rows(outcomes, by, options), rated, by, unit, confidence)
        estimates = (({**row.keys, "annotators": EVERYONE}, row.metric.name, row.estimate) for row in for_all)
        frames["intraclass"] = estimate_table([*by, "annotators"], estimates)
    return frames


def _alpha_without_rows(coded: LabelCodes, values: Floats, confidence: float) -> Iterator[tuple[str, Keys]]:
    """Krippendorff's alpha without the labels of each annotator. n: the items that two or more others label."""
    counts = np.bincount(coded.items)
    by_two = coded.annotators[counts[coded.items] == 2]  # noqa: PLR2004 - a pair, of which one is left
    n = (counts > 1).sum() - np.bincount(by_two, minlength=len(values))
    for name, value, items in zip(coded.annotator_names, values.tolist(), n.tolist(), strict=True):
        undefined = Estimate.undefined("undefined for the others", n=items, confidence=confidence)
        estimate = Estimate(value, n=items, confidence=confidence) if np.isfinite(value) else undefined
        yield name, estimate_row({**coded.keys, "judge": name}, "alpha_without", estimate)


def disputed_items(outcomes: pl.LazyFrame, by: Sequence[str]) -> pl.DataFrame:
    """Items by how far their labels disagree, the worst first; of equal ones those with more labels."""
    everyone, keys = pl.col("judge") == EVERYONE, ["item", *by]
    rows = categories_as_text(outcomes)
    annotators = pl.len().cast(pl.Int64).alias("annotators")
    counts = rows.filter(~everyone, pl.col("label").is_not_null()).group_by(keys).agg(annotators)
    disputed = rows.filter(everyone, pl.col("value") < 1)
    items = disputed.select(*keys, said="label", disagreement=1 - pl.col("value")).join(
        counts, on=keys, how="left", nulls_equal=True
    )
    order = {"disagreement": True, "annotators": True} | dict.fromkeys(keys, False)
    return items.sort(*order, descending=[*order.values()]).head(MOST_DISPUTED).collect()
