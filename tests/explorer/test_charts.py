"""The chart of the explorer: which items its points choose."""

import re
from html import unescape

import polars as pl
import pytest

from made import EXAMPLES
from made_explorer import page_of

VOTES = str(EXAMPLES / "reliability" / "votes.json")
PREFERENCES = [str(EXAMPLES / "preferences" / name) for name in ("gold.jsonl", "careful.tsv", "quick.tsv")]


@pytest.fixture
def click(monkeypatch):
    """Clicks the point of a chart whose tooltip begins like this, and returns the page of what the address says then."""
    import streamlit as st

    from adjudge.explorer import charts
    from adjudge.explorer.results import result_of

    def choose(function, given, point):
        state, address, made = {}, {}, {}
        monkeypatch.setattr(st, "session_state", state)
        monkeypatch.setattr(st, "query_params", address)
        monkeypatch.setattr(st.components.v2, "component", lambda *_, **__: lambda **how: made.update(how))
        toasts = []
        monkeypatch.setattr(st, "toast", toasts.append)
        result = result_of(function, given)
        assert charts.show_chart(result) is False
        tips = map(unescape, re.findall("<title>(.*?)</title>", made["data"]["svg"]))
        tip = next(tip for tip in tips if tip.startswith(f"{point}: "))
        chosen = []
        for _ in range(2):
            state["chart"] = {"point": tip}
            made["on_point_change"]()
            chosen.append(dict(address))
            charts.show_chart(result)
        return *chosen, toasts

    return choose


@pytest.mark.parametrize(
    ("function", "given", "point", "expected"),
    [
        ("reliability", {"data": [VOTES]}, "ben", {"of-judge": ["ben"]}),
        (
            "reliability",
            {"data": [VOTES], "by": ["week"]},
            "week 2, cleo",
            {"of-judge": ["cleo"], "of-week": ["week 2"]},
        ),
        (
            "annotations",
            {"data": [str(EXAMPLES / "annotations" / "pairs.json")], "matrix": False, "reference": ["lena", "omar"]},
            "reference omar, more verbose",
            {"of-annotator": "more verbose", "of-reference": "Omar"},
        ),
        (
            "preferences",
            {"gold": PREFERENCES[0], "predictions": PREFERENCES[1:]},
            "quick, overall",
            {"of-judge": ["quick"], "of-part": ["overall_quality"]},
        ),
        (
            "annotations",
            {"data": [str(EXAMPLES / "annotations" / "pairs.json")], "matrix": False},
            "more verbose",
            {"of-annotator": "more verbose"},
        ),
    ],
)
def test_a_point_chooses_its_items_and_a_second_click_takes_the_choice_back(click, function, given, point, expected):
    chosen, again, toasts = click(function, given, point)
    assert chosen.pop("of-point") == point
    assert expected.items() <= chosen.items()
    assert "of-point" not in again
    assert toasts == []


def test_a_baseline_has_no_items(click):
    chosen, _, toasts = click("preferences", {"gold": PREFERENCES[0], "predictions": PREFERENCES[1:]}, "majority")
    assert chosen == {}
    assert len(toasts) == 2


def test_the_items_of_the_chosen_point_are_listed_below_the_chart():
    page = page_of(VOTES, **{"of-point": "dev", "of-judge": "dev"})
    assert not page.exception
    assert set(page.dataframe[0].value["judge"]) == {"dev"}
    assert not page_of(VOTES).dataframe


def test_a_name_that_begins_like_another_is_told_from_it(tmp_path):
    from adjudge.explorer.charts import _row_of
    from adjudge.explorer.results import result_of

    names = ["ana", "ana, ben", "ana, ben, cleo"]
    path = tmp_path / "votes.csv"
    pl.DataFrame(
        [{"item": item, "annotator": name, "label": "x", "reference": "x"} for name in names for item in range(3)]
    ).write_csv(path)
    report = result_of("reliability", {"data": [str(path)]}).report
    assert [_row_of(report, name)["annotator"] for name in names] == names
