"""Tests and differences against published examples, scipy and statsmodels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

from adjudge.errors import DataError
from adjudge.estimate import Caveat, Estimate
from adjudge.statistics.clusters import cluster_degrees, worth_of_clusters
from adjudge.statistics.comparison import (
    Strata,
    difference_of_variance,
    holm,
    independent_difference,
    linearised_difference,
    mcnemar_mid_p,
    paired_means_difference,
    paired_t,
)
from adjudge.statistics.intervals import tango_limits
from adjudge.statistics.proportions import proportion

COUNTS = st.integers(0, 500)
SCORES = st.lists(st.floats(-1, 1).map(lambda x: round(x, 6)), min_size=2, max_size=40)


def test_mid_p_is_the_one_published_for_airway_hyper_responsiveness():
    """Fagerland, Lydersen and Laake 2013: 1 and 7 discordant children, mid-P .039."""
    assert round(mcnemar_mid_p(1, 7), 3) == 0.039


@given(COUNTS, COUNTS)
def test_mid_p_is_the_binomial_sum_of_scipy(first, second):
    m = first + second
    chances, apart = stats.binom.pmf(range(m + 1), m, 0.5), np.abs(2 * np.arange(m + 1) - m)
    more_extreme, as_extreme = (
        chances[where].sum() for where in (apart > abs(first - second), apart == abs(first - second))
    )
    expected = more_extreme + as_extreme / 2 if m else 1
    assert mcnemar_mid_p(first, second) == pytest.approx(expected, rel=1e-9, abs=1e-14)
    assert mcnemar_mid_p(second, first) == mcnemar_mid_p(first, second)


@settings(max_examples=10)
@given(st.lists(st.floats(0, 1), min_size=10, max_size=20))
def test_holm_is_statsmodels(p_values):
    from statsmodels.stats.multitest import multipletests

    assert holm(p_values) == pytest.approx(multipletests(p_values, method="holm")[1].tolist())


@given(SCORES)
def test_paired_t_is_scipys(differences):
    ours = paired_t(differences)
    if np.ptp(differences) < 1e-5:
        return
    theirs = stats.ttest_1samp(differences, 0)
    low, high = theirs.confidence_interval(0.95)
    assert ours.p == pytest.approx(theirs.pvalue, rel=1e-6, abs=1e-12)
    assert (ours.estimate.low, ours.estimate.high) == pytest.approx((low, high), rel=1e-6, abs=1e-9)


def satterthwaite(sizes):
    """Bell and McCaffrey's degrees of freedom from the matrices: (tr G'G)^2 / tr (G'G)^2, a column of G per cluster."""
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    rest = np.eye(sum(sizes)) - 1 / sum(sizes)
    columns = []
    for one in range(len(sizes)):
        own = clusters == one
        values, vectors = np.linalg.eigh(rest[np.ix_(own, own)])
        root = vectors @ np.diag(values**-0.5) @ vectors.T
        columns.append(rest[:, own] @ root @ np.ones(own.sum()) / sum(sizes))
    products = np.stack(columns) @ np.stack(columns).T
    return np.trace(products) ** 2 / np.trace(products @ products)


@pytest.mark.parametrize("sizes", [[1, 1], [5, 5, 5, 5], [2, 1, 4, 1], [1, 1, 1, 30], [3, 8, 1, 1, 12, 2]])
def test_degrees_of_freedom_are_those_of_bell_and_mccaffrey(sizes):
    assert cluster_degrees(sizes) == pytest.approx(satterthwaite(sizes))
    assert cluster_degrees([0, *sizes], multiplicity=[9, *[2] * len(sizes)]) == pytest.approx(satterthwaite(sizes * 2))


def test_paired_t_over_clusters_is_the_linearised_ratio():
    d, x = np.array([1.0, -0.5, 2.0, 0.3]), np.array([2, 1, 4, 1])
    mean = d.sum() / x.sum()
    variance = ((d - mean * x) ** 2 / (1 - x / x.sum())).sum() / x.sum() ** 2
    ours = paired_t([*d, 0], totals=[*x, 0])
    degrees = satterthwaite(x)
    assert ours.p == pytest.approx(2 * stats.t.sf(abs(mean) / np.sqrt(variance), degrees))
    half = stats.t.ppf(0.975, degrees) * np.sqrt(variance)
    assert (ours.estimate.low, ours.estimate.high) == pytest.approx((mean - half, mean + half))


def test_paired_t_without_variation_gives_no_interval():
    same, equal, single = paired_t([0.5, 0.5, 0.5]), paired_t([0.0, 0.0]), paired_t([0.5])
    assert (same.estimate.low, same.estimate.caveat, same.p) == (None, Caveat.NO_VARIATION, pytest.approx(1 / 8))
    assert (equal.estimate.value, equal.p) == (0, 1)
    assert (single.estimate.caveat, single.p) == (Caveat.ONE_ITEM, None)
    assert paired_t([]).estimate.reason == "no items"
    with pytest.raises(DataError, match="totals"):
        paired_t([1], totals=[-1])


def test_a_linearised_difference_without_clusters_or_variation_says_so():
    assert linearised_difference(0.0, []).estimate.reason == "no clusters"
    assert linearised_difference(1.0, [0.0]).estimate.caveat == Caveat.ONE_CLUSTER
    constant = linearised_difference(1.0, [0.0, 0.0, 0.0])
    assert (constant.estimate.caveat, constant.p) == (Caveat.NO_VARIATION, pytest.approx(1 / 8))


@pytest.mark.parametrize(("first", "second", "n"), [(9, 2, 40), (0, 3, 50), (30, 31, 61), (40, 12, 300)])
def test_one_stratum_has_the_limits_of_tango_and_the_p_of_mcnemar(first, second, n):
    """That p is the score test of which Tango's limits are the inverse."""

    from statsmodels.stats.contingency_tables import mcnemar

    found = paired_means_difference([strata_of([first], [second], [n])])
    limits = tango_limits(first, second, n, stats.norm.ppf(0.975))
    assert [found.estimate.low, found.estimate.high] == pytest.approx(limits, abs=1e-12)
    test = mcnemar([[1, first], [second, 1]], exact=False, correction=False)
    assert found.p == pytest.approx(test.pvalue, rel=1e-9)
    assert (found.estimate.n, found.estimate.caveat) == (n, None)


def strata_of(*columns):
    return Strata(*map(np.array, columns))


STRATA = [([3, 8, 1], [1, 2, 0], [20, 60, 2]), ([0, 4], [5, 3], [30, 45])]


def mover(strata, r, z):
    """How far the mean over strata is from its limits."""
    b, c, n = map(np.array, strata)
    low, high = tango_limits(b, c, n, z)
    gaps = (b - c) / n
    return [np.sqrt(side @ r @ side) / len(n) for side in (gaps - low, high - gaps)]


def test_a_mean_over_strata_joins_their_distances_and_its_p_is_where_the_limit_is_0():
    r = np.array([[1.0, 0.3, 0.0], [0.3, 1.0, 0.2], [0.0, 0.2, 1.0]])
    strata = strata_of(*STRATA[0])._replace(correlations=r)
    found = paired_means_difference([strata])
    value = np.mean([2 / 20, 6 / 60, 1 / 2])
    below, above = mover(STRATA[0], r, stats.norm.ppf(0.975))
    assert [found.estimate.value, found.estimate.low, found.estimate.high] == pytest.approx(
        [value, value - below, value + above], abs=1e-12
    )
    assert found.estimate.caveat == Caveat.CONSERVATIVE
    reaching = optimize.brentq(lambda z: mover(STRATA[0], r, z)[0] - value, 0.01, 9, xtol=1e-13)
    assert found.p == pytest.approx(2 * stats.norm.sf(reaching), rel=1e-9)
    by_t = paired_means_difference([strata], degrees=11)
    assert by_t.p == pytest.approx(2 * stats.t.sf(reaching, 11), rel=1e-9)
    wider = mover(STRATA[0], r, stats.t.ppf(0.975, 11))
    assert by_t.estimate.low == pytest.approx(value - wider[0], abs=1e-12)


def test_a_mean_over_criteria_joins_the_distances_of_each():
    r = np.array([[1.0, 0.4], [0.4, 1.0]])
    found = paired_means_difference([strata_of(*one) for one in STRATA], correlations=r)
    value = np.mean([np.mean([2 / 20, 6 / 60, 1 / 2]), np.mean([-5 / 30, 1 / 45])])

    def distance(z, side):
        own = np.array([mover(one, np.eye(len(one[0])), z)[side] for one in STRATA])
        return np.sqrt(own @ r @ own) / 2

    z = stats.norm.ppf(0.975)
    assert [found.estimate.value, found.estimate.low, found.estimate.high] == pytest.approx(
        [value, value - distance(z, 0), value + distance(z, 1)], abs=1e-12
    )
    reaching = optimize.brentq(lambda z: distance(z, 0) - value, 0.01, 9, xtol=1e-13)
    assert found.p == pytest.approx(2 * stats.norm.sf(reaching), rel=1e-9)


def test_clusters_of_items_that_move_alike_are_worth_one_item_each():
    gained, totals = np.array([3.0, 0.0, 0.0, 3.0]), np.full(4, 3.0)
    lost = np.array([0.0, 3.0, 0.0, 0.0])
    ones = np.ones(4)
    n = 3 * 4
    # R = 1/4; independent (3/4 - 1/16) / 12; residuals 9/4, -15/4, -3/4, 9/4 with 1 - x / N = 3/4
    independent = (3 / 4 - 1 / 16) / n
    clustered = (2 * (9 / 4) ** 2 + (15 / 4) ** 2 + (3 / 4) ** 2) / (3 / 4) / n**2
    assert worth_of_clusters(gained, lost, totals, ones) == pytest.approx(independent / clustered)


def test_few_and_skewed_differences_are_noted():
    assert paired_t([0.2] * 4 + [0] * 96).estimate.caveat == Caveat.SKEWED
    assert paired_t([0.2] * 5 + [0] * 95).estimate.caveat == Caveat.SKEWED
    assert paired_t([0.2, -0.2] * 5 + [0] * 90).estimate.caveat is None
    assert paired_t([0.2, -0.2] * 10).estimate.caveat == Caveat.APPROXIMATE


def test_sizes_of_clusters_weigh_their_influence_and_cut_the_degrees_of_freedom():
    """As paired t of the same sums: u = (d - R x) / N."""
    d, x = np.array([1.0, -0.5, 2.0, 0.3, 1.1]), np.array([2.0, 1, 4, 1, 3])
    ratio = d.sum() / x.sum()
    ours = linearised_difference(ratio, (d - ratio * x) / x.sum(), sizes=x)
    assert ours.p == pytest.approx(paired_t(d, totals=x).p)
    known = difference_of_variance(0.3, 0.01, 5)
    assert known.p == pytest.approx(2 * stats.t.sf(0.3 / np.sqrt(0.01 * 5 / 4), 4))


@pytest.mark.parametrize(
    ("first", "second", "low", "high"),
    [
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
        ((10, 10), (0, 20), 0.6791, 1.0),
        ((6, 7), (2, 7), 0.0582, 0.8062),
    ],
)
def test_differences_of_different_items_are_those_that_newcombe_published(first, second, low, high):
    """Newcombe 1998, Statistics in Medicine 17, 873-890, table II, method 10."""
    found = independent_difference(proportion(*first), proportion(*second))
    assert (round(found.estimate.low, 4), round(found.estimate.high, 4)) == (low, high)
    assert found.p < 0.05


@pytest.mark.parametrize("sizes", [(20, 20), (30, 50)])
def test_equal_figures_of_different_items_are_told_apart_in_about_one_of_twenty(sizes):
    """Summed over all outcomes; nearer 0 and 1 it is fewer."""
    tables = [[proportion(hits, size) for hits in range(size + 1)] for size in sizes]
    told = np.array([[independent_difference(one, other).p < 0.05 for other in tables[1]] for one in tables[0]])
    for share in (0.2, 0.3, 0.5, 0.8):
        chances = [stats.binom.pmf(np.arange(size + 1), size, share) for size in sizes]
        assert 0.03 < chances[0] @ told @ chances[1] < 0.06


def test_a_difference_of_different_items_needs_both_intervals():
    alone, known = Estimate(0.5, n=1, caveat=Caveat.ONE_ITEM), proportion(5, 10)
    found = independent_difference(alone, known)
    assert (found.estimate.value, found.p) == (0.0, None)
    assert (found.estimate.low, found.estimate.caveat) == (None, Caveat.ONE_ITEM)
    assert independent_difference(known, Estimate.undefined("no items")).estimate.reason == "no items"
