"""The rate of flags corrected for what a judge misses and what it flags in vain, by hand and simulated."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, xlog1py, xlogy

from adjudge.estimate import Caveat
from adjudge.statistics.prediction_powered import true_rate


def test_it_is_the_formula_of_rogan_and_gladen():
    # (0.3 + 0.9 - 1) / (0.8 + 0.9 - 1)
    found = true_rate(300, 1000, 40, 50, 90, 100)
    assert (found.value, found.n, found.caveat) == (pytest.approx(2 / 7), 1000, None)
    assert found.method == "score"


def standard_errors(p, flagged, found, passed):
    """|q - p se - (1 - p) (1 - sp)| in standard errors of the error rates that are likeliest at p, sought by scipy."""

    def unlikely(logits):
        se, sp = expit(logits)
        shares = (p * se + (1 - p) * (1 - sp), se, sp)
        each = zip((flagged, found, passed), shares, strict=True)
        return -sum(xlogy(part, share) + xlog1py(whole - part, -share) for (part, whole), share in each)

    starts = ([1.0, 1.0], [0.0, 2.0], [3.0, 3.0])
    fits = [
        minimize(unlikely, start, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12}) for start in starts
    ]
    se, sp = expit(min(fits, key=lambda fit: fit.fun).x)
    q, ((one, n), (two, positives), (three, negatives)) = p * se + (1 - p) * (1 - sp), (flagged, found, passed)
    variance = q * (1 - q) / n + p**2 * se * (1 - se) / positives + (1 - p) ** 2 * sp * (1 - sp) / negatives
    return abs(one / n - p * two / positives - (1 - p) * (1 - three / negatives)) / variance**0.5


@pytest.mark.parametrize(
    "counts",
    [
        ((300, 1000), (40, 50), (90, 100)),
        ((27, 650), (50, 100), (199, 200)),
        ((100_000, 1_000_000), (12, 15), (14, 15)),
        ((5, 100), (40, 50), (90, 100)),
        ((60, 100), (15, 15), (15, 15)),
    ],
)
def test_limits_are_the_rates_that_a_score_test_just_does_not_reject(counts):
    found = true_rate(*(number for part in counts for number in part))
    ends = [limit for limit in (found.low, found.high) if 0 < limit < 1]
    assert ends
    assert [standard_errors(limit, *counts) for limit in ends] == [pytest.approx(1.959964, abs=1e-4)] * len(ends)
    assert all(standard_errors(end, *counts) < 1.96 for end in (0, 1) if end in (found.low, found.high))


def test_it_stays_a_share_and_is_undefined_where_the_judge_tells_nothing():
    assert true_rate(5, 100, 40, 50, 90, 100).value == 0
    assert (
        true_rate(0, 100, 40, 50, 90, 100).reason
        == "its flags do not fit its errors on labelled items: were these selected by its labels?"
    )
    assert true_rate(50, 100, 5, 10, 5, 10).reason == "the judge flags human-flagged items no more often than others"
    assert true_rate(50, 100, 0, 0, 5, 10).reason == "human labels have only one value"
    assert true_rate(0, 0, 1, 1, 1, 1).reason == "no items with judge labels only"
    nearly = true_rate(50, 100, 1, 1, 1, 2)
    assert (nearly.low, nearly.high, nearly.caveat) == (0, 1, Caveat.FEW_ITEMS)


@pytest.mark.parametrize(("positives", "negatives"), [(60, 90), (15, 15)])
def test_intervals_hold_a_known_truth_as_often_as_they_say(monkeypatch, positives, negatives):
    monkeypatch.setattr("adjudge.statistics.prediction_powered._HALVINGS", 14)  # limits to four digits will do
    rng, held = np.random.default_rng(3), []
    for _ in range(400):
        flagged, hits, right = rng.binomial([500, positives, negatives], [0.3 * 0.8 + 0.7 * 0.1, 0.8, 0.9])
        found = true_rate(flagged, 500, hits, positives, right, negatives)
        held.append(found.low <= 0.3 <= found.high)
    assert 0.93 <= np.mean(held) <= 0.97
