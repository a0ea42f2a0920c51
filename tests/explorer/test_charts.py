"""Bars of outcomes in the explorer: what is counted in them."""

import json
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree as ET

import polars as pl
import pytest

from made import EXAMPLES
from made_explorer import page_of


def drawn(page) -> dict:
    """The picture of bars, and its rows, as they are sent to the browser."""
    (chart,) = page.get("vega_lite_chart")
    (rows,) = chart.proto.datasets
    return {**json.loads(chart.proto.spec), "rows": pl.read_ipc_stream(rows.data.data).to_dicts()}


def test_every_true_violation_is_counted_once_though_two_variants_judge_it():
    truth, *checkers = (str(EXAMPLES / "violations" / f"{name}.jsonl") for name in ("truth", "careful", "eager"))
    lines = Path(truth).read_text(encoding="utf-8").splitlines()
    true = sum(len(json.loads(line)["violations"]) for line in lines)
    page = page_of(truth, *checkers, view="Items")
    counted = Counter()
    for row in drawn(page)["rows"]:
        if row["kind"] != "false_positive":
            counted[row["judge"]] += row["count"]
    assert counted == {"careful": true, "eager": true}
    held = sum(row["count"] for row in drawn(page)["rows"])
    told = " ".join(one.value.replace("\\", "") for one in page.caption)
    assert f"The bars hold {held} outcomes: those of the variant “Standard match (std)” alone." in told
    assert f"{len(page.dataframe[0].value)} outcomes of " in told
    assert len(page.dataframe[0].value) > held


@pytest.fixture
def votes(tmp_path):
    """Ana judges three items, of which she flags one; ben two."""
    rows = ["1,ana,x,No,x,No", "2,ana,y,No,x,No", "3,ana,,Yes,x,No", "1,ben,x,No,x,No", "2,ben,x,No,x,No"]
    path = tmp_path / "votes.csv"
    path.write_text("item,annotator,label,flag,reference,reference_flag\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return str(path)


def test_flags_and_choices_have_a_bar_each_of_as_many_items_as_were_judged(votes):
    found = drawn(page_of(votes, view="Items"))
    counted = Counter()
    for row in found["rows"]:
        counted[row["judge"], row["part"]] += row["count"]
    assert counted == {("ana", "choice"): 3, ("ana", "flag"): 3, ("ben", "choice"): 2, ("ben", "flag"): 2}
    assert found["encoding"]["y"]["sort"] == ["ana: choice", "ana: flag", "ben: choice", "ben: flag"]


def test_an_item_is_counted_once_in_each_bar_where_all_choices_and_flags_agree(tmp_path):
    path = tmp_path / "votes.csv"
    rows = "1,ana,x,No,x,No\n2,ana,y,No,y,No\n"
    path.write_text(f"item,annotator,label,flag,reference,reference_flag\n{rows}", encoding="utf-8")
    found = [(row["part"], row["kind"], row["count"]) for row in drawn(page_of(str(path), view="Items"))["rows"]]
    assert sorted(found) == [("choice", "correct", 2), ("flag", "neither", 2)]


def test_all_groups_are_counted_though_their_column_has_the_name_of_one_of_another_evaluation(tmp_path):
    rows = ["1,ana,x,x,std", "2,ana,x,y,ha", "3,ana,x,x,ha"]
    path = tmp_path / "votes.csv"
    path.write_text("item,annotator,label,reference,variant\n" + "\n".join(rows) + "\n", encoding="utf-8")
    page = page_of(str(path), view="Items", by="variant")
    counts = {row["kind"]: row["count"] for row in drawn(page)["rows"] if row["part"] == "choice"}
    assert counts == {"correct": 2, "incorrect": 1}
    assert not any("The bars hold" in one.value for one in page.caption)


def texts(svg: bytes) -> list[str]:
    return [one.text for one in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]  # noqa: S314 - our own


def test_bars_are_saved_with_their_legend_and_a_line_for_each_part(votes, taken):
    page = page_of(votes, view="Items")
    shown = texts(taken["outcomes.svg"]())
    assert {row["outcome"] for row in drawn(page)["rows"]} <= set(shown)
    lines = [one for one in shown if one.startswith(("ana", "ben"))]
    assert lines == ["ana: choice", "ana: flag", "ben: choice", "ben: flag"]
    assert taken["outcomes.png"]().startswith(b"\x89PNG")
