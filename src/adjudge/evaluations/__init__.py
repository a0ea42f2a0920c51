"""The evaluations, and what their reports are about."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

from adjudge.errors import DataError

if TYPE_CHECKING:
    from adjudge.metrics.metric import View
    from adjudge.options.shared import Scoring
    from adjudge.spec import Evaluation, MetricSpec, Variant

NAMES = tuple(sorted(one.name for one in iter_modules(__path__) if one.ispkg))
"""The names of all evaluations: packages below this one whose module `declaration` holds EVALUATION."""


def declaration_of(name: str, tables: Collection[str] = ()) -> "Evaluation":
    """The evaluation of that name, as described by a report that holds these tables.

    Raises DataError where there is none, since names come from saved reports.
    """
    declared: Evaluation = _load_declaration(name, "declaration", "EVALUATION")
    if not tables or declared.main in tables:
        return declared
    variants: Mapping[str, Variant] = {**_load_declaration(name, "declaration", "VARIANTS", {}), **run_variants()}
    main = next((table for table in tables if table in variants), None)
    return declared if main is None else variants[main](replace(declared, main=main, across="", over_time=()))


def options_of(name: str) -> "type[Scoring]":
    """The options of an evaluation. Raises DataError as `declaration_of` does."""
    found: type[Scoring] = _load_declaration(name, "options", "OPTIONS")
    return found


def all_metrics() -> "dict[str, MetricSpec]":
    """The metrics of all evaluations, by name."""
    return {name: about for one in NAMES for name, about in declaration_of(one).metrics.items()}


def view_of(name: str) -> "View":
    """The view of an evaluation's outcomes that its metrics rest on. Raises DataError as `declaration_of` does."""
    view: View = _load_declaration(name, "metrics", "VIEW")
    return view


def run_variants() -> "dict[str, Variant]":
    """The declarations of reports on several runs, comparisons and metrics over time, by their main table."""
    from adjudge.metrics.history import STEPS
    from adjudge.metrics.tables import REPLIES_TABLE
    from adjudge.spec import COMPARISON_TABLE, HISTORY_TABLE

    compared = {
        COMPARISON_TABLE: "Differences: the second run minus the first, on items on which both have the metric.",
        "left_out": "Rows that a difference leaves out, since one of the runs lacks the metric there, and why.",
        "items": "How many items are in both runs, and in only one of them.",
        "transitions": "Outcomes of the same items: rows for the first run, columns for the second.",
        "changes": "Items whose outcome changed, the worst first; if many did, the first of each kind. The head of the "
        "report counts all.",
    }
    followed = {
        HISTORY_TABLE: "Each metric of each run, in their order.",
        STEPS: "The change from each run to the next, and from the first to the last. Runs with the same items are "
        "compared on the items of both, others by their intervals.",
    }
    comparison: dict[str, Any] = {
        "title": "Runs compared",
        "question": "Did it get better? Each metric of two runs on the same items, and the difference between them.",
        "outcomes": {
            "worse": "Worse than before",
            "better": "Better than before",
            "other": "Changed, neither better nor worse",
        },
        "printed": (COMPARISON_TABLE, REPLIES_TABLE, *[*compared][1:]),
    }
    history: dict[str, Any] = {
        "title": "Metrics over time",
        "question": "How did each metric change from run to run?",
        "printed": (HISTORY_TABLE, STEPS),
    }
    return {
        COMPARISON_TABLE: lambda about: replace(about, tables={**about.tables, **compared}, **comparison),
        HISTORY_TABLE: lambda about: replace(about, tables={**about.tables, **followed}, **history),
    }


def _load_declaration(name: str, module: str, what: str, *default: object) -> Any:  # noqa: ANN401 - what is declared
    if name not in NAMES:
        raise DataError(f'expected an evaluation ({", ".join(NAMES)}); got "{name!s:.60}"')
    return getattr(import_module(f"{__name__}.{name}.{module}"), what, *default)
