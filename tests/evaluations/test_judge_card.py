"""The card of a judge: worked cases by hand."""

import json
import re
from functools import partial

import numpy as np
import polars as pl
import pytest
from scipy import optimize, stats

import adjudge
from adjudge.errors import DataError
from adjudge.statistics.intervals import tango_limits
from adjudge.statistics.proportions import proportion
from made import EXAMPLES, labelled

LABELS = {
    "ana": "yes no  no  yes -",
    "ben": "yes no  yes no  yes",
    "cy": " yes yes no  no  -",
    "gpt": "yes no  no  yes no",
    "odd": "no  yes yes -   -",
}


def value(report, metric, judge="gpt"):
    return report.estimate(metric, table="judges", judge=judge).value


def test_a_judge_stands_beside_people_on_the_same_items():
    """Agree with gpt: all, 2 of 3, 2 of 3, 1 of 3, none. Pairs of people who agree: all, 1 of 3 three times."""
    report = adjudge.card(labelled(LABELS), judges=["gpt", "odd"])
    assert value(report, "agreement") == pytest.approx((1 + 2 / 3 + 2 / 3 + 1 / 3 + 0) / 5)
    assert value(report, "people_agreement") == pytest.approx((1 + 1 / 3 + 1 / 3 + 1 / 3) / 4)
    assert value(report, "agreement_difference") == pytest.approx((0 + 1 / 3 + 1 / 3 + 0) / 4)
    assert value(report, "agreement", "odd") == pytest.approx((0 + 1 / 3 + 1 / 3) / 3)
    assert report.estimate("agreement", table="judges", judge="gpt").n == 5


def test_pairs_are_read_as_labels(tmp_path):
    said = json.loads((EXAMPLES / "annotations" / "pairs.json").read_text())
    for place, pair in enumerate(said["comparisons"]):
        pair["prompt"] = f"prompt {place // 2}"
    (tmp_path / "pairs.json").write_text(json.dumps(said))
    report = adjudge.card(tmp_path / "pairs.json", judges="more*", responses=["text_a", "text_b"])
    assert "All intervals are clustered by cluster: 20 clusters." in report.notes
    assert (report.counts["people"], report.counts["judges"], report.counts["items"]) == (2, 2, 40)


def test_labels_with_an_order_are_apart_by_steps():
    """To gpt's 4 people are at 1 and 2, to its 2 at 3: 2.5 and 1; two people are 1 apart. Of 1, 2, 5, 5: 15 / 6."""
    report = adjudge.card(labelled({"ana": "1 3", "ben": "2 -", "gpt": "4 2"}), judges="gpt", level="interval")
    assert [value(report, one) for one in ("distance", "people_distance", "distance_difference")] == [1.75, 1.0, 1.5]
    report = adjudge.card(labelled(dict(zip("abcd", "1255", strict=True)) | {"gpt": "1"}), judges="gpt", level="ratio")
    assert value(report, "people_distance") == pytest.approx(15 / 6)
    assert report.estimate("distance_from_others", table="everyone", annotator="b").value == pytest.approx(7 / 3)


def test_one_trusted_label_leaves_the_ceiling_unknown():
    gold = pl.Series(["yes", "no", "yes", "yes", "no"])
    report = adjudge.card(labelled({"gpt": LABELS["gpt"]}, reference=gold), judges="gpt")
    assert value(report, "agreement") == 0.8
    assert report.estimate("people_agreement", table="judges", judge="gpt").reason


def test_who_is_judged_is_said_by_patterns_and_everybody_else_is_a_person():
    report = adjudge.card(labelled(LABELS), judges="g*", reference=["ana", "ben"])
    assert report.counts["people"] == 2
    assert "neither judge nor human, excluded: cy, odd; --reference names humans" in report.warnings
    told = "counted as human: gpt; name judges with --judges, or humans with --reference"
    assert [
        told in adjudge.card(labelled(LABELS), judges="odd", **more).warnings for more in ({}, {"reference": "gpt"})
    ] == [True, False]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"judges": "gtp"}, r'judges: no annotator "gtp"(.|\n)*fix:   judges gpt'),
        ({}, "judges: no judge given\nfound: ana, ben, cy, gpt, odd"),
        ({"judges": "gpt", "reference": ["gpt"]}, "judges: gpt is named by reference too"),
        ({"judges": "*"}, "there are no human annotators"),
        ({"judges": "gpt", "level": "nominal", "ordered": "numbers"}, "have no order"),
        ({"judges": "gpt", "columns": {"annotator": "whos"}}, r"no column .whos.(.|\n)*found"),
    ],
)
def test_what_cannot_be_is_refused_in_words(options, said):
    with pytest.raises(adjudge.AdjudgeError, match=said):
        adjudge.card(labelled(LABELS), **options)


def test_a_judge_may_label_an_item_several_times_and_the_first_label_counts():
    twice = pl.concat([labelled(LABELS, draw=pl.lit("1")), labelled({"gpt": "no no no no yes"}, draw=pl.lit("2"))])
    said = r"annotator gpt labels item i0 more than once \(and 4 more.*\nfix: .*for repeated runs, .*=NAME\+RUN.*run_column"
    with pytest.raises(adjudge.DataError, match=said):
        adjudge.card(twice, judges="gpt")
    once = value(adjudge.card(labelled(LABELS), judges="gpt"), "agreement")
    assert value(adjudge.card(twice, judges="gpt", run_column="draw"), "agreement") == once
    alike = twice.rename({"draw": "run"}).with_columns(draw=pl.lit("1"))
    with pytest.raises(adjudge.DataError, match="card: run_column"):
        adjudge.card(alike, judges="gpt", run_column="draw")
    assert value(adjudge.card(alike, judges="gpt", run_column="draw+run"), "agreement") == once


def test_a_column_of_judges_need_not_stand_in_the_file_of_people():
    """The judge labels each item twice, those of its own family 1 higher; whose they are stands in the file of people."""
    people = labelled({"ana": "1 3 2 4"}, family=pl.Series(["gpt", "x", "gpt", "x"]))
    twice = pl.concat([labelled({"gpt": "2 3 3 4"}, draw=pl.lit(str(nth))) for nth in range(2)])
    report = adjudge.card([people, twice], judges="gpt", run_column="draw", family="family", level="interval")
    assert report.estimate("draws", table="steadiness", judge="gpt").value == 2
    assert report["bias_scale"].filter(bias="own family", metric="scale_bias")["value"].item() == pytest.approx(1)
    assert "table 1: no column draw (--run-column), of which its labels say nothing" in report.warnings
    with pytest.raises(adjudge.OptionError, match='confidence_column: no column "sure" in all inputs'):
        adjudge.card([people, twice], judges="gpt", run_column="draw", confidence_column="sure")


def test_a_row_without_a_label_is_an_item_that_somebody_left_out():
    """Three labels and gpt's gap: it has one item in common with people."""
    lacking = labelled({"ana": "a b -", "ben": "a a -", "gpt": "a - -", "odd": "- - b"})
    gap = pl.DataFrame({"item": ["i1"], "annotator": ["gpt"], "label": [None]}, schema=lacking.schema)
    report = adjudge.card(pl.concat([lacking, gap]), judges=["gpt", "odd"])
    assert report.estimate("agreement", table="judges", judge="gpt").n == 1
    assert "table: 1 row without a label is excluded" in report.warnings
    assert report.estimate("agreement", table="judges", judge="odd").reason


def test_people_stand_beside_judges_each_compared_with_the_others():
    """The others agree with ana: both, half of ben and cy (which differ) twice, one of them, nobody else there."""
    report = adjudge.card(labelled(LABELS), judges="gpt", reference=["ana", "ben", "cy"])
    found = {row["annotator"]: row for row in report["everyone"].to_dicts()}
    assert (found["ana"]["side"], found["gpt"]["side"]) == ("person", "judge")
    assert found["ana"]["value"] == pytest.approx((1 + 1 / 2 + 1 / 2 + 0) / 4)
    assert found["gpt"]["value"] == value(report, "agreement")


def alternative(report, person, metric="advantage"):
    return report["alternative_test"].row(
        by_predicate=(pl.col("person") == person) & (pl.col("metric") == metric), named=True
    )


def test_a_judge_takes_the_place_of_each_person():
    """Like ana and ben on ten items, where cy says something else: closer than cy on all, as close as the others."""
    report = adjudge.card(
        labelled(dict.fromkeys(("ana", "ben", "gpt"), "a " * 10) | {"cy": "b " * 10}), judges="gpt", min_items=10
    )
    assert alternative(report, "cy")["p"] == pytest.approx(0.4**10)
    assert alternative(report, "ana")["p"] == pytest.approx(0.8**10)
    c = 1 + 1 / 2 + 1 / 3
    assert alternative(report, "cy")["p_adjusted"] == pytest.approx(0.4**10 * 3 * c)
    assert alternative(report, "ben")["p_adjusted"] == pytest.approx(0.8**10 * c)
    two = adjudge.card(labelled(dict.fromkeys(("ana", "ben", "gpt"), "a " * 10)), judges="gpt", min_items=10)
    found = two.estimate("winning_rate", table="judges", judge="gpt")
    assert (found.value, found.n, "takes 3 humans; 2 could be tested" in found.reason) == (None, 2, True)
    assert (value(report, "winning_rate"), value(report, "advantage_probability")) == (pytest.approx(1 / 3), 1.0)


def margins(labels):
    """The margins of agreement of gpt: the judge is no worse by more, and equivalent within."""
    report = adjudge.card(labelled(labels), judges="gpt")
    names = ("agreement_no_worse_by", "agreement_equivalent_within")
    return tuple(report.estimate(name, table="equivalence", judge="gpt").value for name in names)


def test_margins_are_the_limits_of_one_sided_tests_with_the_variance_at_the_margin():
    """Differences of 0 and 1/3, 20 each; a likeliest distribution whose mean is the margin m has x at 0, y at 1/3, and
    the rest at 1, where there is none. t(.95, 39) is 1.684875."""
    labels = {"ana": "a a " * 20, "ben": "a a " * 20, "cy": "a b " * 20, "gpt": "a a " * 20}
    no_worse, within = margins(labels)

    def rejected_at(m):
        def unlikelihood(y):
            return -np.log(1 - y - (m - y / 3)) - np.log(y)

        bounds, options = (1e-9, min(3 * m, (1 - m) * 1.5) - 1e-9), {"xatol": 1e-12}
        y = optimize.minimize_scalar(unlikelihood, bounds=bounds, method="bounded", options=options).x
        rest = m - y / 3
        variance = (1 - y - rest) * m**2 + y * (1 / 3 - m) ** 2 + rest * (1 - m) ** 2
        return (m - 1 / 6) / np.sqrt(variance / 39)

    assert no_worse == 0
    assert rejected_at(within) == pytest.approx(1.684875, abs=1e-5)


def test_margins_of_a_judge_that_is_right_or_wrong_are_those_of_tango():
    """Two people agree on 60 items and the judge with them on 56: -1 four times, else 0."""
    right = " ".join("ab"[item % 2] for item in range(60))
    no_worse, within = margins({"ana": right, "ben": right, "gpt": "c c c c" + right[7:]})
    low = tango_limits(0, 4, 60, stats.t.ppf(0.95, 59) * np.sqrt(60 / 59)).low
    assert no_worse == within == pytest.approx(-low, abs=1e-9)


@pytest.mark.parametrize(("judge", "margin", "status"), [("odd", 0.05, 3), ("gpt", 0.5, 0)])
def test_a_gate_asks_that_a_judge_be_shown_to_be_no_worse(adjudge, tmp_path, judge, margin, status):
    labelled({one: said + " a b" * 10 for one, said in LABELS.items()}).write_csv(tmp_path / "labels.csv")
    asked = ("--judges", judge, "--fail-unless-noninferior", f"agreement:{margin}")
    code, out, _ = adjudge("card", tmp_path / "labels.csv", *asked, "--details")
    said = " ".join(out.split())
    assert (code, f"Gate {'FAIL' if status else 'PASS'} judge {judge}: agreement" in said) == (status, 1)
    told = re.search(r"at most (5|50) pp worse than that of human annotators; it may be up to ([\d.]+) pp worse", said)
    tabled = re.search(rf"Agreement: no worse by(.|\n)*{judge} +([\d.]+)\Wpp", out)
    assert (told[1], told[2]) == (f"{100 * margin:g}", tabled[2])
    assert adjudge("card", tmp_path / "labels.csv", *asked[:3], "distance:0.1")[0] == 2


@pytest.mark.parametrize(
    ("column", "option"),
    [("weights", {"weights": "more"}), ("strata", {"strata": "more"}), ("cluster", {"cluster": "more"})],
)
def test_an_item_has_one_weight_stratum_and_cluster(column, option):
    """Which of two holds is unknown; the same number in two forms is one, and a row may say nothing."""
    who, item = pl.col("annotator"), pl.col("item")
    table = labelled(dict.fromkeys(("ana", "gpt"), "a b " * 20), more=who.replace({"ana": "1.0", "gpt": "1"}))
    sound = table.with_columns(more=pl.when((item != "i0") | (who != "gpt")).then("more"))
    assert adjudge.correct(sound, judges="gpt", **option).counts["items"] == 40
    odd = item.is_in(["i1", "i2"]) & (who == "ana")
    torn = table.with_columns(more=pl.when(odd).then(pl.lit("2")).otherwise("more"))
    said = rf"{column}: expected one value in all rows of an item; i1 has 2.0, 1.0"
    with pytest.raises(DataError, match=said):
        adjudge.correct(torn, judges="gpt", **option)
    if column == "cluster":
        with pytest.raises(DataError, match=said):
            adjudge.agreement(torn, cluster="more")


def test_rates_of_two_labels_are_counted_on_items_with_one_most_frequent_human_label():
    """Of six items, people fail two and pass three; on the last they are of two minds. The judge fails one of the two."""
    said = {"ana": "f f p p p f", "ben": "f f p p p p", "gpt": "f p p p f f"}
    report = adjudge.card(labelled(said), judges="gpt")
    assert report["label_rates"]["label"].to_list() == ["f", "p"]  # the rarer label first
    for label, given, items in (("f", 1, 2), ("p", 2, 3)):
        found, wanted = report.estimate("label_rate", judge="gpt", label=label), proportion(given, items)
        assert (found.value, found.n) == (given / items, items)
        assert found.ci == pytest.approx(wanted.ci)
    four = labelled(dict.fromkeys(("ana", "ben", "gpt"), "a b c d a b c d"))
    assert "label_rates" not in adjudge.card(four, judges="gpt").tables


@pytest.mark.parametrize("call", [adjudge.agreement, partial(adjudge.card, judges="gpt")])
def test_ratios_are_of_numbers_from_0(call):
    frame = labelled({"ana": "1 1 1", "ben": "0 1 2", "gpt": "-2.5 -2.5 -2.5"})
    with pytest.raises(DataError, match=r"label: expected numbers from 0, since level is ratio; got -2.5"):
        call(frame, level="ratio")
