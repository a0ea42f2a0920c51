"""Weights and a threshold fitted to judged pairs of violations, and their accuracy on other texts."""

import json

import numpy as np
import polars as pl
import pytest

from adjudge.api.violation_matching import calibrate_violations
from adjudge.errors import DataError
from adjudge.estimate import Caveat
from adjudge.evaluations.violations.calibration import (
    PairJudgments,
    best_threshold,
    decisions,
    fit_logistic,
    fit_rule,
    hold_out,
)
from adjudge.evaluations.violations.span_matching import ALONE, PARTS, VARIANTS, MatchRule, pair_scores, read_settings
from adjudge.report import Report
from made_judged import simulated

HA = VARIANTS["ha"]


def overlapping(values, same, groups=None):
    """Judgments of pairs that differ in overlap alone."""
    numbers = np.asarray(values, np.float64)
    places = np.arange(len(numbers)) if groups is None else np.asarray(groups)
    values = pl.DataFrame({"overlap": numbers, "rule": np.ones(len(numbers))})
    return PairJudgments(values, np.asarray(same, bool), places)


# --- the fit ---


@pytest.mark.parametrize("seed", range(4))
def test_if_no_sign_is_in_the_way_the_fit_is_that_of_scikit_learn(seed):
    from sklearn.linear_model import LogisticRegression

    judgments = simulated(seed, judgments=400)
    table = judgments.features(PARTS)
    theirs = LogisticRegression(C=np.inf, tol=1e-10, max_iter=2000).fit(table, judgments.same)
    assert (theirs.coef_ > 0).all()
    assert fit_logistic(table, judgments.same) == pytest.approx([*theirs.intercept_, *theirs.coef_[0]], rel=2e-3)


@pytest.mark.parametrize("seed", range(4))
def test_the_fit_satisfies_the_conditions_of_an_optimum_under_signs(seed):
    judgments = simulated(seed, judgments=300, weights={"overlap": 1.0}, sharpness=4.0)
    table = judgments.features(PARTS)
    intercept, *coefficients = fit_logistic(table, judgments.same)
    likely = 1 / (1 + np.exp(-(intercept + table @ coefficients)))
    slope = table.T @ (likely - judgments.same) + 1e-4 * np.array(coefficients)
    assert min(coefficients) >= 0
    assert abs((likely - judgments.same).sum()) < 1e-5
    assert (slope > -1e-5).all()
    assert np.abs(slope * coefficients).max() < 1e-5


def test_one_part_by_hand():
    # A quarter of the pairs with x = 0 is called the same, three quarters with x = 1: b = -log 3, c = 2 log 3.
    values, same = np.repeat([0.0, 1.0], 4), [True, False, False, False, True, True, True, False]
    assert fit_logistic(values[:, None], np.array(same)) == pytest.approx([-np.log(3), 2 * np.log(3)], rel=1e-3)
    assert fit_rule(overlapping(values, same), ALONE).score == pytest.approx(0.5)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    ("weights", "threshold"),
    [(HA.weights, 0.5), ({"overlap": 0.1, "rule": 0.5, "category": 0.2, "explanation": 0.2, "correction": 0.0}, 0.4)],
)
def test_known_weights_come_back_from_simulated_judgments(seed, weights, threshold):
    rule = fit_rule(simulated(seed, weights=weights, threshold=threshold), HA)
    assert sum(rule.weights.values()) == pytest.approx(1)
    for part, weight in weights.items():
        assert rule.weights[part] == pytest.approx(weight, abs=0.06)
    assert rule.score == pytest.approx(threshold, abs=0.04)


def test_one_answer_or_no_part_that_predicts_it_gives_no_rule():
    judgments = simulated(0, judgments=50)
    assert fit_rule(PairJudgments(judgments.values, np.ones(50, bool), judgments.groups), HA) is None
    assert fit_rule(overlapping([0.1, 0.2, 0.8, 0.9], [True, True, False, False]), ALONE) is None


# --- decisions and held-out folds ---


def test_what_a_pair_lacks_weighs_nothing_as_in_matching():
    """Overlap alone gives .5; without rules there is no threshold of rules; the fit takes the overlap in their place."""
    values = pl.DataFrame({"overlap": [0.5, 0.5], "rule": [None, 0.0]})
    rule = MatchRule({"overlap": 0.6, "rule": 0.4}, score=0.4, rule=0.01)
    assert pair_scores(values, rule).tolist() == [0.5, 0.3]
    assert decisions(values, rule).tolist() == [True, False]
    judgments = PairJudgments(values, np.array([True, False]), np.array([0, 1]))
    assert judgments.features(["overlap", "rule"]).tolist() == [[0.5, 0.5], [0.5, 0.0]]


def test_no_fold_is_predicted_by_its_own_texts():
    judgments = simulated(7, judgments=300, texts=40)
    held_out = hold_out(judgments, HA, seed=3)
    folds, answers = held_out["fold"].to_numpy(), held_out["calibrated"].to_numpy()
    assert len(np.unique(folds)) == 5
    for text in range(judgments.texts):
        assert len(np.unique(folds[judgments.groups == text])) == 1
    for fold in range(5):
        mine = folds == fold
        opposite = PairJudgments(judgments.values, np.where(mine, ~judgments.same, judgments.same), judgments.groups)
        again = hold_out(opposite, HA, seed=3)["calibrated"].to_numpy()
        assert (again[mine] == answers[mine]).all()
        assert not (again == answers).all()


def test_a_fold_that_cannot_be_fitted_goes_with_the_default():
    # The text whose pair is not the same stands alone in its fold, so that the others hold one answer.
    judgments = overlapping([0.9, 0.8, 0.1], [True, True, False], [0, 1, 2])
    held_out = hold_out(judgments, MatchRule({"overlap": 1.0}))
    assert held_out["unfitted"].to_list() == [False, False, True]
    assert held_out["calibrated"][2] == held_out["default"][2]


# --- the threshold that reproduces most judgments, worked by hand ---

NINE = [0.2] * 9 + [0.4] * 9
TURNED = [False] * 9 + [True] * 9


@pytest.mark.parametrize(
    ("score", "same", "usual", "wanted"),
    [
        (NINE, TURNED, 0.1, 0.3),  # nine judgments more, with a standard error of three
        (NINE, TURNED, 0.25, 0.25),  # already between the two
        (NINE, TURNED, 0.5, 0.3),
        ([0.2, 0.4], [False, True], 0.1, 0.1),  # one judgment more, with a standard error of one
        (
            [0.2] * 5 + [0.3] + NINE,
            [True] * 5 + [False, *TURNED],
            0.1,
            0.35,
        ),  # 10 more and 5 fewer, with an error of 3.9
        ([0.0] * 9 + [0.4] * 9, TURNED, 0.4, 0.2),  # what is alike in nothing is never the same
        ([0.2] * 9, [False] * 9, 0.1, 0.2),  # nothing is
        ([0.2] * 9, [True] * 9, 0.3, 0.1),  # all are
    ],
)
def test_a_threshold_moves_where_it_reproduces_more_than_chance_would(score, same, usual, wanted):
    found = best_threshold(usual, np.array(score), np.array(same), np.arange(len(score)), np.ones(len(score), bool))
    assert found == pytest.approx(wanted)


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
    assert list(report.tables) == ["calibration", "differences", "weights"]
    counts = {"judgments": len(rows), "texts": 24, "judges": 2}
    assert {name: report.counts[name] for name in counts} == counts
    assert report.evaluation == "violations"
    both = [report.estimate("accuracy", table="calibration", rule=one).value for one in ("calibrated", "default")]
    found = report.estimate("accuracy", table="differences", first="default", second="calibrated")
    assert found.value == pytest.approx(both[0] - both[1])
    assert found.low <= found.value <= found.high
    assert any("not significantly better than the default rule" in warning for warning in report.warnings)
    assert not (tmp_path / "ours.toml").exists()
    other = calibrate_violations(table(rows), seed=2)  # which draws other folds
    assert (other["weights"].equals(report["weights"]), other["calibration"].equals(report["calibration"])) == (
        True,
        False,
    )
    weights = {part: report.estimate("weight", table="weights", part=part) for part in PARTS}
    assert sum(one.value for one in weights.values()) == pytest.approx(1)
    assert [part for part in PARTS if weights[part].caveat == Caveat.NOT_GIVEN] == [
        "category",
        "explanation",
        "correction",
    ]
    assert report.estimate("default_weight", table="weights", part="rule").value == 0.5
    assert any(
        "All violations lack category, explanation, correction: what is absent has no weight" in one
        for one in report.warnings
    )
    report.save(tmp_path / "r.json")
    assert Report.load(tmp_path / "r.json") == report


def test_what_is_written_is_read_as_settings(tmp_path):
    path, rows = tmp_path / "ours.toml", judged(at=0.75, sharp=40)
    odd = tmp_path / "judged\n[std]\x01.jsonl"
    odd.write_text("".join(json.dumps(row) + "\n" for row in rows))
    alone = calibrate_violations(odd, variant="std", write_config=path)
    assert read_settings(path)["ha"] == HA
    assert alone["weights"]["part"].unique(maintain_order=True).to_list() == ["overlap", "rule"]
    report = calibrate_violations(table(rows), write_config=path)
    rule = read_settings(path)["ha"]
    for part in ("overlap", "rule"):
        assert rule.weights[part] == report.estimate("weight", table="weights", part=part).value
    threshold = report.estimate("threshold", table="calibration", rule="calibrated").value
    assert rule.score == pytest.approx(threshold, abs=1e-4)


def test_accuracy_by_hand():
    """Overlap alone decides: the default says "same" above 0.5."""
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
    report = calibrate_violations(table(rows))
    default = {"rule": "default"}
    assert report.estimate("accuracy", table="calibration", **default).value == 6 / 8
    assert report.estimate("weight", table="weights", part="overlap").value == 1.0
    assert report.estimate("threshold", table="calibration", **default).value == 0.5


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([{**row, "same": True} for row in judged(20)], r"all \d+ are judged the same"),
        ([{**row, "same": False} for row in judged(20)], r"all \d+ are judged not the same"),
        (judged(60, texts=1), "expected pairs of several texts"),
        ([{**row, "same": not row["same"]} for row in judged(200)], "no part predicts a match"),
    ],
    ids=["same", "not the same", "one text", "confused"],
)
def test_what_cannot_be_fitted_is_refused(rows, said):
    with pytest.raises(DataError, match=said):
        calibrate_violations(table(rows))


@pytest.mark.parametrize("seed", range(2))
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
    assert report.estimate("accuracy", table="calibration", rule="majority").value == pytest.approx(majority)
    assert any("not significantly better than the majority" in warning for warning in report.warnings)
    assert any(f"nothing is written to {config}" in warning for warning in report.warnings)
    assert not config.exists()


def test_pairs_called_the_same_that_a_threshold_forbids_are_counted():
    rows = judged(60)
    apart = [
        {**rows[n], "predicted": {"start": 60, "end": 64, "rule": "other"}, "same": True, "judge": f"j{n}"}
        for n in range(3)
    ]
    report = calibrate_violations(table(rows + apart))
    assert any(one.startswith("3 judgments call pairs the same that no score can match") for one in report.warnings)
