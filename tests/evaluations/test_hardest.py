"""Items that everyone gets wrong, in each evaluation that compares judges with a reference."""

import re
from dataclasses import replace

import polars as pl

import adjudge
from adjudge.render.html import report_page


def labels(*rows):
    names = ("item", "annotator", "label", "reference")
    return pl.DataFrame([dict(zip(names, row, strict=True)) for row in rows])


def test_an_item_that_two_judge_and_none_as_the_reference_does_is_listed_and_linked():
    data = labels(
        ("both", "ana", "no", "yes"),
        ("both", "ben", "maybe", "yes"),
        ("one", "ana", "no", "yes"),
        ("one", "ben", "yes", "yes"),
        ("alone", "ana", "no", "yes"),
    )
    report = adjudge.reliability(data)
    expected = [{"item": "both", "reference_label": "yes", "said": "maybe, no", "judges": 2}]
    assert report["hardest_items"].to_dicts() == expected
    page = report_page([report])
    assert page.count('href="#item=both"') == page.count(' id="item=both"') == 1


def test_where_nothing_is_wrong_for_all_there_is_no_such_table():
    report = adjudge.reliability(labels(("i", "ana", "no", "yes"), ("i", "ben", "yes", "yes")))
    assert "hardest_items" not in report.tables


def test_those_that_most_judge_stand_first_and_the_first_are_examples():
    rows = [(f"i{item}", f"a{judge}", "no", "yes") for item in range(9) for judge in range(2 + (item == 7))]
    report = adjudge.reliability(labels(*rows), examples=1)
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


def test_a_criterion_is_hard_where_no_system_gives_the_gold_label():
    def preferences(relevance, safety):
        return pl.DataFrame([{"id": "i", "relevance_preference": relevance, "safety_preference": safety}])

    gold = preferences("A", "B").with_columns(instruction=pl.lit("x"), output_a=pl.lit("y"), output_b=pl.lit("z"))
    systems = [preferences("B", "B"), preferences("both_good", "A")]
    hard = adjudge.preferences(gold, systems, criteria=["relevance", "safety"], system=["s", "t"])["hardest_items"]
    assert hard.select("item", "criterion", "reference_label", "said", "judges").rows() == [
        ("i", "relevance", "A", "B, both_good", 2)
    ]


def test_a_hard_criterion_leads_to_its_own_example_and_to_none_where_only_another_criterion_is_one():
    """Both systems are right on safety, and wrong on the relevance of i and j, of which i's alone is an example."""

    def preferences(*labels):
        rows = [{"id": item, "safety_preference": one, "relevance_preference": other} for item, one, other in labels]
        return pl.DataFrame(rows)

    gold = preferences(("i", "A", "A"), ("j", "A", "A"))
    gold = gold.with_columns(instruction=pl.lit("x"), output_a=pl.lit("y"), output_b=pl.lit("z"))
    systems = [preferences(("i", "A", "B"), ("j", "A", "B"))] * 2
    report = adjudge.preferences(gold, systems, criteria=["safety", "relevance"], system=["s", "t"], examples=100)
    part = pl.col("part")
    shown = report.examples.filter((pl.col("item") == "i") | (part == "safety")).sort(part == "relevance")
    page = report_page([report, replace(report, examples=shown)])
    second = page[page.index('<article class="report" id="r2">') :]
    (link,) = re.findall(r'href="#([^"]*item=[^"]*)"', second)
    assert "Linked ones are among the examples." in second
    assert page.count(f' id="{link}"') == 1
    card = second[second.index(f' id="{link}"') :].partition(">")[0]
    assert 'data-item="i"' in card
    assert 'data-part="relevance"' in card


def test_a_true_violation_is_hard_that_no_checker_finds():
    def spans(*places):
        return [{"start": start, "end": end, "rule": "r"} for start, end in places]

    truth = pl.DataFrame([{"id": "a", "text": "one two three four", "violations": spans((0, 3), (4, 7), (8, 13))}])
    found = [pl.DataFrame([{"id": "a", "violations": marks}]) for marks in (spans((0, 3)), spans((8, 13)))]
    report = adjudge.violations(truth, found)
    assert report["hardest_items"].select("item", "words", "rule", "judges").rows() == [("a", "two", "r", 2)]


def test_more_than_are_listed_are_counted(tmp_path):
    rows = [(f"i{item}", who, "no", "yes") for item in range(53) for who in ("ana", "ben")]
    report = adjudge.reliability(labels(*rows))
    report.save(tmp_path / "report.json")
    for table in (report["hardest_items"], adjudge.Report.load(tmp_path / "report.json")["hardest_items"]):
        assert (table.height, table["of"].unique().to_list()) == (50, [53])


def test_more_missed_violations_than_are_listed_are_counted():
    marks = [{"start": 0, "end": 3, "rule": "r"}]
    truth = pl.DataFrame([{"id": f"t{n}", "text": f"one {n}", "violations": marks} for n in range(53)])
    found = [pl.DataFrame([{"id": "t52", "violations": marks}]) for _ in range(2)]
    table = adjudge.violations(truth, found)["hardest_items"]
    assert (table.height, table["of"].unique().to_list()) == (50, [52])
