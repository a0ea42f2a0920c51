"""Whether the tables of score, compare, history and leaderboards give one number for one question, to the last bit."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gappy
import polars as pl
from battery import Case, keys_of

import adjudge

TESTED = ("value", "low", "high", "n", "p", "p_adjusted", "tests", "needed", "shared", "left_out")
STEP = (*TESTED, "method", "collected", "first_value", "second_value")


def of_data_set(evaluation: str, data_set: int, folder: Path) -> Iterator[str]:
    """What contradicts itself in a random data set with gaps, with and without groups; nothing if all agrees."""
    gappy.DATA_SET = data_set
    try:
        yield from contradictions(Case(evaluation, ("weeks", "plain")[data_set % 2], folder))
    finally:
        gappy.DATA_SET = 0


def contradictions(case: Case) -> Iterator[str]:
    """What contradicts itself in the reports of a case."""
    if "differences" in case.both.report.tables:  # in agreement only runs are compared
        yield from _score_against_compare(case)
        yield from _values_against_differences(case.both.report)
        yield from _ranks_against_differences(case.both.report)
    yield from _history_against_compare(case)


def _score_against_compare(case: Case) -> Iterator[str]:
    """The differences of one report are those of a comparison of two."""
    compared = {keys_of(row): row for row in case.compared["comparison"].to_dicts()}
    own = [row for row in case.both.report["differences"].to_dicts() if (row["first"], row["second"]) == ("A", "B")]
    of_judges = [row for row in own if row.get("compared") in {None, "annotators", "systems", "models"}]
    pairs = [(row, compared[keys_of(row)]) for row in of_judges if keys_of(row) in compared]
    yield from () if pairs else ["no difference of the report is in the comparison"]
    for row, other in pairs:
        yield from _unequal(row, other, TESTED)


def _values_against_differences(report: adjudge.Report) -> Iterator[str]:
    """A difference is the second value minus the first, and these are those of the judges where nothing is left out."""
    for row in report["differences"].to_dicts():
        values = row["first_value"], row["second_value"]
        if row["value"] is not None and abs(values[1] - values[0] - row["value"]) > 1e-12:
            yield f"{row['metric']}: {row['value']} is not {values[1]} - {values[0]}"


def _ranks_against_differences(report: adjudge.Report) -> Iterator[str]:
    """1 + the number of significantly better ones, and the number of all less that of significantly worse ones."""
    if "leaderboard" not in report.tables or report.options.get("by"):
        return
    about, board, judge = report.about, report["leaderboard"], report.about.judge
    metric = {"preferences": "accuracy", "violations": "match_score"}[about.name]
    shared = [name for name in ("criterion", "average", "variant") if name in report["differences"].columns]
    for row in board.filter(pl.col("metric").is_in(["rank_low", "rank_high"])).to_dicts():
        same = {name: row[name] for name in shared if name in row} | (
            {"average": "micro"} if "average" in shared else {}
        )
        tests = report["differences"].filter(pl.col("p_adjusted") < 0.05, metric=metric, **same).to_dicts()
        tests = [test for test in tests if test.get("compared") in {None, "systems"}]
        better = sum(test["second" if test["value"] > 0 else "first"] != row[judge] for test in tests if row[judge] in (test["first"], test["second"]))  # fmt: skip
        worse = sum(test["second" if test["value"] > 0 else "first"] == row[judge] for test in tests if row[judge] in (test["first"], test["second"]))  # fmt: skip
        expected = 1 + better if row["metric"] == "rank_low" else board[judge].n_unique() - worse
        if row["value"] != expected:
            yield f"{row[judge]}: {row['metric']} is {row['value']}, the differences give {expected}"


def _history_against_compare(case: Case) -> Iterator[str]:
    """The step of a history of two runs, in any metric, is their difference in a comparison."""
    first, second = case.both, case.exchanged
    about, rows = first.report.about, adjudge.compare([first.items, second.items])["comparison"].to_dicts()
    compared = {(row["judge"], *keys_of(row)): row for row in rows}
    metrics = first.report[about.main]["metric"].unique().to_list()
    steps = adjudge.history([first.saved, second.saved], metric=metrics)["steps"].filter(same_items="yes").to_dicts()
    yield from () if steps else ["the history has no step on the same items"]
    for row in steps:
        yield from _unequal(row, compared[row[about.judge], *keys_of(row)], STEP)


def _unequal(row: dict[str, Any], other: dict[str, Any], names: tuple[str, ...]) -> Iterator[str]:
    for name in names:
        if row.get(name) != other.get(name):
            yield f"{keys_of(row)}: {name} is {row.get(name)} and {other.get(name)}"
