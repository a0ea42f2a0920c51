"""One function per evaluation: binds reader, outcomes, counts and figures into a Report."""

from karat.api._annotations import annotations
from karat.api._calibrate import ViolationPairs, calibrate_violations, violation_pairs
from karat.api._compare import compare
from karat.api._convert import convert
from karat.api._history import history
from karat.api._plan import plan
from karat.api._predict import Predictions, predict_preferences
from karat.api._preferences import check_preferences, preferences, rank_preferences
from karat.api._rag import rag
from karat.api._rag_prompts import Prompts, audit_rag, prepare_rag
from karat.api._reliability import reliability
from karat.api._violations import violations

__all__ = [
    "Predictions",
    "Prompts",
    "ViolationPairs",
    "annotations",
    "audit_rag",
    "calibrate_violations",
    "check_preferences",
    "compare",
    "convert",
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
