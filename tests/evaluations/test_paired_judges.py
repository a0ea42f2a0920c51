"""Judges of the same items are compared paired; annotators of other items too are compared on all items of both."""

from math import sqrt

import numpy as np
import polars as pl
import pytest
from scipy.stats import t as student

import adjudge
from made import labelled

DIFFERENCE = ["value", "low", "high", "n", "p", "p_adjusted", "tests", "needed", "shared"]


def labels(right):
    """Labels of annotators: of each the items, and whether the label equals the reference."""
    rows = [
        {"item": f"i{item:03}", "annotator": name, "label": "x" if hit else "y", "reference": "x"}
        for name, hits in right.items()
        for item, hit in hits.items()
    ]
    return pl.DataFrame(rows)


def test_nested_errors_are_significant_as_in_a_comparison(tmp_path):
    """Two errs where one does, and on 14 more of 200: mid-P of 14 to 0 is 2^-14, half of the exact 1.22e-4."""
    one = {item: item >= 28 for item in range(200)}
    two = {item: item >= 42 for item in range(200)}
    items = tmp_path / "items.parquet"
    report = adjudge.reliability(labels({"one": one, "two": two}), save_items=items)
    (row,) = report["differences"].to_dicts()
    assert (row["first"], row["second"], row["n"], row["shared"], row["tests"]) == ("one", "two", 200, 200, 1)
    assert row["value"] == pytest.approx(-0.07)
    assert row["p"] == row["p_adjusted"] == pytest.approx(2**-14)
    compared = adjudge.compare([items, items], judge=["items (1)=one", "items (2)=two"])["comparison"]
    (beside,) = compared.filter(metric="reliability").to_dicts()
    assert [row[name] for name in DIFFERENCE] == [beside[name] for name in DIFFERENCE]


def test_annotators_who_share_items_in_part_differ_by_their_metrics_on_all_items():
    """The variance sums, over items, the squared difference of what each adds to both metrics (delta method)."""
    rng = np.random.default_rng(7)
    one = {item: bool(rng.random() < 0.8) for item in range(120)}
    two = {item: bool(rng.random() < 0.6) for item in range(60, 180)}
    report = adjudge.reliability(labels({"one": one, "two": two}))
    (row,) = report["differences"].to_dicts()
    before, after = (np.mean([*hits.values()]) for hits in (one, two))
    moved = [
        ((two[item] - after) / 120 if item in two else 0) - ((one[item] - before) / 120 if item in one else 0)
        for item in range(180)
    ]
    sizes = np.array([(item in one) / 120 + (item in two) / 120 for item in range(180)]) / 2
    variance = float(np.sum(np.square(moved) / (1 - sizes)))
    assert (row["n"], row["shared"], row["left_out"]) == (180, 60, 0)
    assert (row["first_value"], row["second_value"]) == pytest.approx((before, after))
    assert row["value"] == pytest.approx(after - before)
    assert row["p"] == pytest.approx(2 * student.sf(abs(row["value"]) / sqrt(variance), 165), rel=0.05)


def test_annotators_without_a_common_item_are_compared_unpaired():
    from statsmodels.stats.proportion import confint_proportions_2indep

    """Newcombe's interval of 25/50 less 45/50."""
    one = {item: item >= 5 for item in range(50)}
    two = {item: item >= 75 for item in range(50, 100)}
    (row,) = adjudge.reliability(labels({"one": one, "two": two}))["differences"].to_dicts()
    assert (row["shared"], row["n"], row["method"]) == (0, 100, "mover")
    assert row["value"] == pytest.approx(-0.4)
    assert (row["low"], row["high"]) == pytest.approx(confint_proportions_2indep(25, 50, 45, 50, method="newcomb"))


def test_all_pairs_of_annotators_are_one_family():
    hits = {name: {item: item % 10 >= errors for item in range(100)} for name, errors in (("a", 1), ("b", 2), ("c", 4))}
    table = adjudge.reliability(labels(hits))["differences"]
    assert table["tests"].to_list() == [3, 3, 3]
    assert table["p_adjusted"].max() <= 3 * table["p"].max()


def test_two_judges_of_a_card_are_compared_paired():
    said = dict.fromkeys(("p", "q"), "y x " * 30) | {"first": "z " * 6 + "y x " * 27, "second": "z " * 18 + "y x " * 21}
    (row,) = adjudge.card(labelled(said), judges=["first", "second"])["differences"].to_dicts()
    assert (row["metric"], row["n"], row["shared"]) == ("agreement", 60, 60)
    assert row["value"] == pytest.approx(-0.2)
    assert row["p"] == pytest.approx(2**-12)
