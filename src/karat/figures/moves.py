"""What several runs tell besides their differences: what moved in a history of them, and what two have in common.

A history has the steps of each judge from run to run, and from the first run to the last.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from typing import Any

from karat.estimate import Estimate
from karat.figures.answering import Row, keys_of
from karat.figures.oddities import LEFT_OUT
from karat.figures.separation import Pair, significant
from karat.report import Report
from karat.statistics.comparison import holm, independent_difference


@dataclass(frozen=True, slots=True)
class Moves:
    """The steps that a test tells from none, the smallest p first. largest: of the others that with the smallest p.

    steps: how many were tested together.
    """

    told: Sequence[Pair]
    largest: Pair | None
    steps: int


@dataclass(frozen=True, slots=True)
class Apart:
    """How many items two runs have in common, and how many stand in the first or the second alone."""

    names: tuple[str, str]
    both: int
    first: int
    second: int


def apart_of(report: Report) -> Iterator[Apart]:
    """The first two runs that are compared, where 5 % of their items stand in one of them alone."""
    if "items" not in report.tables:
        return
    for (first, second), rows in report["items"].group_by("first", "second", maintain_order=True):
        counts = dict(rows.select("outcome", "count").iter_rows())
        both, *alone = (counts.get(one, 0) for one in ("both", "only_first", "only_second"))
        if sum(alone) >= LEFT_OUT * (both + sum(alone)):
            yield Apart((str(first), str(second)), both, *alone)
            return


def moves_of(report: Report) -> Moves:
    """The steps of all figures of a history.

    Each is tested by the two intervals, as if the runs had different items: on the same items, where figures of two
    runs go together, that is on the safe side. p is adjusted by Holm's method over all steps.
    """
    found = list(_steps(report))
    adjusted = holm([pair.p for pair in found])
    steps = [
        replace(pair, p=p, told=significant(p, report.confidence)) for pair, p in zip(found, adjusted, strict=True)
    ]
    steps.sort(key=lambda pair: (pair.p is None, pair.p))
    told = [pair for pair in steps if pair.told]
    return Moves(told, next((pair for pair in steps if not pair.told), None), len(steps))


def run_column(report: Report) -> str:
    """The column that names runs, or the values by which a history is ordered."""
    columns = report[report.about.main].columns
    return next(iter(report.options.get("by") or ()), columns[0])


def _steps(report: Report) -> Iterator[Pair]:
    table, run = report[report.about.main], run_column(report)
    by = bool(report.options.get("by"))
    own = [table.columns[0], *([] if by else [table.columns[1]]), run]
    keys = [key for key in keys_of(table.columns) if key not in own]

    def place(row: Row) -> tuple[str, ...]:
        return tuple(str(row[key]) for key in ("metric", *keys))

    rows = [row for row in table.to_dicts() if row["low"] is not None]
    for _, one in groupby(sorted(rows, key=place), place):
        runs = list(one)
        several = [(runs[0], runs[-1])] if len(runs) > 2 else []  # noqa: PLR2004 - of two this is the only step
        yield from (_step(*two, run, report) for two in (*pairwise(runs), *several))


def _step(first: Row, second: Row, run: str, report: Report) -> Pair:
    """The later figure minus the earlier one."""
    judge: Any = first[report.about.judge]
    both = (Estimate.of_row(row, confidence=report.confidence) for row in (second, first))
    tested = independent_difference(*both)
    return Pair(
        first["metric"], str(second[run]), str(first[run]), tested.estimate, tested.p, False, None, (judge, judge)
    )
