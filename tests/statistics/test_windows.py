"""Windows of time over the same items."""

import numpy as np
import pytest

from adjudge.statistics.scores import change_point, mean_change


def test_a_change_is_found_where_it_is_and_pays_for_having_been_sought():
    """Right in two windows, then 30 of 100 wrong in two."""
    scores = np.ones((100, 4))
    scores[:30, 2:] = 0
    found = change_point(scores)
    alone = mean_change(scores[:, 3] - scores[:, 0])
    assert found.window == 2
    assert found.found.estimate.value == pytest.approx(-0.3)
    assert found.found.p == pytest.approx(3 * alone.p)
    assert found.found.estimate.low < alone.estimate.low
