"""Summaries say what the tables hold, on a few random data sets; benchmarks/contradictions.py has hundreds."""

import polars as pl
import pytest
from summary_claims import faults

import adjudge
from adjudge.evaluations import NAMES


@pytest.mark.parametrize("data_set", range(1, 6))
@pytest.mark.parametrize("evaluation", NAMES)
def test_every_sentence_of_a_summary_follows_from_the_tables(evaluation, data_set, tmp_path):
    assert [*faults(evaluation, data_set, tmp_path)] == []


def test_a_comparison_spells_metrics_as_their_titles_do(tmp_path):
    labels = {"item": [1, 1, 2, 2, 3, 3, 4, 4], "annotator": ["a", "b"] * 4}
    for name, given in (("first", "xxxyyyyy"), ("second", "xyxyyyxy")):
        adjudge.agreement(pl.DataFrame(labels | {"label": [*given]}), save_items=tmp_path / f"{name}.parquet")
    summary = adjudge.compare([tmp_path / "first.parquet", tmp_path / "second.parquet"]).summary
    assert "Krippendorff's alpha" in summary.verdict
