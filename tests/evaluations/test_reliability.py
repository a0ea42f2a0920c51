import json

import polars as pl
import pytest

import adjudge
from adjudge import Estimate, OptionError, Report
from adjudge.estimate import Caveat
from made import DATA, item, labelled, verdict

CASES = DATA / "reliability"


def figure(report: Report, metric: str, annotator: str | None = None) -> Estimate:
    keys = {} if annotator is None else {"annotator": annotator}
    return report.estimate(metric, table="annotators" if annotator else "overall", **keys)


def score(written, items, **options) -> Report:
    return adjudge.reliability(written(items), **options)


def deductions(report: Report) -> dict[tuple[str, str], int]:
    return {(annotator, reason): count for annotator, reason, count in report["deductions"].rows()}


@pytest.mark.parametrize("case", ["published_example", "flags"])
def test_every_figure_of_the_worked_cases_comes_out(case):
    expected = json.loads((CASES / f"{case}.expected.json").read_text())
    report = adjudge.reliability(CASES / f"{case}.json")
    for name, figures in expected.items():
        annotator = None if name == "overall" else name
        reliability, mismatch = figure(report, "reliability", annotator), figure(report, "flag_mismatch", annotator)
        assert reliability.value == pytest.approx(figures["reliability"], abs=1e-10)
        assert reliability.value == figures["correct"] / figures["applicable"]
        assert reliability.n == figures["applicable"]
        assert mismatch.value == figures["mismatch"] / figures["items"]
        assert mismatch.n == figures["items"]
        if annotator:
            assert reliability.low == pytest.approx(figures["low"], abs=1e-10)
            assert reliability.high == pytest.approx(figures["high"], abs=1e-10)
            assert figure(report, "items", annotator).value == figures["items"]
    assert len(expected) == report["annotators"]["annotator"].n_unique() + 1
    if case == "published_example":
        overall = figure(report, "reliability")
        assert (round(100 * overall.value, 2), overall.n) == (62.96, 54)


def test_a_wrong_flag_does_not_spoil_the_figure_for_choosing(written):
    """A choice of a flagged judgment is ignored and counted."""
    flagged = verdict("a", flag="Yes")
    report = score(written, [item("tie", ann="tie"), item("tie", ann=flagged), item(verdict(flag="Yes"), ann="tie")])
    assert report.warnings == ("flagged judgments that have a choice too, which is ignored: 1",)
    assert figure(report, "reliability", "ann").value == 1
    assert figure(report, "reliability", "ann").n == 1
    assert figure(report, "flag_mismatch", "ann").value == 2 / 3
    assert figure(report, "reference_flagged").value == 1 / 3
    assert report["flags"]["count"].to_list() == [0, 1, 1, 1]
    assert report["confusion"].rows() == [("ann", "tie", "tie", 1)]


def test_other_flag_values_are_named_by_the_user(written):
    rows = "item,annotator,label,flag,reference\n1,x,a,OK,a\n2,x,,NSFW,a\n3,x,,broken,a\n"
    values = {"flagged": ["NSFW", "broken"], "clean": "OK"}
    report = adjudge.reliability(written(rows, "votes.csv"), flag_values=values)
    assert figure(report, "flag_mismatch", "x").value == 2 / 3


def test_one_of_the_annotators_can_be_the_reference(written):
    rows = "item,annotator,label\n1,x,a\n1,boss,a\n2,x,a\n2,boss,b\n3,x,a\n4,boss,a\n"
    report = adjudge.reliability(written(rows, "votes.csv"), reference="boss")
    assert figure(report, "reliability", "x").n == 2
    assert deductions(report) == {("x", "no_reference"): 1}
    assert report["annotators"]["annotator"].unique().to_list() == ["x"]
    assert "items with a reference but no annotator's judgment, which are in no metric: 1" in report.warnings


def test_figures_per_group_equal_figures_of_the_groups_alone():
    frame = labelled({"x": "0 1 2 " * 13 + "0", "y": "1 2 0 " * 13 + "1"})
    number = pl.col("item").str.slice(1).cast(pl.Int64)
    weeks = pl.when(number < 15).then(pl.lit("one")).otherwise(pl.lit("two"))
    frame = frame.with_columns(reference=(number % 2).cast(pl.String), week=weeks)
    grouped = adjudge.reliability(frame, by="week")
    for week in ("one", "two"):
        alone = adjudge.reliability(frame.filter(pl.col("week") == week))
        for name, table in alone.tables.items():
            of_all = ["p_adjusted", "tests", "needed"]  # which rest on the differences of all groups
            own = grouped[name].filter(pl.col("week") == week).drop("week", *of_all, strict=False)
            assert own.equals(table.drop(of_all, strict=False))


def test_the_pooled_row_is_clustered_by_item_and_an_annotators_row_is_not():
    """All four annotators of an item are right or wrong together: 20 independent items, not 80."""
    number = pl.col("item").str.slice(1).cast(pl.Int64)
    truth = pl.when(number % 2 == 1).then(pl.lit("x")).otherwise(pl.lit("y"))
    report = adjudge.reliability(labelled({f"a{n}": "x " * 20 for n in range(4)}, reference=truth))
    pooled, alone = figure(report, "reliability"), figure(report, "reliability", "a0")
    assert (pooled.method, alone.method) == ("clustered-wilson", "wilson")
    assert report.notes == ("Intervals of the pooled metrics are clustered by item: 20 clusters.",)
    assert pooled.low <= alone.low <= alone.high <= pooled.high


def test_a_named_cluster_clusters_every_figure():
    documents = pl.Series([n // 3 for n in range(60)])
    frame = labelled({"x": "a b " * 30}, reference=pl.lit("a"), document=documents)
    report = adjudge.reliability(frame, cluster="document")
    assert figure(report, "reliability", "x").method == "clustered-wilson"
    assert figure(report, "kappa", "x").caveat == Caveat.UNDER_100_CLUSTERS
    assert report.counts["clusters"] == 20
    assert report.notes == ("All intervals are clustered by document: 20 clusters.",)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        *(({"by": name}, f"Adjudge's own tables have a column {name}") for name in ("label", "noise_ratio", "n")),
        ({"flag_values": {"flagged": "x"}}, "flag_values: expected values for both"),
        ({"flag_values": {"flagged": "x", "clean": "X"}}, "x stands for both flagged and clean"),
        ({"cluster": "week", "columns": {"cluster": "item"}}, "give one of them"),
        ({"save_items": "nowhere/items.parquet"}, "no such folder: nowhere"),
    ],
)
def test_a_wrong_option_says_what_was_expected(written, options, message):
    rows = "item,annotator,label,week,reference\n1,x,a,1,a\n1,boss,a,1,a\n"
    with pytest.raises(OptionError) as error:
        adjudge.reliability(written(rows, "votes.csv"), **options)
    assert message in str(error.value)


def test_a_reference_that_only_says_not_to_flag_is_compared_on_flags():
    columns = {"label": [None, "a"], "flag": [True, False], "reference": [None, None], "reference_flag": [False] * 2}
    frame = pl.DataFrame({"item": [1, 2], "annotator": "x", **columns}, schema_overrides={"reference": pl.String})
    report = adjudge.reliability(frame)
    assert figure(report, "flag_mismatch", "x").value == 0.5
    assert deductions(report) == {("x", "no_reference_choice"): 1}
