"""The outcomes of labels and items: a row per item and annotator, and one for all annotators of the item.

| judge | outcome | when |
|---|---|---|
| All annotators | unanimous | all labels of the item are the same |
| All annotators | majority | more than half of them are |
| All annotators | split | any others |
| All annotators | single | the item has one label |
| an annotator | with_all, with_most, with_some, with_nobody | how many of the others give the item the same label |
| an annotator | alone | nobody else labels the item |
| an annotator | skipped, flagged | there is no label |

`value` is the share of the others who agree with the annotator, or of pairs of the item's labels that agree; of labels
that are no names, the mean weight with which they do. `detail` of an item is JSON: label -> how many gave it.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from adjudge.metrics.cells import Floats
from adjudge.metrics.labels import sort_labels
from adjudge.schemas.judgments import NUMBERS, scale_position
from adjudge.schemas.outcomes import first_match, outcomes_frame
from adjudge.statistics.raters import LabelRatings, Level, item_disagreement, label_disagreement

EVERYONE = "All annotators"
"""The judge of rows about all labels of an item."""
_GROUP, KEY = "__group__", "__key__"
HAS_LABEL = ~pl.col("flagged") & ~pl.col("skipped")


@dataclass(frozen=True, slots=True)
class Scale:
    """The level of labels, and those that could be given: in their order if they have one, or that of numbers."""

    level: Level
    labels: Sequence[str] = ()

    def label_key(self, label: pl.Expr) -> pl.Expr:
        """The key of a label: its name, or its position on the scale as text."""
        if self.level == "nominal":
            return label.cast(pl.String)
        return scale_position(label, self.labels or [NUMBERS]).cast(pl.String)

    def positions(self, names: Sequence[str]) -> Floats:
        """The position on the scale of each label key."""
        return np.arange(len(names), dtype=np.float64) if self.level == "nominal" else np.array(names, np.float64)

    def label_names(self, given: Iterable[str]) -> list[str]:
        """The keys of all labels that could be given, in order; without declared labels, those given."""
        if not self.labels or list(self.labels) == [NUMBERS]:
            return sort_labels(given, self.level)
        keys = pl.select(pl.lit(pl.Series(self.labels, dtype=pl.String)).alias("")).select(self.label_key(pl.col("")))
        return sort_labels({*keys.to_series().to_list(), *given}, self.level)

    @property
    def declared_labels(self) -> str | None:
        """All labels that could be given, as a JSON list; None if they are not declared."""
        names = self.label_names(())
        return json.dumps(names, ensure_ascii=False) if names else None


def outcomes(judgments: pl.DataFrame, scale: Scale, by: Sequence[str]) -> pl.LazyFrame:
    """The outcomes of all judgments.

    judgments: item, annotator, label, flagged, skipped, perhaps cluster, and the `by` columns, as
    `adjudge.readers.labels.judgments` reads them.
    """
    items = judgments.select("item", *by).unique(maintain_order=True).with_row_index(_GROUP)
    cluster = pl.col("cluster") if "cluster" in judgments.columns else pl.lit(None, pl.Categorical())
    frame = judgments.with_columns(cluster.alias("cluster"), scale.label_key(pl.col("label")).alias(KEY))
    frame = frame.join(items, on=["item", *by], how="left", nulls_equal=True, maintain_order="left")
    labels = _label_rows(frame.filter(HAS_LABEL), scale, items.height)
    totals = labels.group_by(_GROUP, maintain_order=True).agg(
        pl.col("detail", "said").str.join(", "),
        pl.col("count").sum().alias("all"),
        pl.col("count").max().alias("most"),
        pl.col("of_item").first(),
    )
    clusters = frame.group_by(_GROUP).agg(pl.col("cluster").cast(pl.String).min())
    of_items = totals.join(items, on=_GROUP, maintain_order="left").join(clusters, on=_GROUP, maintain_order="left")
    rows = frame.join(labels, on=[_GROUP, KEY], how="left", maintain_order="left")
    rows = rows.join(totals.select(_GROUP, "all"), on=_GROUP, how="left", maintain_order="left")
    both = ((_ITEM, of_items), (_LABEL, rows))
    return pl.concat([outcomes_frame(columns, frame.lazy(), list(by)) for columns, frame in both])


def _label_rows(judged: pl.DataFrame, scale: Scale, items: int) -> pl.DataFrame:
    """A row per item and label that it has: how many gave it, how far it and the item's labels disagree, and its words.

    Columns _GROUP, KEY, count, of_label, of_item, detail, said; in the order of items, then of the scale.
    """
    label_names = judged.group_by(KEY).agg(pl.col("label").cast(pl.String).first().alias("name"))
    names = scale.label_names(label_names[KEY].to_list())
    numbered = pl.DataFrame({KEY: names, "place": range(len(names))}, schema={KEY: pl.String, "place": pl.Int64})
    counts = judged.group_by(_GROUP, KEY).agg(pl.len().cast(pl.Int64).alias("count"))
    counts = counts.join(numbered.join(label_names, on=KEY), on=KEY).sort(_GROUP, "place")
    groups, labels = (counts[name].cast(pl.Int64).to_numpy() for name in (_GROUP, "place"))
    ratings = LabelRatings(
        groups, labels, counts["count"].cast(pl.Float64).to_numpy(), np.ones(items), scale.positions(names)
    )
    count = pl.col("count").cast(pl.String)
    quoted = pl.Series([json.dumps(name, ensure_ascii=False) for name in names], dtype=pl.String)
    return counts.with_columns(
        pl.Series("of_label", 1 - label_disagreement(ratings, scale.level)),
        pl.Series("of_item", 1 - item_disagreement(ratings, scale.level)[groups]),
        (pl.lit(quoted).gather(pl.col("place")) + ": " + count).alias("detail"),
        pl.when(pl.col("count") == 1).then("name").otherwise(pl.col("name") + " ×" + count).alias("said"),
    )


_ALONE = pl.col("all") == 1
_OTHERS, _SAME = pl.col("all") - 1, pl.col("count") - 1
_SHARED = {"item": pl.col("item"), "cluster": pl.col("cluster"), "part": pl.lit("label")}
_ITEM = _SHARED | {
    "judge": pl.lit(EVERYONE),
    "label": pl.col("said"),
    "outcome": first_match(
        {
            "single": _ALONE,
            "unanimous": pl.col("most") == pl.col("all"),
            "majority": 2 * pl.col("most") > pl.col("all"),
        },
        "split",
    ),
    "value": pl.when(~_ALONE).then(pl.col("of_item")),
    "detail": "{" + pl.col("detail") + "}",
}
_LABEL = _SHARED | {
    "judge": pl.col("annotator"),
    "label": pl.when(HAS_LABEL).then(pl.col("label")),
    "outcome": first_match(
        {
            "skipped": pl.col("skipped"),
            "flagged": pl.col("flagged"),
            "alone": _ALONE,
            "with_all": _SAME == _OTHERS,
            "with_most": 2 * _SAME > _OTHERS,
            "with_nobody": _SAME == 0,
        },
        "with_some",
    ),
    "value": pl.when(HAS_LABEL & ~_ALONE).then(pl.col("of_label")),
}
