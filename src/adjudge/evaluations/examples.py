"""Additions to the examples of a report: labels of other judges (peers), and items that every judge got wrong."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import polars as pl

from adjudge.report import truncate
from adjudge.schemas.outcomes import OUTCOMES, categories_as_text

PEERS = "others"
"""Column of examples: JSON, a list of the peers on the same item: judge, label, outcome and texts by the judge."""

_MOST_PEERS = 12
"""The most peers shown for an example."""
_TEXT = 600
"""The most characters of a peer's text."""
_COMMON = ("item", "part")

JUDGES = "judges"
"""The column of the number of judges of an item."""
TOTAL = "of"
"""The column of the number of items in all, if the table does not list all of them."""
HARD_ITEMS_ABOUT = (
    "Items that at least two judged and nobody judged right: the reference may be wrong there, or the question "
    "unclear. Those judged most often stand first, 50 at most."
)
MOST_HARD_ITEMS = 50
_SAID = "said"


def with_peer_labels(
    chosen: pl.DataFrame,
    outcomes: pl.LazyFrame,
    unsaid: Collection[str],
    own_texts: Callable[[Sequence[Mapping[str, Any]]], Sequence[Mapping[str, str]]] | None,
) -> pl.DataFrame:
    """The chosen outcomes with the column OTHERS: labels of other judges on the same, null where there are none.

    outcomes: of all judges on the same items. unsaid: columns that do not distinguish questions. own_texts: returns the
    texts by the judge of each outcome.
    """
    keys = [*_COMMON, *(name for name in chosen.columns if name not in {*OUTCOMES, *unsaid})]
    items = chosen.lazy().select(*keys, mine="judge").with_row_index("place")
    rows = (
        items.join(categories_as_text(outcomes), on=keys, how="inner", nulls_equal=True, maintain_order="left_right")
        .filter(pl.col("judge") != pl.col("mine"))
        .filter(pl.int_range(pl.len()).over("place") < _MOST_PEERS)
        .collect()
        .to_dicts()
    )
    peers: list[list[dict[str, str | None]]] = [[] for _ in range(chosen.height)]
    for row, peer_texts in zip(rows, own_texts(rows) if own_texts else [{}] * len(rows), strict=True):
        verdict = {name: row[name] for name in ("judge", "label", "outcome")}
        peers[row["place"]].append(verdict | {name: truncate(text, _TEXT) for name, text in peer_texts.items()})
    column = [json.dumps(many, ensure_ascii=False) if many else None for many in peers]
    return chosen.with_columns(pl.Series(PEERS, column, pl.String))


def hard_items(outcomes: pl.LazyFrame, keys: Sequence[str], right: pl.Expr) -> pl.DataFrame:
    """Items that every judge got wrong: item, keys, the labels of reference and judges, and the number of judges.

    Limited as in `first_hard_items`.

    outcomes: those of labels that can be right or wrong. keys: columns that tell an item's questions apart. right:
    whether a label is.
    """
    names = ["item", *keys]
    grouped = outcomes.group_by(names).agg(pl.len(), right.any().alias("right"))
    never = grouped.filter(~pl.col("right"), pl.col("len") > 1).select(names)
    labels = pl.col("label").unique().cast(pl.String).sort().str.join(", ")
    rows = (
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
    table = categories_as_text(rows).sort(*order, descending=[*order.values()], nulls_last=True).collect()
    return first_hard_items(table)


def first_hard_items(table: pl.DataFrame) -> pl.DataFrame:
    """The first MOST_HARD_ITEMS rows; if there are more, TOTAL says how many."""
    if table.height <= MOST_HARD_ITEMS:
        return table
    return table.head(MOST_HARD_ITEMS).with_columns(pl.lit(table.height, pl.Int64).alias(TOTAL))
