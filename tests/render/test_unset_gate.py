"""What a page says of the gate that would give it a verdict, against tables made by hand and the gates themselves."""

import re
from dataclasses import replace

import polars as pl
import pytest

import karat
from karat.gates.results import equivalent_results, gate_results
from karat.gates.written import parse_equivalent, parse_gates
from karat.render.html import report_page
from karat.render.unset_gate import how_to_gate
from karat.report import FIGURE, GateResult, typed_table
from made import EXAMPLES
from made_conclusions import annotators, systems
from made_reports import made_report

VOTES = EXAMPLES / "reliability" / "votes.json"
TRUTH, *CHECKED = (EXAMPLES / "violations" / f"{name}.jsonl" for name in ("truth", "careful", "eager"))
LIMIT = ", by the lower limit of its interval, is at least VALUE"


def test_of_one_judge_its_figure_is_asked_for():
    report = systems(("north", 0.8))
    assert how_to_gate(report) == (
        "--fail-under accuracy=VALUE --bound low",
        f"it passes if accuracy{LIMIT} (now: up to 0.7)",
    )
    passed = GateResult("accuracy must be at least 70 %", "system north", "it is 80.0 %", passed=True)
    assert how_to_gate(replace(report, gates=(passed,))) is None


def test_without_intervals_the_figure_itself_is_asked_for():
    report = systems(("north", 0.8))
    bare = replace(report, tables={"scores": report["scores"].with_columns(low=None, high=None)})
    assert how_to_gate(bare) == (
        "--fail-under accuracy=VALUE",
        "it passes if accuracy is at least VALUE (now: up to 0.8)",
    )


def test_of_judges_of_whom_one_is_taken_the_one_is_named_of_whom_most_is_shown():
    """systems() has intervals of 10 points either way."""
    report = systems(("north", 0.8), ("south", 0.6))
    assert how_to_gate(report) == (
        "--fail-under 'accuracy[system=north]=VALUE' --bound low",
        f"it passes if the accuracy of north{LIMIT} (now: up to 0.7)",
    )
    wide = report["scores"].to_dicts()
    wide[0]["low"] = 0.4
    unsure = replace(report, tables={"scores": typed_table(wide, report["scores"].columns)})
    assert how_to_gate(unsure).said == "--fail-under 'accuracy[system=south]=VALUE' --bound low"


def test_annotators_are_asked_for_together_or_each():
    reliability = karat.reliability(VOTES)
    together = f"it passes if the reliability of all judgments together{LIMIT}"
    assert how_to_gate(reliability).meaning.startswith(f"{together} (now: up to 0.")
    weeks = how_to_gate(karat.reliability(VOTES, by="week")).meaning
    assert weeks.startswith(f"{together.replace(LIMIT, f' in every week{LIMIT}')}")
    each = annotators(("ana", 0.95, 0.77, 0.99, 40, None), ("dev", 0.25, 0.07, 0.59, 40, None))
    assert how_to_gate(each).meaning == f"it passes if every annotator's reliability{LIMIT} (now: up to 0.07, of dev)"


def test_figures_that_a_gate_reads_are_told_apart_by_their_keys():
    found = how_to_gate(karat.violations(TRUTH, CHECKED))
    assert found.meaning.startswith(f"it passes if the match score of eager in every variant (std and ha){LIMIT}")
    alone = how_to_gate(karat.violations(TRUTH, CHECKED[:1]))
    assert alone.meaning.startswith(f"it passes if match score in every variant (std and ha){LIMIT}")
    pairs = how_to_gate(karat.annotations(EXAMPLES / "annotations" / "pairs.json"))
    assert pairs.meaning == f"it passes if the strength of NAME{LIMIT}"
    assert pairs.said == "--fail-under 'strength[annotator=NAME]=VALUE' --bound low"


def test_where_nobody_is_to_be_taken_nobody_is_named():
    """People who mark the same texts agree in pairs; ann and bob on more of them than cy."""
    length = {"ann": (3, 3), "bob": (3, 3), "cy": (3, 1)}
    marked = [
        {
            "id": f"t{text}",
            "text": "abc def ghi",
            "annotator": who,
            "start": 4 * (text % 5 == 0) * (who == "bob"),
            "end": 4 * (text % 5 == 0) * (who == "bob") + ends[text % 2],
        }
        for text in range(40)
        for who, ends in length.items()
    ]
    report = karat.violation_agreement(pl.DataFrame(marked), variant="std")
    assert report["annotators"].filter(metric="f1")["low"].null_count() == 0
    assert how_to_gate(report).said.startswith("--fail-under f1=VALUE")


def test_a_figure_that_the_data_do_not_have_is_not_asked_for():
    """Answers to questions that no document answers are declined or not."""
    answers = pl.read_ndjson(EXAMPLES / "rag" / "answers.jsonl").filter(ability="negative_rejection")
    assert "'rejection_rate[model=north]=VALUE'" in how_to_gate(karat.rag(answers)).said
    assert how_to_gate(made_report("annotations", {})) is None


def test_a_figure_that_is_undefined_passes_with_no_number():
    rows = [
        dict.fromkeys(["annotator", "group", *FIGURE])
        | {"annotator": "ana", "group": group, "metric": "reliability", "value": value, "n": 9}
        for group, value in (("a", 0.5), (None, None))
    ]
    report = replace(made_report("reliability", {"annotators": typed_table(rows)}), options={"by": ["group"]})
    assert (
        how_to_gate(report).meaning
        == "it passes if reliability in every group is at least VALUE (not now: a figure is undefined)"
    )


REPORTS = {
    "reliability": lambda: karat.reliability(VOTES),
    "weeks": lambda: karat.reliability(VOTES, by="week"),
    "violations": lambda: karat.violations(TRUTH, CHECKED),
    "rag": lambda: karat.rag(EXAMPLES / "rag" / "answers.jsonl"),
    "agreement": lambda: karat.agreement(VOTES),
    "preferences": lambda: karat.preferences(
        EXAMPLES / "preferences" / "gold.jsonl", EXAMPLES / "preferences" / "careful.tsv"
    ),
}


@pytest.mark.parametrize("name", REPORTS)
def test_the_number_that_is_told_passes_and_the_next_fails(name):
    report = REPORTS[name]()
    found = how_to_gate(report)
    text = re.search(r"'?(\w+(?:\[.*\])?)=VALUE", found.said)[1]
    number = float(re.search(r"now: up to (-?[0-9.]+)", found.meaning)[1])
    keys = [*(report.options.get("by") or ()), *report.about.keys]
    bound = "low" if found.said.endswith("--bound low") else "estimate"

    def passes(limit: float) -> bool:
        gates = parse_gates([f"{text}={limit:g}"], report.about.metrics, keys, side="fail_under")
        return all(result.passed for result in gate_results(report, gates, bound))

    assert passes(number)
    assert not passes(round(number + 0.001, 3))


def test_the_margins_that_are_told_of_judges_pass_and_smaller_ones_fail():
    card = karat.card(EXAMPLES / "card" / "labels.csv", judges=["steady", "hasty"], draw="draw")
    meaning = how_to_gate(card).meaning
    told = {name: float(number) for number, name in re.findall(r"([0-9.]+) for (\w+)", meaning)}
    assert told.keys() == {"steady", "hasty"}
    for name, margin in told.items():
        for asked, passed in ((margin, True), (round(margin - 0.001, 3), False)):
            gates = parse_equivalent(
                [f"agreement[judge={name}]={asked}".replace("]=", "]:")], card.about.metrics, ["judge"]
            )
            assert [result.passed for result in equivalent_results(card, gates)] == [passed]


def test_a_margin_is_passed_by_what_lies_below_it():
    card = karat.card(EXAMPLES / "card" / "labels.csv", judges=["steady"], draw="draw")
    even = card["equivalence"].with_columns(value=0.05)
    found = how_to_gate(replace(card, tables={**card.tables, "equivalence": even}))
    assert found.meaning.endswith("the least that passes now, by one-sided limits: 0.051 for steady)")


def test_a_history_says_which_command_gives_a_verdict_on_two_of_its_runs(tmp_path):
    for week in ("1", "2"):
        karat.reliability(VOTES).save(tmp_path / f"2026-01-0{week}.json")
    page = report_page([karat.history(tmp_path)]).replace("<span>", "").replace("</span>", "")
    command = "karat compare BEFORE AFTER --fail-if-worse reliability:MARGIN"
    meaning = "it fails if a loss is shown to be greater than MARGIN (0.05 is 5 percentage points)"
    assert f"Set a gate between two of the runs: {meaning}. <code>{command}</code>" in page
