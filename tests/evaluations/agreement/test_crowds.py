"""Consensus labels, and annotators who guess, from labels whose truth is known."""

import numpy as np
import polars as pl
import pytest

import adjudge
from made import labelled

ITEMS = 300
WHO = ["ann", "ben", "cleo", "dora", "guess", "same", "swap", "rare"]


@pytest.fixture(scope="module")
def crowd():
    """Four who are right in 90 %, one who guesses, one who always says no, one who swaps, one with five labels."""
    rng = np.random.default_rng(2)
    truth = np.where(rng.random(ITEMS) < 0.4, "yes", "no")
    other = np.where(truth == "yes", "no", "yes")
    said = {name: np.where(rng.random(ITEMS) < 0.9, truth, other) for name in WHO[:4]}
    said |= {"guess": rng.permutation(truth), "same": np.full(ITEMS, "no"), "swap": other}
    said["rare"] = rng.permutation(truth)[:5]
    item = "i" + pl.col("item").str.slice(1).str.zfill(3)
    return labelled({name: " ".join(labels) for name, labels in said.items()}, item=item), truth


def values(table, key, metric):
    return dict(table.filter(pl.col("metric") == metric).select(key, "value").iter_rows())


def test_who_guesses_is_named_and_who_gave_few_labels_is_not(crowd):
    report = adjudge.agreement(crowd[0])
    found = report["informedness"]
    verdicts = dict(found.select("annotator", "verdict").unique().iter_rows())
    assert verdicts == {
        **dict.fromkeys(WHO[:4], "informed"), "guess": "guessing", "same": "guessing", "swap": "contrary", "rare": "undecided"
    }  # fmt: skip
    informed = values(found, "annotator", "informedness")
    assert informed["ann"] == pytest.approx(0.8, abs=0.1)
    assert informed["same"] == 0
    assert informed["swap"] < -0.9
    assert found.filter(metric="informedness")["p_adjusted"].null_count() == 0


def test_the_consensus_is_nearer_to_the_truth_than_votes_and_other_evaluations_read_it(crowd, tmp_path):
    labels, truth = crowd
    right = {}
    for method in ("majority", "dawid-skene", "pooled"):
        path = tmp_path / f"{method}.csv"
        report = adjudge.agreement(labels, consensus=method, consensus_file=path)
        told = pl.read_csv(path)
        assert told["item"].to_list() == [f"i{nth:03}" for nth in range(ITEMS)]
        right[method] = (told["label"].fill_null("") == pl.Series(truth)).mean()
        known = values(report["consensus"], "consensus", "consensus_ties")
        assert known == {method: told["skipped"].sum()}
    assert min(right["dawid-skene"], right["pooled"]) > max(right["majority"], 0.97)
    assert told["probability"].mean() == pytest.approx(
        values(report["consensus"], "consensus", "consensus_probability")["pooled"]
    )
    first = labels.filter(item="i000")
    assert told.row(0, named=True)["votes"] == (first["label"] == told["label"][0]).sum()
    judged = adjudge.reliability([labels, pl.read_csv(path, infer_schema=False)], reference="consensus")
    assert values(judged["annotators"], "annotator", "reliability")["swap"] < 0.05
    assert any("it has a part in itself" in note for note in judged.notes)


def test_ties_have_no_label_and_few_annotators_are_counted(tmp_path):
    rows = [("x", "ann", "a", "p"), ("x", "ben", "b", "p"), ("y", "ann", "a", "q"), ("y", "ben", "a", "q")]
    frame = pl.DataFrame(rows, schema=["orig", "annotator", "label", "half"], orient="row")
    path = tmp_path / "told.parquet"
    report = adjudge.agreement(frame, columns={"item": "orig"}, by=["half"], consensus_file=path)
    told = pl.read_parquet(path)
    assert told.columns == ["orig", "half", "annotator", "label", "probability", "votes", "labels", "skipped"]
    assert told.rows() == [
        ("x", "p", "consensus", None, None, 1, 2, True),
        ("y", "q", "consensus", "a", None, 2, 2, False),
    ]
    assert report["consensus"]["consensus"].unique().to_list() == ["majority"]


@pytest.mark.models
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("method", ["glad", "mace"])
def test_glad_and_mace_are_those_of_crowd_kit_itself(tmp_path, method):
    """crowd-kit reads the names, in the order in which Adjudge gives them: where MACE begins depends on it."""
    import pandas as pd
    from crowdkit.aggregation import GLAD, MACE

    rng = np.random.default_rng(1)
    truth = rng.integers(0, 3, 12)
    said = [
        (f"i{item:02}", name, "pqr"[truth[item] if rng.random() < 0.7 else rng.integers(0, 3)])
        for item in range(12)
        for name in ("ann", "ben", "cleo", "dora")
    ]
    model = GLAD() if method == "glad" else MACE(random_state=7)
    theirs = model.fit_predict_proba(pd.DataFrame(said, columns=["task", "worker", "label"]))
    frame = pl.DataFrame(said, schema=["item", "annotator", "label"], orient="row").sample(fraction=1, shuffle=True)
    adjudge.agreement(frame, consensus=method, consensus_file=tmp_path / "told.csv", seed=7)
    for item, label, probability in pl.read_csv(tmp_path / "told.csv").select("item", "label", "probability").rows():
        assert probability == pytest.approx(theirs.loc[item].max(), abs=1e-6)
        assert label == theirs.loc[item].idxmax()
