"""Gates on the difference of two runs, judged on reports made by hand."""

import pytest

from adjudge.estimate import Caveat
from adjudge.gates.gate import Gate, gate_results, parse_gates
from adjudge.report import GateResult, typed_table
from adjudge.spec import MetricSpec
from made_reports import made_report

KNOWN = {
    "accuracy": MetricSpec("Accuracy", "", better="high"),
    "missing": MetricSpec("Missing", "", better="low"),
    "position": MetricSpec("Position", ""),
    "score": MetricSpec("Score", "", better="high", percent=False),
}


def not_worse(metric, margin, better, keys=None, unit=""):
    return Gate(metric, margin, keys or {}, "fail_if_worse", unit, better)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("accuracy", not_worse("accuracy", 0, "high", unit=" pp")),
        ("accuracy:0.02", not_worse("accuracy", 0.02, "high", unit=" pp")),
        ("missing:1", not_worse("missing", 1, "low", unit=" pp")),
        ("accuracy[judge=north]", not_worse("accuracy", 0, "high", {"judge": "north"}, unit=" pp")),
        ("accuracy[judge=a:b,criterion=safety]:.5", not_worse("accuracy", 0.5, "high", {"judge": "a:b", "criterion": "safety"}, unit=" pp")),
        ("score:0.02", not_worse("score", 0.02, "high")),
        ('accuracy[judge="a,b]:1"]:0.02', not_worse("accuracy", 0.02, "high", {"judge": "a,b]:1"}, unit=" pp")),
    ],
)  # fmt: skip
def test_a_gate_is_a_metric_its_keys_and_a_margin(text, expected):
    assert parse_gates([text], KNOWN, "fail_if_worse") == [expected]


def row(value, low=None, high=None, *, p=None, p_adjusted=None, metric="accuracy", note=None, reason=None, **keys):
    """A row of the table `comparison`."""
    named = {"first": "week1", "second": "week2", "judge": "north", **keys}
    figure = {"value": value, "low": low, "high": high, "n": 60, "method": None, "reason": reason, "caveat": note}
    tested = {"p": p, "p_adjusted": p if p_adjusted is None else p_adjusted, "first_value": None, "second_value": None}
    return {**named, "metric": metric, **figure, **tested}


def judged(rows, *gates, evaluation="reliability"):
    return gate_results(made_report(evaluation, {"comparison": typed_table(rows)}), gates)


@pytest.mark.parametrize("better", ["high", "low"])
@pytest.mark.parametrize(
    ("gain", "p", "passed"), [(-0.08, 0.049, False), (-0.08, 0.05, True), (0.08, 0.001, True), (0.0, 1.0, True)]
)
def test_without_a_margin_a_gate_fails_where_the_table_says_worse_and_significant(better, gain, p, passed):
    value = gain if better == "high" else -gain
    found = row(value, value - 0.1, value + 0.1, p=0.001, p_adjusted=p)
    (one,) = judged([found], not_worse("accuracy", 0, better))
    assert one.passed is passed


@pytest.mark.parametrize("better", ["high", "low"])
@pytest.mark.parametrize(
    ("low", "high", "passed"), [(-0.12, -0.04, True), (-0.12, -0.0401, False), (-0.12, 0.0, True), (0.05, 0.12, True)]
)
def test_with_a_margin_a_gate_fails_where_the_whole_interval_lies_beyond_it_on_the_bad_side(better, low, high, passed):
    interval = (low, high) if better == "high" else (-high, -low)
    (one,) = judged([row(sum(interval) / 2, *interval, p=0.001)], not_worse("accuracy", 0.04, better))
    assert one.passed is passed


def test_the_p_of_a_margin_is_that_of_a_normal_distribution_with_the_same_limit():
    """A standard error of .01: 3 of them below the margin. P(|Z| > 3) = .0027, as in any table."""
    (one,) = judged([row(-0.05, -0.05 - 0.0196, -0.05 + 0.0196, p=1e-6)], not_worse("accuracy", 0.02, "high"))
    assert one.finding == "week2 minus week1 is −0.050 [−0.070, −0.030], adjusted p = .003"


def test_the_level_is_the_report_s():
    found = row(-0.08, -0.12, -0.04, p=0.03)
    report = made_report("reliability", {"comparison": typed_table([found])}, options={"ci_level": 0.99})
    (one,) = gate_results(report, [not_worse("accuracy", 0, "high")])
    assert one.passed


def test_several_gates_share_the_level_by_holm():
    """By hand: .02 is the smaller of two, so twice that lies below .05; .04 stands alone then; of three .02 is .06."""
    rows = [row(-0.1, -0.2, -0.01, p=0.02), row(0.1, 0.01, 0.2, metric="missing", p=0.04)]
    gates = [not_worse("accuracy", 0, "high"), not_worse("missing", 0, "low")]
    assert [one.passed for one in judged(rows, *gates)] == [False, False]
    rows.append(row(-0.1, -0.2, 0.1, metric="kappa", p=0.3))
    found = judged(rows, *gates, not_worse("kappa", 0, "high"))
    assert [one.passed for one in found] == [True, True, True]
    assert [one.finding.partition("adjusted p ")[2] for one in found] == ["= .06", "= .08", "= .3"]
    assert [one.passed for one in judged(rows, gates[0])] == [False]


def test_a_gate_follows_the_table_s_adjusted_p_where_that_is_greater():
    (one,) = judged([row(-0.1, -0.2, -0.01, p=0.02, p_adjusted=0.12)], not_worse("accuracy", 0, "high"))
    assert (one.passed, one.finding) == (True, "week2 minus week1 is −0.100 [−0.200, −0.010], adjusted p = .12")
    (one,) = judged([row(-0.1, -0.12, -0.08, p=1e-9, p_adjusted=0.12)], not_worse("accuracy", 0.01, "high"))
    assert one.passed


def test_a_failure_names_the_rows_keys_the_runs_the_interval_and_p():
    rows = [
        row(-0.081, -0.12, -0.042, p=0.00123456, criterion="average"),
        row(-0.3, -0.4, -0.2, p=1e-8, criterion="safety"),
    ]
    (one,) = judged(rows, not_worse("accuracy", 0, "high"), evaluation="preferences")
    assert str(one) == (
        "FAIL (judge north, average): accuracy must not fall; "
        "week2 minus week1 is −0.081 [−0.120, −0.042], adjusted p = .001"
    )
    (one,) = judged(rows, not_worse("accuracy", 0.02, "high", {"criterion": "safety"}), evaluation="preferences")
    assert one.subject == "judge north, criterion safety"
    (one,) = judged([row(0.1, 0.05, 0.15, metric="missing", p=0.01)], not_worse("missing", 0, "low"))
    assert str(one).startswith("FAIL (judge north): missing must not rise; week2 minus week1 is 0.100")
    (one,) = judged([row(0.1, 0.05, 0.15, p=0.01)], not_worse("accuracy", 0, "high"))
    assert one.finding == "week2 minus week1 is 0.100 [0.050, 0.150]"


def test_differences_of_shares_are_told_in_percentage_points():
    figures = [row(-0.137, -0.212, -0.061, p=0.003)]
    (one,) = judged(figures, not_worse("accuracy", 0.02, "high", unit=" pp"))
    assert one.gate == "accuracy must not fall by more than 2 pp"
    assert one.finding.startswith("week2 minus week1 is −13.7 pp [−21.2, −6.1], adjusted p ")
    (one,) = judged([row(-0.08, -0.12, -0.02004, p=1e-4)], not_worse("accuracy", 0.02, "high", unit=" pp"))
    assert one.finding.startswith("week2 minus week1 is −8.0 pp [−12.0, −2.004]")
    (one,) = judged([row(0.0, note=Caveat.NO_VARIATION)], not_worse("accuracy", 0.02, "high", unit=" pp"))
    assert one.finding == "week2 minus week1 is 0.0 pp without an interval, no variation"


@pytest.mark.parametrize(
    ("figure", "passed", "said"),
    [
        (row(None, reason="no item in common"), False, "undefined, no item in common"),
        (row(0.0, note=Caveat.NO_VARIATION), True, "0.000 without an interval, no variation"),
        (row(0.1, note=Caveat.NO_VARIATION), False, "0.100 without an interval, no variation"),
        (row(0.0, note=Caveat.ONE_CLUSTER), False, "0.000 without an interval, one cluster"),
        (row(0.0), False, "0.000 without an interval"),
    ],
)
def test_a_difference_that_nothing_is_known_of_fails_but_not_one_of_runs_that_are_alike(figure, passed, said):
    (one,) = judged([figure], not_worse("accuracy", 0.2, "high"))
    assert one == GateResult(
        "accuracy must not fall by more than 0.2", "judge north", f"week2 minus week1 is {said}", passed
    )


def test_baselines_are_read_by_name_only_and_runs_may_be_called_so():
    rows = [
        row(-0.3, -0.4, -0.2, p=0.01, judge=judge, first="baseline:old") for judge in ("north", "baseline:majority")
    ]
    (one,) = judged(rows, not_worse("accuracy", 0, "high"), evaluation="preferences")
    assert one.subject == "judge north"
    (one,) = judged(rows, not_worse("accuracy", 0, "high", {"judge": "baseline:majority"}), evaluation="preferences")
    assert one.subject == "judge baseline:majority"


def test_several_pairs_of_runs_are_told_apart_and_can_be_picked():
    rows = [row(-0.1, -0.2, 0.0, p=0.05, second=second) for second in ("week2", "week3")]
    subjects = [one.subject for one in judged(rows, not_worse("accuracy", 0, "high"))]
    assert subjects == ["judge north", "judge north"]
    (one,) = judged(rows, not_worse("accuracy", 0, "high", {"second": "week3"}))
    assert one.subject == "judge north"
    assert one.finding == "week3 minus week1 is −0.100 [−0.200, 0.000], adjusted p = .05"
