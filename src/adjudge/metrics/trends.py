"""Trends over runs: significant steps of a history, the overlap of two runs' items, and runs that judges lack.

A history has the steps of each judge from run to run, and from the first run to the last.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from adjudge.metrics.data_checks import LEFT_OUT
from adjudge.metrics.ranking import PairTest, pair_test
from adjudge.metrics.row_selection import TableRow, distinguishing_keys
from adjudge.metrics.run_changes import SAME_ITEMS, STEPS, UNKNOWN
from adjudge.report import Report

RUN_COLUMNS = frozenset({"run", "report_run"})
"""Columns that name runs, each of which has a report of its own."""


@dataclass(frozen=True, slots=True)
class StepTests:
    """The significant steps, the smallest p first. largest: of the others the one with the smallest p.

    steps: how many were tested together. unknown: for how many of them it is unknown if the items are the same.
    """

    significant: Sequence[PairTest]
    largest: PairTest | None
    steps: int
    unknown: int


@dataclass(frozen=True, slots=True)
class ItemOverlap:
    """The number of items in both of two runs, in the first only, and in the second only."""

    names: tuple[str, str]
    both: int
    first: int
    second: int


@dataclass(frozen=True, slots=True)
class RunCoverage:
    """Judges that are missing in runs of a history. lacking: judge -> the number of its runs, the fewest first.

    run: the column that names runs. judges: all of them.
    """

    run: str
    runs: int
    judges: Sequence[str]
    lacking: Mapping[str, int]


HistoryFact: TypeAlias = StepTests | RunCoverage


def run_coverage(report: Report, rows: Sequence[TableRow]) -> Iterator[RunCoverage]:
    """The judges that lack runs, by the rows of one metric. Nothing for a single run, or if runs are the judges."""
    run, judge = run_column(report), report.about.judge
    runs = len({row[run] for row in rows})
    if runs < 2 or judge == run or any(row.get(judge) is None for row in rows):  # noqa: PLR2004 - two make a history
        return
    judges = dict.fromkeys(row[judge] for row in rows)
    counts = {one: len({row[run] for row in rows if row[judge] == one}) for one in judges}
    fewest = sorted(judges, key=counts.__getitem__)
    yield RunCoverage(run, runs, list(judges), {one: counts[one] for one in fewest if counts[one] < runs})


def compared_item_overlap(report: Report) -> Iterator[ItemOverlap]:
    """The item overlap of the first two compared runs, if at least 5% of their items are in one only, or none."""
    if "items" not in report.tables:
        return
    for (first, second), rows in report["items"].group_by("first", "second", maintain_order=True):
        counts = dict(rows.select("outcome", "count").iter_rows())
        both, one, other = (counts.get(one, 0) for one in ("both", "only_first", "only_second"))
        if not one + other or one + other >= LEFT_OUT * (both + one + other):
            yield ItemOverlap((str(first), str(second)), both, one, other)
            return


def step_tests(report: Report) -> StepTests:
    """The steps of all metrics of a history, as its table of them tests them."""
    rows, judge = sorted(report[STEPS].to_dicts(), key=_step_p), report.about.judge
    names = [(row[judge], row[judge]) if judge in row else None for row in rows]  # no key where runs are judges
    apart = {
        metric: distinguishing_keys([row for row in rows if row["metric"] == metric], report.about)
        for metric in {row["metric"] for row in rows}
    }
    groups = [{key: row[key] for key in apart[row["metric"]] if key != SAME_ITEMS} for row in rows]
    steps = [
        replace(pair_test(row, report.confidence, both), group=group)
        for row, both, group in zip(rows, names, groups, strict=True)
    ]
    significant_steps = [pair for pair in steps if pair.significant]
    untold = next((pair for pair in steps if not pair.significant), None)
    return StepTests(significant_steps, untold, len(steps), report[STEPS].filter(**{SAME_ITEMS: UNKNOWN}).height)


def _step_p(row: TableRow) -> tuple[bool, float, float]:
    """Sort key of steps: adjusted p, then p, since many adjusted p are 1."""
    unknown = row["p_adjusted"] is None
    return unknown, 0.0 if unknown else row["p_adjusted"], 1.0 if row["p"] is None else row["p"]


def run_column(report: Report) -> str:
    """The column that names runs, or the values by which a history is ordered."""
    columns = report[report.about.main].columns
    return next(iter(report.options.get("by") or ()), columns[0])
