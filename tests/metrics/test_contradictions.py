"""One number for one question, on a few random data sets; benchmarks/contradictions.py has hundreds."""

import pytest
from contradictions import EVALUATIONS, contradictions


@pytest.mark.parametrize("data_set", [1, 2])
@pytest.mark.parametrize("evaluation", EVALUATIONS)
def test_reports_do_not_contradict_one_another(evaluation, data_set, tmp_path):
    assert [*contradictions(evaluation, data_set, tmp_path)] == []
