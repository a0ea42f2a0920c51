"""Means sharpened by a judge, against a literal version and a simulation with a known truth."""

import numpy as np
import pytest
from scipy import stats

from karat.errors import DataError
from karat.estimate import Note
from karat.statistics import prediction_powered_mean


def literal(y, f, others, confidence):
    """The formulas of the docstring, where each item is its own unit."""
    n, more = len(y), len(others)
    weight = np.mean((y - np.mean(y)) * (f - np.mean(f))) / ((1 + n / more) * np.var([*f, *others]))
    weight = min(max(weight, 0), 1)
    value = np.mean(y) + weight * (np.mean(others) - np.mean(f))
    left = np.subtract(y, np.multiply(weight, f))
    squares = sum((left - left.mean()) ** 2) / n**2 + sum((weight * (others - np.mean(others))) ** 2) / more**2
    half = stats.t.ppf((1 + confidence) / 2, n - 1) * (squares * (n + more) / (n + more - 1)) ** 0.5
    return value, value - half, value + half


@pytest.mark.parametrize("seed", range(5))
def test_the_mean_and_its_interval_are_those_of_the_formulas(seed):
    rng = np.random.default_rng(seed)
    y, f, others = (rng.integers(0, 2, size=size) for size in (40, 40, 200))
    f = np.where(rng.random(40) < 0.8, y, f)
    found = prediction_powered_mean(y, f, others, confidence=0.9)
    assert (found.value, found.low, found.high) == pytest.approx(literal(y, f, others, 0.9))
    assert (found.n, found.note) == (240, None)


def test_without_others_it_is_the_mean_of_the_labels():
    found = prediction_powered_mean([1, 0, 1, 1], [0, 0, 1, 1], [])
    low, high = stats.t.interval(0.95, 3, 0.75, stats.sem([1, 0, 1, 1]))
    assert (found.value, found.low, found.high) == pytest.approx((0.75, low, high))


def test_a_judge_that_says_nothing_of_the_labels_moves_nothing():
    assert prediction_powered_mean([1, 0, 1, 0], [1, 1, 0, 0], [1] * 50).value == 0.5


def test_items_of_one_unit_count_together():
    y, f, others = [1, 1, 0, 0], [1, 1, 1, 0], [1, 0, 1, 0]
    alone = prediction_powered_mean(y, f, others)
    paired = prediction_powered_mean(y, f, others, units=[0, 0, 1, 1], other_units=[2, 2, 3, 3])
    assert paired.value == alone.value
    assert paired.high - paired.low > alone.high - alone.low


def test_what_cannot_be_said_is_noted():
    assert prediction_powered_mean([], [], [1]).value is None
    assert prediction_powered_mean([1], [1], [0]).note == Note.ONE_ITEM
    assert prediction_powered_mean([1, 1], [1, 1], [1, 1]).note == Note.NO_VARIATION
    assert prediction_powered_mean([1, 0], [1, 1], [1, 0]).note == Note.FEW_ITEMS
    with pytest.raises(DataError, match="a prediction for each label"):
        prediction_powered_mean([1, 0], [1], [])
    with pytest.raises(DataError, match="units: expected one of each of 2 items"):
        prediction_powered_mean([1, 0], [1, 0], [], units=[1])


def test_intervals_hold_the_truth_and_are_narrower_than_those_of_labels_alone():
    rng, held, widths = np.random.default_rng(5), 0, []
    for _ in range(400):
        truth = rng.random(500) < 0.7
        judge = np.where(rng.random(500) < 0.85, truth, ~truth)
        found = prediction_powered_mean(truth[:100], judge[:100], judge[100:])
        alone = prediction_powered_mean(truth[:100], judge[:100], [])
        held += found.low <= 0.7 <= found.high
        widths.append((found.high - found.low) / (alone.high - alone.low))
    assert 0.92 <= held / 400 <= 0.98
    assert np.mean(widths) < 0.85
