"""Runs of HELM are judgments of a model by the references that are correct."""

import pytest

from adjudge import DataError
from made_labels import HELM, judgments, rows_of, state


def test_letters_are_the_choices_they_stand_for_and_changed_instances_items_of_their_own(written):
    read = judgments(written(HELM, "scenario_state.json"))
    assert rows_of(read) == [
        ("id1", "openai/gpt-4", "polite", "polite"),
        ("id1/typos", "openai/gpt-4", "curt", "polite"),
        ("id2", "openai/gpt-4", "So B, I think", "curt"),
    ]
    assert read.frame["cluster"].to_list() == ["id1", "id1", "id2"]


def test_runs_that_asked_about_each_choice_alone_are_refused(written):
    alone = {**HELM, "request_states": [{**state("id1", " A", "polite"), "reference_index": 0}]}
    with pytest.raises(DataError, match="request state 1: each choice was asked about alone"):
        judgments(written(alone, "scenario_state.json"))
