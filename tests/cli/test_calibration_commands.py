"""`karat violations calibrate` and `karat violations pairs`: what is printed, written and refused."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from karat.api._violations import calibrate_violations
from karat.cli import app
from karat.errors import DataError, OptionError
from karat.report import Report

TEXT = "Cures headache, the best tea ever, free of charge for all of you."


def run(*words):
    """Exit status, standard output and standard error; errors of Karat are raised."""
    found = CliRunner().invoke(app, ["violations", *map(str, words)], catch_exceptions=True)
    if found.exception is not None and not isinstance(found.exception, SystemExit):
        raise found.exception
    return found.exit_code, found.stdout, found.stderr


@pytest.fixture
def judged(tmp_path):
    random = np.random.default_rng(0)
    lines = []
    for number in range(160):
        start, shift = int(random.integers(0, 20)), int(random.integers(0, 12))
        rule = ("a b", "a c", "d")[random.integers(3)]
        lines.append(
            {
                "id": f"t{number % 20}",
                "text": TEXT,
                "predicted": {"start": start, "end": start + 12, "rule": rule},
                "ground_truth": {"start": start + shift, "end": start + shift + 12, "rule": "a b"},
                "same": bool(random.random() < (0.9 if shift < 5 and rule != "d" else 0.2)),
                "judge": f"j{number}",
            }
        )
    path = tmp_path / "judged.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.fixture
def marked(tmp_path):
    random = np.random.default_rng(1)
    paths = []
    for name in ("truth", "ours"):
        lines = []
        for number in range(30):
            starts = random.choice(40, 3, replace=False).tolist()
            violations = [{"start": start, "end": start + 15, "rule": "ab"[start % 2]} for start in starts]
            lines.append({"id": f"t{number}", "text": TEXT, "violations": violations})
        paths.append(tmp_path / f"{name}.jsonl")
        paths[-1].write_text("".join(json.dumps(line) + "\n" for line in lines))
    return paths


def test_the_report_is_that_of_the_library(judged):
    status, out, _ = run("calibrate", judged, "--folds", 4, "--seed", 3, "--format", "json")
    assert status == 0
    report = calibrate_violations(str(judged), folds=4, seed=3)
    assert json.loads(out) == json.loads(report.to_json())
    assert report.command == f"karat violations calibrate {judged} --folds 4 --seed 3"


def test_the_report_is_written_in_every_form(judged, tmp_path):
    outputs = [tmp_path / name for name in ("r.json", "r.md", "r.csv")]
    status, out, _ = run("calibrate", judged, *(word for path in outputs for word in ("--output", path)))
    assert status == 0
    assert "calibrated: score = " in out
    assert Report.load(outputs[0])["weights"].height == 10
    assert "## Calibration" in outputs[1].read_text()
    assert (outputs[2] / "flatness.csv").is_file()


def test_the_main_table_of_csv_is_the_calibration(judged):
    lines = run("calibrate", judged, "--format", "csv")[1].splitlines()
    assert lines[0] == "rule,metric,value,low,high,n,method,reason,note"
    assert len(lines) == 12  # three figures of each of three rules, and two thresholds


def test_settings_are_written_for_score_and_for_pairs(judged, marked, tmp_path):
    config = tmp_path / "ours.toml"
    assert run("calibrate", judged, "--write-config", config)[0] == 0
    assert config.read_text().startswith("# Calibrated by Karat")
    import karat as library

    report = library.violations(marked[0], marked[1], config=config)
    assert report["scores"].height
    assert run("pairs", *marked, "--output", tmp_path / "todo.jsonl", "--config", config)[0] == 0


def test_thresholds_of_overlap_and_rules_go_into_report_and_settings(judged, tmp_path):
    config = tmp_path / "ours.toml"
    words = ["--overlap-threshold", 0.1, "--rule-threshold", 0.2]
    out = run("calibrate", judged, *words, "--write-config", config, "--format", "json")[1]
    assert json.loads(out) == json.loads(
        calibrate_violations(str(judged), overlap_threshold=0.1, rule_threshold=0.2, write_config=config).to_json()
    )
    assert "overlap_threshold = 0.1\nrule_threshold = 0.2\n" in config.read_text()


def test_settings_without_weight_on_rules_can_be_used_for_scores_and_pairs(judged, marked, tmp_path):
    pairs = [json.loads(line) for line in judged.read_text().splitlines()]
    for pair in pairs:  # of the same rule fewer are the same than of others
        ours, true = pair["predicted"], pair["ground_truth"]
        pair["same"] = true["start"] - ours["start"] < (4 if ours["rule"] == true["rule"] else 6)
    judged.write_text("".join(json.dumps(pair) + "\n" for pair in pairs))
    config = tmp_path / "ours.toml"
    run("calibrate", judged, "--write-config", config)
    assert "rule = 0.0\n" in config.read_text()
    words = ["violations", "score", *map(str, marked), "--config", str(config), "--format", "json", "--output"]
    for variant, names in (("ha", {"ha"}), ("both", {"std", "ha"})):
        path = tmp_path / f"{variant}.json"
        found = CliRunner().invoke(app, [*words, str(path), "--variant", variant], catch_exceptions=False)
        assert found.exit_code == 0
        assert set(Report.load(path)["scores"]["variant"]) >= names
    assert run("pairs", *marked, "--output", tmp_path / "todo.jsonl", "--config", config)[0] == 0


def test_annotators_of_one_file_can_be_paired(marked, tmp_path):
    path, todo = tmp_path / "both.jsonl", tmp_path / "todo.jsonl"
    named = [
        json.dumps({**json.loads(line), "annotator": one.stem})
        for one in marked
        for line in one.read_text().split("\n")[:-1]
    ]
    path.write_text("\n".join(named))
    assert run("pairs", path, "--output", todo, "--truth-annotator", "truth")[0] == 0
    words = ["--truth-annotator", "truth", "--predicted-annotator", "ours"]
    assert run("pairs", path, path, "--output", tmp_path / "same.jsonl", *words)[0] == 0
    assert (tmp_path / "same.jsonl").read_bytes() == todo.read_bytes()
    assert run("pairs", *marked, "--output", tmp_path / "apart.jsonl")[0] == 0
    assert (tmp_path / "apart.jsonl").read_bytes() == todo.read_bytes()


def test_settings_never_replace_what_they_are_made_of(judged):
    toml = judged.with_name("judged.toml")
    judged.rename(toml)
    with pytest.raises(OptionError, match="would be written over an input"):
        run("calibrate", toml, "--write-config", toml)


def test_settings_and_report_are_apart(judged, tmp_path):
    with pytest.raises(OptionError, match="expected a name that ends in one of"):
        run("calibrate", judged, "--write-config", tmp_path / "r.json")


def test_nothing_is_written_where_nothing_can_be_fitted(judged, tmp_path):
    config = tmp_path / "ours.toml"
    judged.write_text(judged.read_text().replace('"same": true', '"same": false'))
    with pytest.raises(DataError, match="are judged not the same"):
        run("calibrate", judged, "--write-config", config)
    assert not config.exists()


def test_a_wrong_answer_is_named(judged):
    judged.write_text(judged.read_text().replace('"same": true', '"same": "yes"', 1))
    with pytest.raises(DataError, match=r'line \d+, same: expected true or false; got "yes"'):
        run("calibrate", judged)


def test_pairs_are_drawn_and_counted(marked, tmp_path):
    path = tmp_path / "todo.jsonl"
    status, out, err = run("pairs", *marked, "--output", path, "--count", 20)
    assert (status, err) == (0, "")
    lines = path.read_text().splitlines()
    assert len(lines) == 20
    assert out.startswith(f"{path}: 20 of ")
    assert out.endswith(" overlapping pairs to judge\n")
    assert "score" not in json.loads(lines[0])


def test_pairs_never_replace_an_input_or_judgments(marked, judged):
    with pytest.raises(OptionError, match="would be written over an input"):
        run("pairs", *marked, "--output", marked[0])
    before = judged.read_bytes()
    with pytest.raises(OptionError, match="holds 160 of people's judgments"):
        run("pairs", *marked, "--output", judged)
    assert judged.read_bytes() == before


def test_scores_are_shown_on_request(marked, tmp_path):
    path = tmp_path / "todo.jsonl"
    run("pairs", *marked, "--output", path, "--count", 5, "--show-score")
    assert all(0 < json.loads(line)["score"] <= 1 for line in path.read_text().splitlines())


def test_warnings_of_the_files_are_said(marked, tmp_path):
    first, *rest = marked[1].read_text().splitlines(keepends=True)
    marked[1].write_text("".join(rest))
    err = run("pairs", *marked, "--output", tmp_path / "todo.jsonl", "--count", 5)[2]
    assert "karat: warning: ours: ours says nothing of 1 of 30 texts" in err
    assert json.loads(first)["id"] == "t0"
