"""Reports as LaTeX."""

from functools import partial

import polars as pl
import pytest

import adjudge
from adjudge.errors import OptionError
from adjudge.render.latex import report_latex
from adjudge.report import ESTIMATE_COLUMNS, typed_table
from made_reports import made_report


def figure(value, **keys):
    """A table of one figure: a reliability."""
    return typed_table([keys | dict.fromkeys(ESTIMATE_COLUMNS) | {"metric": "reliability", "value": value, "n": 4}])


@pytest.fixture
def report():
    """An annotator with a reliability of 75.0 %, and 50.0 % of all together; three answers, of which two are alike."""
    answers = pl.DataFrame({"annotator": ["ann", "ann", "bob"], "label": ["yes"] * 3, "size": [1.5, 2.5, 3.5]})
    flags = pl.DataFrame(schema={"annotator": pl.String, "count": pl.Int64})
    tables = {"overall": figure(0.5), "annotators": figure(0.75, annotator="ann"), "answers": answers, "flags": flags}
    return made_report("reliability", tables)


def rows(latex):
    """The rows of its tables, without the lines around them."""
    return [line.removesuffix(r" \\") for line in latex.splitlines() if line.endswith(r" \\")]


def test_the_main_table_is_taken_unless_another_one_is_named(report, tmp_path):
    main = ["Annotator & Reliability & n", r"ann & 75.0\% & 4"]
    assert rows(report_latex(report)) == rows(report_latex(report, "annotators")) == main
    report.save(tmp_path / "t.tex")
    assert (tmp_path / "t.tex").read_text(encoding="utf-8") == report_latex(report)
    assert rows(report_latex(report, "overall")) == ["Reliability & n", r"50.0\% & 4"]


def test_every_row_of_a_table_stands_in_it_however_alike(report):
    assert rows(report_latex(report, "answers")) == ["Annotator & Size", "ann & 1.5", "ann & 2.5", "bob & 3.5"]
    assert r"{\par\footnotesize Label: yes.\par}" in report_latex(report, "answers")
    many = pl.DataFrame({"annotator": [f"a{n}" for n in range(300)], "size": [float(n) for n in range(300)]})
    assert len(rows(report_latex(made_report("reliability", {"annotators": many})))) == 301


def test_a_table_that_there_is_not_is_refused(report):
    with pytest.raises(OptionError, match=r'no table "annotator" in this report\nfound: .*\nfix:   annotators'):
        report_latex(report, "annotator")


def test_characters_that_turn_text_about_are_named_and_arabic_stays():
    arabic, name = "\u0645\u0631\u062d\u0628\u0627", "ann\u202elive"
    table = pl.DataFrame({"annotator": [name, arabic], "size": [1.0, 2.0]})
    assert rows(report_latex(made_report("reliability", {"annotators": table})))[1:] == [
        "ann{[}RLO]live & 1",
        f"{arabic} & 2",
    ]


def test_a_leaderboard_becomes_one_table_with_ranks_criteria_and_intervals(tmp_path):
    labels = {f"{criterion}_preference": ["A", "B"] * 20 for criterion in ("my_tone", "safety")}
    gold = pl.DataFrame({"id": [f"i{n}" for n in range(40)], **labels})
    half = gold.with_columns(pl.lit("A").alias("my_tone_preference"))
    score = partial(adjudge.preferences, gold, [gold, half], system=["x & y", "50%"])
    score(criteria=["my_tone", "safety"]).save(tmp_path / "board.tex")
    lines = (tmp_path / "board.tex").read_text().splitlines()
    assert lines[2:4] == [r"\begin{tabular}{llrrrr}", r"\toprule"]
    assert lines[4] == r"System & Criterion & Best rank & Worst rank & Accuracy & n \\"
    # Wilson's interval of 20 of 40 is 35.2 to 64.8, of 40 of 40 91.2 to 100.
    assert r"x \& y & my\_tone &  &  & 100.0\% {\scriptsize {[}91.2,~100.0]} & 40 \\" in lines
    assert r"50\% & my\_tone &  &  & 50.0\% {\scriptsize {[}35.2,~64.8]} & 40 \\" in lines
