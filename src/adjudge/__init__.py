"""Adjudge evaluates annotators, LLM judges, predictors of preferences, checkers and RAG systems.

It compares their labels with reference labels, item by item, and reports metrics with confidence intervals and tests.
All public names are here, and nowhere else. They are loaded on first use, so that importing Adjudge, or
calling one of its commands, loads neither a heavy library nor unneeded modules.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from adjudge.errors import AdjudgeError as AdjudgeError
from adjudge.errors import DataError as DataError
from adjudge.errors import MissingError as MissingError
from adjudge.errors import OptionError as OptionError
from adjudge.version import __version__ as __version__

_NAMES = {
    "api.compare": "compare",
    "api.convert": "convert",
    "api.evaluations": "agreement annotations card correct preferences rag reliability score violations",
    "api.history": "history",
    "api.judge": "judge",
    "api.look": "look",
    "api.models": "answer_rag check_violations judge_preferences judge_rag label_annotations plant_violations "
    "predict_preferences",
    "api.plan": "plan",
    "api.rag_prompts": "audit_rag prepare_rag",
    "api.submissions": "check_preferences rank_preferences",
    "api.violation_matching": "calibrate_violations violation_agreement violation_pairs",
    "estimate": "Estimate",
    "options.shared": "Reading",
    "report": "Report",
}
"""Modules below this one, and the public names in each."""
_HOMES = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = ["AdjudgeError", "DataError", "MissingError", "OptionError", "__version__"]
__all__ += list(_HOMES)

if TYPE_CHECKING:
    from adjudge.api.compare import compare as compare
    from adjudge.api.convert import convert as convert
    from adjudge.api.evaluations import agreement as agreement
    from adjudge.api.evaluations import annotations as annotations
    from adjudge.api.evaluations import card as card
    from adjudge.api.evaluations import correct as correct
    from adjudge.api.evaluations import preferences as preferences
    from adjudge.api.evaluations import rag as rag
    from adjudge.api.evaluations import reliability as reliability
    from adjudge.api.evaluations import score as score
    from adjudge.api.evaluations import violations as violations
    from adjudge.api.history import history as history
    from adjudge.api.judge import judge as judge
    from adjudge.api.look import look as look
    from adjudge.api.models import answer_rag as answer_rag
    from adjudge.api.models import check_violations as check_violations
    from adjudge.api.models import judge_preferences as judge_preferences
    from adjudge.api.models import judge_rag as judge_rag
    from adjudge.api.models import label_annotations as label_annotations
    from adjudge.api.models import plant_violations as plant_violations
    from adjudge.api.models import predict_preferences as predict_preferences
    from adjudge.api.plan import plan as plan
    from adjudge.api.rag_prompts import audit_rag as audit_rag
    from adjudge.api.rag_prompts import prepare_rag as prepare_rag
    from adjudge.api.submissions import check_preferences as check_preferences
    from adjudge.api.submissions import rank_preferences as rank_preferences
    from adjudge.api.violation_matching import calibrate_violations as calibrate_violations
    from adjudge.api.violation_matching import violation_agreement as violation_agreement
    from adjudge.api.violation_matching import violation_pairs as violation_pairs
    from adjudge.estimate import Estimate as Estimate
    from adjudge.options.shared import Reading as Reading
    from adjudge.report import Report as Report
else:

    def __getattr__(name: str) -> object:
        """A public name, imported on first use."""
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute '{name}'")
        found = globals()[name] = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
        return found

    def __dir__() -> list[str]:
        return __all__
