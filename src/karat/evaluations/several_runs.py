"""The declaration of reports on several runs: comparisons, and metrics over time."""

from karat.about import COMPARED, OVER_TIME, Forest, Head, Lines
from karat.evaluations import REPLIES
from karat.figures.steps import STEPS
from karat.figures.unlike import SETTINGS

_DIFFER = "Settings in which the runs differ, apart from what was judged."
HEADS = {
    COMPARED: Head(
        "Runs compared",
        "Did it get better? Each figure of two runs on the same items, and the difference between them.",
        tables={
            COMPARED: "Each difference is the second run minus the first, on the items on which both have the figure.",
            "left_out": "Rows that a difference leaves out, since one of the runs lacks the figure there, and why.",
            "items": "How many items are in both runs, and in only one of them.",
            "transitions": "Outcomes of the same items: rows for the first run, columns for the second.",
            "changes": "Items whose outcome changed, the worst first; where many did, the first of each kind; the "
            "head of the report counts all.",
            SETTINGS: _DIFFER,
        },
        outcomes={
            "worse": "Worse than before",
            "better": "Better than before",
            "other": "Changed, neither better nor worse",
        },
        printed=(COMPARED, REPLIES, "left_out", "items", "transitions", "changes", SETTINGS),
        folded=("left_out", "transitions"),
        pictures=(
            Forest(
                name="differences",
                title="What changed",
                caption="The second run minus the first, on the same items, with {confidence} intervals of each "
                "difference alone. Right of the line is higher.",
                table=COMPARED,
                changes=True,
            ),
        ),
        drawn="The items that changed most, with what each run says of them.",
    ),
    OVER_TIME: Head(
        "Figures over time",
        "How did each figure change from run to run?",
        tables={
            OVER_TIME: "Each figure of each run, in their order.",
            STEPS: "Each figure less that of the run before, and of the last run less that of the first. Runs with the "
            "same items are compared on those that both hold, others by the intervals of both.",
            SETTINGS: _DIFFER,
        },
        printed=(OVER_TIME, STEPS, SETTINGS),
        pictures=(
            Lines(
                name="history",
                title="Figures over time",
                caption="Figures of each run.",
                table=OVER_TIME,
                together=True,
            ),
        ),
    ),
}
"""Keyed by their main table."""
