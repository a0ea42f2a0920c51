"""The explorer of models that answer from documents."""

import polars as pl

from made import EXAMPLES
from made_explorer import page_of

ANSWERS = str(EXAMPLES / "rag" / "answers.jsonl")


def test_answers_are_chosen_by_model_noise_and_outcome():
    chosen = {"judge": "north", "noise_ratio": "0.4", "outcome": "Incorrect"}
    page = page_of(ANSWERS, view="Items", **{f"of-{name}": value for name, value in chosen.items()})
    assert page.dataframe[0].value["item"].to_list() == ["q4"]


def test_the_row_of_the_item_is_marked_and_its_card_stands_first(tmp_path):
    """Of the second question the second answer is the wrong one, whose outcome stands behind that of the others."""
    path = tmp_path / "answers.jsonl"
    rows = [
        {"id": item, "model": model, "ability": "noise_robustness", "noise_ratio": noise, "answer": ["Paris"],
         "response": f"Paris, says {model} at {noise}" if (item, noise) != ("q2", 0.0) else f"Rome, says {model}"}
        for item in ("q1", "q2", "q3") for noise in (0.0, 0.5) for model in ("m1", "m2")
    ]  # fmt: skip
    pl.DataFrame(rows).write_ndjson(path)
    page = page_of(str(path), view="Items", item="q2")
    listed = page.dataframe[0].value
    (row,) = page.session_state["outcomes"]["selection"]["rows"]
    assert listed.iloc[row][["item", "judge", "noise_ratio"]].to_list() == ["q2", "m1", 0.0]
    (cards,) = [one.proto.body for one in page.get("html") if "verdicts" in one.proto.body]
    assert cards.index("Rome, says m1") < cards.index("says m1 at 0.5"), "the question of the row stands first"
    assert list(dict.fromkeys(listed["item"]))[:2] == ["q2", "q1"], "what is wrong stands first"
