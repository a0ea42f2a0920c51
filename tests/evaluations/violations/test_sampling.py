"""Which pairs of violations are drawn to be judged."""

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge import calibrate_violations, violation_pairs
from adjudge.errors import OptionError
from adjudge.evaluations.violations.calibration import NEAR, sample_pairs

TEXT = "Cures headache, the best tea ever, free of charge for all of you."
RULES = ("no medical claims", "no superlatives", "no free money")


def lines(seed, texts=30, each=4):
    random = np.random.default_rng(seed)
    found = []
    for number in range(texts):
        starts = random.integers(0, 45, each)
        violations = [
            {"start": int(start), "end": int(start + random.integers(3, 20)), "rule": RULES[random.integers(3)]}
            for start in starts
        ]
        found.append({"id": f"t{number}", "text": TEXT, "violations": violations})
    return found


@pytest.fixture
def files(tmp_path):
    paths = []
    for seed, name in enumerate(["truth", "one", "two"]):
        path = tmp_path / f"{name}.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines(seed)))
        paths.append(path)
    return paths


def test_half_are_near_the_threshold_and_the_others_anywhere():
    score = np.random.default_rng(0).random(5000)
    rows = sample_pairs(score, 0.5, 200)
    near = np.abs(score[rows] - 0.5) <= NEAR
    assert len(set(rows)) == 200
    assert 100 <= near.sum() <= 140  # and a fifth of the others
    assert set((score[rows] * 10).astype(int)) == set(range(10))


def test_where_few_are_near_the_others_fill_up():
    score = np.concatenate([np.full(5, 0.5), np.linspace(0.7, 0.99, 500)])
    rows = sample_pairs(score, 0.5, 100)
    assert len(rows) == 100
    assert set(range(5)) <= set(rows)
    assert len(sample_pairs(np.full(300, 0.55), 0.5, 100)) == 100


@given(st.lists(st.floats(0, 1), max_size=60), st.integers(1, 40), st.floats(0, 1), st.integers(0, 99))
def test_what_is_drawn_is_there_once_and_no_more_than_asked_for(scores, count, threshold, seed):
    score = np.array(scores, np.float64)
    rows = sample_pairs(score, threshold, count, seed=seed)
    assert rows == sample_pairs(score, threshold, count, seed=seed)
    assert len(set(rows)) == len(rows) == min(count, len(scores))
    assert set(rows) <= set(range(len(scores)))


def test_pairs_are_written_for_people_to_fill_in(files, tmp_path):
    path = tmp_path / "judged.jsonl"
    found = violation_pairs(files[0], files[1:], output=path, count=60)
    written = [json.loads(line) for line in path.read_text().splitlines()]
    assert written == list(found.pairs)
    assert len(written) == 60
    assert found.candidates > 100
    for pair in written:
        assert list(pair) == ["id", "text", "predicted", "ground_truth", "same", "judge"]
        assert (pair["text"], pair["same"], pair["judge"]) == (TEXT, None, None)
        ours, true = pair["predicted"], pair["ground_truth"]
        assert max(ours["start"], true["start"]) < min(ours["end"], true["end"])
        assert ours["context"] == TEXT[ours["start"] : ours["end"]]
        assert set(true) == {"start", "end", "context", "rule"}


def test_what_is_filled_in_can_be_calibrated(files, tmp_path):
    path = tmp_path / "judged.jsonl"
    violation_pairs(files[0], files[1:], output=path, count=80)
    pairs = [json.loads(line) for line in path.read_text().splitlines()]
    for place, pair in enumerate(pairs):
        same = pair["predicted"]["rule"] == pair["ground_truth"]["rule"]
        pair |= {"same": same != (place % 9 == 0), "judge": "ann"}
    path.write_text("".join(json.dumps(pair) + "\n" for pair in pairs))
    report = calibrate_violations(path)
    assert report.estimate("weight", table="weights", part="rule").value > 0.5
    with pytest.raises(OptionError, match="may hold judgments"):
        violation_pairs(files[0], files[1:], output=path)
    assert json.loads(path.read_text().splitlines()[0])["judge"] == "ann"


def test_a_page_to_judge_on_holds_the_pairs_as_data_alone(tmp_path):
    text = "Best </script><script>alert(1)</script> tea"
    truth = pl.DataFrame({"id": ["a"], "text": [text], "start": [0], "end": [4], "rule": ["<b>x</b>"]})
    path = tmp_path / "judge.html"
    found = violation_pairs(truth, truth.drop("text"), output=path)
    page = path.read_text()
    data = page.split('<script type="application/json" id="pairs">')[1].split("</script>")[0]
    assert json.loads(data) == list(found.pairs)
    assert "<" not in data
    assert page.count("<script") == 2
    assert "http" not in page.replace("http-equiv", "")
    with pytest.raises(OptionError, match="may hold judgments"):
        violation_pairs(truth, truth.drop("text"), output=path)


def test_the_same_seed_draws_the_same_whatever_the_order_of_lines(files):
    first = violation_pairs(files[0], files[1:], count=30, seed=5)
    for path in files:
        path.write_text("".join(reversed(path.read_text().splitlines(keepends=True))))
    assert violation_pairs(files[0], files[1:][::-1], count=30, seed=5).pairs == first.pairs
    assert violation_pairs(files[0], files[1:], count=30, seed=6).pairs != first.pairs


@pytest.fixture
def several(tmp_path):
    """One file in which three people mark the same texts."""
    path = tmp_path / "several.jsonl"
    named = [{**line, "annotator": name} for seed, name in enumerate(["ann", "ben", "cem"]) for line in lines(seed)]
    path.write_text("".join(json.dumps(line) + "\n" for line in named))
    return path


def test_annotators_of_one_file_are_true_or_predicted(files, several):
    with pytest.raises(OptionError, match="or the annotator whose violations are true"):
        violation_pairs(files[0])
    both = violation_pairs(several, truth_annotator="ann", count=40)
    assert both.pairs == violation_pairs(files[0], files[1:], count=40).pairs
    one = violation_pairs(several, truth_annotator="ann", predicted_annotator="cem", count=40)
    assert one.pairs == violation_pairs(files[0], files[2], count=40).pairs
    beside = violation_pairs(files[0], several, predicted_annotator=["ben"], count=40)
    assert beside.pairs == violation_pairs(files[0], files[1], count=40).pairs


def test_who_is_right_is_not_compared_with_themselves_where_the_file_is_named_twice(several, tmp_path):
    again = tmp_path / "again.jsonl"
    again.write_bytes(several.read_bytes())
    with pytest.raises(OptionError, match=r"no annotator .anne."):
        violation_pairs(several, truth_annotator="anne")
    alone = violation_pairs(several, truth_annotator="ann", count=40)
    for file in (several, again):
        assert violation_pairs(several, file, truth_annotator="ann", count=40).pairs == alone.pairs
