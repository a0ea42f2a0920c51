"""Models of known skill, to compare estimates with the truth."""

from typing import Any

import numpy as np

from karat.report import typed_table

QUESTIONS = 150
NOISES = (0.0, 0.2, 0.4, 0.6, 0.8)

MODELS = {"large": (0.95, 0.25, 0.8, 0.7), "small": (0.8, 0.5, 0.4, 0.3)}
"""Probability of a correct answer without noise, how much of it noise alone would take, the probability of a refusal
where documents hold no answer, and of correcting what they say falsely."""

_PLACES = ("Paris", "Lima", "Oslo", "Cairo", "Hanoi", "Quito", "Dakar", "Bern")
_REFUSAL = "The documents do not contain enough information to answer this."


def simulate(seed: int) -> tuple[list[dict[str, Any]], Any]:
    """Answers, and the truth about the models; all answers are independent.

    Returns the answers as records, and the truth (model, ability, noise_ratio, scorer, metric, truth).
    """
    draw = np.random.default_rng(seed)
    answers, truth = [], []
    for model, (skill, loss, refuses, corrects) in MODELS.items():
        for noise in NOISES:
            chance = skill * (1 - loss * noise)
            answers += [_answer(draw, model, number, noise, chance) for number in range(QUESTIONS)]
            truth.append(_truth(model, "noise_robustness", noise, "accuracy", chance))
        for number in range(QUESTIONS):
            answers += [_rejection(draw, model, number, refuses), _counterfactual(draw, model, number, corrects)]
        truth.append(_truth(model, "negative_rejection", 1.0, "rejection_rate", refuses))
        truth.append(_truth(model, "counterfactual_robustness", 0.0, "error_correction_rate", corrects))
    return answers, typed_table(truth, numbers=["noise_ratio"])


def _truth(model: str, ability: str, noise: float, metric: str, value: float) -> dict[str, Any]:
    keys = {"model": model, "ability": ability, "noise_ratio": noise, "scorer": "strict", "metric": metric}
    return {**keys, "truth": value}


def _row(model: str, ability: str, number: int, noise: float, response: str) -> dict[str, Any]:
    return {
        "id": f"q{number + 1:03}",
        "ability": ability,
        "model": model,
        "noise_ratio": noise,
        "response": response,
        "answer": _PLACES[number % len(_PLACES)],
    }


def _other(draw: np.random.Generator, number: int) -> str:
    """A place that is not the answer."""
    return _PLACES[(number + int(draw.integers(1, len(_PLACES)))) % len(_PLACES)]


def _answer(draw: np.random.Generator, model: str, number: int, noise: float, chance: float) -> dict[str, Any]:
    right = draw.random() < chance
    place = _PLACES[number % len(_PLACES)] if right else _other(draw, number)
    return _row(model, "noise_robustness", number, noise, f"According to the documents, it is {place}.")


def _rejection(draw: np.random.Generator, model: str, number: int, refuses: float) -> dict[str, Any]:
    response = _REFUSAL if draw.random() < refuses else f"It is {_other(draw, number)}."
    return _row(model, "negative_rejection", number, 1.0, response)


def _counterfactual(draw: np.random.Generator, model: str, number: int, corrects: float) -> dict[str, Any]:
    place, lie = _PLACES[number % len(_PLACES)], _other(draw, number)
    right = f"The documents are wrong: it is {place}, not {lie}."
    response = right if draw.random() < corrects else f"It is {lie}."
    return {**_row(model, "counterfactual_robustness", number, 0.0, response), "counterfactual": lie}
