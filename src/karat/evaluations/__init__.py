"""The evaluations, and what each says of itself: its figures, its tables, its name."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Literal

from karat.errors import DataError

NAMES = ("annotations", "preferences", "rag", "reliability", "violations")
"""The evaluations there are; each is a package below this one that holds EVALUATION and charts."""

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
    besides those of the evaluation. charts: the module that draws it; by default the evaluation's own. drawn: how its
    examples were chosen.
    """

    title: str
    question: str
    tables: Mapping[str, str] = field(default_factory=dict)
    outcomes: Mapping[str, str] = field(default_factory=dict)
    printed: tuple[str, ...] = ()
    folded: tuple[str, ...] = ()
    charts: str = ""
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
    gates read where they name no others.
    heads: a table that only some reports hold -> what they are about.
    charts: the module that draws its reports. drawn: how its examples were chosen.
    ranges: title -> the two metrics that are shown as one figure under it, from the first to the second.
    """

    name: str
    title: str
    question: str
    main: str
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
    heads: Mapping[str, Head] = field(default_factory=dict)
    charts: str = ""
    drawn: str = "Items drawn at random, by what became of them."
    ranges: Mapping[str, tuple[str, str]] = field(default_factory=dict)


HEADS = {
    COMPARED: Head(
        "Runs compared",
        "Did it get better? Each figure of two runs on the same items, and the difference between them.",
        tables={
            COMPARED: "Each difference is the second run less the first, on the items that both hold.",
            "items": "Items that both runs hold, and those that one of them holds alone.",
            "transitions": "What became of the same items: rows for the first run, columns for the second.",
            "changes": "Items whose outcome changed, the worst first.",
        },
        outcomes={"worse": "Worse than before", "better": "Better than before", "other": "Otherwise than before"},
        printed=(COMPARED, "items", "transitions", "changes"),
        folded=("transitions",),
        charts="karat.evaluations.comparing.charts",
        drawn="The items that changed most, with what either run says of them.",
    ),
    OVER_TIME: Head(
        "Figures over time",
        "How did each figure change from run to run?",
        tables={OVER_TIME: "Each figure of each run, in their order."},
        printed=(OVER_TIME,),
        charts="karat.evaluations.history.charts",
    ),
}
"""What reports on several runs are about, by their main table."""


def evaluation(name: str, tables: Iterable[str] = ()) -> Evaluation:
    """The evaluation of that name, as a report that holds these tables is about it.

    Raises DataError where there is none, since names come from saved reports.
    """
    if name not in NAMES:
        raise DataError(
            f"expected a report saved by Karat as JSON; its evaluation is none of {', '.join(NAMES)}: {name!r:.60}"
        )
    module = f"{__name__}.{name}"
    found: Evaluation = replace(import_module(module).EVALUATION, charts=f"{module}.charts")
    heads = {**found.heads, **HEADS}
    table = next((table for table in tables if table in heads), None)
    return found if table is None else _about(found, table, heads[table])


def _about(found: Evaluation, table: str, head: Head) -> Evaluation:
    """The evaluation as a report is about it whose main table is another one."""
    return replace(
        found,
        title=head.title,
        question=head.question,
        main=table,
        tables={**found.tables, **head.tables},
        outcomes=head.outcomes or found.outcomes,
        printed=head.printed or found.printed,
        folded=(*found.folded, *head.folded),
        charts=head.charts or found.charts,
        drawn=head.drawn or found.drawn,
        headline="",
        leading="",
        across="",
    )
