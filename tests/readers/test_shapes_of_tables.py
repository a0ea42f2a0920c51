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


def test_sheets_of_annotators_are_named_one_by_one(adjudge, tmp_path):
    path = DATA / "raters.xlsx"
    assert f"found: ana, ben, cleo\n  fix:   '{path}#ana', or several" in adjudge("agreement", path)[2]
    report = library.agreement([f"{path}#{name}" for name in ("ana", "ben", "cleo")])
    assert report["annotators"]["annotator"].unique().sort().to_list() == ["ana", "ben", "cleo"]
    # of 18 pairs of labels, 10 are equal
    assert report.estimate("percent_agreement", over="items").value == pytest.approx(10 / 18)
    books = [workbook(tmp_path / f"{name}.xlsx", **{"Q#1": [["item", "label"], ["1", "a"]]}) for name in ("a", "b")]
    named = library.agreement([f"{book}#Q#1" for book in books])
    assert {*named["annotators"]["annotator"]} == {"a/Q#1", "b/Q#1"}


def test_columns_of_zeros_and_ones_are_sets_of_labels_when_named(tmp_path):
    path, columns = DATA / "label_sets.csv", {"label": "toxic+insult+threat"}
    assert library.agreement(path, columns=columns).estimate("percent_agreement", over="items").value == 2 / 4
    lines = tmp_path / "label_sets.jsonl"
    pl.read_csv(path).write_ndjson(lines)
    with pytest.raises(OptionError, match="labels in JSON may not be joined"):
        library.agreement(lines, columns=columns)
    ratings = tmp_path / "ratings.csv"  # a 2 is no sign that a label is given
    ratings.write_text(path.read_text().replace("1,1,0", "1,2,0"))
    warnings = library.agreement(ratings, columns=columns).warnings
    assert not any("insult, toxic" in one for one in warnings)
    assert any(
        'joined as text, not read as sets of labels, since not all parts are 0 or 1: "1+2+0"' in one for one in warnings
    )


def test_answers_to_a_survey_are_compared_with_a_file_of_gold_labels(adjudge):
    files = [DATA / "survey.csv", DATA / "survey_gold.csv"]
    told = adjudge("reliability", *files, "--reference", "survey_gold")[2]
    assert "fix:   --item-columns 'Q*' --columns annotator=name" in told
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


def test_labels_and_reference_of_sets_have_the_same_names(written):
    rows = "".join(f"{n},ana,{n % 2},1,{n % 2},1\n" for n in range(6))
    names = "hate_speech,hate_crime,gold_hate_speech,gold_hate_crime"
    path = written(f"item,annotator,{names}\n{rows}", "sets.csv")
    columns = {"label": "hate_speech+hate_crime", "reference": "gold_hate_speech+gold_hate_crime"}
    report = library.reliability(path, columns=columns)
    assert report.estimate("reliability", annotator="ana").value == 1
    assert any('1+1 as "hate_crime, hate_speech"' in one for one in report.warnings)
    with pytest.raises(OptionError, match="labels and reference name different sets"):
        library.reliability(path, columns={**columns, "reference": "gold_hate_crime+gold_hate_speech"})


def test_an_empty_cell_of_a_set_of_labels_makes_its_row_invalid(written):
    rows = "1,ana,1.0,0.0\n1,ben,1.0,0.0\n2,ana,,1.0\n2,ben,0.0,1.0\n"
    options = {"columns": {"label": "toxic+rude"}, "reference": ["ben"]}
    path = written(f"item,annotator,toxic,rude\n{rows}", "sets.csv")
    report = library.reliability(path, **options, map_values={"toxic": {"": "0"}})
    assert report.estimate("reliability", annotator="ana").n == 2
    warnings = library.reliability(path, **options, on_invalid="drop").warnings
    assert any("1 invalid row was dropped" in one for one in warnings)


def test_a_table_without_labels_and_numbers_is_refused(adjudge, written):
    assert "missing columns item, annotator, label" in adjudge("agreement", written("a,b\nx,y\n", "v.csv"))[2]


def test_labels_in_a_list_of_objects_are_asked_for_with_a_program(adjudge, tmp_path):
    path = tmp_path / "export.jsonl"
    path.write_text('{"id": 1, "text": "a", "annotations": [{"label": 0, "user": 1}, {"label": 0, "user": 2}]}\n' * 2)
    assert "or --jq PROGRAM that makes a row per label" in adjudge("agreement", path)[2]
