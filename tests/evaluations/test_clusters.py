"""One rule for clusters in all evaluations."""

from collections.abc import Callable, Sequence

import polars as pl
import pytest

import adjudge
from adjudge import OptionError, Report

ITEMS = 12
SHARED = ["d", "d", "d", "e", "e", None, None, "  ", "", "f", "f", "f"]
"""Clusters of items, of which some are missing or blank."""
ALONE = ["d", "d", "d", "e", "e", "1", "2", "3", "4", "f", "f", "f"]
"""The same, with a name of its own for each of these."""
NUMBERS = [str(number) for number in range(ITEMS)]


def reliability(clusters: Sequence[str | None], **options: object) -> Report:
    labels = {"label": list("aababbabaabb"), "reference": list("abababababab")}
    table = pl.DataFrame({"item": NUMBERS, "annotator": "ann", **labels, "doc": clusters}, strict=False)
    return adjudge.reliability(table, **options)


def annotations(clusters: Sequence[str | None], **options: object) -> Report:
    texts = {"text_a": [f"one {n}" for n in NUMBERS], "text_b": [f"two {n}" for n in NUMBERS]}
    votes = {"ann": list("aababbabaabb"), "ben": list("abababababab")}
    values = {"text_a": "a", "text_b": "b"}
    own = {"annotator_columns": ["ann", "ben"], "vote_values": values, "reference": "ben"}
    return adjudge.annotations(pl.DataFrame({**texts, **votes, "doc": clusters}), **own, **options)


def preferences(clusters: Sequence[str | None], **options: object) -> Report:
    gold = pl.DataFrame({"id": NUMBERS, "safety_preference": list("ABABABABABAB"), "doc": clusters})
    mine = pl.DataFrame({"id": NUMBERS, "safety_preference": list("AABABBABAABB")})
    return adjudge.preferences(gold, mine, system="mine", criteria="safety", **options)


def rag(clusters: Sequence[str | None], **options: object) -> Report:
    said = {"response": ["Paris", "Rome", "Paris"] * 4, "answer": "Paris"}
    table = pl.DataFrame({"id": NUMBERS, "ability": "noise_robustness", **said, "doc": clusters})
    return adjudge.rag(table, model="mine", **options)


def violations(clusters: Sequence[str | None], **options: object) -> Report:
    spans = {"id": NUMBERS, "text": "Best tea!", "start": 0, "rule": "claims"}
    truth = pl.DataFrame({**spans, "end": 4, "doc": clusters})
    return adjudge.violations(truth, pl.DataFrame({**spans, "end": [4, 1, 4] * 4}), checker="mine", **options)


EVALUATIONS = pytest.mark.parametrize("score", [annotations, preferences, rag, reliability, violations])
Score = Callable[..., Report]


def tables(report: Report) -> dict[str, list[dict[str, object]]]:
    return {name: frame.to_dicts() for name, frame in report.tables.items()}


@EVALUATIONS
@pytest.mark.parametrize("name", ["", "  "])
def test_a_cluster_without_a_name_is_refused(score: Score, name: str):
    with pytest.raises(OptionError, match="cluster: expected a column that several items share, or none"):
        score(ALONE, cluster=name)


@EVALUATIONS
def test_an_item_whose_cluster_is_missing_or_blank_is_one_of_its_own(score: Score):
    found, named = score(SHARED, cluster="doc"), score(ALONE, cluster="doc")
    assert tables(found) == tables(named)
    assert found.counts == named.counts
    assert tables(found) != tables(score(ALONE))


@EVALUATIONS
def test_none_asks_for_no_clusters(score: Score):
    assert tables(score(ALONE, cluster="none")) == tables(score(ALONE))


def test_none_leaves_out_the_clusters_that_data_bring():
    labels = {"label": list("aababbabaabb"), "reference": list("abababababab")}
    table = pl.DataFrame({"item": NUMBERS, "annotator": "ann", **labels, "cluster": ALONE})
    assert tables(adjudge.reliability(table, cluster="none")) == tables(adjudge.reliability(table.drop("cluster")))
    pairs = pl.DataFrame({"text_a": NUMBERS, "text_b": "x", "ann": list("aababbabaabb"), "prompt": ALONE})
    own = {"annotator_columns": ["ann"], "vote_values": {"text_a": "a", "text_b": "b"}, "reference": "style:longer"}
    alone = pairs.with_columns(prompt=pl.col("text_a"))
    assert tables(adjudge.annotations(pairs, cluster="none", **own)) == tables(adjudge.annotations(alone, **own))
