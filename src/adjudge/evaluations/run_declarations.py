"""The declaration of reports on several runs: comparisons, and metrics over time."""

from collections.abc import Mapping
from dataclasses import replace

from adjudge.metrics.reply_rates import REPLIES_TABLE
from adjudge.metrics.run_changes import STEPS
from adjudge.metrics.run_matching import SETTINGS_TABLE
from adjudge.spec import COMPARISON_TABLE, HISTORY_TABLE, Evaluation, Variant

_DIFFER = "Settings in which the runs differ, apart from what was judged."


def _declare_comparison(about: Evaluation) -> Evaluation:
    return replace(
        about,
        title="Runs compared",
        question="Did it get better? Each metric of two runs on the same items, and the difference between them.",
        tables={
            **about.tables,
            COMPARISON_TABLE: "Each difference is the second run minus the first, on the items on which both have the "
            "metric.",
            "left_out": "Rows that a difference leaves out, since one of the runs lacks the metric there, and why.",
            "items": "How many items are in both runs, and in only one of them.",
            "transitions": "Outcomes of the same items: rows for the first run, columns for the second.",
            "changes": "Items whose outcome changed, the worst first; where many did, the first of each kind; the "
            "head of the report counts all.",
            SETTINGS_TABLE: _DIFFER,
        },
        outcomes={
            "worse": "Worse than before",
            "better": "Better than before",
            "other": "Changed, neither better nor worse",
        },
        printed=(COMPARISON_TABLE, REPLIES_TABLE, "left_out", "items", "transitions", "changes", SETTINGS_TABLE),
    )


def _declare_history(about: Evaluation) -> Evaluation:
    return replace(
        about,
        title="Metrics over time",
        question="How did each metric change from run to run?",
        tables={
            **about.tables,
            HISTORY_TABLE: "Each metric of each run, in their order.",
            STEPS: "The change from each run to the next, and from the first to the last. Runs with the same items are "
            "compared on the items of both, others by their intervals.",
            SETTINGS_TABLE: _DIFFER,
        },
        printed=(HISTORY_TABLE, STEPS, SETTINGS_TABLE),
    )


RUN_VARIANTS: Mapping[str, Variant] = {COMPARISON_TABLE: _declare_comparison, HISTORY_TABLE: _declare_history}
"""Keyed by their main table."""
