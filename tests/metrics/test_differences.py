"""Paired differences of figures against scipy, statsmodels, numeric derivatives and the jackknife."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from adjudge.estimate import Caveat
from adjudge.evaluations import view_of
from adjudge.evaluations.annotations.metrics import with_states
from adjudge.metrics.cells import PairedCells
from adjudge.metrics.difference import ItemParts, mean_difference, paired_difference
from adjudge.metrics.ratios import Mean, Share
from adjudge.spec import MetricSpec
from adjudge.statistics.clusters import cluster_degrees
from adjudge.statistics.comparison import Strata, paired_means_difference
from adjudge.statistics.strength import clustered_paired_difference
from adjudge.statistics.strength import paired_difference as paired_difference_of_counts

RIGHT = Share("right", MetricSpec("Right", ""), pl.col("right"), pl.lit(value=True))
SCORE = Mean("score", MetricSpec("Score", ""), pl.col("score"), bounds=(0.0, 1.0))


def figure(evaluation, metric, table="", **keys):
    """A figure of an evaluation."""
    views = (view_of(evaluation), *view_of(evaluation).subviews)
    figures = [one for part in views for one in part.metrics]
    return next(one for one in figures if (one.name, one.table, dict(one.keys)) == (metric, table, keys))


def tabled(before, after, units=None, counts=None):
    """The pairs of the states of two frames with a row each for the same."""
    states = pl.concat([before, after]).unique(maintain_order=True).with_row_index("place")
    first, second = (
        one.join(states, on=before.columns, how="left", nulls_equal=True, maintain_order="left")["place"]
        .cast(pl.Int64)
        .to_numpy()
        for one in (before, after)
    )
    counts = np.ones(len(first), dtype=np.int64) if counts is None else np.asarray(counts)
    return PairedCells(states.drop("place"), first, second, counts, units)


def in_parts(names, frames):
    """The same items on several parts, in two runs."""
    pairs = [tabled(*one) for one in frames]
    states, *runs = zip(*((one.states, one.first, one.second) for one in pairs), strict=True)
    return ItemParts(names, states, runs)


def both(of, pairs):
    """The figure in either run."""
    return [of.linearise(pairs.states, totals) for totals in pairs.totals]


def compared(of, before, after, units=None, counts=None, confidence=0.95):
    return paired_difference(of, tabled(before, after, units, counts), confidence).comparison


def shares(only_first, only_second, neither, right_in_both):
    """Who is right on each item, in two runs."""
    counts = (only_first, only_second, neither, right_in_both)
    before, after = np.repeat([1, 0, 0, 1], counts), np.repeat([0, 1, 0, 1], counts)
    return pl.DataFrame({"right": before == 1}), pl.DataFrame({"right": after == 1})


def scores(n, seed=1):
    draw = np.random.default_rng(seed)
    before = draw.beta(4, 2, n)
    after = np.clip(before + draw.normal(0.02, 0.15, n), 0, 1)
    return pl.DataFrame({"score": before}), pl.DataFrame({"score": after})


def limits(found):
    return [found.estimate.low, found.estimate.high]


@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.999])
@pytest.mark.parametrize("n", [2, 3, 30, 1000])
def test_differences_of_real_scores_are_the_paired_t_test(n, confidence):
    before, after = scores(n)
    found = compared(replace(SCORE, bounds=None), before, after, confidence=confidence)
    test = stats.ttest_rel(after["score"], before["score"])
    assert_allclose(found.p, test.pvalue, rtol=1e-9)
    assert_allclose(limits(found), test.confidence_interval(confidence), rtol=1e-9)
    assert (found.estimate.n, found.estimate.method) == (n, "t")


@pytest.mark.parametrize("counts", [(0, 1, 25, 50), (9, 3, 20, 28), (0, 12, 3, 13), (60, 31, 9, 100), (7, 8, 0, 0)])
def test_shares_are_compared_by_the_items_on_which_only_one_run_is_right(counts):
    lost, gained, n = *counts[:2], sum(counts)
    rows = shares(*counts)
    for confidence in (0.9, 0.95, 0.99):
        found = compared(RIGHT, *rows, confidence=confidence)
        assert found == paired_difference_of_counts(gained, lost, n, confidence=confidence)
    clustered = compared(RIGHT, *rows, units=np.arange(n))
    sides = np.repeat([0, 1, 0], [lost, gained, n - lost - gained]), np.repeat([1, 0], [lost, n - lost])
    expected = clustered_paired_difference(*sides, np.ones(n))
    assert_allclose([clustered.p, *limits(clustered)], [expected.p, *limits(expected)], rtol=1e-9)


@pytest.mark.parametrize("clusters", [None, 17])
def test_rows_that_one_run_lacks_are_left_out_and_counted(clusters):
    """Complete cases: the same as if the other rows were not there at all."""
    draw = np.random.default_rng(5)
    n = 90
    frames = [
        pl.DataFrame({"score": np.where(draw.random(n) < 0.85, draw.random(n), np.nan)}).fill_nan(None) for _ in "ab"
    ]
    held = frames[0]["score"].is_not_null() & frames[1]["score"].is_not_null()
    units = None if clusters is None else draw.integers(0, clusters, n)
    found = paired_difference(SCORE, tabled(*frames, units), 0.95)
    kept = None if units is None else np.unique(units[held.to_numpy()], return_inverse=True)[1]
    alone = paired_difference(SCORE, tabled(*(one.filter(held) for one in frames), kept), 0.95)
    assert found.comparison == alone.comparison
    assert (found.before, found.after) == (alone.before, alone.after)
    assert found.comparison.estimate.value == pytest.approx((frames[1]["score"] - frames[0]["score"]).mean(), rel=1e-12)
    lacking = [
        int((one["score"].is_null() & other["score"].is_not_null()).sum()) for one, other in (frames, frames[::-1])
    ]
    assert found.left_out == {("first", "no items"): lacking[0], ("second", "no items"): lacking[1]}
    assert alone.left_out.total() == 0


def texts(n, seed):
    """How many violations each text has, how many a checker predicts and how many of these are right; scores."""
    draw = np.random.default_rng(seed)
    true = draw.poisson(2, n)
    found = draw.binomial(true, 0.7)
    score = np.array([draw.uniform(0.5, 1, one).sum() for one in found])
    return true, pl.DataFrame({"found": found, "predicted": found + draw.poisson(0.6, n), "true": true, "score": score})


def checkers(n=80):
    true, before = texts(n, 6)
    draw = np.random.default_rng(7)
    kept = draw.binomial(before["found"], 0.8) + draw.binomial(true - before["found"], 0.5)
    after = before.with_columns(
        found=pl.Series(kept), predicted=pl.Series(kept + draw.poisson(0.4, n)), score=pl.Series(kept * 0.9)
    )
    return before, after


@pytest.mark.parametrize(("metric", "below"), [("precision", "predicted"), ("recall", "true")])
@pytest.mark.parametrize("clusters", [None, 12])
def test_precision_and_recall_are_linearised_with_texts_as_clusters(metric, below, clusters):
    before, after = checkers()
    units = None if clusters is None else np.arange(before.height) % clusters
    found = compared(figure("violations", metric, average="micro"), before, after, units=units)
    own = np.arange(before.height) if units is None else units
    sums = [side.select("found", below).sum().row(0) for side in (before, after)]
    value = sums[1][0] / sums[1][1] - sums[0][0] / sums[0][1]
    moved, share = np.zeros((2, own.max() + 1))
    for side, sign in ((before, -1), (after, 1)):
        x, y = side[below].to_numpy(), side["found"].to_numpy()
        np.add.at(moved, own, sign * (y - y.sum() / x.sum() * x) / x.sum())
        np.add.at(share, own, x / x.sum() / 2)
    ours, degrees = np.sqrt((moved**2 / (1 - share)).sum()), cluster_degrees(share)
    half = stats.t.ppf(0.975, degrees) * ours
    assert_allclose(found.p, 2 * stats.t.sf(abs(value / ours), degrees), rtol=1e-9)
    assert_allclose(limits(found), [value - half, value + half], rtol=1e-9)


def labels(n, seed=8):
    """Gold labels, and what two systems say, sometimes nothing."""
    draw = np.random.default_rng(seed)
    names = np.array(["A", "B", "both_good", "both_bad"])
    gold = draw.choice(names, n, p=[0.4, 0.3, 0.2, 0.1])
    frames = []
    for right in (0.65, 0.75):
        said = np.where(draw.random(n) < right, gold, draw.choice(names, n)).astype(object)
        said[draw.random(n) < 0.04] = None
        frames.append(
            pl.DataFrame({"label": pl.Series(said.tolist(), dtype=pl.String), "reference_label": gold}).with_columns(
                outcome=pl.when(pl.col("label").is_null())
                .then(pl.lit("missing"))
                .when(pl.col("label") == pl.col("reference_label"))
                .then(pl.lit("correct"))
                .otherwise(pl.lit("incorrect")),
                score=pl.lit(None, pl.Float64),
            )
        )
    return frames


def votes(n, seed=9):
    """Votes of two annotators beside the reference's, with some that are no label."""
    draw = np.random.default_rng(seed)
    words = ["text_a", "text_b", "not_applicable"]
    truth = draw.choice(words, n, p=[0.5, 0.4, 0.1])
    frames = []
    for right in (0.6, 0.75):
        said = np.where(draw.random(n) < right, truth, draw.choice(words, n, p=[0.4, 0.4, 0.2])).astype(object)
        said[draw.random(n) < 0.05] = "missing"
        rows = pl.DataFrame({"label": said.tolist(), "reference_label": truth, "outcome": "agree"})
        frames.append(rows.with_columns(longer=pl.col("reference_label").replace("not_applicable", "neither")))
    return [one.with_columns(with_states()) for one in frames]


def choices(n):
    return [one.filter(pl.lit(value=True)).with_columns(outcome=pl.col("outcome").replace("missing", "incorrect")) for one in labels(n)]  # fmt: skip


def by_rule(n):
    """Of one rule in each text: predictions, those that match, true violations, those that are matched."""
    draw = np.random.default_rng(13)
    true = draw.poisson(1.5, n)
    frames = []
    for right in (0.6, 0.75):
        hit, other = draw.binomial(true, right), draw.poisson(0.3, n)  # some match under another rule
        sides = {"predicted_hit": hit + other, "predicted": hit + other + draw.poisson(0.5, n), "true_hit": hit}
        frames.append(pl.DataFrame({**sides, "true": true}))
    return frames


LINEARISED = [
    *(("violations", name, {"table": "by_rule"}, by_rule) for name in ("precision", "recall", "f1")),
    ("annotations", "length", {"table": "bias"}, votes),
    ("preferences", "balanced_accuracy", {}, labels),
    ("preferences", "macro_f1", {}, labels),
    ("preferences", "kappa", {}, labels),
    ("annotations", "strength", {}, votes),
    ("annotations", "relevance", {}, votes),
    ("annotations", "kappa_observed", {}, votes),
    ("reliability", "kappa", {}, choices),
    *(("violations", name, {"average": average}, checkers) for average in ("micro", "macro") for name in ("precision", "recall", "f1", "match_score", "match_quality")),
]  # fmt: skip
"""Every figure whose difference rests on influence values, but those of rag, which are shares as above."""


@pytest.mark.parametrize(("evaluation", "metric", "keys", "made"), LINEARISED)
def test_the_influence_of_a_row_is_the_derivative_by_its_weight(evaluation, metric, keys, made):
    of = figure(evaluation, metric, **keys)
    pairs = tabled(*made(70))
    for counts in pairs.totals:
        found = of.linearise(pairs.states, counts).influence
        large = 100_000
        for state in np.flatnonzero(counts):
            more, less = counts * large, counts * large
            more[state] += 1
            less[state] -= 1
            slope = (of.linearise(pairs.states, more).value - of.linearise(pairs.states, less).value) * large / 2
            assert found[state] == pytest.approx(slope, abs=1e-8)
        assert found @ counts == pytest.approx(0, abs=1e-12)


def test_the_mean_over_criteria_of_the_same_items_is_a_t_test_of_each_items_mean():
    draw = np.random.default_rng(11)
    n, criteria = 75, 4
    before, after = (draw.random((n, criteria)) < share for share in (0.6, 0.7))
    frames = [[pl.DataFrame({"right": one[:, place]}) for one in (before, after)] for place in range(criteria)]
    found = mean_difference(RIGHT, in_parts("abcd", frames), 0.95).comparison
    test = stats.ttest_rel(after.mean(axis=1), before.mean(axis=1))
    assert_allclose(found.estimate.value, after.mean() - before.mean(), rtol=1e-12)
    assert_allclose([found.p, *limits(found)], [test.pvalue, *test.confidence_interval()], rtol=1e-9)


def test_what_is_undefined_in_one_run_has_no_difference_and_says_why():
    silent = pl.DataFrame({"found": [0, 0], "predicted": [0, 0], "true": [1, 2], "score": [0.0, 0.0]})
    spoken = pl.DataFrame({"found": [1, 0], "predicted": [1, 0], "true": [1, 2], "score": [0.8, 0.0]})
    precision = figure("violations", "precision", average="micro")
    for frames in ((silent, spoken), (spoken, silent)):
        found = compared(precision, *frames)
        assert (found.p, found.estimate.value, found.estimate.reason) == (None, None, "nothing is predicted")
    assert compared(figure("violations", "recall", average="macro"), silent, spoken).estimate.value == 0.5
    whole = mean_difference(precision, in_parts("ab", [(spoken, spoken), (silent, spoken)]), 0.9).comparison
    assert (whole.p, whole.estimate.value, whole.estimate.reason) == (None, None, "b: nothing is predicted")
    assert whole.estimate.n == 1  # the text in which one run predicts something
    one_label = pl.DataFrame({"label": ["A"] * 3, "reference_label": ["A"] * 3, "outcome": ["correct"] * 3, "score": [None] * 3})  # fmt: skip
    assert compared(figure("preferences", "kappa"), one_label, one_label).estimate.reason


def test_a_rare_label_leaves_a_difference_of_macro_f1_few_degrees_of_freedom():
    """Welch and Satterthwaite's over gold labels, of three of which the rarest has five of 100 items."""
    draw = np.random.default_rng(3)
    gold = np.repeat(["A", "B", "both_bad"], [60, 35, 5])
    frames = []
    for right in (0.9, 0.6):
        label = np.where(draw.random(100) < right, gold, draw.choice(["A", "B", "both_bad"], 100))
        outcome = np.where(label == gold, "correct", "incorrect")
        frames.append(pl.DataFrame({"reference_label": gold, "label": label, "outcome": outcome}))
    of = figure("preferences", "macro_f1")
    pairs, found = tabled(*frames), compared(of, *frames)
    before, after = both(of, pairs)
    moved = after.influence[pairs.second] - before.influence[pairs.first]
    squares = np.array([(moved[gold == label] ** 2).sum() for label in np.unique(gold)])
    degrees = squares.sum() ** 2 / (squares**2 / np.array([59, 34, 4])).sum()
    t = found.estimate.value / np.sqrt((moved**2).sum() * 100 / 99)
    assert degrees < 50
    assert found.p == pytest.approx(2 * stats.t.sf(abs(t), degrees), rel=1e-9)


BALANCED = "preferences", "balanced_accuracy"


def who_is_right(before, after):
    """Of each gold label: items on which only the second run is right, only the first, and all."""
    frame = before.select(gold="reference_label", one=pl.col("outcome") == "correct").with_columns(
        other=after["outcome"] == "correct"
    )
    sums = frame.group_by("gold").agg(
        gained=(~pl.col("one") & pl.col("other")).sum(), lost=(pl.col("one") & ~pl.col("other")).sum(), n=pl.len()
    )
    return [sums[name].to_numpy() for name in ("gained", "lost", "n")]


def test_balanced_accuracy_is_compared_label_by_label():
    before, after = labels(90)
    found = compared(figure(*BALANCED), before, after)
    expected = paired_means_difference([Strata(*who_is_right(before, after))])
    assert found.p == pytest.approx(expected.p, rel=1e-9)
    assert_allclose(limits(found), limits(expected), atol=1e-12)
    assert (found.estimate.n, found.estimate.method, found.estimate.caveat) == (90, "mover", Caveat.CONSERVATIVE)


@pytest.mark.parametrize("kind", ["scores", "shares", "balanced accuracy"])
def test_clusters_of_rows_that_move_alike_hold_no_more_than_one_row_of_each(kind):
    of, (before, after) = {
        "scores": (SCORE, scores(200, seed=4)),
        "shares": (RIGHT, shares(30, 50, 40, 80)),
        "balanced accuracy": (figure(*BALANCED), labels(200)),
    }[kind]
    rows = np.repeat(np.arange(200), 3)
    once = compared(of, before, after, units=np.arange(200))
    thrice = compared(of, before[rows], after[rows], units=rows)
    assert_allclose([thrice.p, *limits(thrice)], [once.p, *limits(once)], rtol=1e-9)
