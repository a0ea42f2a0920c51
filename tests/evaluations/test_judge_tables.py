"""What evaluations make of tables that `adjudge judge` writes: judges, criteria, runs, probes; and juries."""

import polars as pl
import pytest

import adjudge
from adjudge.evaluations.inputs import JUDGE_COLUMNS


def table(rows):
    """A table of judges. rows: item, annotator, label, and other columns by name."""
    full = [
        dict.fromkeys(JUDGE_COLUMNS)
        | {"criterion": "helpful", "kind": "model" if annotator.startswith("m") else "human", "run": "1"}
        | {"item": item, "annotator": annotator, "label": label}
        | more
        for item, annotator, label, more in rows
    ]
    numbers = {"confidence", "score", "cost"}
    return pl.DataFrame(full, schema={name: pl.Float64 if name in numbers else pl.String for name in JUDGE_COLUMNS})


def votes(labels, **more):
    """A row per item and annotator. labels: annotator -> a letter per item."""
    return [(f"i{n}", who, label, more) for who, text in labels.items() for n, label in enumerate(text)]


PEOPLE = {"ana": "yynny", "ben": "yynnn"}


def test_models_are_the_judges_of_a_card():
    report = adjudge.card(table(votes(PEOPLE | {"m1": "yynny", "m2": "nnnny"})))
    assert {name: report.estimate("agreement", judge=name).value for name in ("m1", "m2")} == {
        "m1": pytest.approx((4 * 1 + 0.5) / 5),
        "m2": pytest.approx((2 * 1 + 0.5) / 5),
    }


def test_models_that_are_not_named_as_judges_are_no_humans():
    report = adjudge.card(table(votes(PEOPLE | {"m1": "yynny", "m2": "nnnny"})), judges="m1")
    assert report.estimate("people_agreement", judge="m1").value == pytest.approx(0.8)
    assert "neither judge nor human, excluded: m2; --reference names humans" in report.warnings


def test_several_criteria_are_told_apart():
    both = votes(PEOPLE | {"m1": "yynny"}) + votes(PEOPLE | {"m1": "nnyyn"}, criterion="clear")
    report = adjudge.card(table(both))
    assert report.estimate("agreement", judge="m1", criterion="helpful").value == pytest.approx(0.9)
    assert report.estimate("agreement", judge="m1", criterion="clear").value == pytest.approx(0.1)


def test_probes_count_moved_verdicts_alone():
    rows = votes(PEOPLE | {"m1": "yynny"})
    rows += votes({"m1": "nynny"}, probe="length") + votes({"m1": "nnyyn"}, probe="authority")
    report = adjudge.card(table(rows))
    assert report.estimate("agreement", judge="m1").value == pytest.approx(0.9)
    assert any("m1 100.0%" in one.text for one in report.summary.findings if one.label == "Probes")
    moved = {row["probe"]: (row["value"], row["n"]) for row in report["probes"].iter_rows(named=True)}
    assert moved == {"length": (pytest.approx(0.2), 5), "authority": (pytest.approx(1.0), 5)}


def test_reliability_and_agreement_take_the_first_label_of_each_and_count_the_others():
    rows = votes({"ana": "yynny", "m1": "yynnn"}) + votes({"m1": "nnnnn"}, run="2") + votes({"m1": "y"}, probe="length")
    report = adjudge.reliability(table(rows))
    assert report.estimate("reliability", annotator="m1").value == pytest.approx(0.8)
    assert any(warning.startswith("6 labels of further runs") for warning in report.warnings)
    report = adjudge.agreement(table(rows))
    assert report.estimate("percent_agreement", over="items").value == pytest.approx(0.8)


def test_all_humans_are_the_reference_of_reliability():
    report = adjudge.reliability(table(votes(PEOPLE | {"m1": "ynnny"})))
    estimate = report.estimate("reliability", annotator="m1")
    assert (estimate.value, estimate.n) == (0.75, 4)
    assert "on which references disagree" in " ".join(f"{report}".split())


def test_agreement_is_that_of_humans_where_there_are_several():
    report = adjudge.agreement(table(votes(PEOPLE | {"m1": "nnyyn"})))
    assert report.estimate("percent_agreement", over="items").value == pytest.approx(0.8)
    assert any(warning.startswith("1 model is excluded") for warning in report.warnings)


def test_both_orders_show_the_position_bias_without_options():
    others = {"ana": "AB" * 20, "ben": "AB" * 20, "m2": "AB" * 15 + "B" * 10, "m3": "AB" * 10 + "B" * 20}
    rows = votes(others) + votes({"m1": "A" * 40}, position="ab") + votes({"m1": "B" * 40}, position="ba")
    report = adjudge.card(table(rows))
    assert any(one.text.startswith("m1: position bias") for one in report.summary.findings), "beside three differences"
    moved = report["orders"].filter(judge="m1", metric="inconsistency")
    assert moved["value"].to_list() == [1.0]


def test_a_jury_is_the_majority_and_leaves_out_ties():
    labels = {"ana": "yyyy", "m1": "yynx", "m2": "ynny", "m3": "ynyn"}
    report = adjudge.card(table(votes(labels)), jury=["m1", "m2", "m3"])
    jury = report.estimate("agreement", judge="jury")
    assert (jury.value, jury.n) == (pytest.approx(1 / 3), 3)
    assert any(warning.startswith("1 item has no label of the jury") for warning in report.warnings)


def test_a_jury_costs_what_its_members_cost_together():
    """m1 .001, m2 .002 and m3 .004 per label: .007 in all; m3 agrees with ana on 4 of 5 items, m1 and m2 on 3."""
    rows = votes({"ana": "yynny"})
    for cost, judge, labels in ((0.001, "m1", "yynyn"), (0.002, "m2", "ynnyy"), (0.004, "m3", "yyyny")):
        rows += votes({judge: labels}, cost=cost)
    report = adjudge.card(table(rows), jury=["m*"])
    assert report.estimate("cost", judge="jury").value == pytest.approx(0.007)
    assert report.estimate("cost", judge="m3").value == pytest.approx(0.004)
    assert next(one for one in report.summary.table.columns if one.title == "cost").cells["jury"] == "0.007"
    unpriced = adjudge.card(table(votes({"ana": "yynny", "m1": "yynyn", "m2": "ynnyy"})), jury=["m*"])
    assert "cost" not in unpriced["judges"]["metric"].to_list()


def test_a_jury_on_an_ordered_scale_is_the_median():
    labels = {"ana": "235", "m1": "125", "m2": "234", "m3": "555"}
    report = adjudge.card(table(votes(labels)), jury=["m*"], ordered=["1", "2", "3", "4", "5"])
    assert report.estimate("agreement", judge="jury").value == 1.0


def test_two_tables_of_judges_are_compared_by_their_cards(tmp_path):
    table(votes(PEOPLE | {"m1": "yynny"})).write_parquet(tmp_path / "before.parquet")
    table(votes(PEOPLE | {"m1": "nnyyn"})).write_csv(tmp_path / "after.csv")
    report = adjudge.compare([tmp_path / "before.parquet", tmp_path / "after.csv"])
    row = report["comparison"].row(by_predicate=pl.col("metric") == "agreement", named=True)
    assert (row["first"], row["second"], row["value"]) == ("before", "after", pytest.approx(-0.8))
    assert [one.path for one in report.inputs] == [str(tmp_path / name) for name in ("before.parquet", "after.csv")]
