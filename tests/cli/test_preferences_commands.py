"""`adjudge preferences` from the command line: what is printed, written and refused."""

import json
import shlex

import polars as pl
import pytest

import adjudge as library
from made import DATA

CASE = DATA / "preferences"
GOLD, ONE, TWO = CASE / "gold.jsonl", CASE / "system_one.tsv", CASE / "system_two.tsv"


def test_scores_are_printed_and_written(adjudge, tmp_path):
    outputs = ["--output", tmp_path / "r.json", "--output", tmp_path / "r.html"]
    status, out, err = adjudge("preferences", GOLD, ONE, TWO, "--explanations", *outputs)
    assert (status, err) == (0, f"Saved {tmp_path}/r.json\nSaved {tmp_path}/r.html\n")
    assert "74.7" in out
    assert "majority" in out
    report = library.Report.load(tmp_path / "r.json")
    assert report.estimate("borda", table="ranks", system="system_one").value == 8
    assert "system_two" in (tmp_path / "r.html").read_text()


def test_the_command_in_the_report_gives_the_same_report(adjudge, tmp_path, monkeypatch):
    monkeypatch.chdir(CASE)
    words = ["--criteria", "safety,relevance", "--system", r"x\, y", "--output", tmp_path / "a.json"]
    adjudge("preferences", "gold.jsonl", "system_one.tsv", *words)
    report = library.Report.load(tmp_path / "a.json")
    status, out, _ = adjudge(*shlex.split(report.command)[1:], "--format", "json")
    assert status == 0
    assert json.loads(out) == json.loads((tmp_path / "a.json").read_text())


def test_gates_read_the_average_of_systems_and_not_of_baselines(adjudge):
    assert adjudge("preferences", GOLD, ONE, "--fail-under", "accuracy=0.74")[0] == 0
    status, _, err = adjudge("preferences", GOLD, ONE, TWO, "--fail-under", "accuracy=0.74")
    assert status == 3
    assert err.count("FAIL") == 1
    assert "FAIL (system system_two, average): " in err
    assert adjudge("preferences", GOLD, ONE, "--fail-under", "accuracy[criterion=overall_quality]=0.71")[0] == 3
    assert adjudge("preferences", GOLD, ONE, "--fail-under", "accuracy[system=baseline:majority]=0.5")[0] == 3
    assert adjudge("preferences", GOLD, ONE, "--fail-under", "accuracy[sistem=x]=0.5")[0] == 2


def test_a_submission_is_checked(adjudge, tmp_path):
    status, out, err = adjudge("preferences", "check", ONE, "--gold", GOLD, "--explanations")
    assert (status, err) == (0, "")
    assert out.endswith("30 rows, no problems found\n")
    broken = tmp_path / "broken.tsv"
    lines = ONE.read_text().split("\n")
    broken.write_text("\n".join([lines[0], lines[1].replace("12\t", "12.0\t", 1), *lines[2:]]))
    status, out, err = adjudge("preferences", "check", broken, "--gold", GOLD)
    assert (status, out) == (1, "")
    assert "expected an id of" in err
    assert 'got "12.0"' in err


@pytest.mark.usefixtures("charts")
def test_published_scores_are_ranked_and_saved_alone(adjudge, tmp_path):
    status, out, _ = adjudge("preferences", "rank", CASE / "published_scores.jsonl", "--format", "csv")
    assert status == 0
    rows = pl.read_csv(out.encode())
    points = rows.filter(pl.col("metric") == "borda")
    assert dict(points.select("system", "value").iter_rows()) == {"VerbaNexAI": 34, "UTK": 17, "Baseline": 9}
    paths = [tmp_path / f"r.{ending}" for ending in ("html", "md", "json", "png", "svg")]
    outputs = [word for path in paths for word in ("--output", path)]
    assert adjudge("preferences", "rank", CASE / "published_scores.jsonl", *outputs)[0] == 0
    assert all("VerbaNexAI" in path.read_text() for path in paths[:3])
    assert all(path.stat().st_size for path in paths)


@pytest.mark.parametrize("predictor", ["longer", "majority"])
def test_baselines_predict(adjudge, tmp_path, predictor):
    target = tmp_path / f"{predictor}.tsv"
    train = ["--train", GOLD] if predictor == "majority" else []
    status, out, _ = adjudge("preferences", "predict", GOLD, "--predictor", predictor, *train, "--output", target)
    assert (status, out) == (0, f"{target}: 30 items predicted\n")
    assert library.check_preferences(target, gold=GOLD).rows == 30
    report = library.preferences(GOLD, target)
    for criterion in ("safety", "average"):
        ours, theirs = (
            report.estimate("accuracy", table="scores", system=name, criterion=criterion).value
            for name in (predictor, f"baseline:{predictor}")
        )
        assert ours == theirs


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--predictor", "majority"], "needs labelled items to learn from"),
        (["--predictor", "longer", "--train", str(GOLD)], "does not use it"),
        (["--predictor", "longer", "--labels", "left,right"], "longer needs labels called A and B"),
    ],
)
def test_predictors_say_what_they_need(adjudge, tmp_path, words, message):
    status, _, err = adjudge("preferences", "predict", GOLD, *words, "--output", tmp_path / "x.tsv")
    assert status == 2
    assert message in err
