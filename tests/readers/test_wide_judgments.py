"""A wide table reads as the long one that says the same."""

import polars as pl
import pytest

import adjudge
from adjudge import DataError, OptionError

SHEET = "id,gold,ana,ben,cleo,week\nq1,A,A,B,A,1\nq2,B,B,B,,1\nq3,A,A,A,B,2\nq4,,B,A,B,2\n"
LONG = [
    ("q1", "ana", "A", "A", "1"), ("q1", "ben", "B", "A", "1"), ("q1", "cleo", "A", "A", "1"),
    ("q2", "ana", "B", "B", "1"), ("q2", "ben", "B", "B", "1"),
    ("q3", "ana", "A", "A", "2"), ("q3", "ben", "A", "A", "2"), ("q3", "cleo", "B", "A", "2"),
    ("q4", "ana", "B", None, "2"), ("q4", "ben", "A", None, "2"), ("q4", "cleo", "B", None, "2"),
]  # fmt: skip
JUDGES = ["ana", "ben", "cleo"]
COLUMNS = {"item": "id", "reference": "gold"}


def long(rows=LONG):
    return pl.DataFrame(rows, ["item", "annotator", "label", "reference", "week"], orient="row")


def tables(*data, **options):
    report = adjudge.reliability(list(data), **options)
    return {name: table.to_dicts() for name, table in report.tables.items()}


@pytest.mark.parametrize("by", [[], ["week"]])
def test_a_wide_table_gives_the_tables_of_the_long_one(written, by):
    path = written(SHEET, "sheet.csv")
    assert tables(path, columns=COLUMNS, annotator_columns=JUDGES, by=by) == tables(long(), by=by)


def test_a_column_may_be_the_trusted_annotator(written):
    path = written(SHEET, "sheet.csv")
    found = tables(path, columns={"item": "id"}, annotator_columns=JUDGES, reference="gold")
    assert [row["value"] for row in found["annotators"] if row["metric"] == "reliability"] == [1.0, 2 / 3, 0.5]
    assert found == tables(path, columns={"item": "id"}, annotator_columns=[*JUDGES, "gold"], reference="gold")


def test_without_ids_a_row_is_an_item_and_those_of_two_files_differ(written):
    first, second = (written("gold,ana\nA,A\nB,A\n", name) for name in ("a.csv", "b.csv"))
    options = {"columns": {"reference": "gold"}, "annotator_columns": "ana"}
    assert adjudge.reliability(first, **options).counts["items"] == 2
    assert adjudge.reliability([first, second], **options).counts["items"] == 4


@pytest.mark.parametrize(("item", "reference"), [("id", "gold"), ("item", "reference")])
def test_a_file_with_references_but_no_labels_is_the_reference(written, item, reference):
    gold = written(f"{item},{reference}\n007,Y\n7,N\n", "gold.csv")
    votes = written(f"{item},vote\n7,yes\n007,yes\n", "judge.csv")
    report = adjudge.reliability([gold, votes], columns={"item": item, "label": "vote", "reference": reference})
    assert report.estimate("reliability", annotator="judge").value == 0.5


WIDE = {"columns": COLUMNS, "annotator_columns": JUDGES}
OWN = {"annotator_columns": "ana"}


@pytest.mark.parametrize(
    ("sheet", "options", "expected"),
    [
        (SHEET, WIDE | {"annotator_columns": ["ann"]}, 'annotator_columns: no column "ann" in {}\nfound: id, gold'),
        (SHEET, WIDE | {"columns": {"label": "ana"}}, "columns: labels are in the annotators' columns; leave label out"),
        (SHEET, WIDE | {"columns": {"reference": "ana"}}, "annotator_columns: another option names the annotator's column ana"),
        (SHEET, {"annotator_columns": JUDGES}, "no reference labels"),
        (SHEET, WIDE | {"labels": ["A"]}, 'row 1 (annotator ben), column label: expected one of A; got "B"'),
        ("item,reference,ana\n1,A,A\n1,A,B\n", OWN, "rows 1, 2: annotator ana"),
        ("item,gold,ana\n1,a,a\n", {}, "missing columns annotator, label\nfound: item, gold, ana\nfix:   columns annotator=COLUMN"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_said(written, sheet, options, expected):
    path = written(sheet, "sheet.csv")
    with pytest.raises((DataError, OptionError)) as caught:
        adjudge.reliability(path, **options)
    assert expected.format(path) in str(caught.value)


@pytest.mark.parametrize("cells", [[{"x": 1}, {"x": 2}], [b"x", b"y"], [object(), object()]])
def test_columns_that_hold_no_labels_are_refused(cells):
    with pytest.raises(DataError, match="column a: expected text, numbers or true/false; got"):
        adjudge.agreement(pl.DataFrame({"item": [1, 2], "a": cells, "b": ["x", "y"]}), annotator_columns=["a", "b"])


def test_texts_of_items_stand_beside_examples(written):
    path = written("item,reference,ana,question\n1,A,B,Why?\n2,A,A,How?\n", "sheet.csv")
    examples = adjudge.reliability(path, annotator_columns="ana").examples.filter(pl.col("outcome") == "incorrect")
    assert examples["question"].to_list() == ["Why?"]


def test_a_reference_in_one_row_of_an_item_holds_for_its_other_rows():
    first_only = [(*row[:3], row[3] if row[1] == "ana" else None, row[4]) for row in LONG]
    report = adjudge.reliability(long(first_only))
    assert {name: table.to_dicts() for name, table in report.tables.items()} == tables(long())
    assert report.warnings == ("judgments that have the reference of another row of the item: 5",)


def test_a_reference_is_not_taken_from_another_item():
    rows = [("1", "x", "a", "a", ""), ("2", "x", "a", None, ""), ("3", "x", "b", "b", "")]
    report = adjudge.reliability(long(rows))
    assert report.estimate("reliability", table="annotators", annotator="x").n == 2
    assert not any("another row" in said for said in report.warnings)

    differ = [("1", "x", "a", None, ""), ("1", "y", "a", "a", ""), ("1", "z", "a", "b", "")]
    with pytest.raises(DataError, match="item 1 has several references"):
        adjudge.reliability(long(differ))
