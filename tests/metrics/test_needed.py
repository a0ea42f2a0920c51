"""How many items would tell two judges apart: by power that is worked out by hand, or summed by the test itself."""

from itertools import count, product
from math import comb

import pytest

from adjudge.estimate import Estimate
from adjudge.metrics.sample_size import POWER, items_needed, items_needed_each
from adjudge.statistics import paired_difference, proportion
from adjudge.statistics.comparison import independent_difference


def test_as_many_pairs_as_the_sign_test_takes_where_one_judge_always_wins():
    """All are discordant: mid-P of n to 0 is 2^-n, below .05 from 5 on, and below .05 / 3 from 6 on."""
    once = paired_difference(1, 0, 1).estimate
    assert [items_needed(once, tests) for tests in (1, 3)] == [5, 6]


def test_a_difference_that_enough_items_show_needs_no_more():
    assert items_needed(paired_difference(40, 0, 40).estimate, 1) is None
    assert items_needed(paired_difference(3, 3, 40).estimate, 1) is None


def test_at_a_low_confidence_the_normal_distribution_tells_it():
    """Power is not summed where the test would take equal counts for a difference: here below 50 %."""
    assert items_needed(paired_difference(4, 3, 9, confidence=0.3).estimate, 1) > 9


def test_the_normal_distribution_tells_how_many_of_many():
    """se = .1 / 1.96; (1.96 + .8416) * se / .05 is 2.8588, squared 8.173 times 100: 817.3."""
    assert items_needed(Estimate(0.05, -0.05, 0.15, n=100, method="t"), 1) == 820


def _power(items, first, second, tests):
    """By brute force, with the test that reports make."""
    found = 0.0
    for one, other in product(range(items + 1), repeat=2):
        chance = comb(items, one) * first**one * (1 - first) ** (items - one)
        chance *= comb(items, other) * second**other * (1 - second) ** (items - other)
        p = independent_difference(proportion(one, items), proportion(other, items)).p
        found += chance * (p < 0.05 / tests)
    return found


@pytest.mark.parametrize(("one", "other", "tests"), [((5, 6), (1, 3), 1), ((8, 8), (1, 3), 6), ((7, 8), (3, 8), 3)])
def test_few_items_of_judges_with_unequal_numbers_of_them_are_as_many_as_have_the_power(one, other, tests):
    """Standard errors of unequal judges, scaled as if both had as few, promised 8 where it takes twice as many."""
    shares = one[0] / one[1], other[0] / other[1]
    needed = items_needed_each(proportion(*one), proportion(*other), tests)
    enough = next(n for n in count(2) if all(_power(more, *shares, tests) >= POWER for more in range(n, n + 4)))
    assert needed == enough
    assert items_needed_each(proportion(*other), proportion(*one), tests) == needed


def test_the_variances_of_both_judges_count_of_many():
    """Variances of an item: 40 * (.09 / 3.92)^2 = .02109 and 160 * (.08 / 3.92)^2 = .06664. ((1.96 + .8416) / .04)^2 is
    4,905.6; times their sum it is 430.4. As if both had 40 items it would be 184.7.
    """
    one, other = (Estimate(value, value - half, value + half, n=n, method="mover") for value, half, n in ((0.44, 0.045, 40), (0.4, 0.04, 160)))  # fmt: skip
    assert items_needed_each(one, other, 1) == 440


def test_judges_who_do_not_differ_need_no_number():
    assert items_needed_each(proportion(4, 8), proportion(2, 4), 1) is None
