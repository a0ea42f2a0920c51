"""How sure a judge is, beside how often it is right: worked cases by hand."""

import polars as pl
import pytest

import adjudge
from adjudge.evaluations.card.consistency import confidence_shares
from made import labelled


def table(certainties, right, people=("ana",)):
    """gpt says yes to every item, and so do people where it is right."""
    rows = [(i, "gpt", "yes", sure) for i, sure in enumerate(certainties)]
    rows += [(i, who, "yes" if fits else "no", None) for who in people for i, fits in enumerate(right)]
    return pl.DataFrame(rows, schema=["item", "annotator", "label", "sure"], orient="row")


def card(*given, **options):
    return adjudge.card(table(*given), judges="gpt", confidence_column="sure", **options)


def values(report, name):
    return {row["metric"]: row["value"] for row in report[name].iter_rows(named=True)}


def test_certainty_stands_beside_how_often_the_judge_is_right():
    """Twenty items at .9, of which 15 are right, twenty at .6, of which 14 are: too sure by .15, and unsure by .1."""
    given = [0.9] * 20 + [0.6] * 20, [1] * 15 + [0] * 5 + [1] * 14 + [0] * 6
    report = card(*given)
    found = values(report, "certainty")
    assert found["mean_certainty"] == pytest.approx(0.75)
    assert found["right"] == 29 / 40
    assert found["overconfidence"] == pytest.approx(0.75 - 29 / 40)
    assert found["plain_error"] == pytest.approx((0.15 + 0.1) / 2)
    assert found["brier"] == pytest.approx((15 * 0.01 + 5 * 0.81 + 14 * 0.16 + 6 * 0.36) / 40)
    assert report["calibration"].select(pl.col("certainty").round(12), "value").rows() == [(0.6, 0.7), (0.9, 0.75)]


def test_a_label_is_right_that_most_people_give_and_of_two_that_tie_each_is_half():
    """gpt says yes: two of three people too, one of three, one of two."""
    said = {"ana": "yes yes yes", "ben": "yes no no", "cy": "no no -", "gpt": "yes yes yes"}
    report = adjudge.card(labelled(said, sure=pl.lit("0.5")), judges="gpt", confidence_column="sure")
    assert values(report, "certainty")["right"] == pytest.approx(0.5)


def test_percent_is_found_out_and_said_and_labels_without_certainty_are_counted():
    report = card(["90", "60 %", "75", None], [1, 0, 1, 1])
    assert values(report, "certainty")["mean_certainty"] == pytest.approx(0.75)
    assert "Confidence of gpt is read as percent." in report.notes
    assert any("1 label, which" in note for note in report.notes)


@pytest.mark.parametrize("word", ["very sure", "-0.2", "140"])
def test_what_is_no_certainty_is_refused(word):
    said = rf"confidence of gpt on item 1: expected a number from 0 to 1, or percent from 0 to 100; got .{word}."
    with pytest.raises(adjudge.DataError, match=said):
        confidence_shares(pl.DataFrame({"item": [0, 1], "who": "gpt", "certainty": ["0.9", word]}))


def test_what_cannot_be_said_of_certainty_has_a_reason():
    silent = card([None], [1])
    assert "certainty" not in silent.tables
    assert any("of 1 label" in note for note in silent.notes)
    numbers = table(["0.9"], [1]).with_columns(label=pl.lit("2"))
    notes = adjudge.card(numbers, judges="gpt", confidence_column="sure", level="interval").notes
    assert "How sure a judge is stands beside how often it is right, which numbers are not." in notes
