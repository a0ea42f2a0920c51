"""Reports as LaTeX."""

import polars as pl

import karat


def test_a_leaderboard_becomes_one_table_with_ranks_criteria_and_intervals(tmp_path):
    gold = pl.DataFrame({"id": [f"i{n}" for n in range(40)], "my_tone_preference": ["A", "B"] * 20})
    right = gold.with_columns(pl.lit("A").alias("my_tone_preference"))
    report = karat.preferences(gold, [gold, right], system=["x & y", "50%"], criteria="my_tone")
    report.save(tmp_path / "board.tex")
    lines = (tmp_path / "board.tex").read_text().splitlines()
    assert lines[2:5] == [r"\begin{tabular}{lrrr}", r"\toprule", r"System & Ranks & my\_tone & Average \\"]
    # Wilson's interval of 20 of 40 is 35.2 to 64.8, of 40 of 40 91.2 to 100.
    right, half = lines[6].split(" & "), lines[7].split(" & ")
    assert right[:3] == [r"x \& y", "1", r"100.0~\% {\scriptsize {[}91.2~to~100.0]}"]
    assert half[:3] == [r"50\%", "2", r"50.0~\% {\scriptsize {[}35.2~to~64.8]}"]
    assert lines[8:] == [r"\bottomrule", r"\end{tabular}", r"{\footnotesize Accuracy, n=40\par}"]
