"""One function per evaluation: binds reader, outcomes, counts and figures into a Report."""

from karat.api._annotations import annotations
from karat.api._predict import Predictions, predict_preferences
from karat.api._preferences import check_preferences, preferences, rank_preferences
from karat.api._reliability import reliability
from karat.api._violations import violations

__all__ = [
    "Predictions",
    "annotations",
    "check_preferences",
    "predict_preferences",
    "preferences",
    "rank_preferences",
    "reliability",
    "violations",
]
