"""Strength and paired differences: their intervals, and tests that say the same."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from adjudge.errors import DataError
from adjudge.estimate import Caveat
from adjudge.statistics.clusters import cluster_degrees, worth_of_clusters
from adjudge.statistics.comparison import mcnemar_mid_p
from adjudge.statistics.intervals import tango_limits
from adjudge.statistics.strength import (
    clustered_paired_difference,
    clustered_strength_product,
    paired_difference,
    strength,
    strength_product,
)

COUNTS = st.integers(0, 300)
CLUSTERS = st.lists(
    st.integers(1, 9).flatmap(
        lambda x: st.integers(0, x).flatmap(lambda a: st.tuples(st.just(a), st.integers(0, x - a), st.just(x)))
    ),
    min_size=2,
    max_size=15,
)
CONFIDENCES = (0.5, 0.8, 0.9, 0.95, 0.99, 0.999)


def agree(comparison, confidence):
    """Whether the interval leaves out 0 exactly where p is below 1 - confidence."""
    one = comparison.estimate
    same = (one.low > 0 or one.high < 0) == (comparison.p < 1 - confidence)
    return same or comparison.p == pytest.approx(1 - confidence)  # on the edge rounding decides


@given(COUNTS, COUNTS, COUNTS)
def test_an_interval_of_items_leaves_out_0_exactly_where_the_test_rejects(first, second, rest):
    for confidence in CONFIDENCES if first + second + rest else ():
        assert agree(paired_difference(first, second, first + second + rest, confidence=confidence), confidence)


@given(COUNTS, COUNTS, COUNTS, COUNTS)
def test_a_product_leaves_out_0_exactly_where_the_test_rejects(agreed, disagreed, alone, missing):
    compared = agreed + disagreed
    for confidence in CONFIDENCES if compared else ():
        counts = agreed, compared, compared + alone, compared + alone + missing
        assert agree(strength_product(*counts, confidence=confidence), confidence)


@given(CLUSTERS)
def test_intervals_in_clusters_leave_out_0_exactly_where_the_test_rejects(rows):
    a, d, x = np.array(rows).T
    for confidence in CONFIDENCES:
        assert agree(clustered_paired_difference(a, d, x, confidence=confidence), confidence)
        if (a + d).any():
            assert agree(clustered_strength_product(a, a + d, x, x + 1, confidence=confidence), confidence)


def test_p_is_mcnemars_mid_p():
    assert paired_difference(1, 7, 21).p == mcnemar_mid_p(1, 7)
    assert paired_difference(60, 0, 60).p == pytest.approx(0.5**60)
    assert paired_difference(1, 7, 21).estimate.caveat == Caveat.FEW_DISCORDANT_ITEMS
    assert paired_difference(10, 2, 100).estimate.caveat is None


@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
def test_at_usual_confidences_the_interval_is_never_narrower_than_tangos(confidence):
    z = stats.norm.isf((1 - confidence) / 2)
    for discordant in range(1, 200):
        for fewer in range((discordant + 1) // 2):
            score = (discordant - 2 * fewer) / np.sqrt(discordant)
            assert score > z or mcnemar_mid_p(fewer, discordant - fewer) >= 1 - confidence


def test_the_interval_is_tangos_as_published():
    """Tango 1998, table of airway hyper-responsiveness."""
    one = paired_difference(1, 7, 21).estimate
    assert np.round([one.low, one.high], 3).tolist() == [-0.517, -0.026]


def test_where_the_score_test_is_bolder_than_mid_p_the_interval_is_stretched():
    z = stats.norm.ppf(0.975) * (9 / np.sqrt(21)) / stats.norm.isf(mcnemar_mid_p(6, 15) / 2)
    low, high = tango_limits(15, 6, 40, z)
    found = paired_difference(15, 6, 40)
    assert found.p > 0.05
    assert (found.estimate.low, found.estimate.high) == pytest.approx((low, high))
    assert tango_limits(15, 6, 40, stats.norm.ppf(0.975)).low > 0 > low


def test_in_clusters_tangos_interval_has_shrunk_counts_and_the_t_of_bell_and_mccaffrey():
    b, c, x = (np.array(column * 5, dtype=float) for column in ([3, 1, 0, 4], [0, 1, 2, 1], [5, 4, 4, 6]))
    ours = clustered_paired_difference(b, c, x)
    worth, degrees = worth_of_clusters(b, c, x, np.ones(20), most=2), cluster_degrees(x)
    low, high = tango_limits(worth * b.sum(), worth * c.sum(), worth * x.sum(), stats.t.ppf(0.975, degrees))
    assert (ours.estimate.low, ours.estimate.high) == pytest.approx((low, high))
    score = np.sqrt(worth) * (b.sum() - c.sum()) / np.sqrt(b.sum() + c.sum())
    assert ours.p == pytest.approx(2 * stats.t.sf(score, degrees))
    with pytest.raises(DataError, match="first count"):
        clustered_paired_difference([2], [2], [3])


@pytest.mark.parametrize(
    ("counts", "note"),
    [((3, 1, 29), Caveat.FEW_DECIDED_PAIRS), ((3, 1, 30), Caveat.FEW_DECIDED_PAIRS), ((3, 2, 30), None)],
)
def test_strength_says_where_few_pairs_are_decided(counts, note):
    estimate = strength(*counts).estimate
    assert estimate.caveat == note
    assert estimate.value == (counts[0] - counts[1]) / counts[2]


def test_strength_has_an_interval_where_p_is_the_least_float():
    found = strength(1074, 0, 1100)
    assert found.p == 2**-1074  # half of the probability of 1,074 heads or as many tails, and half of that is 0
    assert found.estimate.low > 0.9


def test_strength_as_a_product_is_kappa_times_relevance():
    estimate = strength_product(45, 50, 100, 200).estimate
    assert estimate.value == pytest.approx(0.8 * 0.5)
    assert (estimate.n, estimate.caveat, estimate.method) == (200, None, "mover")
    assert strength_product(45, 50, 60, 99).estimate.caveat == Caveat.APPROXIMATE
    assert strength_product(0, 0, 0, 0).estimate.reason == "no items"
    assert strength_product(0, 0, 0, 9).estimate.reason == "no items to compare"


def test_clustered_strength_product_says_why_it_is_undefined():
    assert clustered_strength_product([], [], [], []).estimate.reason == "no items"
    assert clustered_strength_product([0], [0], [1], [3]).estimate.reason == "no items to compare"
    assert clustered_strength_product([1], [1], [2], [3]).estimate.caveat == Caveat.ONE_CLUSTER
    with pytest.raises(DataError, match="compared"):
        clustered_strength_product([1], [4], [2], [3])
