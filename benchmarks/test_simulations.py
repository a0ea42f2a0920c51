"""How often intervals contain the truth, gates fail and planned differences are found, by simulation.

    make simulations

Run whenever statistics or figures change. The scripts beside it print whole tables.
"""

import re
from functools import partial

import agreement_coverage
import alternative_test
import card_coverage
import gate_error
import interval_coverage as coverage
import numpy as np
import plan_power
import polars as pl
import prediction_powered_coverage
import pytest

import adjudge
from adjudge.statistics.planning import (
    clustered_design,
    fewest_items,
    paired_difference_power,
    paired_t_power,
    proportion_width,
)

# --- intervals ---

SAMPLES = 1000
SAMPLING = 4 * np.sqrt(0.05 * 0.95 / SAMPLES)
"""Four standard errors of one simulated coverage: the minimum of some dozens may lie so far below its truth."""

FLOORS = {
    "kappa x relevance, n = 100": (lambda: coverage.product_coverage(100, SAMPLES), 0.93),
    "kappa with its gate, n = 100": (lambda: coverage.kappa_coverage(100, SAMPLES, gated=True), 0.925),
    "F1 over 20 texts": (lambda: coverage.f1_coverage(20, SAMPLES), 0.94),
    "40 clusters": (lambda: coverage.clustered_coverage(40, SAMPLES, coverage.CLUSTER_TRUTHS[::4]), 0.92),
    "mean over criteria, n = 100": (lambda: coverage.criteria_coverage(100, SAMPLES), 0.94),
}


@pytest.mark.parametrize("figure", FLOORS)
def test_intervals_keep_their_floor_within_sampling_error(figure):
    simulate, floor = FLOORS[figure]
    found = simulate()
    assert 0.94 <= np.mean(found) <= 0.97
    assert min(found) >= floor - SAMPLING


def test_known_bad_intervals_fail_by_far():
    assert coverage.proportion_coverage(30, coverage.wald, [0.95])[0] < 0.80
    assert coverage.clustered_coverage(40, SAMPLES, [(0.8, 0.3, True)], coverage.naive_wilson)[0] < 0.75
    assert coverage.bootstrap_coverage(SAMPLES) < 0.60
    assert coverage.plug_in_coverage(5, 50) < 0.80


@pytest.mark.parametrize("annotators", [2, 10])
def test_shrunken_intervals_cover_on_average_over_annotators(annotators):
    found = coverage.shrink_coverage(annotators, 100 // annotators)
    assert np.mean(found) >= 0.93
    assert min(found) >= 0.93 - 4 * np.sqrt(0.05 * 0.95 / 100)


@pytest.mark.parametrize(("share", "least"), [(0.1, 0.93), (0.2, 0.9)])
def test_agreement_beyond_these_annotators_holds_although_some_guess(share, least):
    found = [one for raters in (3, 5, 12) for one in agreement_coverage.with_guessers(share, raters, 60, 250)]
    assert np.mean(found) >= 0.94
    assert min(found) >= least - 4 * np.sqrt(0.05 * 0.95 / 250)


FEWER = 500
FEWER_SAMPLING = 4 * np.sqrt(0.05 * 0.95 / FEWER)


@pytest.mark.parametrize("noise", [0.3, 2.0])
@pytest.mark.parametrize("numbers", prediction_powered_coverage.NUMBERS)
def test_numbers_beside_a_judge_hold_or_are_noted_as_skewed(numbers, noise):
    made = [prediction_powered_coverage.of_numbers(numbers, n, noise, FEWER) for n in (40, 100, 300)]
    assert min(coverage.share_inside_or_noted(estimates, truth) for truth, estimates in made) >= 0.94 - FEWER_SAMPLING
    if numbers in ("normal", "gamma"):
        assert min(coverage.share_inside(estimates, truth) for truth, estimates in made) >= 0.92 - FEWER_SAMPLING


def test_correlations_of_draws_hold_or_are_noted():
    truths = [card_coverage.of_labels(spread, 3) for spread in ((0.02, 0.5), (0.02, 0.02, 2.0), (0.1, 1.9))]
    truths += [card_coverage.of_numbers(truth, draws, skewed=True) for truth in (0.3, 0.6) for draws in (2, 3)]
    shares = [
        coverage.share_inside_or_noted((make(np.random.default_rng([23, n, nth]), n) for nth in range(FEWER)), truth)
        for _, truth, make in truths
        for n in (100, 300)
    ]
    assert np.mean(shares) >= 0.93
    assert min(shares) >= 0.87 - FEWER_SAMPLING


@pytest.mark.parametrize("texts", [12, 40, 70])
def test_figures_with_false_alarms_in_bursts_cover_what_their_note_says(texts):
    for truth, estimates in coverage.in_bursts(texts, SAMPLES):
        least, most = re.search(r"(\d+) to (\d+) %", estimates[0].caveat.consequence).groups()
        share = coverage.share_inside(estimates, truth)
        assert int(least) / 100 - SAMPLING <= share <= int(most) / 100 + SAMPLING


def test_figures_with_false_alarms_in_bursts_hold_in_many_texts():
    assert min(coverage.share_inside(made, truth) for truth, made in coverage.in_bursts(150, SAMPLES)) > 0.94 - SAMPLING


@pytest.mark.parametrize("grades", [5, 20, 100])
def test_agreement_on_many_grades_holds_or_is_noted(grades):
    truth, estimates = agreement_coverage.of_grades(grades, 150, FEWER)
    assert coverage.share_inside_or_noted(estimates, truth) >= 0.94 - FEWER_SAMPLING


@pytest.mark.parametrize("people", [3, 4])
def test_a_judge_as_sure_as_single_people_is_seldom_called_less_sure(people):
    stated, against_most = card_coverage.less_sure(people, 100, 250)
    assert stated <= 0.08
    assert against_most > 0.08  # a control: by the label of most people it would be


def test_rank_sets_are_right_all_at_once():
    assert min(coverage.rank_coverage(100, SAMPLES)) >= 0.95 - SAMPLING


def held(table: pl.DataFrame, truth: pl.DataFrame) -> pl.Series:
    both = table.join(truth, on=["annotator", "metric"])
    return (both["low"] <= both["truth"]) & (both["truth"] <= both["high"])


def test_intervals_of_many_demos_hold_the_truth_about_as_often_as_they_say(tmp_path):
    from adjudge.evaluations.simulate import simulate_judgments, simulate_pairs
    from adjudge.writers.pair_files import write_columnar

    for_judgments, for_pairs = [], []
    for seed in range(20):
        table, truth = simulate_judgments(seed)
        for_judgments.append(held(adjudge.reliability(table, examples=0)["annotators"], truth))
        table, truth = simulate_pairs(seed)
        write_columnar(table, tmp_path / "pairs.parquet")
        for_pairs.append(
            held(adjudge.annotations(tmp_path / "pairs.parquet", matrix=False, examples=0)["agreement"], truth)
        )
    for found, each in ((for_judgments, 12 * 3), (for_pairs, 6 * 4)):
        together = pl.concat(found)
        assert together.len() == 20 * each
        # Figures of one annotator go together: the standard error of the share is about 0.015.
        assert 0.91 < together.mean() < 0.99


# --- gates ---

NOMINAL = 0.025
PAIRS = 2000
ERROR = (NOMINAL * (1 - NOMINAL) / PAIRS) ** 0.5


def failing(make, replications):
    """The share of comparisons whose whole interval lies below 0."""
    draw = np.random.default_rng(20)
    highs = [gate_error.compared(gate_error.RIGHT, *make(draw)).estimate.high for _ in range(replications)]
    return np.mean([high < 0 for high in highs])


@pytest.mark.parametrize("make", [partial(gate_error.shares, 200, 0.25, 0.0), partial(gate_error.clustered, 60, 5)])
def test_a_gate_fails_in_one_of_forty_null_comparisons_at_most(make):
    assert 0.008 < failing(make, PAIRS) < NOMINAL + 3 * ERROR


def test_without_its_clusters_the_same_gate_would_fail_too_often():
    """Each item three times over: a control that must fail the test above."""

    def thrice(draw):
        states, (first, second, counts, units) = gate_error.shares(200, 0.25, 0.0, draw)
        return states, (first, second, 3 * counts, units)

    assert failing(thrice, 300) > 0.08  # about .13: 1.96 standard errors are 1.13 true ones


def test_a_judge_that_is_worse_by_the_margin_passes_in_one_of_twenty_at_most():
    draw = np.random.default_rng(21)
    truths = [(2, 0.9, 0.1), (3, 0.95, 0.05), (5, 0.85, 0.15)]
    found = [alternative_test.passed_at_margin(draw, *truth, n, 300) for truth in truths for n in (30, 100)]
    assert 0.01 < np.mean(found) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 300 / len(found))
    assert max(found) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 300)


def test_macro_f1_of_rare_labels_differs_by_chance_as_often_as_it_says():
    draw, of = np.random.default_rng(22), gate_error.figure("preferences", "macro_f1")
    for gold in ((0.6, 0.3, 0.05, 0.05), (0.55, 0.38, 0.04, 0.03)):
        made = [gate_error.labels(n, draw, gold) for n in (60, 150) for _ in range(400)]
        small = [gate_error.compared(of, *one).p < 0.05 for one in made]
        assert np.mean(small) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 800)


def test_a_true_fall_is_found_in_most_runs():
    assert failing(partial(gate_error.shares, 400, 0.3, -0.1), 300) > 0.9


# --- plans ---

RUNS = 2000
CLUSTERED = clustered_design(5, 0.2)
FOUND = {
    "shares": (0.05, 0.1, plan_power.INDEPENDENT, plan_power.shares_found, paired_difference_power),
    "shares, mostly one-sided": (0.1, 0.12, plan_power.INDEPENDENT, plan_power.shares_found, paired_difference_power),
    "shares in clusters": (0.1, 0.4, CLUSTERED, plan_power.shares_found, paired_difference_power),
    "scores": (0.3, 1.0, plan_power.INDEPENDENT, plan_power.scores_found, paired_t_power),
    "scores in clusters": (0.3, 1.0, CLUSTERED, plan_power.scores_found, paired_t_power),
}


@pytest.mark.parametrize("question", FOUND)
def test_differences_are_found_as_often_as_planned(question):
    difference, spread, design, simulate, power_of = FOUND[question]
    items = fewest_items(lambda n: power_of(n, difference, spread, design=design) >= 0.8, design=design)
    planned = power_of(items, difference, spread, design=design)
    found = simulate(items, difference, spread, RUNS, 5, design)
    assert abs(found - planned) <= 3 * np.sqrt(planned * (1 - planned) / RUNS)


@pytest.mark.parametrize("design", [plan_power.INDEPENDENT, CLUSTERED])
def test_intervals_come_out_as_wide_as_planned(design):
    widths = plan_power.widths_found(400, 0.8, 500, 3, design)
    assert np.mean(widths) == pytest.approx(proportion_width(400, 0.8, design=design), rel=0.02)
