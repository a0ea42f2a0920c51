"""Gates on the command line: what they read, what is printed and saved whatever becomes of them."""

import json
import re
import shlex
import shutil
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from made import EXAMPLES

VOTES = EXAMPLES / "reliability" / "votes.json"
PREFERENCES = [EXAMPLES / "preferences" / name for name in ("gold.jsonl", "careful.tsv")]
TEXTS = [EXAMPLES / "violations" / name for name in ("truth.jsonl", "careful.jsonl")]
COMMANDS = {
    "annotations": [EXAMPLES / "annotations" / "pairs.json"],
    "preferences": PREFERENCES,
    "rag": [EXAMPLES / "rag" / "answers.jsonl"],
    "reliability": [VOTES],
    "violations": TEXTS,
}
GATES = {"annotations": "kappa", "preferences": "accuracy", "rag": "accuracy", "reliability": "kappa", "violations": "f1"}  # fmt: skip


def suite_in(path):
    return ET.parse(path).find("testsuite")  # noqa: S314 - our own


@pytest.mark.parametrize("name", COMMANDS)
def test_every_score_reads_the_lower_bound_and_reports_what_its_gates_found(adjudge, tmp_path, name):
    path = tmp_path / "results.xml"
    words = [name, *COMMANDS[name], "--fail-under", f"{GATES[name]}=1", "--output", path]
    status, printed, error = adjudge(*words, "--bound", "worst")
    assert status == 3
    assert printed
    told = [line.removeprefix("error: ").strip() for line in error.splitlines() if not line.startswith("Saved ")]
    assert all(
        re.match(rf"FAIL [^:]+: the lower limit of {GATES[name]} must be at least (1|100%); it is ", line)
        for line in told
    )
    suite = suite_in(path)
    assert [one.text for one in suite.iter("failure")] == told
    assert suite.attrib["name"] == f"adjudge {name}"


def test_an_estimate_that_is_high_enough_may_have_a_lower_bound_that_is_not(adjudge):
    words = ["preferences", *PREFERENCES, "--fail-under", "accuracy=0.79"]
    assert adjudge(*words)[0] == adjudge(*words, "--bound", "estimate")[0] == 0
    status, _, error = adjudge(*words, "--bound", "worst")
    assert status == 3
    assert error == (
        "error: FAIL (system careful, average): the lower limit of accuracy must be at least 79%; "
        "it is 74.5% (estimate 79.7%)\n"
    )


def test_a_report_says_what_became_of_its_gates_and_is_else_the_same(adjudge, tmp_path):
    saved = tmp_path / "report.json"
    words = ["reliability", VOTES, "--format", "json", "--output", saved]
    free = json.loads(adjudge(*words)[1])
    assert free["gates"] == []
    for gate, expected, passed in (
        ("kappa=1", 3, {False}),
        ("kappa[annotator=nobody]=0", 2, set()),
        ("kappa=-1", 0, {True}),
    ):
        saved.unlink()
        status, printed, _ = adjudge(*words, "--fail-under", gate)
        found = json.loads(printed)
        assert status == expected
        assert printed == saved.read_text(encoding="utf-8")
        assert {one["passed"] for one in found["gates"]} == passed, gate
        assert {**found, "gates": [], "summary": None} == {**free, "summary": None}


def test_gates_stand_at_the_head_of_all_forms(adjudge, tmp_path):
    page, comment = tmp_path / "report.html", tmp_path / "report.md"
    words = ["--fail-under", "reliability=0.9", "--output", page, "--output", comment]
    _, printed, error = adjudge("reliability", VOTES, *words)
    said = "reliability must be at least 90%; it is 72.5% [60.0, 82.2]"
    for text in (printed, page.read_text(encoding="utf-8"), comment.read_text(encoding="utf-8")):
        shown = " ".join(re.sub(r"<[^>]+>|\\", "", text).replace("\xa0", " ").split())
        assert re.search(rf"FAIL:? +pooled: {re.escape(said)}", shown)
    assert f"error: FAIL (pooled): {said}\n" in error


def test_a_test_report_holds_passed_gates_too_and_the_same_bytes_each_time(adjudge, tmp_path):
    found = []
    for name in ("first.xml", "second.xml"):
        path = tmp_path / name
        gates = ["--fail-under", "kappa[annotator=ana]=0.9", "--fail-under", "reliability=0.7"]
        assert adjudge("reliability", VOTES, *gates, "--output", path)[0] == 0
        found.append(path.read_bytes())
    assert found[0] == found[1]
    suite = suite_in(path)
    assert [case.attrib["name"] for case in suite.iter("testcase")] == [
        "kappa[annotator=ana] must be at least 0.9: annotator ana",
        "reliability must be at least 70%: pooled",
    ]
    assert (suite.attrib["tests"], suite.attrib["failures"]) == ("2", "0")
    assert {one.attrib["name"] for one in suite.iter("property")} == {"signature", f"sha256 of {VOTES}"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["reliability", VOTES, "--output", "x.xml"], "x.xml: a test report needs a gate\n  fix:   --fail-under or --fail-over"),
        (["reliability", VOTES, "--bound", "worst"], "bound: worst needs a gate; add --fail-under or --fail-over"),
        (["show", "r.json", "--output", "x.xml"], "x.xml: expected a name that ends in one of .html"),
    ],
)  # fmt: skip
def test_a_test_report_without_gates_is_refused_before_anything_is_read(adjudge, monkeypatch, tmp_path, words, said):
    monkeypatch.chdir(tmp_path)
    status, printed, error = adjudge(*words)
    assert (status, printed) == (2, "")
    assert said in error
    assert list(tmp_path.iterdir()) == []


def test_the_workflows_that_are_documented_gate_a_run_that_is_worse(adjudge, monkeypatch, tmp_path):
    page = Path("docs/ci.md").read_text(encoding="utf-8")
    *steps, gitlab = [
        shlex.split(words.split(" > ")[0])[1:]
        for words in re.findall(r"(?:run: >\n\s+|\n    - )(adjudge .*(?:\n {10}--.*)*)", page)
    ]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "evaluation").mkdir()
    shutil.copy(PREFERENCES[0], "evaluation/gold.jsonl")
    shutil.copy(PREFERENCES[1], "ours.tsv")
    (scored, compared) = steps
    assert adjudge(*scored)[0] == 0
    shutil.copy("new.parquet", "evaluation/baseline.parquet")
    shutil.move("new.parquet", "baseline.parquet")
    for name, status in (("careful", 0), ("quick", 3)):
        shutil.copy(PREFERENCES[1].with_stem(name), "ours.tsv")
        assert adjudge(*scored)[0] == 0
        assert adjudge(*compared)[0] == adjudge(*gitlab)[0] == status
        assert suite_in("junit.xml").attrib["failures"] == str(status // 3)
    written = {one.name for one in tmp_path.iterdir()}
    assert written >= {"report.html", "score.json", "score.xml", "compare.xml", "junit.xml"}
