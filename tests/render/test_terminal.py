import polars as pl

import adjudge
from adjudge.render.terminal import tables_text


def test_a_figure_of_one_cluster_says_on_how_many_items_it_rests():
    table = pl.DataFrame(
        {
            "item": [1, 2, 3, 4],
            "annotator": ["ann"] * 4,
            "label": ["a", "b", "a", "b"],
            "reference": ["a", "b", "b", "b"],
            "cluster": ["one"] * 4,
        }
    )
    report = adjudge.reliability(table)
    line = next(line for line in tables_text(report).splitlines() if line.startswith("ann  "))
    assert line.split()[:3] == ["ann", "75.0%", "[a]"]
    assert line.rstrip().endswith(" 4")


def test_a_note_cannot_steer_the_terminal(written):
    from made import EXAMPLES

    pairs = (EXAMPLES / "annotations" / "pairs.json").read_text(encoding="utf-8")
    report = adjudge.annotations(written(pairs.replace("household questions", "\\u001b[31mred")))
    assert "\x1b" not in tables_text(report)
