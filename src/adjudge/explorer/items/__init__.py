"""Items: who said what of each, and which of them a cell of a table stands for."""

from collections.abc import Mapping
from typing import Any

from adjudge.explorer import filters
from adjudge.explorer.items import changes, outcomes, pairs
from adjudge.explorer.results import Result


def items(result: Result) -> None:
    """The items that are chosen as a list, and one of them whole."""
    if result.function == "compare":
        changes.changes(result)
    elif result.function == "annotations" and result.read is not None:
        pairs.pairs(result)
    else:
        outcomes.outcomes(result)


def lead_to(result: Result, row: Mapping[str, Any]) -> bool:
    """Choose the items that a row is about: those of its judges, parts, labels. Returns whether there may be any."""
    if result.function == "compare":
        return changes.lead_to(result, row)
    if result.function == "annotations" and result.read is not None:
        return pairs.lead_to(result, row)
    return filters.lead_to(result, row)
