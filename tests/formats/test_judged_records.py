"""Records of tools in which an item and what annotators say of it stand together are judgments."""

import pytest

from karat import DataError
from made_labels import (
    LEWIDI,
    POTATO,
    PROMPTFOO_TABLE,
    judgments,
    lines,
    said,
)


def test_files_of_potato_are_called_as_their_folders(tmp_path):
    for who, tone in (("ana", "kind"), ("ben", "rude")):
        (tmp_path / who).mkdir()
        records = [{**one, "label_annotations": {"tone": {tone: "true"}}} for one in POTATO]
        (tmp_path / who / "annotated_instances.jsonl").write_text(lines(records))
    read = judgments(*sorted(tmp_path.glob("*/*.jsonl")), reference=["ana"])
    assert said(read) == [("i1", "ben", "rude"), ("i2", "ben", "rude")]


def test_what_is_chosen_rated_or_typed_in_potato_is_the_answer(written):
    forces = [{"tone": {"kind": "true"}, "force": {f"scale_{force}": force}} for force in "31"]
    both = [{**one, "label_annotations": force} for one, force in zip(POTATO, forces, strict=True)]
    path = written(lines(both), "ana.jsonl")
    assert [row[1:] for row in said(judgments(path, reference="tone", label="force"))] == [
        ("ana", "3", "kind"),
        ("ana", "1", "kind"),
    ]
    table = "user\tinstance_id\ttone:::kind\ttone:::rude\tnote:::text_box\nana\t1\ttrue\ttrue\tso\nben\t2\t\ttrue\tno\n"
    path = written(table, "annotated_instances.tsv")
    assert said(judgments(path, reference="note", label="tone")) == [
        ("1", "ana", "kind, rude", "so"),
        ("2", "ben", "rude", "no"),
    ]


def test_potato_s_false_and_nan_are_no_answers_and_its_spans_are_counted(written):
    tone = {"tone": {"kind": "False", "rude": "true", "calm": "nan"}}
    told = [{**one, "instance_id": None, "label_annotations": tone} for one in POTATO]
    paths = [written(lines([told[0] | {"span_annotations": {"s": [1]}}, told[1]]), "ana.jsonl")]
    paths.append(written(lines(told), "ben.jsonl"))
    read = judgments(*paths, reference=["ben"])
    assert said(read) == [("i1", "ana", "rude"), ("i2", "ana", "rude")]
    assert read.warnings == (f"{paths[0]}: what is no answer about a whole item is left out: spans 1",)


def test_annotators_in_a_list_and_what_they_say_in_another_belong_together(written):
    read = said(judgments(written(LEWIDI), reference="hard_label"))
    assert read == [("1", "Ann1", "1", "1"), ("1", "Ann2", "0", "1"), ("2", "Ann2", "0", "0"), ("2", "Ann3", "0", "0")]
    short = {**LEWIDI, "3": {"annotators": "Ann1", "annotations": ["0", "1"]}}
    with pytest.raises(DataError, match="item 3, annotations: expected one for each of 1 annotators; got 2"):
        judgments(written(short), input_format="parallel-votes")


def test_tables_of_promptfoo_hold_outputs_beside_variables_or_grades(written):
    path = written(PROMPTFOO_TABLE, "results.csv")
    assert said(judgments(path)) == [
        ("1", "b", "rude", "kind"),
        ("1", "openai:a", "kind", "kind"),
        ("2", "b", None, "rude"),
        ("2", "openai:a", "rude", "rude"),
    ]
    grades = judgments(path, label="grade", reference=["openai:a"])
    assert said(grades) == [("1", "b", "fail"), ("2", "b", None)]
    free = written(
        "question,__expected,[a] {{question}}\nWhere?,Paris,[PASS] In Paris.\nWho?,Goethe,[FAIL] Me.\n", "free.csv"
    )
    with pytest.raises(DataError, match="no output is what __expected says"):
        judgments(free)
