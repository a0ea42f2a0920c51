"""Data on which figures of cards and of agreement had no interval, or one that was none."""

import numpy as np
import pytest

from adjudge.estimate import Caveat
from adjudge.statistics.calibration import miscalibration
from adjudge.statistics.prediction_powered import labels_needed, prediction_powered


def test_a_budget_of_a_judge_whose_errors_hardly_vary_is_a_number():
    said = np.r_[np.zeros(20), np.full(20, 2.0)]
    found = prediction_powered(said * 0.5 + np.tile([0, 0.1], 20), said, np.tile([0.3, 1.7], 180))
    assert labels_needed(found, 40, 400, 0.1) is not None


def test_a_calibration_error_without_variation_has_no_interval():
    whole = miscalibration([0.9] * 200, [1] * 200).corrected
    assert (whole.value, whole.low, whole.caveat) == (pytest.approx(0.1), None, Caveat.NO_VARIATION)
    together = miscalibration(np.linspace(0.5, 1, 200), [1] * 100 + [0] * 100, [7] * 200).corrected
    assert (together.low, together.caveat) == (None, Caveat.ONE_CLUSTER)
