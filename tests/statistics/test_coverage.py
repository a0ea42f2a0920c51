"""How often intervals contain the truth, with the constructions of benchmarks/coverage.py."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "coverage.py"
SPEC = importlib.util.spec_from_file_location("coverage_benchmark", SCRIPT)
bench = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(bench)

REPLICATIONS = 300
SAMPLING = 4 * np.sqrt(0.05 * 0.95 / REPLICATIONS)
"""Four standard errors of one simulated coverage: the minimum of some dozens may lie so far below its truth."""


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


FLOORS = {
    "kappa x relevance, n = 100": (lambda: bench.product_coverage(100, REPLICATIONS), 0.93),
    "kappa with its gate, n = 100": (lambda: bench.kappa_coverage(100, REPLICATIONS, gated=True), 0.925),
    "F1 over 20 texts": (lambda: bench.f1_coverage(20, REPLICATIONS, bench.F1_TRUTHS[::5]), 0.94),
    "40 clusters": (lambda: bench.clustered_coverage(40, REPLICATIONS, bench.CLUSTER_TRUTHS[::4]), 0.92),
    "mean over criteria, n = 100": (lambda: bench.criteria_coverage(100, REPLICATIONS), 0.94),
}


@pytest.mark.parametrize("figure", FLOORS)
def test_simulated_intervals_keep_their_floor_within_sampling_error(figure):
    simulate, floor = FLOORS[figure]
    coverage = simulate()
    assert 0.94 <= np.mean(coverage) <= 0.97
    assert min(coverage) >= floor - SAMPLING


def test_known_bad_intervals_fail_by_far():
    assert bench.proportion_coverage(30, bench.wald, [0.95])[0] < 0.80
    assert bench.clustered_coverage(40, REPLICATIONS, [(0.8, 0.3, True)], bench.naive_wilson)[0] < 0.75
    assert bench.bootstrap_coverage(REPLICATIONS) < 0.60
    assert bench.plug_in_coverage(5, 50) < 0.80


@pytest.mark.parametrize("annotators", [2, 10])
def test_shrunken_intervals_cover_on_average_over_annotators(annotators):
    coverage = bench.shrink_coverage(annotators, 100 // annotators)
    assert np.mean(coverage) >= 0.93
    assert min(coverage) >= 0.93 - 4 * np.sqrt(0.05 * 0.95 / 100)


def test_rank_sets_are_right_all_at_once():
    assert min(bench.rank_coverage(100, 100)) >= 0.95 - 4 * np.sqrt(0.05 * 0.95 / 100)
