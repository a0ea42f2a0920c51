"""What a report is about: the names and meanings of its evaluation, metrics, tables, outcomes and charts.

An evaluation declares them once, and its reports carry them, so that showing a report needs nothing but the report:
`adjudge.render` draws charts from its tables alone, and their captions gain a sentence on whatever is left out.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """What all charts declare.

    name: for file names and ids. title, caption: in both {metric} stands for the title of the first metric, in the
    caption {confidence} for the level of the intervals. table: whose rows are drawn.
    where: column -> the only value that is drawn. first: columns of which the first value alone is drawn.
    groups: key columns, besides those of `by`, each combination of which has a plot of its own; at most most_groups.
    together: whether the `by` columns make no groups of their own.
    best: the table and the metrics by which judges are sorted, the best first: the first metric that has a value
    counts. By default they keep the table's order.
    most: how many judges are drawn; kept: which.
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
    """Metrics as points with their intervals, a row for each judge.

    label: the key column that names rows; none: all keys that vary. metrics: each has a plot, which shows the first of
    its names that has a value; none: all that have one. across: a key column each value of which has a plot, the pooled
    one first. colour: a key column whose values have different colours. grey: the value of it that has none.
    zeros: metric -> its neutral value, at which a line stands. unit: whether all axes go from 0 to 1.
    pooled: the table whose metric of all rows together is a dashed line. sized: whether points grow with n.
    counts: what n counts there.
    tested: whether points are grey if they are not significantly different from 0.
    changes: whether differences are coloured by whether they are better or worse.
    ends: two metrics between which a bar stands in the place of a point.
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

    rows: the key column that names rows. columns: key columns whose combinations name columns; none: a column for each
    of the metrics. across: a key column each value of which has a matrix, side by side. metrics: which are drawn, with
    columns the first that the table holds; of counts none. headed: column -> value -> the only metric that is drawn
    there.
    colours: goodness, from the worst to the best; signs, away from 0; shares of the row's count.
    """

    rows: str
    columns: tuple[str, ...] = ()
    across: str = ""
    metrics: tuple[str, ...] = ()
    headed: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    colours: Literal["goodness", "signs", "shares"] = "goodness"


@dataclass(frozen=True, slots=True, kw_only=True)
class LineChart(Chart):
    """Metrics along an axis, a line for each judge.

    along: the key column of the axis; none: the second of the table, with the run before it. line: the key column that
    tells lines apart. metrics: each has a plot; none: all. title_along: of the axis. diagonal: whether a dashed line
    shows where metrics equal what stands on the axis.
    """

    along: str = ""
    line: str = ""
    metrics: tuple[str, ...] = ()
    title_along: str = ""
    diagonal: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BarChart(Chart):
    """Counts as bars that are all of the same length. across: a key column each value of which has a plot.

    parts: the values of the column outcome in their order, from the best to what is missing.
    """

    rows: str
    across: str
    parts: tuple[str, ...]


AnyChart: TypeAlias = ForestPlot | Heatmap | LineChart | BarChart


COMPARISON_TABLE, HISTORY_TABLE = "comparison", "history"
"""The main tables of reports on several runs, of any evaluation."""

SIDE_BY_SIDE, GREATEST_DIFFERENCE = "side_by_side", "greatest_difference"
"""A table with metrics of the main table side by side, in columns named by the data; and its column with the greatest
difference between two of them."""

NON_INFERIORITY_SUFFIX, EQUIVALENCE_SUFFIX = "_no_worse_by", "_equivalent_within"
"""Suffixes of the metrics that compare a judge with human annotators: the smallest non-inferiority margin, and the
smallest equivalence margin, that the data support."""

Opening: TypeAlias = Literal["", "judges", "corrected", "annotators", "checkers"]
"""Sentences with which a report opens, besides its headlines: on judges against human annotators, on the effective
sample size of their labels, on annotators among themselves; by default none."""

HARD_ITEMS = "hardest_items"
"""The table of items that every system got wrong; some are among the examples."""


Bounds: TypeAlias = tuple[float | None, float | None]
"""The least and the greatest value there can be; None where there is no limit."""


@dataclass(frozen=True, slots=True)
class MetricSpec:
    """How a metric is displayed. title: its name in headings. meaning: one sentence, with the formula.

    better: which end is good, or None where neither is. percent: whether it is shown as a percentage.
    decimals: the most that are shown; by default they depend on the size; 0 for counts and ranks. signed: whether
    positive values are shown with a plus. of_shares: whether it is computed from shares but is not one itself: a mean
    or a difference of shares, or a shrunken one. margin: whether it is a distance between two values, or a limit of it.
    between: its limits, where they do not follow from the rest. counts: the table of what it counts, if data need not
    hold that: pages omit the metric if this table is empty.
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
        """Whether its unit is percentage points: a difference of shares."""
        return self.percent and (self.signed or self.margin)

    @property
    def share(self) -> bool:
        """Whether it is a share of items that are each right or wrong."""
        return self.percent and not self.of_shares

    @property
    def range(self) -> tuple[float, float]:
        """The least and the greatest value that are possible."""
        low, high = self.bounds
        if (low, high) == (None, None):
            low = -1.0 if self.percent and self.signed else 0.0 if self.share or self.decimals == 0 else None
            high = 1.0 if self.share or (self.percent and self.signed) else None
        return -inf if low is None else low, inf if high is None else high


@dataclass(frozen=True, slots=True, kw_only=True)
class Headline:
    """A metric of the main table that answers the question of an evaluation, with the wording of the answer.

    says: a clause that follows the judge's name, in which {figure} stands for the metric, a key column in braces for
    its value, and {average} for "on average" where it is one; then: of a further judge.
    where: key column -> the value whose rows are read, where there are any. first, most: key columns of which the
    first value alone is read, or the greatest. below: a clause on a metric that a test tells from 0 and that lies below
    it; with it, judges are told from 0 and not from one another. neither: a sentence where no test tells any from 0;
    open: on those that none tells, {named} of them, where it tells others.
    ranked: whether judges are compared by their intervals, since no table compares them on the same items.
    instead: prefix of references -> what stands in the place of says, below, neither and open.
    mutual: whether judges stand beside one another, and no reference is trusted.
    chosen: whether the best judge is to be taken, as a system is, rather than the worst to be helped.
    unknown: a sentence where the metric is undefined, in which {reason} says why; by default one that names it.
    known_of: a clause on the items that have the metric, where not all do. beyond: another metric, which is 0 where
    a judge agrees as often as chance would; who is not shown to be above it is told.
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
    ranked: bool = False
    no_reference: bool = False
    picks_best: bool = True
    unknown: str = ""
    known_of: str = ""
    chance_metric: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelCounts:
    """The table that counts the labels of each judge by the reference label. table: none if empty.

    noun, verb: what a label is called, and that a judge gives it. label, reference: columns of the table; without the
    latter only missing labels are known. figures: if the table holds metrics, the two whose n counts the labels of
    judges, and of the reference. missing: values that stand for a missing label. counts: how metrics treat missing
    labels; empty if unknown. among: the labels that count, if not all do.
    sides: labels that choose the first and the second of two texts. first: key columns of which the first value alone
    is read.
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
    """The description of a report that holds a certain table, which is then its main table.

    tables: name -> what it holds. outcomes: kinds of examples -> their title. printed: as in an Evaluation. folded:
    besides those of the evaluation. pictures: by default those of the evaluation. drawn: how its examples were chosen.
    judge, items, answers: by default those of the evaluation. across, opening: as in an Evaluation, by default none.
    over_time: the metrics that histories follow; without any there are no histories of such reports.
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
    """The description of an evaluation, and how its tables are displayed.

    main: its main table. tables: name -> what it holds. outcomes: kinds of items worth an example -> their title.
    headline: the table whose metrics stand at the head of a page. leading: the metric that comes first, by which rows
    are sorted and groups compared; if empty, tables keep their order. printed: the tables that a terminal shows by
    default; all if empty. folded: tables that a page folds, however short. common: key columns that are shown once,
    above a table, if the report holds a single value. values: Adjudge's own values of counted columns, in their order.
    beside: texts of an item that stand side by side; a label with a text's name chooses it. choices: other labels ->
    the text that each chooses. across: a key column whose values stand side by side, in a block per metric; rows
    without a value are about all of them. pooled: its value that sums up the others. baselines: the prefix of the
    names of baselines, which gates do not read. gives: such names -> the label that each gives. apart: a key column
    whose values have tables of their own -> the name of each. called: other key columns -> what each of their
    values is called. gated: keys of the rows that gates read by default. requested: metrics that only some reports
    hold -> the option that asks for each. keys: the key columns of its tables of metrics, those of the main one
    first, besides the `by` columns. shares: those, and columns of outcomes, that hold shares. heads: a table that
    only some reports hold -> what they are about. pictures: in their order.
    judge: the key column that says who is judged. items: what its items are called. drawn: how its examples were
    chosen.
    ranges: title -> the two metrics that are shown as one metric under it, from the first to the second.
    given: where it is counted what judges gave, in which something may be odd.
    adjusted: a table with tests -> how their p is adjusted, if not by Holm's method.
    opening: the sentences of its own with which a report opens. unsaid: columns of outcomes that examples leave out,
    since part, label and outcome say the same. labels: where labels are verdicts of Adjudge's own, what these and
    outcomes are called; readers see an outcome in the place of its label. columns, headings: columns of outcomes, and
    key columns of tables -> what they are called, where their own names do not say what they hold. repeated: columns of
    outcomes each value of which has its own outcome of the same items, so that one value alone is counted. parted:
    whether each part of outcomes, such as choice and flag, is about the same items, so that parts are counted apart.
    untold: the outcome that says of its part that the data say nothing of it, so that the explorer leaves it out.
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
        """A key column -> what each of its values is called."""
        return {**self.table_titles, **self.value_titles}
