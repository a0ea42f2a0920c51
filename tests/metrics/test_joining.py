import polars as pl
import pytest

from adjudge.metrics.metric import View
from adjudge.metrics.run_matching import join_rows

VIEW = View(rows=lambda rows, *_: rows, states=("outcome",), metrics=())
NEEDED = View(rows=lambda rows, *_: rows, states=("spans",), metrics=(), required_count="spans")


def side(items, view=VIEW):
    return pl.DataFrame({"item": list(items), view.states[0]: 1}).with_columns(cluster=pl.lit(None, pl.String))


@pytest.mark.parametrize("view", [VIEW, NEEDED], ids=["inner", "full"])
@pytest.mark.parametrize(("ours", "theirs"), [("aab", "a"), ("a", "aab"), ("abb", "ac"), ("ac", "abb")])
def test_duplicates_are_seen_on_either_side_with_and_without_a_counterpart(ours, theirs, view):
    with pytest.raises(pl.exceptions.ComputeError, match="1:1"):
        join_rows(side(ours, view), side(theirs, view), ["item"], view)


def test_rows_without_a_duplicate_are_paired():
    assert join_rows(side("abc"), side("cad"), ["item"], VIEW)["item"].sort().to_list() == ["a", "c"]
