"""People and judges of known skill, to compare estimates with the truth."""

from collections.abc import Iterator
from itertools import combinations, product
from statistics import fmean

import numpy as np
import polars as pl

from adjudge.report import typed_table

LABELS = ("unhelpful", "helpful")
PEOPLE = {"ana": 0.92, "ben": 0.88, "cleo": 0.85, "dev": 0.8, "eva": 0.75}
"""Each person's probability of the right label."""
SHARE = 0.8
"""Each person's share of the items."""
JUDGES = {"steady": (0.88, 0.0), "hasty": (0.7, 0.15)}
"""Each judge's mean probability of the right label, and by how much its confidence exceeds that."""
SPREAD = 0.1
"""How far a judge's probability lies from its mean, up or down, from item to item."""
ITEMS = 300
DRAWS = 2
_WINDOW = 100


def simulate(seed: int, items: int = ITEMS) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Labels of people and judges, and the truth about the judges.

    All err independently. Two who are right with p and q give the same of two labels with p q + (1 - p) (1 - q).
    Returns the long table (item, annotator, label, draw, certainty, month, text) and the truth (judge, metric, truth).
    """
    draw = np.random.default_rng(seed)
    true = draw.integers(2, size=items)
    labels = []
    for name, skill in PEOPLE.items():
        labelled = pl.Series(draw.random(items) < SHARE)
        labels.append(_label_rows(draw, true, np.full(items, skill), name, 1, None).filter(labelled))
    for (name, (skill, boast)), nth in product(JUDGES.items(), range(1, DRAWS + 1)):
        # Its chance of being right differs from item to item, and is the same in all draws.
        sure = skill + SPREAD * np.random.default_rng([*map(ord, name)]).choice([-1, 1], size=items)
        labels.append(_label_rows(draw, true, sure, name, nth, np.minimum(sure + boast, 1.0).round(3)))
    table = pl.concat(labels).with_columns(
        item=pl.format("item-{}", pl.col("place").cast(pl.String).str.zfill(3)),
        label=pl.col("label").replace_strict([0, 1], LABELS),
        month=pl.format("2026-0{}", (pl.col("place") - 1) // _WINDOW + 1),
        text=pl.format("Made-up answer {}", pl.col("place")),
    )
    names = ("item", "annotator", "label", "draw", "certainty", "month", "text")
    return table.sort("place", "annotator", "draw").select(names), typed_table([*_truths()])


def _label_rows(
    draw: np.random.Generator, true: np.ndarray, right: np.ndarray, name: str, nth: int, certainty: np.ndarray | None
) -> pl.DataFrame:
    label = np.where(draw.random(len(true)) < right, true, 1 - true)
    return pl.DataFrame({"place": np.arange(1, len(true) + 1), "label": label}).with_columns(
        annotator=pl.lit(name),
        draw=pl.lit(nth),
        certainty=pl.Series(certainty if certainty is not None else [None] * len(true), dtype=pl.Float64),
    )


def _truths() -> Iterator[dict[str, object]]:
    def pair_agreement(first: float, second: float) -> float:
        return first * second + (1 - first) * (1 - second)

    skills = PEOPLE.values()
    people = fmean(pair_agreement(first, second) for first, second in combinations(skills, 2))
    for judge, (skill, _) in JUDGES.items():
        agreement = fmean(pair_agreement(skill, other) for other in skills)
        truths = {"agreement": agreement, "people_agreement": people, "agreement_difference": agreement - people}
        yield from ({"judge": judge, "metric": metric, "truth": truth} for metric, truth in truths.items())
