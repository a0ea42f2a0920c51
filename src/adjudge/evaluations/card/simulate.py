"""People and judges of known skill, to compare estimates with the truth."""

from itertools import combinations
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
"""Each judge's mean probability of the right label, and by how much more it says to be sure."""
SPREAD = 0.1
"""How far a judge's probability lies from its mean, up or down, from item to item."""
ITEMS = 300
DRAWS = 2
_WINDOW = 100
MONTHS = ("2026-01", "2026-02", "2026-03")
PAIRS = 50
JUDGES_OF_PAIRS = {"drifting": ((0.9, 0.9, 0.5), 0.0), "swayed": ((0.85, 0.85, 0.85), 0.3)}
"""Each judge's probability of the better response by month, and how often it takes whichever is shown first instead."""


def simulate(seed: int, items: int = ITEMS) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Labels of people and judges, and the truth about the judges.

    All err independently. Two who are right with p and q give the same of two labels with p q + (1 - p) (1 - q).
    Returns the long table (item, annotator, label, draw, certainty, month, text) and the truth (judge, metric, truth).
    """
    draw = np.random.default_rng(seed)
    true = draw.integers(2, size=items)
    labels = [_person_labels(draw, true, name, skill) for name, skill in PEOPLE.items()]
    labels += [
        _judge_labels(draw, true, name, *known, nth) for name, known in JUDGES.items() for nth in range(1, DRAWS + 1)
    ]
    table = pl.concat(labels).with_columns(
        item=pl.format("item-{}", pl.col("place").cast(pl.String).str.zfill(3)),
        label=pl.col("label").replace_strict([0, 1], LABELS),
        month=pl.format("2026-0{}", (pl.col("place") - 1) // _WINDOW + 1),
        text=pl.format("Made-up answer {}", pl.col("place")),
    )
    names = ("item", "annotator", "label", "draw", "certainty", "month", "text")
    return table.sort("place", "annotator", "draw").select(names), typed_table(_truths())


def simulate_pairs(seed: int, items: int = PAIRS) -> pl.DataFrame:
    """Choices between two responses: people's, and judges' in both orders, month after month on the same items.

    A judge who takes the first response in a share b of its choices, and else errs alike in both orders, chooses a
    response b more often where that is shown first.
    Returns the long table (item, annotator, label, order, month).
    """
    draw = np.random.default_rng(seed)
    true = draw.integers(2, size=items)
    labels = [
        _label_rows(draw, true, np.full(items, skill), name, 1, None).with_columns(
            order=pl.lit(None, pl.String), month=pl.lit(None, pl.String)
        )
        for name, skill in PEOPLE.items()
    ]
    for name, (skills, swayed) in JUDGES_OF_PAIRS.items():
        for month, skill in zip(MONTHS, skills, strict=True):
            for first, order in enumerate(("AB", "BA")):
                own = _label_rows(draw, true, np.full(items, skill), name, 1, None)
                takes = pl.Series(draw.random(items) < swayed)
                label = pl.when(takes).then(first).otherwise("label").alias("label")
                labels.append(own.with_columns(label, order=pl.lit(order), month=pl.lit(month)))
    table = pl.concat(labels).with_columns(
        item=pl.format("pair-{}", pl.col("place").cast(pl.String).str.zfill(2)),
        label=pl.col("label").replace_strict([0, 1], ["A", "B"]),
    )
    return table.sort("place", "annotator", "month", "order").select("item", "annotator", "label", "order", "month")


def _person_labels(draw: np.random.Generator, true: np.ndarray, name: str, skill: float) -> pl.DataFrame:
    labelled = draw.random(len(true)) < SHARE
    return _label_rows(draw, true, np.full(len(true), skill), name, 1, None).filter(pl.Series(labelled))


def _judge_labels(
    draw: np.random.Generator, true: np.ndarray, name: str, skill: float, boast: float, nth: int
) -> pl.DataFrame:
    """One draw of a judge, whose chance of being right differs from item to item, and is the same in all draws."""
    sure = skill + SPREAD * np.random.default_rng([*map(ord, name)]).choice([-1, 1], size=len(true))
    return _label_rows(draw, true, sure, name, nth, np.minimum(sure + boast, 1.0).round(3))


def _label_rows(
    draw: np.random.Generator, true: np.ndarray, right: np.ndarray, name: str, nth: int, certainty: np.ndarray | None
) -> pl.DataFrame:
    label = np.where(draw.random(len(true)) < right, true, 1 - true)
    return pl.DataFrame({"place": np.arange(1, len(true) + 1), "label": label}).with_columns(
        annotator=pl.lit(name),
        draw=pl.lit(nth),
        certainty=pl.Series(certainty if certainty is not None else [None] * len(true), dtype=pl.Float64),
    )


def _pair_agreement(first: float, second: float) -> float:
    return first * second + (1 - first) * (1 - second)


def _truths() -> list[dict[str, object]]:
    skills = PEOPLE.values()
    people = fmean(_pair_agreement(first, second) for first, second in combinations(skills, 2))
    judges = {judge: fmean(_pair_agreement(skill, other) for other in skills) for judge, (skill, _) in JUDGES.items()}
    return [
        {"judge": judge, "metric": metric, "truth": truth}
        for judge, agreement in judges.items()
        for metric, truth in (
            ("agreement", agreement),
            ("people_agreement", people),
            ("agreement_difference", agreement - people),
        )
    ]
