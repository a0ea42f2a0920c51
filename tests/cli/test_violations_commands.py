"""`adjudge violations` from the command line: what is printed, written and refused."""

import inspect
import json
import re
import shlex
from functools import partial
from pathlib import Path

import polars as pl
import pytest

import adjudge as library
from adjudge.estimate import Caveat
from made import DATA
from made_reports import UNSIGNED, signed

CASE = DATA / "violations"
TRUTH, PREDICTED = CASE / "ground_truth.jsonl", CASE / "predicted.jsonl"
EXPECTED = json.loads((CASE / "expected.json").read_text())
ROWS = [json.loads(line) for line in TRUTH.read_text().splitlines()]


@pytest.fixture(scope="module")
def report():
    return library.violations(TRUTH, PREDICTED)


def keys(variant, average="micro", checker="predicted"):
    return {"checker": checker, "variant": variant, "average": average}


def test_every_outcome_is_written(tmp_path):
    report = library.violations(TRUTH, PREDICTED, save_items=tmp_path / "items.parquet")
    frame = pl.read_parquet(tmp_path / "items.parquet")
    counts = frame.group_by("variant", "outcome").len().sort("variant", "outcome")["len"].to_list()
    assert counts == [8, 17, 20, 8, 17, 20]
    assert frame.height == report.outcomes.rows
    hit = frame.filter(item="half", variant="std", outcome="true_positive").row(0, named=True)
    assert (hit["label"], hit["reference_label"]) == ("alpha", "alpha beta gamma")
    assert hit["value"] == pytest.approx(2 / 3)
    offsets = ("start", "end", "predicted_start", "predicted_end")
    assert [hit[name] for name in offsets] == [0, 10, 0, 10]
    assert [frame.schema[name] for name in offsets] == [pl.Int64] * 4
    lacking = {"false_positive": offsets[:2], "false_negative": offsets[2:]}
    for outcome, names in lacking.items():
        rows = frame.filter(outcome=outcome)
        assert all((rows[name].null_count() == rows.height) == (name in names) for name in offsets)


OTHER = {
    "checker": "mine",
    "variant": "std",
    "offset_base": 0,
    "columns": {"id": "id"},
    "by": "group",
    "cluster": "group",
    "ci_level": 0.9,
    "seed": 1,
    "on_invalid": "drop",
    "reading": library.Reading(input_format="violations"),
}
ELSEWHERE = {
    "offset_base",
    "item_columns",
    "truth_annotator",
    "predicted_annotator",
    "rule_similarity",
    "text_similarity",
    "config",
    "constant",
    "map_values",
}
SILENT = UNSIGNED | {"ground_truth", "predictions"}


def test_the_signature_and_the_command_hold_every_option(adjudge, tmp_path, monkeypatch):
    assert set(OTHER) | ELSEWHERE | SILENT == set(inspect.signature(library.violations).parameters)
    rows = ROWS[:4]
    said = [json.loads(line) for line in PREDICTED.read_text().splitlines()]
    monkeypatch.chdir(tmp_path)
    for name, lines in (("t", [{**row, "group": row["id"][:2]} for row in rows]), ("p", said)):
        kept = [json.dumps(row) + "\n" for row in lines if row["id"] in {one["id"] for one in rows}]
        Path(f"{name}.jsonl").write_text("".join(kept))
    scored = partial(library.violations, "t.jsonl", "p.jsonl")
    changed = {name: value for name, value in OTHER.items() if name not in ELSEWHERE}
    report = scored(**changed)
    sign = partial(signed, report, "t.jsonl", "p.jsonl")
    assert sign(**changed) == report.signature
    signatures = {sign(), *(sign(**{name: value}) for name, value in changed.items())}
    status, out, _ = adjudge(*shlex.split(report.command)[1:], "--format", "json")
    assert (status, json.loads(out)) == (0, json.loads(report.to_json()))
    assert len(signatures) == len(changed) + 1


def test_settings_come_from_a_file(adjudge, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("match.toml").write_text("[std]\nscore_threshold = 0.9\n[ha.weights]\noverlap = 0.9\nrule = 0.1\n")
    report = library.violations(TRUTH, PREDICTED, config="match.toml")
    assert any("0.9 overlap + 0.1 rule" in note for note in report.notes)
    assert any("score > 0.9" in note for note in report.notes)
    assert report.inputs[-1].path == "match.toml"
    assert json.loads(adjudge(*shlex.split(report.command)[1:], "--format", "json")[1]) == json.loads(report.to_json())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[stdd]\n", "found: std, ha, with score_threshold, overlap_threshold, rule_threshold, weights of overlap"),
        ("[std]\nscore = 1\n", "unknown field `score` - at `$.std`"),
        ("[std.weights]\noverlap = 0.4\nrule = 0.4\n", "std, weights: expected weights that sum to 1; got 0.8"),
        ("[std.weights]\noverlap = nan\n", "Expected `float` >= 0.0 - at `$.std.weights[...]`"),
        ("[std]\nscore_threshold = 1\n", "at `$.std.score_threshold`"),
    ],
)
def test_wrong_settings_are_told(adjudge, written, text, said):
    status, _, err = adjudge("violations", TRUTH, PREDICTED, "--config", written(text, "m.toml"))
    assert status in {1, 2}
    assert said in err


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["--checker", "a", "--checker", "b"], 2, "expected a name for each of 1 predictions; got 2"),
        (
            ["--fail-under", "f1=0.9"],
            3,
            "FAIL (checker predicted, Standard match (std), all texts (micro)): f1 must be",
        ),
        (["--fail-under", "f1[variant=ha,average=macro]=0.6"], 3, "average=macro] must be at least 0.6; it is 0.5"),
        (["--fail-under", "f1=0.6", "--fail-under", "character_f1=0.7"], 0, ""),
        (["--save-items", "x.csv"], 2, "parquet"),
    ],
)
def test_mistakes_are_told(adjudge, words, status, said):
    found, _, err = adjudge("violations", TRUTH, PREDICTED, *words)
    assert found == status
    assert said in err


def test_several_annotators_of_one_file(adjudge, written):
    rows = "id,who,start,end,text\na,ann,1,4,abcdef\na,ben,1,4,abcdef\nb,ann,-1,-1,xyz\nb,ben,1,2,xyz\n"
    table = written(rows, "spans.csv")
    words = ["--columns", "annotator=who", "--truth-annotator", "ann", "--offset-base", "1"]
    status, out, _ = adjudge("violations", table, *words, "--format", "json")
    report = json.loads(out)
    assert status == 0
    exact = next(row for row in report["tables"]["scores"] if row["metric"] == "exact_precision")
    assert (exact["checker"], exact["value"]) == ("ben", 0.5)
    assert {one["reference"] for one in report["examples"]} == {"ann"}
    status, _, err = adjudge("violations", table, "--columns", "annotator=who")
    assert status == 2
    assert "--truth-annotator" in err


def test_marks_stand_in_the_page_escaped_and_overlaps_have_the_lines_of_both(adjudge, written, tmp_path):
    text = "<b>bold</b> & \u202eright 😀 here"
    first = {"start": 0, "end": 8, "rule": "<script>alert(1)</script>", "explanation": "&amp;"}
    second = {"start": 3, "end": 11, "rule": "tags"}
    truth = written([{"id": "<i>", "text": text, "violations": [first, second]}], "t.json")
    predicted = written([{"id": "<i>", "violations": [first, {"start": 21, "end": 22, "rule": "emoji"}]}], "p.json")
    status, _, _ = adjudge("violations", truth, predicted, "--output", tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    assert status == 0
    assert "<script>alert" not in page
    assert "<b>bold" not in page
    assert re.findall(r'<mark class="([^"]+)">([^<]*)</mark>', page) == [
        ("matched", "&lt;b&gt;"),
        ("matched missed", "bold&lt;"),
        ("missed", "/b&gt;"),
        ("matched", "&lt;b&gt;bold&lt;"),
        ("invented", "😀"),
    ]


@pytest.mark.usefixtures("charts")
def test_one_text_and_one_checker_are_enough(written, tmp_path):
    truth = written([{"id": "a", "text": "abc", "violations": [{"start": 0, "end": 1, "rule": "x"}]}], "t.json")
    report = library.violations(truth, truth, checker="same")
    assert report.estimate("precision", table="scores", **keys("std", checker="same")).caveat == Caveat.ONE_ITEM
    report.save(tmp_path / "r.png")
    assert (tmp_path / "r.png").read_bytes().startswith(b"\x89PNG")
