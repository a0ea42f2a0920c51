"""What a report is about: what its evaluation is called, and what its figures, tables and outcomes are.

An evaluation says it once, and its reports carry it: whoever shows a report asks the report alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from karat.pictures import AnyPicture

COMPARED, OVER_TIME = "comparison", "history"
"""The main tables of reports on several runs, of any evaluation."""


@dataclass(frozen=True, slots=True)
class Metric:
    """A figure as a reader meets it. title: its name in headings. meaning: one sentence, with the formula.

    better: which end is good, or None where neither is. percent: whether it is shown as a percentage.
    decimals: the most that are shown, where its size does not say it; 0 for counts and ranks. signed: whether a plus
    stands before what is above 0. of_shares: whether it is made of shares and no share itself: a mean or a difference
    of them, a share drawn to others.
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
    """What a report is about that holds a certain table, which is then its main one.

    tables: name -> what it holds. outcomes: kinds of examples -> their title. printed: as of an Evaluation. folded
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
    """What an evaluation is about, and how its tables are read.

    main: its main table. tables: name -> what it holds. outcomes: kinds of items worth an example -> their title.
    headline: the table whose figures stand at the head of a page. leading: the figure that comes first, that rows
    are sorted by, and that groups are compared by; none keeps the order of the tables. printed: the tables that a
    terminal shows unasked; by default all. folded: tables that a page folds up, however short. common: key columns
    that are said once, above a table, where the report holds one value only. values: Karat's own values of counted
    columns, in their order. beside: texts of an item that stand side by side; a label with a text's name chooses it.
    choices: other labels -> the text that each chooses. across: a key column whose values stand side by side, in a
    block per figure; rows without a value of it are about all of them. pooled: the value of it that sums up the others.
    baselines: how the names of judges begin that are computed and not judged, so that no gate reads them.
    apart: a key column whose values stand in tables of their own -> what each is called. gated: keys of the rows that
    gates read where they name no others. keys: the key columns of those rows, besides the `by` columns.
    heads: a table that only some reports hold -> what they are about. pictures: in their order.
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
    drawn: str = "Items drawn at random, by what became of them."
    ranges: Mapping[str, tuple[str, str]] = field(default_factory=dict)
