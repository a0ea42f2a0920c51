"""Judges of the same items are compared paired; annotators of other items too are compared on all items of both."""

from math import sqrt

import numpy as np
import polars as pl
import pytest

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
    """MOVER (Zou 2008): Wilson's limits of both, and the correlation that the 60 shared of 120 items each bring."""
    from statsmodels.stats.proportion import proportion_confint

    rng = np.random.default_rng(7)
    easy = {item: rng.random() for item in range(180)}
    one = {item: easy[item] < 0.8 for item in range(120)}
    two = {item: easy[item] < 0.6 for item in range(60, 180)}
    (row,) = adjudge.reliability(labels({"one": one, "two": two}))["differences"].to_dicts()
    x, y = (np.mean([*hits.values()]) for hits in (one, two))
    covariance = sum((one[item] - x) * (two[item] - y) for item in range(60, 120)) / 120**2
    correlation = covariance / sqrt(x * (1 - x) * y * (1 - y)) * 120
    (lx, ux), (ly, uy) = (proportion_confint(round(share * 120), 120, method="wilson") for share in (x, y))
    limits = [
        y - x + sign * sqrt(a * a + b * b - 2 * correlation * a * b)
        for sign, a, b in ((-1, y - ly, ux - x), (1, uy - y, x - lx))
    ]
    assert correlation > 0.2
    assert (row["n"], row["shared"], row["left_out"]) == (180, 60, 0)
    assert (row["first_value"], row["second_value"], row["value"]) == pytest.approx((x, y, y - x))
    assert (row["low"], row["high"]) == pytest.approx(limits)


@pytest.mark.parametrize("clusters", [False, True])
def test_equal_annotators_differ_by_chance_alone_however_few_items_one_has(clusters):
    """Of 200 samples in which one annotator has 5 of the 60 items of the other, p is below .05 in at most 9%."""
    rng = np.random.default_rng(1)
    right = rng.random((2, 200, 60)) < 0.9
    frames = [
        labels({"big": dict(enumerate(big)), "tiny": dict(enumerate(tiny[:5]))}).with_columns(sample=pl.lit(number))
        for number, (big, tiny) in enumerate(zip(*right, strict=True))
    ]
    frame = pl.concat(frames).with_columns(item=pl.col("item") + pl.format("/{}", "sample"))
    if clusters:
        frame = frame.with_columns(cluster=pl.col("item"))
    assert (adjudge.reliability(frame, by="sample")["differences"]["p"] < 0.05).mean() <= 0.09


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
