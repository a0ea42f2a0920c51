"""Tables whose first row is data: it is never taken for names of columns without a word."""

import pytest
from polars.testing import assert_frame_equal

import adjudge
from adjudge import DataError
from adjudge.readers.io.delimited import looks_like_data
from made_files import workbook

ROWS = [["w2", "task00", "neutral"], ["w3", "task00", "neutral"], ["w2", "task01", "bad"], ["w3", "task01", "neutral"]]
TEXT = "".join(",".join(row) + "\n" for row in ROWS)
NUMBERED = {"annotator": "column_1", "item": "column_2", "label": "column_3"}
NO_HEADER = adjudge.Reading(no_header=True)


def test_without_a_header_the_first_row_counts(written, tmp_path):
    named = written(f"annotator,item,label\n{TEXT}", "named.csv")
    expected = adjudge.agreement(named).tables["agreement"]
    for path in (written(TEXT), written(TEXT.replace(",", "\t"), "v.tsv"), workbook(tmp_path / "v.xlsx", Sheet=ROWS)):
        report = adjudge.agreement(path, columns=NUMBERED, reading=NO_HEADER)
        assert_frame_equal(report.tables["agreement"], expected)


def test_columns_are_made_of_a_table_without_header(written):
    report = adjudge.agreement(
        written(TEXT.replace("task", "task,")),
        columns={"annotator": "column_1", "item": "column_2+column_3", "label": "column_4"},
        map_values={"label": {"bad": "neutral"}},
        reading=NO_HEADER,
    )
    assert (report.counts["items"], report.counts["annotators"]) == (2, 2)
    assert set(report.tables["consensus_labels"]["label"]) == {"neutral"}


def test_a_first_row_of_data_is_refused_or_told(written):
    with pytest.raises(DataError, match="the first row looks like data: w2, task00, neutral") as error:
        adjudge.agreement(written(TEXT))
    assert "no_header" in error.value.fix
    report = adjudge.agreement(written(TEXT), columns={"annotator": "w2", "item": "task00", "label": "neutral"})
    assert any("--no-header" in warning for warning in report.warnings)


def test_files_with_names_of_their_own_keep_them(written):
    rows = [dict(zip(("annotator", "item", "label"), row, strict=True)) for row in ROWS]
    report = adjudge.agreement(written(rows, "v.json"), reading=NO_HEADER)
    assert report.counts["judgments"] == len(ROWS)
    assert any("--no-header is left out" in warning for warning in report.warnings)


@pytest.mark.parametrize(
    ("first", "below", "expected"),
    [
        (ROWS[0], ROWS[1:], True),
        (["1", "0.5"], [["2", "0.7"], ["3", "0.9"]], True),
        (["item", "A", "B"], [["q1", "A", "B"], ["q2", "B", "A"]], False),
        (["text", "1", "2", "3"], [["It is.", "1", "4", "4"], ["No.", "5", "2", "1"]], False),
        (["ana", "score"], [["ana", "3"], ["ben", "4"]], False),
        (["coder", "unit", "colour"], [["w3", "t1", "red"], ["w4", "t2", "red"]], False),
        (ROWS[0], ROWS[1:2], False),
    ],
)
def test_what_a_first_row_looks_like(first, below, expected):
    assert looks_like_data(first, below) is expected
