"""Tables in shapes in which people keep them: what holds no judgments is left out, and the report says so."""

from pathlib import Path

import polars as pl
import pytest

import adjudge as library
from adjudge.errors import OptionError
from made_files import workbook

DATA = Path(__file__).parents[1] / "data" / "labels"


def test_counts_of_unequal_numbers_of_annotators_are_counts(adjudge, written):
    table = pl.DataFrame({"claim": ["a", "b", "c", "d"], "yes": [5, 1, 3, 4], "no": [0, 4, 2, 0], "n": [5, 5, 5, 4]})
    path = written(table.write_csv(), "counts.csv")
    # pairs that agree, by items: 10 of 10, 6 of 10, 4 of 10, 6 of 6
    assert library.agreement(path).estimate("percent_agreement").value == pytest.approx((1 + 0.6 + 0.4 + 1) / 4)
    ratings = table.with_columns(yes=pl.Series([1, 1, 1, 0]), no=pl.Series([1, 1, 1, 1])).drop("n")
    assert "missing column" in adjudge("agreement", written(ratings.write_csv(), "ratings.csv"))[2]


ROWS = [["q", "ana", "gold"], ["1", "a", "a"], ["2", "b", "a"], ["3", "b", "b"], ["4", "a", "b"]]


def test_one_of_several_sheets_with_tables_must_be_named(adjudge, tmp_path):
    path = workbook(tmp_path / "v.xlsx", First=ROWS, Second=[["n", "ana", "gold"], *ROWS])
    assert f"First, Second\n  fix:   '{path}#First'" in adjudge("reliability", path)[2]


def test_sheets_of_annotators_are_named_one_by_one(adjudge):
    path = DATA / "raters.xlsx"
    assert f"found: ana, ben, cleo\n  fix:   '{path}#ana'" in adjudge("agreement", path)[2]
    report = library.agreement([f"{path}#{name}" for name in ("ana", "ben", "cleo")])
    assert report["annotators"]["annotator"].unique().sort().to_list() == ["ana", "ben", "cleo"]
    # of 18 pairs of labels, 10 are equal
    assert report.estimate("percent_agreement", over="items").value == pytest.approx(10 / 18)


def test_answers_to_a_survey_are_compared_with_a_file_of_gold_labels():
    files = [DATA / "survey.csv", DATA / "survey_gold.csv"]
    named = {"item_columns": ["Q*"], "columns": {"annotator": "name"}}
    report = library.reliability(files, reference=["survey_gold"], **named)
    found = report["annotators"].filter(metric="reliability")
    assert dict(found.select("annotator", "value").iter_rows()) == pytest.approx(
        {"ana": 1, "ben": 4 / 6, "cleo": 4 / 6}
    )
    with pytest.raises(OptionError, match='no column "W'):
        library.reliability(DATA / "survey_gold.csv", item_columns=["W*"])
    with pytest.raises(OptionError, match='no column "rater" in'):
        library.reliability(DATA / "survey_gold.csv", columns={"annotator": "rater"}, reference=["survey_gold"])


def test_labels_in_a_list_of_objects_are_asked_for_with_a_program(adjudge, tmp_path):
    path = tmp_path / "export.jsonl"
    path.write_text('{"id": 1, "text": "a", "annotations": [{"label": 0, "user": 1}, {"label": 0, "user": 2}]}\n' * 2)
    assert """--jq 'del(."annotations") + ."annotations"[]'""" in adjudge("agreement", path)[2]
