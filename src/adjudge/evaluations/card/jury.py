"""A jury: the majority label of several judges, or their median on an ordered scale, as one more judge."""

from collections.abc import Sequence

import polars as pl

from adjudge.errors import OptionError
from adjudge.readers.problems import counted, listed

JURY = "jury"
"""The name of the jury among judges."""
_OWN = ("who", "label", "place", "draw", "order", "certainty")
"""Columns of labels that a jury does not take over from its members."""


def with_jury(labels: pl.DataFrame, members: Sequence[str]) -> tuple[pl.DataFrame, str]:
    """Labels with those of the jury, and a remark on the items that it excludes.

    A member's first label of an item counts. Nominal labels: the one that most members give; ordered ones: the median.
    An item that a member has not labelled, or without such a label, gets none. labels: item, who, label, place (null
    for nominal labels) and further columns of items.
    """
    known = labels["who"].unique().cast(pl.String).to_list()
    if len(members) < 2 or JURY in known:  # noqa: PLR2004 - one alone is no jury
        problem = f"an annotator is called {JURY}" if JURY in known else "expected two judges or more"
        raise OptionError(problem, option="jury", found=listed(members))
    votes = labels.filter(pl.col("who").cast(pl.String).is_in(list(members))).unique(
        ["item", "who"], keep="first", maintain_order=True
    )
    further = [pl.col(name).first() for name in votes.columns if name not in ("item", *_OWN)]
    if votes["place"].null_count() < votes.height:
        middle = pl.col("label").sort_by("place")
        low, high = (middle.get(index) for index in ((pl.len() - 1) // 2, pl.len() // 2))
        chosen = pl.when(low == high).then(low)
    else:
        chosen = pl.when(pl.col("label").mode().len() == 1).then(pl.col("label").mode().first())
    by_item = votes.group_by("item", maintain_order=True).agg(
        chosen.alias("label"), pl.len().alias("__votes"), *further
    )
    jury = by_item.filter((pl.col("__votes") == len(members)) & pl.col("label").is_not_null()).drop("__votes")
    places = votes.select("label", "place").unique("label")
    jury = jury.join(places, on="label", how="left", maintain_order="left")
    lacking = by_item.height - jury.height
    excluded = counted(lacking, "item has no label of the jury", "items have no label of the jury")
    who = pl.lit(JURY).cast(pl.Categorical()).alias("who")
    added = pl.concat([labels, jury.with_columns(who)], how="diagonal")
    return added, f"{excluded}: its members are divided, or one has none" if lacking else ""
