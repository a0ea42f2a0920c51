"""The rate of flags corrected for what a judge misses and what it flags in vain, by hand and simulated."""

import numpy as np
import pytest

from karat.estimate import Note
from karat.statistics import true_rate


def test_it_is_the_formula_of_rogan_and_gladen():
    # (0.3 + 0.9 - 1) / (0.8 + 0.9 - 1)
    found = true_rate(300, 1000, 40, 50, 90, 100)
    assert (found.value, found.n, found.note) == (pytest.approx(2 / 7), 1000, None)
    # q' = 301.920729 / 1003.841459 = 0.300765, se' = 41/52, sp' = 91/102, se' + sp' - 1 = 0.680618, p' = 0.283451;
    # V: 2.09502e-4, 3.20750e-3, 9.43265e-4; shift 7.682918 (p' 3.20750e-3 - (1 - p') 9.43265e-4) = 0.001792;
    # half 1.959964 sqrt(2.09502e-4 + p'^2 3.20750e-3 + (1 - p')^2 9.43265e-4) / 0.680618 = 0.088829.
    assert (found.low, found.high) == (pytest.approx(0.196414, abs=2e-6), pytest.approx(0.374072, abs=2e-6))


def test_it_stays_a_share_and_is_undefined_where_the_judge_tells_nothing():
    assert true_rate(5, 100, 40, 50, 90, 100).value == 0
    assert (
        true_rate(0, 100, 40, 50, 90, 100).reason
        == "its flags do not fit its errors on labelled items: were these chosen by its labels?"
    )
    assert true_rate(50, 100, 5, 10, 5, 10).reason == "the judge flags what people flag no more often than the rest"
    assert true_rate(50, 100, 0, 0, 5, 10).reason == "people gave only one of both labels"
    assert true_rate(0, 0, 1, 1, 1, 1).reason == "no items of which the judge alone speaks"
    nearly = true_rate(50, 100, 1, 1, 1, 2)
    assert (nearly.low, nearly.high, nearly.note) == (0, 1, Note.FEW_ITEMS)


def test_intervals_hold_a_known_truth():
    rng, held = np.random.default_rng(3), 0
    for _ in range(500):
        found = true_rate(
            rng.binomial(500, 0.1 * 0.8 + 0.9 * 0.05), 500, rng.binomial(60, 0.8), 60, rng.binomial(90, 0.95), 90
        )
        held += found.low <= 0.1 <= found.high
    assert 0.92 <= held / 500 <= 0.98
