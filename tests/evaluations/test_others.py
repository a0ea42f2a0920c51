"""What the other judges said of the items that stand as examples."""

import json

import polars as pl

import adjudge


def test_an_example_says_what_all_others_said_of_the_same_item():
    labels = {"ana": "yes", "ben": "no"}
    rows = [{"item": "i1", "annotator": name, "label": label, "reference": "yes"} for name, label in labels.items()]
    rows.append({"item": "i2", "annotator": "ana", "label": "no", "reference": "no"})
    examples = adjudge.reliability(pl.DataFrame(rows)).examples
    said = {(row["item"], row["judge"]): json.loads(row["others"] or "[]") for row in examples.to_dicts()}
    assert said["i1", "ben"] == [{"judge": "ana", "label": "yes", "outcome": "correct"}]
    assert said["i1", "ana"] == [{"judge": "ben", "label": "no", "outcome": "incorrect"}]
    assert said["i2", "ana"] == []


def test_others_answered_the_same_question_at_the_same_noise():
    rows = [
        {
            "id": "q",
            "ability": "noise_robustness",
            "model": model,
            "noise_ratio": noise,
            "response": text,
            "answer": ["Rome"],
        }
        for model, noise, text in (("m", 0.0, "Rome"), ("n", 0.0, "Paris"), ("n", 0.5, "Bonn"), ("o", 0.0, "Oslo"))
    ]
    examples = adjudge.rag(pl.DataFrame(rows)).examples
    said = {(row["judge"], row["noise_ratio"]): row["others"] for row in examples.to_dicts()}
    assert [(one["judge"], one["response"]) for one in json.loads(said["m", 0.0])] == [("n", "Paris"), ("o", "Oslo")]
    assert said["n", 0.5] is None


def test_other_checkers_stand_beside_with_the_true_violation_that_each_of_their_spans_matches():
    def spans(*places):
        return [{"start": start, "end": end, "rule": "r"} for start, end in places]

    truth = pl.DataFrame([{"id": "a", "text": "one two three four", "violations": spans((0, 3), (8, 13))}])
    found = {"first": spans((0, 3)), "second": spans((8, 13), (14, 18))}
    checked = [pl.DataFrame([{"id": "a", "violations": marks}]) for marks in found.values()]
    rows = adjudge.violations(truth, checked).examples.to_dicts()
    first = next(row for row in rows if "missed" in row["outcome"] and "invented" not in row["outcome"])
    other = json.loads(first["others"])
    shown = [mark for mark in json.loads(first["marks"]) if mark["side"] == "true"]
    assert [one["spans"] for one in other] == [[[8, 13, 1], [14, 18, None]]]
    assert (shown[1]["start"], shown[1]["match"]) == (8, None)
