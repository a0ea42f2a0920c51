"""Every annotator against every other, and the categories of violations that overlap."""

import polars as pl
import pytest

import adjudge as library
from adjudge.errors import DataError

TEXT = "abcdefghijklmnopqrstuvwxyz"


def span(start, end, category=None, rule="x"):
    return {"start": start, "end": end, "rule": rule, "category": category}


MARKS = {
    "ann": {"a": [span(0, 10, "c"), span(12, 20, "d")], "b": [span(0, 4, "c")]},
    "bob": {"a": [span(0, 10, "c"), span(12, 16, "c")], "c": [span(0, 4, "d")]},
    "cyd": {"d": []},
}


@pytest.fixture(scope="module")
def report():
    rows = [
        {"id": item, "text": TEXT, "annotator": name, **one}
        for name, texts in MARKS.items()
        for item, spans in texts.items()
        for one in spans or [{"start": None, "end": None, "rule": None, "category": None}]
    ]
    return library.violation_agreement(pl.DataFrame(rows, infer_schema_length=None), variant="std")


@pytest.fixture(scope="module")
def table(report):
    return report["annotators"]


def figure(table, checker, reference, variant, metric):
    return table.filter(checker=checker, reference=reference, variant=variant, metric=metric).row(0, named=True)


def test_annotators_are_compared_on_the_texts_that_both_saw(table):
    # of text a: both of ann's match bob's, the second with an overlap of 4/8; b and c are not shared
    for checker, reference in (("ann", "bob"), ("bob", "ann")):
        assert figure(table, checker, reference, "std", "texts")["value"] == 1
        assert figure(table, checker, reference, "std", "f1")["value"] == 1
        assert figure(table, checker, reference, "std", "match_score")["value"] == pytest.approx((1 + 0.75) / 2)
        assert figure(table, checker, reference, "overlap", "exact_f1")["value"] == 0.5
        assert figure(table, checker, reference, "overlap", "category_agreement")["value"] == 0.5


def test_the_match_score_depends_on_who_is_the_truth_and_f1_does_not():
    rows = [
        {"id": "a", "text": TEXT, "annotator": name, **span(*at)} for name, at in (("ann", (0, 9)), ("bob", (0, 9)))
    ]
    rows.append(rows[0] | span(20, 25))
    table = library.violation_agreement(pl.DataFrame(rows), variant="std")["annotators"]
    found = [
        figure(table, *two, "std", name)["value"]
        for name in ("f1", "match_score")
        for two in (("ann", "bob"), ("bob", "ann"))
    ]
    assert found == pytest.approx([2 / 3, 2 / 3, 1, 1 / 2])


def test_one_annotator_is_refused_with_what_to_do():
    rows = pl.DataFrame([{"id": "a", "text": TEXT, "annotator": "ann", **span(0, 4)}])
    with pytest.raises(DataError, match=r"two annotators or more; got those of ann(.|\n)*annotator=COLUMN"):
        library.violation_agreement(rows)


def test_categories_of_overlapping_violations_are_compared_whatever_matches(written):
    marks = {
        ("t", "a"): [span(0, 5, "c"), span(6, 9, "c"), span(10, 15, "d"), span(20, 22, "d")],
        ("t", "b"): [span(0, 5, "d"), span(6, 9)],
        ("p", "a"): [span(0, 5, "c", "y"), span(6, 8, "d", "y"), span(14, 19, "d", "y")],
        ("p", "b"): [span(0, 2, "d", "y"), span(6, 9, "c", "y")],
    }
    lines = [{"id": one, "text": TEXT, "annotator": who, "violations": own} for (who, one), own in marks.items()]
    table = library.violation_agreement(written(lines, "t.json"), variant="std")["annotators"]
    assert figure(table, "p", "t", "std", "f1")["value"] == 0
    kappa = (3 / 4 - (2 * 1 + 2 * 3) / 16) / (1 - 1 / 2)  # 3 of 4 agree, half would by chance
    found = [figure(table, "p", "t", "overlap", f"category_{name}")["value"] for name in ("agreement", "kappa")]
    assert found == [0.75, pytest.approx(kappa)]
