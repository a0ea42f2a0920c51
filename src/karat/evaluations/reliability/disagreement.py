"""Disagreement of annotators: items on which two annotators give different labels."""

import polars as pl

_CHOICES = (pl.col("part") == "choice") & pl.col("label").is_not_null()


def disagreement(outcomes: pl.LazyFrame) -> pl.DataFrame:
    """A row for each two annotators: annotator, other, shared, count.

    shared: the items that both label. count: those of them to which each gives another label; None where they share no
    item. Each two stand twice, in either order.
    """
    labels = outcomes.filter(_CHOICES).select("item", "judge", "label")
    both = labels.join(labels, on="item")
    counts = both.group_by(annotator="judge", other="judge_right").agg(
        shared=pl.len().cast(pl.Int64), count=(pl.col("label") != pl.col("label_right")).sum().cast(pl.Int64)
    )
    names = outcomes.select(annotator=pl.col("judge").unique().sort())
    every = names.join(names.rename({"annotator": "other"}), how="cross").filter(pl.col("annotator") != pl.col("other"))
    return (
        every.join(counts, on=["annotator", "other"], how="left")
        .with_columns(pl.col("shared").fill_null(0))
        .sort("annotator", "other")
        .collect()
    )


def differing(outcomes: pl.LazyFrame, first: str, second: str) -> list[str]:
    """The items to which two annotators give different labels, in their order."""
    labels = outcomes.filter(_CHOICES).select("item", "judge", "label")
    labels_a, labels_b = (labels.filter(pl.col("judge") == name) for name in (first, second))
    both = labels_a.join(labels_b, on="item", maintain_order="left").filter(pl.col("label") != pl.col("label_right"))
    return both.select("item").unique(maintain_order=True).collect()["item"].to_list()
