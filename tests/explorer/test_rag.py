"""The explorer of models that answer from documents."""

from made import EXAMPLES
from made_explorer import page_of

ANSWERS = str(EXAMPLES / "rag" / "answers.jsonl")


def test_answers_are_chosen_by_model_noise_and_outcome():
    chosen = {"judge": "north", "noise_ratio": "0.4", "outcome": "Incorrect"}
    page = page_of(ANSWERS, view="Items", **{f"of-{name}": value for name, value in chosen.items()})
    assert page.dataframe[0].value["item"].to_list() == ["q4"]
