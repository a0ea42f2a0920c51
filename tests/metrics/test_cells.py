"""Groups of rows that share their states."""

from collections import Counter

import numpy as np
import polars as pl
import pytest

from adjudge.evaluations.violations.metrics import SCORE_UNITS, VIEW
from adjudge.metrics import cells
from adjudge.metrics.cells import COUNT, UNIT, cells_of_counts, number_states, pairs_from_counts
from adjudge.metrics.metric import KIND
from adjudge.metrics.tables import cells_of_groups

STATES = VIEW.states
KINDS = {figure.kind for figure in VIEW.metrics}


def counted(seed, *, whole):
    """Texts of one group, in clusters. whole: whether all matches have the score 1."""
    random = np.random.default_rng(seed)
    true, predicted = random.integers(0, 4, (2, 60))
    found = np.minimum(true, predicted)
    score = found * SCORE_UNITS // (1 if whole else 3)
    columns = dict(zip(STATES, (found, predicted, true, score), strict=True))
    rows = pl.DataFrame({**columns, UNIT: random.integers(0, 20, 60).astype(str), KIND: min(KINDS)})
    return rows.group_by(pl.all()).agg(pl.len().cast(pl.Int64).alias(COUNT)).with_columns(group=pl.lit(str(seed)))


@pytest.mark.parametrize("few", [0, 10_000])
def test_groups_that_share_states_have_the_figures_that_each_has_alone(monkeypatch, few):
    monkeypatch.setattr(cells, "MOST_STATES", few)
    parts = [counted(1, whole=True), counted(2, whole=False), counted(3, whole=True)]
    together = dict(zip("123", (one for _, one in cells_of_groups(pl.concat(parts), VIEW, ["group"])), strict=True))
    for name, part in zip("123", parts, strict=True):
        ((_, alone),) = cells_of_groups(part, VIEW, ["group"])
        for figure in VIEW.metrics:
            ours, theirs = (figure.estimate(one[figure.kind], 0.95) for one in (together[name], alone))
            assert ours == theirs


@pytest.mark.parametrize("few", [0, 10_000])
def test_pairs_hold_the_states_of_both_sides(monkeypatch, few):
    monkeypatch.setattr(cells, "MOST_STATES", few)
    rows = pl.DataFrame({"a": ["x", "y", "y"], "a!": ["y", "y", "z"], COUNT: [1, 2, 3], "group": [1, 1, 2]})
    frame, states = number_states(rows, ["a"], ("", "!"))
    assert states["a"].to_list() == ["x", "y", "z"]
    for group, expected in ((1, [("x", "y", 1), ("y", "y", 2)]), (2, [("y", "z", 3)])):
        found = pairs_from_counts(frame.filter(pl.col("group") == group), states, "!")
        words = found.states["a"]
        assert list(zip(words[found.first], words[found.second], found.counts.tolist(), strict=True)) == expected


def test_cells_stand_in_the_order_of_their_units_and_states():
    rows = pl.DataFrame({"a": ["y", "x", "x"], UNIT: ["q", "q", "p"], COUNT: [1, 2, 3]})
    found = cells_of_counts(*number_states(rows, ["a"]))
    assert (found.units.tolist(), found.states["a"][found.place].to_list()) == ([0, 1, 1], ["x", "x", "y"])
    assert found.counts.tolist() == [3, 2, 1]


@pytest.mark.parametrize("most", [(15, 15), (16, 16, 255), (2**16, 2**16), (2**31, 3, 2**40), (1, 1)])
def test_rows_of_numbers_of_any_size_are_told_apart_and_counted(most):
    """Numbers that stand for whole rows go beyond 8, 16, 32 and 64 bits."""
    draw = np.random.default_rng(0)
    columns = [draw.choice([0, size // 2, size], 500).astype(np.min_scalar_type(size)) for size in most]
    rows, times = cells.distinct_rows(columns)
    expected = Counter(zip(*(column.tolist() for column in columns), strict=True))
    assert [*zip(*rows.tolist(), strict=True)] == sorted(expected)
    assert dict(zip(zip(*rows.tolist(), strict=True), times.tolist(), strict=True)) == expected
