"""Declarations of evaluations: the titles and meanings of their metrics, tables, outcomes and charts.

An evaluation declares them once. Its reports carry them, so that a report can be displayed without the evaluation's
code: `adjudge.render` draws charts from the report's tables alone, and a caption says what the chart leaves out.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """The fields of every chart.

    name: in file names and ids. title, caption: {metric} stands for the title of the first metric, and in the caption
    {confidence} for the confidence level. table: the table whose rows are drawn.
    where: column -> the only value that is drawn. first: columns of which only the first value is drawn.
    groups: key columns, besides the `by` columns; each combination of their values has its own plot, up to most_groups.
    ignore_groups: whether the `by` columns are left out of these groups.
    best: the table and the metrics that sort the judges, best first, by the first metric that has a value. By default
    judges keep the order of the table.
    most: the number of judges that are drawn. selection: which judges are drawn if there are more.
    """

    name: str
    title: str
    caption: str
    table: str
    where: Mapping[str, str] = field(default_factory=dict)
    first: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    most_groups: int = 4
    ignore_groups: bool = False
    best: tuple[str, ...] = ()
    most: int = 20
    selection: Literal["first", "largest", "strongest"] = "first"


@dataclass(frozen=True, slots=True, kw_only=True)
class ForestPlot(Chart):
    """Estimates as points with their confidence intervals, one row per judge.

    label: the key column that names the rows; by default all keys that vary. metrics: one plot each, for the first of
    the given names that has a value; by default all metrics with a value. across: a key column with one plot per value,
    the pooled value first. colour: a key column that sets the colour. grey: its value that is drawn in grey.
    zeros: metric -> its neutral value, drawn as a line. unit: whether all axes run from 0 to 1.
    pooled: the table with the pooled estimate, drawn as a dashed line. sized: whether the size of points shows n.
    counts: what n counts.
    tested: whether points are grey if they are not significantly different from 0.
    changes: whether colours show if a difference is better or worse.
    ends: two metrics that are the ends of a bar, drawn instead of a point.
    """

    label: str = ""
    metrics: tuple[tuple[str, ...], ...] = ()
    across: str = ""
    colour: str = ""
    grey: str = ""
    zeros: Mapping[str, float] = field(default_factory=dict)
    unit: bool = False
    pooled: str = ""
    sized: bool = False
    tested: bool = False
    changes: bool = False
    ends: tuple[str, str] | None = None
    counts: str = "Items"


@dataclass(frozen=True, slots=True, kw_only=True)
class Heatmap(Chart):
    """Metrics or counts as coloured cells.

    rows: the key column that names the rows. columns: key columns whose combinations name the columns; by default one
    column per metric. across: a key column with one matrix per value, side by side. metrics: the metrics to draw; with
    columns the first one that the table holds; none for counts. headed: column -> value -> the only metric to draw
    there.
    colours: "goodness" from worst to best, "signs" for the distance from 0, "shares" for the share of the row's count.
    """

    rows: str
    columns: tuple[str, ...] = ()
    across: str = ""
    metrics: tuple[str, ...] = ()
    headed: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    colours: Literal["goodness", "signs", "shares"] = "goodness"


@dataclass(frozen=True, slots=True, kw_only=True)
class LineChart(Chart):
    """Metrics along an axis, one line per judge.

    along: the key column of the axis; by default the second column of the table, with the run before it. line: the key
    column that separates the lines. metrics: one plot each; by default all. title_along: the title of the axis.
    diagonal: whether a dashed line marks where the metric equals the value on the axis.
    """

    along: str = ""
    line: str = ""
    metrics: tuple[str, ...] = ()
    title_along: str = ""
    diagonal: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BarChart(Chart):
    """Counts as stacked bars of equal length. across: a key column with one plot per value.

    parts: the values of the column `outcome` in order, from the best to missing ones.
    """

    rows: str
    across: str
    parts: tuple[str, ...]


AnyChart: TypeAlias = ForestPlot | Heatmap | LineChart | BarChart


COMPARISON_TABLE, HISTORY_TABLE = "comparison", "history"
"""The main tables of reports on several runs, for every evaluation."""

SIDE_BY_SIDE, GREATEST_DIFFERENCE = "side_by_side", "greatest_difference"
"""The table that shows metrics of the main table side by side, and its column with the greatest difference between
two of them. The data name its columns."""

NON_INFERIORITY_SUFFIX, EQUIVALENCE_SUFFIX = "_no_worse_by", "_equivalent_within"
"""Suffixes of the metrics that compare a judge with human annotators: the smallest non-inferiority margin, and the
smallest equivalence margin, that the data support."""

Opening: TypeAlias = Literal["", "judges", "corrected", "annotators", "checkers"]
"""The sentences that open a report, besides its headlines: judges against human annotators, the effective sample size
of the judges' labels, annotators among themselves, checkers; "" for none."""

HARD_ITEMS = "hardest_items"
"""The table of items that every system got wrong. Some of them are among the examples."""


Bounds: TypeAlias = tuple[float | None, float | None]
"""The smallest and the largest possible value; None without a limit."""


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
    bounds: Bounds = (None, None)
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
    """A metric of the main table that answers the evaluation's question, with the wording of the answer.

    clause: follows the judge's name; {figure} stands for the estimate, a key column in braces for its value, and
    {average} for "on average" if it is one. next_clause: the same for further judges.
    where: key column -> the value whose rows are read. first, most: key columns of which only the first, or only the
    greatest, value is read. below: a clause for a metric that is significantly below 0; if set, judges are tested
    against 0 and not against each other. none_clause: a sentence if no metric is significantly different from 0;
    open_clause: a sentence on the judges, {named}, that are not, if others are.
    instead: prefix of references -> replacements of clause, below, none_clause and open_clause.
    no_reference: whether judges are compared with each other, without a reference.
    picks_best: whether the reader wants the best judge, as for systems, rather than the worst one to improve it.
    unknown: a sentence if the metric is undefined, with {reason}; by default one that names the metric.
    known_of: a clause on the items that have the metric, if some lack it. chance_metric: another metric that is 0 for
    agreement at chance level; the report names the judges that are not significantly above it.
    """

    metric: str
    clause: str
    next_clause: str = "{figure}"
    where: Mapping[str, str] = field(default_factory=dict)
    first: tuple[str, ...] = ()
    most: tuple[str, ...] = ()
    below: str = ""
    none_clause: str = ""
    open_clause: str = ""
    instead: Mapping[str, tuple[str, str, str, str]] = field(default_factory=dict)
    no_reference: bool = False
    picks_best: bool = True
    unknown: str = ""
    known_of: str = ""
    chance_metric: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelCounts:
    """The table that counts the labels of each judge by reference label. table: empty if there is none.

    noun, verb: what a label is called, and what a judge does with it. label, reference: columns of the table; if the
    table lacks the latter, only missing labels are known. metrics: if the table holds metrics, the two whose n counts
    the labels of judges, and those of the reference. missing: values that stand for a missing label. counts: how
    metrics treat missing labels; empty if unknown. among: the labels that count, if some do not.
    sides: the labels that choose the first and the second of two texts. first: key columns of which only the first
    value is read.
    """

    table: str
    noun: str
    verb: str = "gives"
    label: str = "label"
    reference: str = "reference_label"
    metrics: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    counts: Literal["", "as wrong", "not"] = ""
    among: tuple[str, ...] = ()
    sides: tuple[str, ...] = ()
    first: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Head:
    """What a report declares if it holds a certain table, which is then its main table.

    tables, outcomes, printed, across, opening: as in `Evaluation`; folded: besides those of the evaluation.
    charts, example_choice, judge, items, answers: by default those of the evaluation.
    over_time: the metrics that histories follow; if empty, such reports have no history.
    """

    title: str
    question: str
    tables: Mapping[str, str] = field(default_factory=dict)
    outcomes: Mapping[str, str] = field(default_factory=dict)
    printed: tuple[str, ...] = ()
    folded: tuple[str, ...] = ()
    charts: tuple[AnyChart, ...] = ()
    example_choice: str = ""
    judge: str = ""
    items: str = ""
    answers: tuple[Headline, ...] | None = None
    across: str = ""
    over_time: tuple[str, ...] = ()
    opening: Opening = ""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The declaration of an evaluation, and how its tables are displayed.

    Tables. main: the main table. tables: name -> title. headline: the table whose metrics open a page. printed: the
    tables that the terminal prints by default; empty for all. folded: tables that a page folds, however short.
    heads: a table that only some reports hold -> their declaration. adjusted: a table of tests -> how its p-values are
    adjusted, if not by Holm's method. charts: in order.

    Metrics. metrics: name -> its display. leading: the metric that comes first, sorts rows and compares groups; if
    empty, tables keep their order. ranges: title -> two metrics displayed together as a range. requested: metrics that
    only some reports hold -> the option that adds them. over_time: the metrics that histories follow. answers: the
    headlines. opening: the sentences that open a report.

    Keys. judge: the key column of what is evaluated. keys: the key columns of the tables of metrics, besides the `by`
    columns; those of the main table first. common: key columns that are displayed once above a table if the report has
    a single value. across: a key column whose values are displayed side by side, one block per metric; rows without a
    value cover all of them. pooled: its value for the overall metric. table_titles: a key column with one table per
    value -> their titles. value_titles: other key columns -> the titles of their values. headings: key columns -> their
    headings, if the name is unclear. gated_values: key column -> the value that gates read by default. baselines: the
    prefix of baselines' names; gates do not read baselines. gives: baseline -> the label that it always gives.
    versioned: whether judges' names may hold a version and a model, which histories then display.

    Items. items: what items are called. outcomes: kinds of items -> the title of their examples. example_choice: how
    examples were chosen. values: Adjudge's own values of counted columns, in order. shares: columns that hold shares.
    label_counts: the table that counts labels. paired_texts: texts of an item that are displayed side by side; a label
    with a text's name chooses it. choices: other labels -> the text that each chooses. labels: the names of labels and
    outcomes, if labels are Adjudge's own verdicts; readers then see the outcome instead of the label. columns: columns
    of outcomes -> their headings, if the name is unclear. hidden_columns: columns of outcomes that examples omit, since
    part, label and outcome say the same. repeating_columns: columns of outcomes that repeat the same items for each
    value, so that only one value is counted. separate_parts: whether the parts of outcomes, such as choice and flag,
    cover the same items and are counted separately. silent_outcome: the outcome of a part without data, which the
    explorer omits.
    """

    name: str
    title: str
    question: str
    main: str
    judge: str
    metrics: Mapping[str, MetricSpec]
    tables: Mapping[str, str]
    outcomes: Mapping[str, str] = field(default_factory=dict)
    headline: str = ""
    leading: str = ""
    printed: tuple[str, ...] = ()
    folded: tuple[str, ...] = ()
    common: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    paired_texts: tuple[str, ...] = ()
    choices: Mapping[str, str] = field(default_factory=dict)
    across: str = ""
    pooled: str = ""
    baselines: str = ""
    gives: Mapping[str, str] = field(default_factory=dict)
    table_titles: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    value_titles: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    gated_values: Mapping[str, str] = field(default_factory=dict)
    requested: Mapping[str, str] = field(default_factory=dict)
    keys: tuple[str, ...] = ()
    shares: tuple[str, ...] = ()
    heads: Mapping[str, Head] = field(default_factory=dict)
    charts: tuple[AnyChart, ...] = ()
    versioned: bool = False
    over_time: tuple[str, ...] = ()
    items: str = "items"
    example_choice: str = "Items drawn at random, by outcome."
    ranges: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    answers: tuple[Headline, ...] = ()
    label_counts: LabelCounts = LabelCounts(table="", noun="labels")
    adjusted: Mapping[str, str] = field(default_factory=dict)
    opening: Opening = ""
    hidden_columns: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    columns: Mapping[str, str] = field(default_factory=dict)
    headings: Mapping[str, str] = field(default_factory=dict)
    repeating_columns: tuple[str, ...] = ()
    separate_parts: bool = False
    silent_outcome: str = ""

    @property
    def names(self) -> Mapping[str, Mapping[str, str]]:
        """Key column -> the titles of its values."""
        return {**self.table_titles, **self.value_titles}
