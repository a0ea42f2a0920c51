"""A person's labels beside those that a card rests on."""

import json
import re

import polars as pl
import pytest

import karat
from made import EXAMPLES
from made_explorer import commands, page_of

LABELS = EXAMPLES / "card" / "labels.csv"


def test_labels_of_a_person_are_read_beside_the_others(tmp_path):
    rows_of = pytest.importorskip("karat.app.further.card").rows_of
    path = tmp_path / "labelled.jsonl"
    pl.DataFrame(rows_of("zoe", {"item-001": {"label": "helpful"}}, {}, {"item-001": {"draw": None}})).write_ndjson(
        path
    )
    report = karat.card([LABELS, path], judges=["steady", "hasty"], draw="draw")
    assert report.counts["people"] == len(["ana", "ben", "cleo", "dev", "eva", "zoe"])
    report.save(tmp_path / "report.json")
    page = page_of(str(tmp_path / "report.json"), view="Label", labeller="zoe")
    assert not page.exception
    assert {"helpful", "unhelpful"} == {one.replace("\\", "") for one in page.radio[0].options}


def test_judges_and_people_are_offered_by_name(tmp_path):
    karat.card(LABELS, judges=["steady", "hasty"], draw="draw").save(tmp_path / "report.json")
    page = page_of(str(tmp_path / "report.json"))
    assert page.multiselect(key="judges").value == ["steady", "hasty"]
    assert sorted(page.multiselect(key="reference").options) == ["ana", "ben", "cleo", "dev", "eva", "hasty", "steady"]
    page = page.multiselect(key="judges").set_value(["steady"]).run()
    assert not page.exception
    assert "--judges steady " in commands(page)[-1]


def test_the_share_of_people_who_agree_with_a_judge_is_a_percentage(tmp_path):
    """Three of four people agree on the first item, none of two on the second."""
    labels = {"one": {"judge": "y", "ana": "y", "ben": "y", "cleo": "y", "dev": "n"}, "two": {"judge": "y", "ana": "n"}}
    labels["two"]["ben"] = "n"
    rows = [
        {"item": item, "annotator": who, "label": said} for item, own in labels.items() for who, said in own.items()
    ]
    path = tmp_path / "labels.csv"
    pl.DataFrame(rows).write_csv(path)
    karat.card(path, judges=["judge"]).save(tmp_path / "report.json")
    table = page_of(str(tmp_path / "report.json"), view="Items").dataframe[0]
    assert dict(zip(table.value["item"], table.value["value"], strict=True)) == {"one": 75, "two": 0}
    assert json.loads(table.proto.columns)["value"]["type_config"]["format"] == "%.1f %%"


def test_who_labels_does_not_see_what_others_said():
    page = page_of(str(LABELS), evaluation="card", view="Label", labeller="zoe", judges="steady")
    assert not page.exception
    assert page.radio
    assert not [one.value for one in page.caption if "labels of people" in one.value]


def test_nobody_is_asked_again_for_what_the_files_hold():
    """The file that is saved is read beside them, where nobody judges an item twice."""
    page = page_of(data="Simulated card", view="Label", labeller="ana")
    assert not page.exception
    told = " ".join(one.value for one in page.caption)
    before = int(re.search(r"ana has labelled (\d+) items before", told)[1])
    assert 0 < before < 300
    assert f"0 of {300 - before} items labelled" in told
    assert "are not asked again" not in " ".join(
        one.value for one in page_of(LABELS, view="Label", labeller="zoe").caption
    )
