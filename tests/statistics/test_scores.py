"""Means of scores and of their differences: which interval they get."""

import pytest

from adjudge.errors import DataError
from adjudge.estimate import Caveat
from adjudge.statistics import (
    clustered_paired_difference,
    clustered_proportion,
    paired_difference,
    paired_t,
    proportion,
)
from adjudge.statistics.scores import mean_change, mean_score


def test_scores_that_are_right_or_wrong_are_a_proportion():
    assert mean_score([1, 0, 1, 1]) == proportion(3, 4)
    assert mean_score([1, 0, 1, 1], ["a", "a", "b", "b"]) == clustered_proportion([1, 2], [2, 2])


def test_scores_in_between_have_an_interval_within_0_and_1_and_clusters_widen_it():
    free = mean_score([0.5, 1.0, 0.75] * 20)
    tied = mean_score([0.5, 1.0, 0.75] * 20, [0, 1, 2] * 20)
    assert free.value == tied.value == 0.75
    assert free.method == "effective-wilson"
    assert 0 < tied.low < free.low < free.high < tied.high < 1


def test_differences_of_whole_scores_are_those_of_right_and_wrong_and_others_are_tested_by_t():
    assert mean_change([1, 0, -1, 1]) == paired_difference(2, 1, 4)
    assert mean_change([1, 0, -1, 1], [7, 7, 9, 9]) == clustered_paired_difference([1, 1], [0, 1], [2, 2])
    assert mean_change([0.5, 0, -1]) == paired_t([0.5, 0, -1])
    assert mean_change([0.5, 0, -1], [1, 1, 2]) == paired_t([0.5, -1], totals=[2, 1])


def test_scores_outside_0_to_1_and_units_of_another_length_are_refused():
    with pytest.raises(DataError, match=r"scores from 0 to 1; got 0 to 1\.5"):
        mean_score([0, 1.5])
    with pytest.raises(DataError, match="a unit for each of 2 items; got 1"):
        mean_score([0, 1], [3])
    assert mean_score([]).reason == mean_change([]).estimate.reason == "no items"


def test_one_item_is_no_cluster():
    found = [mean_score([0.5]), mean_score([1], ["a"]), mean_score([0.5, 1], ["a", "a"])]
    assert [one.caveat for one in found] == [Caveat.ONE_ITEM, Caveat.ONE_ITEM, Caveat.ONE_CLUSTER]
