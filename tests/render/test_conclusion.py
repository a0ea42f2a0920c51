"""The sentences with which a report opens, against tables made by hand."""

import json
from dataclasses import replace

import polars as pl
import pytest

import karat
from karat.figures.conclusions import Few, facts
from karat.figures.separation import Separation
from karat.render import conclusion
from karat.render.conclusion import answer_and_data
from karat.render.html import report_page
from karat.render.markdown import report_markdown
from karat.render.terminal import report_text
from karat.report import FIGURE, typed_table
from karat.schemas.preferences import AVERAGE
from made import EXAMPLES
from made_conclusions import TESTED, annotators, row, systems
from made_reports import advised, concluded, made_report

STRENGTH = "where 1 is always with it, 0 chance and −1 always against"


def test_each_annotator_is_told_with_its_interval_the_best_first():
    report = annotators(("dev", 0.25, 0.07, 0.59, 40, None), ("ana", 0.95, 0.77, 0.99, 40, None))
    first, *others = concluded(report)
    assert (
        first
        == "ana agrees with the reference on 95.0\u00a0% (77.0 to 99.0) of choices and dev on 25.0\u00a0% (7.0 to 59.0)."
    )
    # Newcombe's interval: 0.7 less hypot(0.18, 0.34), and more hypot(0.04, 0.18); z = 1.96 * 0.7 / 0.385 = 3.57
    assert others == ["ana is better than dev by 70.0\u00a0pp (31.5 to 88.4), adjusted p < .001."]


@pytest.mark.parametrize("few", ["a7", "a0"])
def test_whose_labels_are_few_is_told_apart_from_the_highest_and_the_lowest(few):
    own = {few: (7, "few_items")}
    rows = [(f"a{place}", 0.5 + place / 100, 0.4, 0.6, *own.get(f"a{place}", (100, None))) for place in range(8)]
    first, second, *_ = concluded(annotators(*rows))
    high, low = ("a6", "a0") if few == "a7" else ("a7", "a1")
    shares = {f"a{place}": f"{50 + place}.0\u00a0% (40.0 to 60.0)" for place in range(8)}
    assert first == (
        f"Of 7 annotators with enough choices, {high}, the highest, agrees with the reference on {shares[high]} of "
        f"choices and {low}, the lowest, on {shares[low]}."
    )
    assert second == f"{few} has {shares[few]} on only 7 choices."


def test_whose_labels_are_few_is_told_from_others_and_is_in_no_tie():
    """Six judges, one with few labels: all 15 pairs are tested, and a tie is told of the others.

    a0 to a2 are level; a3 and a4 are ahead of each by .2 with intervals of .05 either way: z = .2 * 1.96 /
    hypot(.05, .05) = 5.54, p = 3e-8, and 15 times that is less than .001. So is few, by .45 with .1 below: z = 7.9.
    """
    rows = [(f"a{place}", 0.5, 0.45, 0.55, 100, None) for place in range(3)]
    rows += [(f"a{place}", 0.7, 0.65, 0.75, 100, None) for place in (3, 4)]
    report = annotators(*rows, ("few", 0.95, 0.85, 0.99, 7, "few_items"))
    (separation,) = [fact for part in facts(report) for fact in part if isinstance(fact, Separation)]
    assert (separation.judges, {*separation.aside}, separation.pairs, separation.tests) == (6, {"few"}, 15, 15)
    assert separation.count == len(("few", "a3", "a4")) * 3 + len(("few a3", "few a4"))
    assert (*separation.tie.judges,) == ("a3", "a4")
    assert "a3 is better than a0, a1 and a2; in all, 11 of 15 pairs are shown to differ." in concluded(report)
    assert advised(report)[0] == "Read what a2 gets wrong."


def test_who_is_ahead_by_few_labels_alone_is_in_no_tie():
    """few may be better or worse than all others: it is told apart from nobody."""
    rows = [(f"a{place}", 0.5 + place / 1000, 0.45, 0.55, 100, None) for place in range(3)]
    rows += [("a3", 0.7, 0.65, 0.75, 100, None), ("a4", 0.69, 0.64, 0.74, 100, None)]
    report = annotators(*rows, ("few", 0.8, 0.3, 0.98, 7, "few_items"))
    (separation,) = [fact for part in facts(report) for fact in part if isinstance(fact, Separation)]
    assert (*separation.tie.judges,) == ("a3", "a4")
    assert any(line.startswith("a3 is ahead of a4, but not shown to be better") for line in concluded(report))


@pytest.mark.parametrize(("few", "others", "apart"), [(1, 3, False), (1, 4, True), (3, 3, False), (2, 3, True)])
def test_those_with_few_labels_are_set_apart_where_they_are_the_fewer_of_more_than_four(few, others, apart):
    rows = [(f"a{place}", 0.5, 0.4, 0.6, 100, None) for place in range(others)]
    rows += [(f"f{place}", 0.8, 0.4, 0.95, 7, "few_items") for place in range(few)]
    first, *_ = concluded(annotators(*rows))
    assert first.startswith(f"Of {others} annotators with enough choices, ") is apart
    assert ("f0" in first) is not apart


def test_judges_without_a_figure_do_not_make_those_with_few_labels_the_fewer():
    few = [(f"f{place}", 0.8, 0.4, 0.95, 6, "few_items") for place in range(2)]
    none = [(f"u{place}", None, None, None, 0, None) for place in range(3)]
    first, *_ = concluded(annotators(*few, *none))
    assert (
        first
        == "f0 agrees with the reference on 80.0\u00a0% (40.0 to 95.0) of choices and f1 on 80.0\u00a0% (40.0 to 95.0)."
    )


def test_of_few_judges_with_enough_labels_all_are_named():
    rows = [(name, 0.5, 0.4, 0.6, 100, None) for name in ("ana", "ben", "cleo")]
    first, second, *_ = concluded(
        annotators(*rows, *((name, 0.8, 0.4, 0.95, 6, "few_items") for name in ("dev", "eva")))
    )
    half = "50.0\u00a0% (40.0 to 60.0)"
    agree = f"ana agrees with the reference on {half} of choices, ben on {half} and cleo on {half}."
    assert first == f"Of 3 annotators with enough choices, {agree}"
    shown = "80.0\u00a0% (40.0 to 95.0) on only 6 choices"
    assert second == f"dev has {shown} and eva has {shown}."


def test_where_nobody_has_enough_labels_all_are_told_together():
    rows = [(f"a{place}", 0.5 + place / 100, 0.4, 0.6, 7, "few_items") for place in range(8)]
    assert concluded(annotators(*rows))[0].startswith("Of 8 annotators, a7, the highest, agrees with the reference on")


def test_of_many_annotators_the_first_and_the_last_are_named():
    report = annotators(*[(f"a{place}", 0.5 + place / 100, 0.4, 0.6, 100, None) for place in range(8)])
    first, *others = concluded(report)
    assert first.startswith("Of 8 annotators, a7, the highest, agrees with the reference on 57.0")
    assert first.endswith("of choices and a0, the lowest, on 50.0\u00a0% (40.0 to 60.0).")
    # MOVER: 0.07 less hypot(0.17, 0.1) and more hypot(0.03, 0.1). An item of each adds 100 * (0.1 / 1.96)^2 = 0.2603; of 28
    # tests the smallest needs z = 3.124, and 80 % power 0.842 more: (3.966 / 0.07)^2 * 0.5206 is 1,671
    (tie,) = others
    assert tie == (
        "No annotator is shown to be best: no two of the 8 annotators can be told apart. Even the difference between "
        "number 1, a7, and number 8, a0, may be chance: 7.0\u00a0pp (\u221212.7 to 17.4); about 1,700 items each would probably show a difference of this size."
    )


def test_of_more_than_100_000_items_only_that_is_said():
    """As above with ten times the items and a gap of 0.02: (3.966 / 0.02)^2 * 5.206 is 204,700."""
    report = annotators(*[(f"a{place}", 0.5 + place / 350, 0.4, 0.6, 1000, None) for place in range(8)])
    assert concluded(report)[1].endswith(
        "; more than 100,000 items each would be needed to show a difference of this size."
    )


@pytest.mark.parametrize(
    ("judges", "beaten", "pairs"),
    [(150, "all 149 others; in all, 149", 11_175), (1_001, "999 of the other 1,000 annotators; in all, 999", 499_500)],
)
def test_of_very_many_annotators_it_is_told_who_is_better(judges, beaten, pairs):
    """The first is .45 above all others, at an error of hypot(.02, .05) / 1.96: z = 16. Of 1,001 one is not compared."""
    rest = [(f"b{place:04}", 0.5, 0.45, 0.55, 400, None) for place in range(judges - 1)]
    lines = concluded(annotators(("ana", 0.95, 0.93, 0.97, 400, None), *rest))
    assert lines[1] == f"ana is better than {beaten} of {pairs:,} pairs are shown to differ."


def test_a_tie_ends_before_the_first_who_is_told_from_one_of_it():
    report = annotators(
        ("ana", 0.9, 0.85, 0.95, 100, None),
        ("ben", 0.88, 0.83, 0.93, 100, None),
        ("cy", 0.7, 0.6, 0.8, 100, None),
        ("dev", 0.69, 0.6, 0.8, 100, None),
    )
    (tie,) = [line for line in concluded(report) if "not shown" in line]
    assert tie.startswith("ana is ahead of ben, but not shown to be better: 2.0")


def test_a_group_is_told_by_its_keys_once_where_values_begin_with_them_and_as_missing_where_there_is_none():
    rows = [
        row(
            ["week", "annotator", *FIGURE],
            week=week,
            annotator="ana",
            metric="reliability",
            value=0.9,
            low=0.85,
            high=0.95,
        )
        for week in ("week 1", "2", None)
    ]
    lines = concluded(made_report("reliability", {"annotators": typed_table(rows)}, options={"by": ["week"]}))
    assert [line.split(":")[0] for line in lines] == ["Week 1", "Week 2", "Week (missing)"]


def test_the_reference_that_was_asked_for_is_named():
    report = annotators(("ana", 0.95, 0.92, 0.99, 400, None), options={"reference": "QC"})
    assert concluded(report) == ("ana agrees with QC on 95.0\u00a0% (92.0 to 99.0) of choices.",)


def test_two_that_are_not_told_apart_come_with_the_items_that_would():
    """The standard error is 0.08 / 1.96; 80 % power takes (1.96 + 0.8416) times it: 0.1143 over 0.05, squared, 522.9."""
    report = systems(("north", 0.8), ("south", 0.75), differences=[("south", "north", 0.05, -0.03, 0.13, 0.22, 0.75)])
    (line,) = concluded(report)[1:]
    assert line.startswith(
        "north is ahead of south, but not shown to be better: 5.0\u00a0pp (\u22123.0 to 13.0) on 100 items; about 530 items"
    )


def test_what_holds_alone_but_not_among_others_is_told_as_such():
    """The interval leaves out 0, and the adjusted p says no."""
    both = [
        ("south", "north", 0.05, 0.01, 0.09, 0.08, 0.75),
        ("east", "north", 0.3, 0.2, 0.4, 0.001, 0.5),
        ("east", "south", 0.25, 0.1, 0.4, 0.01, 0.5),
    ]
    lines = concluded(systems(("north", 0.8), ("south", 0.75), ("east", 0.5), differences=both))
    assert "north is better than east by 30.0\u00a0pp (20.0 to 40.0), adjusted p = .001." in lines
    (untold,) = [line for line in lines if "not shown" in line]
    among = "5.0\u00a0pp (adjusted p = .08 among 3 tests) on 100 items"
    assert untold.startswith(f"north is ahead of south, but not shown to be better: {among}; about ")


@pytest.mark.parametrize(
    ("criteria", "tests"), [(["safety"], 3), (["safety", AVERAGE], 3), (["safety", "tone", AVERAGE], 9)]
)
def test_the_differences_of_all_criteria_are_adjusted_together_and_the_mean_over_one_is_that_one(criteria, tests):
    """Three pairs of systems. That criteria agree to the last digit makes their tests no fewer."""
    both = [
        ("south", "north", 0.05, 0.01, 0.09, 0.08, 0.75),
        ("east", "north", 0.3, 0.2, 0.4, 0.001, 0.5),
        ("east", "south", 0.25, 0.1, 0.4, 0.01, 0.5),
    ]
    one = systems(("north", 0.8), ("south", 0.75), ("east", 0.5), differences=both)
    every = {
        name: pl.concat([table.with_columns(criterion=pl.lit(criterion)) for criterion in criteria])
        for name, table in one.tables.items()
    }
    untold = [line for line in concluded(made_report("preferences", every)) if "not shown to be better" in line]
    assert untold
    assert all(f"(adjusted p = .08 among {tests} tests)" in line for line in untold)


def test_a_difference_of_nothing_asks_for_no_items():
    report = systems(("north", 0.8), ("south", 0.8), differences=[("south", "north", 0.0, -0.1, 0.1, 1.0, 0.8)])
    assert concluded(report)[1:] == (
        "north and south cannot be told apart on 100 items: 0.0\u00a0pp (\u221210.0 to 10.0).",
    )


@pytest.mark.parametrize(
    ("value", "p", "how"),
    [
        (0.1, 0.2, "not shown to be better"),
        (-0.3, 0.2, "not shown to be better"),
        (-0.3, 0.001, "worse"),
        (0.3, 0.001, ""),
    ],
)
def test_who_is_not_shown_to_beat_the_best_baseline_is_named(value, p, how):
    against = [
        ("baseline:a", "north", 0.5, 0.4, 0.6, 0.001, 0.2),
        ("baseline:majority", "north", value, value - 0.1, value + 0.1, p, 0.6),
    ]
    lines = concluded(systems(("north", 0.7), differences=against))
    said = f"north is {how} than baseline:majority (always the most frequent gold label)."
    assert [one for one in lines if "majority" in one] == ([said] if how else [])


def test_a_baseline_whose_name_says_its_label_is_named_alone():
    lines = concluded(systems(("north", 0.7), differences=[("baseline:a", "north", 0.1, 0.0, 0.2, 0.2, 0.6)]))
    assert "north is not shown to be better than baseline:a." in lines


def test_missing_answers_come_with_the_values_they_could_have_given():
    lines = concluded(systems(("north", 0.7), ("south", 0.6), bounds=[("north", (0.65, 0.75)), ("south", (0.6, 0.6))]))
    said = "Had no labels been missing, the accuracy of north would lie between 65.0\u00a0% and 75.0\u00a0%."
    assert said in lines


def test_few_items_are_said_once():
    few = [("ana", 0.9, 0.5, 1.0, 9, "few_items"), ("ben", 0.8, 0.7, 0.9, 90, None)]
    assert "The figure of ana rests on few items: read the interval, not the value." in concluded(annotators(*few))
    assert "This figure rests on few items: read the interval, not the value." in concluded(annotators(few[0]))


def test_a_wide_interval_comes_with_the_items_that_make_it_narrow():
    """From .40 to .10 is a quarter of the width, so 16 times the items."""
    lines = concluded(annotators(("ana", 0.5, 0.3, 0.7, 40, None)))
    assert lines[1:] == (
        "About 640 items in place of 40 would bring the interval of ana down to 5\u00a0percentage points either way.",
    )


@pytest.mark.parametrize(
    ("first", "value", "p", "said"),
    [
        ("ben", 0.2, 0.01, "The two differ by 0.20 (0.10 to 0.30), adjusted p = .01."),
        ("ana", -0.2, 0.01, "The two differ by 0.20 (0.10 to 0.30), adjusted p = .01."),  # the other way round
        ("ben", 0.05, 0.3, "The two cannot be told apart: they differ by 0.05 (\u22120.05 to 0.15)."),
        ("ben", 0.2, 0.06, "The two cannot be told apart: they differ by 0.20 (0.10 to 0.30), adjusted p = .06."),
    ],
)
def test_of_two_annotators_in_line_with_the_reference_it_is_said_whether_they_are_told_apart(first, value, p, said):
    keys = {"dataset": "pairs", "reference": "lena", "metric": "strength"}
    names = ["dataset", "annotator", "name", "reference", *FIGURE, "p", "p_adjusted"]
    rows = [
        row(names, **keys, annotator=one, name=one, value=own, low=own - 0.1, high=own + 0.1, p=0.001, p_adjusted=0.001)
        for one, own in (("ana", 0.6), ("ben", 0.4))
    ]
    between = {"compared": "annotators", "first": first, "second": "ben" if first == "ana" else "ana", "p": p}
    columns = ["compared", "dataset", "annotator", "first", "second", "reference", *TESTED]
    difference = row(columns, **keys, **between, value=value, low=value - 0.1, high=value + 0.1, p_adjusted=p)
    tables = {"agreement": typed_table(rows), "differences": typed_table([difference])}
    (line,) = concluded(made_report("annotations", tables))
    assert line.endswith(f": strength 0.60 (0.50 to 0.70) and 0.40 (0.30 to 0.50), {STRENGTH}. {said}")


def test_strengths_are_told_from_0_by_their_adjusted_p_alone():
    names = ["dataset", "annotator", "name", "reference", *FIGURE, "p", "p_adjusted"]
    rows = [
        row(
            names,
            annotator=one,
            name=one,
            reference="lena",
            metric="strength",
            value=value,
            low=value - 0.1,
            high=value + 0.1,
            p=p / 2,
            p_adjusted=p,
        )
        for one, value, p in [("kind", 0.4, 0.01), ("long", -0.3, 0.02), ("rude", 0.3, 0.06)]
    ]
    (line,) = concluded(made_report("annotations", {"agreement": typed_table(rows)}))
    assert line == (
        f"kind votes with the reference (lena) more than chance would: strength 0.40 (0.30 to 0.50), {STRENGTH}. "
        "long votes against the reference (lena) more than chance would: strength \u22120.30 (\u22120.40 to \u22120.20). Not shown to vote with or against lena: rude 0.30 (0.20 to 0.40, adjusted p = .06)."
    )


def test_judges_without_a_figure_are_not_among_those_that_were_tested():
    names = ["dataset", "annotator", "name", "reference", *FIGURE, "p", "p_adjusted"]
    keys = {"reference": "lena", "metric": "strength"}
    known = row(names, **keys, annotator="kind", value=0.1, low=-0.1, high=0.3, p=0.3, p_adjusted=0.3)
    strong = row(names, **keys, annotator="omar", value=0.4, low=0.3, high=0.5, p=0.01, p_adjusted=0.02)
    empty = [row(names, **keys, annotator=one, reason="no vote") for one in ("more code", "rude")]
    (line,) = concluded(made_report("annotations", {"agreement": typed_table([strong, known, *empty])}))
    assert line.endswith(
        'Not shown to vote with or against lena: kind 0.10 (\u22120.10 to 0.30). "more code" and rude have no figure.'
    )


def test_names_that_are_made_of_words_stand_in_quotes():
    """Without them "more verbose and longer" reads as what is said of somebody else."""
    names = ["dataset", "annotator", "name", "reference", *FIGURE, "p", "p_adjusted"]
    one = row(names, reference="lena", metric="strength", value=0.4, low=0.3, high=0.5, p=0.01)
    found = [
        one | {"annotator": name, "p_adjusted": p}
        for name, p in (("more kind", 0.01), ("omar", 0.02), ("more rude", 0.5))
    ]
    (line,) = concluded(made_report("annotations", {"agreement": typed_table(found)}))
    told = f'"more kind" and omar vote with the reference (lena) more than chance would: strength 0.40 (0.30 to 0.50) and 0.40 (0.30 to 0.50), {STRENGTH}.'
    assert line == f'{told} Not shown to vote with or against lena: "more rude" 0.40 (0.30 to 0.50, adjusted p = .50).'


def test_a_model_as_the_reference_shows_traits():
    names = ["dataset", "annotator", "name", "reference", *FIGURE, "p", "p_adjusted"]
    one = row(names, annotator="kind", reference="model:m1", metric="strength", value=0.4, low=0.3, high=0.5, p=0.01)
    table = typed_table([one | {"p_adjusted": 0.01}, one | {"annotator": "rude", "value": -0.4, "p_adjusted": 0.02}])
    (line,) = concluded(made_report("annotations", {"agreement": table}))
    assert line == (
        "model:m1 shows more than others (strength above 0): kind 0.40 (0.30 to 0.50). "
        "model:m1 shows less than others (strength below 0): rude \u22120.40 (0.30 to 0.50)."
    )
    none = typed_table([one | {"p_adjusted": 0.5}])
    assert concluded(made_report("annotations", {"agreement": none})) == (
        "No trait is shown to tell model:m1 from others.",
    )


def test_runs_are_compared_in_a_sentence():
    names = ["first", "second", "judge", "criterion", *TESTED]
    said = {"first": "week1", "second": "week2", "judge": "north", "criterion": "safety", "metric": "accuracy"}
    better = row(names, **said, value=0.1, low=0.04, high=0.16, p=0.001, p_adjusted=0.002)
    assert concluded(made_report("preferences", {"comparison": typed_table([better])})) == (
        "Accuracy of north rises from week1 to week2 by 10.0\u00a0pp (4.0 to 16.0), adjusted p = .002.",
    )
    alike = better | {"value": -0.01, "low": -0.04, "high": 0.02, "p_adjusted": 0.5}
    (line,) = concluded(made_report("preferences", {"comparison": typed_table([alike])}))
    assert line.startswith(
        "100 items do not tell whether accuracy of north changed from week1 to week2: \u22121.0\u00a0pp (\u22124.0 to 2.0)"
    )


def test_groups_are_named_and_further_ones_counted():
    rows = [
        row(
            ["team", "annotator", *FIGURE],
            team=team,
            annotator="ana",
            metric="reliability",
            value=0.9,
            low=0.85,
            high=0.95,
        )
        for team in "abcde"
    ]
    lines = concluded(made_report("reliability", {"annotators": typed_table(rows)}, options={"by": ["team"]}))
    assert lines[0].startswith("Team a: ana agrees")
    assert lines[-1] == "2 more groups stand in the table."
    assert len(lines) == 4


@pytest.mark.parametrize("name", ["reliability", "annotations", "preferences", "violations", "rag"])
def test_a_report_without_its_main_table_concludes_nothing(name):
    assert concluded(made_report(name, {"other": pl.DataFrame({"count": [1]})})) == ()


def test_a_judge_beside_another_in_the_second_run_has_not_changed():
    names = ["first", "second", "judge", "second_judge", *TESTED]
    said = {"first": "old", "second": "new", "judge": "eager", "second_judge": "calm", "metric": "match_score"}
    two = row(names, **said, value=-0.2, low=-0.3, high=-0.1, n=40, p=0.001, p_adjusted=0.002)
    assert concluded(made_report("violations", {"comparison": typed_table([two])})) == (
        "Match score of calm in new lies below that of eager in old by 0.20 (0.10 to 0.30), adjusted p = .002.",
    )
    alike = two | {"value": 0.0, "p_adjusted": 1.0, "low": -0.1, "high": 0.1}
    *lines, last = concluded(made_report("violations", {"comparison": typed_table([alike] * 5)}))
    assert set(lines) == {
        "40 texts do not tell whether match score of calm in new differs from that of eager in old: 0.00 (\u22120.10 to 0.10)."
    }
    assert last == "2 more comparisons stand in the table."


def test_each_of_several_figures_has_a_line_whose_tests_are_its_own():
    """Both abilities are told apart alike; neither line may be taken for a repetition of the other."""
    keys = ["model", "ability", "noise_ratio", "scorer"]
    asked = [("noise_robustness", "accuracy", 0.8), ("negative_rejection", "rejection_rate", 0.0)]
    scores, compared = [], []
    for ability, metric, noise in asked:
        of = {"ability": ability, "noise_ratio": noise, "scorer": "strict", "metric": metric}
        scores += [
            row([*keys, *FIGURE], **of, model=name, value=value, low=value - 0.1, high=value + 0.1)
            for name, value in (("north", 0.8), ("south", 0.3))
        ]
        sides = {"compared": "models", "first": "south", "second": "north", "p": 0.001, "p_adjusted": 0.001}
        compared.append(
            row(["compared", *keys, "first", "second", *TESTED], **of, **sides, value=0.5, low=0.4, high=0.6)
        )
    scores.append(row([*keys, *FIGURE], **of, model="east", reason="no answer", n=0, method=None))
    lines = concluded(made_report("rag", {"scores": typed_table(scores), "differences": typed_table(compared)}))
    better = " north is better than south by 50.0\u00a0pp (40.0 to 60.0), adjusted p = .001."
    assert lines == (
        "north answers 80.0\u00a0% (70.0 to 90.0) of questions right at a noise ratio of 0.8 and "
        "south 30.0\u00a0% (20.0 to 40.0)." + better,
        "north declines 80.0\u00a0% (70.0 to 90.0) of the questions that the documents do not answer and "
        "south 30.0\u00a0% (20.0 to 40.0). Declined unanswerable questions of east: undefined (no answer)." + better,
    )


def test_nobody_told_from_0_is_said_in_a_sentence():
    names = ["dataset", "annotator", "name", "reference", *FIGURE, "p", "p_adjusted"]
    one = row(names, annotator="a", name="a", reference="lena", metric="strength", value=0.1, low=-0.2, high=0.3)
    report = made_report("annotations", {"agreement": typed_table([one | {"p": 0.4, "p_adjusted": 0.4}])})
    assert concluded(report) == ("No annotator is shown to vote in line with lena, or against.",)


def test_labels_without_anything_odd_are_said_to_be_so():
    confusion = pl.DataFrame(
        {"annotator": ["ana"] * 2, "label": ["a", "b"], "reference_label": ["a", "b"], "count": [6, 6]}
    )
    report = annotators(("ana", 0.95, 0.92, 0.99, 400, None))
    told = replace(report, tables={**report.tables, "confusion": confusion})
    assert concluded(told)[-1] == "Nothing odd was found in the counts of choices."


@pytest.mark.parametrize(("outcome", "said"), [("missing", False), ("incorrect", True)])
def test_answers_of_which_one_is_missing_are_not_said_to_hold_nothing_odd(outcome, said):
    """One of 40 is too few to be told as odd, and too much for nothing."""
    answers = {"model": "north", "ability": "question_answering", "noise_ratio": 0.0, "scorer": "strict"}
    score = dict.fromkeys(FIGURE) | answers | {"metric": "accuracy", "value": 0.9, "low": 0.8, "high": 0.95, "n": 40}
    counts = pl.DataFrame([answers | {"outcome": "correct", "count": 39}, answers | {"outcome": outcome, "count": 1}])
    lines = concluded(made_report("rag", {"scores": typed_table([score]), "outcomes": counts}))
    assert ("Nothing odd was found in the counts of answers." in lines) is said


@pytest.mark.parametrize(("texts", "few"), [(29, True), (30, False)])
def test_approximate_figures_of_few_texts_are_said_to_rest_on_few(texts, few):
    keys = {"checker": "calm", "average": "micro", "variant": "std", "metric": "match_score", "note": "approximate"}
    scores = typed_table([row([*keys, *FIGURE], **keys, value=0.7, low=0.5, high=0.9)])
    lines = concluded(made_report("violations", {"scores": scores}, counts={"texts": texts}))
    assert ("This figure rests on few texts: read the interval, not the value." in lines) is few


def test_a_tie_that_all_figures_share_is_told_once_before_them():
    report = karat.rag(EXAMPLES / "rag" / "answers.jsonl")
    same, *each = [line.replace("\u00a0", " ") for line in report.conclusion][:4]
    assert [line.split("; north is ahead by ")[1] for line in each] == [
        "50.0 pp (\u221223.5 to 85.0).",
        *["50.0 pp (\u221239.9 to 90.9)."] * 2,
    ]
    assert same == (
        "Neither model is shown to be better: north is ahead of south in all 3 figures, which may be chance on 4 questions; "
        "about 19 questions would probably show differences of these sizes."
    )


def test_figures_on_few_items_are_named_by_who_has_no_others():
    """Of two figures each, one of p's rests on few: that they are p's would say more than is known."""
    both = [Few(1, 4), Few(2, 4, ("p",)), Few(1, 4, ("p",))]
    words = conclusion._Words(made_report("reliability", {}))
    assert [words._few(fact) for fact in both] == [
        "1 of these 4 figures rests",
        "Figures of p rest",
        "The figure of p rests",
    ]


def scored_by(*scorers):
    keys = ["model", "ability", "noise_ratio", "scorer"]
    of = {"model": "m", "ability": "noise_robustness", "noise_ratio": 0.0, "metric": "accuracy"}
    rows = [
        row([*keys, *FIGURE], **of, value=0.5 + place / 100, low=0.4, high=0.6, scorer=one)
        for place, one in enumerate(scorers)
    ]
    scores = typed_table(rows)
    return concluded(made_report("rag", {"scores": scores}))


def test_of_several_scorers_the_one_whose_figures_are_told_is_named():
    told = [line for line in scored_by("strict", "document", "benchmark") if line.startswith("These figures use")]
    assert told == ["These figures use the scorer strict; the tables also have those of the other 2 scorers."]
    assert scored_by("strict", "document")[-1] == (
        "These figures use the scorer strict; the tables also have those of the scorer document."
    )
    assert not any("the scorer" in line for line in scored_by("strict"))


def test_of_several_variants_the_one_whose_figures_are_told_is_named_among_the_answers():
    report = karat.violations(EXAMPLES / "violations" / "truth.jsonl", EXAMPLES / "violations" / "careful.jsonl")
    answer, data = conclusion.answer_and_data(report)
    said = "These figures use the standard match (std); the tables also have those of the human-aligned match (ha)."
    assert (said in answer, said in data) == (True, False)


def test_of_three_with_the_same_figure_nobody_has_a_lead():
    lines = concluded(annotators(*((name, 0.8, 0.7, 0.9, 100, None) for name in "abc")))
    assert not any("lead" in line or "ahead" in line for line in lines)
    assert any(
        "a, b and c cannot be told apart, as 3 pairs are tested together; a and c differ by 0.0" in line
        for line in lines
    )


def test_variants_with_the_same_figures_stand_once(tmp_path):
    """Without categories, explanations and corrections both variants weigh overlap and rule alike."""
    text, span = "It is a paradigm, and it is blue.", {"start": 8, "end": 16, "rule": "jargon"}
    truth, checker = tmp_path / "truth.jsonl", tmp_path / "checker.jsonl"
    truth.write_text(json.dumps({"id": "1", "text": text, "violations": [span]}) + "\n")
    checker.write_text(json.dumps({"id": "1", "violations": [span]}) + "\n")
    report = karat.violations(truth, checker)
    said = "These figures use the standard match (std); those of the human-aligned match (ha) are the same."
    assert said in report.conclusion
    lines = str(report).splitlines()
    assert "Standard match (std) and Human-aligned match (ha)" in lines
    assert "Human-aligned match (ha)" not in lines


def test_sentences_on_the_data_have_a_label_of_their_own():
    report = karat.reliability(EXAMPLES / "reliability" / "votes.json")
    page = report_page([report])
    answer, data = page.index("<dt>The answer</dt>"), page.index("<dt>The data</dt>")
    assert (
        answer
        < page.index("<li>ana agrees with the reference")
        < page.index("<li>No annotator is shown to be best: ana, ben")
        < data
    )
    page = page.replace("\u00a0", " ")
    data = page.index("<dt>The data</dt>")
    about = [line for line in report.conclusion if page.index(f"<li>{line}</li>".replace("\u00a0", " ")) > data]
    assert about == [
        "dev has only 8 choices; the median annotator has 20.",
        "cleo left out 1 of 20 choices: the figures rest on the other 19 choices.",
        "These figures rest on few items: read the interval, not the value.",
    ]


def test_what_is_wrong_with_the_data_is_labelled_wherever_a_report_is_read():
    report = karat.reliability(EXAMPLES / "reliability" / "votes.json")
    data = (
        "dev has only 8 choices; the median annotator has 20. cleo left out 1 of 20 choices: the figures "
        "rest on the other 19 choices. These figures rest on few items: read the interval, not the value."
    )
    assert f"\nData: {data}\nNext: " in report_text(report, width=1_000).replace("\u00a0", " ")
    assert f"\n\n**Data:** {data}\n\n**Next:** " in report_markdown(report).replace("\u00a0", " ")


def test_a_card_labels_what_people_share_as_data():
    card = karat.card(EXAMPLES / "card" / "labels.csv", judges=["steady", "hasty"], draw="draw")
    _, data = answer_and_data(card)
    drawn = pl.read_csv(EXAMPLES / "card" / "labels.csv").filter(pl.col("annotator").is_in(["hasty", "steady"]))
    same = (
        drawn.group_by("annotator", "item")
        .agg(pl.col("label").n_unique() == 1)
        .group_by("annotator")
        .agg(pl.col("label").mean())
    )
    each = " and ".join(f"{name} in {100 * share:.1f}\u00a0%" for name, share in same.sort("annotator").iter_rows())
    assert data == [
        (
            "Each of the 5 people shares 65 to 81 of the 90 items with another person, enough for the test, which needs "
            f"30. Asked again about an item, judges gave the same label: {each}; agreement, the test and examples use "
            "the first answer only."
        )
    ]
