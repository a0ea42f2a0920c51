from dataclasses import replace

import pytest

from adjudge import OptionError
from adjudge.errors import GateError
from adjudge.estimate import Caveat
from adjudge.evaluations import declaration_of
from adjudge.gates.gate import Gate, gate_results, judge, parse_gates
from adjudge.report import GateResult, typed_table
from adjudge.spec import MetricSpec
from made_reports import made_report

KNOWN = {"kappa": MetricSpec("Kappa", "", better="high", percent=False)}


def gate(text):
    (found,) = parse_gates([text], KNOWN)
    return found


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("kappa=0.5", {}),
        ("kappa[annotator=a=b]=0.5", {"annotator": "a=b"}),
        ("kappa[annotator=x, my week=2]=0.5", {"annotator": "x", "my week": "2"}),
        ('kappa[annotator="a,b]c=d"]=0.5', {"annotator": "a,b]c=d"}),
        ('kappa[annotator="a,my week=1",my week="2"]=0.5', {"annotator": "a,my week=1", "my week": "2"}),
        ('kappa[annotator="say ""hi"""]=0.5', {"annotator": 'say "hi"'}),
        ('kappa[annotator=""]=0.5', {"annotator": ""}),
    ],
)
def test_a_key_s_value_is_what_stands_there_or_in_double_quotes(text, keys):
    assert gate(text) == Gate("kappa", 0.5, keys)
    assert gate(str(gate(text)).replace(" must be at least ", "=")) == gate(text)


@pytest.mark.parametrize(
    "text",
    ["kappa", "kappa=", "kappa=x", "kappa=nan", "kappa[annotator=]=1", "kappa[annotator=a,b]=1", "kappa[a]b]=1",
     'kappa[annotator="a]=1', 'kappa[annotator="a"b]=1', "kappa[annotator=x]", "[annotator=x]=1"],
)  # fmt: skip
def test_what_is_no_gate_is_refused(text):
    with pytest.raises(OptionError, match="expected METRIC=VALUE"):
        gate(text)


def test_a_misspelt_metric_is_found_before_anything_is_read(adjudge):
    status, printed, error = adjudge("annotations", "there-is-no-such-file", "--fail-under", "strenth=1")
    assert (status, printed) == (2, "")
    assert 'no metric "strenth"\n' in error


@pytest.mark.parametrize(
    ("evaluated", "option", "text", "said"),
    [
        ("reliability", "fail_under", "reliability=1.01", r"from 0 to 1 for reliability; got 1\.01"),
        ("reliability", "fail_over", "f1=90", "from 0 to 1 for f1; got 90"),
        ("annotations", "fail_under", "strength=-1.1", r"from -1 to 1 for strength; got -1\.1"),
        ("card", "fail_unless_noninferior", "agreement:5", "from 0 to 1 for agreement; got 5"),
        (
            "rag",
            "fail_if_worse",
            "rejection_rate:2",
            r"from 0 to 1 for rejection_rate; got 2\nfix:   fail_if_worse rejection_rate:0\.02",
        ),
    ],
)
def test_a_number_that_no_figure_can_have_or_change_by_is_refused(evaluated, option, text, said):
    with pytest.raises(OptionError, match=f"{option}: expected a number {said}"):
        parse_gates([text], declaration_of(evaluated).metrics, option)


def figure(value, low=None, high=None, note=None, reason=None, **keys):
    """A row of a table of figures of accuracy, with the keys before."""
    return {**keys, "metric": "accuracy", "value": value, "low": low, "high": high, "n": 10, "method": None, "reason": reason, "caveat": note}  # fmt: skip


def judged(rows, *gates, bound="estimate", evaluation="reliability", main="annotators"):
    report = made_report(evaluation, {main: typed_table(rows, numbers=["noise_ratio"])})
    return gate_results(report, [replace(gate, bound=bound) for gate in gates])


FIGURES = [
    figure(0.75, 0.7, 0.8, annotator="ana"),
    figure(0.6, 0.5, 0.7, annotator="ben"),
    figure(0.9, note=Caveat.ONE_CLUSTER, annotator="cleo"),
    figure(0.9, annotator="dev"),
    figure(None, reason="no items", annotator="eve"),
]


def test_a_gate_says_of_every_row_what_was_found_and_whether_it_is_enough():
    asked = "accuracy must be at least 0.75"
    below = "it is 0.750 [0.700, 0.800], so it may be below 0.75"
    assert judged(FIGURES, Gate("accuracy", 0.75)) == [
        GateResult(asked, "annotator ana", below, passed=True, uncertain=True),
        GateResult(asked, "annotator ben", "it is 0.600 [0.500, 0.700]", passed=False),
        GateResult(asked, "annotator cleo", "it is 0.900", passed=True),
        GateResult(asked, "annotator dev", "it is 0.900", passed=True),
        GateResult(asked, "annotator eve", "undefined, no items", passed=False),
    ]


def test_the_lower_bound_is_read_where_it_is_asked_for_and_a_figure_without_one_fails():
    asked = "the lower limit of accuracy must be at least 70%"
    assert judged(FIGURES, Gate("accuracy", 0.7, unit="%"), bound="worst") == [
        GateResult(asked, "annotator ana", "it is 70.0% (estimate 75.0%)", passed=True),
        GateResult(asked, "annotator ben", "it is 50.0% (estimate 60.0%)", passed=False),
        GateResult(asked, "annotator cleo", "90.0% without an interval, one cluster", passed=False),
        GateResult(asked, "annotator dev", "90.0% without an interval", passed=False),
        GateResult(asked, "annotator eve", "undefined, no items", passed=False),
    ]


def test_a_ceiling_fails_what_lies_above_it_and_reads_the_upper_bound():
    rows = [figure(0.2, annotator="ana"), figure(0.21, annotator="ben")]
    gate = Gate("accuracy", 0.2, option="fail_over", better="low")
    assert [(str(one), one.passed) for one in judged(rows, gate)] == [
        ("PASS (annotator ana): accuracy must be at most 0.2; it is 0.200", True),
        ("FAIL (annotator ben): accuracy must be at most 0.2; it is 0.210", False),
    ]
    (upper,) = judged([figure(0.1, low=0.05, high=0.3, annotator="ana")], gate, bound="worst")
    asked = "the upper limit of accuracy must be at most 0.2"
    assert str(upper) == f"FAIL (annotator ana): {asked}; it is 0.300 (estimate 0.100)"


def test_a_gate_that_would_fail_the_best_names_the_other_one():
    known = {"accuracy": MetricSpec("Accuracy", "", better="high"), "missing": MetricSpec("Missing", "", better="low")}
    with pytest.raises(OptionError, match="fail_under: missing is good when low, so this would fail the best"):
        parse_gates(["missing=0.1"], known)
    with pytest.raises(OptionError, match="fail_over: accuracy is good when high, so this would fail the best"):
        parse_gates(["accuracy=0.1"], known, "fail_over")
    assert parse_gates([], known) == []
    with pytest.raises(OptionError, match="position is good neither when high nor when low"):
        parse_gates(["position:0.1"], {"position": MetricSpec("Position", "")}, "fail_if_worse")


def test_a_figure_that_misses_by_less_than_what_is_shown_is_shown_with_more_decimals():
    (one,) = judged([figure(0.799999, annotator="ana")], Gate("accuracy", 0.8))
    assert one.finding == "it is 0.799999"
    (share,) = judged([figure(0.799999, annotator="ana")], Gate("accuracy", 0.8, unit="%"))
    assert str(share) == "FAIL (annotator ana): accuracy must be at least 80%; it is 79.9999%"
    (below,) = judged([figure(0.41255, annotator="ana")], Gate("accuracy", 0.4126))
    (above,) = judged([figure(0.7122, annotator="ana")], Gate("accuracy", 0.71215, unit="%"))
    assert (below.finding, above.finding) == ("it is 0.4125", "it is 71.22%")  # each on its own side of the limit


def test_a_number_among_the_keys_is_the_same_however_it_is_written():
    rows = [figure(0.5, ability="noise", noise_ratio=0.4), figure(0.7, ability="gaps", noise_ratio=None)]
    about = {"evaluation": "rag", "main": "scores"}
    for text in ("0.4", "0.40", ".4"):
        (one,) = judged(rows, Gate("accuracy", 0.6, {"noise_ratio": text}), **about)
        assert one.subject == "ability noise, noise ratio 0.4"
    assert [one.subject for one in judged(rows, Gate("accuracy", 0.6), **about)][1] == "ability gaps"
    with pytest.raises(OptionError, match=r"scores has no accuracy of noise_ratio .most.\nfound: 0\.4"):
        judged(rows, Gate("accuracy", 0.6, {"noise_ratio": "most"}), **about)


def test_pooled_rows_are_read_where_there_are_any_and_no_others_are_named():
    both = [figure(0.5, system="ours", criterion="safety"), figure(0.7, system="ours", criterion="average")]
    about = {"evaluation": "preferences", "main": "scores"}
    assert [one.finding for one in judged(both, Gate("accuracy", 0.6), **about)] == ["it is 0.700"]
    assert [one.finding for one in judged(both, Gate("accuracy", 0.6, {"criterion": "safety"}), **about)] == [
        "it is 0.500"
    ]
    assert [one.finding for one in judged(both[:1], Gate("accuracy", 0.6), **about)] == ["it is 0.500"]


def several(*gates, by=()):
    """Gates on a report of several tables of figures, of which two hold kappa, and two accuracy."""
    main, card = figure(0.5, model="north"), figure(0.9, model="north", verdict="correct")
    rows = {"scores": [main], "card": [card, {**card, "metric": "kappa"}], "agreement": [{**card, "metric": "kappa"}]}
    tables = {name: typed_table([{**dict.fromkeys(by, "x"), **row} for row in own]) for name, own in rows.items()}
    return gate_results(made_report("rag", tables | {"outcomes": typed_table([{"count": 3}])}), gates)


def test_a_gate_reads_the_main_table_first_then_the_only_other_one_that_answers_or_the_one_that_it_names():
    assert [one.finding for one in several(Gate("accuracy", 0.4))] == ["it is 0.500"]
    assert [one.finding for one in several(Gate("accuracy", 0.4, {"verdict": "correct"}))] == ["it is 0.900"]
    (named,) = several(Gate("kappa", 0.4, {"table": "card", "model": "north"}))
    assert (named.gate, named.subject) == (
        "kappa[table=card,model=north] must be at least 0.4",
        "model north, verdict correct",
    )
    in_data = several(Gate("accuracy", 0.4, {"table": "x"}), by=["table"])  # a column of the data
    assert [one.finding for one in in_data] == ["it is 0.500"]


@pytest.mark.parametrize(
    ("metric", "keys", "said"),
    [
        ("kappa", {"table": "cards"}, r"no table of estimates .cards.\nfound: scores, card"),
        ("kappa", {"table": "outcomes"}, "no table of estimates .outcomes."),
        ("kappa", {"table": "scores"}, r"table scores has no .kappa.\nfound: accuracy"),
        ("accuracy", {"verdict": "wrong"}, r"table scores has no key .verdict.\nfound: model"),
        ("kappa", {"model": "north"}, r"2 tables have kappa\[model=north\]\nfix:   fail_under kappa\[table=card,"),
        ("invented", {}, r"table scores has no .invented.\nfound: accuracy"),
    ],
)
def test_a_table_that_is_not_there_or_lacks_the_figure_is_refused(metric, keys, said):
    with pytest.raises(OptionError, match=said):
        several(Gate(metric, 0.4, keys))


def test_what_failed_is_told_a_line_each_and_nothing_where_nothing_did():
    rows = [figure(0.6, annotator="ben"), {**figure(0.3, annotator="ana"), "metric": "kappa"}]
    report = made_report("reliability", {"annotators": typed_table(rows)})
    judged, error = judge(report, [Gate("accuracy", 0.7, unit="%"), Gate("kappa", 0.2), Gate("kappa", 0.4)])
    assert isinstance(error, GateError)
    assert str(error) == (
        "FAIL (annotator ben): accuracy must be at least 70%; it is 60.0%\n"
        "FAIL (annotator ana): kappa must be at least 0.4; it is 0.300"
    )
    assert str(judged.gates[1]) == "PASS (annotator ana): kappa must be at least 0.2; it is 0.300"
    assert judge(report, [Gate("kappa", 0.2)])[1] is None
