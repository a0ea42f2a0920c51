import pytest

import karat as library
from karat import OptionError
from karat.about import Metric
from karat.errors import GateError
from karat.estimate import Note
from karat.gates import Gate, GateResult, gate_results, parse_gates, raise_failed
from karat.report import typed_table
from made import DATA, EXAMPLES, item
from made_reports import made_report

FLAGS = DATA / "reliability" / "flags.json"
PAIRS = EXAMPLES / "annotations" / "pairs.json"
KNOWN = {"kappa": Metric("Kappa", "", better="high")}


def gate(text):
    (found,) = parse_gates([text], KNOWN, ["annotator", "my week"])
    return found


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("kappa=0.5", {}),
        ("kappa[]=0.5", {}),
        ("kappa[annotator=A 17]=0.5", {"annotator": "A 17"}),
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


@pytest.mark.parametrize(
    "text",
    ["kappa", "kappa=", "kappa=x", "kappa=nan", "kappa[annotator=]=1", "kappa[annotator=a,b]=1", "kappa[a]b]=1",
     'kappa[annotator="a]=1', 'kappa[annotator="a"b]=1', "kappa[annotator=x]", "[annotator=x]=1"],
)  # fmt: skip
def test_what_is_no_gate_is_refused(text):
    with pytest.raises(OptionError, match="expected metric=value"):
        gate(text)


@pytest.mark.parametrize("value", ["a", "a,b", "a]b", '"a"', "a=b", "", 'a"b'])
def test_a_gate_reads_back_what_it_says(value):
    one = Gate("kappa", 0.5, {"annotator": value})
    assert gate(str(one).replace(" >= ", "=")) == one


@pytest.mark.parametrize(
    ("command", "text", "said"),
    [
        ("reliability", "kappa[anotator=x]=1", 'no key anotator (did you mean "annotator"?); there are week, annotator\n'),
        ("annotations", "kappa[nam=x]=1", 'no key nam (did you mean "name"?); there are week, dataset, annotator, name, reference\n'),
        ("annotations", "strenth=1", 'no metric strenth (did you mean "strength"?)'),
    ],
)  # fmt: skip
def test_a_misspelt_key_or_metric_is_found_before_anything_is_read(karat, command, text, said):
    status, printed, error = karat(command, "score", "there-is-no-such-file", "--by", "week", "--fail-under", text)
    assert (status, printed) == (2, "")
    assert said in error


def test_the_keys_of_gates_are_those_of_the_main_tables(karat):
    from karat.report import FIGURE

    tables = {
        "reliability": library.reliability(FLAGS)["annotators"],
        "annotations": library.annotations(PAIRS)["agreement"],
    }
    for command, table in tables.items():
        _, _, error = karat(command, "score", FLAGS, "--fail-under", "kappa[x=1]=1")
        keys = [name for name in table.columns if name not in {*FIGURE, "p", "p_adjusted"}]
        assert f"there are {', '.join(keys)}\n" in error


def test_a_gate_on_an_annotator_with_a_comma_and_a_bracket_is_checked(karat, written):
    path = written([item("a", **{"a,b]c": "a"}), item("b", **{"a,b]c": "a"})])
    word = 'reliability[annotator="a,b]c"]=0.6'
    status, _, error = karat("reliability", "score", path, "--fail-under", word)
    assert status == 3
    assert error == 'karat: reliability[annotator="a,b]c"] >= 0.6 fails for annotator a,b]c: 0.5000\n'


@pytest.mark.parametrize(
    ("text", "said"), [("reliability=50", "Write 0.5 for 50 %"), ("reliability=1.01", "at most 1; got 1.01")]
)
def test_a_share_above_1_is_refused_before_anything_is_read(karat, text, said):
    status, printed, error = karat("reliability", "score", "there-is-no-such-file", "--fail-under", text)
    assert (status, printed) == (2, "")
    assert error.startswith("karat: --fail-under: reliability is a share, at most 1; got")
    assert said in error


def test_a_failure_names_keys_only(karat):
    _, _, error = karat("annotations", "score", PAIRS, "--fail-under", "kappa[annotator=omar]=0.9")
    who = "dataset household questions, annotator omar, name Omar, reference lena"
    assert error == f"karat: kappa[annotator=omar] >= 0.9 fails for {who}: 0.8571\n"


def test_a_metric_that_the_main_table_has_not_is_named_with_those_it_has(karat):
    status, _, error = karat("annotations", "score", PAIRS, "--fail-under", "position=0.4")
    assert status == 2
    assert "the table agreement has no position; there are relevance, coverage" in error


def figure(value, low=None, high=None, note=None, reason=None, **keys):
    """A row of a table of figures of accuracy, with the keys before."""
    return {**keys, "metric": "accuracy", "value": value, "low": low, "high": high, "n": 10, "method": None, "reason": reason, "note": note}  # fmt: skip


def judged(rows, *gates, bound="estimate", evaluation="reliability", main="annotators"):
    report = made_report(evaluation, {main: typed_table(rows, numbers=["noise_ratio"])})
    return list(gate_results(report, gates, bound))


FIGURES = [
    figure(0.75, 0.7, 0.8, annotator="ana"),
    figure(0.6, 0.5, 0.7, annotator="ben"),
    figure(0.9, note=Note.ONE_CLUSTER, annotator="cleo"),
    figure(0.9, annotator="dev"),
    figure(None, reason="no items", annotator="eve"),
]


def test_a_gate_says_of_every_row_what_was_found_and_whether_it_is_enough():
    assert judged(FIGURES, Gate("accuracy", 0.75)) == [
        GateResult("accuracy >= 0.75", "annotator ana", "0.7500", passed=True),
        GateResult("accuracy >= 0.75", "annotator ben", "0.6000", passed=False),
        GateResult("accuracy >= 0.75", "annotator cleo", "0.9000", passed=True),
        GateResult("accuracy >= 0.75", "annotator dev", "0.9000", passed=True),
        GateResult("accuracy >= 0.75", "annotator eve", "undefined, no items", passed=False),
    ]


def test_the_lower_bound_is_read_where_it_is_asked_for_and_a_figure_without_one_fails():
    assert judged(FIGURES, Gate("accuracy", 0.7), bound="low") == [
        GateResult("accuracy >= 0.7 (lower bound)", "annotator ana", "0.7000", passed=True),
        GateResult("accuracy >= 0.7 (lower bound)", "annotator ben", "0.5000", passed=False),
        GateResult("accuracy >= 0.7 (lower bound)", "annotator cleo", "0.9000 without an interval, one cluster", passed=False),
        GateResult("accuracy >= 0.7 (lower bound)", "annotator dev", "0.9000 without an interval", passed=False),
        GateResult("accuracy >= 0.7 (lower bound)", "annotator eve", "undefined, no items", passed=False),
    ]  # fmt: skip


def test_a_ceiling_fails_what_lies_above_it_and_reads_the_upper_bound():
    rows = [figure(0.2, annotator="ana"), figure(0.21, annotator="ben")]
    gate = Gate("accuracy", 0.2, side="fail_over")
    assert [(str(one), one.passed) for one in judged(rows, gate)] == [
        ("accuracy <= 0.2 passes for annotator ana: 0.2000", True),
        ("accuracy <= 0.2 fails for annotator ben: 0.2100", False),
    ]
    (upper,) = judged([figure(0.1, low=0.05, high=0.3, annotator="ana")], gate, bound="low")
    assert str(upper) == "accuracy <= 0.2 (upper bound) fails for annotator ana: 0.3000"


def test_a_gate_that_would_fail_the_best_names_the_other_one():
    known = {"accuracy": Metric("Accuracy", "", better="high"), "missing": Metric("Missing", "", better="low")}
    with pytest.raises(OptionError, match="missing is good when low; a floor would fail the best"):
        parse_gates(["missing=0.1"], known, [])
    with pytest.raises(OptionError, match="accuracy is good when high; a ceiling would fail the best"):
        parse_gates(["accuracy=0.1"], known, [], side="fail_over")
    assert parse_gates([], known, []) == []


def test_a_figure_that_misses_by_less_than_what_is_shown_is_shown_in_full():
    (one,) = judged([figure(0.799999, annotator="ana")], Gate("accuracy", 0.8))
    assert str(one) == "accuracy >= 0.8 fails for annotator ana: 0.799999"


def test_a_number_among_the_keys_is_the_same_however_it_is_written():
    rows = [figure(0.5, ability="noise", noise_ratio=0.4), figure(0.7, ability="gaps", noise_ratio=None)]
    about = {"evaluation": "rag", "main": "scores"}
    for text in ("0.4", "0.40", ".4"):
        (one,) = judged(rows, Gate("accuracy", 0.6, {"noise_ratio": text}), **about)
        assert one.subject == "ability noise, noise_ratio 0.4"
    assert [one.subject for one in judged(rows, Gate("accuracy", 0.6), **about)][1] == "ability gaps"
    with pytest.raises(OptionError, match=r"scores has no accuracy of noise_ratio most; there are 0\.4"):
        judged(rows, Gate("accuracy", 0.6, {"noise_ratio": "most"}), **about)


def test_pooled_rows_are_read_where_there_are_any_and_no_others_are_named():
    both = [figure(0.5, system="ours", criterion="safety"), figure(0.7, system="ours", criterion="average")]
    about = {"evaluation": "preferences", "main": "scores"}
    assert [one.said for one in judged(both, Gate("accuracy", 0.6), **about)] == ["0.7000"]
    assert [one.said for one in judged(both, Gate("accuracy", 0.6, {"criterion": "safety"}), **about)] == ["0.5000"]
    assert [one.said for one in judged(both[:1], Gate("accuracy", 0.6), **about)] == ["0.5000"]


def test_a_gate_that_answers_to_nothing_is_refused():
    with pytest.raises(
        OptionError, match="annotators has no accuracy of annotator x; there are ana, ben, cleo, dev, eve"
    ):
        judged(FIGURES, Gate("accuracy", 0.7, {"annotator": "x"}))


def test_what_failed_is_told_a_line_each_and_nothing_where_nothing_did():
    failed = GateResult("accuracy >= 0.7", "annotator ben", "0.6000", passed=False)
    whole = GateResult("kappa >= 0.4", "", "0.3000", passed=False)
    passed = GateResult("kappa >= 0.2", "", "0.3000", passed=True)
    with pytest.raises(GateError) as stop:
        raise_failed([failed, passed, whole])
    assert str(stop.value) == "accuracy >= 0.7 fails for annotator ben: 0.6000\nkappa >= 0.4 fails: 0.3000"
    raise_failed([passed])
    assert str(passed) == "kappa >= 0.2 passes: 0.3000"
