"""What the other judges said of the items that stand as examples."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import polars as pl

from karat.report import cut
from karat.schemas.outcomes import OUTCOMES, as_text

OTHERS = "others"
"""Column of examples: JSON, a list of what others said of the same: judge, label, outcome and texts of its own."""

_MOST = 12
"""Judges that stand beside one."""
_TEXT = 600
"""Characters of a text of theirs."""
_COMMON = ("item", "part")


def beside(
    chosen: pl.DataFrame,
    outcomes: pl.LazyFrame,
    unsaid: Collection[str],
    own: Callable[[Sequence[Mapping[str, Any]]], Sequence[Mapping[str, str]]] | None,
) -> pl.DataFrame:
    """The chosen outcomes with OTHERS, which is null where nobody else judged the same.

    outcomes: all those of their items. unsaid: columns that do not tell one question from another. own: texts that
    are a judge's own, of some outcomes.
    """
    keys = [*_COMMON, *(name for name in chosen.columns if name not in {*OUTCOMES, *unsaid})]
    same = chosen.lazy().select(*keys, mine="judge").with_row_index("place")
    rows = (
        same.join(as_text(outcomes), on=keys, how="inner", nulls_equal=True, maintain_order="left_right")
        .filter(pl.col("judge") != pl.col("mine"))
        .filter(pl.int_range(pl.len()).over("place") < _MOST)
        .collect()
        .to_dicts()
    )
    said: list[list[dict[str, str | None]]] = [[] for _ in range(chosen.height)]
    for row, told in zip(rows, own(rows) if own else [{}] * len(rows), strict=True):
        verdict = {name: row[name] for name in ("judge", "label", "outcome")}
        said[row["place"]].append(verdict | {name: cut(text, _TEXT) for name, text in told.items()})
    column = [json.dumps(many, ensure_ascii=False) if many else None for many in said]
    return chosen.with_columns(pl.Series(OTHERS, column, pl.String))
