"""Where people work: assertions for pytest, metrics for trackers, data sets of Hugging Face, the GitHub Action."""

import os
import re
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
import yaml

import adjudge
from adjudge.testing import assert_agreement, assert_not_worse, assert_significantly_better

EXAMPLES = Path(__file__).parents[1] / "examples"
ACTION = yaml.safe_load((Path(__file__).parents[1] / "action.yml").read_text())
LABELS = {"item": [1, 2, 3, 1, 2, 3], "annotator": ["gold"] * 3 + ["ana"] * 3, "label": ["x", "y", "x", "x", "y", "y"]}


@pytest.fixture(scope="module")
def two_systems():
    folder = EXAMPLES / "preferences"
    return adjudge.preferences(folder / "gold.jsonl", [folder / "careful.tsv", folder / "quick.tsv"])


@pytest.fixture(scope="module")
def labels():
    return adjudge.reliability(pl.DataFrame(LABELS), reference="gold")


def test_significance_follows_the_table_of_differences(two_systems):
    assert_significantly_better(two_systems, "careful", "quick", metric="accuracy")
    with pytest.raises(AssertionError, match="quick minus careful is −13"):
        assert_significantly_better(two_systems, "quick", "careful", metric="accuracy")
    with pytest.raises(AssertionError):  # ahead by 1.7 points, which 60 items do not show
        assert_significantly_better(two_systems, "careful", "quick", metric="accuracy", criterion="truthfulness")


def test_significance_of_two_runs(tmp_path):
    folder = EXAMPLES / "preferences"
    for name in ("careful", "quick"):
        adjudge.preferences(folder / "gold.jsonl", folder / f"{name}.tsv", save_items=tmp_path / f"{name}.parquet")
    runs = adjudge.compare([tmp_path / "quick.parquet", tmp_path / "careful.parquet"])
    assert_significantly_better(runs, "careful", "quick", metric="accuracy")
    with pytest.raises(AssertionError):
        assert_significantly_better(runs, "quick", "careful", metric="accuracy")
    assert_not_worse(runs, metric="accuracy")
    worse = adjudge.compare([tmp_path / "careful.parquet", tmp_path / "quick.parquet"])
    with pytest.raises(AssertionError, match=r"must not fall; quick minus careful is −13\.7 pp"):
        assert_not_worse(worse, metric="accuracy")
    assert_not_worse(worse, metric="accuracy", margin=0.2)
    with pytest.raises(TypeError, match="pass a list for several"):
        adjudge.compare(tmp_path / "careful.parquet", tmp_path / "quick.parquet")


@pytest.mark.parametrize(
    "asked", [{"metric": "acuracy"}, {"metric": "accuracy", "than": "quik"}, {"metric": "accuracy", "criterion": "fun"}]
)
def test_significance_of_what_is_not_tested_is_an_error(two_systems, asked):
    with pytest.raises(adjudge.OptionError):
        assert_significantly_better(two_systems, "careful", **{"than": "quick"} | asked)


def test_agreement_reads_what_a_gate_reads():
    report = adjudge.reliability(EXAMPLES / "reliability" / "votes.json")
    assert_agreement(report, "kappa", at_least=0.4, annotator="ana")
    with pytest.raises(AssertionError, match="annotator dev: kappa must be at least"):
        assert_agreement(report, "kappa", at_least=0.4)
    with pytest.raises(AssertionError, match="annotator cleo"):
        assert_agreement(report, "kappa", at_least=0.2, bound="worst")
    for metric, limit in (("kapa", 0.4), ("kappa", 40)):
        with pytest.raises(adjudge.OptionError):
            assert_agreement(report, metric, at_least=limit)


def test_flat_names_are_ones_that_trackers_take(labels):
    numbers = labels.flat()
    assert numbers["reliability/ana"] == pytest.approx(2 / 3)
    assert numbers["reliability/ana/low"] < 2 / 3 < numbers["reliability/ana/high"]
    assert all(re.fullmatch(r"[A-Za-z0-9_.: /-]+", name) for name in numbers)  # what MLflow takes


def test_flat_keeps_judges_with_like_names_apart_in_every_metric():
    names = ["gold"] * 3 + ["\u00e8", "\u00e9", "\u00e9"]
    odd = adjudge.reliability(pl.DataFrame(LABELS | {"annotator": names}), reference="gold")
    numbers = odd.flat()
    for row in odd["annotators"].filter(pl.col("value").is_not_null()).to_dicts():
        judge = "_" if row["annotator"] == "\u00e8" else "__"
        assert numbers[f"{row['metric']}/{judge}"] == row["value"]
    grouped = adjudge.reliability(pl.DataFrame(LABELS | {"group": ["low"] * 6}), reference="gold", by=["group"])
    assert len(grouped.flat("overall")) == sum(grouped["overall"].select("value", "low", "high").count().row(0))


def test_undefined_metrics_are_not_in_flat(labels):
    undefined = labels["annotators"].filter(pl.col("value").is_null())["metric"].to_list()
    assert undefined
    assert not [name for name in labels.flat() if name.split("/")[0] in undefined]


def test_a_dataset_of_hugging_face_goes_in_and_out(labels):
    import datasets

    classes = datasets.ClassLabel(names=["x", "y"])
    numbers = LABELS | {"label": [classes.str2int(label) for label in LABELS["label"]]}
    rows = datasets.Dataset.from_dict(numbers).cast_column("label", classes)
    assert adjudge.reliability(rows, reference="gold")["annotators"].equals(labels["annotators"])
    assert datasets.Dataset.from_polars(labels["annotators"]).to_polars().equals(labels["annotators"])


# --- the GitHub Action ---


def run_step(name, folder, **environment):
    """Runs a step of the action as a runner does."""
    (script,) = (step["run"] for step in ACTION["runs"]["steps"] if step.get("name") == name)
    path = f"{folder}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {name: str(value) for name, value in environment.items()}
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    variables = os.environ | {"PATH": path} | environment
    return subprocess.run(command, env=variables, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("floor", "status"), [(0.5, 0), (0.99, 3)])
def test_the_action_fails_with_its_gate_and_keeps_the_report(tmp_path, floor, status):
    data = tmp_path / "two words $HOME.csv"
    pl.DataFrame(LABELS).write_csv(data)
    files = {"REPORT": tmp_path / "report.md", "GITHUB_STEP_SUMMARY": tmp_path / "summary.md"}
    command = f"reliability '{data}' --reference gold --fail-under reliability={floor}"
    ran = run_step("Evaluate", tmp_path, COMMAND=command, **files)
    assert ran.returncode == status, ran.stderr
    assert files["REPORT"].read_text() == files["GITHUB_STEP_SUMMARY"].read_text() != ""


@pytest.mark.parametrize(("there", "call"), [("", "--method POST repos/o/r/issues/7/comments"), ("12", "comments/12")])
def test_the_action_replaces_its_comment(tmp_path, there, call):
    gh = tmp_path / "gh"
    gh.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/calls\ncase "$*" in *paginate*) echo "{there}";; esac\n')
    gh.chmod(0o755)
    report = tmp_path / "report.md"
    report.write_text("All gates passed\n")
    ran = run_step("Comment", tmp_path, REPORT=report, ISSUE="repos/o/r/issues", NUMBER=7, MARK="<!-- adjudge job -->")
    assert ran.returncode == 0, ran.stderr
    assert call in (tmp_path / "calls").read_text().splitlines()[-1]
    assert (tmp_path / "report.md.body").read_text() == "<!-- adjudge job -->\n\nAll gates passed\n"
