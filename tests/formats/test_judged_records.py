"""Records of tools in which an item and what annotators say of it stand together are judgments."""

import pytest

from karat import DataError
from made_labels import (
    LEWIDI,
    PROMPTFOO_TABLE,
    judgments,
    said,
)


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
