"""Items that everyone gets wrong: often the reference is wrong there, or the question unclear."""

from collections.abc import Sequence

import polars as pl

from karat.schemas.outcomes import as_text

JUDGES = "judges"
"""The column of how many judged an item."""
ABOUT = (
    "Items that at least two judged and nobody judged right: the reference may be wrong there, or the question "
    "unclear. Those judged most often stand first, 50 at most."
)
MOST = 50
_SAID = "said"


def hardest(outcomes: pl.LazyFrame, keys: Sequence[str], right: pl.Expr) -> pl.DataFrame:
    """Item, keys, what the reference and the judges said, and how many these are.

    outcomes: those of labels that can be right or wrong. keys: columns that tell an item's questions apart. right:
    whether a label is.
    """
    names = ["item", *keys]
    grouped = outcomes.group_by(names).agg(pl.len(), right.any().alias("right"))
    never = grouped.filter(~pl.col("right"), pl.col("len") > 1).select(names)
    labels = pl.col("label").unique().cast(pl.String).sort().str.join(", ")
    found = (
        outcomes.join(never, on=names, how="semi", nulls_equal=True)
        .group_by(names)
        .agg(
            pl.col("reference_label").first(),
            labels.alias(_SAID),
            pl.col("judge").n_unique().cast(pl.Int64).alias(JUDGES),
        )
        .filter(pl.col(JUDGES) > 1)
    )
    order = {JUDGES: True} | dict.fromkeys(names, False)
    return as_text(found).sort(*order, descending=[*order.values()], nulls_last=True).head(MOST).collect()
