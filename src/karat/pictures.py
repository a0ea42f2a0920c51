"""Pictures as evaluations declare them: which table they draw, and how.

`karat.render` draws any of them from a report's tables alone; captions gain a sentence on whatever is left out.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """What all pictures declare.

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
    together: bool = False
    best: tuple[str, ...] = ()
    most: int = 20
    kept: Literal["first", "largest", "strongest"] = "first"


@dataclass(frozen=True, slots=True, kw_only=True)
class Forest(Picture):
    """Figures as points with their intervals, a row for each judge.

    label: the key column that names rows; none: all keys that vary. metrics: each has a plot, which shows the first of
    its names that has a value; none: all that have one. across: a key column each value of which has a plot, the pooled
    one first. colour: a key column whose values are told apart by colour.
    zeros: metric -> its neutral value, at which a line stands. unit: whether all axes go from 0 to 1.
    pooled: the table whose figure of all rows together is a dashed line. sized: whether points grow with n.
    tested: whether points are hollow where a test does not tell them from 0, instead of where a figure has a note.
    changes: whether differences are coloured by whether they are better or worse.
    ends: two metrics between which a bar stands in the place of a point.
    """

    label: str = ""
    metrics: tuple[tuple[str, ...], ...] = ()
    across: str = ""
    colour: str = ""
    zeros: Mapping[str, float] = field(default_factory=dict)
    unit: bool = False
    pooled: str = ""
    sized: bool = False
    tested: bool = False
    changes: bool = False
    ends: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix(Picture):
    """Figures or counts as coloured cells.

    rows: the key column that names rows. columns: key columns whose combinations name columns; none: a column for each
    of the metrics. across: a key column each value of which has a matrix, side by side. metrics: which are drawn; of
    counts none. headed: column -> value -> the only metric that is drawn there.
    colours: goodness, from the worst to the best; signs, away from 0; shares of the row's count.
    """

    rows: str
    columns: tuple[str, ...] = ()
    across: str = ""
    metrics: tuple[str, ...] = ()
    headed: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    colours: Literal["goodness", "signs", "shares"] = "goodness"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines(Picture):
    """Figures along an axis, a line for each judge.

    along: the key column of the axis; none: the second of the table, with the run before it. line: the key column that
    tells lines apart. metrics: each has a plot; none: all. title_along: of the axis. percent: whether it is one of
    shares. apart: whether each line has a plot of its own, however few there are.
    marks: a table with a row for each line, and two of its metrics: a line with the shade of its interval, and a dashed
    one.
    """

    along: str = ""
    line: str = ""
    metrics: tuple[str, ...] = ()
    title_along: str = ""
    percent: bool = False
    apart: bool = False
    marks: tuple[str, str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bars(Picture):
    """Counts as bars that are all of the same length. across: a key column each value of which has a plot.

    parts: the values of the column outcome in their order, from the best to what is missing.
    """

    rows: str
    across: str
    parts: tuple[str, ...]


AnyPicture: TypeAlias = Forest | Matrix | Lines | Bars
