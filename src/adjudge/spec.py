"""Declarations of evaluations: the titles and meanings of their metrics, tables and outcomes.

An evaluation declares them once. Its reports carry them, so that a report can be displayed
without the evaluation's code.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Literal, TypeAlias

COMPARISON_TABLE, HISTORY_TABLE = "comparison", "history"
"""The main tables of reports on several runs, for every evaluation."""

SIDE_BY_SIDE, GREATEST_DIFFERENCE = "side_by_side", "greatest_difference"
"""The table that shows metrics of the main table side by side, and its column with the greatest difference between
two of them. The data name its columns."""

NON_INFERIORITY_SUFFIX, EQUIVALENCE_SUFFIX = "_no_worse_by", "_equivalent_within"
"""Suffixes of the metrics that compare a judge with human annotators: the smallest non-inferiority margin, and the
smallest equivalence margin, that the data support."""

BASELINE_PREFIX = "baseline:"
"""The prefix of the names of baselines, which are computed. Gates do not read them."""

HARD_ITEMS = "hardest_items"
"""The table of items that every system got wrong. Some of them are among the examples."""


@dataclass(frozen=True, slots=True)
class MetricSpec:
    """How a metric is displayed. title: its name in headings. meaning: one sentence with the formula.

    better: the good end, or None if neither is good. percent: whether it is displayed as a percentage.
    decimals: the most decimals to display; by default they depend on the size; 0 for counts and ranks. signed: whether
    positive values get a plus sign. of_shares: whether it is computed from shares but is not itself a share: a mean or
    a difference of shares, or a shrunken share. margin: whether it is a distance between two values, or its limit.
    bounds: its limits, if they do not follow from the other fields. counts: the table of what it counts, if reports may
    lack it: pages omit the metric if that table is empty.
    """

    title: str
    meaning: str
    better: Literal["high", "low"] | None = None
    percent: bool = True
    decimals: int | None = None
    signed: bool = False
    of_shares: bool = False
    margin: bool = False
    bounds: tuple[float | None, float | None] = (None, None)
    counts: str = ""

    @property
    def in_points(self) -> bool:
        """Whether its unit is percentage points, as for a difference of shares."""
        return self.percent and (self.signed or self.margin)

    @property
    def share(self) -> bool:
        """Whether it is a share of items, each of which is right or wrong."""
        return self.percent and not self.of_shares

    @property
    def range(self) -> tuple[float, float]:
        """The smallest and the largest possible value."""
        low, high = self.bounds
        if (low, high) == (None, None):
            low = -1.0 if self.percent and self.signed else 0.0 if self.share or self.decimals == 0 else None
            high = 1.0 if self.share or (self.percent and self.signed) else None
        return -inf if low is None else low, inf if high is None else high


@dataclass(frozen=True, slots=True, kw_only=True)
class Headline:
    """A metric of the main table that answers the evaluation's question.

    where: key column -> the value of the rows to read. first: key columns of which only the first value is read.
    against_zero: whether judges are tested against 0 and not against each other.
    """

    metric: str
    where: Mapping[str, str] = field(default_factory=dict)
    first: tuple[str, ...] = ()
    against_zero: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelCounts:
    """The table that counts the labels of each judge by reference label. table: empty if there is none.

    noun: what a label is called. label, reference: columns of the table; if the table lacks the latter, only missing
    labels are known. missing: values that stand for a missing label. counts: how metrics treat missing labels; empty if
    unknown. among: the labels that count, if some do not. sides: the labels that choose the first and the second of two
    texts. first: key columns of which only the first value is read. wrong: such values whose metrics count missing
    labels as wrong.
    """

    table: str
    noun: str
    label: str = "label"
    reference: str = "reference_label"
    missing: tuple[str, ...] = ()
    counts: Literal["", "as wrong", "not"] = ""
    among: tuple[str, ...] = ()
    sides: tuple[str, ...] = ()
    first: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The declaration of an evaluation, and how its tables are displayed.

    Tables. main: the main table. tables: name -> title. printed: the tables of a comment in Markdown; empty
    for all.
    Metrics. metrics: name -> its display. over_time: the metrics that histories follow. answers: the headlines.

    Keys. judge: the key column of what is evaluated. keys: the key columns of the tables of metrics, besides the `by`
    columns; those of the main table first. common: key columns that examples omit if the report has a single value.
    across: the key column for the part of an item; rows without a value cover all of them.
    value_titles: key columns -> the titles of their values, if the data do not name these. headings: key columns ->
    their headings, if the name is unclear. gated_values: key column -> the value that gates read by default.

    Items. items: what items are called. outcomes: kinds of items -> the title of their examples. values: Adjudge's own
    values of counted columns, in order. shares: columns that hold shares. label_counts: the table that counts labels.
    paired_texts: texts of an item that are displayed side by side; a label chooses the text that has its name, or ends
    with it, as "output_a" for "A". labels: the names of labels and outcomes, if labels are Adjudge's own verdicts;
    readers then see the outcome instead of the label. columns: columns of outcomes -> their headings, if the name is
    unclear. hidden_columns: columns of outcomes that examples omit, since part, label and outcome say the same.
    """

    name: str
    title: str
    question: str
    main: str
    judge: str
    metrics: Mapping[str, MetricSpec]
    tables: Mapping[str, str]
    outcomes: Mapping[str, str] = field(default_factory=dict)
    printed: tuple[str, ...] = ()
    common: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    paired_texts: tuple[str, ...] = ()
    across: str = ""
    value_titles: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    gated_values: Mapping[str, str] = field(default_factory=dict)
    keys: tuple[str, ...] = ()
    shares: tuple[str, ...] = ()
    over_time: tuple[str, ...] = ()
    items: str = "items"
    answers: tuple[Headline, ...] = ()
    label_counts: LabelCounts = LabelCounts(table="", noun="labels")
    hidden_columns: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    columns: Mapping[str, str] = field(default_factory=dict)
    headings: Mapping[str, str] = field(default_factory=dict)

    @property
    def leading(self) -> str:
        """The metric that is tested against 0: it comes first and sorts rows. Without one, tables keep their order."""
        return next((answer.metric for answer in self.answers if answer.against_zero), "")

    @property
    def pooled(self) -> str:
        """The value for the overall metric of a key column whose other values are named by the data."""
        return next((value for key, value in self.gated_values.items() if key not in self.value_titles), "")


Variant: TypeAlias = Callable[[Evaluation], Evaluation]
"""Makes the declaration of reports that hold a certain table in place of the main one."""
