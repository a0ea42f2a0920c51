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
    assert report.warnings == ("flagged judgments that hold a choice too, which is ignored: 1",)
    assert figure(report, "reliability", "ann").value == 1
    assert figure(report, "reliability", "ann").n == 1
    assert figure(report, "flag_mismatch", "ann").value == 2 / 3
    assert figure(report, "reference_flagged").value == 1 / 3
    assert report["flags"]["count"].to_list() == [0, 1, 1, 1]
    assert report["confusion"].rows() == [("ann", "tie", "tie", 1)]


def test_skipped_items_stay_in_items_and_leave_both_figures(written):
    skipped = {"skipped": True, "item_flag": "No"}
    report = score(written, [item("a", ann="a"), item("a", ann=skipped), item(skipped, ann="b"), item("b", ann="a")])
    assert figure(report, "items", "ann").value == 4
    assert figure(report, "reliability", "ann").n == figure(report, "flag_mismatch", "ann").n == 2
    assert deductions(report) == {("ann", "skipped"): 1, ("ann", "reference_skipped"): 1}


@pytest.mark.parametrize(
    ("rule", "reliability_n", "mismatch_n", "correct"),
    [("unanimous", 1, 2, 1), ("majority", 3, 3, 3), ("first", 3, 4, 2)],
)
def test_several_reference_judges_become_one_by_the_rule(written, rule, reliability_n, mismatch_n, correct):
    flagged = verdict(flag="Yes")
    items = [
        item({"r1": "a", "r2": "a", "r3": "a"}, ann="a"),
        # They disagree on the choice: unanimous has none, the majority b, the first a.
        item({"r1": "a", "r2": "b", "r3": "b"}, ann="b"),
        # They disagree on the flag: unanimous has none, the majority is unflagged and says a, the first flags.
        item({"r1": flagged, "r2": "a", "r3": "a"}, ann="a"),
        # Two of four flag: no majority; the first says b.
        item({"r1": "b", "r2": "b", "r3": flagged, "r4": flagged}, ann="b"),
    ]
    report = score(written, items, reference_rule=rule)
    reliability = figure(report, "reliability", "ann")
    assert (reliability.n, reliability.value) == (reliability_n, correct / reliability_n)
    assert figure(report, "flag_mismatch", "ann").n == mismatch_n


def test_items_without_consensus_are_deducted_only_when_asked(written):
    items = [item("a", x="a", y="b"), item("a", x="a", y="a"), item("a", x="b", y=verdict(flag="Yes"))]
    assert figure(score(written, items), "reliability").n == 5
    report = score(written, items, exclude_no_consensus=True)
    assert figure(report, "reliability").n == 3
    assert deductions(report) == {("x", "no_consensus"): 1, ("y", "no_consensus"): 1}
    assert figure(report, "flag_mismatch").n == 6


def test_rows_without_a_reference_are_deducted():
    table = pl.DataFrame(
        {"item": [1, 2, 2], "annotator": ["x", "x", "y"], "label": ["a"] * 3, "reference": ["a", None, None]}
    )
    report = adjudge.reliability(table)
    assert deductions(report) == {("x", "no_reference"): 1, ("y", "no_reference"): 1}
    assert figure(report, "reliability").n == 1
    assert figure(report, "reliability", "y").reason == "no item that neither side flagged or left out"


@pytest.mark.parametrize(
    "flags", [("Yes", "No"), ("true", "false"), ("1", "0"), (True, False), (1, 0), ("YES", " no ")]
)
def test_flags_may_be_written_in_several_ways(written, flags):
    yes, no = flags
    report = score(written, [item("a", ann=verdict(flag=yes)), item("a", ann=verdict("a", flag=no))])
    assert figure(report, "flag_mismatch", "ann").value == 0.5


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
    assert "items with a reference but no annotator's judgment, which are in no figure: 1" in report.warnings


def test_an_annotator_of_the_json_can_be_the_reference_instead_of_qc(written):
    items = [{"output_values": {"x": verdict("a"), "boss": verdict("b")}}, item("a", x="b", boss="b")]
    report = score(written, items, reference="boss")
    assert figure(report, "reliability", "x").value == 0.5


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
    number = pl.col("item").str.slice(1).cast(pl.Int64)
    truth = pl.when(number % 2 == 1).then(pl.lit("x")).otherwise(pl.lit("y"))
    report = adjudge.reliability(labelled({f"a{n}": "x " * 20 for n in range(4)}, reference=truth))
    assert figure(report, "reliability").method == "clustered-wilson"
    assert figure(report, "reliability", "a0").method == "wilson"
    assert report.notes == ("Intervals of the pooled figures are clustered by item: 20 clusters.",)
    # All four annotators of an item are right or wrong together: 20 independent items, not 80.
    alone = figure(report, "reliability", "a0")
    assert figure(report, "reliability").low <= alone.low
    assert figure(report, "reliability").high >= alone.high


def test_a_named_cluster_clusters_every_figure():
    documents = pl.Series([n // 3 for n in range(60)])
    frame = labelled({"x": "a b " * 30}, reference=pl.lit("a"), document=documents)
    report = adjudge.reliability(frame, cluster="document")
    assert figure(report, "reliability", "x").method == "clustered-wilson"
    assert figure(report, "kappa", "x").caveat == Caveat.UNDER_100_CLUSTERS
    assert report.counts["clusters"] == 20
    assert report.notes == ("All intervals are clustered by document: 20 clusters.",)


def test_kappa_is_cohens_over_the_choices(written):
    from sklearn.metrics import cohen_kappa_score

    ours, theirs = list("aabbcabcaacb"), list("abbbcabcabca")
    report = score(written, [item(right, ann=choice) for choice, right in zip(ours, theirs, strict=True)])
    assert figure(report, "kappa", "ann").value == pytest.approx(cohen_kappa_score(ours, theirs), abs=1e-12)
    kappa = figure(score(written, [item("a", ann="a")] * 3), "kappa", "ann")
    assert (kappa.value, "label" in kappa.reason) == (None, True)


def test_shrinkage_draws_few_items_further_than_many(written):
    items = [item("a", few="a" if n < 2 else {"item_flag": "No", "skipped": True}, many="a", wild="a" if n % 3 else "b", poor="a" if n % 2 else "b") for n in range(40)]  # fmt: skip
    report = score(written, items)
    drawn = {
        name: figure(report, "reliability", name).value - figure(report, "reliability_shrunk", name).value
        for name in ("few", "many")
    }
    assert drawn["few"] > drawn["many"] > 0


def test_tables_from_polars_pandas_and_pyarrow_give_the_same_figures():
    frame = pl.DataFrame({"item": [1, 2, 3], "annotator": ["x"] * 3, "label": [1, 0, 1], "reference": [1, 1, 1]})
    figures = [
        adjudge.reliability(table)["annotators"] for table in (frame, frame.lazy(), frame.to_pandas(), frame.to_arrow())
    ]
    assert all(table.equals(figures[0]) for table in figures)


def test_whole_numbers_stored_as_decimals_are_the_same_labels():
    """Without flags there is no flag mismatch."""
    frame = pl.DataFrame({"item": [1.0, 2.0], "annotator": ["x"] * 2, "label": [1.0, 0.0], "reference": [1, 0]})
    before, report = frame.clone(), adjudge.reliability(frame)
    assert frame.equals(before)
    assert figure(report, "reliability", "x").value == 1
    assert figure(report, "flag_mismatch", "x").reason == "no item on which both sides say whether to flag"
    assert figure(report, "reference_flagged").value is None


def test_the_outcomes_file_holds_a_row_per_item_annotator_and_part(tmp_path):
    report = adjudge.reliability(CASES / "flags.json", save_items=tmp_path / "items.parquet")
    items = pl.read_parquet(tmp_path / "items.parquet")
    assert report.outcomes.rows == items.height == 2 * 93
    choices = items.filter(pl.col("part") == "choice")["outcome"].value_counts()
    assert dict(choices.rows())["correct"] == 23
    assert items.columns[:10] == report.outcomes.first.columns[:10]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"by": "label"}, "Adjudge's own tables have a column label"),
        ({"flag_values": {"flagged": "x"}}, "flag_values: expected values for both"),
        ({"flag_values": {"flagged": "x", "clean": "X"}}, "x stands for both flagged and clean"),
        ({"cluster": "week", "columns": {"cluster": "item"}}, "give one of them"),
        ({"save_items": "items.csv"}, "expected a name that ends in one of .parquet"),
        ({"save_items": "nowhere/items.parquet"}, "there is no folder nowhere"),
    ],
)
def test_a_wrong_option_says_what_was_expected(written, options, message):
    rows = "item,annotator,label,week,reference\n1,x,a,1,a\n1,boss,a,1,a\n"
    with pytest.raises(OptionError) as error:
        adjudge.reliability(written(rows, "votes.csv"), **options)
    assert message in str(error.value)


def test_an_item_in_several_clusters_counts_once_and_always_alike():
    draw = __import__("random").Random(0)
    rows = [
        (f"i{n // 3}", f"a{n % 3}", "x", None if n // 3 % 4 == 0 else "x", n // 3 % 4 == 0, f"c{draw.randrange(40)}")
        for n in range(900)
    ]
    names = ["item", "annotator", "label", "reference", "reference_flag", "cluster"]
    reports = {adjudge.reliability(pl.DataFrame(rows, schema=names, orient="row")).to_json() for _ in range(5)}
    assert len(reports) == 1
    assert json.loads(reports.pop())["tables"]["overall"][2]["n"] == 300


def test_who_skips_need_not_say_whether_to_flag(written):
    report = score(
        written, [item("a", ann={"skipped": True}), item({"sme": {"skipped": True}}, ann="a"), item("a", ann="a")]
    )
    assert deductions(report) == {("ann", "skipped"): 1, ("ann", "reference_skipped"): 1}


def test_a_reference_that_only_says_not_to_flag_is_compared_on_flags():
    columns = {"label": [None, "a"], "flag": [True, False], "reference": [None, None], "reference_flag": [False] * 2}
    frame = pl.DataFrame({"item": [1, 2], "annotator": "x", **columns}, schema_overrides={"reference": pl.String})
    report = adjudge.reliability(frame)
    assert figure(report, "flag_mismatch", "x").value == 0.5
    assert deductions(report) == {("x", "no_reference_choice"): 1}


def test_items_that_every_annotator_skipped_count_among_those_the_reference_flags(written):
    report = score(written, [item(verdict(flag="Yes"), ann={"skipped": True}), item("a", ann="a")])
    assert (figure(report, "reference_flagged").value, figure(report, "reference_flagged").n) == (0.5, 2)


@pytest.mark.parametrize("name", ["truth", "noise_ratio", "correct", "flags", "reference_skipped", "n", "value"])
def test_a_group_cannot_bear_the_name_of_a_column_of_adjudge_s(name):
    frame = pl.DataFrame({"item": [1], "annotator": ["x"], "label": ["a"], "reference": ["a"], name: ["g"]})
    with pytest.raises(OptionError, match=f"Adjudge's own tables have a column {name}"):
        adjudge.reliability(frame, by=name)


def test_kappa_of_ten_thousand_labels_takes_no_table_of_their_square():
    labels = [str(number) for number in range(10_000)]
    said = [*labels[1:2], *labels[1:]]
    report = adjudge.reliability(pl.DataFrame({"item": labels, "annotator": "ana", "label": said, "reference": labels}))
    chance = (9_998 + 2) / 10_000**2
    kappa = report["annotators"].filter(metric="kappa").row(0, named=True)
    assert kappa["value"] == pytest.approx((0.9999 - chance) / (1 - chance), abs=1e-12)
