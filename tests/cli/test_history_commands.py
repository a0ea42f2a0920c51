import pytest

import adjudge as library
from made_history import judgments, saved


@pytest.fixture
def runs(tmp_path):
    folder = tmp_path / "runs"
    for day, right in (("2026-11-20", 6), ("2026-11-27", 8)):
        saved(folder / f"{day}.json", {"ann": right, "bob": 5})
    return folder


def test_the_command_prints_what_the_library_returns(adjudge, runs):
    status, printed, said = adjudge("history", runs, "--format", "json")
    assert (status, said) == (0, "")
    assert printed == library.history(runs).to_json()


def test_what_a_killed_command_left_is_no_run(adjudge, runs):
    _, before, _ = adjudge("history", runs, "--format", "json")
    kept = next(path for path in sorted(runs.rglob("*.json")))
    left = runs / f".{kept.name}.x1y2"
    left.mkdir()
    (left / kept.name).write_bytes(kept.read_bytes())
    assert adjudge("history", runs, "--format", "json")[1] == before


def test_every_option_reaches_the_library(adjudge, tmp_path):
    for name, week in (("one", "1"), ("two", "2")):
        library.reliability(judgments({"ann": 6, "bob": 5, "cleo": 4}, week=week), by="week", examples=0).save(
            tmp_path / f"{name}.json"
        )
    words = ["--metric", "kappa", "--metric", "reliability", "--by", "week", "--judge", "ann", "--judge", "bob"]
    _, printed, _ = adjudge("history", tmp_path / "one.json", tmp_path / "two.json", *words, "--format", "json")
    expected = library.history(
        [tmp_path / "one.json", tmp_path / "two.json"],
        metric=["kappa", "reliability"],
        by="week",
        judge=["ann", "bob"],
    )
    assert printed == expected.to_json()
    assert expected["history"].height == 8


def test_a_row_per_run_and_judge_is_printed(adjudge, runs):
    words = ["--metric", "reliability", "--metric", "items", "--table", "history"]
    _, printed, _ = adjudge("history", runs, *words)
    table = printed.splitlines()
    rows = [line.replace("\u00a0", " ").split() for line in table if line.startswith("2026")]
    assert [row[:2] + row[-1:] for row in rows] == [
        ["2026-11-20", "ann", "10"],
        ["2026-11-20", "bob", "10"],
        ["2026-11-27", "ann", "10"],
        ["2026-11-27", "bob", "10"],
    ]
    assert rows[2][2:5] == ["80.0%", "[49.0,", "94.3]"]
    _, table, _ = adjudge("history", runs, "--format", "csv", "--table", "history")
    assert table.splitlines()[0] == "run,time,annotator,metric,value,low,high,n,method,reason,caveat"


def test_no_run_is_written_over(adjudge, runs):
    before = (runs / "2026-11-20.json").read_bytes()
    status, printed, said = adjudge("history", runs, "--output", runs / "2026-11-20.json")
    assert (status, printed) == (2, "")
    assert "would be written over an input" in said
    assert (runs / "2026-11-20.json").read_bytes() == before


def test_an_older_history_beside_the_runs_may_be_written_over(adjudge, runs):
    for _ in range(2):
        status, _, _ = adjudge("history", runs, "--output", runs / "history.json")
        assert status == 0
    assert library.Report.load(runs / "history.json").counts["runs"] == 2


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        ([], 2, "Usage: adjudge history"),
        (["empty"], 1, "empty: expected saved reports; there are none"),
        (["runs/broken.json"], 1, "broken.json: expected a report saved by Adjudge as JSON"),
        (["x.json"], 1, "x.json: expected saved reports; there are none"),
        (["runs", "--metric", "kapa"], 2, "fix:   --metric kappa"),
        (["runs", "--judge", "anne"], 2, "judge: no run has the annotator anne"),
        (["runs", "--by", "week"], 2, "by: no run has the key column week"),
    ],
)
def test_the_exit_status_and_the_message_say_what_happened(adjudge, runs, monkeypatch, words, status, said):
    monkeypatch.chdir(runs.parent)
    for name in ("empty", "x.json"):
        (runs.parent / name).mkdir()
    (runs / "broken.json").write_text('{"adjudge": "0.2.0"')
    got, printed, error = adjudge("history", *words)
    assert (got, printed) == (status, "")
    assert said in error
