"""Draws of a judge: worked cases by hand."""

from math import sqrt

import polars as pl
import pytest

import adjudge


def table(people, draws, **further):
    """people: who -> labels of items; draws: of each item the labels that gpt drew."""
    rows = [(i, who, label, None) for who, said in people.items() for i, label in enumerate(said.split())]
    rows += [(i, "gpt", label, str(n)) for i, said in enumerate(draws) for n, label in enumerate(said.split())]
    frame = pl.DataFrame(rows, schema=["item", "annotator", "label", "run"], orient="row")
    return frame.with_columns(**further)


def figures(report, name):
    keys = [one for one in report[name].columns if one in {"draws", "metric"}]
    return {tuple(row[one] for one in keys): row["value"] for row in report[name].iter_rows(named=True)}


def test_draws_of_labels_agree_and_their_majority_stands_beside_a_single_one():
    """aab agree in 1 of 3 pairs, bbb in all; people give a both, then b and a: one draw is right by 2/3 and 1/2."""
    report = adjudge.card(table({"ana": "a b", "ben": "a a"}, ["a a b", "b b b"]), judges="gpt", run_column="run")
    steady = figures(report, "steadiness")
    assert steady[("draws",)] == 3
    assert steady[("self_agreement",)] == pytest.approx((1 / 3 + 1) / 2)
    assert [steady[(f"{one}_variance",)] for one in ("item", "draw")] == pytest.approx([1 / 3, 1 / 3])
    assert steady[("draw_correlation",)] == pytest.approx(0.5)
    assert figures(report, "draws_worth") == pytest.approx(
        {
            (1, "majority_agreement"): (2 / 3 + 1 / 2) / 2,
            (3, "majority_agreement"): (1 + 1 / 2) / 2,
            (3, "majority_gain"): 1 / 6,
        }
    )


def test_the_mean_of_several_draws_comes_nearer_to_people_as_far_as_draws_vary():
    """1, 2, 3 beside people's 2 and thrice 5 beside 4: squares are 2/3 and 1 away, of which draws add 1 and 0."""
    given = table({"ana": "2 4"}, ["1 2 3", "5 5 5"])
    found = figures(adjudge.card(given, judges="gpt", run_column="run", level="interval"), "draws_worth")
    errors = {n: sqrt((2 / 3 + 1) / 2 - (1 - 1 / n) * 1 / 2) for n in (1, 2, 3, 5, 10)}
    assert {n: found[n, "mean_error"] for n in errors} == pytest.approx(errors)
    assert found[3, "mean_gain"] == pytest.approx(errors[3] - errors[1])
    correlation = found[1, "reliability_of_mean"]
    assert found[3, "reliability_of_mean"] == pytest.approx(3 * correlation / (1 + 2 * correlation))


def test_draws_are_those_of_one_order_and_items_without_two_are_left_out():
    orders = pl.Series(["", "", "ab", "ab", "ba", "ab"])
    given = table({"ana": "a b"}, ["a a b", "b"], shown=orders)
    report = adjudge.card(given, judges="gpt", run_column="run", position_column="shown")
    assert report.estimate("self_agreement", table="steadiness", judge="gpt").value == 1
    assert report.estimate("draws", table="steadiness", judge="gpt").n == 1


@pytest.mark.parametrize(
    ("draws", "lacks", "said"),
    [
        (["a b", "b b"], "draws_worth", "takes three draws of an item or more; these judges have two at most: gpt"),
        (["a", "b"], "steadiness", "Steadiness of gpt is unknown: no item has two draws."),
        (["a b c", "b"], "steadiness", "Steadiness of gpt is unknown: it gives more than 2 labels."),
    ],
)
def test_few_draws_and_many_labels_have_no_figures_and_it_is_said(monkeypatch, draws, lacks, said):
    monkeypatch.setattr("adjudge.evaluations.card.consistency._MOST_LABELS", 2)
    report = adjudge.card(table({"ana": "a b"}, draws), judges="gpt", run_column="run")
    assert lacks not in report.tables
    assert any(said in note for note in report.notes)
