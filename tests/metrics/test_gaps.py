"""What is missing is told alike wherever a figure stands: two examples by hand."""

import polars as pl
import pytest

import adjudge as library


def test_flags_that_nobody_gives_have_no_mismatch_and_pass_no_gate(tmp_path, adjudge):
    paths = []
    for name, labels in (("one", "xxyy"), ("two", "xyyy")):
        paths.append(tmp_path / f"{name}.parquet")
        rows = [f"i{place},ann,{label},x" for place, label in enumerate(labels)]
        table = tmp_path / f"{name}.csv"
        table.write_text("\n".join(["item,annotator,label,reference", *rows]))
        assert adjudge("reliability", table, "--save-items", paths[-1])[0] == 0
    report = library.reliability(tmp_path / "one.csv")
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


def test_where_labels_are_missing_bounds_say_what_accuracy_could_be():
    """Of ten labels on safety six are right and three missing: 6/10 if those were wrong, 9/10 if right.

    On relevance all ten are right. So on average accuracy lies between (0.6 + 1) / 2 and (0.9 + 1) / 2.
    """
    ids = [f"i{place}" for place in range(10)]
    gold = pl.DataFrame({"id": ids, "safety_preference": "A", "relevance_preference": "A"})
    said = gold.with_columns(safety_preference=pl.Series(["A"] * 6 + ["B"] + [None] * 3))
    report = library.preferences(gold, [said, gold], system=["gaps", "whole"], criteria=["safety", "relevance"])
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
