"""How many items would tell two judges apart."""

from adjudge.estimate import Estimate
from adjudge.metrics.sample_size import items_needed
from adjudge.statistics import paired_difference


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
