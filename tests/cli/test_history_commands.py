import pytest

import adjudge as library
from made_history import judgments, saved


@pytest.fixture
def runs(tmp_path):
    folder = tmp_path / "runs"
    for day, right in (("2026-11-20", 6), ("2026-11-27", 8)):
        saved(folder / f"{day}.json", {"ann": right, "bob": 5})
    return folder


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
        [tmp_path / "one.json", tmp_path / "two.json"], metric=["kappa", "reliability"], by="week", judge=["ann", "bob"]
    )
    assert printed == expected.to_json()
    assert expected["history"].height == 8


def test_no_run_is_written_over(adjudge, runs):
    before = (runs / "2026-11-20.json").read_bytes()
    status, printed, said = adjudge("history", runs, "--output", runs / "2026-11-20.json")
    assert (status, printed) == (2, "")
    assert "would overwrite an input" in said
    assert (runs / "2026-11-20.json").read_bytes() == before
