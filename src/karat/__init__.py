"""Karat says how far a judge can be trusted.

It compares the judgments of people, models and rules with trusted ones, item by item, and reports
agreement with honest intervals. The public names are loaded when first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from karat.api import (
        annotations,
        audit_rag,
        calibrate_violations,
        check_preferences,
        compare,
        history,
        plan,
        predict_preferences,
        preferences,
        prepare_rag,
        rag,
        rank_preferences,
        reliability,
        violation_pairs,
        violations,
    )
    from karat.errors import DataError, KaratError, MissingError, OptionError
    from karat.estimate import Estimate
    from karat.report import Report

__version__ = "0.1.0"

__all__ = [
    "DataError",
    "Estimate",
    "KaratError",
    "MissingError",
    "OptionError",
    "Report",
    "__version__",
    "annotations",
    "audit_rag",
    "calibrate_violations",
    "check_preferences",
    "compare",
    "history",
    "plan",
    "predict_preferences",
    "preferences",
    "prepare_rag",
    "rag",
    "rank_preferences",
    "reliability",
    "violation_pairs",
    "violations",
]

_HOMES = {"Estimate": "karat.estimate", "Report": "karat.report"}
"""Where names are defined that are neither errors nor functions."""


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever the name stands for
    if name not in __all__:
        raise AttributeError(f"module karat has no attribute {name}")
    home = "karat.errors" if name.endswith("Error") else _HOMES.get(name, "karat.api")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return __all__
