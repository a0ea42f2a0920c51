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

_HOMES = {
    "DataError": "karat.errors",
    "Estimate": "karat.estimate",
    "KaratError": "karat.errors",
    "MissingError": "karat.errors",
    "OptionError": "karat.errors",
    "Report": "karat.report",
    "annotations": "karat.api",
    "audit_rag": "karat.api",
    "calibrate_violations": "karat.api",
    "check_preferences": "karat.api",
    "compare": "karat.api",
    "history": "karat.api",
    "plan": "karat.api",
    "predict_preferences": "karat.api",
    "preferences": "karat.api",
    "prepare_rag": "karat.api",
    "rag": "karat.api",
    "rank_preferences": "karat.api",
    "reliability": "karat.api",
    "violation_pairs": "karat.api",
    "violations": "karat.api",
}

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


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever the name stands for
    if name not in _HOMES:
        raise AttributeError(f"module karat has no attribute {name}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
