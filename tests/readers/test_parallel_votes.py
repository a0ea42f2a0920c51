"""Annotators in one list and what they say in another are judgments."""

import pytest

from adjudge import DataError
from made_labels import LEWIDI, judgments, rows_of


def test_annotators_in_a_list_and_what_they_say_in_another_belong_together(written):
    read = rows_of(judgments(written(LEWIDI), reference="hard_label"))
    assert read == [("1", "Ann1", "1", "1"), ("1", "Ann2", "0", "1"), ("2", "Ann2", "0", "0"), ("2", "Ann3", "0", "0")]
    short = {**LEWIDI, "3": {"annotators": "Ann1", "annotations": ["0", "1"]}}
    with pytest.raises(DataError, match="item 3, annotations: expected one for each of 1 annotators; got 2"):
        judgments(written(short), input_format="parallel-votes")
