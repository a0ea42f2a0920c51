"""The figures of violations: precision, recall, F1, match score, by category, by rule and by group."""

import json

import pytest

import adjudge as library
from made import DATA

CASE = DATA / "violations"
TRUTH, PREDICTED = CASE / "ground_truth.jsonl", CASE / "predicted.jsonl"
EXPECTED = json.loads((CASE / "expected.json").read_text())
ROWS = [json.loads(line) for line in TRUTH.read_text().splitlines()]


@pytest.fixture(scope="module")
def report():
    return library.violations(TRUTH, PREDICTED)


def keys(variant, average="micro", checker="predicted"):
    return {"checker": checker, "variant": variant, "average": average}


@pytest.mark.parametrize("variant", ["std", "ha"])
@pytest.mark.parametrize("metric", ["precision", "recall", "f1", "match_score", "match_quality"])
def test_the_cases_come_out(report, variant, metric):
    estimate = report.estimate("scores", metric, keys(variant))
    assert estimate.value == pytest.approx(EXPECTED[variant][metric], abs=1e-9)
    assert estimate.low < estimate.value < estimate.high
    assert estimate.method.startswith("t") == (metric == "match_quality")


@pytest.mark.parametrize("variant", ["std", "ha"])
def test_counts_and_matches_are_in_tables(report, variant):
    counts = dict(report["counts"].filter(variant=variant).select("outcome", "count").iter_rows())
    assert list(counts.values()) == [EXPECTED[variant][name] for name in ("tp", "fp", "fn")]
    matches = report["matches"].filter(variant=variant)
    assert matches.height == EXPECTED[variant]["tp"]
    assert matches["score"].sum() == pytest.approx(sum(one["score"] for one in EXPECTED[variant]["matches"]))
    assert (matches["category_similarity"].null_count() == 0) == (variant == "ha")


def test_macro_is_the_mean_over_the_texts_that_have_something(written):
    truth = [
        {
            "id": "a",
            "text": "abcdefghij",
            "violations": [{"start": 0, "end": 5, "rule": "x"}, {"start": 6, "end": 9, "rule": "x"}],
        },
        {"id": "b", "text": "abcdefghij", "violations": [{"start": 0, "end": 5, "rule": "x"}]},
        {"id": "c", "text": "abcdefghij", "violations": []},
    ]
    predicted = [
        {"id": "a", "violations": [{"start": 0, "end": 5, "rule": "x"}]},
        {"id": "b", "violations": []},
        {"id": "c", "violations": [{"start": 0, "end": 1, "rule": "x"}]},
    ]
    report = library.violations(written(truth, "t.json"), written(predicted, "p.json"), variant="std")
    found = {
        metric: report.estimate("scores", metric, keys("std", "macro", "p")) for metric in ("precision", "recall", "f1")
    }
    assert found["precision"].value == 0.5  # 1 of a, 0 of c
    assert found["recall"].value == 0.25  # half of a, nothing of b
    assert found["f1"].value == pytest.approx(2 / 3 / 3)  # 2/3 of a, 0 of b and of c
    assert [one.n for one in found.values()] == [2, 2, 3]


def test_what_has_nothing_to_divide_by_is_undefined(written):
    truth = written([{"id": "a", "text": "abc", "violations": []}], "t.json")
    report = library.violations(truth, written([{"id": "a", "violations": []}], "p.json"))
    reasons = {
        metric: report.estimate("scores", metric, keys("std", checker="p")).reason
        for metric in ("precision", "recall", "f1", "match_score", "match_quality")
    }
    assert reasons == {
        "precision": "nothing is predicted",
        "recall": "nothing is true",
        "f1": "nothing is true or predicted",
        "match_score": "nothing is true",
        "match_quality": "nothing matches",
    }
