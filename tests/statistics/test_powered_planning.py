"""How many of people's labels an interval needs: turned round from the intervals themselves."""

import numpy as np
import pytest

from adjudge.statistics.intervals import wilson_limits
from adjudge.statistics.prediction_powered import labels_needed, prediction_powered
from adjudge.statistics.quantiles import critical_value


def drawn(rng, labels, items, *, bounded, **hung):
    truth = (rng.random(items) < 0.3).astype(float) if bounded else rng.normal(size=items)
    said = np.where(rng.random(items) < 0.85, truth, 1 - truth) if bounded else truth + rng.normal(size=items) / 2
    bounds = (0, 1) if bounded else None
    return prediction_powered(truth[:labels], said[:labels], said[labels:], bounds=bounds, **hung)


@pytest.mark.parametrize("bounded", [True, False])
def test_the_width_that_is_there_needs_the_labels_that_are_there(bounded):
    found = drawn(np.random.default_rng(4), 200, 2000, bounded=bounded)
    width = found.corrected.high - found.corrected.low + 1e-9
    budget = labels_needed(found, 200, 2000, width, bounds=(0, 1) if bounded else None)
    assert budget.with_judge == 200
    if not bounded:
        assert budget.alone == pytest.approx(found.effective, rel=0.03)  # fewer labels have a larger quantile of t
        return
    for labels, enough in ((budget.alone, True), (budget.alone - 1, False)):
        low, high = wilson_limits(found.corrected.value * labels, labels, critical_value(0.95))
        assert (high - low <= width) == enough


@pytest.mark.parametrize(
    "hung",
    [
        {"strata": np.repeat([0, 1], [60, 140]), "other_strata": np.repeat([0, 1], [1500, 300])},
        {"units": np.arange(200) // 5, "other_units": 40 + np.arange(1800) // 5},
    ],
)
def test_a_plan_is_of_the_interval_that_is_reported(hung):
    """Of the score test's, and of that over clusters, too."""
    found = drawn(np.random.default_rng(4), 200, 2000, bounded=True, **hung)
    width = found.corrected.high - found.corrected.low
    needed = [labels_needed(found, 200, 2000, one, bounds=(0, 1)).with_judge for one in (width + 1e-9, 0.99 * width)]
    assert needed[0] == 200 < needed[1] <= 210


def test_a_width_that_all_labels_do_not_reach_needs_more_items():
    found = drawn(np.random.default_rng(4), 200, 2000, bounded=True)
    # 2000 labels: 2 * 1.96 sqrt(0.21 / 2000) = 0.040
    assert labels_needed(found, 200, 2000, 0.045, bounds=(0, 1)).with_judge < 2000
    assert labels_needed(found, 200, 2000, 0.03, bounds=(0, 1)).with_judge is None


def test_intervals_are_as_narrow_as_assured():
    rng, narrow = np.random.default_rng(8), []
    for _ in range(80):
        truth = (rng.random(2000) < 0.3).astype(float)
        said = np.where(rng.random(2000) < 0.85, truth, 1 - truth)

        def found(labels, truth=truth, said=said):
            return prediction_powered(truth[:labels], said[:labels], said[labels:], bounds=(0, 1))

        needed = labels_needed(found(80), 80, 2000, 0.1, bounds=(0, 1), assurance=0.8).with_judge
        later = found(needed).corrected
        narrow.append(later.high - later.low <= 0.1)
    assert 0.7 <= np.mean(narrow) <= 0.9
