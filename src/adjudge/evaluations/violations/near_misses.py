"""Near misses: for each unmatched violation the closest one of the other side, and the part that fails to match."""

import polars as pl

from adjudge.evaluations.violations.match_settings import DECIMALS, PARTS, MatchRule
from adjudge.evaluations.violations.span_matching import SpanSides, candidate_pairs, pair_scores, with_similarities
from adjudge.schemas.violations import INVENTED

NOTHING_THERE = "nothing there"
"""No violation of the other side overlaps it."""
NOT_IN_TEXT = "not in the text"
"""It quotes words that the text does not hold."""
TAKEN_BY_OTHER = "taken"
"""The closest one would match, and matches another."""
SEVERAL = "several parts"
"""No single part would make a match if its similarity were 1."""
_CALLED = {"overlap": "boundary"}

NEAR = ("failed", "short", "near_start", "near_end")
"""Columns of outcomes without a match: what failed, how far the score lies below the threshold, the closest one's
offsets."""

_OTHER = {"predicted": "truth", "truth": "predicted"}


def find_near_misses(sides: SpanSides, rule: MatchRule, matches: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """The unmatched violations of either side, in their order: the row (in a column named as the side), and NEAR.

    What comes closest has the highest score, of equal ones the larger overlap. What failed is the part that would
    make a match if it were alike in full, of several the one that lacks most of the score. short: 0 where the score
    suffices and another threshold does not.
    """
    spans = {"predicted": sides.predicted, "truth": sides.truth}
    alone = {side: pl.int_range(one.height, eager=True).alias(side) for side, one in spans.items()}
    alone = {side: rows.filter(~rows.is_in(matches[side].implode())) for side, rows in alone.items()}
    closest_by_side: dict[str, list[pl.DataFrame]] = {side: [] for side in spans}
    for batch in candidate_pairs(sides, rule.most):
        of_interest = pl.any_horizontal(pl.col(side).is_in(rows.implode()) for side, rows in alone.items())
        pairs = with_similarities({*rule.weighted_parts, *_part_thresholds(rule)}, batch.filter(of_interest), sides)
        pairs = pairs.with_columns(score=pair_scores(pairs, rule)).with_columns(
            _failed_part(rule).alias("failed"), (rule.score - pl.col("score")).clip(0).round(DECIMALS).alias("short")
        )
        for side, rows in alone.items():
            side_pairs = pairs.filter(pl.col(side).is_in(rows.implode()))
            closest = side_pairs.sort("score", "overlap", _OTHER[side], descending=[True, True, False])
            closest_by_side[side].append(closest.unique(side, keep="first").select(*_OTHER, "failed", "short"))
    return {side: _explain_side(side, alone[side], pl.concat(parts), spans) for side, parts in closest_by_side.items()}


def _explain_side(side: str, rows: pl.Series, closest: pl.DataFrame, spans: dict[str, pl.DataFrame]) -> pl.DataFrame:
    other = _OTHER[side]
    joined = rows.to_frame().join(closest, on=side, how="left", maintain_order="left")
    near = spans[other].select(pl.col(name).gather(joined[other]).name.prefix("near_") for name in ("start", "end"))
    nothing = pl.when(spans[side][INVENTED][rows].is_null()).then(pl.lit(NOTHING_THERE)).otherwise(pl.lit(NOT_IN_TEXT))
    return joined.with_columns(pl.coalesce("failed", nothing)).hstack(near).select(side, *NEAR)


def _failed_part(rule: MatchRule) -> pl.Expr:
    """The part that kept a pair from matching, given its parts and score."""
    limits = _part_thresholds(rule)
    failing = {part: (pl.col(part) <= limit).fill_null(value=False) for part, limit in limits.items()}
    weight = pl.sum_horizontal(rule.weights[part] * pl.col(part).is_not_null() for part in rule.weighted_parts)
    enough = pl.col("score") > rule.score
    gains = {}
    for part in PARTS:
        if part not in (*rule.weighted_parts, *limits):
            continue
        alone = pl.lit(float(part == "overlap"))  # which is the score where nothing that both say weighs
        share = pl.when(weight > 0).then(rule.weights.get(part, 0.0) / weight).otherwise(alone)
        gain = share * (1 - pl.col(part))
        others = pl.any_horizontal(pl.lit(value=False), *(fails for name, fails in failing.items() if name != part))
        mended = ((pl.col("score") + gain).round(DECIMALS) > rule.score) & ~others
        gains[part] = pl.when(mended).then(gain)
    most = pl.max_horizontal(gains.values())
    blamed = (pl.when(gain == most).then(pl.lit(_CALLED.get(part, part))) for part, gain in gains.items())
    fits = enough & ~pl.any_horizontal(pl.lit(value=False), *failing.values())
    return pl.when(fits).then(pl.lit(TAKEN_BY_OTHER)).otherwise(pl.coalesce(*blamed, pl.lit(SEVERAL)))


def _part_thresholds(rule: MatchRule) -> dict[str, float]:
    """The thresholds of parts."""
    return {part: limit for part, limit in {"overlap": rule.overlap, "rule": rule.rule}.items() if limit >= 0}
