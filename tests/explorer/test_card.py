"""The explorer of a judge's card."""

import json

import polars as pl

import adjudge
from made import EXAMPLES
from made_explorer import page_of

LABELS = EXAMPLES / "card" / "labels.csv"


def test_the_share_of_people_who_agree_with_a_judge_is_a_percentage(tmp_path):
    """Three of four people agree on the first item, none of two on the second."""
    labels = {"one": {"judge": "y", "ana": "y", "ben": "y", "cleo": "y", "dev": "n"}, "two": {"judge": "y", "ana": "n"}}
    labels["two"]["ben"] = "n"
    rows = [
        {"item": item, "annotator": who, "label": said} for item, own in labels.items() for who, said in own.items()
    ]
    path = tmp_path / "labels.csv"
    pl.DataFrame(rows).write_csv(path)
    adjudge.card(path, judges=["judge"]).save(tmp_path / "report.json")
    table = page_of(str(tmp_path / "report.json"), view="Items").dataframe[0]
    assert dict(zip(table.value["item"], table.value["value"], strict=True)) == {"one": 75, "two": 0}
    assert json.loads(table.proto.columns)["value"]["type_config"]["format"] == "%.1f%%"
