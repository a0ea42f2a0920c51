"""Models of known skill, to compare estimates with the truth."""

from typing import Any

import numpy as np

from adjudge.evaluations.rag.prompts import NOISES
from adjudge.report import typed_table

QUESTIONS = 150

MODELS = {"large": (0.95, 0.25, 0.8, 0.7), "small": (0.8, 0.5, 0.4, 0.3)}
"""Probability of a correct answer without noise, how much of it noise alone would take, the probability of a refusal
where documents hold no answer, and of correcting what they say falsely."""

_PLACES = ("Paris", "Lima", "Oslo", "Cairo", "Hanoi", "Quito", "Dakar", "Bern")

_SAID = {
    "noise_robustness": ("According to the documents, it is {place}.", "According to the documents, it is {other}."),
    "negative_rejection": ("The documents do not contain enough information to answer this.", "It is {other}."),
    "counterfactual_robustness": ("The documents are wrong: it is {place}, not {other}.", "It is {other}."),
}
"""Good and bad responses of a model, by ability."""


def simulate(seed: int) -> tuple[list[dict[str, Any]], Any]:
    """Answers, and the truth about the models; all answers are independent.

    Returns the answers as records, and the truth (model, ability, noise_ratio, scorer, metric, truth).
    """
    draw = np.random.default_rng(seed)
    answers, truth = [], []
    for model, (skill, loss, refuses, corrects) in MODELS.items():
        for ability, metric, noise, chance in (
            *(("noise_robustness", "accuracy", noise, skill * (1 - loss * noise)) for noise in NOISES),
            ("negative_rejection", "rejection_rate", 1.0, refuses),
            ("counterfactual_robustness", "error_correction_rate", 0.0, corrects),
        ):
            keys = {"model": model, "ability": ability, "noise_ratio": noise}
            answers += [{**keys, **_simulate_answer(draw, ability, number, chance)} for number in range(QUESTIONS)]
            truth.append({**keys, "scorer": "strict", "metric": metric, "truth": chance})
    return answers, typed_table(truth, numbers=["noise_ratio"])


def _simulate_answer(draw: np.random.Generator, ability: str, number: int, chance: float) -> dict[str, Any]:
    """The answer to a question, which is as it should be with this probability."""
    place, other = (_PLACES[at % len(_PLACES)] for at in (number, number + draw.integers(1, len(_PLACES))))
    well, badly = _SAID[ability]
    response = (well if draw.random() < chance else badly).format(place=place, other=other)
    lie = {"counterfactual": other} if ability == "counterfactual_robustness" else {}
    asked = f"In which city is meeting {number + 1} held?"
    return {"id": f"q{number + 1:03}", "question": asked, "response": response, "answer": place, **lie}
