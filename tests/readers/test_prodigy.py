"""Choices of Prodigy, and labels accepted or rejected, are judgments."""

import pytest

from adjudge import DataError
from made_labels import PRODIGY, PRODIGY_LABEL, judgments, lines, rows_of


def test_the_options_chosen_are_the_label_and_the_input_is_the_item(written):
    read = judgments(written(lines(PRODIGY), "choice.jsonl"), reference=["ana"])
    assert rows_of(read) == [("7", "ben", "kind, rude"), ("7", "cleo", None)]
    assert any("1 answer holds several values of accept" in one for one in read.warnings)


def test_an_accepted_line_without_a_choice_says_none(written):
    records = [{**PRODIGY[0], "accept": []}, PRODIGY[1]]
    assert rows_of(judgments(written(lines(records), "choice.jsonl"), reference=["ben"])) == [("7", "ana", "none")]


def test_a_label_is_accepted_or_rejected_for_an_input(written):
    read = judgments(written(lines(PRODIGY_LABEL), "textcat.jsonl"), reference=["ana"])
    assert rows_of(read) == [("8", "ben", "reject")]


def test_the_id_of_meta_comes_before_the_hash(written):
    records = [{**one, "meta": {"id": "q1"}} for one in PRODIGY]
    assert rows_of(judgments(written(lines(records), "choice.jsonl"), reference=["ana"]))[0] == (
        "q1",
        "ben",
        "kind, rude",
    )


def test_what_is_no_answer_is_told_with_its_line(written):
    records = [{**PRODIGY[0], "answer": "maybe"}, {**PRODIGY[1], "accept": "kind"}, PRODIGY[2]]
    with pytest.raises(DataError) as error:
        judgments(written(lines(records), "choice.jsonl"), reference=["ana"])
    first, second = error.value.messages
    assert first.endswith('choice.jsonl, line 1, answer: expected one of accept, reject, ignore; got "maybe"')
    assert second.endswith('choice.jsonl, line 2, accept: expected a list; got "kind"')
