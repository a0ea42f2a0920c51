"""The explorer's views of models that answer from documents."""

import json

import polars as pl
import pytest

from made import EXAMPLES
from made_explorer import page_of, said

ANSWERS = str(EXAMPLES / "rag" / "answers.jsonl")


@pytest.mark.parametrize("view", ["Noise", "Answers"])
def test_every_view_opens(view):
    assert not page_of(ANSWERS, view=view).exception


def test_accuracy_over_noise_is_shown_of_one_ability_at_a_time(tmp_path):
    """Right on all at noise 0, wrong on all at noise 0.5, but for the other ability, where it is the other way round."""
    path = tmp_path / "answers.jsonl"
    rows = [
        {"id": str(item), "model": "m", "ability": ability, "noise_ratio": noise, "answer": ["Paris"],
         "response": "Paris" if (noise == 0) == (ability == "noise_robustness") else "Rome"}
        for item in range(3) for ability in ("noise_robustness", "information_integration") for noise in (0.0, 0.5)
    ]  # fmt: skip
    pl.DataFrame(rows).write_ndjson(path)
    page = page_of(str(path), view="Noise")
    assert page.selectbox(key="noise-ability").options == ["Noise robustness", "Information integration"]
    for ability, expected in (("Noise robustness", [1.0, 0.0]), ("Information integration", [0.0, 1.0])):
        page = page_of(str(path), view="Noise", **{"noise-ability": ability})
        assert not page.exception
        (chart,) = page.get("vega_lite_chart")
        drawn = pl.read_ipc_stream(chart.proto.datasets[0].data.data).sort("noise_ratio")
        assert drawn["value"].to_list() == expected


def test_answers_are_chosen_by_model_noise_and_outcome():
    chosen = {"judge": "north", "noise_ratio": "0.4", "outcome": "Incorrect"}
    page = page_of(ANSWERS, view="Answers", **{f"of-answer-{name}": value for name, value in chosen.items()})
    assert page.dataframe[0].value["item"].to_list() == ["q4"]


def test_answers_that_were_chosen_of_other_data_are_forgotten():
    page = page_of(data="Simulated rag", view="Answers")
    judge = page.multiselect(key="of-answer-judge")
    judge.set_value(judge.options[:1]).run()
    page.selectbox(key="data").select("Simulated card").run()
    page.selectbox(key="data").select("Simulated rag").run()
    page.segmented_control(key="view").set_value("Answers").run()
    assert page.multiselect(key="of-answer-judge").value == []


def test_answers_beyond_those_that_are_listed_are_counted_and_shown_with_their_question(monkeypatch):
    """The first five are answers to q1 to q4 at the first ratio, and one more."""
    whole = page_of(ANSWERS, view="Answers")
    monkeypatch.setattr("karat.app.items.MOST", 5)
    page = page_of(ANSWERS, view="Answers")
    assert len(page.dataframe[0].value) == 5
    remarks = ["".join(one.value for one in shown.caption) for shown in (whole, page)]
    assert ["1 to 5 of 40 answers." in one.replace("\\", "") for one in remarks] == [False, True]
    cards = [[one.proto.body for one in shown.get("html")] for shown in (whole, page)]
    assert cards[0] == cards[1]
    assert str(cards[0]).count("noise ratio") > 1


def test_items_are_listed_without_columns_that_say_the_same_in_words_or_in_every_line():
    one, all_ = (page_of(ANSWERS, view="Items", **how).dataframe[0].value for how in ({}, {"scorer": "all"}))
    assert "scorer" not in one
    assert "scorer" in all_
    assert {"item", "judge", "reference_label", "outcome"} <= set(one)
    assert not [name for name in one if one[name].dtype == bool]


def test_parts_are_called_as_the_tables_call_them():
    page = page_of(ANSWERS, view="Items")
    assert page.multiselect(key="of-part").label == "Ability"
    assert json.loads(page.dataframe[0].proto.columns)["part"]["label"] == "Ability"


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
    assert "Only one scorer is chosen." in said(page_of(ANSWERS, view="Scorers"))


def test_lines_over_noise_are_saved_as_a_picture(taken):
    assert not page_of(ANSWERS, view="Noise").exception
    picture = taken["noise.svg"]()
    assert all(f">{model}<".encode() in picture for model in ("north", "south"))
    assert taken["noise.png"]().startswith(b"\x89PNG")


def test_the_row_of_the_item_is_marked_and_its_card_stands_first(tmp_path):
    """Of the second question the second answer is the wrong one, whose outcome stands behind that of the others."""
    path = tmp_path / "answers.jsonl"
    rows = [
        {"id": item, "model": model, "ability": "noise_robustness", "noise_ratio": noise, "answer": ["Paris"],
         "response": f"Paris, says {model} at {noise}" if (item, noise) != ("q2", 0.0) else f"Rome, says {model}"}
        for item in ("q1", "q2", "q3") for noise in (0.0, 0.5) for model in ("m1", "m2")
    ]  # fmt: skip
    pl.DataFrame(rows).write_ndjson(path)
    page = page_of(str(path), view="Answers", item="q2")
    listed = page.dataframe[0].value
    (row,) = page.session_state["answers"]["selection"]["rows"]
    assert listed.iloc[row][["item", "judge", "noise_ratio"]].to_list() == ["q2", "m1", 0.0]
    (cards,) = [one.proto.body for one in page.get("html") if "verdicts" in one.proto.body]
    assert cards.index("Rome, says m1") < cards.index("says m1 at 0.5"), "the question of the row stands first"
    page.button[[one.label for one in page.button].index("Next")].click().run()
    (row,) = page.session_state["answers"]["selection"]["rows"]
    assert listed.iloc[row]["item"] == "q3"


def test_of_draws_of_an_answer_that_of_the_row_stands_first(tmp_path):
    path = tmp_path / "answers.jsonl"
    rows = [
        {"id": "q1", "model": "m", "ability": "noise_robustness", "noise_ratio": 0.0, "draw": draw, "answer": ["Paris"],
         "response": f"{'Rome' if draw else 'Paris'} in draw {draw}"}
        for draw in (0, 1)
    ]  # fmt: skip
    pl.DataFrame(rows).write_ndjson(path)
    for view, key in (("Answers", "answers"), ("Items", "outcomes")):
        page = page_of(str(path), view=view)
        listed = page.dataframe[0].value
        (wrong,) = [row for row in range(2) if listed.iloc[row]["outcome"] == "Incorrect"]
        page.session_state[key] = {"selection": {"rows": [wrong], "columns": [], "cells": []}}
        page.run()
        (cards,) = [one.proto.body for one in page.get("html") if "verdicts" in one.proto.body]
        assert cards.index("in draw 1") < cards.index("in draw 0"), view


def test_the_first_card_is_the_question_of_the_marked_row_whatever_its_noise():
    page = page_of(ANSWERS, view="Items", item="q4")
    (row,) = page.session_state["outcomes"]["selection"]["rows"]
    marked = page.dataframe[0].value.iloc[row]
    assert (marked["item"], marked["outcome"]) == ("q4", "Incorrect")
    (cards,) = [one.proto.body for one in page.get("html") if "verdicts" in one.proto.body]
    first = cards.split('class="example')[1]
    assert f'data-judge="{marked["judge"]}"' in first
    assert 'data-outcome="Incorrect"' in first
