"""Agreement without a reference, from a table to its figures: against the definitions read item by item."""

import numpy as np
import polars as pl
import pytest

import adjudge
from adjudge.errors import DataError
from made import labelled

ITEM = pl.col("item").replace({"i0": "p", "i1": "q", "i2": "r", "i3": "s"})
TABLE = labelled({"ana": "a b a -", "ben": "a b - -", "cleo": "b - b a"}, item=ITEM)


def figures(report, table, **keys):
    rows = report[table].filter(**keys)
    return dict(zip(rows["metric"], rows["value"], strict=True))


def test_the_figures_of_a_small_table_are_those_worked_by_hand():
    """Seven labels can be paired: a a b, b b, a b. Do = (2 x (1 + 1) / 2 + 2) / 7 ... = 4 / 7; De = 2 x 3 x 4 / 42 = 4 / 7."""
    report = adjudge.agreement(TABLE)
    everyone = figures(report, "agreement", over="items")
    assert everyone["alpha"] == pytest.approx(1 - (4 / 7) / (4 / 7))
    assert everyone["percent_agreement"] == pytest.approx((1 / 3 + 1 + 0) / 3)
    share = (2 / 3 + 0 + 1 / 2 + 1) / 4
    by_chance = {"fleiss_kappa": share**2 + (1 - share) ** 2, "gwet_ac": 2 * share * (1 - share)}
    for name, expected in by_chance.items():
        assert everyone[name] == pytest.approx((4 / 9 - expected) / (1 - expected))
    assert (everyone["items"], report.counts["items with one label"]) == (3, 1)
    assert figures(report, "annotators", annotator="ben")["agreement_with_others"] == pytest.approx((1 / 2 + 1) / 2)
    assert figures(report, "annotators", annotator="cleo")["labels"] == 3
    trusted = adjudge.agreement(TABLE.with_columns(reference=pl.lit("a")))
    assert any("Reference labels excluded" in one for one in trusted.warnings)
    two = figures(report, "pairs", annotator="ana", other="ben")
    assert (two["same_label"], two["cohen_kappa"], two["common_items"]) == (1, 1, 2)


@pytest.mark.parametrize(
    ("people", "missing", "clustered"), [(2, 0, False), (2, 0, True), (3, 0, False), (5, 0.4, True)]
)
def test_percent_agreement_of_the_same_people_is_the_same_in_the_card_and_in_pairs(people, missing, clustered):
    random = np.random.default_rng(people)
    true = random.integers(0, 3, 60)
    rows = [
        (f"i{item}", f"a{person}", "xyz"[true[item] if random.random() < 0.7 else random.integers(0, 3)])
        for item in range(60)
        for person in range(people)
        if person < 2 or random.random() >= missing
    ]
    table = pl.DataFrame(rows, schema=["item", "annotator", "label"], orient="row")
    table = table.with_columns(cluster=pl.col("item").str.slice(0, 2))
    judged = table.filter(pl.col("annotator") == "a0").with_columns(annotator=pl.lit("judge"))
    options = {"cluster": "cluster"} if clustered else {}
    report = adjudge.agreement(table, **options)
    one = report.estimate("percent_agreement", table="agreement", over="items")
    card = adjudge.card(pl.concat([table, judged]), judges="judge", **options)
    estimates = [card.estimate("people_agreement", table="judges", judge="judge")]
    if people == 2:
        estimates.append(report.estimate("same_label", table="pairs"))
    assert estimates == [one] * len(estimates)


def test_without_an_annotator_alpha_is_that_of_the_others_alone():
    """Without ana ben and cleo share p; without ben ana and cleo p and r; without cleo ana and ben p and q."""
    report = adjudge.agreement(TABLE)
    without = report["annotators"].filter(metric="alpha_without")
    assert dict(without.select("annotator", "n").iter_rows()) == {"ana": 1, "ben": 2, "cleo": 2}
    for name in ("ana", "ben", "cleo"):
        alone = adjudge.agreement(TABLE.filter(pl.col("annotator") != name)).estimate(
            "alpha", table="agreement", over="items"
        )
        found = report.estimate("alpha_without", table="annotators", annotator=name)
        assert found.value == (None if alone.value is None else pytest.approx(alone.value))


def test_labels_on_a_scale_agree_in_part_and_are_said_to_be_names_where_nothing_says_so():
    """Of 1 and 3 a distance of 1 leaves 1 - 1/4 of the agreement, one of 2 nothing."""
    table = labelled({"ana": "1 1 1", "ben": "2 1 3"})
    names, numbers = adjudge.agreement(table), adjudge.agreement(table, level="interval")
    found = figures(numbers, "agreement", over="items")
    assert found["percent_agreement"] == pytest.approx(1 / 3)
    assert found["weighted_agreement"] == pytest.approx((3 / 4 + 1 + 0) / 3)
    assert "weighted_agreement" not in set(names["agreement"]["metric"])
    assert [any("count as names" in warning for warning in one.warnings) for one in (names, numbers)] == [True, False]


def test_many_numbers_that_count_as_names_are_warned_of():
    report = adjudge.agreement(labelled({"ana": "1,5 2 2,5 3 3,5 4", "ben": "1,5 2 2,5 3 3,5 4"}))
    assert any("--level interval" in one for one in report.warnings)


def test_items_on_which_people_disagree_most_stand_first_and_are_examples():
    report = adjudge.agreement(TABLE.with_columns(text="text of " + pl.col("item")), examples=1)
    assert report["disputed_items"].rows() == [("r", "a, b", 1.0, 2), ("p", "a ×2, b", pytest.approx(2 / 3), 3)]
    first = report.examples.row(0, named=True)
    assert (first["item"], first["outcome"], first["text"]) == ("r", "split", "text of r")


def made(seed, right, groups=1):
    """Labels of five annotators for forty items, some missing; the truth is the same for every seed."""
    draw, truth = np.random.default_rng(seed), np.random.default_rng(0).integers(0, 3, 40)
    rows = [
        (
            f"i{item}",
            f"r{rater}",
            str(label if draw.random() < right else draw.integers(3)),
            f"g{item % groups}",
            f"d{item // 2}",
        )
        for item, label in enumerate(truth)
        for rater in range(5)
        if draw.random() < 0.8
    ]
    return pl.DataFrame(rows, schema=["item", "annotator", "label", "group", "doc"], orient="row")


def test_intervals_for_other_annotators_too_are_wider_and_two_annotators_give_none():
    report = adjudge.agreement(made(1, 0.6))
    one, both = (report.estimate("alpha", table="agreement", over=over) for over in ("items", "items and annotators"))
    assert one.value == both.value
    assert both.low < one.low < one.high < both.high
    two = adjudge.agreement(made(1, 0.6).filter(pl.col("annotator").is_in(["r0", "r1"])))
    found = two.estimate("alpha", table="agreement", over="items and annotators")
    assert found.reason == "two annotators are too few to estimate how others would agree"


def test_agreement_by_the_labels_seen_says_so_unless_all_labels_are_declared():
    """Grades from 1 to 20, of which 2 is given to one item only: others may not have been given at all."""
    others = " ".join(str(3 + item % 18) for item in range(1, 180))
    table = labelled({"a": f"2 {others}", "b": f"2 {others}", "c": f"3 {others}"})

    def caveats(**options):
        report = adjudge.agreement(table, **options)["agreement"].filter(over="items")
        return dict(zip(report["metric"], report["caveat"], strict=True))

    seen = caveats(level="interval")
    assert [seen[name] for name in ("gwet_ac", "weighted_agreement")] == ["unseen_labels"] * 2
    assert [seen[name] for name in ("alpha", "fleiss_kappa", "percent_agreement")] == [None] * 3
    assert caveats(level="nominal")["gwet_ac"] == "unseen_labels"
    declared = caveats(level="interval", labels=[str(grade) for grade in range(1, 21)])
    assert [declared[name] for name in ("gwet_ac", "weighted_agreement")] == [None] * 2


def test_the_report_says_where_agreement_is_undefined_and_why():
    same = adjudge.agreement(TABLE.with_columns(label=pl.lit("a")))
    assert same.estimate("alpha", table="agreement", over="items").reason == "all labels are one and the same"
    assert same.estimate("percent_agreement", table="agreement", over="items").value == 1
    alone = adjudge.agreement(TABLE.filter(annotator="ana"))
    assert alone.estimate("alpha", table="agreement", over="items").reason == "no item has two labels"
    with pytest.raises(DataError, match=r"expected a number; got .1,500"):
        adjudge.agreement(TABLE.with_columns(label=pl.lit("1,500")), level="interval")


SHROUT = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
"""Shrout and Fleiss 1979, table 2: six targets, four judges."""


def test_intraclass_correlations_are_those_that_shrout_and_fleiss_publish():
    """Table 4, and the limits of McGraw and Wong 1996 as R's psych gives them for that table."""
    table = pl.DataFrame(SHROUT, schema=["one", "two", "three", "four"], orient="row").with_row_index("item")
    report = adjudge.agreement(table, annotator_columns=["one", "two", "three", "four"], level="interval")
    published = {"icc": 0.17, "icc_agreement": 0.29, "icc_consistency": 0.71}
    published |= {"icc_mean": 0.44, "icc_agreement_mean": 0.62, "icc_consistency_mean": 0.91}
    found = {name: report.estimate(name, table="intraclass") for name in published}
    assert {name: round(one.value, 2) for name, one in found.items()} == published
    limits = {"icc": (-0.13, 0.72), "icc_agreement": (0.02, 0.76), "icc_consistency": (0.34, 0.95)}
    assert {name: (round(found[name].low, 2), round(found[name].high, 2)) for name in limits} == limits


def test_without_a_complete_design_only_the_one_way_correlation_is_defined():
    """Items 1 2, 4 4 and 9 alone: means 1.5 and 4, B = 2 (1.5 - 2.75)^2 + 2 (4 - 2.75)^2 = 6.25, E = 0.5 / 2."""
    report = adjudge.agreement(labelled({"ana": "1 4 9", "ben": "2 - -", "cleo": "- 4 -"}), level="interval")
    assert report.estimate("icc", table="intraclass").value == pytest.approx((6.25 - 0.25) / (6.25 + 0.25))
    assert "every annotator" in report.estimate("icc_agreement", table="intraclass").reason
