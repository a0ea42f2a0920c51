"""Matches become counts per text, which can be added up over texts, clusters and files."""

from collections.abc import Mapping

import numpy as np
import polars as pl

from karat.evaluations.violations.rules import DECIMALS
from karat.evaluations.violations.spans import Floats, Integers, summed
from karat.schemas.violations import PLACE

MATCHED = "text"
"""The kind of counts that a rule of matching makes of a text."""
OVERLAP = "overlap"
"""The variant in which nothing but the offsets counts."""
KINDS = ("exact", "partial", "character")
"""What is counted of overlap: spans with the same offsets, those and half of what else overlaps, characters."""

HALF = 0.5
"""What a span that overlaps but is not the same counts in partial figures."""

SCORE_UNITS = 10**DECIMALS
"""Sums of scores are whole numbers of so many parts of 1, so that they do not depend on the order of matches."""

Tally = dict[str, Floats | Integers]
"""Of each text: found (of what is true and predicted), predicted, true; and score, the sum of the matches' scores."""


def tallies(
    predicted: pl.DataFrame, truth: pl.DataFrame, found: Mapping[str, pl.DataFrame], texts: int
) -> dict[tuple[str, str], Tally]:
    """What was found by each variant: (variant, kind) -> Tally. Kinds of overlap have no scores.

    texts: how many there are.
    """
    sides = {"predicted": summed(predicted[PLACE], None, texts), "true": summed(truth[PLACE], None, texts)}
    tables: dict[tuple[str, str], Tally] = {}
    for variant, pairs in found.items():
        place = predicted[PLACE].gather(pairs["predicted"])
        if variant == OVERLAP:
            exact = pairs["overlap"] == 1
            same, part = (summed(place.filter(rows), None, texts) for rows in (exact, ~exact))
            tables[variant, "exact"] = {"found": same, **sides}
            tables[variant, "partial"] = {"found": same + HALF * part, **sides}
            tables[variant, "character"] = _characters(predicted, truth, texts)
        else:
            score = np.zeros(texts, dtype=np.int64)
            np.add.at(score, place.to_numpy(), np.rint(pairs["score"].to_numpy() * SCORE_UNITS).astype(np.int64))
            tables[variant, MATCHED] = {"found": summed(place, None, texts), **sides, "score": score}
    return tables


def _characters(predicted: pl.DataFrame, truth: pl.DataFrame, texts: int) -> Tally:
    """Characters in some span of either side, and in spans of both."""
    ours, theirs, either = (_covered(one, texts) for one in (predicted, truth, pl.concat([predicted, truth])))
    return {"found": ours + theirs - either, "predicted": ours, "true": theirs}


def _covered(spans: pl.DataFrame, texts: int) -> Floats:
    """How many characters of each text stand in some span."""
    ordered = spans.select(PLACE, "start", "end").sort(PLACE, "start")
    # Offsets count on from text to text, so that what earlier texts reach is never ahead of a start.
    behind = pl.col(PLACE).cast(pl.Int64) * (1 + pl.col("end").max())
    reached = (behind + pl.col("end")).cum_max().shift(1, fill_value=0) - behind
    new = ordered.select((pl.col("end") - pl.max_horizontal("start", reached)).clip(0)).to_series()
    return summed(ordered[PLACE], new, texts)


def some(tally: Tally, texts: Integers) -> Tally:
    """The same of some texts."""
    return {name: values[texts] for name, values in tally.items()}
