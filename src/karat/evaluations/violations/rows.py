"""The rows that figures rest on, derived from outcomes."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from karat.evaluations.violations.matching import matches
from karat.evaluations.violations.rules import ALONE
from karat.evaluations.violations.spans import with_categories
from karat.evaluations.violations.tallies import KINDS, MATCHED, OVERLAP, SCORE_UNITS, tallies
from karat.figures.views import KIND
from karat.schemas.violations import PLACE, TEXT_PARTS

ABOUT = ("start", "end", "predicted_start", "predicted_end", "true_category")
"""Columns of outcomes behind their keys: where the true and the predicted violation stand, the true one's category."""

COUNTS = ("found", "predicted", "true")
SIDES = ("predicted", "predicted_hit", "true", "true_hit")
"""Of a rule (category): how many either side names, and how many of these match."""

_FOUND, _INVENTED, _MISSED = (
    pl.col("outcome") == kind for kind in ("true_positive", "false_positive", "false_negative")
)

Options = Mapping[str, Any]


def rows_of_texts(outcomes: pl.LazyFrame, keys: Sequence[str], _: Options) -> pl.LazyFrame:
    """A row per text: how many violations it has, how many are predicted, how many of these match, their scores."""
    score = (pl.col("value") * SCORE_UNITS).round().cast(pl.Int64)
    sums = outcomes.group_by("item", "judge", *keys, maintain_order=True).agg(
        pl.col("cluster").first(),
        _FOUND.sum().cast(pl.Int64).alias("found"),
        (_FOUND | _INVENTED).sum().cast(pl.Int64).alias("predicted"),
        (_FOUND | _MISSED).sum().cast(pl.Int64).alias("true"),
        score.filter(_FOUND).sum().alias("score"),
    )
    return sums.with_columns(pl.lit(MATCHED).alias(KIND))


def rows_by(
    part: str, predicted: str, true: str, outcomes: pl.LazyFrame, keys: Sequence[str], _: Options
) -> pl.LazyFrame:
    """A row per text and rule that is named there, the most frequent rules first; none where nobody names any."""
    one, hit, nothing = pl.lit(1, pl.Int64), _FOUND.cast(pl.Int64), pl.lit(0, pl.Int64)
    sides = (
        outcomes.filter(_FOUND | other).select(
            *("item", "cluster", "judge", *keys),
            pl.col(name).alias(part),
            *(count.alias(side) for side, count in zip(SIDES, counts, strict=True)),
        )
        for name, other, counts in (
            (predicted, _INVENTED, (one, hit, nothing, nothing)),
            (true, _MISSED, (nothing, nothing, one, hit)),
        )
    )
    named = pl.concat(sides).filter(pl.col(part).is_not_null().any())
    often = named.group_by(part).len().sort("len", part, descending=[True, False], nulls_last=True)
    rows = often.select(part).join(named, on=part, nulls_equal=True, maintain_order="left_right")
    sums = rows.group_by("item", "judge", *keys, part, maintain_order=True).agg(
        pl.col("cluster").first(), pl.col(SIDES).sum()
    )
    return sums.with_columns(pl.lit(part).alias(KIND))


def rows_of_overlap(outcomes: pl.LazyFrame, keys: Sequence[str], _: Options) -> pl.LazyFrame:
    """A row per text and kind of overlap, matched again by offsets alone; each variant has the same spans."""
    told = outcomes.filter(pl.col("variant") == pl.col("variant").first()).collect()
    frames = [_overlap_of(rows, keys) for rows in told.partition_by("judge", maintain_order=True)]
    return pl.concat(frames).lazy()


def _overlap_of(rows: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """The same of one judge."""
    texts = rows.select("item", "cluster", "judge", *keys).unique("item", maintain_order=True)
    placed = rows.join(texts.select("item", pl.int_range(pl.len()).alias(PLACE)), on="item")
    sides = [
        _spans(placed.filter(_FOUND | _INVENTED), "predicted_start", "predicted_end", "label", "part"),
        _spans(placed.filter(_FOUND | _MISSED), "start", "end", "reference_label", "true_category"),
    ]
    predicted, true = with_categories(sides)
    tables = tallies(predicted, true, matches(predicted, true, {OVERLAP: ALONE}, {}), texts.height)
    about = texts.with_columns(pl.lit(OVERLAP).alias(name) for name in ("variant",) if name in keys)
    return pl.concat(
        about.with_columns(pl.lit(kind).alias(KIND), *(pl.Series(name, tables[OVERLAP, kind][name]) for name in COUNTS))
        for kind in KINDS
    )


def _spans(rows: pl.DataFrame, start: str, end: str, rule: str, category: str) -> pl.DataFrame:
    """The spans of one side, sorted, from the columns that tell them."""
    columns = {PLACE: PLACE, "start": start, "end": end, "rule": rule, "category": category}
    spans = rows.select(
        *(pl.col(column).alias(name) for name, column in columns.items()),
        *(pl.lit(None, pl.String).alias(name) for name in TEXT_PARTS if name not in columns),
    )
    return spans.sort(PLACE, "start", "end", "rule", "category")
