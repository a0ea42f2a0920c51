"""Additions to the examples of a report: what other judges said of an item, and the items that nobody got right."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import polars as pl

from karat.report import cut
from karat.schemas.outcomes import OUTCOMES, as_text

OTHERS = "others"
"""Column of examples: JSON, a list of what others said of the same: judge, label, outcome and texts of its own."""
MEANT = "meant"
"""What is true of others who are looked at as the judge is, and stand beside it."""

_MOST = 12
"""Judges that stand beside one."""
_TEXT = 600
"""Characters of a text of theirs."""
_COMMON = ("item", "part")

JUDGES = "judges"
"""The column of how many judged an item."""
ABOUT = (
    "Items that at least two judged and nobody judged right: the reference may be wrong there, or the question "
    "unclear. Those judged most often stand first, 50 at most."
)
MOST = 50
_SAID = "said"


def beside(
    chosen: pl.DataFrame,
    outcomes: pl.LazyFrame,
    unsaid: Collection[str],
    own_texts: Callable[[Sequence[Mapping[str, Any]]], Sequence[Mapping[str, str]]] | None,
) -> pl.DataFrame:
    """The chosen outcomes with OTHERS, which is null where nobody else judged the same.

    outcomes: of all judges on the same items. unsaid: columns that do not distinguish questions. own_texts: returns the
    texts by the judge of each outcome.
    """
    keys = [*_COMMON, *(name for name in chosen.columns if name not in {*OUTCOMES, *unsaid})]
    items = chosen.lazy().select(*keys, mine="judge").with_row_index("place")
    rows = (
        items.join(as_text(outcomes), on=keys, how="inner", nulls_equal=True, maintain_order="left_right")
        .filter(pl.col("judge") != pl.col("mine"))
        .filter(pl.int_range(pl.len()).over("place") < _MOST)
        .collect()
        .to_dicts()
    )
    peers: list[list[dict[str, str | None]]] = [[] for _ in range(chosen.height)]
    for row, peer_texts in zip(rows, own_texts(rows) if own_texts else [{}] * len(rows), strict=True):
        verdict = {name: row[name] for name in ("judge", "label", "outcome")}
        peers[row["place"]].append(verdict | {name: cut(text, _TEXT) for name, text in peer_texts.items()})
    column = [json.dumps(many, ensure_ascii=False) if many else None for many in peers]
    return chosen.with_columns(pl.Series(OTHERS, column, pl.String))


def hardest(outcomes: pl.LazyFrame, keys: Sequence[str], right: pl.Expr) -> pl.DataFrame:
    """Item, keys, what the reference and the judges said, and how many these are.

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
    return as_text(rows).sort(*order, descending=[*order.values()], nulls_last=True).head(MOST).collect()
