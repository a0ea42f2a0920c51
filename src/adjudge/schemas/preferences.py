"""Predicted and human preferences between two responses, on several criteria: the valid table.

Labels are in columns `CRITERION_preference` (UInt8, never null): 0 if missing, else 1 + the position among the
task's labels. Explanations are in `CRITERION_explanation` (text, null if there is none).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import polars as pl

from adjudge.errors import OptionError

CRITERIA = ("relevance", "naturalness", "truthfulness", "safety", "overall_quality")
"""The criteria of the ELOQUENT 2025 lab's task."""

LABELS = ("A", "B", "both_good", "both_bad")
"""Its labels: the better response, or the quality of both."""

MOST_LABELS = 200
"""Maximum number of labels of a task; their codes fit a byte."""

TEXTS = ("instruction", "output_a", "output_b")
"""Texts of an item (null if the data lack them)."""

LABEL = "_preference"
WHY = "_explanation"
REPLY = "_outcome"
"""Endings of the names of a criterion's columns of labels, of explanations, of statuses of questions."""

MISSING = 0
"""The code of a missing label."""

AVERAGE = "average"
"""The criterion of metrics over all criteria."""


@dataclass(frozen=True, slots=True)
class Task:
    """The criteria and labels of a task."""

    criteria: tuple[str, ...] = CRITERIA
    labels: tuple[str, ...] = LABELS

    @property
    def label_columns(self) -> list[str]:
        """The columns of labels, one per criterion."""
        return [one + LABEL for one in self.criteria]

    @property
    def why_columns(self) -> list[str]:
        """The columns of explanations, one per criterion."""
        return [one + WHY for one in self.criteria]

    @property
    def reply_columns(self) -> list[str]:
        """The columns of statuses of questions to a model, one per criterion."""
        return [one + REPLY for one in self.criteria]

    def code(self, label: str) -> int | None:
        """The code of a label, or None if the task has no such label."""
        return 1 + self.labels.index(label) if label in self.labels else None


def make_task(criteria: Sequence[str], labels: Sequence[str]) -> Task:
    """Criteria and labels as given, else the defaults. Raises OptionError for invalid names."""
    if {AVERAGE, ""} & {*criteria}:
        message = f"expected names that are not empty, nor {AVERAGE}, which is the mean over criteria"
        raise OptionError(message, option="criteria")
    if len(labels) == 1 or len(labels) > MOST_LABELS or {"missing", ""} & set(labels):
        wanted = f"expected 2 to {MOST_LABELS}, none of them empty or called missing"
        raise OptionError(f"{wanted}; got {', '.join(labels):.300}", option="labels")
    return Task(tuple(criteria) or CRITERIA, tuple(labels) or LABELS)


@dataclass(frozen=True, slots=True)
class JudgedItems:
    """Judged items, by human annotators (gold) or a system (predictions): a row per item, ids unique.

    frame: id (text), columns of labels, of explanations if read, and for gold the columns TEXTS, cluster (if
    requested) and the `by` columns; for predictions the statuses of the questions to a model (`CRITERION_outcome`,
    text, null if the file lacks them). name: of the system, or of the gold. rows: read from the file.
    """

    name: str
    frame: pl.DataFrame
    task: Task
    rows: int
    warnings: tuple[str, ...] = field(default=())
