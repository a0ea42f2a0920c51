"""The views of annotations, and the way from a figure to its pairs. Expected counts are read off the example."""

import io
import json

import polars as pl
import pytest

from made import EXAMPLES
from made_explorer import commands, page_of, said

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
        ("They agree", lambda ours, theirs: ours == theirs in ("a", "b")),
        ("They disagree", lambda ours, theirs: {ours, theirs} == {"a", "b"}),
    ],
)
def test_pairs_of_an_outcome_are_chosen_by_the_address(outcome, among):
    page = page_of(str(PAIRS), view="Items", **{"of-annotator": "more verbose", "of-outcome": outcome})
    expected = [name for name, votes in votes_of("verbose", "lena").items() if among(*votes)]
    assert page.dataframe[0].value["pair"].to_list() == expected
    assert f"Pair <bdi>{expected[0]}</bdi>" in shown(page)
    page.button(key="next-pair").click().run()
    assert f"Pair <bdi>{expected[1]}</bdi>" in shown(page)
    assert '<mark class="differs">' in shown(page)
    page.toggle(key="marked").set_value(False).run()
    assert '<mark class="differs">' not in shown(page)


def test_a_row_of_a_table_leads_to_its_pairs(monkeypatch):
    import streamlit as st

    from karat.app.further.annotations import lead_to
    from karat.app.results import result_of

    monkeypatch.setattr(st, "session_state", {"of-number": 3, "of-outcome": "Neither votes"})
    monkeypatch.setattr(st, "query_params", {})
    result = result_of("annotations", {"data": [str(PAIRS)], "matrix": False})
    row = {"annotator": "omar", "reference": "verbose", "vote": "text_a", "reference_vote": "text_b", "count": 2}
    lead_to(result, {"dataset": "household questions", **row})
    assert st.query_params == {
        "of-annotator": "Omar",
        "of-reference": "more verbose",
        "of-outcome": "They disagree",
        "of-dataset": "household questions",
    }
    assert st.session_state == {**st.query_params, "view": "Items"}


def test_whom_one_may_trust_is_offered_where_nothing_says_so(tmp_path):
    data = json.loads(PAIRS.read_text())
    del data["metadata"]["default_annotator"]
    path = tmp_path / "pairs.json"
    path.write_text(json.dumps(data))
    page = page_of(str(path), view="Traits")
    assert "nothing says which annotator is trusted" in page.error[0].value
    page.multiselect(key="reference").select("omar").run()
    assert page.dataframe[0].value["Annotator"].to_list()[0] == "Lena"


def test_traits_are_sorted_and_sought():
    page = page_of(str(PAIRS), view="Traits", order="Lowest first")
    assert page.dataframe[0].value["Annotator"].to_list() == ["more confident", "more verbose", "Omar"]
    page.text_input(key="annotators").set_value("MORE").run()
    page.selectbox(key="figure").select("Relevance").run()
    assert sorted(page.dataframe[0].value["Annotator"]) == ["more confident", "more verbose"]


def test_what_is_saved_of_traits_is_what_is_shown(taken):
    page = page_of(str(PAIRS), view="Traits", order="Lowest first", annotators="more")
    assert not page.exception
    rows = pl.read_csv(io.StringIO(taken["traits.csv"]()))
    assert (
        rows["name"].to_list() == page.dataframe[0].value["Annotator"].to_list() == ["more confident", "more verbose"]
    )
    assert rows["metric"].unique().to_list() == ["strength"]
    assert b"more confident" in taken["traits.svg"]()


def test_a_preset_compares_everyone_with_every_model_and_groups_stand_side_by_side():
    page = page_of(str(PAIRS), view="Traits")
    page.button(key="ask-model").click().run()
    assert not page.exception
    assert page.multiselect(key="reference").value == ["model:*"]
    columns = page.dataframe[0].value.columns.to_list()
    assert {"large", "medium", "small"} <= set(columns)
    page.button(key="ask-votes").click().run()
    assert page.multiselect(key="reference").value == []
    assert page.dataframe[0].value.columns[1] == "Strength"


def test_two_data_sets_stand_side_by_side_with_the_test_of_their_difference(tmp_path):
    other = tmp_path / "other.json"
    other.write_text(PAIRS.read_text().replace("household questions", "office questions").replace('"a"', '"b"'))
    table = page_of(str(PAIRS), str(other), view="Traits").dataframe[0].value
    apart = table["office questions"] - table["household questions"]
    assert table["Greatest difference"].to_list() == pytest.approx(sorted(apart.abs(), reverse=True))
    assert all(said.startswith("p") for said in table["adjusted p"])


def test_the_matrix_is_made_where_it_is_looked_at_and_the_command_line_follows():
    page = page_of(str(PAIRS), view="Matrix")
    assert not page.exception
    cells = page.dataframe[0].value
    assert cells.columns.to_list() == ["Lena", "Omar", "more verbose", "more confident"]
    assert cells.loc["Omar", "Lena"] == pytest.approx(24 / 33)
    assert commands(page)[-1].endswith("pairs.json")


@pytest.mark.parametrize("view", ["Matrix", "Traits"])
def test_where_figures_are_of_two_labels_alone_it_is_said_why_there_are_none(view):
    page = page_of(str(PAIRS), view=view, labels="all")
    assert not page.exception
    assert "defined for two labels only" in said(page)
    assert "choose “valid” there" in said(page)
    assert "more than" not in said(page)


def test_figures_of_all_labels_are_shown_without_a_remark():
    page = page_of(str(PAIRS), view="Traits", labels="all", figure="Accuracy")
    assert "No annotator has a value" not in said(page)
    assert page.dataframe[0].value["Accuracy"].notna().all()
    assert "Remarks" not in page.dataframe[0].value


def test_a_figure_that_one_annotator_lacks_has_its_reason_beside_it(tmp_path):
    """Omar votes for neither where he votes at all."""
    path, data = tmp_path / "pairs.json", json.loads(PAIRS.read_text())
    for one in data["comparisons"]:
        if "omar" in one["annotations"]:
            one["annotations"]["omar"] = {"pref": None, "no_pref_reason": "neither"}
    path.write_text(json.dumps(data))
    table = page_of(str(path), view="Traits").dataframe[0].value.set_index("Annotator")
    assert table["Strength"].isna().to_dict() == {name: name == "Omar" for name in table.index}
    assert table["Remarks"]["Omar"].startswith("no pair on which both votes are valid")
    assert set(table["Remarks"].drop("Omar")) == {""}


def test_with_many_annotators_it_is_said_that_there_is_no_matrix_of_them(tmp_path):
    path, data = tmp_path / "pairs.json", json.loads(PAIRS.read_text())
    for number in range(40):
        data["annotators"][f"more{number}"] = {**data["annotators"]["verbose"], "name": f"more {number}"}
        for one in data["comparisons"]:
            one["annotations"][f"more{number}"] = one["annotations"]["verbose"]
    path.write_text(json.dumps(data))
    assert "no matrix of more than 40 annotators" in said(page_of(str(path), view="Matrix"))


def test_nothing_of_the_data_is_markup(tmp_path):
    path = tmp_path / "pairs.json"
    data = json.loads(PAIRS.read_text())
    data["annotators"]["omar"]["name"] = HOSTILE
    for one in data["comparisons"]:
        one["prompt"] = one["response_a"]["text"] = one["response_a"]["model"] = one["id"] + HOSTILE
        one["metadata"] = {"topic": HOSTILE}
    path.write_text(json.dumps(data))
    for view in ("Traits", "Items"):
        page = page_of(str(path), view=view, by="topic")
        assert not page.error
        assert "<img" not in shown(page)
        texts = [one.value for one in (*page.markdown, *page.caption)]
        assert not any("<img" in text or "![" in text for text in texts)
    assert "&lt;img" in shown(page)


def test_the_row_of_the_pair_that_is_read_is_marked():
    page = page_of(data="Simulated annotations", view="Items", **{"of-number": "3"})
    assert page.session_state["listed"]["selection"]["rows"] == [2]
    page.button(key="next-pair").click().run()
    assert page.session_state["listed"]["selection"]["rows"] == [3]
