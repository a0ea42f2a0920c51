"""What reports open with that are about several runs, about rules, or about judges without a reference."""

import polars as pl
import pytest

from karat.evaluations import evaluation, view_of
from karat.figures.conclusions import facts
from karat.figures.next_steps import Do, next_steps
from karat.figures.steps import Paired, steps_of
from karat.report import FIGURE, typed_table
from made_reports import concluded, made_report


def figure(keys, metric, value, limits=None, **further):
    low, high = limits or (None, None)
    return dict.fromkeys([*keys, *FIGURE]) | {**keys, "metric": metric, "value": value, "low": low, "high": high, "n": 100, **further}  # fmt: skip


def history(*steps, few=()):
    """A report on runs: run, annotator and reliability, whose interval goes 0.05 either way. few: run, annotator."""
    rows = [
        figure(
            {"run": run, "time": run, "annotator": who}, "reliability", value, (value - 0.05, value + 0.05),
            note="few_items" if few == (run, who) else None,
        )
        for run, who, value in steps
    ]  # fmt: skip
    table = typed_table(rows)
    paired = Paired({}, view_of("reliability"), ["reliability"], 0.95)
    steps = steps_of(table, evaluation("reliability"), None, paired)
    return made_report("reliability", {"history": table, "steps": steps})


def test_a_history_opens_with_what_moved_and_with_the_last_run():
    """0.2 with limits hypot(0.05, 0.05) away: z = 1.96 * 0.2 / 0.0707 = 5.54. Both annotators have a single step."""
    lines = concluded(history(("r1", "ana", 0.6), ("r1", "ben", 0.7), ("r2", "ana", 0.8), ("r2", "ben", 0.71)))
    assert lines == (
        "Reliability of ana rises from r1 to r2 by 20.0\u00a0pp (12.9 to 27.1), adjusted p < .001.",
        "Run r2: ana agrees with the reference on 80.0\u00a0% (75.0 to 85.0) of choices and ben on 71.0\u00a0% (66.0 to 76.0).",
        "Who is best in one run is not tested here; see the report of that run.",
        "All 2 annotators have figures for all 2 runs.",
    )


def test_a_history_opens_with_who_lacks_runs_and_with_what_rests_on_few_items():
    """Of three runs ben has two and cy the first alone; of the two figures of the last run ana's rests on few items."""
    steps = (("r1", "ana", 0.6), ("r1", "ben", 0.6), ("r1", "cy", 0.6), ("r2", "ana", 0.6), ("r3", "ana", 0.6))
    lines = concluded(history(*steps, ("r3", "ben", 0.6), few=("r3", "ana")))
    assert lines[3] == "The figure of ana rests on few items: read the interval, not the value."
    assert lines[-1] == "Not every annotator has figures for all 3 runs: cy has them for 1 and ben for 2."


def test_steps_are_adjusted_together_and_the_first_run_is_beside_the_last():
    """Steps of 0.05 have z = 1.96 * 0.05 / 0.0707 = 1.386, p = .17; all three together 0.1: p = .0056, times 3 is .017."""
    lines = concluded(history(("r1", "ana", 0.6), ("r2", "ana", 0.65), ("r3", "ana", 0.7)))
    assert (lines[0], *lines[2:]) == (
        "Reliability of ana rises from r1 to r3 by 10.0\u00a0pp (2.9 to 17.1), adjusted p = .02.",
        "ana has figures for all 3 runs.",
    )


def test_a_history_by_groups_names_the_group_of_what_moved_and_of_what_came_nearest_to_it():
    """As above: a step of 0.2 has p < .001, one of 0.05 p = .17."""
    moved = concluded(of_weeks(w1=(0.6, 0.8), w2=(0.6, 0.61)))
    assert moved[0] == (
        "Week w1: reliability of ana rises from r1 to r2 by 20.0\u00a0pp (12.9 to 27.1), adjusted p < .001."
    )
    nearest = concluded(of_weeks(w1=(0.6, 0.65), w2=(0.6, 0.61)))
    assert nearest[0].startswith(
        "No change is shown to be beyond chance: 2 were tested from run to run and from the first to the last. The one that came closest: "
        "reliability of ana (week w1), from r1 to r2: +5.0"
    )


def of_weeks(**weeks):
    """A history of two runs, with the reliability of ana in each week and run."""
    rows = [
        figure({"run": run, "time": run, "week": week, "annotator": "ana"}, "reliability", value, (value - 0.05, value + 0.05))
        for week, values in weeks.items()
        for run, value in zip(("r1", "r2"), values, strict=True)
    ]  # fmt: skip
    table = typed_table(rows)
    paired = Paired({}, view_of("reliability"), ["reliability"], 0.95)
    steps = steps_of(table, evaluation("reliability"), None, paired)
    return made_report("reliability", {"history": table, "steps": steps})


def test_a_history_in_which_nothing_moved_says_what_came_nearest_to_it():
    lines = concluded(history(("r1", "ana", 0.6), ("r2", "ana", 0.65), ("r3", "ana", 0.64)))
    assert lines[0] == (
        "No change is shown to be beyond chance: 3 were tested from run to run and from the first to the last. The one that came closest: "
        "reliability of ana, from r1 to r2: +5.0\u00a0pp (\u22122.1 to 12.1); in 3 tests a change of this size may be chance (adjusted p = .50)."
    )
    many = [(run, f"a{place}", 0.6 + gain) for place in range(9) for run, gain in (("r1", 0), ("r2", place % 2 / 50))]
    (first, *_) = concluded(history(("r1", "ana", 0.6), *many, ("r2", "ana", 0.65)))
    assert "reliability of ana, from r1 to r2: +5.0\u00a0pp" in first, "all adjusted p are 1, her own is the least"
    line, *_ = concluded(history(("r1", "ana", 0.6), ("r2", "ana", 0.65)))
    assert line.startswith("100 items do not tell whether reliability of ana changed from r1 to r2: 5.0")


@pytest.mark.parametrize(
    ("alone", "told"),
    [
        (5, "95 items stand in both runs, and are compared; 5 more in a alone, 0 in b alone."),
        (4, None),
        (0, "Both runs, a and b, hold the same 95 items."),
    ],
)
def test_items_of_one_run_alone_are_told_from_one_in_twenty_and_that_there_are_none(alone, told):
    rows = [("a", "b", "both", 95), ("a", "b", "only_first", alone), ("a", "b", "only_second", 0)]
    items = pl.DataFrame(rows, schema=["first", "second", "outcome", "count"], orient="row")
    keys = {"first": "a", "second": "b", "judge": "ana"}
    compared = figure(keys, "reliability", 0.0, (-0.1, 0.1), p=1.0, p_adjusted=1.0, first_value=0.5, second_value=0.5)
    lines = concluded(made_report("reliability", {"comparison": typed_table([compared]), "items": items}))
    assert [line for line in lines if "95 items" in line] == [told] * (told is not None)


def test_the_smallest_p_of_several_comparisons_stands_first():
    rows = [
        figure(
            {"first": "a", "second": "b", "judge": who}, "reliability", 0.1, (0, 0.2),
            p=p, p_adjusted=p, first_value=0.5, second_value=0.6,
        )
        for who, p in (("ana", None), ("ben", 0.3), ("cy", 0.001))
    ]  # fmt: skip
    lines = concluded(made_report("reliability", {"comparison": typed_table(rows)}))
    assert ["cy" in lines[0], "ben" in lines[1], "ana" in lines[2]] == [True] * 3


def of_criteria(judge="north", **changes):
    """Two runs of a system, with the change of accuracy in each criterion, and its adjusted p."""
    rows = [
        changed({"judge": judge, "criterion": criterion}, "accuracy", value, p)
        for criterion, (value, p) in changes.items()
    ]
    return concluded(made_report("preferences", {"comparison": typed_table(rows)}))


def changed(keys, metric, value, p):
    """A row of a comparison: a difference whose interval goes 0.1 either way, with its adjusted p."""
    keys = {"first": "old", "second": "new", **keys}
    limits, values = (value - 0.1, value + 0.1), {"first_value": 0.5, "second_value": 0.5 + value}
    return figure(keys, metric, value, limits, p=p / 4, p_adjusted=p, **values)


def test_a_comparison_by_groups_names_the_group_of_each_difference():
    """The difference of w2 is not told from 0, though its own interval leaves out 0."""
    rows = [
        changed({"judge": "ana", "week": week}, "reliability", value, p)
        for week, value, p in (("w1", 0.3, 0.001), ("w2", 0.15, 0.2), ("w3", 0.01, 1.0))
    ]
    lines = concluded(made_report("reliability", {"comparison": typed_table(rows)}))
    rises = "Week w1: reliability of ana rises from old to new by 30.0\u00a0pp (20.0 to 40.0), adjusted p = .001."
    untold = "Week {}: 100 items do not tell whether reliability of ana changed from old to new: {}"
    assert lines[0] == rises
    assert lines[1].startswith(untold.format("w2", "15.0\u00a0pp (5.0 to 25.0), adjusted p = .20; about"))
    assert lines[2].startswith(untold.format("w3", "1.0\u00a0pp (\u22129.0 to 11.0); about"))


@pytest.mark.parametrize("judge", ["north", "average"])
def test_a_comparison_names_the_criteria_that_changed_behind_the_mean_whatever_the_system_is_called(judge):
    """Of four tests the smallest needs z = 2.498, and 80 % power 0.842 more, with an error of 0.1 / 1.96 = 0.0510 on 100
    items: (3.340 * 0.0510 / 0.03)^2 * 100 = 3,226.
    """
    changes = {"tone": (0.01, 1.0), "safety": (-0.3, 0.001), "overall_quality": (0.2, 0.02), "average": (-0.03, 0.6)}
    lines = of_criteria(judge, **changes)
    assert lines[0].endswith("; about 3,300 items would probably show a difference of this size.")
    assert lines[0].startswith(f"100 items do not tell whether accuracy of {judge} changed from old to new: \u22123.0")
    assert lines[1] == (
        "By criterion: safety falls by 30.0\u00a0pp (20.0 to 40.0), adjusted p = .001; overall quality rises by "
        "20.0\u00a0pp (10.0 to 30.0), adjusted p = .02; no change is shown in the other\u00a01."
    )


@pytest.mark.parametrize(
    "changes",
    [
        {"tone": (0.1, 0.5), "safety": (-0.1, 0.05), "average": (0.0, 1.0)},
        {"safety": (-0.3, 0.001), "average": (-0.3, 0.001)},
    ],
)
def test_a_comparison_names_no_criterion_where_none_changed_or_where_there_is_one_alone(changes):
    assert not any(line.startswith("By criterion") for line in of_criteria(**changes))


def test_published_systems_have_points_and_nothing_tests_them():
    rows = [
        figure({"system": name}, "borda", points, note="published") for name, points in (("z", 0.0), ("x", 2.5), ("y", 2.5))
    ]  # fmt: skip
    assert concluded(made_report("preferences", {"ranks": typed_table(rows)})) == (
        "x has 2.5 Borda points, y 2.5 and z 0.",
        "x and y are level. Only published values are known: nothing tells which differences are chance.",
    )


def test_annotators_of_violations_are_spoken_of_in_pairs():
    rows = [
        figure({"checker": one, "reference": other, "variant": "std"}, "f1", value, (value - 0.1, value + 0.1))
        for one, other, value in [("a", "b", 0.5), ("a", "c", 0.8), ("b", "a", 0.5), ("b", "c", 0.6), ("c", "a", 0.8), ("c", "b", 0.6)]
    ]  # fmt: skip
    assert concluded(made_report("violations", {"annotators": typed_table(rows)})) == (
        "a and c match with an F1 of 0.80 (0.70 to 0.90), the best of 3 pairs; a and b with 0.50 (0.40 to 0.60), the worst.",
    )
    two = [row for row in rows if {row["checker"], row["reference"]} == {"a", "b"}]
    assert concluded(made_report("violations", {"annotators": typed_table(two)})) == (
        "a and b match with an F1 of 0.50 (0.40 to 0.60).",
    )


def test_a_calibration_opens_with_whether_it_beats_the_others():
    rules = [
        figure({"rule": rule}, "accuracy", value, (value - 0.1, value + 0.1))
        for rule, value in (("calibrated", 0.8), ("default", 0.75), ("majority", 0.5))
    ]
    against = [
        figure(
            {"first": rule, "second": "calibrated"}, "accuracy", value, (value - 0.1, value + 0.1),
            p=p, p_adjusted=p, first_value=0.8 - value, second_value=0.8, left_out=0,
        )
        for rule, value, p in (("default", 0.05, 0.4), ("majority", 0.3, 0.001))
    ]  # fmt: skip
    lines = concluded(
        made_report("violations", {"calibration": typed_table(rules), "differences": typed_table(against)})
    )
    assert lines[0].startswith("calibrated gives people's answer in 80.0")
    assert lines[1] == "calibrated is better than majority by 30.0\u00a0pp (20.0 to 40.0), adjusted p = .001."
    assert lines[2].startswith("calibrated is ahead of default, but not shown to be better: 5.0")


def test_the_scorer_nearest_to_people_is_named_with_its_errors():
    keys = {"model": "all models", "verdict": "correct"}
    card = [
        figure({**keys, "scorer": scorer}, metric, value)
        for scorer, values in (("strict", (0.8, 0.1, 0.3)), ("document", (0.9, 0.05, None)))
        for metric, value in zip(("agreement", "false_right", "false_wrong"), values, strict=True)
    ]
    score = figure(
        {"model": "north", "ability": "question_answering", "noise_ratio": 0.0, "scorer": "strict"}, "accuracy", 0.5
    )
    lines = concluded(made_report("rag", {"scores": typed_table([score]), "card": typed_table(card)}))
    assert lines[1] == (
        "Of 2 scorers, document agrees most with people on what is correct, in 90.0\u00a0% of 100 answers; "
        "it says yes in 5.0\u00a0% of answers where they say no."
    )


def test_what_people_would_say_of_all_answers_is_told_where_it_is_known():
    keys = {"model": "all models", "verdict": "correct", "scorer": "strict"}
    shares = {"agreement": 0.9, "false_right": 0.1, "false_wrong": None, "scorer_rate": 0.55, "corrected_rate": 0.5}
    score = figure(
        {"model": "north", "ability": "question_answering", "noise_ratio": 0.0, "scorer": "strict"}, "accuracy", 0.5
    )

    def told(without=None):
        card = [figure(keys, name, None if name == without else value) for name, value in shares.items()]
        return " ".join(concluded(made_report("rag", {"scores": typed_table([score]), "card": typed_table(card)})))

    said = "It says yes to 55.0\u00a0% of all answers; people would say yes to 50.0\u00a0%, by the corrected rate."
    assert said in told()
    assert "corrected" not in told(without="corrected_rate")


@pytest.mark.parametrize(("told", "advised"), [("strict", True), ("document", False)])
def test_a_scorer_is_advised_only_where_the_figures_are_by_another(told, advised):
    keys = {"model": "all models", "verdict": "correct"}
    card = [
        figure({**keys, "scorer": scorer}, metric, value)
        for scorer, value in (("strict", 0.8), ("document", 0.9))
        for metric in ("agreement", "false_right", "false_wrong")
    ]
    key = {"model": "north", "ability": "question_answering", "noise_ratio": 0.0, "scorer": told}
    tables = {"scores": typed_table([figure(key, "accuracy", 0.5)]), "card": typed_table(card)}
    report = made_report("rag", tables)
    steps = next_steps(report, list(facts(report)))
    assert any(step.do is Do.SCORER for step in steps) is advised


@pytest.mark.parametrize(
    ("names", "listed"),
    [
        (["labels", "level"], "labels and level"),
        (
            ["labels", "level", "exact_labels", "population", "variant", "stem"],
            "labels, level, exact labels, population and 2 more",
        ),
    ],
)
def test_of_many_settings_in_which_runs_differ_the_first_are_named_and_the_others_counted(names, listed):
    settings = typed_table([{"setting": name, "run": run, "chosen": run} for name in names for run in ("r1", "r2")])
    report = history(("r1", "ana", 0.6), ("r2", "ana", 0.8))
    report = made_report("reliability", {**report.tables, "settings": settings})
    (said,) = [line for line in concluded(report) if "different settings" in line]
    assert said == f"The runs were scored with different settings ({listed}): a figure may have changed for that alone."
