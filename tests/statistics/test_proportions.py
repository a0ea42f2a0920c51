"""Proportions, clustered and not, against slow literal versions kept here."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from adjudge.errors import DataError, OptionError
from adjudge.estimate import Caveat
from adjudge.statistics.clusters import effective_counts
from adjudge.statistics.proportions import clustered_f1, clustered_proportion, mean_of_shares, proportion

CLUSTERS = st.lists(
    st.integers(0, 9).flatmap(lambda x: st.tuples(st.integers(0, x), st.just(x), st.integers(0, 4))),
    min_size=1,
    max_size=20,
)


def literal_effective_n(successes, totals):
    """The formulas of the docstring, cluster by cluster and item by item."""
    rows = [(y, x) for y, x in zip(successes, totals, strict=True) if x]
    total = sum(x for _, x in rows)
    ratio = sum(y for y, _ in rows) / total
    squares = sum(x * x for _, x in rows)
    if len(rows) == 1 or ratio in {0, 1}:
        return total**2 / squares
    variance = sum((y - ratio * x) ** 2 / (1 - x / total) for y, x in rows) / total**2
    first = min(ratio * (1 - ratio) / variance, total) if variance > 0 else total**2 / squares
    groups = [np.repeat([1.0, 0.0], [y, x - y]) for y, x in rows]
    correlation = 1.0
    if total > len(rows):
        between = sum(len(g) * (g.mean() - ratio) ** 2 for g in groups) / (len(rows) - 1)
        within = sum(((g - g.mean()) ** 2).sum() for g in groups) / (total - len(rows))
        size = (total - squares / total) / (len(rows) - 1)
        correlation = min(max((between - within) / (between + (size - 1) * within), 0), 1)
    return min(first, total / (1 + (squares / total - 1) * correlation))


def test_a_proportion_has_wilsons_interval():
    estimate = proportion(81, 263)
    assert (round(estimate.low, 4), round(estimate.high, 4)) == (0.2553, 0.3662)
    assert (estimate.value, estimate.n, estimate.method, estimate.caveat) == (81 / 263, 263, "wilson", None)


def test_a_proportion_of_few_items_says_so_unless_the_interval_is_exact():
    from statsmodels.stats.proportion import proportion_confint

    assert proportion(7, 29).caveat == Caveat.FEW_ITEMS
    assert proportion(7, 30).caveat is None
    exact = proportion(7, 29, interval="clopper-pearson")
    assert exact.caveat is None
    assert (exact.low, exact.high) == pytest.approx(proportion_confint(7, 29, 0.05, method="beta"))


@pytest.mark.parametrize("confidence", [0, 1])
def test_wrong_confidences_are_refused(confidence):
    with pytest.raises(OptionError, match="expected"):
        proportion(1, 2, confidence=confidence)


@pytest.mark.parametrize("successes", [-1, 3])
def test_more_successes_than_items_are_refused(successes):
    with pytest.raises(DataError, match="successes"):
        proportion(successes, 2)


@given(CLUSTERS)
def test_the_effective_n_is_that_of_the_literal_formulas(rows):
    expanded = [(y, x) for y, x, times in rows for _ in range(times)]
    counts = effective_counts(*np.array(rows).T[:2], multiplicity=[times for *_, times in rows])
    if not any(x for _, x in expanded):
        assert counts == (0, 0, 0, 0, 0)
        return
    successes, totals = zip(*expanded, strict=True)
    assert counts.n == pytest.approx(literal_effective_n(successes, totals), rel=1e-9)
    assert counts.successes / counts.n == pytest.approx(sum(successes) / sum(totals), rel=1e-9, abs=1e-15)
    assert counts.clusters == sum(x > 0 for x in totals)
    assert (counts.observed, counts.items) == (sum(successes), sum(totals))


def test_a_clustered_proportion_by_hand():
    """Two uniform clusters of two: R = 1/2, effective n = 1, t(1) = 12.7062; half width t/2 / sqrt(1 + t^2)."""
    t = stats.t.ppf(0.975, 1)
    half = t / 2 / np.sqrt(1 + t * t)
    estimate = clustered_proportion([2, 0], [2, 2])
    assert (estimate.low, estimate.high) == pytest.approx((0.5 - half, 0.5 + half))


@pytest.mark.parametrize(
    ("clusters", "note"),
    [
        (1, Caveat.ONE_CLUSTER),
        (2, Caveat.FEW_CLUSTERS),
        (9, Caveat.FEW_CLUSTERS),
        (10, Caveat.UNDER_100_CLUSTERS),
        (99, Caveat.UNDER_100_CLUSTERS),
        (100, None),
    ],
)
def test_the_note_of_a_clustered_proportion_says_what_so_many_clusters_allow(clusters, note):
    estimate = clustered_proportion([1] * clusters, [2] * clusters)
    assert estimate.caveat == note
    assert (estimate.low is None) == (clusters == 1)


@pytest.mark.parametrize("columns", [([1, 2], [1]), ([2], [1]), ([-1], [1]), ([np.nan], [1])])
def test_columns_that_do_not_fit_together_are_refused(columns):
    with pytest.raises(DataError, match="expected"):
        clustered_proportion(*columns)
    with pytest.raises(DataError, match="multiplicity"):
        clustered_proportion([1], [1], multiplicity=[-1])


def test_the_limits_of_f1_are_those_of_jaccard_mapped():
    tp, fp, fn = [3, 0, 2, 4] * 6, [1, 2, 0, 0] * 6, [0, 1, 2, 1] * 6
    jaccard = clustered_proportion(tp, np.sum([tp, fp, fn], axis=0))
    estimate = clustered_f1(tp, fp, fn)
    assert estimate.low == pytest.approx(2 * jaccard.low / (1 + jaccard.low))
    assert estimate.high == pytest.approx(2 * jaccard.high / (1 + jaccard.high))
    assert estimate.caveat == Caveat.UNDER_100_CLUSTERS


def test_f1_of_nothing_is_undefined_and_of_one_text_has_no_interval():
    assert clustered_f1([0], [0], [0]).value is None
    assert clustered_f1([1], [1], [0]).caveat == Caveat.ONE_CLUSTER
    with pytest.raises(DataError, match="from 0"):
        clustered_f1([1], [-1], [0])


def test_a_mean_over_one_criterion_is_the_proportion_with_t():
    """n* = n - 1 for one criterion: v = p (1 - p) / (n - 1)."""
    influence = np.array([1 - 70 / 120, -70 / 120]) / 120
    estimate = mean_of_shares(70 / 120, influence, items=120, judgments=120, multiplicity=[70, 50])
    p, n, t = 70 / 120, 119, stats.t.ppf(0.975, 119)
    centre = (p + t * t / 2 / n) / (1 + t * t / n)
    half = t * np.sqrt(p * (1 - p) / n + t * t / 4 / n**2) / (1 + t * t / n)
    assert (estimate.value, estimate.low, estimate.high) == pytest.approx((p, centre - half, centre + half))
    assert estimate.caveat is None


def test_a_mean_over_criteria_is_the_same_with_multiplicity():
    influence, times, n = np.array([0.02, -0.01]), np.array([4, 8]), {"items": 12, "judgments": 20}
    long = mean_of_shares(0.7, np.repeat(influence, times), multiplicity=np.ones(12), **n)
    short = mean_of_shares(0.7, influence, multiplicity=times, **n)
    assert (short.low, short.high, short.n) == pytest.approx((long.low, long.high, 12))
    assert short.caveat == Caveat.FEW_ITEMS


def test_a_mean_over_criteria_of_one_item_has_no_interval_and_of_right_ones_ends_at_1():
    assert mean_of_shares(1, [0], items=1, judgments=2, multiplicity=[1]).caveat == Caveat.ONE_ITEM
    assert mean_of_shares(1, [0, 0], items=2, judgments=4, multiplicity=[1, 1]).high == 1
    with pytest.raises(DataError, match="multiplicity"):
        mean_of_shares(1, [0], items=1, judgments=2, multiplicity=[1, 2])
