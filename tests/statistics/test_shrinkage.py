"""The beta-binomial model against scipy's distribution and a plain fine grid."""

import numpy as np
import pytest
from hypothesis import strategies as st
from scipy import stats

from adjudge.errors import DataError
from adjudge.estimate import Caveat
from adjudge.statistics.proportions import shrink

SUCCESSES, TOTALS = np.array([9, 18, 3, 30, 12, 5]), np.array([10, 20, 6, 31, 20, 5])
ANNOTATORS = st.lists(
    st.integers(0, 30).flatmap(lambda x: st.tuples(st.integers(0, x), st.just(x))), min_size=2, max_size=12
)


def literal_posterior(y, x, points=300):
    """Each annotator's posterior mean and variance, on one fine grid with scipy."""
    axis = (np.arange(points) + 0.5) / points
    mean, correlation = (grid.ravel() for grid in np.meshgrid(axis, axis))
    a, b = mean * (1 / correlation - 1), (1 - mean) * (1 / correlation - 1)
    logs = sum(stats.betabinom.logpmf(s, n, a, b) for s, n in zip(y, x, strict=True))
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    means = [weights @ stats.beta.mean(a + s, b + n - s) for s, n in zip(y, x, strict=True)]
    squares = [
        weights @ (stats.beta.var(a + s, b + n - s) + stats.beta.mean(a + s, b + n - s) ** 2)
        for s, n in zip(y, x, strict=True)
    ]
    return np.array(means), np.array(squares) - np.array(means) ** 2


def test_the_posteriors_are_those_of_a_fine_grid_with_scipy():
    means, variances = literal_posterior(SUCCESSES, TOTALS)
    estimates = shrink(SUCCESSES, TOTALS)
    assert [e.value for e in estimates] == pytest.approx(means, abs=1e-3)
    sizes = means * (1 - means) / variances - 1
    low, high = stats.beta.ppf([[0.025], [0.975]], means * sizes, (1 - means) * sizes)
    assert [e.low for e in estimates] == pytest.approx(low, abs=3e-3)
    assert [e.high for e in estimates] == pytest.approx(high, abs=3e-3)


def test_too_little_to_shrink_towards_is_said():
    assert [e.reason for e in shrink([3], [4])] == ["fewer than two annotators with items"]
    assert [e.reason for e in shrink([3, 0], [4, 0])] == ["fewer than two annotators with items"] * 2
    assert shrink([3, 0, 2], [4, 0, 4])[1].reason == "no items"
    assert shrink([3, 2], [4, 4])[0].caveat == Caveat.FEW_ANNOTATORS
    with pytest.raises(DataError, match="successes"):
        shrink([5, 1], [4, 4])
