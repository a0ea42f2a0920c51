"""Draws of a judge, against values worked by hand."""

import numpy as np
import pytest

from adjudge.estimate import Caveat
from adjudge.statistics.intraclass import components, pair_agreement


def test_pairs_of_draws_that_agree_are_counted():
    """2 + 1 of one label and the other: 1 pair of 3; 2 + 2: 2 of 6."""
    assert pair_agreement([[2, 1], [2, 2], [0, 4]]).tolist() == pytest.approx([1 / 3, 1 / 3, 1])


def test_components_are_those_of_shrout_and_fleiss():
    """Their table of six targets and four judges: mean squares 11.24 between and 6.26 within, ICC(1) .17."""
    table = np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], float)
    found = components(table.sum(axis=1, keepdims=True), (table**2).sum(axis=1), [4] * 6)
    assert found.within == pytest.approx(6.264, abs=5e-4)
    assert found.between == pytest.approx((11.242 - 6.264) / 4, abs=5e-4)
    assert found.correlation.value == pytest.approx(0.17, abs=5e-3)


def test_a_variance_of_labels_is_the_probability_that_two_differ():
    """Items aa, ab, bb: within (0 + 1/2 + 0) 2 / 3; the label of all is a in half."""
    sums = np.array([[2.0, 0.0], [1.0, 1.0], [0.0, 2.0]])
    found = components(sums, [2, 2, 2], [2, 2, 2])
    assert found.within == pytest.approx(1 / 3)  # one of three pairs of draws differs
    assert found.between == pytest.approx((1 - 1 / 3) / 2)  # B = 2 (1/2 + 0 + 1/2) / 2 = 1


def test_components_that_cannot_be_known_have_reasons():
    assert components([[2.0], [2.0]], [2, 2], [2, 2]).correlation.reason == "all labels are equal"
    assert components([[2.0]], [2.0], [2]).correlation.reason == "fewer than two items"
    steady = components([[2.0], [0.0]], [2, 0], [2, 2])
    assert (steady.correlation.value, steady.correlation.caveat, steady.within) == (1.0, Caveat.NO_VARIATION, 0.0)
    even = components([[1.0], [1.0]], [1, 1], [2, 2]).correlation
    assert (even.value, even.caveat) == (0.0, Caveat.NO_VARIATION)


def test_the_correlation_of_rare_labels_rests_on_few_items_that_change():
    """29 or 30 of 200 items have draws that differ; of numbers one item of 200 lies a hundred times as far out."""
    for differing, note in ((29, Caveat.FEW_CHANGES), (30, None)):
        ones = np.repeat([0, 1, 2], [100 - differing, differing, 100])
        labels = np.stack([ones, 2 - ones], axis=1).astype(float)
        assert components(labels, np.full(200, 2), np.full(200, 2)).correlation.caveat is note
    steps = np.arange(200.0)
    for far, note in ((0, None), (20_000, Caveat.SKEWED)):
        first, second = steps + far * (steps == 199), steps + 3
        sums, squares = (first + second)[:, None], first**2 + second**2
        assert components(sums, squares, np.full(200, 2)).correlation.caveat is note
