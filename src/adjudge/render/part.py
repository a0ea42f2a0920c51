"""A table of a report, or a part of one, as it is read."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import polars as pl

from adjudge.render.numbers import UPTO
from adjudge.report import NON_KEY_COLUMNS, Report, holds_estimates
from adjudge.spec import SIDE_BY_SIDE, MetricSpec

FIRST, SECOND = "first_value", "second_value"
"""Columns of the two values between which a difference lies."""
RUNS = ("first", "second")
"""Key columns that name the runs, or the judges, between which a difference lies."""


@dataclass(frozen=True, slots=True)
class Part:
    """A table, or a part of one, as it is read.

    title, about: what it is called, and what it holds; empty where it goes on with the part before it.
    names: column -> what to call each of its values; others are called what they are. metrics: how figures are shown.
    by: key columns that the data named, and no evaluation. values: counted ones in their order. pooled: the metric
    that sums up the others. compared: whether it holds comparisons, those with the smallest p first. block: the
    heading of a part among others. columns: the metrics in their order, with what stands below their titles; others
    follow as they come. n: metric -> what its figures rest on, where it is said once. note: of all figures, where
    it is said once. said: sentences in the place of rows. farthest: of figures that are coloured by their sign and
    size, how far from 0 they are at most; 0 of all others. links: row by row the place of a page to which its item
    leads, empty for none. shares: key columns that hold shares. headings: column -> what it is called, where that is
    not its name.
    """

    name: str
    title: str
    about: str
    frame: pl.DataFrame
    names: Mapping[str, Mapping[str, str]]
    metrics: Mapping[str, MetricSpec]
    by: Collection[str] = ()
    values: Sequence[str] = ()
    pooled: str = ""
    compared: bool = False
    block: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    n: Mapping[str, int] = field(default_factory=dict)
    note: str = ""
    said: str = ""
    farthest: float = 0.0
    links: Sequence[str] = ()
    shares: Collection[str] = ()
    headings: Mapping[str, str] = field(default_factory=dict)

    @property
    def shown(self) -> list[str]:
        """The metrics of its figures in the order in which they are shown."""
        places = {name: place for place, name in enumerate(self.columns)}
        return sorted(dict.fromkeys(self.frame["metric"]), key=lambda name: places.get(name, len(places)))

    @property
    def figures(self) -> bool:
        """Whether it holds figures (else it holds counts or the like)."""
        return holds_estimates(self.frame)


def keys_of(frame: pl.DataFrame) -> list[str]:
    """The key columns of a table of figures."""
    return [name for name in frame.columns if name not in {*NON_KEY_COLUMNS, UPTO, "truth"}]


def under_one_title(found: Sequence[Part]) -> list[Part]:
    """Parts of one table: the first alone says what it is called, and what it holds."""
    return [found[0], *(replace(one, title="", about="") for one in found[1:])]


def without_empty_keys(frame: pl.DataFrame) -> pl.DataFrame:
    """The table without keys that no row has."""
    return frame.drop([key for key in keys_of(frame) if frame[key].null_count() == frame.height])


def bounded(metric: str) -> str:
    """The metric of which another is the least or the greatest value that it can have; of any other metric itself.

    >>> bounded("accuracy_lowest"), bounded("accuracy")
    ('accuracy', 'accuracy')
    """
    return metric.removesuffix("_lowest").removesuffix("_highest")


def printed_tables(report: Report) -> list[str]:
    """The tables that are shown unasked, in their order, if they hold anything."""
    return [name for name in report.about.printed or report.tables if name in report.tables and report[name].height]


def leading_tables(report: Report) -> list[str]:
    """The printed tables before the main one, such as a leaderboard, but for those that are shown otherwise."""
    about = report.about
    before = about.printed[: about.printed.index(about.main)] if about.main in about.printed else ()
    return [name for name in printed_tables(report) if name in before and name not in {about.headline, SIDE_BY_SIDE}]
