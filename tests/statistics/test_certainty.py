"""Calibration and area under the risk-coverage curve, against values worked by hand and slow readings of the definitions."""

from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from adjudge.statistics.calibration import equal_bins, miscalibration, risk_coverage_area


def test_bins_hold_as_many_items_each_and_never_part_equal_certainties():
    assert np.bincount(equal_bins(np.linspace(0, 1, 100))).tolist() == [10] * 10
    assert equal_bins(np.linspace(0, 1, 25)).max() == 1  # ten items at least in each
    tied = equal_bins([0.9] * 70 + [0.95] * 3 + [0.99] * 27)
    assert np.bincount(tied).tolist() == [73, 27]  # three items are too few for a bin of ten
    assert equal_bins([0.5] * 3).tolist() == [0, 0, 0]


def test_errors_of_calibration_are_those_worked_by_hand():
    """Two bins of 50: .9 said and .8 right, .6 said and .6 right."""
    sure = np.repeat([0.9, 0.6], 50)
    right = np.r_[np.ones(40), np.zeros(10), np.ones(30), np.zeros(20)]
    found = miscalibration(sure, right)
    assert found.plain == pytest.approx(0.5 * 0.1)
    chance = [np.abs(np.arange(51) / 50 - p) @ stats.binom.pmf(np.arange(51), 50, p) for p in (0.9, 0.6)]
    assert found.by_chance == pytest.approx(np.mean(chance))
    variances = np.array([0.8 * 0.2, 0.6 * 0.4]) / 49
    squared = 0.5 * (0.01 - variances[0]) + 0.5 * (0 - variances[1])
    half = stats.t.ppf(0.975, 99) * np.sqrt(4 * 0.05**2 * variances[0] + 2 * (variances**2 / 4).sum())
    assert found.corrected.value == pytest.approx(np.sqrt(max(squared, 0)))
    assert found.corrected.high == pytest.approx(np.sqrt(squared + half), rel=1e-5)
    assert found.corrected.low == 0


def test_clusters_of_equal_items_are_worth_one_item_each(monkeypatch):
    sure = np.tile(np.linspace(0.5, 0.99, 60), 1)
    right = (np.arange(60) % 3 > 0).astype(float)
    alone = miscalibration(sure, right)
    monkeypatch.setattr("adjudge.statistics.calibration.BINS", 6)
    doubled = miscalibration(np.repeat(sure, 2), np.repeat(right, 2), np.repeat(np.arange(60), 2))
    assert doubled.corrected.value == pytest.approx(alone.corrected.value)
    assert doubled.corrected.high == pytest.approx(alone.corrected.high)


def test_the_area_is_the_mean_over_all_orders_of_equal_certainties():
    sure, wrong = [0.9, 0.7, 0.7, 0.7, 0.2], np.array([0.0, 1.0, 0.0, 0.5, 1.0])
    areas = []
    for order in permutations((1, 2, 3)):
        listed = wrong[[0, *order, 4]]
        areas.append(np.mean([listed[:k].mean() for k in range(1, 6)]))
    assert risk_coverage_area(sure, 1 - wrong).value == pytest.approx(np.mean(areas))
