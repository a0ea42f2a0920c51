"""Weighted kappas and rank correlation against scikit-learn and scipy, and their influence against small steps."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import spearmanr

from adjudge.errors import DataError
from adjudge.statistics.agreement import contingency_of_table, rank_correlation, weighted_kappa

TABLES = st.integers(2, 6).flatmap(lambda k: arrays(np.int64, (k, k), elements=st.integers(0, 9)))
WEIGHTS = ("linear", "quadratic")


def labels(table):
    """Both judges' labels of each item."""
    rows, columns = np.indices(table.shape)
    return np.repeat(rows.ravel(), table.ravel()), np.repeat(columns.ravel(), table.ravel())


def places(table):
    return np.arange(len(table), dtype=float)


def test_quadratic_kappa_worked_by_hand():
    """Two of 8 items are one step apart: 2/8 is seen.

    By chance both variances and the square of the difference of means, of margins 3, 2, 3 and 2, 4, 2: 3/4 + 1/2 + 0.
    Kappa is 1 - (1/4) / (5/4).
    """
    table = np.array([[2, 1, 0], [0, 2, 0], [0, 1, 2]])
    assert weighted_kappa(contingency_of_table(table), places(table), "quadratic")[0] == pytest.approx(4 / 5)


@given(TABLES, st.sampled_from(WEIGHTS))
def test_weighted_kappas_are_those_of_scikit_learn(table, weights):
    from sklearn.metrics import cohen_kappa_score

    assume(np.count_nonzero(table.sum(axis=0) + table.sum(axis=1)) > 1)
    expected = cohen_kappa_score(*labels(table), weights=weights, labels=range(len(table)))
    assert weighted_kappa(contingency_of_table(table), places(table), weights)[0] == pytest.approx(expected, abs=1e-12)


@given(TABLES)
def test_the_rank_correlation_is_that_of_scipy(table):
    first, second = labels(table)
    assume(len(set(first)) > 1 and len(set(second)) > 1)
    assert rank_correlation(contingency_of_table(table))[0] == pytest.approx(spearmanr(first, second)[0], abs=1e-12)


@given(TABLES, st.sampled_from([*WEIGHTS, "ranks"]))
def test_influence_is_how_far_one_more_item_moves_the_figure(table, kind):
    """Over a small part of an item."""
    assume(all(np.count_nonzero(table.sum(axis=axis)) > 1 for axis in (0, 1)))

    def figure(counts):
        long = contingency_of_table(counts)
        return rank_correlation(long) if kind == "ranks" else weighted_kappa(long, places(counts), kind)

    influence = figure(table)[1](*np.indices(table.shape))
    assert (table * influence).sum() == pytest.approx(0, abs=1e-9)
    for cell in np.ndindex(table.shape):
        step = np.zeros(table.shape)
        step[cell] = 1e-6
        slope = (4 * figure(table + step)[0] - 3 * figure(table)[0] - figure(table + 2 * step)[0]) / 2e-6
        assert influence[cell] == pytest.approx(slope, abs=1e-5)


def test_places_that_are_uneven_weigh_as_far_as_they_are_apart():
    """Labels at 1, 2 and 5: two of 4 items are 3 apart; by chance the mean distance of the margins 2, 1, 1."""
    table = np.array([[2, 0, 0], [0, 0, 1], [0, 1, 0]])
    far = np.array([1.0, 2.0, 5.0])
    p = np.array([2, 1, 1]) / 4
    chance = sum(p[i] * p[j] * abs(far[i] - far[j]) for i in range(3) for j in range(3))
    assert weighted_kappa(contingency_of_table(table), far, "linear")[0] == pytest.approx(1 - (2 * 3 / 4) / chance)


def test_what_is_undefined_says_why():
    with pytest.raises(DataError, match="both judges used one and the same label"):
        weighted_kappa(contingency_of_table([[3, 0], [0, 0]]), np.array([1.0, 2.0]), "linear")
    with pytest.raises(DataError, match="one of the judges used one label only"):
        rank_correlation(contingency_of_table([[3, 2], [0, 0]]))
    with pytest.raises(DataError, match="no items"):
        rank_correlation(contingency_of_table(np.zeros((2, 2))))
