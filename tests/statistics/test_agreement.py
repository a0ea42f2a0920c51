"""Kappa against scikit-learn, statsmodels and published tables."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from adjudge.errors import DataError
from adjudge.estimate import Caveat
from adjudge.statistics.agreement import ClusteredCells, cohen_kappa, contingency_of_table, kappa_influence
from adjudge.statistics.proportions import proportion

TABLES = st.integers(2, 5).flatmap(lambda k: arrays(np.int64, (k, k), elements=st.integers(0, 40)))


def influence_of_cells(table):
    return kappa_influence(contingency_of_table(table))(*np.indices(np.shape(table)))


def has_chance_of_disagreement(table):
    n = table.sum()
    return n > 0 and table.sum(axis=0) @ table.sum(axis=1) < n**2


def test_kappa_of_the_example_of_cohen_1960():
    """Proportions .44 .07 .09 / .05 .20 .05 / .01 .03 .06 of 200 items: po = .70, pe = .41, kappa = .492."""
    assert cohen_kappa([[88, 14, 18], [10, 40, 10], [2, 6, 12]]).value == pytest.approx((0.70 - 0.41) / (1 - 0.41))


# statsmodels also works out a z-value, and warns where its standard error is 0; it is not used here.
@pytest.mark.filterwarnings("ignore:.*encountered in:RuntimeWarning")
@given(TABLES)
def test_kappa_and_its_variance_are_those_of_statsmodels_and_scikit_learn(table):
    from sklearn.metrics import cohen_kappa_score
    from statsmodels.stats.inter_rater import cohens_kappa

    assume(has_chance_of_disagreement(table))
    second = cohens_kappa(table)
    assert cohen_kappa(table).value == pytest.approx(second.kappa, abs=1e-9)
    variance = (table * influence_of_cells(table) ** 2).sum() / table.sum() ** 2
    assert variance == pytest.approx(second.var_kappa, abs=1e-9)
    rows, columns = np.indices(table.shape)
    first, other = np.repeat(rows.ravel(), table.ravel()), np.repeat(columns.ravel(), table.ravel())
    assert cohen_kappa(table).value == pytest.approx(cohen_kappa_score(first, other), abs=1e-9)


@given(TABLES)
def test_the_influence_of_items_adds_up_to_nothing_and_predicts_one_more_item(table):
    assume(has_chance_of_disagreement(table))
    influence = influence_of_cells(table)
    n = table.sum()
    assert (table * influence).sum() / n == pytest.approx(0, abs=1e-9)
    more = table * 1e6
    more[0, -1] += 1
    moved = (cohen_kappa(more).value - cohen_kappa(table).value) * n * 1e6
    assert moved == pytest.approx(influence[0, -1], rel=1e-2, abs=1e-2)


def test_perfect_agreement_has_the_interval_of_a_perfect_proportion():
    """po = 1 maps to kappa 1; low = (L - 1/2) / (1/2) with Wilson's L = n / (n + z^2)."""
    estimate = cohen_kappa([[50, 0], [0, 50]])
    assert (estimate.value, estimate.high) == (1, 1)
    assert estimate.low == pytest.approx(2 * proportion(100, 100).low - 1)


@pytest.mark.parametrize("table", [[[9, 0], [0, 0]], [[7]]])
def test_one_and_the_same_label_throughout_leaves_kappa_undefined(table):
    assert cohen_kappa(table).reason == "both judges used one and the same label"
    with pytest.raises(DataError, match="undefined"):
        influence_of_cells(table)


@pytest.mark.parametrize(("n", "note"), [(58, Caveat.FEW_CHANCE_DISAGREEMENTS), (60, None)])
def test_kappa_says_where_chance_would_hardly_disagree(n, note):
    assert cohen_kappa([[n // 2, 0], [0, n // 2]]).caveat == note


def long_form(tables):
    places = np.argwhere(np.ones(np.shape(tables)))
    return ClusteredCells(*places.T, np.ravel(tables))


def test_uniform_clusters_count_as_single_items():
    small = np.repeat(np.eye(4), [40, 10, 15, 35], axis=0).reshape(-1, 2, 2)
    single = cohen_kappa(small.sum(axis=0), clusters=long_form(small))
    several = cohen_kappa(5 * small.sum(axis=0), clusters=long_form(5 * small))
    assert (several.low, several.high) == pytest.approx((single.low, single.high))


def test_kappa_in_one_cluster_has_no_interval_and_in_perfect_ones_does_not_collapse():
    assert cohen_kappa([[2, 0], [0, 2]], clusters=long_form([[[2, 0], [0, 2]]])).caveat == Caveat.ONE_CLUSTER
    estimate = cohen_kappa([[2, 0], [0, 2]], clusters=long_form([[[1, 0], [0, 1]]] * 2))
    assert estimate.low < estimate.high == 1
