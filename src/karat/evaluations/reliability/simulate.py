"""Annotators of known skill, to compare estimates with the truth."""

import numpy as np
import polars as pl

from karat.report import typed_table

CHOICES = ("response_1", "response_2", "tie")

SKILLS = (0.95, 0.92, 0.88, 0.85, 0.8, 0.8, 0.75, 0.7, 0.62, 0.55, 0.45, 0.9)
"""Each annotator's probability of choosing as the reference does."""

FLAG_ERRORS = (0.01, 0.02, 0.03, 0.05, 0.05, 0.1, 0.04, 0.15, 0.08, 0.2, 0.12, 0.02)
"""Each annotator's probability of flagging differently from the reference."""

SHARES = (0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.35, 0.3, 0.25, 0.2, 0.15, 0.02)
"""Each annotator's share of the items; the last has so few that its figure is mostly luck."""

ITEMS = 400
FLAGGED = 0.1
"""Share of items that the reference flags."""

_WEEK = 100


def simulate(seed: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Judgments of annotators with known skill, and the truth about them.

    Every choice equals the reference's with the annotator's skill, else is one of the other two at
    random; every flag differs with the annotator's flag error; all independent. Since the reference's
    choices are uniform over three, the true kappa is (skill - 1/3) / (2/3).
    Returns the long table (item, week, prompt, annotator, flag, label, reference, reference_flag) and
    the truth (annotator, metric, truth).
    """
    draw = np.random.default_rng(seed)
    reference = draw.integers(len(CHOICES), size=ITEMS)
    reference_flagged = draw.random(ITEMS) < FLAGGED
    judgments = pl.concat(_judgments(draw, number, reference, reference_flagged) for number in range(len(SKILLS))).sort(
        "item", "annotator"
    )
    truths = [
        {"annotator": _name(number), "metric": metric, "truth": truth}
        for number, (skill, error) in enumerate(zip(SKILLS, FLAG_ERRORS, strict=True))
        for metric, truth in (
            ("reliability", skill),
            ("flag_mismatch", error),
            ("kappa", (skill - 1 / 3) / (2 / 3)),
        )
    ]
    return judgments, typed_table(truths)


def _name(number: int) -> str:
    return f"annotator-{number + 1:02}"


def _judgments(draw: np.random.Generator, number: int, reference: np.ndarray, flagged: np.ndarray) -> pl.DataFrame:
    items = np.sort(draw.choice(ITEMS, size=round(SHARES[number] * ITEMS), replace=False))
    right = draw.random(len(items)) < SKILLS[number]
    others = draw.integers(1, len(CHOICES), size=len(items))
    choice = np.where(right, reference[items], (reference[items] + others) % len(CHOICES))
    flag = flagged[items] ^ (draw.random(len(items)) < FLAG_ERRORS[number])
    yes_no = {True: "Yes", False: "No"}
    return pl.DataFrame(
        {
            "item": [f"item-{item + 1:03}" for item in items],
            "week": [f"week {item // _WEEK + 1}" for item in items],
            "prompt": [f"Made-up prompt {item + 1}" for item in items],
            "annotator": _name(number),
            "flag": [yes_no[bool(one)] for one in flag],
            "label": [None if hidden else CHOICES[one] for one, hidden in zip(choice, flag, strict=True)],
            "reference": [None if flagged[item] else CHOICES[reference[item]] for item in items],
            "reference_flag": [yes_no[bool(flagged[item])] for item in items],
        }
    )
