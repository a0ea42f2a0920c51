"""Expectation maximisation against a step by hand and crowd-kit's probabilities."""

import numpy as np
import pytest

from adjudge.statistics.consensus import dawid_skene


def made(items=60, annotators=9, labels=3, each=4, seed=5):
    """Items, annotators and labels of annotators who are right in .2 to .9, some of whom repeat an item."""
    rng = np.random.default_rng(seed)
    item, who = np.repeat(np.arange(items), each), rng.integers(0, annotators, items * each)
    truth, skill = rng.integers(0, labels, items), rng.uniform(0.2, 0.9, annotators)
    given = np.where(rng.random(len(item)) < skill[who], truth[item], rng.integers(0, labels, len(item)))
    return item, who, given


def test_one_step_is_as_worked_by_hand():
    # Votes: item 0 aaa, item 1 abb, item 2 bbb. Shares: 1, 1/3, 0 of a. p(a) = 4/9. x says a with 1 where a is true, with
    # (2/3) / (2/3 + 1) = 2/5 where b is; y and z with 1 / (1 + 1/3) = 3/4 and with 0.
    found = dawid_skene([0] * 3 + [1] * 3 + [2] * 3, [0, 1, 2] * 3, [0, 0, 0, 0, 1, 1, 1, 1, 1], most=1)
    # item 0: 4/9 1 3/4 3/4 = 1/4; item 1: a 4/9 1 1/4 1/4 = 1/36, b 5/9 2/5 = 8/36; item 2: 5/9 3/5 = 1/3.
    assert found.posteriors == pytest.approx(np.array([[1, 0], [1 / 9, 8 / 9], [0, 1]]), abs=1e-9)
    assert found.log_likelihood == pytest.approx(np.log(1 / 4 * 9 / 36 * 1 / 3))
    # And from these: p(a) = (1 + 1/9) / 3; x where b is true: (8/9) / (8/9 + 1); y where a is: 1 / (1 + 1/9).
    assert found.priors == pytest.approx([10 / 27, 17 / 27])
    assert (found.annotators[:4].tolist(), found.labels[:4].tolist()) == ([0, 0, 1, 1], [0, 1, 0, 1])
    assert found.rates[:, :4] == pytest.approx(np.array([[1, 0, 9 / 10, 1 / 10], [8 / 17, 9 / 17, 0, 1]]), abs=1e-9)
    assert (found.iterations, found.converged) == (1, False)


def test_rates_are_drawn_to_those_of_all_by_as_many_labels():
    found = dawid_skene([0] * 3 + [1] * 3 + [2] * 3, [0, 1, 2] * 3, [0, 0, 0, 0, 1, 1, 1, 1, 1], drawn=1, most=1)
    # Of all: a said where a is true 4/3 + 1 + 1 of 4, so 5/6; where b is 2/3 of 5, so 2/15. Of x, a where a is true:
    # (4/3 + 5/6) / (4/3 + 1) = 13/14, where b is (2/3 + 2/15) / (5/3 + 1) = 3/10; of y and z, b: 3/14 and 19/20.
    a, b = 4 * 13 / 14 * (3 / 14) ** 2, 5 * 3 / 10 * (19 / 20) ** 2
    assert found.posteriors[1] == pytest.approx([a / (a + b), b / (a + b)])


# Of crowd-kit 1.4.2: DawidSkene(n_iter=2, tol=-inf), its probas_ and priors_; benchmarks/dawid_skene.py asks it anew.
_ITEMS = [0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5]
_ANNOTATORS = [0, 1, 2, 3, 0, 1, 3, 0, 1, 2, 2, 1, 2, 3, 0, 1, 2, 3, 0, 2, 3]
_LABELS = [0, 0, 1, 0, 1, 1, 2, 2, 2, 2, 1, 0, 1, 0, 1, 2, 1, 1, 2, 0, 2]
_PROBABLE = [
    [0.999904989, 9.5011e-05, 0.0],
    [0.0, 0.580252209, 0.419747791],
    [0.0, 0.031361643, 0.968638357],
    [0.994035556, 0.005964444, 0.0],
    [0.0, 0.973112782, 0.026887218],
    [0.000185847, 0.0, 0.999814153],
]
_SHARES = [0.332354399, 0.265131015, 0.402514587]


def test_probabilities_are_those_of_crowd_kit():
    found = dawid_skene(_ITEMS, _ANNOTATORS, _LABELS, most=2)
    assert found.posteriors == pytest.approx(np.array(_PROBABLE), abs=1e-8)
    assert found.priors == pytest.approx(_SHARES, abs=1e-8)


def test_no_order_changes_a_bit_and_more_iterations_never_make_the_labels_less_likely():
    columns = np.stack(made())
    shuffled = np.random.default_rng(0).permutation(columns, axis=1)
    one, other = dawid_skene(*columns), dawid_skene(*shuffled)
    assert (one.posteriors == other.posteriors).all()
    assert (one.rates == other.rates).all()
    assert one.converged
    likelihoods = [dawid_skene(*columns, most=most).log_likelihood for most in range(1, 12)]
    assert (np.diff(likelihoods) > 0).all()
