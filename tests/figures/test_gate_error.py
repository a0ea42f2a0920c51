"""How often gates fail on runs that are equally good, and on one that is worse, by benchmarks/gate_error.py."""

import importlib.util
from functools import partial
from pathlib import Path

import numpy as np
import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "gate_error.py"
REPLICATIONS = 2_000
NOMINAL = 0.025
ERROR = (NOMINAL * (1 - NOMINAL) / REPLICATIONS) ** 0.5


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("gate_error", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def failing(script, make, replications):
    """The share of comparisons whose whole interval lies below 0."""
    draw = np.random.default_rng(20)
    highs = [script.compared(script.RIGHT, *make(draw)).estimate.high for _ in range(replications)]
    return np.mean([high < 0 for high in highs])


def test_a_gate_fails_in_one_of_forty_null_comparisons_at_most(script):
    share = failing(script, partial(script.shares, 200, 0.25, 0.0), REPLICATIONS)
    assert 0.008 < share < NOMINAL + 3 * ERROR


def test_a_gate_fails_as_rarely_where_items_come_in_clusters(script):
    share = failing(script, partial(script.clustered, 60, 5), REPLICATIONS)
    assert 0.008 < share < NOMINAL + 3 * ERROR


def test_without_its_clusters_the_same_gate_would_fail_too_often(script):
    """Each item three times over: a control that must fail the test above."""

    def thrice(draw):
        states, pairs = script.shares(200, 0.25, 0.0, draw)
        return states, type(pairs)(pairs.first, pairs.second, 3 * pairs.counts)

    assert failing(script, thrice, 300) > 0.08  # about .13: 1.96 standard errors are 1.13 true ones


def test_a_true_fall_is_found_in_most_runs(script):
    assert failing(script, partial(script.shares, 400, 0.3, -0.1), 300) > 0.9
