"""Who disagrees with whom, counted by hand."""

import polars as pl

from karat.evaluations.reliability.disagreement import differing, disagreement

#   item   ann  ben  cleo
#   1      x    x    y
#   2      x    y    -
#   3      y    y    y
ROWS = [
    *(("1", "ann", "x"), ("1", "ben", "x"), ("1", "cleo", "y")),
    *(("2", "ann", "x"), ("2", "ben", "y"), ("2", "cleo", None)),
    *(("3", "ann", "y"), ("3", "ben", "y"), ("3", "cleo", "y")),
]
OUTCOMES = pl.LazyFrame(ROWS, schema=["item", "judge", "label"], orient="row").with_columns(part=pl.lit("choice"))


def test_differences_are_counted_on_items_that_both_label():
    rows = {(one, other): of for one, other, *of in disagreement(OUTCOMES).iter_rows()}
    assert rows[("ann", "ben")] == rows[("ben", "ann")] == [3, 1]
    assert rows[("ann", "cleo")] == rows[("ben", "cleo")] == [2, 1]
    assert len(rows) == 6, "nobody is compared with themselves"


def test_those_who_label_no_item_together_neither_agree_nor_differ():
    second = OUTCOMES.filter(item="2")
    rows = {(one, other): of for one, other, *of in disagreement(second).iter_rows()}
    assert rows[("ann", "ben")] == [1, 1]
    assert rows[("ann", "cleo")] == [0, None]


def test_items_on_which_two_differ():
    assert differing(OUTCOMES, "ann", "ben") == ["2"]
    assert differing(OUTCOMES, "ben", "cleo") == ["1"]


def test_flags_are_no_labels():
    flags = OUTCOMES.with_columns(part=pl.lit("flag"))
    assert differing(flags, "ann", "ben") == []
