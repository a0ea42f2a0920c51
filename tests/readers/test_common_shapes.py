"""Shapes of files that users often have: headings, percentages, marks, probabilities, several accepted answers."""

import json

import polars as pl
import pytest
import xlsxwriter

import adjudge as library
from adjudge import DataError, OptionError

TITLED = "Round 2,,,,\n,Ana,,Ben,\nid,tone,sure,tone,sure\nq1,kind,1,kind,2\nq2,rude,1,kind,3\n"
BENEATH = library.Reading(header_rows=["2", "3"])


def accuracies(report):
    return {row["annotator"]: row["value"] for row in report["annotators"].filter(metric="reliability").to_dicts()}


@pytest.mark.parametrize(
    ("content", "rows"),
    [
        (TITLED, "2,3"),
        (TITLED.replace(",", ";").replace("\n", "\r\n"), "2,3"),
        ("Tone of replies\n\nid,ana,ben\nq1,a,b\n", "3"),
        ("Project,tone\nid,ana,ben\nq1,a,b\n", "2"),
        ("id,Ana,,Ben,\n,tone,sure,tone,sure\nq1,a,1,b,2\n", "1,2"),
        ("id,Ana,Ana\n,tone,sure\nq1,a,1\n", "1,2"),
    ],
)
def test_headings_above_the_names_are_refused_with_the_option(written, content, rows):
    path = written(content, "t.csv")
    with pytest.raises(DataError, match=f"fix: .*header_rows.* {rows}$"):
        library.agreement(path)
    assert f"--header-rows {rows}" in str(library.look(path))
    assert library.look(path, reading=library.Reading(header_rows=rows.split(","))).files[0].wrong == ""


def test_names_in_several_rows_are_joined_and_lines_keep_their_numbers(written):
    path = written(TITLED, "t.csv")
    report = library.agreement(path, annotator_columns=["Ana tone", "Ben tone"], reading=BENEATH)
    assert report.counts["judgments"] == 4
    assert library.look(path, reading=BENEATH).command.startswith(f"adjudge agreement {path} --header-rows 2,3 ")
    with pytest.raises(DataError, match="line 6: expected 5 cells"):
        library.agreement(written(TITLED + "q3,a,b,c,d,e\n", "u.csv"), reading=BENEATH)
    with pytest.raises(OptionError, match="no row 9 of names"):
        library.agreement(path, reading=library.Reading(header_rows=["9"]))
    report = library.agreement(written('[{"item": 1, "annotator": "a", "label": "b"}]', "v.json"), reading=BENEATH)
    assert any("--header-rows is ignored" in warning for warning in report.warnings)


def test_cells_in_percent_are_read_as_shown(tmp_path):
    path = tmp_path / "book.xlsx"
    with xlsxwriter.Workbook(path) as book:
        percent, literal = (book.add_format({"num_format": form}) for form in ("0.0%", '0"%"'))
        book.add_worksheet("Notes").write_row("A1", ["x"])
        sheet = book.add_worksheet("Answers")
        sheet.write_row("C3", ["id", "answer", "response"])
        for row, (shown, said) in enumerate([(0.35, "It was 35%."), (0.125, "12.5% or so"), (0.07, "0.7%")], 4):
            sheet.write_row(f"C{row}", [row, None, said])
            sheet.write(f"D{row}", shown, percent)
        sheet.write_row("C7", [7, None, "about 35"])
        sheet.write("D7", 35, literal)
    report = library.rag(f"{path}#Answers", constant={"ability": "question_answering"})
    assert report["scores"].filter(metric="accuracy")["value"].to_list() == [0.75]
    assert any("3 cells in percent read as shown in Excel" in warning for warning in report.warnings)


@pytest.mark.parametrize("level", ["interval", "ratio"])
def test_percentages_are_numbers(level):
    rows = [{"item": n, "annotator": who, "label": f"{n}%"} for n in (5, 20, 50) for who in "ab"]
    report = library.agreement(pl.DataFrame(rows), level=level)
    assert report["agreement"].filter(metric="alpha")["value"][0] == 1


def test_groups_may_stand_in_another_file(written):
    gold, ours = "id,label,split\n1,a,x\n2,b,y\n3,a,y\n", "id,label\n1,a\n2,a\n3,a\n"
    paths, columns = [written(gold, "gold.csv"), written(ours, "ours.csv")], {"item": "id"}
    report = library.reliability(paths, reference=["gold"], columns=columns, by=["split"])
    values = report["annotators"].filter(metric="reliability").select("split", "value").rows()
    assert sorted(values) == [("x", 1.0), ("y", 0.5)]
    assert any("split is in" in warning for warning in report.warnings)
    with pytest.raises(OptionError, match='no column "kind" in'):
        library.reliability(paths, reference=["gold"], columns=columns, by=["kind"])


@pytest.mark.parametrize("sign", ["|", ";", "\n"])
def test_parts_of_true_answers_are_warned_of(sign):
    rows = [{"id": "1", "answer": f"Bizet{sign}Georges Bizet", "response": "By Bizet."}]
    given = {"constant": {"ability": "question_answering"}}
    report = library.rag(pl.DataFrame(rows), **given)
    shown = sign.replace("\n", "\\n")
    assert any(f'--answer-lists aliases --answer-separator "{shown}"' in warning for warning in report.warnings)
    merged = library.rag(pl.DataFrame(rows), answer_lists="aliases", answer_separator=shown, **given)
    assert merged["scores"].filter(metric="accuracy")["value"].to_list() == [1]


def test_several_accepted_labels_are_warned_of(written):
    table = pl.DataFrame({"item": [1, 2, 3], "tone": ["a", "b", "a"], "tone_gold": ["a|b", "b", "b"]})
    given = {"columns": {"reference": "tone_gold"}, "annotator_columns": ["tone"]}
    (warning,) = [one for one in library.reliability(table, **given).warnings if "several answers" in one]
    assert '"a|b" (1)' in warning
    assert warning.endswith("--map-values 'reference:a|b=a'")
    sets = table.with_columns(tone=pl.Series(["a|b", "b", "a"]))
    assert not any("several answers" in one for one in library.reliability(sets, **given).warnings)
    found = library.look(written(table.write_csv(), "t.csv")).fit.options
    assert found["columns"]["reference"] == "tone_gold"


def test_a_caution_asks_what_cells_beside_the_only_label_mean(written):
    marks = "id,a,b\n1,x,\n2,x,x\n3,,\n4,x,\n"
    path, judges = written(marks, "t.csv"), {"annotator_columns": ["a", "b"]}
    (warning,) = [one for one in library.agreement(path, **judges).warnings if "only label" in one]
    assert warning == "\"x\" is the only label, and 4 cells are empty. If these mean no: --map-values 'label:=not x'"
    told = library.agreement(path, **judges, map_values={"label": {"": "no"}})
    assert told.counts["judgments"] == 8
    assert not any("only label" in one for one in told.warnings)


def test_probabilities_are_no_labels(written, adjudge):
    path = written("id,gold,score\n1,1,0.91\n2,0,0.12\n3,1,0.48\n4,1,1.0\n", "t.csv")
    given = {"columns": {"reference": "gold"}, "annotator_columns": ["score"]}
    with pytest.raises(DataError, match="labels are probabilities") as caught:
        library.reliability(path, **given)
    fix = "label:0.9*=1,1*=1,0*=0"
    assert fix in str(caught.value)
    assert fix in str(library.look(path))
    columns = ("--columns", "reference=gold", "--annotator-columns", "score", "--map-values", fix)
    assert "75.0%" in adjudge("reliability", path, *columns)[1]


def test_ids_in_powers_are_warned_of():
    rows = [("100000", "a", "x"), ("1e+05", "b", "x"), ("1e5a", "a", "y")]
    warnings = library.agreement(pl.DataFrame(rows, ["item", "annotator", "label"], orient="row")).warnings
    assert any('"100000", "1e+05" differ only in' in warning for warning in warnings)


def test_lists_in_json_are_refused_with_a_program(written):
    spans = [["Ana met Ben.", {"entities": [[0, 3, "PER"]]}], ["No one.", {"entities": []}]]
    path = written(json.dumps(spans), "t.json")
    with pytest.raises(DataError, match="got a list"):
        library.agreement(path)
    program = "{id: $record, text: .[0]} + .[1]"
    assert f"--jq '{program}'" in str(library.look(path))
    found = library.look(path, reading=library.Reading(jq=program))
    assert (found.fit.evaluation, found.fit.form.name) == ("violations", "doccano")


def test_records_have_positions_beyond_a_batch(written):
    path = written(json.dumps([[n, "x"] for n in range(1201)]), "t.json")
    reading = library.Reading(jq='$record as $at | ("a", "b") | {item: $at, annotator: ., label: "x"}')
    assert library.agreement(path, reading=reading).counts["items"] == 1201


def test_predictions_without_rules_are_warned_of(written):
    truth = written("id,text,start,end,rule\n1,Ana met Ben.,0,3,PER\n", "truth.csv")
    found = library.violations(truth, written("id,start,end,kind\n1,0,3,PER\n", "ours.csv"))
    assert any("ours names no rules" in warning for warning in found.warnings)


def test_annotators_in_one_file_and_gold_in_another_are_proposed(written):
    items = [f"text {n}" for n in range(9)]
    gold = "nr,code\n" + "".join(f"{one},a\n" for one in items)
    coded = "nr,coder,code\n" + "".join(f"{one},{who},a\n{one},{who}2,b\n" for one in items for who in ("ana",))
    paths = [written(gold, "gold.csv"), written(coded, "coded.csv")]
    found = library.look(paths)
    assert found.fit.options["reference"] == ["gold"]
    assert found.fit.options["columns"] == {"item": "nr", "annotator": "coder", "label": "code"}


def test_scales_of_words_are_warned_of():
    words = ["Strongly agree", "Agree", "Neither agree nor disagree", "Disagree"]
    table = pl.DataFrame([(str(n), who, word) for n, word in enumerate(words) for who in "ab"], orient="row")
    table.columns = ["item", "annotator", "label"]
    assert any("may have an order" in warning for warning in library.agreement(table).warnings)
    assert not any("may have an order" in one for one in library.agreement(table, ordered=words[::-1]).warnings)
