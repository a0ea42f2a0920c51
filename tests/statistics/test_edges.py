"""Data on which figures of cards and of agreement had no interval, or one that was none."""

import numpy as np
import pytest

from adjudge.estimate import Caveat
from adjudge.statistics.calibration import miscalibration


def test_a_calibration_error_without_variation_has_no_interval():
    whole = miscalibration([0.9] * 200, [1] * 200).corrected
    assert (whole.value, whole.low, whole.caveat) == (pytest.approx(0.1), None, Caveat.NO_VARIATION)
    together = miscalibration(np.linspace(0.5, 1, 200), [1] * 100 + [0] * 100, [7] * 200).corrected
    assert (together.low, together.caveat) == (None, Caveat.ONE_CLUSTER)
