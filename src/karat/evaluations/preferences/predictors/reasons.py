"""Why a label was predicted: sentences on the item's own responses, made of what was measured in them."""

import numpy as np

from karat.evaluations.preferences.predictors.classifier import Classifier, Places, standardised
from karat.evaluations.preferences.predictors.features import PairFeatures
from karat.figures.cells import Floats
from karat.schemas.preferences import Task
from karat.text.style import LONGER, RULES

_COUNTS = {
    "characters": "characters",
    "words": "words",
    "sentences": "sentences",
    "lines": "line breaks",
    **{rule.id: rule.name.removeprefix("More ") for rule in RULES.values() if rule.id != LONGER},
}
"""Features that are log(1 + count) -> what is counted."""
_SHARES = {
    "distinct_words": "words that are not repeated",
    "distinct_pairs": "word pairs that are not repeated",
    "beyond_ascii": "characters beyond ASCII",
    "digits": "digits",
    "capitals": "capitals",
    "from_instruction": "words taken from the instruction",
    "of_instruction": "the instruction's words",
    "pairs_from_instruction": "word pairs taken from the instruction",
}
"""Features that are shares -> of what."""
_NAMED = {**_COUNTS, **_SHARES}

_MOST = 2
"""Reasons that an explanation gives."""


def by_rule(features: PairFeatures, labels: Places, task: Task, rule: str) -> list[str]:
    """Explanations of a label that a rule gave: the rule, and the sizes of both responses."""
    sizes = [_counted(features, "characters", item) for item in range(len(labels))]
    return [
        f"{_word(task, label)} by the rule {rule}: A has {a} characters, B {b}."
        for label, (a, b) in zip(labels, sizes, strict=True)
    ]


def by_classifier(features: PairFeatures, labels: Places, task: Task, classifier: Classifier) -> list[str]:
    """Explanations of a classifier's labels.

    For A or B, what tells the response from the other and moved the classifier most toward it; for other labels, and
    where nothing that has a name did, the sizes of both.
    """
    standard = standardised(features.values, classifier.scaler)
    sides = {task.labels.index(name): name for name in ("A", "B") if {"A", "B"} <= set(task.labels)}
    found = []
    for item, label in enumerate(labels.tolist()):
        pieces = []
        if label in sides:
            (other,) = (place for place in sides if place != label)
            moved = standard[item] * (classifier.coefficients[label] - classifier.coefficients[other])
            pieces = _pieces(features, moved, item, sides[label])
        if pieces:
            found.append(f"Response {sides[label]} has {' and '.join(pieces)}.")
        else:
            a, b = _counted(features, "words", item)
            found.append(f"{_word(task, label)}: A has {a} words, B {b}.")
    return found


def _pieces(features: PairFeatures, moved: Floats, item: int, side: str) -> list[str]:
    """What moved the classifier most toward a side, in words."""
    pieces: list[str] = []
    for place in np.argsort(-moved, kind="stable"):
        name, kind = features.names[place].rsplit(" ", 1) if " " in features.names[place] else ("", "")
        if moved[place] <= 0 or len(pieces) == _MOST:
            break
        if kind == "a-b" and name in _NAMED:
            own, other = _values(features, name, item)[:: 1 if side == "A" else -1]
            if (told := _told(name, own, other)) is not None:
                pieces.append(told)
    return pieces


def _told(name: str, own: float, other: float) -> str | None:
    """How a response differs from the other; None where it does not as far as is printed."""
    if name in _COUNTS:
        count, beside = round(np.expm1(own)), round(np.expm1(other))
        return (
            None
            if count == beside
            else f"{'more' if count > beside else 'fewer'} {_NAMED[name]} ({count}, not {beside})"
        )
    share, beside_share = f"{own:.0%}", f"{other:.0%}"
    if share == beside_share:
        return None
    return f"a {'higher' if own > other else 'lower'} share of {_NAMED[name]} ({share}, not {beside_share})"


def _counted(features: PairFeatures, name: str, item: int) -> tuple[int, int]:
    a, b = _values(features, name, item)
    return round(np.expm1(a)), round(np.expm1(b))


def _values(features: PairFeatures, name: str, item: int) -> tuple[float, float]:
    """A response feature of both responses, from their difference and their sum."""
    less, more = (float(features.values[item, features.names.index(f"{name} {sign}")]) for sign in ("a-b", "a+b"))
    return (more + less) / 2, (more - less) / 2


def _word(task: Task, label: int) -> str:
    return task.labels[label]
