"""One number for one question, on a random data set each; benchmarks/contradictions.py has hundreds."""

import pytest
from contradictions import contradictions

from adjudge.evaluations import NAMES


@pytest.mark.parametrize("evaluation", NAMES)
def test_reports_do_not_contradict_one_another(evaluation, tmp_path):
    data_set = 2 if evaluation in {"preferences", "violations"} else 1  # leaderboards have no groups
    assert [*contradictions(evaluation, data_set, tmp_path)] == []
