"""Biases of a judge: worked cases by hand."""

import polars as pl
import pytest

import adjudge
from adjudge.evaluations.card.bias import first_shown_by_order
from adjudge.evaluations.card.reading import ChoiceLabels
from made import labelled

PEOPLE = {"ana": "a b b tie", "ben": "a a b b"}
GPT = {"ab": "a a a b", "ba": "a b b a"}
TEXTS = [("long one", "short"), ("x", "a - b"), ("same", "alike"[:4]), ("## and **more**", "y")]
FAMILIES = [("gpt", "x"), ("x", "gpt"), ("x", "y"), ("gpt", "x")]


def pairs():
    """Four pairs judged by two people, and by gpt in both orders of the responses."""
    said = [(who, None, labels) for who, labels in PEOPLE.items()] + [("gpt", *one) for one in GPT.items()]
    rows = [
        (f"i{place}", who, label, order, *TEXTS[place], *FAMILIES[place])
        for who, order, labels in said
        for place, label in enumerate(labels.split())
    ]
    names = ["item", "annotator", "label", "shown", "one", "other", "model_1", "model_2"]
    return pl.DataFrame(rows, schema=names, orient="row")


OPTIONS = {"judges": "gpt", "position_column": "shown", "responses": ["one", "other"], "family": ["model_1", "model_2"]}


def shares(report, bias, of):
    rows = report["bias"].filter(pl.col("bias") == bias, pl.col("of") == of)
    return rows["metric"].to_list(), rows["value"].to_list()


@pytest.fixture(scope="module")
def report():
    return adjudge.card(pairs(), **OPTIONS)


def test_what_a_judge_prefers_stands_beside_what_people_prefer_on_the_same_items(report):
    """gpt's choice of the first response of each item is 1, 1/2, 1/2, 1/2; people's 1, 1/2, 0, (1/2 + 0) / 2."""
    metrics, of_label = shares(report, "label", "a")
    assert metrics == ["judge_share", "people_share", "bias"]
    assert of_label == pytest.approx([2.5 / 4, 1.5 / 4, 1 / 4])  # of the label itself a tie holds nothing
    assert shares(report, "position", "shown first")[1] == pytest.approx([(0.5 + 1 + 1 + 0) / 4, 0.5, 0.125])
    means = [(1 + 0.5 + 0.5) / 3, (1 + 0.5 + 0.25) / 3]  # the longer one is the first, the second, none, the first
    assert shares(report, "length", "longer")[1] == pytest.approx([*means, means[0] - means[1]])
    assert shares(report, "own family", "gpt")[1] == pytest.approx([*means, means[0] - means[1]])
    assert shares(report, "formatting", "more headings")[1] == pytest.approx([0.5, 0.25, 0.25])
    lists = report["bias"].filter(pl.col("of") == "more list items")
    assert lists["reason"].unique().to_list() == ["no item on which one response has more"]


def test_both_orders_say_how_often_a_choice_changes_and_towards_which_place(report):
    """i0 stays; i1 and i2 go to what is shown first, i3 to what is shown second."""
    rows = report["orders"]
    assert dict(rows.select("metric", "value").iter_rows()) == {"inconsistency": 0.75, "place_preference": 0.25}


def test_a_bias_for_length_of_labels_on_a_scale_is_a_slope_over_doublings():
    """Texts of 1, 2 and 4 letters: gpt gives 1, 2, 3 and ana always 2."""
    texts, models = pl.Series(["a", "ab", "abcd"] * 2), pl.Series(["x", "x", "gpt"] * 2)
    table = labelled({"gpt": "1 2 3", "ana": "2 2 2"}, text=texts, model=models)
    report = adjudge.card(table, judges="gpt", level="interval", responses="text", family="model")
    found = {one: report["bias_scale"].filter(pl.col("of") == one)["value"].to_list() for one in ("all labels", "gpt")}
    assert found == {"all labels": [2, 2, 0], "gpt": pytest.approx([1.5, 0, 1.5])}
    slopes = report["bias_scale"].filter(pl.col("bias") == "length")
    assert slopes["value"].to_list() == pytest.approx([1, 0, 1])


def test_a_bias_that_the_data_do_not_hold_is_said_to_be_unknown():
    once = pairs().unique(["item", "annotator"])
    notes = " ".join(adjudge.card(once, judges="ben", reference="ana", family="model_1").notes)
    assert "labels of one response have no order; give --ordered" in notes
    both = adjudge.card(once, judges="ben", reference="ana", family=["model_1", "model_2"]).notes
    assert any("of ben: no family is part of the name; rename one as in --map-values model_1:" in note for note in both)


@pytest.mark.parametrize(
    ("changed", "options", "said"),
    [
        (
            {"shown": pl.col("shown").replace("ba", "up")},
            {},
            "position_column: expected which response was shown first, such as ab and ba",
        ),
        ({}, {"responses": ["one", "othr"]}, r"no column of texts called .othr.(.|\n)*fix:   responses other"),
        ({}, {"responses": ["one", "other", "model_1"]}, "responses: expected the column of one response, or those"),
        ({}, {"position_column": "shwn"}, r"no column .shwn.(.|\n)*fix:   position_column shown"),
        ({}, {"family": ["one", "other", "model_1"]}, "family: expected one column, or one for each of two"),
    ],
)
def test_what_says_no_side_is_refused(changed, options, said):
    with pytest.raises(adjudge.AdjudgeError, match=said):
        adjudge.card(pairs().with_columns(**changed), **{**OPTIONS, **options})


@pytest.mark.parametrize(
    ("orders", "first"),
    [("ba ab", "ab"), ("B A", "A"), ("swapped original", "original"), ("1 2", "1"), ("true false", "")],
)
def test_an_order_says_which_response_is_shown_first_or_nothing(orders, first):
    found = first_shown_by_order(orders.split(), ChoiceLabels("A", "B"))
    assert [one for one, shown in (found or {}).items() if shown] == first.split()
    assert first_shown_by_order(["0", "1"], ChoiceLabels("A", "B")) is None
    assert first_shown_by_order(["0", "1"], ChoiceLabels("0", "1")) == {"0": True, "1": False}
