"""Tables of reports as they are printed."""

import re

import polars as pl
import pytest

import adjudge
from adjudge.render.html import report_page
from adjudge.render.markdown import report_markdown
from adjudge.render.tables import printed_table
from adjudge.render.terminal import tables_text
from adjudge.report import ESTIMATE_COLUMNS, typed_table
from made_charts import figures
from made_reports import made_report

TONE, SAFETY = "AAAAABBBBB", "AAAAAAAAAB"


def table(tone=TONE, safety=SAFETY, **more):
    """Ten items with a label of each criterion; a blank stands for none."""
    labels = {"tone": tone, "safety": safety}
    columns = {f"{name}_preference": [one.strip() or None for one in labels[name]] for name in labels}
    return pl.DataFrame({"id": [f"i{number}" for number in range(10)], **columns}).with_columns(**more)


def scored(gold=None, systems=None, **options):
    systems = systems or {"right": table(), "half": table("A" * 10, "A" * 10)}
    gold = table() if gold is None else gold
    options = {"criteria": ["tone", "safety"], "labels": ["A", "B"]} | options
    return adjudge.preferences(gold, list(systems.values()), system=list(systems), **options)


@pytest.fixture(scope="module")
def report():
    return scored()


def columns(printed):
    """Heading -> the texts of its cells; of several columns of one heading the last."""
    return {head.title: [row[place].text for row in printed.rows] for place, head in enumerate(printed.heads)}


def test_a_table_has_a_row_for_each_key_and_a_column_for_each_metric_the_best_system_first(report):
    shown = columns(printed_table(report, "scores"))
    rows = [*zip(shown["System"], shown["Criterion"], shown["Accuracy"], strict=True)]
    # Of tone half is right on 5 of 10 items, of safety on 9; the mean is 70%.
    assert [one for one in rows if one[0] in ("right", "half")] == [
        ("right", "tone", "100.0%"),
        ("half", "tone", "50.0%"),
        ("right", "safety", "100.0%"),
        ("half", "safety", "90.0%"),
        ("right", "average", "100.0%"),
        ("half", "average", "70.0%"),
    ]
    assert "Missing" not in shown  # none are


def test_an_undefined_value_is_a_dash_whose_mark_is_explained():
    printed = printed_table(scored(gold=table(tone=" " * len(TONE))), "scores")
    place = [head.title for head in printed.heads].index("Macro F1")
    cell = next(row[place] for row in printed.rows if row[0].text == "right" and row[1].text == "tone")
    assert (cell.text, cell.interval) == ("–", "")
    assert (cell.mark, "no item has a gold label") in printed.remarks


def test_n_has_a_column_behind_the_metrics_that_rest_on_it():
    shown = printed_table(scored(gold=table(tone="    " + TONE[4:])), "scores")
    titles = [head.title for head in shown.heads]
    place = titles.index("n")
    assert place > titles.index("Balanced accuracy")
    sizes = {row[1].text: row[place].text for row in shown.rows}
    assert sizes == {"tone": "6", "safety": "10", "average": "10"}  # 6 items have a gold label of tone


@pytest.mark.parametrize("width", [80, 100, 120, 200])
def test_no_line_of_a_table_is_longer_than_the_terminal(width):
    long = {f"{'a-long-name-of-a-system ' * 2}{number}": table() for number in range(3)}
    report = scored(table(group=pl.Series(list("xxxxxyyyyy"))), long, by="group")
    text = tables_text(report, width=width)
    assert all(len(line) <= width for line in text.splitlines() if not line.startswith("Signature"))
    assert all(text.count(f"{name}") for name in ("tone", "safety", "average"))


def test_names_of_criteria_cannot_steer_the_terminal_or_the_page():
    gold = table().rename({"tone_preference": "\x1b[31m<b>_preference"})
    report = scored(gold, {"one": gold, "two": gold}, criteria=["\x1b[31m<b>", "safety"])
    assert "\x1b" not in tables_text(report)
    assert "<b>" not in report_page([report])
    assert not any("<b>" in line for line in report_markdown(report).splitlines() if not line.startswith("Signature"))


def test_examples_have_both_explanations_side_by_side_and_say_who_chose_which_text():
    texts = {
        "instruction": ["Why?"] * 10,
        "output_a": ["because"] * 10,
        "output_b": ["therefore"] * 10,
        "tone_explanation": ["people say so"] * 10,
        "safety_explanation": ["people think so"] * 10,
    }
    mine = table("B" * 10, "B" * 10, tone_explanation=pl.lit("I say so"), safety_explanation=pl.lit("I think so"))
    gold = table("A" * 10, "B" * 10, **{name: pl.Series(values) for name, values in texts.items()})
    page = report_page([scored(gold, {"mine": mine}, explanations=True, examples=20)])
    example = page[page.index("Prediction differs from humans") :]
    example = example[: example.index("Prediction agrees")]
    assert '<span class="part">tone</span>' in example
    places = [example.index(text) for text in ("Why?", "because", "therefore", "people say so", "I say so")]
    assert places == sorted(places)
    assert '<bdi>output a</bdi>, chosen by <bdi class="who">gold</bdi>' in example
    assert '<bdi>output b</bdi>, chosen by <bdi class="who">mine</bdi>' in example


def test_a_column_that_the_data_named_keeps_its_name():
    frame = figures(("annotator", "week_no"), [("ann", "1", "reliability", 0.5), ("ann", "2", "reliability", 0.6)])
    report = made_report("reliability", {"annotators": frame}, options={"by": ["week_no", "annotator"]})
    assert [head.title for head in printed_table(report, "annotators").heads[:2]] == ["Annotator", "week_no"]


def test_what_is_the_same_in_every_row_stands_above_the_table():
    votes = [("ann", "1", "kappa", 0.5), ("bob", "1", "kappa", 0.6)]
    report = made_report("reliability", {"annotators": figures(("annotator", "week"), votes)})
    printed = printed_table(report, "annotators")
    assert [head.title for head in printed.heads][:2] == ["Annotator", "Cohen's kappa"]
    assert printed.about.endswith("Week: 1.")


def test_a_share_by_which_rows_are_named_is_a_percentage():
    row = dict.fromkeys(ESTIMATE_COLUMNS) | {"metric": "right", "value": 0.75, "n": 31}
    rows = [{"judge": "steady", "certainty": certainty, **row} for certainty in (31 / 60, 1.0)]
    bins = typed_table(rows, numbers=["certainty"])
    report = made_report("card", {"judges": bins.clear(), "calibration": bins})
    assert columns(printed_table(report, "calibration"))["Certainty"] == ["51.7%", "100.0%"]


def test_bounds_stand_only_where_an_answer_is_missing():
    """Two questions: an answer is missing of those with noise."""

    def metrics(response):
        rows = [
            {"id": item, "ability": "noise_robustness", "noise_ratio": noise, "response": text, "answer": ["Rome"]}
            for item, noise, text in (("1", 0.0, "Rome"), ("1", 0.5, response), ("2", 0.0, "Rome"), ("2", 0.5, "Oslo"))
        ]
        printed = printed_table(adjudge.rag(pl.DataFrame(rows)), "scores")
        return {cell.whole or cell.text for row in printed.rows for cell in row} | {one.title for one in printed.heads}

    assert {"Accuracy, at least", "Accuracy, at most"} <= metrics("")
    assert not {"Accuracy, at least", "Accuracy, at most"} & metrics("Bonn")


def test_differences_stand_with_both_values_and_the_smallest_p_first():
    report = adjudge.reliability("examples/reliability/votes.json")
    shown = columns(printed_table(report, "differences"))
    tests = report["differences"].sort("p_adjusted", "p")
    assert [*zip(shown["First"], shown["Second"], strict=True)] == tests.select("first", "second").rows()
    # ana is right on 20 of 21 items, dev on 2 of 8.
    assert shown["Values"][0].replace("\u00a0", " ") == "95.2% → 25.0%"
    assert re.fullmatch(r"−70\.2.pp", shown["Reliability"][0])


def test_of_many_empty_cells_each_metric_has_a_row_of_its_own():
    names = [(f"a{number}", f"metric {number}", number / 10) for number in range(8)]
    frame = figures(("annotator",), names)
    printed = printed_table(made_report("reliability", {"annotators": frame}), "annotators")
    assert [head.title for head in printed.heads] == ["Annotator", "Metric", "Value", "n"]
    assert len(printed.rows) == 8
