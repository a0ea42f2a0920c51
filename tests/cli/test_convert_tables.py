"""`karat convert` turns judgments and preferences of any format into flat tables, and makes one of several files."""

import json
from itertools import cycle

import pytest

import karat as library
from karat.formats.inputs import sources
from karat.formats.tables import scan
from made import item
from made_samples import SAMPLES

ENDINGS = ("csv", "tsv", "json", "jsonl", "parquet")
FIRST = {one.format: one for one in reversed(SAMPLES) if one.evaluation == "reliability"}
"""Format -> its first sample; what its other shapes hold is tested with their readers."""
JUDGED = list(zip(reversed(FIRST.values()), cycle(ENDINGS)))

AMBIGUOUS = ("project.json", "project.csv")
"""Files with spans too, and files that do not show what they hold."""


def rows(path):
    """What a converted file holds, without what is missing."""
    (source,) = sources(path)
    return [{name: one for name, one in row.items() if one is not None} for row in scan(source).collect().to_dicts()]


# --- judgments ---


@pytest.mark.parametrize(("sample", "ending"), JUDGED, ids=str)
def test_judgments_of_every_format_give_the_same_figures(tmp_path, sample, ending):
    path, out = sample.put(tmp_path), tmp_path / f"out.{ending}"
    reading = {name: sample.options[name] for name in ("columns", "set", "annotator_columns") if name in sample.options}
    library.convert(path, out, **reading, evaluation="reliability" if sample.file in AMBIGUOUS else None)
    by = {name: held for name, held in sample.options.items() if name == "by"}
    trusted = {} if any("reference" in row for row in rows(out)) else {"reference": sample.options["reference"]}
    first = {**sample.options, "reference": trusted.get("reference", ())}
    before, after = library.reliability(path, **first), library.reliability(out, **trusted, **by)
    for name, table in before.tables.items():
        assert after.tables[name].equals(table), name


def votes(annotator, **labels):
    return "item,annotator,label\n" + "".join(f"{one},{annotator},{label}\n" for one, label in labels.items())


def test_judgments_of_several_files_stand_side_by_side_with_the_reference_of_any(karat, tmp_path, written):
    first = written("item,annotator,label,reference,week\n1,ana,a,b,w1\n2,ana,b,b,w2\n", "1.csv")
    second = written(votes("ben", one="b").replace("one", "1"), "2.csv")
    status, printed, said = karat("convert", first, second, "--output", tmp_path / "o.csv")
    assert (status, said) == (0, "")
    assert printed == f"3 judgments read (2 in {first}, 1 in {second}), 3 written to {tmp_path / 'o.csv'}\n"
    assert rows(tmp_path / "o.csv") == [
        {"item": "1", "annotator": "ana", "label": "a", "reference": "b", "week": "w1"},
        {"item": "2", "annotator": "ana", "label": "b", "reference": "b", "week": "w2"},
        {"item": "1", "annotator": "ben", "label": "b", "reference": "b"},
    ]


def test_judgments_that_clash_are_refused_with_both_values_or_left_out(karat, tmp_path, written):
    first, second = written(votes("ana", q1="a", q2="b"), "1.csv"), written(votes("ana", q1="b", q2="b"), "2.csv")
    words = ["convert", first, second, "--output", tmp_path / "o.csv"]
    status, _, said = karat(*words)
    assert status == 1
    assert f'item q1, annotator ana: expected one label; got "a" in {first}, "b" in {second}' in said
    status, _, said = karat(*words, "--on-invalid", "drop")
    assert status == 0
    assert "2 invalid judgments were dropped" in said
    assert rows(tmp_path / "o.csv") == [{"item": "q2", "annotator": "ana", "label": "b"}]


def test_the_summary_counts_what_was_left_out(karat, tmp_path, written):
    source = written("item,annotator,label\n1,ana,a\n2,ana,\n3,ana,b\n", "1.csv")
    status, printed, said = karat("convert", source, tmp_path / "o.csv", "--on-invalid", "drop")
    assert (status, printed) == (0, f"3 judgments read, 2 written to {tmp_path / 'o.csv'}, 1 left out\n")
    assert "1 invalid row was dropped" in said


def test_references_that_clash_are_refused_with_both_values(karat, tmp_path, written):
    table = "item,annotator,label,reference\n1,{},a,{}\n"
    files = [written(table.format("ana", "a"), "1.csv"), written(table.format("ben", "b"), "2.csv")]
    status, _, said = karat("convert", *files, "--output", tmp_path / "o.csv")
    assert status == 1
    assert f'item 1: expected one reference_label; got "a" in {files[0]}, "b" in {files[1]}' in said


def test_files_of_one_annotator_each_are_called_as_the_files(tmp_path, written):
    files = [written("item,label\n1,a\n", "ana.csv"), written("item,label\n1,b\n", "ben.csv")]
    found = library.convert(files, tmp_path / "o.csv")
    assert [(row["annotator"], row["label"]) for row in rows(tmp_path / "o.csv")] == [("ana", "a"), ("ben", "b")]
    assert "no column says who judged; all of its labels are those of ana" in found.warnings[0]


def test_several_who_are_trusted_on_an_item_become_rows_to_be_named(tmp_path, written):
    judged = [{"id": "1", **item("a", ana="a"), "QC": {one: {"item_flag": "No", "best": "a"} for one in ("x", "y")}}]
    found = library.convert(written(judged), tmp_path / "o.jsonl")
    assert [row["annotator"] for row in rows(tmp_path / "o.jsonl")] == ["ana", "x", "y"]
    assert "read what is written with --reference x --reference y" in found.warnings[-1]
    score = library.reliability(tmp_path / "o.jsonl", reference=["x", "y"])
    assert score.tables["annotators"].equals(library.reliability(written(judged)).tables["annotators"])


def test_people_in_judgments_get_pseudonyms(karat, tmp_path, written):
    source = written("item,annotator,label,checked by\n1,ana,a,ana\n2,ben,b,\n", "1.csv")
    status, _, said = karat("convert", source, tmp_path / "o.csv", "--pseudonyms", tmp_path / "key.csv")
    assert status == 0
    assert [row["annotator"] for row in rows(tmp_path / "o.csv")] == ["annotator-1", "annotator-2"]
    assert "hold names of annotators: checked by" in said
    assert (tmp_path / "key.csv").read_text() == "annotator,pseudonym\nana,annotator-1\nben,annotator-2\n"


# --- preferences ---

GOLD = {"id": "1", "instruction": "Hi", "output_a": "Ho", "output_b": "Hello", "safety_preference": "A", "week": "w"}


@pytest.mark.parametrize("ending", ENDINGS)
def test_preferences_give_the_same_figures_in_every_format(tmp_path, written, ending):
    labels = zip(["A", "B", "both_bad", None], ["why", None, "so", None], "wwvv", strict=True)
    table = [
        {**GOLD, "id": str(n), "safety_preference": label, "safety_explanation": why, "week": week}
        for n, (label, why, week) in enumerate(labels)
    ]
    wrong = [{"id": row["id"], "safety_preference": "A", "safety_explanation": "x"} for row in table]
    wrong[0]["safety_outcome"] = "answered"
    gold, predicted = written(json.dumps(table), "gold.json"), written(json.dumps(wrong), "predicted.json")
    for path in (gold, predicted):
        library.convert(path, tmp_path / f"{path.stem}-made.{ending}")
    options = {"criteria": "safety", "by": "week", "explanations": True, "system": "s"}
    before = library.preferences(gold, predicted, **options)
    after = library.preferences(*(tmp_path / f"{name}-made.{ending}" for name in ("gold", "predicted")), **options)
    for name, made in before.tables.items():
        assert after.tables[name].equals(made), name


def test_items_of_several_files_become_one_and_what_differs_is_refused(karat, tmp_path, written):
    labelled = {name: GOLD[name] for name in ("id", "safety_preference")}
    texts = {**GOLD, "safety_preference": None, "week": "x"}
    files = [written([labelled], "1.json"), written([texts], "2.json"), written([{**GOLD, "output_a": "Ha"}], "3.json")]
    status, _, said = karat("convert", *files[:2], "--output", tmp_path / "o.jsonl")
    assert (status, said) == (0, "")
    assert rows(tmp_path / "o.jsonl") == [{**GOLD, "week": "x"}]
    status, _, said = karat("convert", *files, "--output", tmp_path / "o.jsonl")
    assert status == 1
    assert f'id 1: expected one output_a; got "Ho" in {files[1]}, "Ha" in {files[2]}' in said


def test_a_table_that_does_not_show_what_it_holds_is_refused_with_what_to_say(karat, tmp_path, written):
    source = written("a,b\n1,2\n", "x.csv")
    status, _, said = karat("convert", source, tmp_path / "o.csv")
    assert status == 2
    assert (
        f"--evaluation: nothing shows what {source} holds; its columns are a, b. Say for which evaluation it is" in said
    )
