"""The rows that metrics rest on: counts per text, made of outcomes, or of the matches themselves."""

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from adjudge.evaluations.violations.match_settings import ALONE, DECIMALS
from adjudge.evaluations.violations.span_matching import (
    NEAR,
    Floats,
    SpanSides,
    match_spans,
    sum_by_text,
    with_shared_categories,
)
from adjudge.metrics.metric import KIND
from adjudge.schemas.violations import INVENTED, PLACE, TEXT_PARTS

MATCHED = "text"
"""The kind of counts that a rule of matching makes of a text."""
OVERLAP = "overlap"
"""The variant that compares offsets alone."""
KINDS = ("exact", "partial", "character")
"""What is counted of overlap: spans with the same offsets, those and half of what else overlaps, characters."""

HALF = 0.5
"""What a span that overlaps but is not the same counts in partial metrics."""

SCORE_UNITS = 10**DECIMALS
"""Units per 1: sums of scores are whole numbers of units, so that they do not depend on the order of matches."""

WEIGHED = ("predicted_weight", "true_weight")
"""Columns of outcomes: what either violation weighs by its severity; null where severities have no weights."""

ABOUT = ("start", "end", "predicted_start", "predicted_end", "true_category", *NEAR, *WEIGHED)
"""Columns of outcomes behind their keys: where the true and the predicted violation stand, the true one's category, and
why there is no match, and what both weigh."""

COUNTS = ("found", "predicted", "true")
WEIGHTS = tuple(f"{name}{end}" for name in WEIGHED for end in ("", "_hit"))
"""Of a text: what the violations of either side weigh together, and those of them that match."""
WEIGHT_UNITS = 10**6
"""Units per 1: weights are whole numbers of units, so that sums do not depend on an order."""
SIDES = ("predicted", "predicted_hit", "true", "true_hit")
"""Of a rule (category): how many either side names, and how many of these match."""
TOTAL = (pl.col("predicted") + pl.col("true")).sum().alias("total")
"""How often both sides name one, by which the most frequent are chosen."""

OUTCOMES = ("true_positive", "false_positive", "false_negative")
_FOUND, _INVENTED, _MISSED = (pl.col("outcome") == outcome for outcome in OUTCOMES)


def rows_of_texts(outcomes: pl.LazyFrame, keys: Sequence[str], _: object) -> pl.LazyFrame:
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


def rows_of_weights(outcomes: pl.LazyFrame, keys: Sequence[str], _: object) -> pl.LazyFrame:
    """A row per text: how many violations each side has, and what they weigh; none where severities have no weights."""
    weighed = outcomes.filter(pl.any_horizontal(pl.col(WEIGHED).is_not_null()))
    units = {name: (pl.col(name) * WEIGHT_UNITS).round().cast(pl.Int64) for name in WEIGHED}
    sums = weighed.group_by("item", "judge", *keys, maintain_order=True).agg(
        pl.col("cluster").first(),
        *(pl.col(name).count().cast(pl.Int64).alias(side) for name, side in zip(WEIGHED, COUNTS[1:], strict=True)),
        *(unit.sum().alias(name) for name, unit in units.items()),
        *(unit.filter(_FOUND).sum().alias(f"{name}_hit") for name, unit in units.items()),
    )
    return sums.with_columns(pl.lit("weighted").alias(KIND))


def rows_by(
    part: str, predicted: str, true: str, outcomes: pl.LazyFrame, keys: Sequence[str], _: object
) -> pl.LazyFrame:
    """A row per text and rule that either side names there, the most frequent rules first."""
    sides = (
        outcomes.filter(_FOUND | other).select(
            *("item", "cluster", "judge", *keys),
            pl.col(name).alias(part),
            pl.lit(1, pl.Int64).alias(side),
            _FOUND.cast(pl.Int64).alias(f"{side}_hit"),
        )
        for side, name, other in (("predicted", predicted, _INVENTED), ("true", true, _MISSED))
    )
    named_parts = pl.concat(sides, how="diagonal").filter(pl.col(part).is_not_null().any())
    sums = named_parts.group_by("item", "judge", *keys, part, maintain_order=True).agg(
        pl.col("cluster").first(), pl.col(SIDES).sum()
    )
    often = sums.group_by(part).agg(TOTAL).sort("total", part, descending=[True, False], nulls_last=True)
    rows = often.select(part).join(sums, on=part, nulls_equal=True, maintain_order="left_right")
    return rows.with_columns(pl.lit(part).alias(KIND))


def rows_of_overlap(outcomes: pl.LazyFrame, keys: Sequence[str], _: object) -> pl.LazyFrame:
    """A row per text and kind of overlap, matched again by offsets alone; each variant has the same spans."""
    first_variant = outcomes.filter(pl.col("variant") == pl.col("variant").first()).collect()
    nothing = [pl.lit(None, pl.String).alias(part) for part in (*TEXT_PARTS, INVENTED)]
    frames = []
    for rows in first_variant.partition_by("judge", maintain_order=True):
        texts = rows.select("item", "cluster", "judge", *keys).unique("item", maintain_order=True)
        placed = rows.join(texts.select("item", pl.int_range(pl.len()).alias(PLACE)), on="item")
        spans = (
            placed.filter(of_side)
            .select(PLACE, pl.col(f"{prefix}start").alias("start"), pl.col(f"{prefix}end").alias("end"), *nothing)
            .sort(PLACE, "start", "end")
            for of_side, prefix in ((_FOUND | _INVENTED, "predicted_"), (_FOUND | _MISSED, ""))
        )
        predicted, true = with_shared_categories([*spans])
        sides = SpanSides(predicted, true, {})
        tables = count_matches(sides, match_spans(sides, {OVERLAP: ALONE}), texts.height)
        about = texts.with_columns(pl.lit(OVERLAP).alias(name) for name in ("variant",) if name in keys)
        frames += [about.with_columns(pl.lit(kind).alias(KIND)).hstack(tables[OVERLAP, kind]) for kind in KINDS]
    return pl.concat(frames).lazy()


# --- of matches ---


def count_matches(
    sides: SpanSides, by_variant: Mapping[str, pl.DataFrame], texts: int
) -> dict[tuple[str, str], pl.DataFrame]:
    """The counts of each text, made from the matches by each variant: (variant, kind) -> a row per text.

    texts: how many there are. Kinds of overlap have no scores.
    """
    marked = {"predicted": sides.predicted, "true": sides.truth}
    counts = {side: sum_by_text(spans[PLACE], None, texts) for side, spans in marked.items()}
    tables = {}
    for variant, pairs in by_variant.items():
        place = sides.predicted[PLACE].gather(pairs["predicted"])
        if variant == OVERLAP:
            exact = pairs["overlap"] == 1
            same, part = (sum_by_text(place.filter(rows), None, texts) for rows in (exact, ~exact))
            tables[variant, "exact"] = pl.DataFrame({"found": same, **counts})
            tables[variant, "partial"] = pl.DataFrame({"found": same + HALF * part, **counts})
            both = (sides.predicted, sides.truth)
            predicted, true, either = (_covered_characters(spans, texts) for spans in (*both, pl.concat(both)))
            shared = predicted + true - either
            tables[variant, "character"] = pl.DataFrame({"found": shared, "predicted": predicted, "true": true})
        else:
            score = np.zeros(texts, dtype=np.int64)
            np.add.at(score, place.to_numpy(), np.rint(pairs["score"].to_numpy() * SCORE_UNITS).astype(np.int64))
            tables[variant, MATCHED] = pl.DataFrame(
                {"found": sum_by_text(place, None, texts), **counts, "score": score}
            )
    return tables


def _covered_characters(spans: pl.DataFrame, texts: int) -> Floats:
    """The number of characters of each text that some span covers."""
    ordered = spans.select(PLACE, "start", "end").drop_nulls().sort(PLACE, "start")
    # Offsets count on from text to text, so that what earlier texts reach is never ahead of a start.
    behind = pl.col(PLACE).cast(pl.Int64) * (1 + pl.col("end").max())
    reached = (behind + pl.col("end")).cum_max().shift(1, fill_value=0) - behind
    new = ordered.select((pl.col("end") - pl.max_horizontal("start", reached)).clip(0)).to_series()
    return sum_by_text(ordered[PLACE], new, texts)
