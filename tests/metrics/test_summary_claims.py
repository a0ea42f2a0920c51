"""Summaries follow from the tables, on a few random data sets; benchmarks/contradictions.py has hundreds."""

import pytest
from summary_claims import faults

from adjudge.evaluations import NAMES


@pytest.mark.parametrize("data_set", [3, 4])  # of five judges and of two
@pytest.mark.parametrize("evaluation", NAMES)
def test_every_sentence_of_a_summary_follows_from_the_tables(evaluation, data_set, tmp_path):
    assert [*faults(evaluation, data_set, tmp_path)] == []
