"""Items that everyone gets wrong, and what the other judges said of examples, in evaluations with a reference."""

import json

import polars as pl

import adjudge
from adjudge.render.html import report_page
from made import labelled


def labels(said):
    return labelled(said, reference=pl.lit("yes"))


def test_an_item_that_two_judge_and_none_as_the_reference_does_is_listed_and_shown():
    report = adjudge.reliability(labels({"ana": "no no no", "ben": "maybe yes -"}))
    expected = [{"item": "i0", "reference_label": "yes", "said": "maybe, no", "judges": 2}]
    assert report["hardest_items"].to_dicts() == expected
    page = report_page([report])
    assert "maybe, no" in page
    assert "hardest_items" not in adjudge.reliability(labels({"ana": "no", "ben": "yes"})).tables


def test_those_that_most_judge_stand_first_and_the_first_are_examples():
    said = {"a0": "no " * 9, "a1": "no " * 9, "a2": "- " * 7 + "no -"}
    report = adjudge.reliability(labels(said), examples=1)
    assert report["hardest_items"]["item"].to_list() == ["i7", *(f"i{item}" for item in range(9) if item != 7)]
    assert "i7" in report.examples["item"].to_list()


def test_a_question_is_hard_at_its_noise_and_a_refusal_is_right_where_documents_hold_nothing():
    rows = [
        {"id": "q", "ability": ability, "model": model, "noise_ratio": noise, "response": text, "answer": ["Rome"]}
        for ability, model, noise, text in (
            ("noise_robustness", "m", 0.0, "Rome"),
            ("noise_robustness", "n", 0.0, "Oslo"),
            ("noise_robustness", "m", 0.5, "Bonn"),
            ("noise_robustness", "n", 0.5, "I cannot answer."),
            ("negative_rejection", "m", 1.0, "I cannot answer."),
            ("negative_rejection", "n", 1.0, "Oslo"),
        )
    ]
    hard = adjudge.rag(pl.DataFrame(rows))["hardest_items"]
    assert hard.select("item", "ability", "noise_ratio", "judges").rows() == [("q", "noise_robustness", 0.5, 2)]


def spans(*places):
    return [{"start": start, "end": end, "rule": "r"} for start, end in places]


TEXTS = {"instruction": pl.lit("x"), "output_a": pl.lit("y"), "output_b": pl.lit("z")}


def preferences(*labels):
    rows = [{"id": item, "safety_preference": one, "relevance_preference": other} for item, one, other in labels]
    return pl.DataFrame(rows)


def test_a_criterion_is_hard_where_no_system_gives_the_gold_label():
    gold = preferences(("i", "B", "A")).with_columns(**TEXTS)
    systems = [preferences(("i", "B", "B")), preferences(("i", "A", "both_good"))]
    hard = adjudge.preferences(gold, systems, criteria=["relevance", "safety"], system=["s", "t"])["hardest_items"]
    assert hard.select("item", "criterion", "reference_label", "said", "judges").rows() == [
        ("i", "relevance", "A", "B, both_good", 2)
    ]


def test_a_true_violation_is_hard_that_no_checker_finds():
    truth = pl.DataFrame([{"id": "a", "text": "one two three four", "violations": spans((0, 3), (4, 7), (8, 13))}])
    found = [pl.DataFrame([{"id": "a", "violations": marks}]) for marks in (spans((0, 3)), spans((8, 13)))]
    report = adjudge.violations(truth, found)
    assert report["hardest_items"].select("item", "words", "rule", "judges").rows() == [("a", "two", "r", 2)]


def test_an_example_says_what_all_others_said_of_the_same_item():
    references = pl.Series(["yes", "no", "yes"])
    examples = adjudge.reliability(labelled({"ana": "yes no", "ben": "no -"}, reference=references)).examples
    said = {(row["item"], row["judge"]): json.loads(row["others"] or "[]") for row in examples.to_dicts()}
    assert said["i0", "ben"] == [{"judge": "ana", "label": "yes", "outcome": "correct"}]
    assert said["i0", "ana"] == [{"judge": "ben", "label": "no", "outcome": "incorrect"}]
    assert said["i1", "ana"] == []


def test_other_checkers_stand_beside_with_what_they_mark():
    truth = pl.DataFrame([{"id": "a", "text": "one two three four", "violations": spans((0, 3), (8, 13))}])
    found = {"first": spans((0, 3)), "second": spans((8, 13), (14, 18))}
    checked = [pl.DataFrame([{"id": "a", "violations": marks}]) for marks in found.values()]
    rows = adjudge.violations(truth, checked).examples.to_dicts()
    first = next(row for row in rows if "missed" in row["outcome"] and "invented" not in row["outcome"])
    other = json.loads(first["others"])
    assert other == [{"judge": "table 2", "label": "2 violations"}]
