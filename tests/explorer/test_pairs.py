"""Pairs of texts in the explorer, and the way from a figure to them. Expected counts are read off the example."""

import json
import re

import pytest

from made import EXAMPLES
from made_explorer import page_of

pytest.importorskip("streamlit.testing.v1")

PAIRS = EXAMPLES / "annotations" / "pairs.json"
HOSTILE = "<img src=x onerror=alert(1)> ![x](http://example.org)"


def shown(page) -> str:
    assert not page.exception
    return "\n".join(one.proto.body for one in page.get("html"))


def votes_of(*names):
    """Each pair's id with what the annotators of these names say."""
    pairs = json.loads(PAIRS.read_text())["comparisons"]
    return {one["id"]: [one["annotations"].get(name, {}).get("pref") for name in names] for one in pairs}


def test_voters_that_nobody_chose_follow_the_options_as_in_a_page_opened_from_the_address():
    page = page_of(str(PAIRS), view="Items")
    assert page.selectbox(key="of-reference").value == "Lena"
    page.multiselect(key="reference").set_value(["omar"]).run()
    assert page.selectbox(key="of-reference").value == "Omar"
    page.selectbox(key="of-annotator").select("more verbose").run()
    page.multiselect(key="reference").set_value(["lena"]).run()
    assert [page.selectbox(key=f"of-{role}").value for role in ("annotator", "reference")] == ["more verbose", "Lena"]


@pytest.mark.parametrize(
    ("outcome", "among"),
    [
        ("Votes that agree", lambda ours, theirs: ours == theirs in ("a", "b")),
        ("Votes that differ", lambda ours, theirs: {ours, theirs} == {"a", "b"}),
    ],
)
def test_pairs_of_an_outcome_are_chosen_by_the_address(outcome, among):
    page = page_of(str(PAIRS), view="Items", **{"of-annotator": "more verbose", "of-outcome": outcome})
    expected = [name for name, votes in votes_of("verbose", "lena").items() if among(*votes)]
    assert page.dataframe[0].value["item"].to_list() == expected
    assert f"Pair <bdi>{expected[0]}</bdi>" in shown(page)
    page.query_params["item"] = expected[1]
    page.run()
    assert f"Pair <bdi>{expected[1]}</bdi>" in shown(page)
    assert '<mark class="differs">' in shown(page)
    page.toggle(key="marked").set_value(False).run()
    assert '<mark class="differs">' not in shown(page)


def test_a_row_of_a_table_leads_to_its_pairs(monkeypatch):
    import streamlit as st

    from adjudge.explorer.items import lead_to
    from adjudge.explorer.results import result_of

    monkeypatch.setattr(st, "session_state", {"of-outcome": ["missing"]})
    monkeypatch.setattr(st, "query_params", {})
    result = result_of("annotations", {"data": [str(PAIRS)], "matrix": False})
    row = {"annotator": "omar", "reference": "verbose", "vote": "text_a", "reference_vote": "text_b", "count": 2}
    lead_to(result, {"dataset": "household questions", **row})
    assert st.query_params == {
        "of-annotator": "Omar",
        "of-reference": "more verbose",
        "of-label": ["text_a"],
        "of-reference_label": ["text_b"],
    }
    assert st.session_state == {**st.query_params, "of-outcome": []}


def test_whom_one_may_trust_is_offered_where_nothing_says_so(tmp_path):
    data = json.loads(PAIRS.read_text())
    del data["metadata"]["default_annotator"]
    path = tmp_path / "pairs.json"
    path.write_text(json.dumps(data))
    page = page_of(str(path), view="Items")
    assert "no reference annotator" in page.error[0].value
    page.multiselect(key="reference").select("omar").run()
    assert set(page.dataframe[0].value["judge"]) == {"lena"}


def test_nothing_of_the_data_is_markup(tmp_path):
    path = tmp_path / "pairs.json"
    data = json.loads(PAIRS.read_text())
    data["annotators"]["omar"]["name"] = HOSTILE
    for one in data["comparisons"]:
        one["prompt"] = one["response_a"]["text"] = one["response_a"]["model"] = one["id"] + HOSTILE
        one["metadata"] = {"topic": HOSTILE}
    path.write_text(json.dumps(data))
    for view in ("Overview", "Items"):
        page = page_of(str(path), view=view, by="topic")
        assert not page.error
        assert "<img" not in shown(page)
        texts = [re.sub(r"\\.", "", one.value) for one in (*page.markdown, *page.caption)]
        assert not any("<img" in text or "![" in text for text in texts)
    assert "&lt;img" in shown(page)
