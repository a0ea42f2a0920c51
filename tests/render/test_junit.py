"""Results of gates as the JUnit XML that test reporters read."""

from dataclasses import replace
from xml.etree import ElementTree as ET

import polars as pl
import pytest

from adjudge.errors import OptionError
from adjudge.render.files import junit_xml
from adjudge.report import GateResult, Input
from made_reports import made_report

REPORT = made_report("reliability", {}, inputs=[Input("votes.json", "89d9", 10)])
FAILED = GateResult("kappa must be at least 0.4", "annotator ben", "it is 0.300", passed=False)
PASSED = GateResult("kappa must be at least 0.4", "annotator ana", "it is 0.500", passed=True)

EXPECTED = """<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
 <testsuite name="adjudge reliability" tests="2" failures="1" errors="0">
  <properties>
   <property name="signature" value="adjudge=0|seed=0" />
   <property name="sha256 of votes.json" value="89d9" />
  </properties>
  <testcase classname="adjudge.reliability" name="kappa must be at least 0.4: annotator ana" />
  <testcase classname="adjudge.reliability" name="kappa must be at least 0.4: annotator ben">
   <failure type="gate" message="FAIL (annotator ben): kappa must be at least 0.4; it is 0.300">FAIL (annotator ben): kappa must be at least 0.4; it is 0.300</failure>
  </testcase>
 </testsuite>
</testsuites>
"""


def cases(*results, report=REPORT):
    return list(ET.fromstring(junit_xml(replace(report, gates=results))).iter("testcase"))  # noqa: S314 - our own


def test_every_result_is_a_case_and_what_the_figures_rest_on_are_properties():
    assert junit_xml(replace(REPORT, gates=(PASSED, FAILED))) == EXPECTED


def test_a_comparison_is_a_suite_of_its_own_and_its_gates_are_sentences():
    compared = made_report("preferences", {"comparison": pl.DataFrame()})
    fall = GateResult("accuracy must not fall", "judge north", "week2 less week1 is -0.1", passed=False)
    (case,) = cases(fall, report=compared)
    assert case.attrib == {"classname": "adjudge.compare", "name": "accuracy must not fall: judge north"}
    assert case.find("failure").text == "FAIL (judge north): accuracy must not fall; week2 less week1 is -0.1"


def test_a_gate_without_keys_is_called_what_it_asks():
    (case,) = cases(GateResult("accuracy must not fall", "", "b minus a is 0.3", passed=True))
    assert case.attrib["name"] == "accuracy must not fall"


def test_no_two_cases_have_one_name():
    named = [GateResult("k", subject, "1", passed=True) for subject in ("a", "a", "a (2)", "a")]
    assert [case.attrib["name"] for case in cases(*named)] == ["k: a", "k: a (2)", "k: a (2) (2)", "k: a (3)"]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ('a<b>&"c"', 'a<b>&"c"'),
        ("two\nlines\tand\rmore", "two\nlines\tand\rmore"),
        ("nul\0 bell\a escape\x1b", "nul\ufffd bell\ufffd escape\ufffd"),
        ("half \udce9 none \uffff", "half \ufffd none \ufffd"),
        ("naïve 😀", "naïve 😀"),
        ("x" * 3000, "x" * 1991 + "…"),
    ],
)
def test_whatever_names_hold_the_file_can_be_read(name, shown):
    (case,) = cases(GateResult("k", name, "0", passed=False))
    assert case.attrib["name"].endswith(shown)
    assert case.find("failure").attrib["message"].startswith("FAIL ")


def test_it_is_written_whole_in_utf_8_or_not_at_all(tmp_path):
    path = tmp_path / "results.xml"
    replace(REPORT, gates=(GateResult("k", "naïve", "0", passed=True),)).save(path)
    assert 'name="k: naïve"' in path.read_bytes().decode()
    assert [one.name for one in tmp_path.iterdir()] == ["results.xml"]


def test_a_report_alone_cannot_be_saved_as_one(tmp_path):
    with pytest.raises(OptionError, match=r"results\.xml: expected a name that ends in one of"):
        REPORT.save(tmp_path / "results.xml")
    assert list(tmp_path.iterdir()) == []
