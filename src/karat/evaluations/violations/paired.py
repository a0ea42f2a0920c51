"""How two runs are compared: what checkers found in the same texts."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from karat.evaluations.comparing import KIND, Pairing
from karat.evaluations.comparing.figures import Figure, Integers, Moves, Of, share
from karat.evaluations.violations.counts import OVERLAP, tallies
from karat.evaluations.violations.matching import matches
from karat.evaluations.violations.metrics import MACRO, MICRO
from karat.evaluations.violations.outcomes import TRUE_CATEGORY
from karat.evaluations.violations.scoring import ALONE, MOST_VALUES
from karat.evaluations.violations.spans import as_arrays
from karat.schemas.violations import PLACE, TEXT_PARTS

_FOUND, _PREDICTED, _TRUE, _SCORE = (pl.col(name) for name in ("found", "predicted", "true", "score"))
_NOTHING_TRUE, _NOTHING_SAID = "nothing is true", "nothing is predicted"
_KINDS = ("true_positive", "false_positive", "false_negative")


def _rows(outcomes: pl.LazyFrame, keys: Sequence[str]) -> pl.LazyFrame:
    """A row per text: how many violations it has, how many are predicted, how many of these match."""
    found, invented, missed = (pl.col("outcome") == kind for kind in _KINDS)
    sums = outcomes.group_by("item", "judge", *keys, maintain_order=True).agg(
        pl.col("cluster").first(),
        found.sum().cast(pl.Int64).alias("found"),
        (found | invented).sum().cast(pl.Int64).alias("predicted"),
        (found | missed).sum().cast(pl.Int64).alias("true"),
        pl.col("value").filter(found).sum().alias("score"),
    )
    return sums.with_columns(pl.lit("text").alias(KIND))


def _outcome() -> pl.Expr:
    missed, invented = _FOUND < _TRUE, _FOUND < _PREDICTED
    return (
        pl.when(missed & invented)
        .then(pl.lit("missed_and_invented"))
        .when(missed)
        .then(pl.lit("missed"))
        .when(invented)
        .then(pl.lit("invented"))
        .otherwise(pl.lit("right"))
    )


_RATIOS = {
    "precision": (_FOUND, _PREDICTED, _NOTHING_SAID),
    "recall": (_FOUND, _TRUE, _NOTHING_TRUE),
    "f1": (2 * _FOUND, _PREDICTED + _TRUE, "nothing is true or predicted"),
    "match_score": (_SCORE, _TRUE, _NOTHING_TRUE),
    "match_quality": (_SCORE, _FOUND, "nothing matches"),
}


def _figures(_: Mapping[str, Any]) -> list[Figure]:
    return [
        *(Figure(metric, share(*ratio), "text", keys={"average": MICRO}) for metric, ratio in _RATIOS.items()),
        *(Figure(metric, _mean(*ratio), "text", keys={"average": MACRO}) for metric, ratio in _RATIOS.items()),
    ]


def _mean(above: pl.Expr, below: pl.Expr, reason: str) -> Of:
    """The mean over the texts in which a ratio is defined."""
    return share(pl.when(below > 0).then(above / below), below > 0, reason)


def _told() -> pl.Expr:
    invented = pl.when(_PREDICTED > _FOUND).then(pl.format(", {} invented", _PREDICTED - _FOUND)).otherwise(pl.lit(""))
    return pl.format("{} of {} found{}", _FOUND, _TRUE, invented)


# --- by rule and by category ---

_SIDES = ("predicted", "predicted_hit", "true", "true_hit")


def _by(part: str, predicted: str, true: str) -> Pairing:
    """The figures of each rule (category). predicted, true: the columns that say which one either side names."""
    return Pairing(
        rows=partial(_rows_by, part, predicted, true),
        states=_SIDES,
        figures=_figures_by,
        keys=(part,),
        names=("split",),
        unkept=(TRUE_CATEGORY,),
        needed="true",
        most=(part, MOST_VALUES),
    )


def _rows_by(part: str, predicted: str, true: str, outcomes: pl.LazyFrame, keys: Sequence[str]) -> pl.LazyFrame:
    """A row per text and rule that is named there, the most frequent rules first; none where nobody names any."""
    found, invented, missed = (pl.col("outcome") == kind for kind in _KINDS)
    one, hit, nothing = pl.lit(1, pl.Int64), found.cast(pl.Int64), pl.lit(0, pl.Int64)
    sides = (
        outcomes.filter(found | other).select(
            *("item", "cluster", "judge", *keys),
            pl.col(name).alias(part),
            *(count.alias(side) for side, count in zip(_SIDES, counts, strict=True)),
        )
        for name, other, counts in (
            (predicted, invented, (one, hit, nothing, nothing)),
            (true, missed, (nothing, nothing, one, hit)),
        )
    )
    named = pl.concat(sides).filter(pl.col(part).is_not_null().any())
    often = named.group_by(part).len().sort("len", part, descending=[True, False], nulls_last=True)
    rows = often.select(part).join(named, on=part, nulls_equal=True, maintain_order="left_right")
    sums = rows.group_by("item", "judge", *keys, part, maintain_order=True).agg(
        pl.col("cluster").first(), pl.col(_SIDES).sum()
    )
    return sums.with_columns(pl.lit(part).alias(KIND))


def _figures_by(_: Mapping[str, Any]) -> list[Figure]:
    predicted, predicted_hit, true, true_hit = map(pl.col, _SIDES)
    precision, recall = share(predicted_hit, predicted, _NOTHING_SAID), share(true_hit, true, _NOTHING_TRUE)
    figures = {"precision": precision, "recall": recall, "f1": _harmonic_mean(precision, recall)}
    parts = ("rule", "category")
    return [Figure(metric, of, part, table=f"by_{part}") for metric, of in figures.items() for part in parts]


def _harmonic_mean(precision: Of, recall: Of) -> Of:
    """2 P R / (P + R), of shares over different violations of the same texts."""

    def of(states: pl.DataFrame, counts: Integers) -> Moves:
        one, other = precision(states, counts), recall(states, counts)
        if one.value is None or other.value is None:
            return one if one.value is None else other
        p, r, counted = one.value, other.value, one.counted | other.counted
        if p + r == 0:
            return Moves(0.0, np.zeros(states.height), counted)
        influence = 2 * (r**2 * one.influence + p**2 * other.influence) / (p + r) ** 2
        return Moves(2 * p * r / (p + r), influence, counted)

    return of


# --- overlap of spans alone ---

_SPAN_KINDS = ("exact", "partial", "character")
_COUNTS = ("found", "predicted", "true")


def _rows_of_overlap(outcomes: pl.LazyFrame, keys: Sequence[str]) -> pl.LazyFrame:
    """A row per text and kind of overlap, from the offsets that outcomes tell; each variant has the same spans."""
    told = outcomes.filter(pl.col("variant") == pl.col("variant").first()).collect()
    frames = [_overlap_of(rows, keys) for rows in told.partition_by("judge", maintain_order=True)]
    return pl.concat(frames).lazy()


def _overlap_of(rows: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """The same of one judge."""
    texts = rows.select("item", "cluster", "judge", *keys).unique("item", maintain_order=True)
    places = texts.select("item", pl.int_range(pl.len()).alias(PLACE))
    offsets = rows.join(places, on="item").with_columns(pl.col("detail").str.split(" "))
    found, invented, missed = (pl.col("outcome") == kind for kind in _KINDS)
    sides = [
        _spans(offsets.filter(found | other), place, *names)
        for other, place, names in ((invented, 0, ("label", "part")), (missed, -1, ("reference_label", TRUE_CATEGORY)))
    ]
    (predicted, true), _ = as_arrays(sides)
    matched = matches(predicted, true, {OVERLAP: ALONE}, {})
    tables = tallies(predicted, true, matched, texts.height)
    about = texts.with_columns(pl.lit(OVERLAP).alias(name) for name in ("variant",) if name in keys)
    return pl.concat(
        about.with_columns(
            pl.lit(kind).alias(KIND), *(pl.Series(name, getattr(tables[OVERLAP, kind], name)) for name in _COUNTS)
        )
        for kind in _SPAN_KINDS
    )


def _spans(rows: pl.DataFrame, place: int, rule: str, category: str) -> pl.DataFrame:
    """The spans of one side, sorted. place: of their offsets among those that a row tells."""
    ends = pl.col("detail").list.get(place).str.split("-")
    spans = rows.select(
        PLACE,
        *(ends.list.get(end).cast(pl.Int64).alias(name) for end, name in enumerate(("start", "end"))),
        pl.col(rule).alias("rule"),
        pl.col(category).alias("category"),
        *(pl.lit(None, pl.String).alias(name) for name in TEXT_PARTS if name not in ("rule", "category")),
    )
    return spans.sort(PLACE, "start", "end", "rule", "category")


def _figures_of_overlap(_: Mapping[str, Any]) -> list[Figure]:
    return [
        Figure(f"{kind}_{metric}", of, kind, keys={"average": average})
        for kind in _SPAN_KINDS
        for metric in ("precision", "recall", "f1")
        for average, of in ((MICRO, share(*_RATIOS[metric])), (MACRO, _mean(*_RATIOS[metric])))
    ]


PAIRING = Pairing(
    rows=_rows,
    states=("found", "predicted", "true", "score"),
    figures=_figures,
    outcome=_outcome(),
    worth=(2 * _FOUND - _PREDICTED - _TRUE).cast(pl.Float64),
    label=_told(),
    names=("split",),
    unkept=(TRUE_CATEGORY,),
    needed="true",
    judge_options=("checker", "predicted_annotator"),
    trusted=1,
    further=(
        Pairing(
            rows=_rows_of_overlap,
            states=_COUNTS,
            figures=_figures_of_overlap,
            names=("split",),
            unkept=(TRUE_CATEGORY,),
            needed="true",
        ),
        _by("category", "part", TRUE_CATEGORY),
        _by("rule", "label", "reference_label"),
    ),
)
