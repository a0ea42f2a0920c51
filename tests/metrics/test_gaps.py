"""What is missing is told alike wherever a figure stands: two examples by hand."""

import polars as pl
import pytest

import adjudge

QUESTIONS = 40
WRONG, WON = range(30, 40), range(6)
"""Questions that A answers wrongly and B leaves unanswered, and those that only A answers rightly."""


def answers(model):
    """A is right on the first 24 questions; B on these but for six. B leaves the last ten unanswered."""

    def said(place):
        if place in WRONG:
            return "Rome" if model == "A" else None
        return "Rome" if place >= 24 or (model == "B" and place in WON) else "Paris"

    about = {"ability": "noise_robustness", "noise_ratio": 0.0, "answer": "Paris", "model": model}
    return pl.DataFrame([{"id": f"q{place}", "response": said(place), **about} for place in range(QUESTIONS)])


def test_unanswered_questions_are_left_out_by_a_report_and_by_a_comparison(tmp_path):
    """On the 30 questions that both answer, A alone is right on 6: p = 2 (1/2)^6 - (1/2)^6 = 1/64."""
    paths = [tmp_path / f"{model}.parquet" for model in "AB"]
    for model, path in zip("AB", paths, strict=True):
        adjudge.rag(answers(model), save_items=path)
    scored = adjudge.rag(pl.concat([answers("A"), answers("B")]))["differences"].filter(metric="accuracy")
    compared = adjudge.compare(paths)["comparison"].filter(metric="accuracy")
    names = ("value", "low", "high", "n", "p", "p_adjusted", "caveat", "first_value", "second_value", "left_out")
    (ours,), (theirs,) = scored.select(names).to_dicts(), compared.select(names).to_dicts()
    assert ours == theirs
    assert [ours[name] for name in ("first_value", "second_value", "value", "p")] == pytest.approx([0.8, 0.6, -0.2, 1 / 64])  # fmt: skip
    assert (ours["n"], ours["left_out"]) == (30, 10)
    bounds = {row["metric"]: row for row in adjudge.compare(paths)["comparison"].to_dicts()}
    ends = {end: bounds[f"accuracy_{end}"] for end in ("lowest", "highest")}
    assert {end: (row["first_value"], row["second_value"], row["n"]) for end, row in ends.items()} == {
        "lowest": (24 / 40, 18 / 40, 40),
        "highest": (24 / 40, 28 / 40, 40),
    }


def test_flags_that_nobody_gives_have_no_mismatch_and_pass_no_gate(tmp_path, adjudge):
    paths = []
    for name, labels in (("one", "xxyy"), ("two", "xyyy")):
        paths.append(tmp_path / f"{name}.parquet")
        rows = [f"i{place},ann,{label},x" for place, label in enumerate(labels)]
        table = tmp_path / f"{name}.csv"
        table.write_text("\n".join(["item,annotator,label,reference", *rows]))
        assert adjudge("reliability", table, "--save-items", paths[-1])[0] == 0
    report = _reports(tmp_path)
    row = report["annotators"].filter(metric="flag_mismatch").row(0, named=True)
    assert (row["value"], row["low"], row["n"]) == (None, None, 0)
    assert row["reason"] == "no item on which both sides say whether to flag"
    status, out, err = adjudge("compare", *paths, "--fail-if-worse", "flag_mismatch", "--format", "csv")
    assert status == 3
    assert "flag_mismatch must not rise" in err
    assert "undefined" in err
    (found,) = pl.read_csv(out.encode(), infer_schema_length=None).filter(metric="flag_mismatch").to_dicts()
    assert [found[name] for name in ("value", "low", "high", "p")] == [None] * 4
    assert found["reason"] == row["reason"]


def _reports(folder):
    return adjudge.reliability(folder / "one.csv")


def test_where_labels_are_missing_bounds_say_what_accuracy_could_be():
    """Of ten labels on safety six are right and three missing: 6/10 if those were wrong, 9/10 if right.

    On relevance all ten are right. So on average accuracy lies between (0.6 + 1) / 2 and (0.9 + 1) / 2.
    """
    ids = [f"i{place}" for place in range(10)]
    gold = pl.DataFrame({"id": ids, "safety_preference": "A", "relevance_preference": "A"})
    said = gold.with_columns(safety_preference=pl.Series(["A"] * 6 + ["B"] + [None] * 3))
    report = adjudge.preferences(gold, [said, gold], system=["gaps", "whole"], criteria=["safety", "relevance"])
    bounds = report["scores"].filter(pl.col("metric").str.starts_with("accuracy_"))
    rows = {(row["criterion"], row["metric"]): row["value"] for row in bounds.to_dicts()}
    assert rows == {
        ("safety", "accuracy_lowest"): pytest.approx(0.6),
        ("safety", "accuracy_highest"): pytest.approx(0.9),
        ("relevance", "accuracy_lowest"): pytest.approx(1.0),
        ("relevance", "accuracy_highest"): pytest.approx(1.0),
        ("average", "accuracy_lowest"): pytest.approx(0.8),
        ("average", "accuracy_highest"): pytest.approx(0.95),
    }
    assert bounds["system"].unique().to_list() == ["gaps"], "the other one has all labels"
    assert report.estimate("accuracy", table="scores", system="gaps", criterion="safety").value == pytest.approx(0.6)
