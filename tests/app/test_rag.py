"""The explorer's views of models that answer from documents."""

import polars as pl
import pytest

from made import EXAMPLES
from made_explorer import page_of, said

ANSWERS = str(EXAMPLES / "rag" / "answers.jsonl")


@pytest.mark.parametrize("view", ["Noise", "Answers", "Scorers"])
def test_every_view_opens(view):
    assert not page_of(ANSWERS, view=view).exception


def test_answers_are_chosen_by_model_noise_and_outcome():
    page = page_of(
        ANSWERS, view="Answers", **{"answer-judge": "north", "answer-noise_ratio": "0.4", "answer-outcome": "incorrect"}
    )
    assert page.dataframe[0].value["item"].to_list() == ["q4"]


def test_answers_on_which_scorers_differ(tmp_path):
    """All take the first for right; what is denied is wrong to the strict scorer alone."""
    path = tmp_path / "answers.jsonl"
    rows = [("1", "Paris"), ("2", "It is not Paris but Rome.")]
    pl.DataFrame([{"id": name, "model": "m", "response": one, "answer": ["Paris"]} for name, one in rows]).write_ndjson(
        path
    )
    frame = page_of(str(path), view="Scorers", scorer="all").dataframe[0].value
    assert set(frame["item"]) == {"2"}
    assert set(frame["scorer"]) >= {"strict", "document"}


def test_one_scorer_cannot_differ():
    assert "One scorer judged" in said(page_of(ANSWERS, view="Scorers"))
