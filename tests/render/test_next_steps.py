"""What is to be done next, against tables made by hand; the examples' own steps stand in test_conclusion.py."""

from dataclasses import replace

import polars as pl
import pytest

from adjudge.metrics.conclusions import facts
from adjudge.metrics.next_steps import Action, next_steps
from adjudge.render.next_steps import what_next
from adjudge.report import ESTIMATE_COLUMNS, GateResult, typed_table
from made_conclusions import TESTED, row, systems, with_tests
from made_reports import made_report


def steps(report):
    """What is to be done: with whom, and with how many items."""
    found = next_steps(report, list(facts(report)))
    return [(step.action, *filter(None, (step.judge, step.other, step.count))) for step in found]


def few(report, name):
    """The report, with few labels of a system."""
    rows = [one | {"caveat": "few_items" if one["system"] == name else None} for one in report["scores"].to_dicts()]
    scores = typed_table(rows, report["scores"].columns)
    return replace(report, tables={**report.tables, "scores": scores})


BOTH = ("north", 0.8), ("south", 0.5)
BETTER = ("south", "north", 0.3, 0.2, 0.4, 0.001, 0.5)


@pytest.mark.parametrize(
    ("apart", "step"), [(0.05, (Action.ADD, "north", "south", 530)), (0.005, (Action.OTHERWISE, "north", "south"))]
)
def test_more_items_are_asked_for_where_they_are_within_reach(apart, step):
    """The standard error is .08 / 1.96: 2.8016 times it is .1143; over .05, squared, 523 items, and over .005, 52,300."""
    between = ("south", "north", apart, apart - 0.08, apart + 0.08, 0.3, 0.75)
    assert steps(systems(("north", 0.75 + apart), ("south", 0.75), differences=[between]))[0][: len(step)] == step


@pytest.mark.parametrize(
    ("majority", "step"),
    [
        ((0.2, 0.1, 0.3, 0.001, 0.6), (Action.TAKE, "north")),
        ((0.0, -0.1, 0.1, 1.0, 0.8), (Action.BEAT, "north", "baseline:majority")),
    ],
)
def test_a_system_is_taken_that_is_better_than_all_others_and_than_the_best_baseline(majority, step):
    assert steps(systems(*BOTH, differences=[BETTER, ("baseline:majority", "north", *majority)])) == [step]


def test_a_system_is_not_taken_while_one_with_few_labels_is_ahead_of_it():
    """Of six, north is told from the four that follow, and not from the one that has few labels and a higher value."""
    others = [(name, 0.5) for name in "edcb"]
    found = [(name, "north", 0.4, 0.3, 0.5, 0.001, 0.5) for name, _ in others]
    ahead = ("north", "few", 0.05, -0.2, 0.2, 1.0, 0.9)
    report = systems(("few", 0.95), ("north", 0.9), *others, differences=[*found, ahead])
    assert (Action.TAKE, "north") not in steps(few(report, "few"))
    assert steps(systems(("north", 0.9), *others, differences=found)) == [(Action.TAKE, "north")]


def test_more_items_tell_the_first_two_apart_whoever_is_ahead_by_few_labels():
    found = [("south", "north", 0.05, -0.03, 0.13, 0.3, 0.75)]
    found += [(low, high, 0.3, 0.2, 0.4, 0.001, 0.5) for low in ("c", "d") for high in ("north", "south")]
    report = systems(("few", 0.95), ("north", 0.8), ("south", 0.75), ("c", 0.5), ("d", 0.5), differences=found)
    assert (Action.ADD, "north", "south") in [step[:3] for step in steps(few(report, "few"))]


def three(**ahead):
    """Systems: north, middle and south. ahead: of each two, such as north_south, by how much, and p."""
    values = {"north": 0.8, "middle": 0.7, "south": 0.6}
    compared = [(pair.split("_"), *found) for pair, found in ahead.items()]
    found = [(other, one, gap, gap - 0.08, gap + 0.08, p, values[other]) for (one, other), gap, p in compared]
    return systems(*values.items(), differences=found)


def test_a_system_that_is_told_from_some_others_alone_is_not_taken():
    """The smallest of three p: z is 2.394 + .8416 times .08 / 1.96 over .02, squared: 43.6 times the items there are."""
    found = {"north_south": (0.2, 0.001), "middle_south": (0.18, 0.001), "north_middle": (0.02, 0.6)}
    assert [step[:3] for step in steps(three(**found))] == [(Action.OTHERWISE, "north", "middle")]
    behind = {"north_south": (0.2, 0.001), "north_middle": (0.18, 0.001), "middle_south": (0.05, 0.3)}
    assert steps(three(**behind)) == [(Action.TAKE, "north")]


def test_fewer_items_than_there_are_are_never_asked_for():
    """The interval alone would tell them apart, but not the p, which is adjusted: 13 items would do, of 100."""
    between = ("south", "north", 0.2, 0.15, 0.25, 0.06, 0.6)
    assert steps(systems(("north", 0.8), ("south", 0.6), differences=[between])) == []


def test_where_low_is_good_the_lower_is_taken():
    report = three(north_south=(0.2, 0.001), middle_south=(0.1, 0.001), north_middle=(0.1, 0.001))
    lower = {**report.about.metrics, "accuracy": replace(report.about.metrics["accuracy"], better="low")}
    assert steps(replace(report, about=replace(report.about, metrics=lower)))[-1] == (Action.TAKE, "south")


def test_nothing_follows_from_differences_of_systems_without_a_value():
    report = three(north_south=(0.2, 0.001))
    nobody = report["scores"].with_columns(pl.lit(None, pl.Float64).alias(name) for name in ("value", "low", "high"))
    assert steps(replace(report, tables={**report.tables, "scores": nobody})) == []


def models(*figures, noise_ratio=0.0):
    """North beside south in two abilities. figures: of each by how much north is ahead, p, and the interval."""
    keys = ["model", "ability", "noise_ratio", "scorer"]
    scores, compared = [], []
    named = (("noise_robustness", "accuracy"), ("negative_rejection", "rejection_rate"))
    for (ability, metric), (gap, p, low, high) in zip(named, figures, strict=True):
        of = {"ability": ability, "noise_ratio": noise_ratio, "scorer": "strict", "metric": metric}
        for name, value in (("north", 0.5 + gap), ("south", 0.5)):
            scores.append(
                row([*keys, *ESTIMATE_COLUMNS], **of, model=name, value=value, low=value - 0.1, high=value + 0.1)
            )
        sides = {
            "compared": "models",
            "first": "south",
            "second": "north",
            "p": p,
            "p_adjusted": p,
        }
        found = {**of, **sides, "value": gap, "low": low, "high": high}
        compared += with_tests([row(["compared", *keys, "first", "second", *TESTED], **found)])
    return made_report("rag", {"scores": typed_table(scores), "differences": typed_table(compared)})


@pytest.mark.parametrize(
    ("second", "noise_ratio", "step"),
    [
        ((0.1, 0.2, -0.1, 0.3), 0.0, (Action.ADD, "north", "south", 820)),
        ((0.3, 0.001, 0.2, 0.4), 0.4, (Action.TAKE, "north")),
        ((0.3, 0.001, 0.2, 0.4), None, (Action.TAKE, "north")),
    ],
)
def test_one_that_is_better_in_both_metrics_is_taken(second, noise_ratio, step):
    """In the first metric north is better. 2.8016 * .2 / 1.96 over .1, squared: 8.17 times the items there are."""
    assert steps(models((0.4, 0.001, 0.3, 0.5), second, noise_ratio=noise_ratio)) == [step]


def test_nobody_is_taken_where_metrics_disagree_and_a_file_that_says_nothing_is_looked_at():
    keys, of = ["checker", "variant", "average"], {"variant": "ha", "average": "micro"}
    scores, compared = [], []
    for metric, gap in (("match_score", 0.3), ("f1", -0.3)):
        for name, value in (("careful", 0.5 + gap), ("eager", 0.5)):
            limits = {"low": value - 0.1, "high": value + 0.1}
            scores.append(row([*keys, *ESTIMATE_COLUMNS], **of, checker=name, metric=metric, value=value, **limits))
        found = {
            "value": gap,
            "low": gap - 0.1,
            "high": gap + 0.1,
            "p": 0.001,
            "p_adjusted": 0.001,
            "tests": 2,
            "needed": None,
        }
        sides = {"first": "eager", "second": "careful"}
        compared.append(row([*keys[1:], *sides, *TESTED], **of, **sides, metric=metric, **found))
    tables = {"scores": typed_table(scores), "differences": typed_table(compared)}
    assert steps(made_report("violations", tables)) == []
    marked = {
        ("careful", "precision"): 30,
        ("careful", "recall"): 30,
        ("eager", "precision"): 0,
        ("eager", "recall"): 30,
    }
    by_rule = [
        row(
            ["checker", "variant", "rule", *ESTIMATE_COLUMNS],
            checker=name,
            variant="ha",
            rule="praise",
            metric=metric,
            n=n,
        )
        for (name, metric), n in marked.items()
    ]
    first, *others = steps(made_report("violations", {**tables, "by_rule": typed_table(by_rule)}))
    assert (first[:2], others) == ((Action.CHECK_FILE, "eager"), [])


def of_runs(evaluation, metric, *changes):
    """Later runs beside the run old. changes: the run, and by how much it differs."""
    names = ["first", "second", "judge", "criterion", "reference", *TESTED]
    of = {
        "first": "old",
        "judge": "north",
        "criterion": "safety",
        "metric": metric,
        "p": 0.001,
        "p_adjusted": 0.002,
        "tests": 2,
        "needed": None,
    }
    rows = [row(names, **of, second=run, value=one, low=one - 0.05, high=one + 0.05) for run, one in changes]
    keys = ["criterion"] if evaluation == "annotations" else ["reference"]
    return made_report(evaluation, {"comparison": typed_table(rows).drop(keys)})


@pytest.mark.parametrize(
    ("evaluation", "metric", "changes", "expected"),
    [
        ("preferences", "accuracy", [("new", -0.1)], [Action.READ_CHANGES]),
        ("preferences", "accuracy", [("new", 0.1)], [Action.TAKE]),
        ("preferences", "accuracy", [("new", 0.1), ("newest", 0.2)], []),
        ("annotations", "strength", [("new", -0.2)], []),  # nothing says whether that is good or bad
        ("annotations", "strength", [("new", 0.2)], []),
    ],
)
def test_a_run_that_is_worse_is_read_and_a_better_one_taken(evaluation, metric, changes, expected):
    assert [step[0] for step in steps(of_runs(evaluation, metric, *changes))] == expected


def test_a_judge_that_fails_a_gate_is_named_first():
    report = replace(systems(("north", 0.8)), advice=("Choose north.",))
    gates = [GateResult("", f"system {one}", "0.8", passed=one == "east") for one in ("east", "north")]
    one = what_next(replace(report, gates=gates))
    assert ("the gate fails for system north" in one, one.endswith("Choose north.")) == (True, True)
    assert "2 gates fail (first system north)" in what_next(replace(report, gates=[*gates, gates[1]]))
    assert "all gates pass" in what_next(replace(report, advice=(), gates=gates[:1]))
    assert what_next(replace(report, advice=())) == ""
