"""Informedness against a definition by hand, all orders of labels, and annotators of known skill."""

from itertools import permutations
from statistics import NormalDist

import numpy as np
import pytest

from adjudge.errors import OptionError
from adjudge.statistics.consensus import informedness

TRUTH = np.array([0, 0, 0, 1, 1, 1, 1, 0])


def beside_two_who_know(labels, truth=TRUTH, size=None):
    """The figures of one annotator, where two others give the true labels of the same items."""
    items = np.tile(np.arange(len(truth)), 3)
    found = informedness(
        items, np.repeat([0, 1, 2], len(truth)), np.concatenate([labels, truth, truth]).astype(int), size=size
    )
    return found, 0


def test_with_two_labels_it_is_sensitivity_and_specificity_less_one():
    found, own = beside_two_who_know(np.array([0, 0, 1, 1, 1, 1, 0, 0]))
    assert found.value[own] == pytest.approx(3 / 4 + 3 / 4 - 1)
    swapped, _ = beside_two_who_know(1 - TRUTH)
    assert swapped.value[own] == pytest.approx(-1)
    assert swapped.p[own] < 0.05


def test_with_three_labels_the_excess_over_chance_is_a_share_of_what_is_possible():
    truth = np.array([0, 1, 2, 0, 1, 2])
    found, own = beside_two_who_know(np.array([0, 1, 2, 1, 2, 0]), truth)
    # Three of six are right, two by chance; who knows has six: (3 - 2) / (6 - 2).
    assert found.value[own] == pytest.approx(1 / 4)


def test_the_variance_of_guesses_is_that_over_all_orders_of_the_labels():
    truth, labels = np.array([0, 1, 1, 0, 2]), np.array([0, 1, 0, 1, 2])
    found, own = beside_two_who_know(labels, truth)
    rights = [sum(a == b for a, b in zip(order, truth, strict=True)) for order in permutations(labels.tolist())]
    score = (sum(labels == truth) - np.mean(rights)) / np.std(rights)
    assert found.p[own] == pytest.approx(2 * NormalDist().cdf(-score))


def test_who_always_says_the_same_is_judged_by_what_a_knowing_annotator_would_have_said():
    even, own = beside_two_who_know(np.zeros(60), np.arange(60) % 2)
    assert (even.value[own], even.p[own]) == (0, 1)
    assert even.p_of_at_least(0.4)[own] < 0.001
    rare, own = beside_two_who_know(np.zeros(60), np.arange(60) == 7)
    assert rare.p_of_at_least(0.4)[own] > 0.1


def test_what_nobody_else_labels_or_all_label_alike_leaves_it_undefined():
    alone = informedness([0, 1, 0, 2], [0, 0, 1, 2], [0, 1, 1, 0])
    assert alone.n.tolist() == [1, 1, 0]
    assert np.isnan(alone.value).all()
    assert np.isnan(alone.p[2])
    alike, own = beside_two_who_know(np.array([0, 1, 1, 0]), np.zeros(4), size=2)
    assert np.isnan([alike.value[own], alike.low[own], alike.high[own], alike.p[own]]).all()
    with pytest.raises(OptionError):
        informedness([0], [0], [0], confidence=1)


def test_known_skills_of_a_crowd_lie_in_their_intervals_and_guessers_are_rarely_told_from_guessing():
    rng, skills = np.random.default_rng(3), np.tile([0, 0.3, 0.6, 0.9], 10)
    truth, items = rng.integers(0, 2, 1000), np.repeat(np.arange(1000), 10)
    who = np.concatenate([rng.permutation(40)[:10] for _ in range(1000)])
    labels = np.where(rng.random(10_000) < skills[who], truth[items], rng.integers(0, 2, 10_000))
    found = informedness(items, who, labels)
    assert np.mean((found.low <= skills) & (skills <= found.high)) >= 0.85
    assert np.abs(np.mean(found.value - skills)) < 0.03
    assert (found.p[skills >= 0.3] < 0.01).all()
    assert np.mean(found.p[skills == 0] < 0.05) <= 0.3
