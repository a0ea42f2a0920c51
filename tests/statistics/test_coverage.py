"""How often intervals contain the truth, summed over all outcomes; benchmarks/test_simulations.py has what must be simulated."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "interval_coverage.py"
SPEC = importlib.util.spec_from_file_location("coverage_benchmark", SCRIPT)
bench = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(bench)


@pytest.mark.parametrize("n", [30, 50, 100, 300])
def test_wilson_covers_as_it_says_over_all_common_proportions(n):
    coverage = bench.proportion_coverage(n, bench.wilson, bench.PROPORTIONS)
    assert 0.94 <= np.mean(coverage) <= 0.96
    assert min(coverage) >= 0.925
    assert max(coverage) <= 0.98


@pytest.mark.parametrize("n", [30, 50, 100])
def test_tango_covers_as_it_says_over_the_whole_grid(n):
    coverage = bench.tango_coverage(n)
    assert 0.94 <= np.mean(coverage) <= 0.96
    assert min(coverage) >= 0.925


@pytest.mark.parametrize("n", [5, 20, 60])
def test_clopper_pearson_never_covers_too_rarely(n):
    assert min(bench.proportion_coverage(n, bench.exact, np.linspace(0.01, 0.99, 99))) >= 0.95


def test_the_sign_test_rejects_a_little_too_often_where_every_item_is_decided():
    """Of 100 it rejects up to 40 to 60, which has the probability .0569: a limit that the docs state."""
    assert bench.mcnemar_type_one(100, [1.0])[0] == pytest.approx(2 * stats.binom.cdf(40, 100, 0.5))


@pytest.mark.parametrize("n", [10, 30, 100])
def test_mcnemars_mid_p_rejects_at_most_as_often_as_it_says_up_to_seven_discordant_in_ten(n):
    assert max(bench.mcnemar_type_one(n, [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7])) <= 0.05


def test_mcnemars_mid_p_rejects_a_little_too_often_where_nearly_all_are_discordant():
    """At nine in ten of 100 items .0501: stated in the docs."""
    assert bench.mcnemar_type_one(100, [0.9])[0] < 0.0505
