"""Responses and suggestions of Argilla are judgments, in every form that its records have."""

import polars as pl
import pytest

from adjudge import DataError
from made_labels import ARGILLA, ARGILLA_1, ARGILLA_1_COLUMNS, ARGILLA_COLUMNS, judgments, rows_of, trusted


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        (ARGILLA, [("r1", "m1", "rude"), ("r1", "u2", "rude")]),
        (ARGILLA_COLUMNS, [("r1", "suggestion", "rude"), ("r1", "u2", "rude"), ("r1", "u3", None)]),
        (ARGILLA_1, [("r1", "m1", "rude"), ("r1", "u2", None)]),
        (ARGILLA_1_COLUMNS, [("r1", "m1", "rude")]),
    ],
)
def test_users_and_agents_are_annotators_and_what_is_not_submitted_is_skipped(written, records, expected):
    read = judgments(written(records), reference=["u1"])
    assert rows_of(read) == expected
    assert trusted(read) == [("r1", "u1", "kind")]


def test_a_data_set_from_python_reads_as_its_file(written):
    table = pl.DataFrame(ARGILLA_COLUMNS)
    assert rows_of(judgments(table, reference=["u1"])) == rows_of(judgments(written(ARGILLA_COLUMNS), reference=["u1"]))


def test_metadata_can_be_the_reference(written):
    read = judgments(written([{**ARGILLA[0], "metadata": {"gold": "kind"}}]), reference="gold")
    assert ("r1", "m1", "rude", "kind") in rows_of(read)


def test_a_wrong_structure_is_told_with_its_place(written):
    with pytest.raises(DataError, match=r'record 1, tone: expected a list; got "kind"'):
        judgments(written([{**ARGILLA[0], "responses": {"tone": "kind"}}]), reference=["u1"])


def test_early_data_sets_hold_responses_as_lists_and_metadata_as_text(written):
    responses = {"user_id": ["u1", "u2"], "value": ["kind", "rude"], "status": ["submitted", "discarded"]}
    path = written([{**ARGILLA_1_COLUMNS[0], "tone": responses, "metadata": '{"gold": "kind"}'}])
    assert rows_of(judgments(path, reference="gold")) == [
        ("r1", "m1", "rude", "kind"),
        ("r1", "u1", "kind", "kind"),
        ("r1", "u2", None, "kind"),
    ]
