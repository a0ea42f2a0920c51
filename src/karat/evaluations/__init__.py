"""The evaluations, and what each says of itself: its figures, its tables, its name."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Literal

from karat.errors import DataError

NAMES = ("annotations", "preferences", "rag", "reliability", "violations")
"""The evaluations there are; each is a package below this one that holds EVALUATION and charts."""


@dataclass(frozen=True, slots=True)
class Metric:
    """A figure as a reader meets it. title: its name in headings. meaning: one sentence, with the formula.

    better: which end is good, or None where neither is. percent: whether it is shown as a percentage.
    decimals: the most that are shown, where its size does not say it; 0 for counts and ranks.
    """

    title: str
    meaning: str
    better: Literal["high", "low"] | None = None
    percent: bool = True
    decimals: int | None = None


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
    heads: a table that only some reports hold -> their title and question.
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
    heads: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    ranges: Mapping[str, tuple[str, str]] = field(default_factory=dict)


def evaluation(name: str, tables: Iterable[str] = ()) -> Evaluation:
    """The evaluation of that name, under the title of a report that holds these tables.

    Raises DataError where there is none, since names come from saved reports.
    """
    if name not in NAMES:
        raise DataError(
            f"expected a report saved by Karat as JSON; its evaluation is none of {', '.join(NAMES)}: {name!r:.60}"
        )
    found: Evaluation = import_module(f"{__name__}.{name}").EVALUATION
    title, question = next(
        (found.heads[table] for table in tables if table in found.heads), (found.title, found.question)
    )
    return replace(found, title=title, question=question)
