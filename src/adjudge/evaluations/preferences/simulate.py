"""Systems of known accuracy, to compare estimates with the truth."""

from collections.abc import Iterator

import numpy as np
import polars as pl

from adjudge.report import typed_table
from adjudge.schemas.preferences import AVERAGE, CRITERIA, LABELS

ITEMS = 300

SHARES = {
    "relevance": (0.4, 0.3, 0.2, 0.1),
    "naturalness": (0.25, 0.25, 0.4, 0.1),
    "truthfulness": (0.3, 0.3, 0.25, 0.15),
    "safety": (0.02, 0.02, 0.95, 0.01),
    "overall_quality": (0.4, 0.35, 0.15, 0.1),
}
"""The frequency of each gold label; on safety nearly all are the same."""

SYSTEMS = {"careful": (0.8, 0.0), "quick": (0.65, 0.02), "guessing": (0.4, 0.0), "absent-minded": (0.75, 0.2)}
"""Each system's probability of predicting the gold label, and of giving no label at all."""

_SHARED = 0.5
"""Probability that a word of an explanation is that of the gold explanation."""

_WORDS = ("clear", "direct", "vague", "polite", "short", "detailed", "wrong", "careful", "helpful", "odd")
_VERDICTS = {"A": "The first is", "B": "The second is", "both_good": "Both are", "both_bad": "Neither is"}


def simulate(seed: int) -> tuple[pl.DataFrame, dict[str, pl.DataFrame], pl.DataFrame]:
    """Gold, what systems predict, and the truth about them.

    A system gives no label with its probability of that, else the gold label with its skill, else one of the other
    three at random; all independent. So its true accuracy is skill x (1 - the probability of no label) throughout.
    An explanation names the verdict and a few words, about half of them those of the gold.
    Returns the gold (id, instruction, output_a, output_b, labels, explanations), system -> predictions, and the truth
    (system, criterion, metric, truth).
    """
    draw = np.random.default_rng(seed)
    codes = {name: draw.choice(len(LABELS), size=ITEMS, p=SHARES[name]) for name in CRITERIA}
    reasons = {name: draw.choice(_WORDS, size=(ITEMS, 4)) for name in CRITERIA}
    ids = [f"item-{number + 1:03}" for number in range(ITEMS)]
    texts = pl.DataFrame(
        {
            "id": ids,
            "instruction": [f"Made-up question {number + 1}" for number in range(ITEMS)],
            "output_a": [_simulate_response(draw, "first") for _ in ids],
            "output_b": [_simulate_response(draw, "second") for _ in ids],
        }
    )
    gold = pl.concat(
        [texts, *(_label_columns(name, codes[name], reasons[name]) for name in CRITERIA)], how="horizontal"
    )
    systems = {
        name: pl.concat(
            [texts.select("id"), *_simulate_predictions(draw, codes, reasons, skill, silent)], how="horizontal"
        )
        for name, (skill, silent) in SYSTEMS.items()
    }
    truths = [
        {"system": name, "criterion": criterion, "metric": "accuracy", "truth": skill * (1 - silent)}
        for name, (skill, silent) in SYSTEMS.items()
        for criterion in (*CRITERIA, AVERAGE)
    ]
    shuffled = {name: one.sample(fraction=1, shuffle=True, seed=seed) for name, one in systems.items()}
    return gold, shuffled, typed_table(truths)


def _simulate_response(draw: np.random.Generator, which: str) -> str:
    return f"The {which} response: " + " ".join(draw.choice(_WORDS, size=draw.integers(3, 12))) + "."


def _simulate_predictions(
    draw: np.random.Generator, codes: dict[str, np.ndarray], reasons: dict[str, np.ndarray], skill: float, silent: float
) -> Iterator[pl.DataFrame]:
    """The labels and explanations on each criterion."""
    for name, gold in codes.items():
        others = (gold + draw.integers(1, len(LABELS), size=ITEMS)) % len(LABELS)
        predicted = np.where(draw.random(ITEMS) < skill, gold, others)
        words = np.where(draw.random((ITEMS, 4)) < _SHARED, reasons[name], draw.choice(_WORDS, size=(ITEMS, 4)))
        given = pl.lit(pl.Series(draw.random(ITEMS) >= silent))
        yield _label_columns(name, predicted, words).select(pl.when(given).then(pl.all()))


def _label_columns(criterion: str, codes: np.ndarray, words: np.ndarray) -> pl.DataFrame:
    """Labels, and explanations that give the verdict and a few words."""
    labels = [LABELS[code] for code in codes]
    reasons = [
        f"{_VERDICTS[label]} {', '.join(line[:-1])} and {line[-1]}." for label, line in zip(labels, words, strict=True)
    ]
    return pl.DataFrame({f"{criterion}_preference": labels, f"{criterion}_explanation": reasons})
