"""How files of each evaluation become files in formats of Karat's own."""

from collections.abc import Mapping

from karat.formats import written_answers, written_judgments, written_pairs, written_preferences, written_violations
from karat.formats.conversion import Conversion

CONVERSIONS: Mapping[str, Conversion] = {
    "annotations": written_pairs.CONVERSION,
    "rag": written_answers.CONVERSION,
    "violations": written_violations.CONVERSION,
    "reliability": written_judgments.CONVERSION,
    "preferences": written_preferences.CONVERSION,
}
"""By evaluation, in the order in which they are asked whether a file is theirs."""
