"""People's figures sharpened by a judge: against ppi_py, by hand, and in a simulation with a known truth."""

import numpy as np
import pytest
from scipy import stats

from adjudge.estimate import Caveat
from adjudge.statistics.intervals import wilson_limits
from adjudge.statistics.prediction_powered import prediction_powered
from adjudge.statistics.proportions import mean, proportion
from adjudge.statistics.quantiles import critical_value
from adjudge.statistics.stratified_score import Sample, score_limits

SHARE = (0, 1)


def test_means_are_those_of_ppi_py():
    from ppi_py import ppi_mean_ci, ppi_mean_pointestimate

    rng = np.random.default_rng(0)
    y = rng.normal(size=80)
    f, others = 0.7 * y + rng.normal(size=80), rng.normal(size=600)
    found = prediction_powered(y, f, others)
    assert found.corrected.value == pytest.approx(ppi_mean_pointestimate(y, f, others).item(), abs=1e-9)
    # Theirs centres both samples apart and divides by n; ours centres them together and divides by n - 1. Where both have
    # one mean, the labelled part of the variance differs by n / (n - 1), and by what an error that was not seen adds.
    others += f.mean() - others.mean()
    found = prediction_powered(y, f, others)
    weight = found.weight * 600 / 680
    low, high = ppi_mean_ci(y, f, others, alpha=0.05, lam=weight)
    theirs = ((high - low).item() / 2 / critical_value(0.95)) ** 2
    labelled = np.var(y - weight * f) / 80
    assert found.together == pytest.approx(theirs + labelled / 79 + found.alone / 79, abs=1e-9)


def test_shares_are_worked_by_hand():
    # cov(Y, f) = 2/4 - 2/4 * 3/4 = 1/8; variance of all ten F: 6/10 * 4/10 * 10/9 = 4/15;
    # l = 1/8 / (10/6 * 4/15) = 9/32, w = 10/6 * 9/32 = 15/32; 1/2 + 15/32 (6/10 - 3/4) = 0.4296875.
    found = prediction_powered([1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 0, 0, 0], bounds=SHARE)
    assert (found.people.value, found.corrected.value, found.weight) == (0.5, 0.4296875, 0.46875)
    assert found.alone == pytest.approx(4 * (0.5 / 4) ** 2 * 4 / 3)
    assert (found.people.n, found.corrected.n, found.corrected.caveat) == (4, 10, Caveat.FEW_ITEMS)
    # Twice the place between the bounds, less 1.
    both = prediction_powered([1, 1, -1, -1], [1, 1, 1, -1], [1, 1, 1, -1, -1, -1], bounds=(-1, 1))
    assert (both.corrected.value, both.weight) == (pytest.approx(2 * 0.4296875 - 1), found.weight)
    assert both.corrected.low == pytest.approx(2 * found.corrected.low - 1)


def test_an_error_that_was_not_seen_may_be_there(monkeypatch):
    # A judge without an error on 40 labels: w = 1. Only F varies, and half an error: 2280 items and
    # 0.5 / (40 * 39). Without it the labels would be worth all 2280 items.
    y = np.repeat([1.0, 0.0], [4, 36])
    found = prediction_powered(y, y, np.tile(y, 56), bounds=SHARE)
    assert found.corrected.value == pytest.approx(0.1)
    items = 57 * 40
    assert found.weight == pytest.approx((36 * 4 / 1600) / (0.09 * items / (items - 1)), rel=1e-12)
    assert found.together == pytest.approx(0.09 / items + 0.5 / 40 / 39, rel=0.01)
    assert found.effective == pytest.approx(40 * found.alone / found.together)
    # Of 20 pairs of items the error is as often two items' as it is each one's: 2/40 of the labels times 1/40.
    # Where labels may be halves, its square is an eighth.
    units = {"units": np.arange(40) // 2, "other_units": 20 + np.arange(2240) // 2}
    for labels, hung, error in (
        (y, units, 2 / 40 / 40 * 20 / 19),
        (y - 0.5 * (np.arange(40) == 0), {}, 0.125 / 40 / 39),
    ):
        variances = []
        for unseen in (0.5, 0):
            monkeypatch.setattr("adjudge.statistics.prediction_powered._UNSEEN", unseen)
            variances.append(prediction_powered(labels, y, np.tile(y, 56), bounds=SHARE, **hung).together)
        assert variances[0] - variances[1] == pytest.approx(0.5 * error)


@pytest.mark.parametrize("yes", [0, 3])
def test_without_a_judge_a_share_has_the_interval_of_wilson(yes):
    """And so has a share of some of the items."""
    wilson = proportion(yes, 50)
    y = np.repeat([1, 0], [yes, 50 - yes])
    for found in (
        prediction_powered(y, 0 * y, bounds=SHARE),
        prediction_powered(np.append(y, [0, 0]), np.zeros(52), totals=np.repeat([1, 0], [50, 2]), bounds=SHARE),
    ):
        assert [found.people.low, found.people.high] == pytest.approx([wilson.low, wilson.high], abs=1e-12)


def test_a_ratio_counts_the_items_of_its_denominator():
    # Recall: of three items with the label the judge finds two.
    found = prediction_powered([1, 1, 0, 0], [1, 1, 0, 1], totals=[1, 1, 1, 0], bounds=SHARE)
    assert (found.people.value, found.people.n) == (pytest.approx(2 / 3), 3)
    # It flags fewer of the others than of the labelled ones, so people would miss more there than they seem to.
    sharper = prediction_powered([1, 1, 0, 0], [1, 1, 0, 1], [0] * 20, totals=[1, 1, 1, 0], bounds=SHARE)
    assert sharper.corrected.value < 2 / 3


def test_items_count_by_their_weights_and_strata():
    weighted = prediction_powered([1, 0], [1, 0], weights=[3, 1], bounds=SHARE)
    assert weighted.people.value == 0.75
    # Two of 4 items of stratum a are labelled, two of 12 of b: (4 * 1/2 + 12 * 0) / 16.
    found = prediction_powered(
        [1, 0, 0, 0], [0] * 4, [0] * 12, strata=list("aabb"), other_strata=["a"] * 2 + ["b"] * 10, bounds=SHARE
    )
    assert found.people.value == pytest.approx(1 / 8)
    # Within a: (1/4 * 4/16)^2 per item over 1 - 1/2, each with what its stratum is above the mean over all 16.
    within, above, below = 4 / 16 / 2 * 0.5, (1 / 2 - 1 / 8) / 16, -(1 / 8) / 16
    a, b = 2 * ((above + within) ** 2 + (above - within) ** 2) + 2 * above**2, 2 * 2 * below**2 + 10 * below**2
    assert found.alone == pytest.approx(a + b)


def test_in_one_cell_the_score_test_is_wilson_s():
    """V = P (1 - P) / (n - 1), each label having 1/n of all weights."""
    y = np.repeat([1.0, 0.0], [3, 9])
    sample = Sample(np.ones(12), np.zeros(12, dtype=np.int64), None, np.ones(12))
    found = score_limits(sample, y, 0 * y, 0.25, np.zeros(12, dtype=np.int64), np.ones(12), 2.0)
    wilson = wilson_limits(0.25 * 11, 11, 2.0)
    assert [float(one) for one in found] == pytest.approx([float(one) for one in wilson], abs=1e-8)


def test_a_stratum_that_shows_no_label_is_not_known_to_have_none():
    """None of 10 labels that stand for 90 items, 5 of 10 that stand for 10: .05, which alone would be sure of the 90."""
    from scipy import optimize

    y, strata = np.repeat([0, 1, 0], [10, 5, 5]), np.repeat([0, 1], 10)
    found = prediction_powered(y, 0 * y, np.zeros(80), strata=strata, other_strata=np.zeros(80), bounds=SHARE).people

    def likeliest(share):
        """The rates in both strata that are likeliest of those that give a share."""

        def unlikely(first):
            second = (share - 0.9 * first) / 0.1
            return -(10 * np.log(1 - first) + 5 * np.log(second) + 5 * np.log(1 - second))

        bounds = max(0.0, (share - 0.1) / 0.9) + 1e-9, share / 0.9 - 1e-9
        first = optimize.minimize_scalar(unlikely, bounds=bounds, options={"xatol": 1e-12}, method="bounded").x
        return first, (share - 0.9 * first) / 0.1

    def excess(share):
        first, second = likeliest(share)
        within = 0.81 * first * (1 - first) / 9 + 0.01 * second * (1 - second) / 9
        # 80 items without labels and 10 of each stratum with them, 1 / (1 - 1/10) as much.
        apart = [((rate - share) / 100) ** 2 for rate in (first, second)]
        between = 80 * apart[0] + 10 * (apart[0] + apart[1]) / 0.9
        return abs(0.05 - share) - critical_value(0.95) * (within + between) ** 0.5

    assert (found.value, found.method) == (pytest.approx(0.05), "score")
    assert found.low == pytest.approx(optimize.brentq(excess, 0.005, 0.0499), abs=1e-5)
    assert found.high == pytest.approx(optimize.brentq(excess, 0.0501, 0.6), abs=1e-5)
    assert found.high > 0.2


def test_intervals_that_may_hold_the_truth_too_seldom_are_noted():
    """Of labels in fewer than 100 clusters, and of a recall that rests on three items with the label."""
    labels = np.arange(300) % 7 == 0
    found = prediction_powered(labels, labels, units=np.arange(300) // 5, bounds=(0, 1))
    assert {found.people.caveat, found.corrected.caveat} == {Caveat.UNDER_100_CLUSTERS}
    recall = prediction_powered(labels[:20], labels[:20], labels[20:], totals=labels[:20], bounds=(0, 1))
    assert (recall.people.n, recall.people.caveat, recall.corrected.caveat) == (3, Caveat.FEW_ITEMS, Caveat.FEW_ITEMS)


def test_numbers_far_out_on_one_side_are_noted_as_their_mean_is():
    """Quantiles of a lognormal distribution with sigma 1.2, whose mean alone is noted; of a normal one it is not."""
    places = stats.norm.ppf((np.arange(60) + 0.5) / 60)
    for labels, note in ((np.exp(1.2 * places), Caveat.SKEWED), (places, None)):
        powers = (float((labels**power).sum()) for power in (1, 2, 3))
        found = prediction_powered(labels, labels + places[::-1] / 9, np.tile(labels, 3))
        assert mean(60, *powers).caveat is found.people.caveat is found.corrected.caveat is note


def test_what_cannot_be_said_is_noted():
    assert prediction_powered([], [], [1]).corrected.reason == "no labels"
    assert prediction_powered([1], [1], totals=[0]).corrected.reason == "no relevant items"
    assert prediction_powered([1], [1], [0], strata=[0], other_strata=[1]).people.reason == "a stratum without labels"
    assert prediction_powered([1], [1], [0]).corrected.caveat == Caveat.ONE_ITEM
    assert prediction_powered([1, 0], [1, 0], units=[0, 0]).corrected.caveat == Caveat.ONE_CLUSTER
    assert prediction_powered([1, 0, 1], [1, 0, 1], strata=[0, 0, 1]).people.caveat == Caveat.ONE_CLUSTER_OF_PART
    assert prediction_powered([1, 1], [1, 1], [1, 1]).corrected.caveat == Caveat.NO_VARIATION


@pytest.mark.parametrize("bounds", [SHARE, None])
def test_intervals_hold_the_truth_and_are_narrower_than_those_of_labels_alone(bounds):
    rng, held, widths = np.random.default_rng(5), 0, []
    for _ in range(300):
        truth = rng.random(500) < 0.7
        judge = np.where(rng.random(500) < 0.85, truth, ~truth)
        found = prediction_powered(truth[:100], judge[:100], judge[100:], bounds=bounds)
        held += found.corrected.low <= 0.7 <= found.corrected.high
        widths.append((found.corrected.high - found.corrected.low) / (found.people.high - found.people.low))
    assert 0.92 <= held / 300 <= 0.98
    assert np.mean(widths) < 0.85
