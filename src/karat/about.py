"""What a report is about: the names and meanings of its evaluation, figures, tables and outcomes.

An evaluation declares them once, and its reports carry them, so that showing a report needs nothing but the report.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from karat.pictures import AnyPicture

COMPARED, OVER_TIME = "comparison", "history"
"""The main tables of reports on several runs, of any evaluation."""


@dataclass(frozen=True, slots=True)
class Metric:
    """A figure as it is shown. title: its name in headings. meaning: one sentence, with the formula.

    better: which end is good, or None where neither is. percent: whether it is shown as a percentage.
    decimals: the most that are shown; by default they depend on the size; 0 for counts and ranks. signed: whether
    positive values are shown with a plus. of_shares: whether it is computed from shares but is not one itself: a mean
    or a difference of shares, or a shrunken one.
    """

    title: str
    meaning: str
    better: Literal["high", "low"] | None = None
    percent: bool = True
    decimals: int | None = None
    signed: bool = False
    of_shares: bool = False

    @property
    def share(self) -> bool:
        """Whether it is a share of items that are each right or wrong."""
        return self.percent and not self.of_shares


@dataclass(frozen=True, slots=True)
class Head:
    """What a report is about if it holds a certain table, which is then its main one.

    tables: name -> what it holds. outcomes: kinds of examples -> their title. printed: as in an Evaluation. folded:
    besides those of the evaluation. pictures: by default those of the evaluation. drawn: how its examples were chosen.
    """

    title: str
    question: str
    tables: Mapping[str, str] = field(default_factory=dict)
    outcomes: Mapping[str, str] = field(default_factory=dict)
    printed: tuple[str, ...] = ()
    folded: tuple[str, ...] = ()
    pictures: tuple[AnyPicture, ...] = ()
    drawn: str = ""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What an evaluation is about, and how its tables are shown.

    main: its main table. tables: name -> what it holds. outcomes: kinds of items worth an example -> their title.
    headline: the table whose figures stand at the head of a page. leading: the figure that comes first, by which rows
    are sorted and groups compared; if empty, tables keep their order. printed: the tables that a terminal shows by
    default; all if empty. folded: tables that a page folds, however short. common: key columns that are shown once,
    above a table, if the report holds a single value. values: Karat's own values of counted columns, in their order.
    beside: texts of an item that stand side by side; a label with a text's name chooses it. choices: other labels ->
    the text that each chooses. across: a key column whose values stand side by side, in a block per figure; rows
    without a value are about all of them. pooled: its value that sums up the others. baselines: the prefix of the
    names of baselines, which gates do not read. apart: a key column whose values have tables of their own -> the name
    of each. gated: keys of the rows that gates read by default. keys: the key columns of those rows, besides the `by`
    columns. heads: a table that only some reports hold -> what they are about. pictures: in their order.
    judge: the key column that says who is judged.
    drawn: how its examples were chosen.
    ranges: title -> the two metrics that are shown as one figure under it, from the first to the second.
    """

    name: str
    title: str
    question: str
    main: str
    judge: str
    metrics: Mapping[str, Metric]
    tables: Mapping[str, str]
    outcomes: Mapping[str, str] = field(default_factory=dict)
    headline: str = ""
    leading: str = ""
    printed: tuple[str, ...] = ()
    folded: tuple[str, ...] = ()
    common: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    choices: Mapping[str, str] = field(default_factory=dict)
    across: str = ""
    pooled: str = ""
    baselines: str = ""
    apart: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    gated: Mapping[str, str] = field(default_factory=dict)
    keys: tuple[str, ...] = ()
    heads: Mapping[str, Head] = field(default_factory=dict)
    pictures: tuple[AnyPicture, ...] = ()
    drawn: str = "Items drawn at random, by outcome."
    ranges: Mapping[str, tuple[str, str]] = field(default_factory=dict)
