"""What is wrong with an input is said in full, before any figure is given."""

from pathlib import Path

import pytest

import adjudge
from adjudge import DataError, OptionError
from made import item, verdict

GOOD = [item("a", ann="a"), item("b", ann="a")]


def message(path, **options):
    with pytest.raises(DataError) as error:
        adjudge.reliability(path, **options)
    return str(error.value)


ROW = '{"item": 1, "annotator": "x", "label": "a", "reference": "a"}'
HEAD = "item,annotator,label,reference\n"
WRONG = {
    "votes.json": [
        ("this is no JSON at all [", 'expected column names separated by commas; got "this is no JSON at all ["'),
        ("[{]", "line 1, column 3: invalid JSON"),
        ('{"a": 1}', "expected a list of records; got an object"),
        ("[]", "no records found"),
        ("\ufeff", "the file is empty"),
        ([{"output_values": [], "QC": {"q": {}}}], "item 1, output_values: expected an object; got an empty list"),
        ([{"output_values": {"ann": "a"}, "QC": {"q": "a"}}], 'item 1, output_values, ann: expected an object; got "a"'),
        ([{"output_values": {"ann": verdict("a")}}], "item 1, QC: expected an object of annotator -> verdict; got null"),
        ([item("a", ann=verdict("a", flag="Maybe"))], 'item 1 (annotator ann), column item_flag: expected one of yes, true, 1, no, false, 0; got "Maybe"'),
        ([item("a", ann=verdict())], "column best: expected a label, since the item is neither flagged nor skipped; got nothing"),
        ([item("a", ann=verdict("a", skipped="perhaps"))], 'column skipped: expected true, false or nothing; got "perhaps"'),
        ('[{"output_values": {"ann": {"item_flag": "No", "best": "a"}, "ann": {"item_flag": "Yes"}}, "QC": {"q": {"item_flag": "Yes"}}}]', "record 1, line 1: expected each name once; ann appears twice"),
        ([{"id": 1, **item("a", ann="a")}, {"id": 1, **item("a", ann="b")}], "annotator ann labels item 1 more than once"),
        ([{"id": 1, **item("a", x="a")}, item("a", x="a")], "item 2 (annotator x), column id: expected the item's id; got nothing"),
        ('[{"output_values": {"\\ud800": {"item_flag": "No", "best": "a"}}, "QC": {"q": {"item_flag": "Yes"}}}]', "invalid JSON: unexpected end of hex escape"),
    ],
    "votes.csv": [
        ("item,annotator,label\n1,x,a\n", "no reference labels"),
        ("item,annotater,label,reference\n1,x,a,a\n", "missing column annotator\nfound: item, annotater, label, reference\nfix:   columns annotator=annotater"),
        ("item,annotator,label,label,reference\n", 'line 1: the column "label" appears twice'),
        (HEAD, "no rows found"),
        (f"{HEAD}1,x,a,a\n1,x,b,a\n", "rows 1, 2: annotator x labels item 1"),
        (f"{HEAD}1,x,a,a\n1,y,a,b\n", "rows 1, 2: item 1 has several references"),
        (f"{HEAD}1,x,a,a\n,x,a,a\n", "row 2, column item: expected the item's id; got nothing"),
        (f"{HEAD}1,x,a,a\n\n\n3,,a,a\n", "row 4, column annotator: expected the annotator's name; got nothing"),
        ("item,annotator,label,flag,reference\n1,x,,no,a\n", "row 1, column label: expected a label"),
        ("item,annotator,label,flag,reference\n1,x,a,perhaps,a\n", 'row 1, column flag: expected one of yes, true, 1, no, false, 0; got "perhaps"'),
        ("item,annotator,label,reference,reference_flag\n1,x,a,a,\n", "row 1, column reference_flag: expected one of yes"),
    ],
    "votes.jsonl": [
        (f'{ROW}\n{{"item": 1,\n', "line 2, column 12: invalid JSON"),
        (f"{ROW}\n[1]\n", "line 2: expected an object; got a list"),
        (f'{ROW}\n{{"item": "é"}}\n', "column annotator: expected the annotator's name"),
        (f"{ROW}\n" * 2500 + ROW[:-5], "line 2501, column"),
    ],
}  # fmt: skip


@pytest.mark.parametrize(("name", "case"), [(name, case) for name, cases in WRONG.items() for case in cases])
def test_what_is_wrong_with_a_file_is_said(written, name, case):
    content, expected = case
    path = written(content, name)
    told = message(path)
    assert told.startswith(str(path))
    assert expected in told


def test_rows_that_repeat_others_count_once_unless_they_contradict_them(written):
    report = adjudge.reliability(written(f"{HEAD}1,x,a,a\n1,x,a,a\n2,x,b,a\n", "votes.csv"))
    assert report.estimate("reliability", table="overall").n == 2
    assert any("rows that repeat an annotator's label of an item, excluded: 1" in one for one in report.warnings)
    with pytest.raises(DataError, match="annotator x labels item 1 more than once"):
        adjudge.reliability(written(f"{HEAD}1,x,a,a\n1,x,a,a\n1,x,b,a\n", "votes.csv"))


def test_dropped_rows_and_items_are_left_out_and_counted(written):
    rows = "1,x,a,a\n2,x,,a\n3,x,b,a\n4,y,a,a\n4,y,b,a\n"
    path = written("item,annotator,label,reference\n" + rows, "votes.csv")
    report = adjudge.reliability(path, on_invalid="drop")
    assert report.counts["judgments"] == 3
    assert report.counts["dropped for annotator"] == 2
    assert any("2 invalid rows were dropped" in warning for warning in report.warnings)
    assert any("1 row without a label is excluded" in warning for warning in report.warnings)
    assert report.estimate("reliability", table="overall").n == 2
    items = written([*GOOD, {"output_values": {"ann": verdict("a")}}, 7])
    report = adjudge.reliability(items, on_invalid="drop")
    assert (report.counts["items"], report.counts["dropped for structure"]) == (2, 2)


@pytest.mark.parametrize(
    ("rows", "options", "warning"),
    [
        ("1,x,Tie,tie\n2,x,tie,tie\n", {"exact_labels": True}, 'the labels "Tie", "tie" differ only in case, spaces, .0, 1e5 or leading zeros, and count as different'),
        ("1,x,1,a\n2,x,2,b\n", {}, "annotators and reference have no label in common: 1, 2 against a, b; --map-values says what they mean"),
        ("1,x,a,a\n2,x,b,b\n1,y,1,a\n2,y,2,b\n", {}, "y and reference have no label in common: 1, 2 against a, b; --map-values says what they mean"),
    ],
)  # fmt: skip
def test_labels_that_may_be_one_are_warned_of(written, rows, options, warning):
    assert adjudge.reliability(written(HEAD + rows, "votes.csv"), **options).warnings == (warning,)


@pytest.mark.parametrize(
    ("rows", "options", "error", "expected"),
    [
        ("1,x,lefft,left\n", {"labels": ["left", "right"]}, DataError, 'row 1, column label: expected one of left, right; got "lefft"'),
        ("1,x,a,a\n1,boss,a,a\n", {"columns": {"reference": "reference"}, "reference": "boss"}, OptionError, "the file's own reference, beside reference"),
    ],
)  # fmt: skip
def test_what_options_do_not_allow_is_refused(written, rows, options, error, expected):
    with pytest.raises(error, match=expected):
        adjudge.reliability(written(HEAD + rows, "votes.csv"), **options)


def test_a_file_without_permission_says_so(written, monkeypatch):
    path, opened = written(GOOD), Path.open

    def refuse(self, *args, **kwargs):
        if self == path:
            raise PermissionError(13, "Permission denied")
        return opened(self, *args, **kwargs)

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(OptionError, match="cannot be read: Permission denied"):
        adjudge.reliability(path)


@pytest.mark.parametrize("option", ["by", "cluster"])
def test_a_misspelt_column_is_an_error(written, option):
    path = written("item,annotator,label,reference,week\n1,x,a,a,2\n", "votes.csv")
    for data in (path, written([{"week": "1", **one} for one in GOOD])):
        with pytest.raises(OptionError, match=rf"^{option}: no column .weak. in .*\nfound: .*\nfix:   {option} week$"):
            adjudge.reliability(data, **{option: "weak"})
    with pytest.raises(OptionError, match=f"^{option}: expected"):
        adjudge.reliability(path, **{option: ""})


def test_flag_values_are_compared_as_the_data_are(written):
    rows = "item,annotator,label,flag,reference\n1,x,,Spaß,a\n2,x,a, OK ,a\n"
    report = adjudge.reliability(written(rows, "v.csv"), flag_values={"flagged": " SPAß", "clean": "ok"})
    assert report.estimate("flag_mismatch", table="overall").value == 0.5


def test_an_empty_label_in_a_file_per_annotator_is_missing_and_counted(tmp_path):
    """Ana is right in 2 of 3: she gives no label for item 2, and item 5 has no reference."""
    labels = {"gold": "yes no yes no -", "ana": "yes - no no no", "ben": "yes no yes yes no"}
    files = [tmp_path / f"{name}.csv" for name in labels]
    for file, row in zip(files, labels.values(), strict=True):
        cells = (f"{nth},{label.removeprefix('-')}\n" for nth, label in enumerate(row.split(), 1))
        file.write_text(f"item,label\n{''.join(cells)}")
    report = adjudge.reliability(files, reference="gold")
    assert report.estimate("reliability", annotator="ana").value == pytest.approx(2 / 3)
    assert report.estimate("reliability", annotator="ben").value == pytest.approx(3 / 4)
    counted = [warning for warning in report.warnings if "without a label" in warning]
    assert counted == [f"{file}: 1 row without a label is excluded" for file in files[:2]]
    left_out = [("ana", "skipped", 1), ("ana", "reference_skipped", 1), ("ben", "reference_skipped", 1)]
    assert report["deductions"].rows() == left_out


def test_no_column_is_suggested_twice_and_files_with_other_names_are_named(written):
    paths = written("c_1,c_2,c_3\n1,x,a\n", "votes.csv"), written("c_1,c_2\n1,a\n", "others.csv")
    columns = {"item": "c_1", "annotator": "c_2", "label": "c_3"}
    for given, fix in ((paths[1], ""), (list(paths), "label=c_3/COLUMN")):
        with pytest.raises(OptionError, match='no column "c_3" in') as error:
            adjudge.agreement(given, columns=columns)
        assert fix in (error.value.fix or "")
        assert "c_2" not in (error.value.fix or "")
