"""One function per evaluation: binds reader, outcomes, counts and figures into a Report."""

from karat.api._annotations import annotations
from karat.api._calibrate import ViolationPairs, calibrate_violations, violation_pairs
from karat.api._predict import Predictions, predict_preferences
from karat.api._preferences import check_preferences, preferences, rank_preferences
from karat.api._reliability import reliability
from karat.api._violations import violations

__all__ = [
    "Predictions",
    "ViolationPairs",
    "annotations",
    "calibrate_violations",
    "check_preferences",
    "predict_preferences",
    "preferences",
    "rank_preferences",
    "reliability",
    "violation_pairs",
    "violations",
]
