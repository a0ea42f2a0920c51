"""Whether the tables of score, compare, history and leaderboards give one number for one question, to the last bit."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gappy
import polars as pl
from battery import keys_of
from gappy import Scored

import adjudge

TESTED = ("value", "low", "high", "n", "p", "p_adjusted", "tests", "needed", "shared", "left_out")
STEP = ("value", "low", "high", "n", "p", "first_value", "second_value")
Compared = dict[tuple[Any, ...], dict[str, Any]]
"""The rows of a comparison by their keys."""
EVALUATIONS = ("annotations", "card", "preferences", "rag", "reliability", "violations")


def contradictions(evaluation: str, data_set: int, folder: Path) -> Iterator[str]:
    """What contradicts itself in a random data set with gaps, with and without groups; nothing if all agrees."""
    way, places = ("weeks", "plain")[data_set % 2], {}
    gappy.DATA_SET = data_set
    try:
        # Judges of reliability need not have the same items, but one judge in two runs has. Of others, B is compared with A
        # under the name of A alone.
        for name, judges, called in (
            ("both", "AB", None),
            ("a", "A", None),
            ("later", "B", {"A": "C", "B": "A"}),
            *([("b", "B", None)] if evaluation == "reliability" else []),
        ):
            places[name] = folder / name
            places[name].mkdir(parents=True)
            places[name] = gappy.scored(evaluation, judges, places[name], way, called)
    finally:
        gappy.DATA_SET = 0
    compared = _compared(places["a"], places["later"])
    of_judges = _compared(places["a"], places["b"]) if "b" in places else compared
    yield from _score_against_compare(places["both"].report, of_judges)
    yield from _values_against_differences(places["both"].report)
    yield from _ranks_against_differences(places["both"].report)
    yield from _history_against_compare(places["a"], places["later"], compared)


def _compared(first: Scored, second: Scored) -> Compared:
    return {keys_of(row): row for row in adjudge.compare([first.items, second.items])["comparison"].to_dicts()}


def _score_against_compare(both: adjudge.Report, compared: Compared) -> Iterator[str]:
    """The differences of one report are those of a comparison of two."""
    own = [row for row in both["differences"].to_dicts() if (row["first"], row["second"]) == ("A", "B")]
    pairs = [(row, compared[keys_of(row)]) for row in own if _about_judges(row) and keys_of(row) in compared]
    yield from () if pairs else ["no difference of the report is in the comparison"]
    for row, other in pairs:
        yield from _unequal(row, other, TESTED)


def _about_judges(row: dict[str, Any]) -> bool:
    return row.get("compared") in {None, "annotators", "systems", "models"}


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


def _history_against_compare(first: Scored, second: Scored, compared: Compared) -> Iterator[str]:
    """A step of a history is the difference of the two runs; in the main family p is adjusted alike, too."""
    steps = adjudge.history([first.saved, second.saved])["steps"].filter(same_items="yes").to_dicts()
    pairs = [(row, compared[keys_of(row)]) for row in steps if keys_of(row) in compared]
    yield from () if pairs else ["no step of the history is in the comparison"]
    for row, other in pairs:
        main = row.get("variant") in {None, "std"}  # a history has the averages of other variants alone
        yield from _unequal(row, other, (*STEP, "p_adjusted", "tests", "needed") if main else STEP)


def _unequal(row: dict[str, Any], other: dict[str, Any], names: tuple[str, ...]) -> Iterator[str]:
    for name in names:
        if row.get(name) != other.get(name):
            yield f"{keys_of(row)}: {name} is {row.get(name)} and {other.get(name)}"
