"""How a file of each evaluation becomes one in Adjudge's own form."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from adjudge.readers.io.source import Source
from adjudge.readers.preferences.long_table import COLUMNS as LONG
from adjudge.writers.answers import answers_to_write
from adjudge.writers.judgments import judgments_to_write
from adjudge.writers.pairs import pairs_to_write
from adjudge.writers.preferences import preferences_to_write
from adjudge.writers.tables import FLAT, NESTED, Settings, Writable
from adjudge.writers.violations import violations_to_write


@dataclass(frozen=True, slots=True)
class Conversion:
    """How files of an evaluation are converted.

    what: they hold. unit: what a row of it is. endings: of the files that can be written. options: those of
    `adjudge.convert` that concern this evaluation, among those that do not concern all. holds: whether a flat table
    with some of Adjudge's columns is one of this evaluation. read: what a file holds.
    """

    what: str
    unit: str
    endings: Collection[str]
    options: tuple[str, ...]
    holds: Callable[[Collection[str]], bool]
    read: Callable[[Source, Settings], Writable]


def _hold_violations(columns: Collection[str]) -> bool:
    return "id" in columns and ({"start", "end"} <= {*columns} or "context" in columns)


def _hold_preferences(columns: Collection[str]) -> bool:
    return "id" in columns and (any(name.endswith("_preference") for name in columns) or {*LONG[:2]} <= {*columns})


CONVERSIONS: Mapping[str, Conversion] = {
    "annotations": Conversion(
        "pairs",
        "pair",
        (".json", ".parquet"),
        ("annotator_columns", "vote_values", "exact_labels"),
        lambda _: False,  # its formats recognise tables themselves
        pairs_to_write,
    ),
    "rag": Conversion(
        "answers",
        "answer",
        NESTED,
        ("gold", "answer_lists", "answer_separator"),
        lambda columns: {"id", "ability", "response"} <= {*columns},
        answers_to_write,
    ),
    "violations": Conversion("violations", "line", NESTED, ("offset_base",), _hold_violations, violations_to_write),
    "reliability": Conversion(
        "judgments",
        "judgment",
        FLAT,
        ("annotator_columns", "exact_labels", "flag_values", "vote_separator"),
        lambda columns: {"item", "label"} <= {*columns},
        judgments_to_write,
    ),
    "preferences": Conversion(
        "preferences", "item", FLAT, ("criteria", "labels", "exact_labels"), _hold_preferences, preferences_to_write
    ),
}
"""By evaluation, in the order in which they are asked whether a file is theirs."""
