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


def test_ids_of_responses_are_items_and_no_people(adjudge, written):
    rows = "".join(f"resp-{n},{'pass' if n % 2 else 'fail'},pass,{'fail' if n % 3 else 'pass'}\n" for n in range(12))
    path = written(f"response_id,h_kim,h_lopez,h_ngata\n{rows}", "labels.csv")
    _, out, _ = adjudge("look", path)
    assert "--columns item=response_id --annotator-columns h_kim,h_lopez,h_ngata" in out


ROWS = [["q", "ana", "gold"], ["1", "a", "a"], ["2", "b", "a"], ["3", "b", "b"], ["4", "a", "b"]]


def test_one_of_several_sheets_with_tables_must_be_named(adjudge, tmp_path):
    path = workbook(tmp_path / "v.xlsx", First=ROWS, Second=[["n", "ana", "gold"], *ROWS])
    assert f"First, Second\n  fix:   '{path}#First'" in adjudge("reliability", path)[2]


def test_sheets_of_annotators_are_named_one_by_one(adjudge, tmp_path):
    path = DATA / "raters.xlsx"
    assert f"found: ana, ben, cleo\n  fix:   '{path}#ana'" in adjudge("agreement", path)[2]
    report = library.agreement([f"{path}#{name}" for name in ("ana", "ben", "cleo")])
    assert report["annotators"]["annotator"].unique().sort().to_list() == ["ana", "ben", "cleo"]
    # of 18 pairs of labels, 10 are equal
    assert report.estimate("percent_agreement", over="items").value == pytest.approx(10 / 18)
    books = [workbook(tmp_path / f"{name}.xlsx", Q1=[["item", "label"], ["1", "a"]]) for name in ("a", "b")]
    assert {*library.agreement([f"{book}#Q1" for book in books])["annotators"]["annotator"]} == {"a/Q1", "b/Q1"}


def test_answers_to_a_survey_are_compared_with_a_file_of_gold_labels(adjudge):
    files = [DATA / "survey.csv", DATA / "survey_gold.csv"]
    assert "fix:   --item-columns 'Q*' --columns" in adjudge("reliability", *files, "--reference", "survey_gold")[2]
    named = {"item_columns": ["Q*"], "columns": {"annotator": "name"}}
    report = library.reliability(files, reference=["survey_gold"], **named)
    found = report["annotators"].filter(metric="reliability")
    assert dict(found.select("annotator", "value").iter_rows()) == pytest.approx(
        {"ana": 1, "ben": 4 / 6, "cleo": 4 / 6}
    )
    with pytest.raises(OptionError, match="no column W"):
        library.reliability(DATA / "survey_gold.csv", item_columns=["W*"])
    with pytest.raises(OptionError, match="no column rater in"):
        library.reliability(DATA / "survey_gold.csv", columns={"annotator": "rater"}, reference=["survey_gold"])


def test_a_table_without_labels_and_numbers_is_refused(adjudge, written):
    assert "missing columns item, annotator, label" in adjudge("agreement", written("a,b\nx,y\n", "v.csv"))[2]


def test_labels_in_a_list_of_objects_are_asked_for_with_a_program(adjudge, tmp_path):
    path = tmp_path / "export.jsonl"
    path.write_text('{"id": 1, "text": "a", "annotations": [{"label": 0, "user": 1}, {"label": 0, "user": 2}]}\n' * 2)
    assert "or --jq PROGRAM that makes a row per label" in adjudge("agreement", path)[2]


def test_a_folder_whose_files_stand_in_folders_is_read(tmp_path):
    (tmp_path / "README.md").write_text("What it holds")
    (tmp_path / "data").mkdir()
    for split in ("test", "train"):
        rows = pl.DataFrame({"id": [split + str(one) for one in range(3)], "label": [0, 1, 1], "ana": [0, 1, -1]})
        rows.write_parquet(tmp_path / "data" / f"{split}.parquet")
    report = library.reliability(tmp_path, columns={"item": "id", "reference": "label"}, annotator_columns=["ana"])
    assert report["annotators"].filter(metric="reliability")["n"].to_list() == [6]
    names = "files of folders in it are read together: data/test.parquet, data/train.parquet"
    for text in ("excluded: README.md", names):
        assert sum(text in warning for warning in report.warnings) == 1
