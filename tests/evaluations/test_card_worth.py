"""What a judge's labels are worth: corrected figures and budgets, worked by hand."""

import polars as pl
import pytest

import adjudge
from made import labelled


def table(**said):
    return labelled(said)


def figures(report, figure, label="all labels", table="corrected"):
    rows = report[table].filter(figure=figure, label=label)
    return {row["metric"]: row["value"] for row in rows.to_dicts()}


GPT = "yes yes yes no yes yes yes no no no"
"""Of ten items; ana labels the first four yes, yes, no, no."""


@pytest.fixture(scope="module")
def ten():
    return adjudge.correct(table(gpt=GPT, ana="yes yes no no"), judges="gpt")


def test_a_share_is_that_of_people_and_the_judge_by_weight(ten):
    # w = 10/6 * 9/32 = 15/32 (see test_prediction_powered); 1/2 + 15/32 (6/10 - 3/4).
    found = figures(ten, "share", "yes")
    assert (found["by_people"], found["by_judge"], found["corrected"]) == (0.5, 0.6, 0.4296875)
    assert found["judge_weight"] == 0.46875
    assert ten.counts == {"labels": 14, "items": 10, "people": 1, "judges": 1}


def test_the_judge_s_own_figures_are_beside_it(ten):
    # gpt says yes of i0, i1 and i2, which people call yes, yes, no; they call nothing else yes.
    assert figures(ten, "accuracy")["by_people"] == 0.75
    assert figures(ten, "precision", "yes")["by_people"] == pytest.approx(2 / 3)
    assert figures(ten, "recall", "yes")["by_people"] == 1
    assert figures(ten, "recall", "no")["by_people"] == 0.5
    # Rogan and Gladen for no, or yes: a tie, and the first of the alphabet. It says no of 3 of 6; misses 1 of 2; (1/2 + 1 - 1) / (1/2 + 1 - 1).
    assert figures(ten, "flag rate", "no")["corrected"] == 1


def test_items_on_which_people_tie_are_left_out_of_a_flag_rate():
    """Where ben says no of the second item too, people tie there: yes is then said of one item, no of two."""
    tied = adjudge.correct(table(gpt=GPT, ana="yes yes no no", ben="yes no"), judges="gpt")
    assert figures(tied, "flag rate", "no")["corrected"] == 1  # it misses 1 of 2 and errs on none, as without the item


@pytest.mark.parametrize("option", ["weights", "strata"])
def test_the_flag_rate_is_not_worked_out_where_items_stand_for_unequal_numbers(option):
    labels = table(gpt=GPT, ana="yes yes no no").with_columns(share=(pl.col("item") == "i0").cast(pl.Int8) + 1)
    found = adjudge.correct(labels, judges="gpt", **{option: "share"})
    rate = found.estimate("corrected", table="corrected", judge="gpt", figure="flag rate", label="no")
    assert rate.value is None
    assert "or with weights or strata" in rate.reason


def test_how_sure_a_judge_is_sharpens_how_often_it_is_right():
    sure = [0.9, 0.9, 0.6, 0.6, *[0.6] * 6]
    labels = table(gpt=GPT, ana="yes yes no no").with_columns(sure=pl.Series([*sure, *[None] * 4]))
    found = figures(adjudge.correct(labels, judges="gpt", confidence_column="sure"), "accuracy")
    # Right: 1, 1, 0, 1. cov = 2.4/4 - 3/4 * 3/4 = 3/80; variance of all ten: 0.0144 * 10/9; people's 3/4 is moved by
    # w (0.66 - 0.75), w = 3/80 / 0.016 above M/(M - n) = 10/6, the most there is.
    assert found["by_judge"] == pytest.approx(0.66)
    assert found["judge_weight"] == pytest.approx(10 / 6)
    assert found["corrected"] == pytest.approx(0.75 - 10 / 6 * 0.09)


def test_of_several_people_an_item_counts_with_their_mean():
    report = adjudge.correct(table(gpt="a b tie a", ana="a b tie -", ben="a tie b -"), judges="gpt")
    assert figures(report, "share", "b")["by_people"] == pytest.approx((0 + 1 / 2 + 1 / 2) / 3)
    # A win is 1, a tie 1/2: 1, (0 + 1/2) / 2, (1/2 + 0) / 2; the strength is twice that less 1.
    assert figures(report, "win rate", "a")["by_people"] == pytest.approx((1 + 0.25 + 0.25) / 3)
    assert figures(report, "strength", "a", "corrected_numbers")["mean_by_people"] == pytest.approx(0)


def test_numbers_have_a_mean():
    report = adjudge.correct(table(gpt="1 2 3 5 5", ana="1 3 5"), judges="gpt", level="interval")
    found = figures(report, "mean", table="corrected_numbers")
    # cov(Y, f) = (1*1 + 3*2 + 5*3)/3 - 3*2 = 4/3; variance of 1, 2, 3, 5, 5 is 12.8/4 = 3.2; w = 4/3 / 3.2.
    assert (found["mean_by_people"], found["mean_by_judge"]) == (3, pytest.approx(3.2))
    assert found["judge_weight"] == pytest.approx(4 / 3 / 3.2)
    assert found["corrected_mean"] == pytest.approx(3 + 4 / 3 / 3.2 * (3.2 - 2))
    same = adjudge.correct(table(gpt="3 3 3 3 3", ana="1 3 5"), judges="gpt", level="interval")
    assert figures(same, "mean", table="corrected_numbers")["judge_weight"] == 0


def test_items_count_by_their_weights_and_strata():
    labels = table(gpt="a a b b", ana="a b")
    weights = {"i0": "3", "i1": "1"}
    weighted = labels.with_columns(weight=pl.col("item").replace_strict(weights, default=None))
    assert figures(adjudge.correct(weighted, judges="gpt", weights="weight"), "share", "a")["by_people"] == 0.75
    # i0 stands for i0, i2 and i3; i1 for itself.
    grouped = labels.with_columns(kind=pl.when(pl.col("item") == "i1").then(pl.lit("x")).otherwise(pl.lit("y")))
    assert figures(adjudge.correct(grouped, judges="gpt", strata="kind"), "share", "a")["by_people"] == 0.75


@pytest.mark.parametrize(
    ("changed", "options", "said"),
    [
        ({}, {"weights": "w", "strata": "s"}, "strata: leave out this or weights"),
        ({"cluster": "item"}, {"by": "cluster"}, "by: Adjudge's own tables have a column cluster"),
        (
            {"w": pl.when(pl.col("item") != "i1").then(pl.lit("1"))},
            {"weights": "w"},
            "expected a number above 0 for each item that human annotators labelled; item i1 has none",
        ),
        ({"w": pl.lit("x")}, {"weights": "w"}, r"item i0 has none\n... and 1 more"),
        ({"s": pl.lit(None, pl.String)}, {"strata": "s"}, r"a group for each item .* item i0 has none\n... and 1 more"),
    ],
)
def test_what_cannot_be_is_refused(changed, options, said):
    with pytest.raises(adjudge.AdjudgeError, match=said):
        adjudge.correct(table(gpt="a b", ana="a b").with_columns(**changed), judges="gpt", **options)


@pytest.fixture(scope="module")
def many():
    gpt = "yes no no no " * 100
    return table(gpt=gpt, ana="yes no no yes " * 10 + "yes no no no " * 5)


def test_a_sample_that_is_none_is_warned_of(many):
    gpt = "yes " * 60 + "no " * 340
    chosen = adjudge.correct(table(gpt=gpt, ana="yes " * 60), judges="gpt")
    assert any('it gives "no" to 0% of them and to 100% of the others' in said for said in chosen.warnings)
    assert not adjudge.correct(many, judges="gpt").warnings
