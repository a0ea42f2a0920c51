"""What stands between the columns of text, and whether names stand above them, found out or as the user says."""

import pytest
from polars.testing import assert_frame_equal

import adjudge as library
from adjudge import DataError
from adjudge.readers.io.delimited import looks_like_data, separator_in
from made_files import workbook

TABLE = "item,annotator,label,reference\n1,x,a,a\n2,x,b,a\n3,x,a,a\n"


@pytest.mark.parametrize(
    ("sign", "given", "option"),
    [*((sign, None, None) for sign in ",;|\t"), ("~", "~", "~"), *(("\t", given, "tab") for given in ("tab", "\t"))],
)
def test_the_separator_is_found_out_or_named_and_gives_the_same_figures(written, sign, given, option):
    reading = library.Reading(**({"separator": given} if given else {}))
    report = library.reliability(written(TABLE.replace(",", sign), "v.csv"), reading=reading)
    assert report.estimate("reliability", table="overall").value == pytest.approx(2 / 3)
    assert report.options.get("separator") == option


def test_a_first_line_of_excel_names_the_separator(written):
    for sign in ";|":
        report = library.reliability(written(f"sep={sign}\n{TABLE.replace(',', sign)}", "v.csv"))
        assert report.estimate("reliability", table="overall").value == pytest.approx(2 / 3)
    with pytest.raises(DataError, match="line 3: expected 4 cells"):
        library.reliability(written("sep=;\nitem;annotator;label;reference\n1;x;a;a;a\n", "v.csv"))


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        ("item;annotator;label, in words\n1;x;yes, it is\n2;y;no\n3;z;yes, no, well\n", ";"),
        ('a;b\n"1;2";3\n"4;5;6";7\n', ";"),
        ("a,b\n1;2;3;4,5\n", ","),
        ("", ","),
        ("number;value\n1;0,5\n2;1,5\n", ";"),
        ("text\tlabel\nWell, yes.\ta\nNo, no.\tb\n", "\t"),
        ("Votes, of May\n\nq;ana;gold\n1;a;b\n", ";"),
    ],
)
def test_the_separator_gives_rows_as_many_cells_as_the_header(start, expected):
    assert separator_in(start) == expected


@pytest.mark.parametrize(
    ("rows", "labels"),
    [
        (['1\tx\t"a" is right\ta', '2\tx\t5" long\ta'], ['"a" is right', '5" long']),
        (['1\tx\t"a\ta', "2\tx\tb\ta"], ['"a', "b"]),
        (['1\tx\t"say ""a"""\ta', "2\tx\tb\ta"], ['say "a"', "b"]),
        (['1\tx\t"a', '2\tx\tb\tc"\ta'], ["a\n2\tx\tb\tc"]),
        (['1\tx\t5" long\ta', "2\tx\tb\ta"], ['5" long', "b"]),
    ],
    ids=["within a cell", "not closed", "doubled", "around tabs and lines", "alone within a cell"],
)
def test_quotes_between_tabs_enclose_cells_wherever_they_can(written, rows, labels):
    path = written("\n".join(["item\tannotator\tlabel\treference", *rows, ""]), "v.tsv")
    assert library.reliability(path, exact_labels=True).tables["confusion"]["label"].sort().to_list() == sorted(labels)


@pytest.mark.parametrize("row", ['2,b",x,"b"', '2,"5"" pipe, ""new",6" pipe,x'])
def test_a_quote_that_stands_alone_is_told(written, row):
    with pytest.raises(DataError, match="line 2: expected pairs of quotes around cells; got 2,"):
        library.reliability(written(f"item,annotator,label,reference\n{row}\n", "v.csv"))


def test_tabs_with_a_lone_quote_and_a_quoted_name_are_refused(written):
    path = written('\ufeff"item"\tannotator\tlabel\treference\n1\tx\t5" a\ta\n2\tx\tb\ta\n', "v.tsv")
    with pytest.raises(DataError, match=r"line 2: expected pairs of quotes .*\nfix:   a file of JSON lines or Parquet"):
        library.reliability(path)


@pytest.mark.parametrize(("header", "name"), [('"say ""x"""', 'say "x"'), ('5" screen', '5" screen')])
def test_quotes_in_names_of_columns_are_read_as_in_cells(written, header, name):
    report = library.reliability(written(TABLE.replace("label", header, 1), "v.csv"), columns={"label": name})
    assert report.estimate("reliability", table="overall").value == pytest.approx(2 / 3)


@pytest.mark.parametrize("sign", [",", "\t"])
@pytest.mark.parametrize(
    "text",
    [
        *(f"{blank},gold,ana\nq1,a,a\nq2,b,a\n" for blank in ("", '""', " ")),
        ",row.names,gold,ana\n9,q1,a,a\n8,q2,b,a\n",
    ],
)
def test_a_first_column_without_a_name_is_that_of_rows_names_unless_another_is(written, sign, text):
    options = {"annotator_columns": "ana", "columns": {"item": "row.names", "reference": "gold"}}
    report = library.reliability(written(text.replace(",", sign), "v.csv"), **options, examples=1)
    assert report.estimate("reliability", table="overall").value == 0.5
    assert report.examples["item"].to_list() == ["q2", "q1"]


# --- rows without names above ---

ROWS = [["w2", "task00", "neutral"], ["w3", "task00", "neutral"], ["w2", "task01", "bad"], ["w3", "task01", "neutral"]]
TEXT = "".join(",".join(row) + "\n" for row in ROWS)
NUMBERED = {"annotator": "column_1", "item": "column_2", "label": "column_3"}
NO_HEADER = library.Reading(no_header=True)


def test_without_a_header_the_first_row_counts(written, tmp_path):
    named = written(f"annotator,item,label\n{TEXT}", "named.csv")
    expected = library.agreement(named).tables["agreement"]
    for path in (written(TEXT), written(TEXT.replace(",", "\t"), "v.tsv"), workbook(tmp_path / "v.xlsx", Sheet=ROWS)):
        report = library.agreement(path, columns=NUMBERED, reading=NO_HEADER)
        assert_frame_equal(report.tables["agreement"], expected)


def test_a_first_row_of_data_is_refused_unless_it_is_named(written):
    with pytest.raises(DataError, match="the first row looks like data: w2, task00, neutral") as error:
        library.agreement(written(TEXT))
    assert "no_header" in error.value.fix
    report = library.agreement(written(TEXT), columns={"annotator": "w2", "item": "task00", "label": "neutral"})
    assert report.counts["judgments"] == len(ROWS) - 1


def test_files_with_names_of_their_own_keep_them(written):
    rows = [dict(zip(("annotator", "item", "label"), row, strict=True)) for row in ROWS]
    report = library.agreement(written(rows, "v.json"), reading=NO_HEADER)
    assert report.counts["judgments"] == len(ROWS)
    assert any("--no-header is ignored" in warning for warning in report.warnings)


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
