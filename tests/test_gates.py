import pytest

import karat as library
from karat import OptionError
from karat.evaluations import Metric
from karat.gates import Gate, parse_gates
from made import DATA, EXAMPLES, item

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
        ("annotations", "kappa[nam=x]=1", 'no key nam (did you mean "name"?); there are dataset, week, annotator, name, reference\n'),
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


def test_a_failure_names_keys_only(karat):
    _, _, error = karat("annotations", "score", PAIRS, "--fail-under", "kappa[annotator=omar]=0.9")
    who = "dataset household questions, annotator omar, name Omar, reference lena"
    assert error == f"karat: kappa[annotator=omar] >= 0.9 fails for {who}: 0.8571\n"


def test_a_metric_that_the_main_table_has_not_is_named_with_those_it_has(karat):
    status, _, error = karat("annotations", "score", PAIRS, "--fail-under", "position=0.4")
    assert status == 2
    assert "the table agreement has no position; it has relevance, coverage" in error
