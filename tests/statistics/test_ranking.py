"""Ranks by hand."""

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from adjudge.metrics.ranking import rank_ranges
from adjudge.statistics.comparison import borda, mean_rank

ENDS = {"low": None, "high": None}


def ranges(p, values, confidence=0.95):
    pairs = combinations(range(len(values)), 2)
    rows = [{"first": i, "second": j, "value": values[j] - values[i], "p_adjusted": p[i][j], **ENDS} for i, j in pairs]
    return list(rank_ranges(range(len(values)), rows, confidence).values())


def test_ranks_run_from_the_better_to_the_worse():
    """First beats third and fourth; second beats fourth; nothing else is significant."""
    p = [[None, 0.5, 0.01, 0.001], [0.5, None, 0.2, 0.04], [0.01, 0.2, None, None], [0.001, 0.04, None, None]]
    assert ranges(p, [0.9, 0.8, 0.6, 0.5]) == [(1, 2), (1, 3), (2, 4), (3, 4)]
    assert ranges(p, [0.9, 0.8, 0.6, 0.5], 0.9999) == [(1, 4)] * 4
    assert ranges(np.ones((3, 3)), [0.1, 0.2, 0.3]) == [(1, 3)] * 3


def test_borda_counts_the_beaten_and_half_the_ties():
    assert borda([0.2, 0.9, 0.2, 0.1]) == [1.5, 3, 1.5, 0]
    assert borda([None, 0.5]) == [None, 0]
    assert borda([]) == []


@given(st.lists(st.integers(0, 5), min_size=1, max_size=8))
def test_borda_and_mean_rank_are_scipys_ranks(values):
    ranks = rankdata(values)
    assert borda(values) == (ranks - 1).tolist()
    assert mean_rank([[v] for v in values]) == (len(values) + 1 - ranks).tolist()
