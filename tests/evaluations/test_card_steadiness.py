"""Draws of a judge: worked cases by hand."""

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
    return {row["metric"]: row["value"] for row in report[name].iter_rows(named=True)}


def test_draws_of_labels_agree_as_far_as_pairs_of_them_do():
    """aab agree in 1 of 3 pairs, bbb in all."""
    report = adjudge.card(table({"ana": "a b", "ben": "a a"}, ["a a b", "b b b"]), judges="gpt", run_column="run")
    steady = figures(report, "steadiness")
    assert steady["draws"] == 3
    assert steady["self_agreement"] == pytest.approx((1 / 3 + 1) / 2)
    assert [steady[f"{one}_variance"] for one in ("item", "draw")] == pytest.approx([1 / 3, 1 / 3])
    assert steady["draw_correlation"] == pytest.approx(0.5)


def test_draws_are_those_of_one_order_and_items_without_two_are_left_out():
    orders = pl.Series(["", "", "ab", "ab", "ba", "ab"])
    given = table({"ana": "a b"}, ["a a b", "b"], shown=orders)
    report = adjudge.card(given, judges="gpt", run_column="run", position_column="shown")
    assert report.estimate("self_agreement", table="steadiness", judge="gpt").value == 1
    assert report.estimate("draws", table="steadiness", judge="gpt").n == 1


def test_without_two_draws_of_an_item_self_consistency_is_unknown():
    report = adjudge.card(table({"ana": "a b"}, ["a", "b"]), judges="gpt", run_column="run")
    assert "steadiness" not in report.tables
    assert "Steadiness of gpt is unknown: no item has two draws." in report.notes
