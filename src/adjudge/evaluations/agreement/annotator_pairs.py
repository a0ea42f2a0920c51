"""Every two annotators on the items that both label."""

from collections.abc import Iterator, Sequence

import polars as pl

from adjudge.evaluations.agreement.outcomes import HAS_LABEL, KEY, Scale
from adjudge.metrics.labels import Kappa, weighted_kappas
from adjudge.metrics.metric import KIND, View
from adjudge.metrics.ratios import Count, Share
from adjudge.metrics.tables import Keys, cells_by, estimate_row, score
from adjudge.spec import MetricSpec

MOST = 40
"""The most annotators in the table of pairs: those with the most labels."""
FIRST, SECOND = "annotator", "other"
_BOTH = pl.lit(value=True)
_RIGHT = "_right"

SAME = Share(
    "same_label",
    MetricSpec("Same label", "Items to which both give the same label / items that both label.", better="high"),
    pl.col(KEY) == pl.col(KEY + _RIGHT),
    _BOTH,
)
KAPPA = Kappa(
    "cohen_kappa",
    MetricSpec(
        "Cohen's kappa",
        "Agreement of the two beyond what their own shares of labels give by chance: 0 is chance, 1 is perfect.",
        better="high",
        percent=False,
    ),
    KEY,
    KEY + _RIGHT,
    _BOTH,
)


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
    often = labels.group_by("judge").len().sort(-pl.col("len").cast(pl.Int64), "judge").head(MOST)
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
        yield from (
            estimate_row(row_keys, row.metric.name, row.estimate) for row in score(view, cells, keys, confidence)
        )
