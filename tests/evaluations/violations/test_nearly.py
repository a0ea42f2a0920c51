"""What failed where a violation matches nothing."""

import polars as pl
import pytest

import adjudge as library

TEXT = "abcdefghijklmnopqrstuvwxyz"


def span(start, end, rule, **said):
    return {"start": start, "end": end, "rule": rule, **said}


CASES = {
    "rule": ([span(0, 10, "x y")], [span(0, 10, "z")], 0.0),  # 0.5 of the overlap is no more than the threshold
    "boundary": (
        [span(0, 10, "x")],
        [span(9, 19, "x y z")],
        0.5 - (1 / 19 + 1 / 3) / 2,
    ),  # rules would do, and lack less
    "nothing there": ([span(0, 3, "x")], [span(5, 8, "x")], None),
    "taken": ([span(0, 10, "x")], [span(0, 10, "x"), span(0, 9, "x")], 0.0),
    "not in the text": ([], [{"context": "zebra crossing", "rule": "x"}], None),
}


@pytest.fixture(scope="module")
def items(tmp_path_factory):
    folder = tmp_path_factory.mktemp("near")
    truth = [{"id": name, "text": TEXT, "violations": true} for name, (true, _, _) in CASES.items()]
    predicted = [{"id": name, "violations": said} for name, (_, said, _) in CASES.items()]
    pl.DataFrame(truth).write_ndjson(folder / "t.jsonl")
    pl.DataFrame(predicted).write_ndjson(folder / "p.jsonl")
    report = library.violations(
        folder / "t.jsonl", folder / "p.jsonl", variant="std", save_items=folder / "items.parquet"
    )
    return report, pl.read_parquet(folder / "items.parquet")


@pytest.mark.parametrize("case", CASES)
def test_what_is_invented_says_what_failed_and_by_how_much(items, case):
    row = items[1].row(by_predicate=(pl.col("item") == case) & (pl.col("outcome") == "false_positive"), named=True)
    short = CASES[case][2]
    assert row["failed"] == case
    assert row["short"] == (short if short is None else pytest.approx(short, abs=1e-12))
    near = CASES[case][0][0] if short is not None else {"start": None, "end": None}
    assert (row["near_start"], row["near_end"]) == (near["start"], near["end"])


def test_what_is_missed_says_the_same_and_both_are_counted(items):
    report, rows = items
    missed = rows.filter(outcome="false_negative").select("item", "failed", "near_start").rows()
    assert missed == [("rule", "rule", 0), ("boundary", "boundary", 9), ("nothing there", "nothing there", None)]
    assert rows.filter(outcome="true_positive")["failed"].to_list() == [None]
    counts = report["near_misses"].select("outcome", "failed", "count")
    assert counts.filter(outcome="false_positive")["count"].to_list() == [1] * len(CASES)
    assert counts.filter(outcome="false_negative").height == 3


def test_a_category_alone_or_several_parts_may_fail(written):
    truth = [{"id": one, "text": TEXT, "violations": [span(0, 10, "x", category="a")]} for one in "cs"]
    said = {"c": span(0, 10, "x", category="b"), "s": span(0, 5, "x y", category="b")}
    predicted = [{"id": name, "violations": [one]} for name, one in said.items()]
    weights = {"overlap": 0.4, "rule": 0.2, "category": 0.4}
    report = library.violations(
        written(truth, "t.json"), written(predicted, "p.json"), variant="ha", ha_weights=weights, score_threshold=0.8
    )
    # c scores 0.6, and 1 with its category; s 0.2 + 0.1, and 0.7 at best with one part alike
    counts = report["near_misses"].filter(outcome="false_negative").select("failed", "count").rows()
    assert counts == [("category", 1), ("several parts", 1)]
