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


def lead_to(result: Result, row: Mapping[str, Any]) -> None:
    """Show the items that a row of a table is about: those of its judges, parts, labels, as far as items have them."""
    if result.function == "compare":
        changes.lead_to(result, row)
    elif result.function == "annotations" and result.read is not None:
        pairs.lead_to(result, row)
    else:
        filters.lead_to(result, row)
