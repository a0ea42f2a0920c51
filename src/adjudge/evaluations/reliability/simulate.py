"""Annotators of known skill, to compare estimates with the truth."""

import numpy as np
import polars as pl

from adjudge.report import typed_table

CHOICES = ("response_1", "response_2", "tie")

_RESPONSES = ("response 1", "response 2")

SKILLS = (0.95, 0.92, 0.88, 0.85, 0.8, 0.8, 0.75, 0.7, 0.62, 0.55, 0.45, 0.9)
"""Each annotator's probability of choosing as the reference does."""

FLAG_ERRORS = (0.01, 0.02, 0.03, 0.05, 0.05, 0.1, 0.04, 0.15, 0.08, 0.2, 0.12, 0.02)
"""Each annotator's probability of flagging differently from the reference."""

SHARES = (0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.35, 0.3, 0.25, 0.2, 0.15, 0.02)
"""Each annotator's share of the items; the last has so few that its metric is mostly luck."""

ITEMS = 400
FLAGGED = 0.1
"""Share of items that the reference flags."""

_WEEK = 100


def simulate(seed: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Judgments of annotators with known skill, and the truth about them.

    Every choice equals the reference's with the annotator's skill, else is one of the other two at
    random; every flag differs with the annotator's flag error; all independent. Since the reference's
    choices are uniform over three, the true kappa is (skill - 1/3) / (2/3).
    Returns the long table (item, week, prompt, response 1, response 2, annotator, flag, label, reference,
    reference_flag) and the truth (annotator, metric, truth).
    """
    draw = np.random.default_rng(seed)
    items = pl.DataFrame(
        {
            "item": [f"item-{number + 1:03}" for number in range(ITEMS)],
            "week": [f"week {number // _WEEK + 1}" for number in range(ITEMS)],
            "prompt": [f"Made-up prompt {number + 1}" for number in range(ITEMS)],
            **{name: [f"Made-up {name} to prompt {number + 1}" for number in range(ITEMS)] for name in _RESPONSES},
            "reference": draw.integers(len(CHOICES), size=ITEMS),
            "reference_flag": draw.random(ITEMS) < FLAGGED,
        }
    )
    skills = enumerate(zip(SKILLS, FLAG_ERRORS, SHARES, strict=True), start=1)
    annotators = {f"annotator-{number:02}": skill for number, skill in skills}
    judgments = pl.concat(_simulate_judgments(draw, items, name, *skill) for name, skill in annotators.items())
    truths = [
        {"annotator": name, "metric": metric, "truth": truth}
        for name, (skill, error, _) in annotators.items()
        for metric, truth in (("reliability", skill), ("flag_mismatch", error), ("kappa", (skill - 1 / 3) / (2 / 3)))
    ]
    return judgments.sort("item", "annotator"), typed_table(truths)


def _simulate_judgments(
    draw: np.random.Generator, items: pl.DataFrame, name: str, skill: float, error: float, share: float
) -> pl.DataFrame:
    rows = items[np.sort(draw.choice(ITEMS, size=round(share * ITEMS), replace=False))]
    shifts = np.where(draw.random(rows.height) < skill, 0, draw.integers(1, len(CHOICES), size=rows.height))
    rows = rows.with_columns(
        annotator=pl.lit(name),
        flag=rows["reference_flag"] ^ pl.Series(draw.random(rows.height) < error),
        label=(rows["reference"] + shifts) % len(CHOICES),
    )
    label, reference = (pl.col(one).replace_strict(range(len(CHOICES)), CHOICES) for one in ("label", "reference"))
    judged = rows.with_columns(
        pl.when(~pl.col("flag")).then(label),
        pl.when(~pl.col("reference_flag")).then(reference),
        pl.col("flag", "reference_flag").replace_strict([False, True], ["No", "Yes"]),
    )
    return judged.select(
        "item", "week", "prompt", *_RESPONSES, "annotator", "flag", "label", "reference", "reference_flag"
    )
