"""Weights and a threshold fitted to judged pairs of violations, and what is said of how good they are."""

import json
import sys
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.api._violations import calibrate_violations
from karat.errors import DataError, MissingError, OptionError
from karat.estimate import Note
from karat.evaluations.violations.calibration import GRID, held_out, profile, rounded, scores
from karat.evaluations.violations.calibration_figures import OF_RULES, highest_accuracy
from karat.evaluations.violations.fitting import Fitting, Judgments, as_rule, decisions, fit_logistic
from karat.evaluations.violations.rules import ALONE, PARTS, THRESHOLDS, VARIANTS, Rule, changed
from karat.formats.settings import read_settings
from karat.report import Report
from made_judged import simulated

HA = VARIANTS["ha"]
OPEN = Rule(HA.weights, score=0.5, overlap=-1.0, rule=-1.0)
"""The default without thresholds of overlap and rule."""


def simple(values, same, groups=None):
    """Judgments of pairs that differ in overlap alone."""
    numbers = np.asarray(values, np.float64)
    places = np.arange(len(numbers)) if groups is None else np.asarray(groups)
    return Judgments(pl.DataFrame({"overlap": numbers, "rule": np.ones(len(numbers))}), np.asarray(same, bool), places)


# --- the fit ---


@pytest.mark.parametrize("seed", range(4))
def test_where_no_sign_is_in_the_way_the_fit_is_that_of_scikit_learn(seed):
    from sklearn.linear_model import LogisticRegression

    found = simulated(seed, judgments=400)
    table = found.table(PARTS)
    theirs = LogisticRegression(C=np.inf, tol=1e-10, max_iter=2000).fit(table, found.same)
    assert (theirs.coef_ > 0).all()
    ours = fit_logistic(table, found.same)
    assert ours.coefficients == pytest.approx(theirs.coef_[0], rel=2e-3)
    assert ours.intercept == pytest.approx(theirs.intercept_[0], rel=2e-3)


@pytest.mark.parametrize("seed", range(4))
def test_the_fit_satisfies_the_conditions_of_an_optimum_under_signs(seed):
    found = simulated(seed, judgments=300, weights={"overlap": 1.0}, sharpness=4.0)
    table = found.table(PARTS)
    ours = fit_logistic(table, found.same)
    likely = 1 / (1 + np.exp(-(ours.intercept + table @ ours.coefficients)))
    slope = table.T @ (likely - found.same) + 1e-4 * ours.coefficients
    assert (ours.coefficients >= 0).all()
    assert abs((likely - found.same).sum()) < 1e-5
    assert (slope > -1e-5).all()
    assert np.abs(slope * ours.coefficients).max() < 1e-5


def test_a_part_that_speaks_against_the_same_weighs_nothing():
    found = simulated(0)
    values = found.values.with_columns(correction=1 - pl.col("overlap"))
    against = Judgments(values, found.same, found.groups)
    assert Fitting(against, HA).rule().weights["correction"] == pytest.approx(0, abs=1e-12)


def test_one_part_by_hand():
    # Of pairs with x = 0 a quarter is called the same, with x = 1 three quarters: b = -log 3, c = 2 log 3.
    table = np.repeat([[0.0], [1.0]], 4, axis=0)
    same = np.array([True, False, False, False, True, True, True, False])
    found = fit_logistic(table, same)
    assert found.intercept == pytest.approx(-np.log(3), rel=1e-3)
    assert found.coefficients == pytest.approx([2 * np.log(3)], rel=1e-3)
    assert found.log_likelihood == pytest.approx((6 * np.log(0.75) + 2 * np.log(0.25)) / 8, rel=1e-6)
    assert as_rule(found, ALONE).score == pytest.approx(0.5)


@given(st.integers(0, 10_000))
def test_judgments_that_a_line_parts_have_a_finite_fit_that_meets_them(seed):
    random = np.random.default_rng(seed)
    table = random.random((40, 3))
    same = np.arange(40) < random.integers(1, 40)
    table[:, 0] = 0.45 * table[:, 0] + 0.55 * same
    found = fit_logistic(table, same)
    assert np.isfinite(found.coefficients).all()
    assert ((found.intercept + table @ found.coefficients > 0) == same).all()


def test_weights_count_as_often_as_rows():
    found = simulated(1, judgments=200)
    table = found.table(PARTS)
    weights = np.random.default_rng(0).integers(0, 4, 200)
    rows = np.repeat(np.arange(200), weights)
    whole, weighted = (
        fit_logistic(table[rows], found.same[rows]),
        fit_logistic(table, found.same, weights.astype(float)),
    )
    assert weighted.coefficients == pytest.approx(whole.coefficients, abs=1e-5)
    assert weighted.log_likelihood == pytest.approx(whole.log_likelihood)


def test_where_to_start_does_not_matter():
    found = simulated(2)
    table = found.table(PARTS)
    near = fit_logistic(table, found.same, start=fit_logistic(table[:100], found.same[:100]))
    assert near.coefficients == pytest.approx(fit_logistic(table, found.same).coefficients, abs=1e-5)


@given(st.permutations(range(60)))
def test_the_order_of_judgments_does_not_matter(order):
    found = simulated(3, judgments=60, texts=9)
    rows = np.array(order)
    shuffled = Judgments(found.values[rows], found.same[rows], found.groups[rows])
    assert Fitting(shuffled, HA).rule().weights == pytest.approx(Fitting(found, HA).rule().weights, abs=1e-6)
    folds = [held_out(one, HA).answers["default"]["fold"].to_numpy() for one in (found, shuffled)]
    assert (folds[0][rows] == folds[1]).all()


def test_exchanging_two_parts_exchanges_their_weights():
    found = simulated(4)
    swapped = found.values.with_columns(overlap="rule", rule="overlap")
    weights = Fitting(found, HA).rule().weights
    other = Fitting(Judgments(swapped, found.same, found.groups), HA).rule().weights
    assert (other["overlap"], other["rule"]) == pytest.approx((weights["rule"], weights["overlap"]), abs=1e-6)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    ("weights", "threshold"),
    [
        (HA.weights, 0.5),
        ({"overlap": 0.1, "rule": 0.5, "category": 0.2, "explanation": 0.2, "correction": 0.0}, 0.4),
    ],
)
def test_known_weights_come_back_from_simulated_judgments(seed, weights, threshold):
    found = Fitting(simulated(seed, weights=weights, threshold=threshold), HA).rule()
    assert sum(found.weights.values()) == pytest.approx(1)
    for part, weight in weights.items():
        assert found.weights[part] == pytest.approx(weight, abs=0.06)
    assert found.score == pytest.approx(threshold, abs=0.04)


def test_there_is_no_rule_where_all_say_the_same_or_no_part_does():
    found = simulated(0, judgments=50)
    assert Fitting(Judgments(found.values, np.ones(50, bool), found.groups), HA).rule() is None
    backwards = simple([0.1, 0.2, 0.8, 0.9], [True, True, False, False])
    assert Fitting(backwards, ALONE).rule() is None


@given(st.lists(st.floats(1e-3, 1), min_size=1, max_size=5))
def test_rounded_weights_sum_to_1_as_settings_must(weights):
    exact = {part: weight / sum(weights) for part, weight in zip(PARTS, weights, strict=False)}
    found = rounded(exact)
    assert all(abs(found[part] - exact[part]) <= 1e-4 for part in exact)
    assert changed(HA, found, {}, "").weights == found


# --- profiles ---


def test_no_profile_rises_above_the_fit_and_each_reaches_it():
    found = simulated(5)
    best = fit_logistic(found.table(PARTS), found.same)
    weights = as_rule(best, OPEN).weights
    for part in PARTS:
        held = profile(found, part, OPEN)
        assert held["weight"].to_list() == GRID.tolist()
        likelihoods = held["log_likelihood"].to_numpy()
        assert likelihoods.max() <= best.log_likelihood + 1e-7
        assert abs(held["weight"][int(likelihoods.argmax())] - weights[part]) <= 0.05
        assert likelihoods.max() > best.log_likelihood - 2e-3


def test_a_profile_at_1_is_the_fit_of_that_part_alone():
    found = simulated(6)
    alone = fit_logistic(found.table(["rule"]), found.same)
    (last,) = profile(found, "rule", OPEN).filter(weight=1).to_dicts()
    assert last["log_likelihood"] == pytest.approx(alone.log_likelihood, abs=1e-9)
    right = decisions(found.values, as_rule(alone, replace(OPEN, weights={"rule": 1.0}))) == found.same
    assert last["accuracy"] == pytest.approx(right.mean())


def test_a_part_alone_has_only_the_weight_1():
    found = simple([0.1, 0.4, 0.6, 0.9], [False, True, False, True])
    assert profile(found, "overlap", ALONE)["weight"].to_list() == [1.0]


# --- what rules say ---


def test_a_rule_needs_more_than_each_threshold():
    values = pl.DataFrame({"overlap": [0.0, 0.5, 0.5, 0.4], "rule": [1.0, 0.01, 0.5, 1.0]})
    rule = Rule({"overlap": 0.5, "rule": 0.5}, score=0.5)
    assert scores(values, rule).tolist() == [0.5, 0.255, 0.5, 0.7]
    assert decisions(values, rule).tolist() == [False, False, False, True]


# --- held-out folds ---


def test_no_fold_is_predicted_by_its_own_texts():
    found = simulated(7, judgments=300, texts=40)
    held = held_out(found, HA, seed=3)
    folds, scored = (held.answers["calibrated"][name].to_numpy() for name in ("fold", "score"))
    assert len(np.unique(folds)) == held.folds == 5
    for text in range(found.texts):
        assert len(np.unique(folds[found.groups == text])) == 1
    for fold in range(5):
        mine = folds == fold
        opposite = Judgments(found.values, np.where(mine, ~found.same, found.same), found.groups)
        again = held_out(opposite, HA, seed=3)
        scored_again = again.answers["calibrated"]["score"].to_numpy()
        assert (scored_again[mine] == scored[mine]).all()
        assert not (scored_again == scored).all()


def test_a_fold_that_cannot_be_fitted_goes_with_the_default():
    # The text whose pair is not the same stands alone in its fold, so that the others hold one answer.
    found = simple([0.9, 0.8, 0.1], [True, True, False], [0, 1, 2])
    held = held_out(found, Rule({"overlap": 1.0}), folds=3)
    assert held.failed == 1
    assert held.answers["calibrated"]["score"][2] == held.answers["default"]["score"][2]


# --- AUC ---


def auc(same, scores, folds):
    """The area, and how far each judgment moves it."""
    states = pl.DataFrame({"same": np.asarray(same, bool), "score": scores, "fold": folds})
    (figure,) = [one for one in OF_RULES if one.name == "auc"]
    found = figure.linearise(states, np.ones(len(scores), np.int64))
    return found.value, found.influence


@given(
    st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=4, max_size=40).filter(
        lambda rows: len({same for _, same in rows}) == 2
    )
)
def test_the_auc_is_that_of_scikit_learn_with_ties(rows):
    from sklearn.metrics import roc_auc_score

    values, same = np.array([value for value, _ in rows], float), np.array([same for _, same in rows])
    value, influence = auc(same, values, np.zeros(len(rows), np.int64))
    assert value == pytest.approx(roc_auc_score(same, values))
    assert influence.sum() == pytest.approx(0, abs=1e-12)


def test_the_variance_of_the_auc_is_that_of_delong():
    random = np.random.default_rng(0)
    same = random.random(80) < 0.4
    values = random.random(80) + 0.5 * same
    _, influence = auc(same, values, np.zeros(80, np.int64))
    wins = (values[same][:, None] > values[~same][None, :]).astype(float)
    sides = (wins.mean(axis=1), wins.mean(axis=0))
    delong = sum(((one - wins.mean()) ** 2).sum() / len(one) ** 2 for one in sides)
    assert (influence**2).sum() == pytest.approx(delong)


def test_the_auc_of_several_folds_compares_within_them():
    from sklearn.metrics import roc_auc_score

    values, folds = np.array([0.9, 0.1, 0.2, 0.8, 0.7, 0.3]), np.array([0, 0, 0, 1, 1, 1])
    same = np.array([True, False, True, False, True, False])
    value, influence = auc(same, values, folds)
    parts = [roc_auc_score(same[folds == fold], values[folds == fold]) for fold in (0, 1)]
    assert value == pytest.approx(np.average(parts, weights=[2, 2]))
    assert influence.sum() == pytest.approx(0)


def test_without_both_answers_in_a_fold_there_is_no_auc():
    value, influence = auc([False, True], np.array([0.1, 0.9]), np.array([0, 1]))
    assert value is None
    assert not influence.any()


def test_a_greater_score_of_a_pair_called_the_same_never_lowers_the_auc():
    random = np.random.default_rng(1)
    same = random.random(50) < 0.5
    values, folds = np.round(random.random(50), 1), random.integers(0, 3, 50)
    before, _ = auc(same, values, folds)
    after, _ = auc(same, np.where(same, values + 0.1, values), folds)
    assert after >= before


# --- judges ---


def test_no_rule_exceeds_what_the_agreement_of_judges_allows():
    random = np.random.default_rng(2)
    likely = random.beta(0.5, 0.5, 2000)
    best = np.maximum(likely, 1 - likely).mean()
    agreement = (likely**2 + (1 - likely) ** 2).mean()
    assert agreement < best <= highest_accuracy(agreement)


# --- the report ---


TEXT = "Cures headache, the best tea ever, free of charge for all of you."


def judged(count=240, judges=("ann",), *, seed=0, texts=24, at=0.5, sharp=10):
    """Judgments of violations whose overlap and rule count half each."""
    random = np.random.default_rng(seed)
    rows = []
    for number in range(count):
        start, length = int(random.integers(0, 20)), int(random.integers(5, 20))
        shift = int(random.integers(0, length))
        rule = "no medical claims" if random.random() < 0.5 else "no superlatives"
        overlap, alike = (length - shift) / (length + shift), 1.0 if rule == "no medical claims" else 0.25
        likely = 1 / (1 + np.exp(-sharp * (0.5 * overlap + 0.5 * alike - at)))
        pair = {
            "id": f"t{number % texts}",
            "text": TEXT,
            "predicted": {"start": start, "end": start + length, "rule": rule},
            "ground_truth": {"start": start + shift, "end": start + shift + length, "rule": "no medical claims"},
        }
        rows += [{**pair, "same": bool(random.random() < likely), "judge": judge} for judge in judges]
    # A pair that chance drew twice would be judged twice.
    return list(
        {
            (json.dumps(row["predicted"]), json.dumps(row["ground_truth"]), row["id"], row["judge"]): row
            for row in rows
        }.values()
    )


def table(rows):
    return pl.DataFrame(rows)


def test_the_report_holds_what_it_says(tmp_path):
    rows = judged(judges=("ann", "bob"))
    report = calibrate_violations(table(rows), write_config=tmp_path / "ours.toml")
    assert list(report.tables) == ["judges", "calibration", "differences", "weights", "flatness"]
    assert report.counts["judgments"] == len(rows)
    assert report.counts["texts"] == 24
    assert report.counts["judges"] == 2
    assert report.evaluation == "violations"
    weights = {part: report.estimate("weights", "weight", {"part": part}) for part in PARTS}
    assert sum(one.value for one in weights.values()) == pytest.approx(1)
    assert [part for part in PARTS if weights[part].note == Note.NOT_GIVEN] == [
        "category",
        "explanation",
        "correction",
    ]
    assert weights["overlap"].low < weights["overlap"].value < weights["overlap"].high
    assert report.estimate("weights", "default_weight", {"part": "rule"}).value == 0.5
    assert any(
        "no violation has a category, explanation or correction: what is absent has no weight" in one
        for one in report.warnings
    )
    report.save(tmp_path / "r.json")
    assert Report.load(tmp_path / "r.json") == report


def test_what_is_written_is_read_as_settings(tmp_path):
    path = tmp_path / "ours.toml"
    report = calibrate_violations(table(judged(at=0.75, sharp=40)), write_config=path)
    said = read_settings(path, list(VARIANTS), list(THRESHOLDS))["ha"]
    rule = changed(HA, said.pop("weights"), said, "")
    for part in ("overlap", "rule"):
        assert rule.weights[part] == pytest.approx(report.estimate("weights", "weight", {"part": part}).value, abs=1e-4)
    threshold = report.estimate("calibration", "threshold", {"rule": "calibrated"}).value
    assert rule.score == pytest.approx(threshold, abs=1e-4)


def test_a_file_of_any_name_leaves_settings_readable(tmp_path):
    path, config = tmp_path / "judged\n[std]\x01.jsonl", tmp_path / "ours.toml"
    path.write_text("".join(json.dumps(row) + "\n" for row in judged(at=0.75, sharp=40)))
    calibrate_violations(path, variant="std", write_config=config)
    assert list(read_settings(config, list(VARIANTS), list(THRESHOLDS))) == ["std"]


def test_figures_by_hand_and_by_scikit_learn():
    """Overlap alone decides: the default says "same" above 0.5."""

    from sklearn.metrics import f1_score

    rows = [
        {
            "id": str(number),
            "predicted": {"start": 0, "end": end},
            "ground_truth": {"start": 0, "end": 10},
            "same": same,
        }
        for number, (end, same) in enumerate(
            [(9, True), (8, True), (7, False), (6, True), (4, False), (3, True), (2, False), (1, False)]
        )
    ]
    report = calibrate_violations(table(rows), folds=2)
    default = {"rule": "default"}
    said = [end > 5 for end in (9, 8, 7, 6, 4, 3, 2, 1)]
    true = [row["same"] for row in rows]
    assert report.estimate("calibration", "accuracy", default).value == 6 / 8
    assert report.estimate("calibration", "f1", default).value == pytest.approx(f1_score(true, said))
    assert report.estimate("weights", "weight", {"part": "overlap"}).value == 1.0
    assert report.estimate("calibration", "threshold", default).value == 0.5
    assert report["judges"]["reason"].drop_nulls().unique().to_list() == [
        "no pair was judged by two people who are named"
    ]


def test_the_difference_is_the_calibrated_figure_minus_the_default_one():
    report = calibrate_violations(table(judged()))
    for metric in ("auc", "accuracy", "f1"):
        ours, theirs = (
            report.estimate("calibration", metric, {"rule": rule}).value for rule in ("calibrated", "default")
        )
        found = report.estimate("differences", metric, {"first": "default", "second": "calibrated"})
        assert found.value == pytest.approx(ours - theirs)
        assert found.low <= found.value <= found.high


def test_agreement_of_judges_by_hand():
    rows = judged(40)
    other = [
        {**row, "judge": "bob", "same": row["same"] if place % 4 else not row["same"]} for place, row in enumerate(rows)
    ]
    unnamed = [{**row, "judge": None} for row in rows[:5]]
    report = calibrate_violations(table(rows + other + unnamed))
    agreed = 1 - sum(place % 4 == 0 for place in range(len(rows))) / len(rows)
    found = report.estimate("judges", "agreement", {"first": "ann", "second": "bob"})
    assert (found.value, found.n) == (pytest.approx(agreed), len(rows))
    everyone = {"first": "all", "second": "all"}
    assert report.estimate("judges", "ceiling", everyone).value == pytest.approx((1 + (2 * agreed - 1) ** 0.5) / 2)
    assert (
        report.estimate("judges", "kappa", everyone).value
        == report.estimate("judges", "kappa", {"first": "ann", "second": "bob"}).value
    )


def test_judges_who_answer_at_random_are_told_to_talk_first():
    rows = judged(60)
    random = np.random.default_rng(0)
    others = [{**row, "judge": "bob", "same": bool(random.integers(2))} for row in rows]
    alike = [{**row, "judge": "bob"} for row in rows]
    told = "judges do not agree beyond chance: kappa"
    assert calibrate_violations(table(rows + others)).warnings[0].startswith(told)
    assert not any(told in one for one in calibrate_violations(table(rows + alike)).warnings)


def test_kappa_of_several_judges_is_the_mean_over_their_pairs():
    rows = judged(60, judges=("ann", "bob", "cid"))
    report = calibrate_violations(table(rows))
    judges = report["judges"].filter(pl.col("metric") == "kappa")
    pairs = judges.filter(pl.col("first") != "all")
    assert pairs.height == 3
    mean = (pairs["value"] * pairs["n"]).sum() / pairs["n"].sum()
    found = report.estimate("judges", "kappa", {"first": "all", "second": "all"})
    assert found.value == pytest.approx(mean)
    assert found.low < found.value < found.high
    assert found.n == pairs["n"].sum()


def test_std_fits_its_two_parts():
    report = calibrate_violations(table(judged()), variant="std")
    assert report["weights"]["part"].unique(maintain_order=True).to_list() == ["overlap", "rule"]


def test_the_order_of_lines_does_not_matter():
    rows = judged(120, judges=("ann", "bob"))
    first, second = (calibrate_violations(table(one)) for one in (rows, rows[::-1]))
    for name in first.tables:
        for column in ("value", "low", "high"):
            ours, theirs = (one[name][column].fill_null(-9).to_numpy() for one in (first, second))
            assert ours == pytest.approx(theirs, abs=1e-5)


def test_one_text_says_nothing_of_others():
    report = calibrate_violations(table(judged(60, texts=1)))
    found = report.estimate("calibration", "accuracy", {"rule": "calibrated"})
    assert found.reason == "fewer than two texts: nothing can be held out"
    assert report["differences"].is_empty()
    assert report.estimate("weights", "weight", {"part": "overlap"}).note == Note.ONE_CLUSTER


def test_pairs_called_the_same_that_a_threshold_forbids_are_counted():
    rows = judged(60)
    apart = [
        {**rows[n], "predicted": {"start": 60, "end": 64, "rule": "other"}, "same": True, "judge": f"j{n}"}
        for n in range(3)
    ]
    report = calibrate_violations(table(rows + apart))
    assert any(one.startswith("3 judgments call pairs the same that no score can match") for one in report.warnings)


def test_thresholds_hold_for_both_rules_and_are_written_where_given(tmp_path):
    path, rows = tmp_path / "ours.toml", table(judged(at=0.7, sharp=40))
    usual = calibrate_violations(rows, write_config=path)
    assert set(read_settings(path, list(VARIANTS), list(THRESHOLDS))["ha"]) == {"score_threshold", "weights"}
    found = calibrate_violations(rows, overlap_threshold=0.5, rule_threshold=0, write_config=path)
    said = read_settings(path, list(VARIANTS), list(THRESHOLDS))["ha"]
    assert (said["overlap_threshold"], said["rule_threshold"]) == (0.5, 0.0)
    assert sum(one.count("overlap > 0.5, rule > 0.") for one in found.notes) == 2
    assert found["weights"]["value"].equals(usual["weights"]["value"])
    for rule in ("calibrated", "default"):
        figures = [one.estimate("calibration", "accuracy", {"rule": rule}).value for one in (usual, found)]
        assert figures[0] != figures[1]


def test_a_lower_threshold_lets_people_be_right():
    odd = [{**row, "predicted": {**row["predicted"], "rule": "odd"}, "same": True} for row in judged(12, seed=9)]
    rows = table(judged(60) + list({(json.dumps(one["predicted"]), one["id"]): one for one in odd}.values()))
    first, second = (calibrate_violations(rows, rule_threshold=one) for one in (None, 0.0))
    assert any("lower --overlap-threshold or --rule-threshold" in one for one in first.warnings)
    assert second.signature != first.signature


def test_a_part_alike_in_all_pairs_is_named():
    rows = [{**row, "predicted": row["ground_truth"] | {"rule": row["predicted"]["rule"]}} for row in judged(80)]
    rows = list({(json.dumps(row["predicted"]), row["id"]): row for row in rows}.values())
    report = calibrate_violations(table(rows))
    assert any("all pairs are equally alike in overlap" in one for one in report.warnings)
    assert report.estimate("weights", "weight", {"part": "overlap"}).value < 1e-6


@pytest.mark.parametrize(("same", "said"), [(True, "judged the same"), (False, "judged not the same")])
def test_one_answer_alone_cannot_be_fitted(same, said):
    rows = [{**row, "same": same} for row in judged(20)]
    with pytest.raises(DataError, match=f"all {len(rows)} are {said}"):
        calibrate_violations(table(rows))


def test_confused_answers_are_named():
    rows = [{**row, "same": not row["same"]} for row in judged(200)]
    with pytest.raises(DataError, match="no part predicts a match"):
        calibrate_violations(table(rows))


def test_without_the_extra_it_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(MissingError, match=r'Calibration needs sklearn: pip install "karat\[fit\]"'):
        calibrate_violations(table(judged(20)))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"folds": 1}, "folds: expected a whole number from 2; got 1"),
        ({"variant": "both"}, "variant: expected one of std, ha"),
        ({"confidence": 2}, "confidence: expected a number between 0 and 1"),
        ({"write_config": "x.json"}, "expected a name that ends in one of .toml"),
        ({"write_config": 3}, "write_config: expected the path of a .toml file; got 3"),
        ({"overlap_threshold": 2}, "overlap_threshold: expected a number from 0 to 1, or off; got 2"),
        ({"rule_threshold": "x"}, "rule_threshold: expected a number from 0 to 1, or off; got 'x'"),
        ({"text_similarity": "cosine"}, "similarity: expected one of"),
        ({"base_url": "http://x"}, "base_url: is the address of a server"),
        ({"progress": 1}, "progress: expected a function"),
    ],
)
def test_options_are_checked_before_anything_is_read(options, said):
    with pytest.raises(OptionError, match=said):
        calibrate_violations("nowhere.jsonl", **options)


def test_another_seed_draws_other_folds_and_says_so():
    first, second = (calibrate_violations(table(judged(80)), seed=seed) for seed in (0, 1))
    assert first.signature != second.signature
    assert first["weights"]["value"].equals(second["weights"]["value"])
    assert not first["weights"]["low"].equals(second["weights"]["low"])


def test_what_a_pair_lacks_weighs_nothing_as_in_matching():
    """.6 x .5 alone, by .6; rules that neither has have no threshold; in the fit they are as alike as overlap is."""
    values = pl.DataFrame({"overlap": [0.5, 0.5], "rule": [None, 0.0]})
    rule = Rule({"overlap": 0.6, "rule": 0.4}, score=0.4, rule=0.01)
    assert scores(values, rule).tolist() == [0.5, 0.3]
    assert decisions(values, rule).tolist() == [True, False]
    judgments = Judgments(values, np.array([True, False]), np.array([0, 1]))
    assert judgments.table(["overlap", "rule"]).tolist() == [[0.5, 0.5], [0.5, 0.0]]


@pytest.mark.parametrize("seed", range(5))
def test_random_answers_are_no_gain_and_nothing_is_written(seed, tmp_path):
    """Three quarters are called the same whatever they are like, so that the majority is right in about as many."""
    random, config = np.random.default_rng(seed), tmp_path / "ours.toml"
    rows = [{**row, "same": bool(random.random() < 0.75)} for row in judged(seed=seed)]
    try:
        report = calibrate_violations(table(rows), write_config=config)
    except DataError:  # nothing could be fitted at all
        assert not config.exists()
        return
    majority = np.mean([row["same"] for row in rows])
    assert report.estimate("calibration", "accuracy", {"rule": "majority"}).value == pytest.approx(majority)
    assert report.estimate("calibration", "auc", {"rule": "majority"}).value == 0.5
    assert any("no better than the majority" in warning for warning in report.warnings)
    assert any(f"nothing is written to {config}" in warning for warning in report.warnings)
    assert not config.exists()


def test_a_rule_as_good_as_the_default_one_is_no_better(tmp_path):
    report = calibrate_violations(table(judged()), write_config=tmp_path / "ours.toml")
    assert any("no better than the default rule" in warning for warning in report.warnings)
    assert not (tmp_path / "ours.toml").exists()


@pytest.mark.parametrize("name", [*THRESHOLDS])
def test_a_threshold_that_nothing_exceeds_is_refused(name):
    with pytest.raises(OptionError, match=f"{name}: expected a number below 1"):
        changed(HA, {}, {name: 1}, "")
