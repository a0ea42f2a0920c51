"""`adjudge violations calibrate` and `adjudge violations pairs`: what is printed, written and refused."""

import json
import re
from functools import partial

import numpy as np
import pytest

import adjudge as library
from adjudge.api.violation_matching import calibrate_violations

TEXT = "Cures headache, the best tea ever, free of charge for all of you."


@pytest.fixture
def run(adjudge):
    """A command of this evaluation: exit status, standard output and standard error."""
    return partial(adjudge, "violations")


@pytest.fixture
def judged(written):
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
    return written("".join(json.dumps(line) + "\n" for line in lines), "judged.jsonl")


@pytest.fixture
def marked(written):
    random = np.random.default_rng(1)
    paths = []
    for name in ("truth", "ours"):
        lines = []
        for number in range(30):
            starts = random.choice(40, 3, replace=False).tolist()
            violations = [{"start": start, "end": start + 15, "rule": "ab"[start % 2]} for start in starts]
            lines.append({"id": f"t{number}", "text": TEXT, "violations": violations})
        paths.append(written("".join(json.dumps(line) + "\n" for line in lines), f"{name}.jsonl"))
    return paths


def held(report):
    """What a report's JSON holds, besides its warnings, which speak of flags where a command gives them."""
    return {name: value for name, value in json.loads(report).items() if name != "warnings"}


def test_the_report_is_that_of_the_library(run, judged, tmp_path):
    config, base = tmp_path / "ours.toml", tmp_path / "base.toml"
    base.write_text("[ha]\noverlap_threshold = 0.1\nrule_threshold = 0.2\n")
    words = ["--seed", 3, "--config", base]
    status, out, _ = run("calibrate", judged, *words, "--write-config", config, "--format", "json")
    assert status == 0
    options = {"seed": 3, "config": base}
    report = calibrate_violations(str(judged), **options, write_config=config)
    assert held(out) == held(report.to_json())
    assert len(json.loads(out)["warnings"]) == len(report.warnings)
    assert calibrate_violations(str(judged), seed=4).command == f"adjudge violations calibrate {judged} --seed 4"
    assert "overlap_threshold = 0.1\nrule_threshold = 0.2\n" in config.read_text()


def test_settings_are_written_for_score_and_for_pairs(run, judged, marked, tmp_path):
    config = tmp_path / "ours.toml"
    assert run("calibrate", judged, "--write-config", config)[0] == 0
    assert config.read_text().startswith("# Calibrated by Adjudge")
    assert library.violations(marked[0], marked[1], config=config)["scores"].height
    assert run("pairs", *marked, "--output", tmp_path / "todo.jsonl", "--config", config)[0] == 0


def test_pairs_are_drawn_and_counted(run, marked, tmp_path):
    path = tmp_path / "todo.jsonl"
    status, out, err = run("pairs", *marked, "--output", path, "--count", 20)
    assert (status, err) == (0, "")
    lines = path.read_text().splitlines()
    assert len(lines) == 20
    assert re.fullmatch(rf"{path}: 20 of \d+ overlapping pairs to judge\n", out)
    assert "score" not in json.loads(lines[0])


def test_warnings_of_the_files_are_said(run, marked, tmp_path):
    marked[1].write_text("".join(marked[1].read_text().splitlines(keepends=True)[1:]))
    err = run("pairs", *marked, "--output", tmp_path / "todo.jsonl", "--count", 5)[2]
    assert "warning: ours: lacks 1 of 30 texts" in err
