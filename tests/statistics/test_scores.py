"""Means of scores and of their differences: which interval they get."""

from adjudge.statistics.comparison import paired_t
from adjudge.statistics.proportions import clustered_proportion, proportion
from adjudge.statistics.scores import mean_change, mean_score
from adjudge.statistics.strength import clustered_paired_difference, paired_difference


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


def test_without_items_scores_are_undefined():
    assert mean_score([]).reason == mean_change([]).estimate.reason == "no items"
