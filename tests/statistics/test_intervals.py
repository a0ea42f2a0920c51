"""Numeric limits against published tables, statsmodels, and slow literal versions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq

from adjudge.statistics.intervals import Limits, clopper_pearson_limits, product_limits, tango_limits, wilson_limits
from adjudge.statistics.quantiles import critical_value

Z = critical_value(0.95)
COUNTS = st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@pytest.mark.parametrize(
    ("successes", "n", "wilson", "exact"),
    [
        (81, 263, (0.2553, 0.3662), (0.2527, 0.3676)),
        (15, 148, (0.0624, 0.1605), (0.0578, 0.1617)),
        (0, 20, (0.0, 0.1611), (0.0, 0.1684)),
        (1, 29, (0.0061, 0.1718), (0.0009, 0.1776)),
    ],
)
def test_limits_are_those_of_table_one_of_newcombe_1998(successes, n, wilson, exact):
    """Methods three and five."""
    found = wilson_limits(successes, n, Z), clopper_pearson_limits(successes, n, 0.95)
    assert [(round(float(one.low), 4), round(float(one.high), 4)) for one in found] == [wilson, exact]


@given(COUNTS, st.sampled_from([0.8, 0.95, 0.999]))
def test_wilson_and_clopper_pearson_are_statsmodels(counts, confidence):
    from statsmodels.stats.proportion import proportion_confint

    successes, n = counts
    expected = proportion_confint(successes, n, 1 - confidence, method="wilson")
    assert wilson_limits(successes, n, critical_value(confidence)) == pytest.approx(expected, abs=1e-12)
    expected = proportion_confint(successes, n, 1 - confidence, method="beta")
    assert clopper_pearson_limits(successes, n, confidence) == pytest.approx(expected, abs=1e-11)


def literal_tango(a, d, n, sign):
    """The score equation as printed, solved by scipy."""

    def score(difference):
        linear = -a - d + (2 * n - a + d) * difference
        constant = -d * difference * (1 - difference)
        q = (np.sqrt(linear**2 - 8 * n * constant) - linear) / (4 * n)
        return (a - d - n * difference) / np.sqrt(n * (2 * q + difference * (1 - difference))) + sign * Z

    return brentq(score, -1 + 1e-12, 1 - 1e-12, xtol=1e-14)


@pytest.mark.parametrize(("a", "d", "n"), [(1, 7, 21), (12, 2, 40), (3, 3, 10), (50, 1, 200), (0.7, 3.2, 9.5)])
def test_tango_solves_its_score_equation(a, d, n):
    expected = (literal_tango(a, d, n, -1), literal_tango(a, d, n, 1))
    assert tango_limits(a, d, n, Z) == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize("n", [1, 10, 1000])
def test_tango_when_all_agree_has_a_closed_form(n):
    """(n - z^2) / (n + z^2): with d = 0 and a = n the score is sqrt(n (1 - D) / (1 + D))."""
    assert tango_limits(n, 0, n, Z) == pytest.approx(((n - Z**2) / (n + Z**2), 1), abs=1e-12)


def test_product_limits_by_hand():
    """first .5 (.2, .7), second .8 (.7, .9): .4 - sqrt(.24^2 + .05^2 + .03^2), .4 + sqrt(.16^2 + .05^2 + .02^2)."""
    expected = (0.4 - np.sqrt(0.061), 0.4 + np.sqrt(0.0285))
    assert product_limits(0.5, Limits(0.2, 0.7), 0.8, Limits(0.7, 0.9)) == pytest.approx(expected)
