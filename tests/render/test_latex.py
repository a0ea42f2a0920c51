"""Reports as LaTeX."""

from functools import partial

import polars as pl

import karat


def test_a_leaderboard_becomes_one_table_with_ranks_criteria_and_intervals(tmp_path):
    labels = {f"{criterion}_preference": ["A", "B"] * 20 for criterion in ("my_tone", "safety")}
    gold = pl.DataFrame({"id": [f"i{n}" for n in range(40)], **labels})
    half = gold.with_columns(pl.lit("A").alias("my_tone_preference"))
    score = partial(karat.preferences, gold, [gold, half], system=["x & y", "50%"])
    score(criteria=["my_tone", "safety"]).save(tmp_path / "board.tex")
    lines = (tmp_path / "board.tex").read_text().splitlines()
    assert lines[2:4] == [r"\begin{tabular}{lrrrr}", r"\toprule"]
    assert lines[4] == r"System & Ranks & my\_tone & safety & Average$^{a}$ \\"
    # Wilson's interval of 20 of 40 is 35.2 to 64.8, of 40 of 40 91.2 to 100.
    right, half = lines[6].split(" & "), lines[7].split(" & ")
    assert right[:3] == [r"x \& y", "1", r"100.0~\% {\scriptsize {[}91.2~to~100.0]}"]
    assert half[:3] == [r"50\%", "2", r"50.0~\% {\scriptsize {[}35.2~to~64.8]}"]
    assert lines[8:11] == [r"\bottomrule", r"\end{tabular}", r"{\footnotesize Accuracy, n=40\par}"]
    assert r"System & Ranks & Accuracy, n=40 \\" in score(criteria="my_tone").to_latex()
