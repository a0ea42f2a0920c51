"""Checkers of known skill, to compare estimates with the truth."""

from typing import Any

import numpy as np

from adjudge.report import typed_table
from adjudge.schemas.violations import TEXT_PARTS

TEXTS = 200
SENTENCES = 8
"""Sentences of a text; each breaks one rule or none."""

BROKEN = 0.3
"""Probability that a sentence breaks a rule."""

_RULES = {
    "superlatives": ("avoid superlatives", "style", "the best {} ever", "a {}"),
    "medical": ("no medical claims", "legal", "a {} that cures everything", "a {} that tastes good"),
    "jargon": ("no jargon", "style", "a paradigm-shifting {}", "a new {}"),
    "brand": ("write the brand name in full", "brand", "our {} by K.", "our {} by Adjudge"),
}
_THINGS = ("tea", "lamp", "chair", "soap", "bicycle", "notebook")
_PLAIN = "This is a {} we make."


CHECKERS = {"careful@1": (0.9, 0.02), "eager@3": (0.95, 0.25), "shy@2": (0.5, 0.01)}
"""Each checker's probability of finding a violation, and of marking a sentence that breaks no rule."""


def simulate(seed: int) -> tuple[list[dict[str, Any]], dict[str, list[dict[str, Any]]], Any]:
    """Texts with true violations, what checkers predict, and the truth about the checkers.

    A checker finds each violation with its probability of that, one word longer or shorter half of the time, which
    every variant still matches; and marks each sound sentence with another, under a rule at random. All independent.
    Returns lines of the ground truth, checker -> lines of predictions, and the truth (checker, variant, average,
    metric, truth).
    """
    draw = np.random.default_rng(seed)
    truth = [_simulate_text(draw, number) for number in range(1, TEXTS + 1)]
    predicted = {name: [_simulate_line(draw, one, *skill) for one in truth] for name, skill in CHECKERS.items()}
    rows = []
    for name, (recall, false_alarm) in CHECKERS.items():
        matched, marked = BROKEN * recall, BROKEN * recall + (1 - BROKEN) * false_alarm  # expected counts
        metrics = {"precision": matched / marked, "recall": recall, "f1": 2 * matched / (marked + BROKEN)}
        keys = {"checker": name, "variant": "std", "average": "micro"}
        rows += [{**keys, "metric": metric, "truth": value} for metric, value in metrics.items()]
    lines = [{key: one[key] for key in ("id", "text", "violations")} for one in truth]
    return lines, predicted, typed_table(rows)


def _simulate_text(draw: np.random.Generator, number: int) -> dict[str, Any]:
    """A text with its violations; sound: the offsets of sentences that break no rule."""
    text, violations, sound = "", [], []
    for _ in range(SENTENCES):
        thing = str(draw.choice(_THINGS))
        start = len(text)
        if draw.random() < BROKEN:
            rule, category, broken, better = _RULES[str(draw.choice(list(_RULES)))]
            text += "You get " + broken.format(thing) + ". "
            violations.append(
                _make_violation(start + len("You get "), len(text) - 2, rule, category, better.format(thing))
            )
        else:
            text += _PLAIN.format(thing) + " "
            sound.append((start, len(text) - 1))
    return {"id": f"text-{number:03}", "text": text.strip(), "violations": violations, "sound": sound}


def _make_violation(start: int, end: int, rule: str, category: str, correction: str) -> dict[str, Any]:
    values = (start, end, rule, category, f"{rule}: this breaks it", correction)
    return dict(zip(("start", "end", *TEXT_PARTS), values, strict=True))


def _simulate_line(draw: np.random.Generator, text: dict[str, Any], finds: float, invents: float) -> dict[str, Any]:
    violations = [dict(violation) for violation in text["violations"] if draw.random() < finds]
    for violation in violations:
        if draw.random() < 0.5:  # noqa: PLR2004 - half of the time
            violation["start"] -= len("You get ") if draw.random() < 0.5 else -2  # noqa: PLR2004 - longer or shorter
    for start, end in text["sound"]:
        if draw.random() < invents:
            rule, category, _, better = _RULES[str(draw.choice(list(_RULES)))]
            violations.append(_make_violation(start, end, rule, category, better.format("thing")))
    return {"id": text["id"], "violations": violations}
