"""Differences between models: complete cases, their bounds, and the same as a comparison of two runs gives."""

import polars as pl
import pytest
from statsmodels.stats.multitest import multipletests

import adjudge
from adjudge.estimate import Caveat
from made import EXAMPLES

SHARED = (
    *("value", "low", "high", "n", "method", "reason", "caveat", "p", "p_adjusted"),
    *("first_value", "second_value", "left_out"),
)


def answer(number, response, **more):
    row = {"id": f"q{number}", "ability": "noise_robustness", "model": "a", "noise_ratio": 0.0, "answer": "Paris"}
    return {**row, "response": response, **more}


def frame(rows):
    return pl.DataFrame(rows, infer_schema_length=None)


@pytest.fixture
def unanswered(tmp_path):
    """Forty questions, of which B leaves ten unanswered that A gets wrong: one report on both, and two runs."""
    right = {"a": [n < 22 for n in range(40)], "b": [n < 14 or 22 <= n < 24 for n in range(30)] + [None] * 10}
    texts = {True: "Paris", False: "Rome", None: None}
    rows = [answer(n, texts[one], model=model) for model, said in right.items() for n, one in enumerate(said)]
    paths = []
    for model in right:
        paths.append(tmp_path / f"{model}.parquet")
        adjudge.rag(frame([row for row in rows if row["model"] == model]), save_items=paths[-1])
    return adjudge.rag(frame(rows)), adjudge.compare(paths)


def test_unanswered_questions_turn_no_sign_between_score_and_compare(unanswered):
    scored, compared = unanswered
    (row,) = scored["differences"].filter(metric="accuracy").to_dicts()
    (own,) = compared["comparison"].filter(metric="accuracy").to_dicts()
    assert {name: row[name] for name in SHARED} == {name: own[name] for name in SHARED}
    assert (row["first"], row["second"]) == ("a", "b")
    assert (row["n"], row["left_out"]) == (30, 10)
    # Of the first thirty questions A gets 22 right, B 16: 8 that A alone does, 2 that B alone does.
    assert (row["first_value"], row["second_value"]) == (pytest.approx(22 / 30), pytest.approx(16 / 30))
    assert row["value"] == pytest.approx(-6 / 30)
    assert row["p"] == pytest.approx((2 * (1 + 10) + 45) / 2**10)  # mid-P: 2 P(X < 2) + P(X = 2) for X of 10 at 1/2


def test_what_is_left_out_is_told_and_bounded(unanswered):
    scored, compared = unanswered
    for report in (scored, compared):
        told = report["left_out"].filter(metric="accuracy").select("lacks", "outcome", "count").rows()
        assert told == [("second", "missing", 10)]
    for end, of_b in (("lowest", 16), ("highest", 26)):
        (row,) = scored["differences"].filter(metric=f"accuracy_{end}").to_dicts()
        (own,) = compared["comparison"].filter(metric=f"accuracy_{end}").to_dicts()
        assert {name: row[name] for name in SHARED} == {name: own[name] for name in SHARED}
        assert (row["n"], row["value"]) == (40, pytest.approx((of_b - 22) / 40))


def test_a_key_that_does_not_apply_to_what_is_left_out_is_null():
    noisy = [(model, noise, n) for model in "ab" for noise in (0.0, 0.5) for n in range(6)]
    rows = [answer(n, None if n == 1 + (m == "a") else "Paris", model=m, noise_ratio=noise) for m, noise, n in noisy]
    left_out = adjudge.rag(frame(rows[:-1]))["left_out"]
    over_noise = ["accuracy_over_noise", "slope"]
    models = pl.col("compared") == "models"
    assert left_out.select((pl.col("model").is_null() == models).all()).item()
    assert left_out.select((pl.col("noise_ratio").is_null() == pl.col("metric").is_in(over_noise)).all()).item()
    assert set(left_out.filter(models)["metric"]) == {"accuracy", "refusal_rate", *over_noise}


def test_a_slope_s_interval_holds_no_slope_that_accuracies_cannot_have():
    """At noise of 0, .4 and .8 the steepest line falls from 1 to 0 to 0: by .4 / (.4^2 + .4^2) = 1.25."""
    report = adjudge.rag(EXAMPLES / "rag" / "answers.jsonl")
    for model, value, high in (("north", -0.625, 0.5234), ("south", -5 / 6, 0.9594)):
        one = report.estimate("slope", table="scores", model=model)
        assert (one.value, one.low, one.high) == pytest.approx((value, -1.25, high), abs=5e-5)
    both = report.estimate("slope", table="differences", compared="models")
    assert (both.value, both.low, both.high) == pytest.approx((0, -2.5, 2.5), abs=1e-9)


def test_a_slope_that_rests_on_few_questions_says_so():
    rows = [
        answer(n, "Rome" if noise and n < fewer else "Paris", model=model, noise_ratio=noise)
        for model, fewer in (("a", 4), ("b", 5))
        for noise in (0.0, 1.0)
        for n in range(100)
    ]
    report = adjudge.rag(frame(rows))
    notes = {model: report.estimate("slope", table="scores", model=model).caveat for model in ("a", "b")}
    assert notes == {"a": Caveat.FEW_CHANGES, "b": None}
    (row,) = report["differences"].filter(metric="slope").to_dicts()
    assert (row["value"], row["caveat"]) == (pytest.approx(-0.01), Caveat.FEW_CHANGES)


def test_outcomes_hold_each_verdict_in_a_column_of_its_own(tmp_path):
    rows = [
        answer(1, "The documents are wrong: it is Paris.", ability="counterfactual_robustness", counterfactual="Rome"),
        answer(2, None, ability="counterfactual_robustness", counterfactual=None),
    ]
    adjudge.rag(frame(rows), save_items=tmp_path / "i.parquet")
    told = pl.read_parquet(tmp_path / "i.parquet")
    names = ["label", "given", "lied", "rejected", "error_detected", "error_corrected"]
    assert told.select(names).rows() == [
        ("correct, detected, corrected", True, True, False, True, True),
        (None, False, False, None, None, None),
    ]


def of_noise(model, right):
    """Answers of a model to 12 questions at two noise ratios; right: how many it gets right at each."""
    return [
        answer(n, "Paris" if n < count else "Rome", model=model, noise_ratio=noise)
        for noise, count in zip((0.0, 0.8), right, strict=True)
        for n in range(12)
    ]


def test_accuracy_over_all_noise_is_the_mean_of_the_accuracies_at_each_ratio():
    """Of 12 questions 9 and 3 are right: 3 at both ratios, 6 at one, 3 at none. A question without an answer is left out."""
    rows = of_noise("a", (9, 3))
    whole = adjudge.rag(frame(rows)).estimate("accuracy_over_noise", table="scores")
    assert (whole.value, whole.n) == (pytest.approx(0.5), 12)
    missing = adjudge.rag(frame([{**rows[0], "response": None}, *rows[1:]]))
    part = missing.estimate("accuracy_over_noise", table="scores")
    assert (part.value, part.n) == (pytest.approx((2 * 1 + 6 * 0.5) / 11), 11)
    one_ratio = adjudge.rag(frame(rows[:12]))
    assert "accuracy_over_noise" not in set(one_ratio["scores"]["metric"])


@pytest.fixture
def three_abilities():
    """Three models that differ in accuracy over noise, refusals and corrections: 3 pairs x 3 main metrics."""
    rows = []
    for model, right, declined, corrected in (("a", (12, 12), 10, 9), ("b", (12, 6), 4, 9), ("c", (6, 6), 1, 3)):
        rows += of_noise(model, right)
        for n in range(12):
            silent = "I can not answer the question." if n < declined else "Rome"
            rows.append(answer(n, silent, model=model, ability="negative_rejection", noise_ratio=1.0))
            truth = "Paris" if n < corrected else "Rome"
            rows.append(answer(n, truth, model=model, ability="counterfactual_robustness", counterfactual="Rome"))
    return rows


MAIN = ("accuracy_over_noise", "rejection_rate", "error_correction_rate")


def test_the_three_main_metrics_of_all_pairs_are_one_family(three_abilities):
    differences = adjudge.rag(frame(three_abilities))["differences"].filter(compared="models")
    main = differences.filter(pl.col("metric").is_in(MAIN))
    assert main["tests"].to_list() == [9] * 9
    p, adjusted = main["p"].to_list(), main["p_adjusted"].to_list()
    assert adjusted == pytest.approx(multipletests(p, method="holm")[1])
    declined = main.filter(metric="rejection_rate", first="a", second="b").row(0, named=True)
    assert declined["p"] == pytest.approx(1 / 2**6)  # mid-P of 6 changes, all one way: 2 (1/2)^6 - (1/2)^6
    parts = differences.filter(metric="accuracy", ability="noise_robustness")
    assert set(parts["tests"]) == {9}  # 3 pairs at 2 ratios, and 3 of counterfactual answers


def test_runs_compared_and_their_history_have_the_same_family(three_abilities, tmp_path):
    items, saved = [], []
    for model in "ab":
        rows = [{**row, "model": "m"} for row in three_abilities if row["model"] == model]
        items.append(tmp_path / f"{model}.parquet")
        saved.append(tmp_path / f"{model}.json")
        adjudge.rag(frame(rows), save_items=items[-1]).save(saved[-1])
    compared = adjudge.compare(items)["comparison"].filter(pl.col("metric").is_in(MAIN))
    steps = adjudge.history(saved, metric=MAIN)["steps"].filter(pl.col("metric").is_in(MAIN))
    assert compared["tests"].to_list() == steps["tests"].to_list() == [3, 3, 3]
    assert compared.sort("metric")["p_adjusted"].to_list() == steps.sort("metric")["p_adjusted"].to_list()
