"""Logs of OpenAI's evals are judgments of a model by what was expected."""

import pytest

from karat import DataError
from made_labels import OPENAI_EVALS, event, judgments, lines, said


def test_what_was_picked_or_else_said_is_the_label_and_of_several_expected_the_one_picked(written):
    found = said(judgments(written(lines(OPENAI_EVALS), "r.jsonl")))
    assert found == [
        ("tone.0", "gpt-4", "polite", "polite"),
        ("tone.1", "gpt-4", "polite", "curt, rude"),
        ("tone.2", "gpt-4", "rude", "rude"),
    ]


def test_answers_that_only_hold_what_was_expected_are_counted(written):
    held = event(0, correct=True, expected="4", picked="It is 4.")
    read = judgments(written(lines([held]), "r.jsonl"))
    assert said(read) == [("tone.0", "r", "It is 4.", "4")]
    assert "the log counts 1 answer that differs from the target as right" in read.warnings[0]


def test_a_log_without_matches_is_refused_with_the_events_that_it_holds(written):
    path = written(lines([event(0, "sampling", sampled="x"), event(1, "metrics", score=1)]), "r.jsonl")
    with pytest.raises(DataError, match=r"expected events of the type match, .* got sampling, metrics"):
        judgments(path)
