"""Numbers of items against published ones, statsmodels, scipy and literal sums."""

from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from adjudge.errors import OptionError
from adjudge.statistics.comparison import mcnemar_mid_p
from adjudge.statistics.intervals import wilson_limits
from adjudge.statistics.planning import (
    Design,
    _power_by_normal,
    clustered_design,
    discordance,
    fewest_items,
    mean_width,
    paired_difference_power,
    paired_t_power,
    proportion_width,
    smallest_difference,
)
from adjudge.statistics.proportions import clustered_proportion, proportion

CLUSTERED = clustered_design(5, 0.2)
SHARES = st.floats(0, 1)


def literal_power(n, difference, discordant, rejects):
    """Every number of discordant items, every split of them."""
    share = (discordant + difference) / (2 * discordant)
    power = 0.0
    for m in range(n + 1):
        inside = [stats.binom.pmf(b, m, share) for b in range(m + 1) if rejects(b, m - b)]
        power += stats.binom.pmf(m, n, discordant) * sum(inside)
    return power


# --- widths ---


def test_the_width_is_that_of_the_interval_of_the_share():
    from statsmodels.stats.proportion import proportion_confint

    assert proportion_width(10, 0.7) == proportion(7, 10).high - proportion(7, 10).low
    low, high = proportion_confint(196, 245, method="wilson")
    assert proportion_width(245, 0.8) == pytest.approx(high - low, rel=1e-12)


@given(SHARES, st.floats(0.02, 0.9), st.floats(0.5, 0.999))
def test_no_fewer_items_give_the_width(expected, width, confidence):
    items = fewest_items(lambda n: proportion_width(n, expected, confidence=confidence) <= width)
    assert proportion_width(items, expected, confidence=confidence) <= width
    assert items == 1 or proportion_width(items - 1, expected, confidence=confidence) > width


def test_the_width_in_clusters_is_that_of_uniform_clusters_that_are_worth_as_much():
    """20 clusters of 5 that are all right or all wrong are worth 20 items, at t with 19 degrees of freedom."""
    estimate = clustered_proportion([5] * 16 + [0] * 4, [5] * 20)
    planned = proportion_width(100, 0.8, design=clustered_design(5, 1))
    # the estimated effective n is a little smaller: its variance is corrected for leverage
    assert estimate.high - estimate.low == pytest.approx(planned, rel=0.03)
    by_hand = stats.t.ppf(0.975, 19) ** 2 / 20
    assert planned == pytest.approx(np.sqrt(4 * by_hand * 0.16 + by_hand**2) / (1 + by_hand))


def test_one_cluster_and_one_item_say_nothing():
    assert proportion_width(5, 0.8, design=CLUSTERED) == 1
    assert mean_width(1, 0.5) == inf
    assert paired_t_power(1, 1, 1) == 0
    assert paired_difference_power(5, 0.1, 0.3, design=CLUSTERED) == 0


def test_the_width_around_a_mean_is_that_of_t():
    assert mean_width(25, 0.5) == pytest.approx(2 * stats.t.ppf(0.975, 24) * 0.1)
    assert mean_width(100, 0.5, design=clustered_design(5, 0.25)) == pytest.approx(
        2 * stats.t.ppf(0.975, 19) * 0.05 * np.sqrt(2)
    )


@pytest.mark.parametrize("assurance", [0.5, 0.8, 0.95])
@pytest.mark.parametrize(("expected", "width"), [(0.5, 0.1), (0.8, 0.1), (0.95, 0.05), (0.9, 0.2), (0.02, 0.03)])
def test_a_width_holds_as_often_as_assured(expected, width, assurance):
    """Enumerated; how many are right is a whole number, and so is not as likely as asked to the last digit."""
    items = fewest_items(lambda n: proportion_width(n, expected, assurance=assurance) <= width)
    low, high = wilson_limits(np.arange(items + 1), items, stats.norm.ppf(0.975))
    narrow = stats.binom.pmf(np.arange(items + 1), items, expected)[high - low <= width + 1e-12].sum()
    assert narrow == pytest.approx(1 if expected == 0.5 else assurance, abs=0.1)


def test_the_variance_of_a_mean_is_assured_by_chi_square():
    for items in (8, 30, 400):
        inflated = np.sqrt(stats.chi2.ppf(0.8, items - 1) / (items - 1))
        assert mean_width(items, 2, assurance=0.8) == pytest.approx(mean_width(items, 2) * inflated, rel=1e-3)
    n = 100 / (stats.chi2.ppf(0.8, 39) / 39)  # 200 items of 40 clusters are worth 100
    low, high = wilson_limits(0.8 * n, n, stats.t.ppf(0.975, 39))
    planned = proportion_width(200, 0.8, design=clustered_design(5, 0.25), assurance=0.8)
    assert planned == pytest.approx(high - low, rel=1e-3)


# --- power of McNemar's test ---


@pytest.mark.parametrize(
    ("n", "difference", "discordant"), [(6, 0.9, 0.9), (30, 0.2, 0.3), (60, 0.1, 0.4), (40, 0.05, 0.05), (25, 0.3, 1.0)]
)
def test_the_power_is_the_sum_over_all_outcomes(n, difference, discordant):
    expected = literal_power(n, difference, discordant, lambda b, c: mcnemar_mid_p(b, c) < 0.05)
    assert paired_difference_power(n, difference, discordant) == pytest.approx(expected, abs=1e-12)
    assert paired_difference_power(n, -difference, discordant) == paired_difference_power(n, difference, discordant)


@pytest.mark.parametrize(
    ("share", "other", "power", "pairs"), [(0.05, 0.45, 0.8, 22), (0.08, 0.18, 0.9, 269), (0.1, 0.2, 0.8, 233)]
)
def test_connors_formula_gives_the_published_number_of_pairs(share, other, power, pairs):
    """22 pairs at .05 and .45: tests of the R package MESS, "Produces validated results". The others by hand."""
    difference, discordant = other - share, other + share
    z, tail = stats.norm.ppf(0.975), stats.norm.ppf(power)
    by_hand = ((z * np.sqrt(discordant) + tail * np.sqrt(discordant - difference**2)) / difference) ** 2
    assert round(by_hand) == pairs
    assert _power_by_normal(by_hand, difference, discordant, 0.95) == pytest.approx(power, abs=1e-4)
    exact = fewest_items(lambda n: paired_difference_power(n, difference, discordant) >= power, steady=False)
    assert exact == pytest.approx(by_hand, rel=0.08)


@pytest.mark.parametrize(("difference", "discordant"), [(0.1, 0.12), (0.2, 0.3), (0.3, 1.0), (0.15, 0.95), (0.2, 0.2)])
@pytest.mark.parametrize("power", [0.3, 0.8, 0.95])
def test_from_the_number_found_on_the_power_is_never_below(difference, discordant, power):
    found = fewest_items(lambda n: paired_difference_power(n, difference, discordant) >= power, steady=False)
    powers = [paired_difference_power(n, difference, discordant) for n in range(1, 2 * found + 200)]
    assert max(n for n, value in enumerate(powers, 1) if value < power) + 1 == found


# --- power of t ---


@pytest.mark.parametrize(("n", "effect"), [(2, 1.5), (5, 1.0), (34, 0.5), (200, 0.1), (10_000, 0.03)])
@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
def test_the_power_of_t_is_that_of_statsmodels(n, effect, confidence):
    from statsmodels.stats.power import TTestPower

    expected = TTestPower().power(effect, n, 1 - confidence, alternative="two-sided")
    assert paired_t_power(n, 3 * effect, 3, confidence=confidence) == pytest.approx(expected, abs=1e-9)


def test_the_number_of_items_for_t_is_the_textbooks():
    """Cohen 1988 and every program since: a difference of half a standard deviation, power .8, takes 34 pairs."""

    from statsmodels.stats.power import TTestPower

    assert fewest_items(lambda n: paired_t_power(n, 0.5, 1) >= 0.8) == 34
    solved = TTestPower().solve_power(effect_size=0.2, power=0.9, alpha=0.05)
    assert fewest_items(lambda n: paired_t_power(n, 0.2, 1) >= 0.9) == np.ceil(solved)


def test_shares_in_clusters_are_tested_by_t():
    power = paired_difference_power(500, 0.1, 0.3, design=CLUSTERED)
    noncentrality = 0.1 * np.sqrt(500 / 1.8 / (0.3 - 0.01))
    t = stats.t.ppf(0.975, 99) / np.sqrt(1 - 0.01 / 0.3)  # the score test takes the variance of equal judges
    expected = stats.nct.sf(t, 99, noncentrality) + stats.nct.cdf(-t, 99, noncentrality)
    assert power == pytest.approx(expected, abs=1e-9)


# --- both turned round ---


@given(st.floats(0.01, 0.4), st.floats(0.3, 0.95))
def test_the_smallest_difference_needs_the_items_that_show_it(difference, power):
    items = fewest_items(lambda n: paired_t_power(n, difference, 1) >= power)
    found = smallest_difference(lambda gap: paired_t_power(items, gap, 1), power, 10)
    assert found <= difference * (1 + 1e-9)
    assert paired_t_power(items, found, 1) == pytest.approx(power, abs=1e-6)


def test_what_no_number_of_items_reaches_is_an_error():
    with pytest.raises(OptionError, match="it takes more"):
        fewest_items(lambda _: False)


# --- how items hang together ---


def test_clusters_are_drawn_whole():
    design = Design(2, 2.5)
    assert [design.items(c) for c in (1, 2, 3)] == [3, 5, 8]
    assert [design.clusters(n) for n in (3, 5, 8)] == [1, 2, 3]
    assert fewest_items(lambda n: n >= 4, design=design) == 5
    assert Design().clusters(7) is None


def test_the_bounds_are_those_of_a_table_with_these_margins():
    """.8 and .9: at least .1; both wrong never: .2 + .1; independent .8 x .1 + .9 x .2 = .26."""
    assert np.round(discordance(0.8, 0.1), 12).tolist() == [0.1, 0.26, 0.3]
    assert np.round(discordance(0.95, 0.1), 12).tolist() == [0.1, 0.185, 0.2]  # the other is worse


@pytest.mark.parametrize(
    ("wrong", "words"),
    [(lambda: paired_difference_power(5, 0.3, 0.2), "discordant"), (lambda: discordance(0.5, 0.6), "difference")],
)
def test_numbers_out_of_range_are_refused(wrong, words):
    with pytest.raises(OptionError, match=words):
        wrong()
