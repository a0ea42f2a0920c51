"""How often a judge gives the labels that most human annotators give."""

import polars as pl
import pytest

import adjudge
from adjudge.statistics import proportion


def test_rates_of_two_labels_are_counted_on_items_with_one_most_frequent_human_label():
    """Of six items, people fail two and pass three; on the last they are of two minds. The judge fails one of the two."""
    said = {"ana": "f f p p p f", "ben": "f f p p p p", "gpt": "f p p p f f"}
    rows = [(str(i), who, label) for who, labels in said.items() for i, label in enumerate(labels.split())]
    table = pl.DataFrame(rows, schema=["item", "annotator", "label"], orient="row")
    report = adjudge.card(table, judges="gpt")
    assert report["label_rates"]["label"].to_list() == ["f", "p"]  # the rarer label first
    for label, given, items in (("f", 1, 2), ("p", 2, 3)):
        found, wanted = report.estimate("label_rate", judge="gpt", label=label), proportion(given, items)
        assert (found.value, found.n) == (given / items, items)
        assert found.ci == pytest.approx(wanted.ci)


def test_more_than_three_labels_have_no_rates():
    rows = [(str(i), who, "abcd"[i % 4]) for i in range(8) for who in ("ana", "ben", "gpt")]
    table = pl.DataFrame(rows, schema=["item", "annotator", "label"], orient="row")
    assert "label_rates" not in adjudge.card(table, judges="gpt").tables
