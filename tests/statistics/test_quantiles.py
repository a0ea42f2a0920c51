"""Quantiles against scipy, and against scipy's distribution functions where its quantiles lose digits."""

from itertools import product

import numpy as np
import pytest
from scipy import special, stats

from adjudge.statistics.quantiles import (
    beta_quantile,
    critical_value,
    normal_quantile,
    regularised_incomplete_beta,
    t_quantile,
    t_two_sided_p,
)

PROBABILITIES = [1e-8, 1e-4, 0.005, 0.025, 0.3, 0.5, 0.9, 0.975, 0.9999]
SHAPES = [0.05, 0.5, 1, 3, 30, 1e3, 1e6]


@pytest.mark.parametrize("probability", PROBABILITIES)
def test_normal_quantile_is_scipys(probability):
    assert normal_quantile(probability) == pytest.approx(stats.norm.ppf(probability), abs=1e-12)


@pytest.mark.parametrize("degrees", [0.3, 1, 1.5, 2, 3, 4.7, 9, 30, 100, 999.5, 1e5, 1e8, 1e12])
def test_t_quantile_is_scipys_for_any_degrees(degrees):
    for probability in PROBABILITIES:
        assert t_quantile(probability, degrees) == pytest.approx(
            stats.t.ppf(probability, degrees), rel=1e-11, abs=1e-12
        )


def test_t_quantile_with_infinite_degrees_is_the_normal_one():
    assert t_quantile(0.975, np.inf) == normal_quantile(0.975) == critical_value(0.95)


@pytest.mark.parametrize("degrees", [1, 2.5, 10, 1e4])
def test_two_sided_p_of_t_is_scipys(degrees):
    for t in (0, 0.1, -1, 2.5, -10, 1e3):
        assert t_two_sided_p(t, degrees) == pytest.approx(2 * stats.t.sf(abs(t), degrees), rel=1e-11, abs=1e-300)
    assert t_two_sided_p(np.inf, degrees) == 0
    assert t_two_sided_p(1.96, np.inf) == pytest.approx(2 * stats.norm.sf(1.96))


@pytest.mark.parametrize("a", SHAPES)
def test_beta_quantile_inverts_scipys_incomplete_beta(a):
    for b, probability in product(SHAPES, PROBABILITIES):
        x = special.betaincinv(a, b, probability)
        assert regularised_incomplete_beta(x, a, b) == pytest.approx(special.betainc(a, b, x), rel=1e-9, abs=1e-13)
        ours = beta_quantile(probability, a, b)
        # scipy's own quantile loses digits where one shape is large: then its distribution function decides.
        inverts = special.betainc(a, b, ours) == pytest.approx(probability, rel=1e-9)
        assert inverts or ours == pytest.approx(x, abs=1e-12)


@pytest.mark.parametrize("probability", [1e-12, 0.025, 1 - 1e-12])
def test_beta_quantile_of_narrow_distributions_takes_numpys_floats_without_overflow(probability):
    a, b = np.float64(750_000.25), np.float64(250_000.75)
    for scale in (1, 1000):
        expected = stats.norm.ppf(probability) * np.sqrt(0.75 * 0.25 / (a + b) / scale)
        assert beta_quantile(probability, a * scale, b * scale) - 0.75 == pytest.approx(expected, rel=0.02, abs=1e-6)
