"""The evaluations, and what each says of itself: its figures, its tables, its name."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Literal

NAMES = ("reliability",)
"""The evaluations there are; each is a package below this one that holds EVALUATION and charts."""


@dataclass(frozen=True, slots=True)
class Metric:
    """A figure as a reader meets it. title: its name in headings. meaning: one sentence, with the formula.

    better: which end is good, or None where neither is. percent: whether it is shown as a percentage.
    """

    title: str
    meaning: str
    better: Literal["high", "low"] | None = None
    percent: bool = True


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What an evaluation is about. main: its main table. tables: name -> what it holds."""

    name: str
    title: str
    question: str
    main: str
    metrics: Mapping[str, Metric]
    tables: Mapping[str, str]
    outcomes: Mapping[str, str] = field(default_factory=dict)


def evaluation(name: str) -> Evaluation:
    """The evaluation of that name."""
    found: Evaluation = import_module(f"{__name__}.{name}").EVALUATION
    return found
