"""Reports as LaTeX."""

from functools import partial

import polars as pl
import pytest

import adjudge
from adjudge.errors import OptionError
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
    main = ["Annotator & Reliability", r"ann & 75.0\% {\scriptsize n=4}"]
    assert rows(report.to_latex()) == rows(report.to_latex("annotators")) == main
    report.save(tmp_path / "t.tex")
    assert (tmp_path / "t.tex").read_text(encoding="utf-8") == report.to_latex()
    assert rows(report.to_latex("overall")) == ["Reliability", r"50.0\% {\scriptsize n=4}"]


def test_every_row_of_a_table_stands_in_it_however_alike(report):
    assert rows(report.to_latex("answers")) == [
        "Annotator & Label & Size",
        "ann & yes & 1.5",
        "ann & yes & 2.5",
        "bob & yes & 3.5",
    ]
    many = pl.DataFrame({"annotator": [f"a{n}" for n in range(300)], "size": [float(n) for n in range(300)]})
    assert len(rows(made_report("reliability", {"annotators": many}).to_latex())) == 301


def test_a_table_without_rows_says_so_and_one_that_there_is_not_is_refused(report):
    assert report.to_latex("flags").splitlines()[-1] == r"{\par\footnotesize None.\par}"
    for ask in (report.to_latex, report.to_pandas):
        with pytest.raises(OptionError, match=r'no table "annotator" in this report\nfound: .*\nfix:   annotators'):
            ask("annotator")


def test_blocks_of_several_columns_stand_side_by_side_below_their_headings():
    gold = pl.DataFrame(
        {"id": [f"i{n}" for n in range(40)], "one_preference": ["A"] * 40, "two_preference": ["B"] * 40}
    )
    lines = adjudge.preferences(gold, [gold], system=["s"], criteria=["one", "two"]).to_latex("scores").splitlines()
    head = next(number for number, line in enumerate(lines) if "multicolumn" in line)
    first, second = lines[head].removesuffix(r" \\").split(" & ")[1:3]
    width = 3  # one, two and their average
    assert first == rf"\multicolumn{{{width}}}{{c}}{{Accuracy, n=40}}"
    assert second.startswith(rf"\multicolumn{{{width}}}{{c}}")
    assert lines[head + 1].startswith(r"\cmidrule(lr){2-4}\cmidrule(lr){5-7}")
    assert lines[head + 2].startswith("System & one & two & Average")


def test_comparisons_of_each_kind_are_a_table_of_their_own_under_its_title():
    gold = pl.DataFrame({"id": [f"i{n}" for n in range(40)], "one_preference": ["A", "B"] * 20})
    lines = (
        adjudge.preferences(gold, [gold, gold], system=["s", "t"], criteria=["one"])
        .to_latex("differences")
        .splitlines()
    )
    titles = [number for number, line in enumerate(lines) if "Differences between" in line]
    assert [lines[number] for number in titles] == [
        r"{\par\footnotesize Differences between systems\par}",
        r"{\par\footnotesize Differences between systems and baselines\par}",
    ]
    assert all(lines[number + 1].startswith(r"\begin{tabular}") for number in titles)


def test_characters_that_turn_text_about_are_named_and_arabic_stays():
    arabic, name = "\u0645\u0631\u062d\u0628\u0627", "ann\u202elive"
    table = pl.DataFrame({"annotator": [name, arabic], "size": [1.0, 2.0]})
    assert rows(made_report("reliability", {"annotators": table}).to_latex())[1:] == [
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
    assert lines[2:4] == [r"\begin{tabular}{lrrrr}", r"\toprule"]
    assert lines[4] == r"System & Ranks & my\_tone & safety & Average$^{a}$ \\"
    # Wilson's interval of 20 of 40 is 35.2 to 64.8, of 40 of 40 91.2 to 100.
    right, half = lines[6].split(" & "), lines[7].split(" & ")
    assert right[:3] == [r"x \& y", "1", r"100.0\% {\scriptsize {[}91.2,~100.0]}"]
    assert half[:3] == [r"50\%", "2", r"50.0\% {\scriptsize {[}35.2,~64.8]}"]
    assert lines[8:11] == [r"\bottomrule", r"\end{tabular}", r"{\par\footnotesize Accuracy, n=40\par}"]
    assert r"System & Ranks & Accuracy, n=40 \\" in score(criteria="my_tone").to_latex()
