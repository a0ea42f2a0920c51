"""Differences between models: complete cases, their bounds, and the same as a comparison of two runs gives."""

import polars as pl
import pytest

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
    models, slopes = pl.col("compared") == "models", pl.col("metric") == "slope"
    assert left_out.select((pl.col("model").is_null() == models).all()).item()
    assert left_out.select((pl.col("noise_ratio").is_null() == slopes).all()).item()
    assert set(left_out.filter(models)["metric"]) == {"accuracy", "refusal_rate", "slope"}


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
