"""Differences between models: complete cases, their bounds, and the same as a comparison of two runs gives."""

import polars as pl
import pytest

import adjudge

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
    from statsmodels.stats.multitest import multipletests

    differences = adjudge.rag(frame(three_abilities))["differences"].filter(compared="models")
    main = differences.filter(pl.col("metric").is_in(MAIN))
    assert main["tests"].to_list() == [9] * 9
    p, adjusted = main["p"].to_list(), main["p_adjusted"].to_list()
    assert adjusted == pytest.approx(multipletests(p, method="holm")[1])
    declined = main.filter(metric="rejection_rate", first="a", second="b").row(0, named=True)
    assert declined["p"] == pytest.approx(1 / 2**6)  # mid-P of 6 changes, all one way: 2 (1/2)^6 - (1/2)^6
    parts = differences.filter(metric="accuracy", ability="noise_robustness")
    assert set(parts["tests"]) == {9}  # 3 pairs at 2 ratios, and 3 of counterfactual answers
